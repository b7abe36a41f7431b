"""Partial Cholesky factors of Gram matrices, extended by blocks of pivots."""

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from mercer._runtime.factors import solve_triangle, try_cholesky
from mercer._runtime.limits import require_memory
from mercer._runtime.products import product
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.exceptions import NotPositiveDefiniteError
from mercer.operators import GramOperator

__all__ = ["PartialCholesky", "as_double", "rounding", "thinned"]

_ROUNDING = 128  # times eps k(x, x): residuals up to it count as rounding errors
_LEAST_SINGLE, _LARGEST_SINGLE = 1e-30, 1e37  # k(x, x) whose factors neither vanish nor overflow in single precision
_INDEFINITE = 1e-4, 1e5  # times max k(x, x), or times eps max k(x, x): smaller negative residuals are rounding errors


def rounding(dtype: np.dtype[Any]) -> float:
    """Relative size of residuals that kernel values of this type cannot distinguish from 0."""
    return _ROUNDING * float(np.finfo(dtype).eps)


def as_double(values: FloatArray) -> DoubleArray:
    """Kernel values in float64."""
    return np.asarray(values, dtype=np.float64)


def thinned(
    initial: DoubleArray, floor: DoubleArray, draws: DoubleArray, reduce: Callable[[int, DoubleArray], None]
) -> list[int]:
    """Candidates that are accepted one after the other, with the probability current weight / initial weight.

    Candidates that are drawn in proportion to initial weights are thereby thinned to samples from the current ones.

    Parameters
    ----------
    initial : ndarray of shape (b,)
        Weights by which the candidates were drawn.
    floor : ndarray of shape (b,)
        Candidates whose current weight is not above it are rejected.
    draws : ndarray of shape (b,)
        Uniform random numbers in [0, 1).
    reduce : callable
        Called with the position of each accepted candidate and the current weights, which it lowers in place.

    Returns
    -------
    list of int
        Positions of the accepted candidates.
    """
    current, accepted = initial.copy(), []
    for i in range(len(initial)):
        if current[i] > floor[i] and draws[i] * initial[i] < current[i]:
            accepted.append(i)
            reduce(i, current)
    return accepted


class PartialCholesky:
    """K ≈ FFᵀ with one column of F for each pivot; the rows of F of the pivots are a lower triangular matrix.

    Parameters
    ----------
    K : GramOperator of shape (n, n)
        Symmetric and positive semidefinite. It is passed to the methods and not kept.
    dtype : dtype, default=float64
        Type of F. Single precision takes half the time and memory, but cannot resolve residuals below 10⁻⁵ k(x, x).
        Pivots and residuals are in float64 in any case.

    Attributes
    ----------
    F : ndarray of shape (n, capacity)
        Factor; the first `size` columns are used.
    residual : ndarray of shape (n,)
        Diagonal of K − FFᵀ; 0 for pivots and where it cannot be distinguished from 0.
    pivots : list of int
        Pivots in their order.
    curve : list of float
        Trace of the residual after 0, 1, … pivots.
    """

    def __init__(self, K: GramOperator, dtype: Any = np.float64) -> None:
        diag = as_double(K.diag())
        dtype = np.dtype(dtype)
        if not _LEAST_SINGLE <= diag.max(initial=0.0) <= _LARGEST_SINGLE:
            dtype = np.dtype(np.float64)
        coarser = min(K.dtype, dtype, key=lambda kind: kind.itemsize)
        if diag.min() < -rounding(K.dtype) * diag.max():  # centred values of a sample at the mean are rounding errors
            raise _not_psd(K, f"k(x, x) = {diag.min():.3g} for sample {int(diag.argmin())}")
        diag = np.maximum(diag, 0.0)
        self._floor = rounding(coarser) * diag
        least, units = _INDEFINITE
        self._negative = -max(least, units * float(np.finfo(coarser).eps)) * float(diag.max())
        self.F: FloatArray = np.empty((len(diag), 0), dtype=dtype)
        self.residual = diag
        self.pivots: list[int] = []
        self.curve = [float(diag.sum())]

    @property
    def size(self) -> int:
        """Number of pivots."""
        return len(self.pivots)

    def copied(self) -> "PartialCholesky":
        """Independent factorisation that can be extended; arrays are shared until then."""
        other = copy(self)
        other.pivots, other.curve = list(self.pivots), list(self.curve)
        other.F = self.F[:, : self.size]
        return other

    def reserve(self, K: GramOperator, capacity: int) -> None:
        """Make room for a number of pivots in all."""
        n = len(self.residual)
        if capacity <= self.F.shape[1]:
            return
        require_memory(
            self.F.itemsize * n * capacity,
            what=f"{K.who}: a factor of {n} x {capacity} {8 * self.F.itemsize}-bit numbers",
            instead="Use fewer landmarks, or select them from a subsample.",
        )
        F = np.empty((n, capacity), dtype=self.F.dtype)
        F[:, : self.size] = self.F[:, : self.size]
        self.F = F

    def reserve_for(self, K: GramOperator, more: int, most: int) -> None:
        """Make room for some more pivots, at least doubling it, up to a number of pivots in all."""
        if self.size + more > self.F.shape[1]:
            self.reserve(K, min(most, max(self.size + more, 2 * self.F.shape[1])))

    def accepted(self, K: GramOperator, candidates: IndexArray, draws: DoubleArray) -> IndexArray:
        """Candidates that `thinned` accepts by their residuals."""
        rows = as_double(self.F[candidates, : self.size])
        H = as_double(K.block(candidates, candidates)) - rows @ rows.T
        L = np.zeros((len(candidates), len(candidates)))
        initial, count = self.residual[candidates], 0

        def reduce(i: int, current: DoubleArray) -> None:
            nonlocal count
            column = (H[:, i] - L[:, :count] @ L[i, :count]) / np.sqrt(current[i])
            L[:, count] = column
            current -= column**2
            current[i] = 0.0
            count += 1

        return candidates[thinned(initial, self._floor[candidates], draws, reduce)]

    def append(self, K: GramOperator, pivots: IndexArray, *, target: float = 0.0) -> int:
        """Add columns for pivots in order, until the trace of the residual is at most `target`; return their number.

        A pivot that depends on those before it in floating point arithmetic ends the block. Its residual becomes 0.
        """
        k = self.size
        new = self.F[:, k : k + len(pivots)]
        if K.dtype == new.dtype:
            K.block(slice(None), pivots, out=new)
        else:
            new[...] = K.block(slice(None), pivots)
        if k:
            new -= product(self.F[:, :k], self.F[pivots, :k].T)
        L = np.array(new[pivots], dtype=np.float64, order="F")
        count = (try_cholesky(L) or len(pivots) + 1) - 1
        sound = L.diagonal()[:count] ** 2 > self._floor[pivots[:count]]
        count = count if sound.all() else int(sound.argmin())
        new = new[:, :count]
        if count:
            solve_triangle(np.asarray(L[:count, :count], dtype=new.dtype), new.T)
        energy = np.einsum("ij,ij->j", new, new, dtype=np.float64)
        dependent = pivots[count : count + 1]
        reached = np.flatnonzero(self.residual.sum() - np.cumsum(energy) <= target)
        if len(reached):
            count, dependent = int(reached[0]) + 1, pivots[:0]
        self._update(K, new[:, :count], energy[:count], np.append(pivots[:count], dependent))
        self.pivots += pivots[:count].tolist()
        return count

    def _update(self, K: GramOperator, new: FloatArray, energy: DoubleArray, done: IndexArray) -> None:
        """Subtract new columns from the residual, which becomes 0 for the samples in `done`."""
        before = self.residual.sum()
        residual = self.residual - np.einsum("ij,ij->i", new, new, dtype=np.float64)
        if (lowest := float(residual.min())) < self._negative:
            raise _not_psd(K, f"a squared distance in feature space is {lowest:.3g}")
        residual[residual <= self._floor] = 0.0
        residual[done] = 0.0
        after = float(residual.sum())
        self.residual = residual
        self.curve += np.maximum(before - np.cumsum(energy), after).tolist()
        self.curve[-1] = after


def _not_psd(K: GramOperator, reason: str) -> NotPositiveDefiniteError:
    return NotPositiveDefiniteError(
        f"{K.who}: the Gram matrix is not positive semidefinite ({reason}), so it has no landmarks in feature space; "
        "use a positive semidefinite kernel, or repair the matrix with mercer.kernels.repair."
    )
