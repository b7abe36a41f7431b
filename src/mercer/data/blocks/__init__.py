"""Data sets that are read in blocks of rows, again and again, and are never in memory as a whole."""
