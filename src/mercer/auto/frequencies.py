"""Categories with many levels: new levels are counted, and frequencies of levels are numbers."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from mercer._typing import DoubleArray, IndexArray

__all__ = ["MANY", "MISSING", "NEW", "OTHER", "Counts", "frequencies", "is_sparse", "known_levels", "level_counts"]

MISSING, OTHER = "(missing)", "(other)"  # categories of missing values and of new levels
NEW = "with categories that were not seen in fit"  # part of the warning on new levels
MANY = 20  # largest number of levels of columns in which new levels are not counted
HIGH, FEW_ROWS = 50, 20  # columns with more levels than HIGH, of less than FEW_ROWS rows on average, get frequencies

Counts: TypeAlias = tuple[list[Any], IndexArray]


def level_counts(values: Sequence[Any]) -> Counts | None:
    """Levels, the most frequent first, and their numbers of rows; None if there are few levels.

    >>> level_counts(["a", "b", "a"]) is None
    True
    >>> levels, counts = level_counts([*range(30), 1, 2, 1])
    >>> levels[:3], counts[:3].tolist()
    ([1, 2, 0], [3, 2, 1])
    """
    counts = Counter(values).most_common()
    if len(counts) <= MANY:
        return None
    return [level for level, _ in counts], np.array([n for _, n in counts], dtype=np.int64)


def is_sparse(counts: Counts) -> bool:
    """Whether there are many levels, with few rows each, but not one each."""
    levels, rows = counts
    return len(levels) > HIGH and len(levels) < rows.sum() < FEW_ROWS * len(levels)


def known_levels(values: Sequence[Any], counts: Counts) -> tuple[list[Any], int]:
    """Values, with `OTHER` in the place of new levels, and the number of these.

    Rare levels are not merged: the one row of a level is what is known about new rows with that level.

    >>> known_levels(["a", "b", "c"], (["a", "b"], np.array([3, 1])))
    (['a', 'b', '(other)'], 1)
    """
    known = {*counts[0], MISSING}
    found = [value if value in known else OTHER for value in values]
    return found, sum(value not in known for value in values)


def frequencies(values: Sequence[Any], counts: Counts) -> DoubleArray:
    """Logarithm of the number of training rows with the same level.

    New levels have 0 like levels with one row, because the number of a training row includes the row itself.
    """
    found = dict(zip(counts[0], np.log(counts[1]).tolist(), strict=True))
    return np.array([found.get(value, 0.0) for value in values])
