"""Sets of allowed labellings: the best labelling for given costs, and neighbours of a labelling."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Protocol

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.semi_supervised.transport import assign

__all__ = ["CLOSEST", "AnyLabels", "FixedCounts", "Labelings"]

CLOSEST = 5  # number of neighbouring labellings that are tried


class Labelings(Protocol):
    """Set of labellings."""

    def best(self, cost: DoubleArray) -> IndexArray:
        """Return the labelling of least cost, given the cost of each class (columns) for each sample (rows)."""

    def near(self, cost: DoubleArray, label: IndexArray) -> Iterator[IndexArray]:
        """Yield the labellings that differ least from `label`, cheapest first."""


@dataclass(frozen=True, eq=False)
class FixedCounts:
    """Labellings with a given number of samples of each class.

    Examples
    --------
    >>> cost = np.array([[0.0, 1.0], [0.0, 5.0], [0.0, 3.0]])
    >>> allowed = FixedCounts(np.array([2, 1]))
    >>> allowed.best(cost).tolist()
    [1, 0, 0]
    >>> [label.tolist() for label in allowed.near(cost, np.array([1, 0, 0]))]
    [[0, 0, 1], [0, 1, 0]]
    """

    counts: IndexArray

    def best(self, cost: DoubleArray) -> IndexArray:
        """Return the labelling of least cost, by solving a transportation problem."""
        return assign(cost, self.counts)

    def near(self, cost: DoubleArray, label: IndexArray) -> Iterator[IndexArray]:
        """Yield labellings in which two samples of different classes exchange their labels."""
        own = cost[np.arange(len(cost)), label]
        pairs: list[tuple[float, int, int]] = []
        for a, b in combinations(range(cost.shape[1]), 2):
            rises = [(cost[:, new] - own)[label == old] for old, new in ((a, b), (b, a))]
            members = [np.flatnonzero(label == old) for old in (a, b)]
            first, second = (np.argsort(rise, kind="stable")[:CLOSEST] for rise in rises)
            pairs += [
                (float(rises[0][i] + rises[1][j]), int(members[0][i]), int(members[1][j]))
                for i, j in product(first, second)
            ]
        for _, i, j in sorted(pairs)[:CLOSEST]:
            changed = label.copy()
            changed[[i, j]] = label[[j, i]]
            yield changed


class AnyLabels:
    """Set of all labellings.

    Examples
    --------
    >>> cost = np.array([[0.0, 1.0], [0.0, 5.0], [4.0, 3.0]])
    >>> AnyLabels().best(cost).tolist()
    [0, 0, 1]
    >>> next(AnyLabels().near(cost, np.array([0, 0, 1]))).tolist()
    [1, 0, 1]
    """

    def best(self, cost: DoubleArray) -> IndexArray:
        """Return the cheapest class of every sample."""
        return np.asarray(cost.argmin(axis=1), dtype=np.int64)

    def near(self, cost: DoubleArray, label: IndexArray) -> Iterator[IndexArray]:
        """Yield labellings in which one sample changes its label."""
        rise = cost - cost[np.arange(len(cost)), label][:, None]
        rise[np.arange(len(cost)), label] = np.inf
        for place in np.argsort(rise, axis=None, kind="stable")[: min(CLOSEST, rise.size - len(label))]:
            sample, new = np.unravel_index(place, rise.shape)
            changed = label.copy()
            changed[sample] = new
            yield changed
