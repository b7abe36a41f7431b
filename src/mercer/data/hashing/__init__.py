"""Stable hashes of categories, labels and texts."""
