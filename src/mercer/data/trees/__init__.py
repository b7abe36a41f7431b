"""Packed ordered trees with labels."""
