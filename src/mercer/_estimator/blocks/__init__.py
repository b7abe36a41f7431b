"""Fits and predictions of data sets that are read in blocks."""
