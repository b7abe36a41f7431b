"""Column names of data."""

from typing import Any

import numpy as np

from mercer._typing import Data
from mercer.data.frames import as_frame, has_fields, is_columns
from mercer.data.tables.table import Table

__all__ = ["column_names"]


def column_names(X: Data) -> list[str]:
    """Column names of frames, tables, dicts of columns and structured arrays; x0, x1, … for other data.

    >>> column_names({"age": [31.0], "income": [2.5]}), column_names(np.zeros((3, 2)))
    (['age', 'income'], ['x0', 'x1'])
    """
    if isinstance(X, Table):
        return list(X.names)
    if is_columns(X):
        return [str(name) for name in X]
    if has_fields(X):
        return list(X.dtype.names)
    frame = as_frame(X)
    if frame is not None:
        return [str(name) for name in frame.columns]
    return [f"x{j}" for j in range(_width(X))]


def _width(X: Any) -> int:
    shape = getattr(X, "shape", None)
    return int(shape[1]) if shape is not None and len(shape) == 2 else np.size(X[0])
