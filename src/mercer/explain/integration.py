"""Shapley values of separated kernels, computed in tiles within a memory budget."""

from collections.abc import Iterator

import numpy as np

from mercer._typing import DoubleArray
from mercer.explain.terms import Factor, Samples, Terms
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.tiles import panels
from mercer.solvers.shapley import add_products

__all__ = ["Integrals", "Tile"]

BLOCK = 64  # least number of points of a tile


class Tile:
    """Some rows against some points, with the blocks of the factors that several terms need."""

    def __init__(self, rows: Samples, points: Samples) -> None:
        self._rows, self._points = rows, points
        self._made: dict[Factor, DoubleArray] = {}

    def _block(self, factor: Factor) -> DoubleArray:
        if factor not in self._made:
            assert factor.block is not None
            self._made[factor] = factor.block(self._rows, self._points)
        return self._made[factor]

    def product(self, factors: list[Factor], out: DoubleArray | None = None) -> DoubleArray:
        """Product of factors of one player, of shape (n_rows, n_points); 1 if there are none."""
        if out is None:
            out = np.ones((len(self._rows), len(self._points)))
        for i, factor in enumerate(factors):
            if factor.distance is not None:
                values = np.exp(-factor.rate * self._block(factor.distance))
            else:
                values = self._block(factor)
            np.multiply(out if i else 1.0, values, out=out)
        return out

    def stack(self, groups: list[list[Factor]]) -> DoubleArray:
        """Products of the factors of each player, of shape (n_rows, n_players, n_points)."""
        out = np.empty((len(self._rows), len(groups), len(self._points)))
        for j, factors in enumerate(groups):
            self.product(factors, out[:, j])
        return out


class Integrals:
    """Sums of Shapley values, and of interactions if they are wanted, over the terms of a kernel.

    Parameters
    ----------
    terms : Terms
        Kernel as a sum of products.
    coef : ndarray of shape (n_points, n_outputs)
        Coefficients of the points.
    n_players : int
        Number of players.
    interactions : bool
        Whether interactions are computed.
    tol : float
        Tolerance of the integrals of terms of a mixture, which are approximations anyway. Other terms are exact.
    n_jobs : int or None
        Number of threads.
    """

    def __init__(
        self, terms: Terms, coef: DoubleArray, n_players: int, *, interactions: bool, tol: float, n_jobs: int | None
    ) -> None:
        self._coef, self._n_players, self._n_jobs = coef, n_players, n_jobs
        self._interactions = interactions
        self._terms: list[tuple[float, list[int], list[list[Factor]], float]] = []
        self.error = 0.0  # of the integrals, for coefficients whose absolute values have the sum 1
        for factors, coefficient in terms.terms.items():
            players = sorted({factor.player for factor in factors})
            if players and coefficient:
                groups = [[factor for factor in factors if factor.player == player] for player in players]
                loose = terms.error > 0 and all(factor.distance is not None for factor in factors)
                self._terms.append((coefficient, players, groups, tol if loose else 0.0))
                self.error += abs(coefficient) * tol if loose else 0.0

    def run(self, explained: Samples, background: Samples, points: Samples) -> tuple[DoubleArray, DoubleArray | None]:
        """Values of shape (n, n_players, n_outputs) and interactions of shape (n, n_players, n_players, n_outputs)."""
        shape = (len(explained), self._n_players, self._coef.shape[1])
        values = np.zeros(shape)
        pairs = np.zeros((shape[0], self._n_players, *shape[1:])) if self._interactions else None
        for chosen, others, some in self._tiles(len(explained), len(background), len(points)):
            z = points.rows(some.start, some.stop)
            left = Tile(explained.rows(chosen.start, chosen.stop), z)
            right = Tile(background.rows(others.start, others.stop), z)
            coef = self._coef[some] / len(background)
            for coefficient, players, groups, tol in self._terms:
                a, b = left.stack(groups), right.stack(groups)
                self._add(coefficient * coef, players, a, b, tol, chosen, values, pairs)
        return values, pairs

    def _add(
        self,
        coef: DoubleArray,
        players: list[int],
        a: DoubleArray,
        b: DoubleArray,
        tol: float,
        chosen: slice,
        values: DoubleArray,
        pairs: DoubleArray | None,
    ) -> None:
        """Add one term for one tile. Players without a factor are dummies: they change nothing."""
        if len(players) == 1:
            first = b[0]  # differences from one row, so that equal rows give exactly 0
            change = len(b) * (a - first) - (b - first).sum(axis=0)
            values[chosen, players[0]] += change[:, 0] @ coef
            return
        coef = np.ascontiguousarray(coef)
        found = np.zeros((len(a), len(players), coef.shape[1]))
        add_products(a, b, coef, found, tol=tol, n_jobs=self._n_jobs)
        values[chosen, players] += found
        if pairs is not None:
            first, second = np.triu_indices(len(players), 1)
            between = np.zeros((len(a), len(first), coef.shape[1]))
            add_products(a, b, coef, between, pairs=True, tol=tol, n_jobs=self._n_jobs)
            where = np.asarray(players)
            pairs[chosen, where[first], where[second]] += between
            pairs[chosen, where[second], where[first]] += between

    def _tiles(self, n: int, m: int, n_points: int) -> Iterator[tuple[slice, slice, slice]]:
        """Tiles of rows, background rows and points whose factors fit in the budget, twice: distances and factors."""
        numbers = MEMORY_BUDGET // (2 * 8 * max(self._n_players, 1))
        height = max(1, numbers // (2 * BLOCK))
        rows, others = min(n, height), min(m, height)
        width = max(BLOCK, numbers // (rows + others))
        for chosen in panels(n, rows):
            for background in panels(m, others):
                for some in panels(n_points, width):
                    yield chosen, background, some
