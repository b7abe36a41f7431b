"""Columns of raw samples: distinct values, and samples with a column of other samples."""

from typing import Any

import numpy as np

from mercer._typing import Data, IndexArray
from mercer._validation import describe
from mercer.data import Table, n_samples, take
from mercer.data.frames import as_frame, as_series, has_fields, is_columns, split
from mercer.data.hashing.categories import is_hashable, is_missing

__all__ = ["column_values", "n_rows", "places", "replaced", "rows_of"]


def n_rows(X: Data) -> int:
    """Number of samples, also of a dict of columns."""
    return len(next(iter(X.values()))) if is_columns(X) and X else n_samples(X)


def rows_of(X: Data, rows: IndexArray) -> Data:
    """Some samples, also of a dict of columns."""
    return {name: take(values, rows) for name, values in X.items()} if is_columns(X) else take(X, rows)


def column_values(who: str, X: Data, column: int) -> Any:
    """Values of a column: an array of numbers or dates, else an array of objects."""
    columns = X.columns if isinstance(X, Table) else [values for _, values in split(who, X)]
    if column >= len(columns):
        raise ValueError(
            f"{who}: got rows with {len(columns)} columns, expected column {column} among them; pass rows with the "
            "columns of X."
        )
    values = X.column(column) if isinstance(X, Table) else columns[column]
    series = as_series(values)
    if series is not None:
        known = series.dtype.is_numeric() or series.dtype.is_temporal()
        values = series.to_numpy() if known else series.to_list()
    array = np.asarray(values) if not isinstance(values, (list, tuple)) or not _has_texts(values) else None
    if array is not None and array.ndim != 1:
        raise ValueError(
            f"{who}: column {column} holds arrays of shape {array.shape[1:]}, expected one number or category for each "
            "row; give every number a column of its own."
        )
    if array is not None and array.dtype.kind in "fiumM":
        return array
    objects = np.empty(len(values), dtype=object)
    objects[:] = list(values)  # type: ignore[arg-type]
    for row, value in enumerate(objects):
        if not is_hashable(value):
            raise TypeError(
                f"{who}: column {column} holds {describe(value)} in row {row}, which cannot be a category; pass "
                "numbers, texts or dates."
            )
    return objects


def _has_texts(values: Any) -> bool:
    """Whether NumPy would turn numbers into texts."""
    return any(isinstance(value, (str, bytes)) for value in values)


def places(values: Any, most: int) -> tuple[IndexArray, int]:
    """Rows with distinct values to draw a curve at, in order, and the number of distinct values.

    Missing values are left out. Of more than `most` numbers, half are those at equidistant quantiles and half those
    nearest to equidistant numbers, which are few where samples are many, and the other way round. Of more than `most`
    other values, the most frequent ones are chosen.

    >>> places(np.array([3.0, 1.0, np.nan, 1.0]), 5)
    (array([1, 0]), 2)
    """
    present = np.array([i for i, value in enumerate(values) if not is_missing(value)], dtype=np.int64)
    if values.dtype.kind in "fiumM":
        order = present[np.argsort(values[present], kind="stable")]
        new = np.ones(len(order), dtype=bool)
        new[1:] = values[order][1:] != values[order][:-1]
        distinct = order[new]
        if len(distinct) <= most:
            return distinct, len(distinct)
        ranks = np.round(np.linspace(0, len(order) - 1, most - most // 2)).astype(np.int64)
        at_quantiles = np.cumsum(new)[ranks] - 1
        numbers = values[distinct].astype(np.float64)
        wanted = np.linspace(numbers[0], numbers[-1], most // 2 + 2)[1:-1]
        middles = (numbers[1:] + numbers[:-1]) / 2
        return distinct[np.union1d(at_quantiles, np.searchsorted(middles, wanted))], len(distinct)
    first: dict[Any, int] = {}
    counts: dict[Any, int] = {}
    for i in present.tolist():
        first.setdefault(values[i], i)
        counts[values[i]] = counts.get(values[i], 0) + 1
    frequent = sorted(counts, key=lambda value: (-counts[value], str(value)))[:most]
    return np.array([first[value] for value in sorted(frequent, key=str)], dtype=np.int64), len(first)


def replaced(who: str, X: Data, column: int, Z: Data) -> Data:
    """X with one column from Z, which has the same columns and the same number of rows."""
    if is_columns(X):
        name = list(X)[column]
        return {**X, name: Z[name]}
    if isinstance(X, Table):
        columns = (*X.columns[:column], Z.columns[column], *X.columns[column + 1 :])
        return Table(X.names, columns)
    if has_fields(X):
        changed = X.copy()
        changed[X.dtype.names[column]] = Z[X.dtype.names[column]]
        return changed
    frame, other = as_frame(X), as_frame(Z)
    if frame is not None and other is not None:
        name = frame.columns[column]
        return frame.with_columns(other[name].alias(name)).to_native()
    if isinstance(X, np.ndarray):
        changed = X.copy()
        changed[:, column] = np.asarray(Z)[:, column]
        return changed
    other = split(who, Z)[column][1]
    return [[*row[:column], value, *row[column + 1 :]] for row, value in zip(X, other, strict=True)]
