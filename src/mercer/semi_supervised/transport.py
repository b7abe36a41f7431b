"""Assignment of classes to samples at least cost, with a given number of samples of every class."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from mercer._typing import DoubleArray, IndexArray

__all__ = ["assign", "class_counts"]


def class_counts(fractions: Sequence[float] | DoubleArray, n: int) -> IndexArray:
    """Return the number of samples of each class, ⌊n·fraction⌋ plus one for the largest remainders.

    >>> class_counts([0.5, 0.3, 0.2], 7).tolist()
    [4, 2, 1]
    """
    exact = n * np.asarray(fractions, dtype=np.float64)
    counts = np.floor(exact + 1e-9).astype(np.int64)
    order = np.argsort(counts - exact, kind="stable")
    counts[order[: n - counts.sum()]] += 1
    return counts


def assign(cost: DoubleArray, counts: IndexArray) -> IndexArray:
    """Assign classes to samples at the least total cost, with a given number of samples of each class.

    Parameters
    ----------
    cost : ndarray of shape (n, n_classes)
        Cost of each class for each sample.
    counts : ndarray of int of shape (n_classes,)
        Number of samples of each class; the sum is n.

    Returns
    -------
    ndarray of int of shape (n,)
        Class of each sample.

    Notes
    -----
    This is a transportation problem. For two classes, the samples with the largest difference of costs are assigned to
    the second class. For more classes, every sample is assigned to its cheapest class. Then samples are moved one by
    one along the cheapest chain of classes from a class with too many samples to a class with too few, which keeps the
    assignment optimal for its counts. Cost: O(n K + moves · (K³ + n)) for K classes.

    Examples
    --------
    >>> assign(np.array([[0.0, 1.0], [0.0, 5.0], [0.0, 3.0]]), np.array([1, 2])).tolist()
    [1, 0, 1]
    """
    if cost.shape[1] == 2:
        label = np.zeros(len(cost), dtype=np.int64)
        label[np.argsort(cost[:, 1] - cost[:, 0], kind="stable")[: counts[1]]] = 1
        return label
    return _by_chains(cost, counts)


def _by_chains(cost: DoubleArray, counts: IndexArray) -> IndexArray:
    n_classes = cost.shape[1]
    label = np.asarray(cost.argmin(axis=1), dtype=np.int64)
    excess = np.bincount(label, minlength=n_classes) - counts
    price = np.full((n_classes, n_classes), np.inf)  # cost of moving the cheapest sample of one class to another
    mover = np.zeros((n_classes, n_classes), dtype=np.int64)

    def update(k: int) -> None:
        members = np.flatnonzero(label == k)
        price[k] = np.inf
        if len(members):
            rises = cost[members] - cost[members, k][:, None]
            best = rises.argmin(axis=0)
            price[k], mover[k] = rises[best, np.arange(n_classes)], members[best]
        price[k, k] = np.inf

    for k in range(n_classes):
        update(k)
    while excess.any():
        chain = _cheapest_chain(price, excess)
        moved = [(mover[a, b], b) for a, b in pairwise(chain)]
        for sample, b in moved:
            label[sample] = b
        excess[chain[0]] -= 1
        excess[chain[-1]] += 1
        for k in chain:
            update(k)
    return label


def _cheapest_chain(price: DoubleArray, excess: IndexArray) -> list[int]:
    """Return the cheapest chain from a class with too many samples to one with too few (Bellman–Ford algorithm)."""
    n = len(price)
    reach = np.where(excess > 0, 0.0, np.inf)
    before = np.full(n, -1)
    for _ in range(n - 1):
        through = reach[:, None] + price
        source = through.argmin(axis=0)
        value = through[source, np.arange(n)]
        better = value < reach - 1e-12 * (1 + np.abs(value))  # rounding must not turn a chain into a cycle
        if not better.any():
            break
        reach[better], before[better] = value[better], source[better]
    end = int(np.argmin(np.where(excess < 0, reach, np.inf)))
    chain = [end]
    while before[chain[-1]] >= 0:
        chain.append(int(before[chain[-1]]))
    return chain[::-1]
