"""Gram matrices computed by the user."""

from typing import Any, final

import numpy as np
import scipy.sparse as sp

from mercer._typing import FloatArray
from mercer._validation import check_integer, check_vectors, describe
from mercer.operators import tiles
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.held import HeldOperator

__all__ = ["PrecomputedOperator"]

_ROUNDING = 1000  # tolerance in units of ε·max|K|, above the effect of the order of summation in an inner product


@final
class PrecomputedOperator(HeldOperator):
    """Operator of a Gram matrix that was computed elsewhere.

    Arrays of float32 and float64 are read in place, not copied.

    Parameters
    ----------
    K : array-like of shape (m, n)
        Matrix of finite real numbers. Memory-mapped and read-only arrays are neither copied nor written.
    symmetric : bool, default=None
        None: K must be square, and symmetry is detected. True: K must be symmetric. In both cases a difference of the
        size of rounding is accepted, and `dense` mirrors the upper triangle. False: K may have any shape, such as
        test samples by training samples, and symmetry is not examined.
    finite : bool, default=False
        Whether the caller has checked that K is an array of finite floats. True skips the check.
    memory_budget : int, default=64000000
        Maximal number of bytes for tiles.

    See Also
    --------
    gram : Build an operator from a kernel and data.
    as_operator : Wrap matrices, prepared data and operators alike.

    Notes
    -----
    Construction passes over K once to find NaN and infinity, and once to examine symmetry.

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
        """The matrix itself.

        Returns
        -------
        ndarray of shape (m, n) or None
            Read-only view of the matrix; None if it is symmetric only up to rounding.
        """
        return None if self._mirrored else self._matrix

    def _label(self) -> str:
        return "precomputed"


def _asymmetry(K: FloatArray, budget: int) -> float:
    """Return max|K − Kᵀ| / max|K|, computed by tiles, so that a memory-mapped matrix is never read whole."""
    side = max(1, int((budget // 32) ** 0.5))
    largest = difference = 0.0
    for rows in tiles.panels(len(K), side):
        for cols in tiles.panels(rows.stop, side):
            A, B = K[rows, cols], K[cols, rows].T
            largest = max(largest, float(np.abs(A).max()), float(np.abs(B).max()))
            difference = max(difference, float(np.abs(np.subtract(A, B, dtype=np.float64)).max()))
    return difference / largest if difference else 0.0
