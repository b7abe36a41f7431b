"""Containers for data that is not one matrix of numbers, and the conversions kernels ask for."""

from mercer.data.convert import as_codes, as_items, as_matrix, n_samples, select_columns, take
from mercer.data.table import Table

__all__ = ["Table", "as_codes", "as_items", "as_matrix", "n_samples", "select_columns", "take"]
