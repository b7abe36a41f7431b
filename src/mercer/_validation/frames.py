"""Frames that are converted to arrays by NumPy."""

import numbers
from typing import Any

import numpy as np

__all__ = ["check_columns"]

_PLAIN = (np.ndarray, np.generic, numbers.Number, list, tuple, str, bytes, type(None))


def check_columns(who: str, X: Any, *, name: str = "X") -> None:
    """Raise TypeError for a frame that has columns of dates or durations beside others.

    Converting a frame of polars with columns of several types to an array gives their common type, which is float64
    for dates and numbers: the dates would be read as numbers. A frame with one type becomes an array of that type,
    which the caller checks.

    Parameters
    ----------
    who : str
        Name of the caller in messages.
    X : object
        Anything; other objects than frames are ignored.
    name : str, default="X"
        Name of X in messages.
    """
    if isinstance(X, _PLAIN):
        return
    import narwhals.stable.v2 as nw  # here: most calls pass arrays, and the import takes time
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(X, pass_through=True)
    except DuplicateError:  # of pandas, which converts dates among numbers to objects
        return
    if not isinstance(frame, nw.DataFrame):
        return
    schema = frame.schema
    if len(set(schema.dtypes())) == 1:
        return
    for column, dtype in schema.items():
        if dtype.is_temporal():
            raise TypeError(
                f"{who}: column {column!r} of {name} holds dates or times ({dtype}), expected real numbers; convert "
                "it to a number such as days since a fixed date."
            )
