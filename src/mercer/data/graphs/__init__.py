"""Packed graphs."""
