"""What the machine offers: threads, instruction sets, memory, files. Nothing happens at import."""
