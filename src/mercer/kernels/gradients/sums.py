"""Sums over all pairs of samples, one for each column, computed by the core in one pass without temporary arrays."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import mercer._core as _core
from mercer._runtime.engine import ready, thread_count
from mercer._typing import DoubleArray

__all__ = ["Slopes", "column_sums", "weighted_slopes"]

BLOCK = 256  # columns of a sparse matrix that are dense at the same time


class Slopes(NamedTuple):
    """Sums over pairs with weights W_ij, for the kernel k = exp(−S^g) of a weighted sum S over columns.

    Attributes
    ----------
    value : float
        Σ W k.
    scale : float
        Σ W ∂k/∂log c, with a factor c of all weights of columns.
    exponent : float
        Σ W ∂k/∂log g.
    columns : ndarray of shape (n_features,) or None
        Σ W ∂k/∂log w_k for each column.
    """

    value: float
    scale: float
    exponent: float
    columns: DoubleArray | None


def weighted_slopes(
    x: DoubleArray,
    z: DoubleArray,
    W: DoubleArray,
    weights: DoubleArray,
    p: float,
    g: float = 1.0,
    *,
    categorical: Sequence[int] = (),
    symmetric: bool = False,
    by_column: bool = True,
    n_jobs: int | None = None,
) -> Slopes:
    """Contracted derivatives of exp(−S^g), S = Σ_j w_j abs(x_j − z_j)^p + Σ_c w_c [x_c ≠ z_c].

    With `symmetric`, z is x and every pair is computed once. Columns of weight 0 are not read.
    """
    kind = np.zeros(len(weights), dtype=bool)
    kind[list(categorical)] = True
    active = np.flatnonzero(weights)
    order = np.concatenate([active[~kind[active]], active[kind[active]]])
    totals, sums = np.empty(3), np.empty(len(order)) if by_column else None
    ready()
    _core.column_slopes(
        x,
        z,
        W,
        symmetric,
        order,
        int(np.count_nonzero(~kind[active])),
        weights[order],
        p,
        g,
        totals,
        sums,
        thread_count(n_jobs),
    )
    columns = None
    if sums is not None:
        columns = np.zeros(len(weights))
        columns[order] = weights[order] * sums
    value, scale, exponent = totals.tolist()
    return Slopes(value, scale, exponent, columns)


def column_sums(M: DoubleArray, x: Any, z: Any, p: float, n_jobs: int | None = None) -> DoubleArray:
    """Sums over all pairs of M_ij times abs(x_ik − z_jk)^p, one for each column k."""
    ready()
    sums = np.empty(x.shape[1])
    step = BLOCK if sp.issparse(x) or sp.issparse(z) else max(1, len(sums))
    for start in range(0, len(sums), step):
        left, right = (_dense(side, slice(start, start + step)) for side in (x, z))
        part = sums[start : start + step]
        order = np.arange(len(part))
        _core.column_slopes(left, right, M, False, order, len(part), None, p, 1.0, None, part, thread_count(n_jobs))
    return sums


def _dense(matrix: Any, columns: slice) -> DoubleArray:
    """Some columns of a dense or sparse matrix as a dense array."""
    chosen = matrix[:, columns]
    return np.asarray(chosen.toarray() if sp.issparse(chosen) else chosen)
