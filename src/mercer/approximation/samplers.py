"""Random selection of landmarks, in blocks that can be continued."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any, Self, final

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.approximation.partial_cholesky import PartialCholesky, as_double, rounding, thinned
from mercer.operators import GramOperator

__all__ = ["SAMPLERS", "CholeskySampler", "DistanceSampler", "Sampler", "UniformSampler", "require_sum"]

_SMALLEST, _LARGEST = 16, 256  # candidates of a block
_START = 256  # columns of a factor whose number of columns is not known


class Sampler(ABC):
    """State of a selection: the landmarks so far, and what is needed to continue."""

    cholesky: PartialCholesky | None = None  # partial factor of K with the landmarks as pivots, if it is known

    def __init__(self, rng: np.random.Generator) -> None:
        self.indices: list[int] = []
        self._rng = rng

    @abstractmethod
    def extend(self, K: GramOperator, count: int, tol: float) -> None:
        """Select landmarks until there are `count` of them or no other sample has a positive weight."""

    def copied(self) -> Self:
        """Independent sampler that continues in the same way. Arrays are shared, since they are never changed."""
        other = copy(self)
        other.indices, other._rng = list(self.indices), deepcopy(self._rng)
        return other


@final
class UniformSampler(Sampler):
    """Draws without replacement: the first entries of a random permutation."""

    def __init__(self, K: GramOperator, rng: np.random.Generator) -> None:
        super().__init__(rng)
        self._order = rng.permutation(K.shape[0])

    def extend(self, K: GramOperator, count: int, tol: float) -> None:  # noqa: ARG002
        self.indices = self._order[:count].tolist()


class BlockSampler(Sampler):
    """Draws in proportion to weights that depend on the landmarks so far, with the law of one draw at a time.

    Candidates are drawn in blocks and thinned. The size of a block does not depend on the number of landmarks, and
    accepted candidates that are not needed yet are kept. A continued selection therefore equals one in a single call.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__(rng)
        self._pending: IndexArray = np.empty(0, dtype=np.int64)
        self._block = _SMALLEST

    @property
    @abstractmethod
    def weight(self) -> DoubleArray:
        """Weights of all samples; 0 excludes a sample."""

    @abstractmethod
    def _accepted(self, K: GramOperator, candidates: IndexArray, draws: DoubleArray) -> IndexArray:
        """Candidates that are left after thinning."""

    @abstractmethod
    def _append(self, K: GramOperator, chosen: IndexArray, tol: float) -> int:
        """Add landmarks in order and update the weights; return how many were added."""

    def _finished(self, tol: float) -> bool:  # noqa: ARG002
        return not self.weight.any()

    def extend(self, K: GramOperator, count: int, tol: float) -> None:
        while len(self.indices) < count and not self._finished(tol):
            if not len(self._pending):
                self._pending = self._drawn(K)
            chosen = self._pending[: count - len(self.indices)]
            added = self._append(K, chosen, tol)
            self.indices += chosen[:added].tolist()
            rest = self._pending[added:]
            self._pending = rest[self.weight[rest] > 0]

    def _drawn(self, K: GramOperator) -> IndexArray:
        with np.errstate(over="ignore"):
            upper = np.cumsum(self.weight)
        require_sum(K.who, len(upper), float(upper[-1]))
        candidates = np.searchsorted(upper, upper[-1] * self._rng.random(self._block), side="right")
        accepted = self._accepted(K, candidates, self._rng.random(self._block))
        if 2 * len(accepted) > self._block:
            self._block = min(2 * self._block, _LARGEST)
        elif 4 * len(accepted) < self._block:
            self._block = max(self._block // 2, _SMALLEST)
        return accepted


@final
class CholeskySampler(BlockSampler):
    """Randomly pivoted Cholesky: the weights are the diagonal of K − K̂, the residual of the landmarks so far."""

    def __init__(self, K: GramOperator, rng: np.random.Generator, dtype: Any = np.float64) -> None:
        super().__init__(rng)
        self.cholesky: PartialCholesky = PartialCholesky(K, dtype)

    @property
    def weight(self) -> DoubleArray:
        return self.cholesky.residual

    def extend(self, K: GramOperator, count: int, tol: float) -> None:
        self._most = count
        # Strides of a wide factor would touch many pages for the few columns that a selection by `tol` may need.
        self.cholesky.reserve(K, count if tol == 0 else min(count, _START))
        super().extend(K, count, tol)

    def copied(self) -> Self:
        other = super().copied()
        other.cholesky = self.cholesky.copied()
        return other

    def _accepted(self, K: GramOperator, candidates: IndexArray, draws: DoubleArray) -> IndexArray:
        return self.cholesky.accepted(K, candidates, draws)

    def _append(self, K: GramOperator, chosen: IndexArray, tol: float) -> int:
        self.cholesky.reserve_for(K, len(chosen), self._most)
        return self.cholesky.append(K, chosen, target=tol * self.cholesky.curve[0])

    def _finished(self, tol: float) -> bool:
        curve = self.cholesky.curve
        return super()._finished(tol) or curve[-1] <= tol * curve[0]


@final
class DistanceSampler(BlockSampler):
    """k-means++ in feature space: the weights are squared distances to the nearest landmark so far."""

    def __init__(self, K: GramOperator, rng: np.random.Generator) -> None:
        super().__init__(rng)
        self._diag = as_double(K.diag())
        self._floor = np.full(len(self._diag), 4 * rounding(K.dtype) * self._diag.max())
        self._weight = np.full(len(self._diag), np.inf)
        self._pending = rng.integers(len(self._diag), size=1)

    @property
    def weight(self) -> DoubleArray:
        return self._weight

    def _squares(self, K: GramOperator, rows: IndexArray | slice, cols: IndexArray) -> DoubleArray:
        return self._diag[rows, None] + self._diag[cols] - 2 * as_double(K.block(rows, cols))

    def _accepted(self, K: GramOperator, candidates: IndexArray, draws: DoubleArray) -> IndexArray:
        squares = self._squares(K, candidates, candidates)

        def reduce(i: int, current: DoubleArray) -> None:
            np.minimum(current, squares[:, i], out=current)
            current[i] = 0.0

        return candidates[thinned(self._weight[candidates], self._floor[candidates], draws, reduce)]

    def _append(self, K: GramOperator, chosen: IndexArray, tol: float) -> int:  # noqa: ARG002
        weight = np.minimum(self._weight, self._squares(K, slice(None), chosen).min(axis=1))
        weight[weight <= self._floor] = 0.0
        weight[chosen] = 0.0
        self._weight = weight
        return len(chosen)


SAMPLERS: dict[str, Callable[[GramOperator, np.random.Generator], Sampler]] = {
    "rpcholesky": CholeskySampler,
    "uniform": UniformSampler,
    "kmeans++": DistanceSampler,
}


def require_sum(who: str, n: int, total: float) -> None:
    """Raise ValueError if the sum of the weights in proportion to which landmarks are drawn overflows."""
    if not np.isfinite(total):
        raise ValueError(
            f"{who}: the sum of squared norms of {n} samples in feature space is {total}; rescale the features, or "
            "lower the parameters of the kernel."
        )
