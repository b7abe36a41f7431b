"""Shapley values from hybrid rows, for kernels of linear combinations of columns, which are not products."""

from math import factorial
from typing import Any

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.exceptions import NotSeparableError
from mercer.explain.expansion import Score
from mercer.explain.terms import Samples
from mercer.kernels import Kernel, LinearMap
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.tiles import panels

__all__ = ["ALL_SUBSETS", "Hybrids", "combines_columns"]

ALL_SUBSETS = 8  # players up to which all subsets are enumerated
ORDERS = 2  # least number of pairs of a random order and its reverse for each background row
PAIRS = 200  # least number of such pairs for each explained row
SPREADS = 3.0  # standard errors that are reported


def combines_columns(kernel: Kernel, *samples: Samples) -> bool:
    """Whether a kernel has a part that combines columns of a matrix."""
    parts = kernel.parts().values()
    found = isinstance(kernel, LinearMap) or any(combines_columns(part, *samples) for part in parts)
    return found and all(some.data is some.matrix for some in samples)


class Hybrids:
    """Scores of rows that have some columns of an explained row, and the others of a background row.

    Parameters
    ----------
    score : Score
        Function to explain.
    background : Samples
        Background rows.
    columns : list of ndarray of int
        Columns of each player.
    n_jobs : int or None
        Number of threads.
    """

    def __init__(self, score: Score, background: Samples, columns: list[IndexArray], n_jobs: int | None) -> None:
        self._score, self._n_jobs = score, n_jobs
        self._others = background.matrix
        m, width = len(columns), background.matrix.shape[1]
        self._columns = np.zeros((m, width), dtype=bool)
        for player, own in enumerate(columns):
            self._columns[player, own] = True

    def run(self, rows: Samples, *, interactions: bool) -> tuple[DoubleArray, DoubleArray | None, float]:
        """Values of shape (n, m, n_outputs), Shapley interaction indices, and three standard errors.

        All subsets of up to 8 players are enumerated; the error is then 0. Otherwise values are means over random
        orders of the players, so that they add up exactly.
        """
        if len(self._columns) <= ALL_SUBSETS:
            return (*self._enumerated(rows, interactions), 0.0)
        if interactions:
            raise NotSeparableError(
                f"shapley_values: {self._score.kernel} combines the columns of {len(self._columns)} players, and "
                f"interactions are computed for at most {ALL_SUBSETS} such players; join columns to fewer players "
                "(players=), or set interactions=False."
            )
        return self._sampled(rows)

    def _at(self, row: DoubleArray, joined: Any) -> DoubleArray:
        """Scores of hybrid rows, of shape (n_others, n_subsets, n_outputs).

        `joined` marks the players of each subset, with the shape (n_subsets, m), or (n_others, n_subsets, m) if they
        differ between background rows.
        """
        step, parts = max(1, MEMORY_BUDGET // (16 * joined.shape[-2] * len(row))), []
        n_outputs = self._score.coef.shape[1]
        for some in panels(len(self._others), step):
            chosen = (joined if joined.ndim == 2 else joined[some]) @ self._columns  # columns of the explained row
            hybrid = np.where(chosen, row, self._others[some, None, :]).reshape(-1, len(row))
            parts.append(self._score(Samples(hybrid, hybrid), self._n_jobs).reshape(-1, joined.shape[-2], n_outputs))
        return np.concatenate(parts)

    def _enumerated(self, rows: Samples, interactions: bool) -> tuple[DoubleArray, DoubleArray | None]:
        m = len(self._columns)
        joined = (np.arange(2**m)[:, None] >> np.arange(m) & 1).astype(bool)
        worth = np.stack([self._at(row, joined).mean(axis=0) for row in rows.matrix])
        values = np.einsum("js,ist->ijt", _value_weights(joined), worth)
        if not interactions:
            return values, None
        return values, np.einsum("jks,ist->ijkt", _pair_weights(joined), worth)

    def _sampled(self, rows: Samples) -> tuple[DoubleArray, DoubleArray | None, float]:
        m, n_others = self._columns.shape[0], len(self._others)
        rng, count = np.random.default_rng(0), max(ORDERS, -(-PAIRS // n_others))
        orders = np.array([[rng.permutation(m) for _ in range(count)] for _ in range(n_others)])
        both = np.stack([orders, orders[:, :, ::-1]], axis=2).reshape(n_others, 2 * count, m)
        position = both.argsort(axis=2)
        joined = position[:, :, None, :] < np.arange(m + 1)[:, None]  # after 0, 1, …, m players of an order
        values, spread = [], 0.0
        for row in rows.matrix:
            worth = self._at(row, joined.reshape(n_others, -1, m))
            steps = np.diff(worth.reshape(n_others, 2 * count, m + 1, -1), axis=2)
            gains = np.take_along_axis(steps, position[:, :, :, None], axis=2)
            pairs = gains.reshape(n_others, count, 2, m, -1).mean(axis=2)
            values.append(pairs.mean(axis=(0, 1)))
            spread = max(spread, float(pairs.var(axis=1, ddof=1).mean(axis=0).max()))
        return np.stack(values), None, SPREADS * float(np.sqrt(spread / (count * n_others)))


def _value_weights(joined: Any) -> DoubleArray:
    """Weights of the worths of all subsets in the Shapley values, of shape (m, 2^m)."""
    m, size = joined.shape[1], joined.sum(axis=1)
    with_one = np.array([0.0] + [factorial(s - 1) * factorial(m - s) / factorial(m) for s in range(1, m + 1)])
    without = np.array([factorial(s) * factorial(m - s - 1) / factorial(m) for s in range(m)] + [0.0])
    return np.asarray(np.where(joined, with_one[size][:, None], -without[size][:, None]).T)


def _pair_weights(joined: Any) -> DoubleArray:
    """Weights of the worths of all subsets in the interaction indices of pairs, of shape (m, m, 2^m); 0 for j = k."""
    m = joined.shape[1]
    found = np.zeros((m, m, len(joined)))
    share = np.array([factorial(t) * factorial(m - t - 2) / factorial(m - 1) for t in range(m - 1)])
    for j in range(m):
        for k in range(m):
            if j != k:
                others = joined.sum(axis=1) - joined[:, j] - joined[:, k]
                found[j, k] = share[others] * np.where(joined[:, j] == joined[:, k], 1.0, -1.0)
    return found
