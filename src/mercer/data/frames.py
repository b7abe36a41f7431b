"""Frames of pandas, polars and pyarrow through narwhals, and columns as arrays or lists.

narwhals is imported for the first object that is neither an array nor a list.
"""

import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data
from mercer._validation import check_unmasked, describe
from mercer._validation.near import near_misses
from mercer.data.hashing.categories import temporal_error

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

__all__ = [
    "as_frame",
    "as_series",
    "has_fields",
    "is_columns",
    "locate",
    "locate_all",
    "plain",
    "split",
    "unknown_column",
]

NEAR = 0.75  # similarity from which another name is a likely misspelling


def _is_known(X: Data) -> bool:
    return isinstance(X, (np.ndarray, list, tuple, str, Mapping)) or sp.issparse(X)


def as_frame(X: Data) -> "nw.DataFrame[Any] | None":
    """X as a narwhals frame; None if it is not a frame."""
    if _is_known(X):
        return None
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(X, pass_through=True, allow_series=True)
    except DuplicateError as error:
        what = " ".join(str(error).split())
        raise ValueError(f"X: column names must be unique ({what}); rename the duplicates.") from None
    if isinstance(frame, nw.LazyFrame):
        method = "compute" if hasattr(X, "compute") else "collect"  # of Dask, and of others
        raise TypeError(
            f"X: got a lazy frame ({type(X).__module__}.{type(X).__name__}), expected data in "
            f"memory; call X.{method}() first."
        )
    return frame if isinstance(frame, nw.DataFrame) else None


def as_series(X: Data) -> "nw.Series[Any] | None":
    """X as a narwhals series; None if it is not a series."""
    if _is_known(X):
        return None
    import narwhals.stable.v2 as nw

    series = nw.from_native(X, pass_through=True, allow_series=True)
    return series if isinstance(series, nw.Series) else None


def is_columns(X: Data) -> bool:
    """Whether X is a dict of columns; SciPy's dictionaries of keys are sparse matrices."""
    return isinstance(X, Mapping) and not sp.issparse(X)


def has_fields(X: Data) -> bool:
    """Whether X is a structured array."""
    return isinstance(X, np.ndarray) and X.dtype.names is not None


def split(who: str, X: Data) -> list[tuple[int | str, Any]]:
    """Columns of two-dimensional data, each with its name or, without names, its number."""
    if is_columns(X):
        return [(str(name), values) for name, values in X.items()]
    if has_fields(X):
        return [(name, X[name]) for name in X.dtype.names]
    frame = as_frame(X)
    if frame is not None:
        return [(str(series.name), series) for series in frame.iter_columns()]
    if isinstance(X, (list, tuple)):
        return list(enumerate(_transpose(who, X)))
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(
            f"{who}: X must have two dimensions, samples and columns, got {describe(X)}; use "
            "X.reshape(-1, 1), or X.to_frame(), for one column."
        )
    return [(j, array[:, j]) for j in range(array.shape[1])]


def _transpose(who: str, rows: Sequence[Any]) -> list[tuple[Any, ...]]:
    for i, row in enumerate(rows):
        vector = isinstance(row, np.ndarray) and row.ndim == 1
        if not (vector or isinstance(row, (list, tuple))):
            raise ValueError(
                f"{who}: X must be a list of rows, got {describe(row)} as row {i}; use "
                "[[value] for value in X] for one column."
            )
        if len(row) != len(rows[0]):
            raise ValueError(
                f"{who}: row {i} of X has {len(row)} entries but row 0 has {len(rows[0])}; every "
                "row needs the same number."
            )
    return list(zip(*rows, strict=True))


def plain(who: str, column: int | str, values: Any) -> Any:
    """One column as an array of numbers or booleans (nulls become NaN), else as a list of values."""
    series = as_series(values)
    if series is not None:
        return _plain_series(who, column, series)
    check_unmasked(who, values, name=f"column {column!r}")
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "mM":
            raise temporal_error(who, column, values.dtype)
        exact = values.dtype.kind in "fiub" and values.dtype.itemsize <= 8
        return values if exact else values.tolist()
    return list(values)


def _plain_series(who: str, column: int | str, series: "nw.Series[Any]") -> Any:
    import narwhals.stable.v2 as nw

    dtype = series.dtype
    if dtype.is_temporal():
        raise temporal_error(who, column, dtype)
    if dtype == nw.Boolean:
        return (series.cast(nw.Float64) if series.null_count() else series).to_numpy()
    # narwhals has no exact array for wide integers and decimals
    exact = dtype.is_numeric() and dtype not in (nw.Decimal, nw.Int128, nw.UInt128)
    return series.to_numpy() if exact else series.to_list()


def locate(who: str, names: Sequence[Any], column: int | str) -> int:
    """Position of a column given by name or position; negative positions count from the end."""
    if isinstance(column, str):
        texts = [str(name) for name in names]
        if column not in texts:
            raise unknown_column(who, texts, column)
        return texts.index(column)
    if not isinstance(column, numbers.Integral) or isinstance(column, bool | np.bool_ | np.timedelta64):
        raise TypeError(f"{who}: a column must be given by its name or its position, got {describe(column)}.")
    column = int(column)
    if not -len(names) <= column < len(names):
        raise ValueError(
            f"{who}: column {column} is selected but X has {len(names)} features; use indices 0 to {len(names) - 1}."
        )
    return column % len(names)


def locate_all(who: str, names: Sequence[Any], columns: Sequence[Any]) -> list[int]:
    """Positions of columns given by name, position or slices of positions.

    >>> locate_all("Columns", ["age", "size", "city"], [slice(1, None), "age"])
    [1, 2, 0]
    """
    check_unmasked(who, columns, name="columns")
    if not isinstance(columns, Iterable):
        raise TypeError(f"{who}: columns must be a sequence of names or positions, got {describe(columns)}.")
    where: list[int] = []
    for column in columns:
        if hasattr(column, "indices"):
            found = range(*column.indices(len(names)))
            if not found:
                raise ValueError(f"{who}: {column} selects none of the {len(names)} columns of X.")
            where += found
        else:
            where.append(locate(who, names, column))
    return where


def unknown_column(who: str, names: Sequence[str], column: str) -> ValueError:
    """Error for an unknown column name, with the most similar names."""
    near = near_misses(column, names, most=3)
    if near:
        hint = f"did you mean {' or '.join(map(repr, near))}?"
    else:
        more = f" and {len(names) - 10} more" if len(names) > 10 else ""
        hint = f"it has {', '.join(map(repr, names[:10]))}{more}."
    return ValueError(f"{who}: X has no column {column!r}; {hint}")
