"""What the machine offers: threads, BLAS, instruction sets, memory. Nothing happens at import."""
