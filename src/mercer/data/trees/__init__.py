"""Packed ordered labelled trees."""
