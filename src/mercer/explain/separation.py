"""Separation of kernels into sums of products over players."""

from collections.abc import Callable, Iterator
from functools import reduce
from itertools import chain, combinations
from math import comb
from typing import Any

import numpy as np
from scipy.special import softmax

from mercer._typing import DoubleArray, IndexArray
from mercer.data import select_columns
from mercer.data.frames import locate_all
from mercer.exceptions import NotSeparableError
from mercer.explain.columnwise import ADDITIVE, DISTANCES, MULTIPLICATIVE, OUTER, Cell, interaction_cell
from mercer.explain.mixtures import exponential_mixture
from mercer.explain.orders import OrderRule, order_rule
from mercer.explain.terms import MOST_TERMS, Factor, Samples, Terms
from mercer.explain.unary import exponential, normalised
from mercer.kernels import evaluate
from mercer.kernels import library as mk
from mercer.kernels.base import Kernel

__all__ = ["Separation"]

PANEL = 2**22  # numbers of the blocks of all players whose extreme values are searched


class Separation:
    """Kernels as sums of products over players, for given samples.

    Parameters
    ----------
    names : list of str
        Names of the columns.
    owner : ndarray of shape (n_columns,)
        Player of each column.
    rows : tuple of two Samples
        Rows that are explained, and background rows. They determine the range on which mixtures approximate.
    points : Samples
        Points of the kernel expansion.
    tol : float
        Largest absolute error of the values of a kernel that is approximated by a mixture of products.
    """

    def __init__(
        self, names: list[str], owner: IndexArray, rows: tuple[Samples, Samples], points: Samples, tol: float
    ) -> None:
        self._names, self._owner, self._rows, self._points, self._tol = names, owner, rows, points, tol
        self._largest: dict[Factor, float] = {}

    def terms(self, kernel: Kernel, columns: IndexArray) -> Terms:
        """Terms of a kernel on some columns."""
        rule = RULES.get(type(kernel))
        players = np.unique(self._owner[self._read(kernel, columns)])
        if len(players) == 1 and type(kernel) not in NODES:
            return self._whole(kernel, columns, int(players[0]))
        if rule is None:
            raise self._inseparable(kernel, len(players))
        found = rule(self, kernel, columns)
        return self._counted(kernel, found)

    def players(self, kernel: Kernel) -> IndexArray:
        """The players whose columns a kernel reads."""
        return np.unique(self._owner[self._read(kernel, np.arange(len(self._names)))])

    def _read(self, kernel: Kernel, columns: IndexArray) -> IndexArray:
        """The columns that a kernel depends on."""
        if isinstance(kernel, mk.Columns):
            return columns[self._located(kernel, columns)]
        parts = list(kernel.parts().values())
        if not parts or isinstance(kernel, (mk.Map, mk.LinearMap, mk.Weighted)):  # they read the whole sample
            return columns
        return np.unique(np.concatenate([self._read(part, columns) for part in parts]))

    def _located(self, kernel: mk.Columns, columns: IndexArray) -> list[int]:
        names: list[Any] = [self._names[j] for j in columns]
        return locate_all("Columns", names, kernel.columns)

    def largest(self, factor: Factor) -> float:
        """Largest absolute value of a factor on the samples."""
        if factor.distance is not None:
            return 1.0
        if factor not in self._largest:
            blocks = (block for samples in self._rows for block in self._blocks(factor, samples))
            self._largest[factor] = max(float(np.abs(block).max()) for block in blocks)
        return self._largest[factor]

    def _blocks(self, factor: Factor, samples: Samples) -> Iterator[DoubleArray]:
        """Blocks of a factor between some rows and all points."""
        assert factor.block is not None
        step = max(1, PANEL // (len(self._points) * len(self._owner)))
        for start in range(0, len(samples), step):
            yield factor.block(samples.rows(start, min(start + step, len(samples))), self._points)

    def _inseparable(self, kernel: Kernel, n_players: int) -> NotSeparableError:
        return NotSeparableError(
            f"shapley_values: got {kernel} on the columns of {n_players} players, which is not a sum or a product over "
            "columns; put the columns in one player (players=), choose a kernel such as rbf, laplacian, matern or "
            "weighted_columns, or, if the kernel has a finite feature map, use top_features."
        )

    def _counted(self, kernel: Kernel, found: Terms) -> Terms:
        """The terms, unless they are too many. No later sum or product of terms has fewer."""
        if len(found) > MOST_TERMS:
            raise self._too_many(kernel, len(found))
        return found

    def _too_many(self, kernel: Kernel, n: int) -> NotSeparableError:
        return NotSeparableError(
            f"shapley_values: {kernel} has at least {n} products of players, expected at most {MOST_TERMS}; join "
            "columns to fewer players (players=), or lower the degree of the kernel."
        )

    def _whole(self, kernel: Kernel, columns: IndexArray, player: int) -> Terms:
        """A kernel all of whose columns belong to one player: a single factor, whatever the kernel."""

        def block(x: Samples, z: Samples) -> DoubleArray:
            sides = []
            for samples in (x, z):
                chosen = select_columns(samples.data, columns.tolist(), "shapley_values")
                sides.append(kernel.prepare(chosen))
            return evaluate.block(*sides).astype(np.float64, copy=False)

        return Terms([((Factor(player, block),), 1.0)])

    def _by_player(self, cell: Cell, columns: IndexArray, join: Any) -> list[Factor]:
        """For each player, the terms of its columns joined by a sum or a product."""

        def factor(player: int) -> Factor:
            places = np.flatnonzero(self._owner[columns] == player).tolist()

            def block(x: Samples, z: Samples) -> DoubleArray:
                found = (cell(j, x.matrix[:, [columns[j]]], z.matrix[:, columns[j]]) for j in places)
                return reduce(join, found)

            return Factor(player, block)

        return [factor(player) for player in np.unique(self._owner[columns]).tolist()]

    # ---- leaves

    def _distance(self, kernel: Any, columns: IndexArray) -> Terms:
        parts = self._by_player(DISTANCES[type(kernel)](kernel, len(columns)), columns, np.add)
        if type(kernel) not in OUTER or getattr(kernel, "g", None) == 1:
            return Terms([(tuple(Factor(part.player, distance=part) for part in parts), 1.0)])
        if getattr(kernel, "g", 0.0) > 1:
            raise NotSeparableError(
                f"shapley_values: got {kernel} on the columns of {len(parts)} players, but exp(−S^g) is a mixture of "
                "products for g <= 1 only; put the columns in one player (players=), or fit a kernel with g <= 1."
            )
        low, high = self._range(parts)
        if high == 0:
            return Terms.constant(1.0)
        if not np.isfinite(high):
            raise ValueError(
                f"shapley_values: distances of the kernel {kernel} between rows and training samples overflow; rescale "
                "the features, or lower the parameters of the kernel."
            )
        mixture = exponential_mixture(lambda S: OUTER[type(kernel)](kernel, S), low, high, self._tol)
        terms = [
            (tuple(Factor(part.player, distance=part, rate=rate) for part in parts), weight)
            for rate, weight in zip(mixture.rates.tolist(), mixture.weights.tolist(), strict=True)
        ]
        return Terms(terms, mixture.error)

    def _range(self, parts: list[Factor]) -> tuple[float, float]:
        """Least positive and largest value that a sum of distances can take if rows are mixed player by player.

        A sum is at least Σ_p min(D_p(x), D_p(r)) for an explained row x and the background row r nearest to the point
        in each player. Where that is 0, it is 0 or at least the least positive distance of a player.
        """
        explained, background = self._rows
        n = len(self._points)
        least, most = np.full((len(parts), n), np.inf), np.zeros((len(parts), n))
        positive = np.full(n, np.inf)
        for p, part in enumerate(parts):
            for block in self._blocks(part, background):
                np.minimum(least[p], block.min(axis=0), out=least[p])
                np.maximum(most[p], block.max(axis=0), out=most[p])
                np.minimum(positive, _least_positive(block).min(axis=0), out=positive)
        low, high = np.inf, 0.0
        for blocks in zip(*(self._blocks(part, explained) for part in parts), strict=True):
            below = sum(np.minimum(block, bound) for block, bound in zip(blocks, least, strict=True))
            above = sum(np.maximum(block, bound) for block, bound in zip(blocks, most, strict=True))
            nearest = reduce(np.minimum, [_least_positive(block) for block in blocks], positive)
            low = min(low, float(np.where(below > 0, below, nearest).min()))
            high = max(high, float(np.max(above)))
        return low, high

    def _additive(self, kernel: Any, columns: IndexArray) -> Terms:
        parts = self._by_player(ADDITIVE[type(kernel)](kernel, len(columns)), columns, np.add)
        found = Terms([((part,), 1.0) for part in parts])
        return found + Terms.constant(kernel.coef0) if isinstance(kernel, mk.Linear) else found

    def _multiplicative(self, kernel: Any, columns: IndexArray) -> Terms:
        parts = self._by_player(MULTIPLICATIVE[type(kernel)](kernel, len(columns)), columns, np.multiply)
        return Terms([(tuple(parts), 1.0)])

    def _polynomial(self, kernel: mk.Polynomial, columns: IndexArray) -> Terms:
        gamma: Any = kernel.gamma
        inner = self._additive(kernel, columns).scaled(gamma) + Terms.constant(kernel.coef0)
        return self._raised(kernel, inner, kernel.degree)

    def _anova(self, kernel: mk.ANOVA, columns: IndexArray) -> Terms:
        if comb(len(columns), kernel.degree) > MOST_TERMS:
            raise self._too_many(kernel, comb(len(columns), kernel.degree))
        if kernel.base == "rbf":
            cell: Cell = lambda j, x, z: np.exp(-kernel.gamma * (x - z) ** 2)  # noqa: ARG005, E731
        else:
            cell = ADDITIVE[mk.Linear](kernel, len(columns))
        single = [self._one_column(cell, columns, j) for j in range(len(columns))]
        return Terms([(chosen, 1.0) for chosen in combinations(single, kernel.degree)])

    def _interactions(self, kernel: mk.Interactions, columns: IndexArray) -> Terms:
        """Products of players at a few nodes if their error is small, else a product for each set of columns."""
        active = sorted(chain(*kernel._active(len(columns))))
        weights = kernel._column_weights(len(columns))[active]
        orders = kernel._order_shares().tolist()
        if not active:
            return Terms.constant(orders[0])
        rule = order_rule(tuple((weights / weights.sum()).tolist()), tuple(orders))
        n_terms = sum(comb(len(active), q) for q, a in enumerate(orders) if a > 0)
        cell = interaction_cell(kernel, len(columns))
        if rule.error <= self._tol or n_terms > MOST_TERMS:
            return self._at_nodes(rule, cell, columns[active], weights / weights.sum(), active)
        single = [self._one_column(cell, columns, j) for j in active]
        found = Terms.constant(orders[0])
        for q, a in enumerate(orders[1 : len(active) + 1], 1):
            sets = list(combinations(range(len(active)), q))
            parts = a * softmax(np.log(weights)[np.array(sets)].sum(axis=1))
            found += Terms(
                [(tuple(single[j] for j in chosen), c) for chosen, c in zip(sets, parts, strict=True) if c > 0]
            )
        return found

    def _at_nodes(
        self, rule: OrderRule, cell: Cell, columns: IndexArray, weights: DoubleArray, places: list[int]
    ) -> Terms:
        """Σ_m w_m Π_j (1 + t_m v_j b_j), whose factors are joined by player."""
        owner = self._owner[columns]

        def factor(player: int, node: float) -> Factor:
            own = np.flatnonzero(owner == player).tolist()

            def block(x: Samples, z: Samples) -> DoubleArray:
                terms = (cell(places[j], x.matrix[:, [columns[j]]], z.matrix[:, columns[j]]) for j in own)
                return reduce(np.multiply, [1 + node * weights[j] * term for j, term in zip(own, terms, strict=True)])

            return Factor(player, block)

        players = np.unique(owner).tolist()
        rows = zip(rule.nodes.tolist(), rule.weights.tolist(), strict=True)
        return Terms([(tuple(factor(player, node) for player in players), w) for node, w in rows], rule.error)

    def _one_column(self, cell: Cell, columns: IndexArray, j: int) -> Factor:
        """Term of one column, a factor of its player."""

        def block(x: Samples, z: Samples) -> DoubleArray:
            return cell(j, x.matrix[:, [columns[j]]], z.matrix[:, columns[j]])

        return Factor(int(self._owner[columns[j]]), block)

    # ---- nodes

    def _sum(self, kernel: mk.Sum, columns: IndexArray) -> Terms:
        return reduce(Terms.__add__, [self.terms(term, columns) for term in kernel.terms])

    def _product(self, kernel: mk.Product, columns: IndexArray) -> Terms:
        return reduce(
            lambda a, b: self._multiplied(kernel, a, b), [self.terms(factor, columns) for factor in kernel.factors]
        )

    def _multiplied(self, kernel: Kernel, left: Terms, right: Terms) -> Terms:
        if len(left) * len(right) > MOST_TERMS**2 // 100:  # before they are merged
            raise self._too_many(kernel, len(left) * len(right))
        return self._counted(kernel, left.times(right, self.largest))

    def _raised(self, kernel: Kernel, inner: Terms, exponent: int) -> Terms:
        # The number of products is known before they are made: exactly if no two of them can be equal, and in any
        # case every factor adds a product for each term but one.
        single = all(len(factors) <= 1 for factors in inner.terms)
        n = comb(exponent + len(inner) - 1, exponent) if single else exponent * (len(inner) - 1) + 1
        if n > MOST_TERMS:
            raise self._too_many(kernel, n)
        return reduce(lambda a, b: self._multiplied(kernel, a, b), [inner] * exponent)

    def _scaled(self, kernel: mk.Scaled, columns: IndexArray) -> Terms:
        return self.terms(kernel.kernel, columns).scaled(kernel.scale)

    def _power(self, kernel: mk.PowerOf, columns: IndexArray) -> Terms:
        return self._raised(kernel, self.terms(kernel.kernel, columns), kernel.exponent)

    def _polynomial_of(self, kernel: mk.PolynomialOf, columns: IndexArray) -> Terms:
        inner, found = self.terms(kernel.kernel, columns), Terms.constant(0.0)
        for c in reversed(kernel.coefficients):  # Horner's scheme
            found = self._multiplied(kernel, found, inner) + Terms.constant(c)
        return found

    def _columns(self, kernel: mk.Columns, columns: IndexArray) -> Terms:
        return self.terms(kernel.kernel, columns[self._located(kernel, columns)])

    def _exponential(self, kernel: mk.ExpOf, columns: IndexArray) -> Terms:
        return self._again(kernel, exponential, columns)

    def _normalised(self, kernel: mk.Normalized, columns: IndexArray) -> Terms:
        return self._again(kernel, normalised, columns)

    def _again(self, kernel: Any, rule: Callable[[Terms], Terms | None], columns: IndexArray) -> Terms:
        """A function of a kernel that leaves products over players products."""
        found = rule(self.terms(kernel.kernel, columns))
        if found is None:
            raise self._inseparable(kernel, len(np.unique(self._owner[columns])))
        return found

    def _constant(self, kernel: mk.Constant, columns: IndexArray) -> Terms:  # noqa: ARG002
        return Terms.constant(kernel.value)


def _least_positive(block: DoubleArray) -> DoubleArray:
    """The block with infinity in place of zeros."""
    return np.where(block > 0, block, np.inf)


NODES: dict[type[Kernel], Callable[[Separation, Any, IndexArray], Terms]] = {
    mk.Sum: Separation._sum,
    mk.Product: Separation._product,
    mk.Scaled: Separation._scaled,
    mk.PowerOf: Separation._power,
    mk.PolynomialOf: Separation._polynomial_of,
    mk.Columns: Separation._columns,
    mk.Constant: Separation._constant,
}
RULES: dict[type[Kernel], Callable[[Separation, Any, IndexArray], Terms]] = {
    **NODES,
    **dict.fromkeys(DISTANCES, Separation._distance),
    **dict.fromkeys(ADDITIVE, Separation._additive),
    **dict.fromkeys(MULTIPLICATIVE, Separation._multiplicative),
    mk.Polynomial: Separation._polynomial,
    mk.ANOVA: Separation._anova,
    mk.Interactions: Separation._interactions,
    mk.ExpOf: Separation._exponential,
    mk.Normalized: Separation._normalised,
}
