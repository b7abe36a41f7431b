"""Columns of raw tables: type detection (number, boolean, date, text) and missing values."""

import datetime as dt
import numbers
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, DoubleArray
from mercer._validation import describe
from mercer.data import BlockSource, Table, take
from mercer.data.frames import as_frame, as_series, has_fields, plain, split
from mercer.data.hashing.categories import TEMPORAL, is_missing

__all__ = ["Clock", "RawColumn", "RawType", "has_columns", "plain_text", "raw_columns", "row_count", "rows_of"]

RawType: TypeAlias = Literal["number", "boolean", "date", "text", "mixed", "empty"]
Clock: TypeAlias = Literal["date", "time", "duration", ""]

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
WHAT = {
    "number": "numbers",
    "boolean": "booleans",
    "date": "dates or times",
    "text": "text",
    "mixed": "values of several types",
    "empty": "missing values only",
}


@dataclass(frozen=True, eq=False)
class RawColumn:
    """One column of a raw table.

    Parameters
    ----------
    name : str
        Name of the column.
    type : {"number", "boolean", "date", "text", "mixed", "empty"}
        Type of the values.
    values : ndarray or list
        Numbers, and dates as days since 1970, are a float64 array with NaN for missing values. Other types are a list
        with None for missing values.
    clock : {"date", "time", "duration", ""}, default=""
        What the values of type "date" are; empty for other types, and for values of several kinds.
    order : tuple, default=()
        Categories in ascending order, if the column has an ordered data type.
    """

    name: str
    type: RawType
    values: Any
    clock: Clock = ""
    order: tuple[Any, ...] = ()

    @property
    def what(self) -> str:
        """Description of the values, for messages."""
        return WHAT[self.type]

    @property
    def n_missing(self) -> int:
        """Number of rows without a value."""
        if isinstance(self.values, np.ndarray):
            return int(np.isnan(self.values).sum())
        return sum(value is None for value in self.values)

    @property
    def present(self) -> Any:
        """Values that are not missing, as an array if `values` is one, else as a list."""
        if isinstance(self.values, np.ndarray):
            return self.values[~np.isnan(self.values)]
        return [value for value in self.values if value is not None]

    @property
    def is_constant(self) -> bool:
        """Whether there are no missing values and all values are equal."""
        if isinstance(self.values, np.ndarray):
            return len(self.values) > 0 and bool((self.values == self.values[0]).all())
        return None not in self.values and len(set(self.values)) == 1


def has_columns(X: Data) -> bool:
    """Whether the columns of X have names: frames, tables, dicts of columns and structured arrays."""
    return isinstance(X, Table) or _is_dict(X) or has_fields(X) or as_frame(X) is not None


def _is_dict(X: Data) -> bool:
    return isinstance(X, Mapping) and not sp.issparse(X)  # SciPy has a sparse matrix that is a dict


def row_count(who: str, X: Data) -> int:
    """Number of samples of X, which may have any supported form."""
    if isinstance(X, BlockSource):
        raise TypeError(
            f"{who}: expected samples in memory, got {X!r}; pass some of its rows, or fit another estimator, such as "
            "KernelRidge with approximation=, to the blocks."
        )
    if _is_dict(X):
        lengths = {str(name): len(values) for name, values in X.items()}
        if len(set(lengths.values())) != 1:
            raise ValueError(f"{who}: columns need equal lengths, got {lengths or 'none'}.")
        return next(iter(lengths.values()))
    shape = getattr(X, "shape", None)
    if isinstance(shape, tuple) and shape:
        if not isinstance(shape[0], numbers.Integral):
            as_frame(X)  # raises for lazy frames
        return int(shape[0])
    if shape != () and hasattr(X, "__len__"):
        return len(X)
    array = np.asarray(X)
    if array.ndim == 0:
        raise TypeError(f"{who}: expected a table, a matrix or a collection of samples, got {describe(X)}.")
    return len(array)


def rows_of(X: Data, rows: Any) -> Data:
    """Select rows of samples in any form that the automatic models accept.

    Parameters
    ----------
    X : array, sparse matrix, frame, dict of columns, list, Table, Strings, Trees or Graphs
        Samples.
    rows : array-like of int or bool
        Indices of the rows, or a boolean mask.

    Returns
    -------
    array, sparse matrix, frame, dict of columns, list, Table, Strings, Trees or Graphs
        Selected rows, of the same type as X.

    See Also
    --------
    sample_rows : Draws row indices, stratified by class.

    Examples
    --------
    >>> from mercer.auto import rows_of
    >>> rows_of({"age": [20, 30, 40], "city": ["Rome", "Oslo", "Bern"]}, [2, 0])
    {'age': [40, 20], 'city': ['Bern', 'Rome']}
    """
    if _is_dict(X):
        return {name: take(values, rows) for name, values in X.items()}
    return take(X, rows)


def raw_columns(
    who: str, X: Data, *, skip: Container[str] = (), only: Container[str] | None = None
) -> dict[str, RawColumn]:
    """Read the columns of a table by name; the columns of an array are called x0, x1 and so on.

    Columns in `skip`, and those not in `only`, are returned without values.
    """
    n = row_count(who, X)
    if isinstance(X, Table):
        X = {name: X.column(name) for name in X.names}
    found: dict[str, RawColumn] = {}
    for label, values in split(who, X):
        name = label if isinstance(label, str) else f"x{label}"
        if name in found:
            raise ValueError(f"{who}: two columns are named {name!r}; give each column a different name.")
        read = name not in skip and (only is None or name in only)
        found[name] = _read(who, name, values) if read else RawColumn(name, "empty", [None] * n)
    return found


def _read(who: str, name: str, values: Any) -> RawColumn:
    series = as_series(values)
    order = () if series is None else tuple(getattr(series.dtype, "categories", ()))  # of ordered types only
    if series is not None and (series.dtype.is_temporal() or str(series.dtype) == "Boolean"):
        values = series.to_list()  # Python objects, so that missing values are detected in the same way
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":
        return RawColumn(name, "date", _days_of(values), "date" if values.dtype.kind == "M" else "duration")
    if isinstance(values, np.ndarray) and values.dtype.kind == "b":
        return RawColumn(name, "boolean", values.tolist())
    given = values if isinstance(values, (list, tuple)) else plain(who, name, values)
    if isinstance(given, np.ndarray):
        return _numbers(name, given)
    entries = [None if is_missing(value) else _simple(value) for value in given]
    kinds = {_type(value) for value in entries if value is not None}
    if None in kinds:
        row = next(i for i, value in enumerate(entries) if value is not None and _type(value) is None)
        raise TypeError(
            f"{who}: column {name!r} holds {describe(entries[row])} in row {row}, expected numbers, texts, dates or "
            f"booleans (argument must be a string or a number); convert it, or drop the column with "
            f"kinds={{{name!r}: 'drop'}}."
        )
    match sorted(filter(None, kinds)):
        case []:
            return RawColumn(name, "empty", entries)
        case ["number"]:
            return _numbers(name, np.array([np.nan if v is None else _float(who, name, v) for v in entries]))
        case ["date"]:
            clocks = sorted({_clock(value) for value in entries if value is not None})
            days = np.array([np.nan if v is None else _days(v) for v in entries])
            return RawColumn(name, "date", days, clocks[0] if len(clocks) == 1 else "")
        case ["boolean"]:
            return RawColumn(name, "boolean", entries)
        case ["text"]:
            return RawColumn(name, "text", entries, order=order)
    return RawColumn(name, "mixed", [None if value is None else plain_text(value) for value in entries])


def plain_text(value: Any) -> str:
    """Convert a value of a mixed column to text; 1 and 1.0 give the same text."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


def _numbers(name: str, values: Any) -> RawColumn:
    numbers_ = values.astype(np.float64)
    if numbers_.size and np.isnan(numbers_).all():
        return RawColumn(name, "empty", [None] * len(numbers_))
    return RawColumn(name, "number", numbers_)


def _simple(value: Any) -> Any:
    """Convert NumPy scalars and bytes to built-in Python types."""
    if isinstance(value, np.generic) and not isinstance(value, (np.datetime64, np.timedelta64)):
        value = value.item()
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _type(value: Any) -> RawType | None:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "text"
    if isinstance(value, TEMPORAL):
        return "date"
    real = isinstance(value, numbers.Number) and not isinstance(value, complex)
    return "number" if real else None


def _clock(value: Any) -> Clock:
    if isinstance(value, (dt.timedelta, np.timedelta64)):
        return "duration"
    return "time" if isinstance(value, dt.time) else "date"


def _float(who: str, name: str, value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ValueError(
            f"{who}: column {name!r} holds {describe(value)}, which is beyond the range of float64; rescale the column."
        ) from None


def _days_of(values: Any) -> DoubleArray:
    unit = np.timedelta64(1, "us")
    since = values.astype("datetime64[us]") - np.datetime64(0, "us") if values.dtype.kind == "M" else values
    days = since / unit / 86_400e6
    return np.where(np.isnat(values), np.nan, days)


def _days(value: Any) -> float:
    """Convert a date or datetime to days since 1970 (UTC if it has no time zone), a time or duration to days."""
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return float(_days_of(np.array([value]))[0])
    if isinstance(value, dt.timedelta):
        return value / DAY
    if isinstance(value, dt.time):
        return (
            dt.timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond)
            / DAY
        )
    if isinstance(value, dt.datetime):
        return ((value if value.tzinfo else value.replace(tzinfo=dt.UTC)) - EPOCH) / DAY
    return float(value.toordinal() - EPOCH.toordinal())
