"""A matrix that the user brings."""

from typing import Any, final

import numpy as np
import scipy.sparse as sp

from mercer._typing import FloatArray
from mercer._validation import check_integer, check_vectors, describe
from mercer.operators import tiles
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.held import HeldOperator

__all__ = ["PrecomputedOperator"]

_ROUNDING = 1000  # times ε·max|K|: two orders of summation of one inner product differ by less


@final
class PrecomputedOperator(HeldOperator):
    """A Gram matrix computed elsewhere; float32 and float64 arrays are read in place.

    Parameters
    ----------
    K : array-like of shape (m, n)
        Finite real numbers. Memory-mapped and read-only arrays are neither copied nor written.
    symmetric : bool, optional
        None: K must be square, and symmetry is detected. True: K must be symmetric. Both up to
        rounding, in which case `dense` mirrors the upper triangle. False: any shape, such as
        test samples by training samples; nothing is looked for.
    finite : bool, default=False
        True: the caller has checked that K is an array of finite floats, and the pass over it is skipped.
    memory_budget : int
        Bytes for tiles.

    Notes
    -----
    One pass over K for NaN and infinity, one for symmetry.

    Examples
    --------
    >>> from mercer.operators import PrecomputedOperator
    >>> PrecomputedOperator([[2.0, 1.0], [1.0, 2.0]]).symmetric
    True
    >>> PrecomputedOperator([[2.0, 1.0]], symmetric=False)
    PrecomputedOperator: 1 x 2, float64, precomputed
    """

    def __init__(
        self, K: Any, *, symmetric: bool | None = None, finite: bool = False, memory_budget: int = MEMORY_BUDGET
    ) -> None:
        who = type(self).__name__
        if symmetric is not None and not isinstance(symmetric, bool):
            raise TypeError(f"{who}: symmetric must be None, True or False, got {describe(symmetric)}.")
        if sp.issparse(K):
            raise TypeError(f"{who}: K must be a dense array, got {describe(K)}; call K.toarray().")
        K = K if finite else check_vectors(who, K, name="K")
        budget = check_integer(who, "memory_budget", memory_budget, low=1)
        worst = 0.0
        if symmetric is not False:
            if K.shape[0] != K.shape[1]:
                raise ValueError(
                    f"{who}: K must be square, got shape {K.shape}; pass symmetric=False for "
                    "kernel values between two different data sets."
                )
            worst = _asymmetry(K, budget)
            found = worst <= _ROUNDING * float(np.finfo(K.dtype).eps)
            if symmetric and not found:
                raise ValueError(
                    f"{who}: K was declared symmetric, but K and its transpose differ by {worst:g} "
                    "times the largest entry; pass (K + K.T)/2 to symmetrise it."
                )
            symmetric = found
        self._mirrored = bool(symmetric) and worst > 0
        super().__init__(K, symmetric=bool(symmetric), memory_budget=budget)

    @property
    def matrix(self) -> FloatArray | None:
        return None if self._mirrored else self._matrix

    def _label(self) -> str:
        return "precomputed"


def _asymmetry(K: FloatArray, budget: int) -> float:
    """max|K − Kᵀ| / max|K|, by tiles, so that a mapped matrix is never read into memory whole."""
    side = max(1, int((budget // 32) ** 0.5))
    largest = difference = 0.0
    for rows in tiles.panels(len(K), side):
        for cols in tiles.panels(rows.stop, side):
            A, B = K[rows, cols], K[cols, rows].T
            largest = max(largest, float(np.abs(A).max()), float(np.abs(B).max()))
            difference = max(difference, float(np.abs(np.subtract(A, B, dtype=np.float64)).max()))
    return difference / largest if difference else 0.0
