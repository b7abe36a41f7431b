"""Access to the machine: threads, instruction sets, memory, files. Importing it has no effects."""
