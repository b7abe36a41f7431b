"""Stacks of approximated Gram matrices, held as explicit features."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, final

import numpy as np

from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.operators import Agreement, GramOperator, LowRankOperator, OperatorStack
from mercer.operators.tiles import panels
from mercer.solvers.moments import Moments
from mercer.solvers.ridge_features import CenteredMoments

__all__ = ["FeatureStack"]

_EPS = float(np.finfo(np.float64).eps)


@final
class FeatureStack(OperatorStack):
    """Stack of operators K̂_m = F_m F_mᵀ, which are never formed.

    Parameters
    ----------
    features : sequence of ndarray of shape (n, r_m)
        Features F_m, in float32 or float64.

    Examples
    --------
    >>> stack = FeatureStack([np.array([[1.0], [2.0]]), np.array([[1.0], [0.0]])])
    >>> stack.rows(slice(0, 2), np.array([0.25, 1.0]))
    array([[0.5, 1. ],
           [1. , 0. ]])
    """

    def __init__(self, features: Sequence[FloatArray]) -> None:
        super().__init__([LowRankOperator(F) for F in features])
        self.features = tuple(features)
        self._sums: tuple[DoubleArray, DoubleArray | None, Moments] | None = None

    @property
    def ranks(self) -> IndexArray:
        """Number r_m of features of every member."""
        return np.array([F.shape[1] for F in self.features])

    def take(self, rows: Any) -> "FeatureStack":
        return FeatureStack([F[rows] for F in self.features])

    def combined(self, d: Any) -> GramOperator:
        return self.weighted(d)

    def rows(self, rows: slice | IndexArray, d: DoubleArray) -> DoubleArray:
        """Features √d_m F_m of Σ d_m K̂_m side by side for some samples, without those of weight zero."""
        chosen = [np.sqrt(w) * F[rows] for w, F in zip(d, self.features, strict=True) if w > 0]
        return np.concatenate(chosen, axis=1, dtype=np.float64)

    def moments(self, Y: DoubleArray, weight: DoubleArray | None, d: DoubleArray) -> Moments:
        """Weighted sums over the features of Σ d_m K̂_m and targets; one pass serves all weights d.

        O(n r²) for r features of all members together.
        """
        known = self._sums
        if known is None or not (_same(known[0], Y) and _same(known[1], weight)):
            every, step = np.ones(len(self)), max(1, self.memory_budget // (8 * int(self.ranks.sum())))
            parts = (
                Moments.of(self.rows(part, every), Y[part], None if weight is None else weight[part])
                for part in panels(self.n, step)
            )
            total = next(parts)
            for part in parts:
                total = total + part
            self._sums = known = Y, weight, total
        sums, root = known[2], np.sqrt(np.repeat(d, self.ranks))
        used = np.flatnonzero(root)
        root = root[used]
        outer = sums.outer if len(used) == len(sums.outer) else sums.outer[np.ix_(used, used)]
        return Moments(
            sums.n,
            root * sums.features[used],
            root[:, None] * outer * root,
            sums.targets,
            root[:, None] * sums.cross[used],
        )

    def agreement(self, U: FloatArray, weight: DoubleArray | None = None) -> Agreement:
        """Centred alignments as those of `OperatorStack`, from ⟨HK̂_kH, HK̂_lH⟩ = ‖F_kᵀHF_l‖², in O(n r²)."""
        target = np.asarray(U, dtype=np.float64)
        sums = self.moments(target, weight, np.ones(len(self)))
        centered = CenteredMoments.of(sums, np.zeros(U.shape[1]), intercept=True)
        factor = self.n / sums.n  # weights of mean 1
        starts = np.append(0, np.cumsum(self.ranks))
        squares = np.add.reduceat(np.add.reduceat(np.square(centered.outer), starts[:-1], axis=0), starts[:-1], axis=1)
        targets = np.array([np.square(centered.cross[a:b]).sum() for a, b in pairwise(starts)])
        sizes = np.array([np.trace(sums.outer[a:b, a:b]) for a, b in pairwise(starts)])  # at least the norms of K̂_m
        scaled = U if weight is None else np.sqrt(weight * factor)[:, None] * U
        return Agreement.of(factor**2 * squares, factor**2 * targets, self.n * _EPS * factor * sizes, scaled)


def _same(known: DoubleArray | None, given: DoubleArray | None) -> bool:
    if known is None or given is None:
        return known is given
    return np.array_equal(known, given)
