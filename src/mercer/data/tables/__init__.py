"""Packed tables of numbers, categories, texts and objects."""
