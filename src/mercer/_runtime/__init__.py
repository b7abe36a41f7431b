"""What the machine offers: threads, instruction sets, memory. Nothing happens at import."""
