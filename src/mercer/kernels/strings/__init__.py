"""Kernels over strings: of characters, bytes or tokens."""
