"""Readers of external formats: files, notations, and objects of other libraries."""
