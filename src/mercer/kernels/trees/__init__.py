"""Kernels over ordered labelled trees."""
