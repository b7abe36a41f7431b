"""From what users have to what kernels read: matrices, category codes, items, columns."""

from typing import Any

import numpy as np

from mercer._typing import Data

__all__ = ["as_codes", "as_items", "as_matrix", "n_samples", "select_columns"]


def n_samples(X: Data) -> int:
    """Number of samples of anything a kernel takes."""
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape else len(X)


def as_matrix(X: Data, who: str) -> Any:
    """X as something `check_vectors` takes: arrays and sparse matrices as they are."""
    return X


def as_codes(X: Data, who: str) -> Any:
    """X as a float64 matrix whose entries are equal exactly where the categories are."""
    return np.asarray(X, dtype=np.float64)


def as_items(X: Data) -> Any:
    """X as an indexable collection of samples."""
    return X if isinstance(X, (np.ndarray, list)) else list(X)


def select_columns(X: Data, columns: tuple[int | str, ...], who: str) -> Data:
    """Some columns of a matrix, frame or table."""
    return X[:, list(columns)]
