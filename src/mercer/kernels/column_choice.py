"""Selections of columns for the kernel `Columns`: names, indices and slices of indices."""

from collections.abc import Iterable
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any, TypeAlias

import numpy as np

from mercer._validation import check_integer, describe

__all__ = ["Choice", "Span", "as_choice", "choice_text", "reaches_all"]


@dataclass(frozen=True)
class Span:
    """Slice of column indices that hashes and compares, as Python's slices do from 3.12 on. It prints as a slice."""

    start: int | None
    stop: int | None
    step: int | None

    def indices(self, width: int) -> tuple[int, int, int]:
        """Start, stop and step for data with `width` columns, as `slice.indices`."""
        return slice(self.start, self.stop, self.step).indices(width)

    def __repr__(self) -> str:
        return f"slice({self.start}, {self.stop}, {self.step})"

    def __str__(self) -> str:
        start, stop = ("" if end is None else str(end) for end in (self.start, self.stop))
        return f"{start}:{stop}" if self.step is None else f"{start}:{stop}:{self.step}"


Choice: TypeAlias = tuple[int | str | Span, ...]


def as_choice(who: str, given: Any) -> Choice:
    """Convert a name, an index, a slice or a sequence of them to a hashable tuple.

    >>> as_choice("Columns", [0, slice(2, 5), "age"])
    (0, slice(2, 5, None), 'age')
    """
    if isinstance(given, (str, int, np.integer, slice, Span)):
        given = (given,)
    if not isinstance(given, Iterable):
        raise TypeError(f"{who}: columns must be indices, names or slices of indices, got {describe(given)}.")
    chosen = tuple(_one(who, column) for column in given)
    if not chosen:
        raise ValueError(f"{who}: needs at least one column, got none.")
    return chosen


def _one(who: str, column: Any) -> int | str | Span:
    """Check one entry of the selection."""
    if isinstance(column, str):
        return str(column)
    if not isinstance(column, (slice, Span)):
        return check_integer(who, "columns", column, low=-(2**31))
    ends = {"start": column.start, "stop": column.stop, "step": column.step}
    if any(isinstance(end, str) for end in ends.values()):
        raise TypeError(
            f"{who}: a slice of columns must consist of integers, got {column!r}; list named columns one by one."
        )
    if column.step == 0:
        raise ValueError(f"{who}: the step of a slice of columns must not be 0, got {column!r}.")
    checked = [
        None if end is None else check_integer(who, f"columns, {name} of a slice", end, low=-(2**31))
        for name, end in ends.items()
    ]
    return Span(*checked)


def choice_text(columns: Choice) -> str:
    """Text form of the columns.

    >>> choice_text(as_choice("Columns", [0, slice(2, None), "age", "two words"]))
    "0, 2:, age, 'two words'"
    """
    plain = (not isinstance(c, str) or (c.isidentifier() and not iskeyword(c)) for c in columns)
    return ", ".join(str(c) if is_plain else repr(c) for c, is_plain in zip(columns, plain, strict=True))


def reaches_all(columns: Choice) -> bool:
    """Whether the columns are certainly distinct, so that their values can be any vector.

    A negative index and a nonnegative one may select the same column, and so may a slice and any other entry.
    """
    if len(columns) == 1:
        return True
    kinds = {type(c) if not isinstance(c, int) else c >= 0 for c in columns}
    return len(kinds) == 1 and Span not in kinds and len(set(columns)) == len(columns)
