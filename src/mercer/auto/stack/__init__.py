"""Stacked kernel machines with learned column weights."""
