"""Multiclass support vector machine of Crammer and Singer (2001)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import mercer._core as _core
from mercer._typing import DoubleArray, IndexArray
from mercer.operators import row_source
from mercer.solvers.dual import MOST_POLISHED, certificate, dual_options
from mercer.solvers.solution import Solution

__all__ = ["solve_crammer_singer"]

POLISHED = 1e-7  # target of polishing as a fraction of tol


def solve_crammer_singer(
    K: Any,
    label: IndexArray,
    bound: DoubleArray,
    n_classes: int,
    *,
    tol: float = 1e-3,
    max_iter: int = -1,
    cache_size: float = 200.0,
    polish: bool | str = "auto",
    n_jobs: int | None = None,
    report: Callable[[int, int | None, float], bool] | None = None,
) -> tuple[DoubleArray, Solution]:
    """Solve the multiclass support vector machine of Crammer and Singer.

    Minimises ½ Σ_m β_mᵀKβ_m + Σ_im [m ≠ y_i] β_im subject to Σ_m β_im = 0 and β_im ≤ C_i [m = y_i]. This is the dual of
    ½ Σ_m ‖w_m‖² + Σ_i C_i max_m ([m ≠ y_i] + f_m(x_i) − f_{y_i}(x_i)). There is no intercept.

    Parameters
    ----------
    K : GramOperator, Prepared, array-like of shape (n, n) or RowSource
        Gram matrix. A `mercer.operators.row_source` can be used for several calls.
    label : array-like of int of shape (n,)
        Class indices 0, …, n_classes − 1.
    bound : array-like of shape (n,)
        Positive costs C_i.
    n_classes : int
        Number of classes.
    tol : float, default=1e-3
        Tolerance: largest violation of the optimality conditions.
    max_iter : int, default=-1
        Maximal number of updates of one sample. -1: a safety limit.
    cache_size : float, default=200.0
        Size of the cache of rows in megabytes.
    polish : {"auto", True, False}, default="auto"
        Whether the solver continues from `tol` towards rounding, with at most ten times as many updates. "auto": for up
        to 2000 samples.
    n_jobs : int, default=None
        Number of threads. None: all available cores.
    report : callable, default=None
        Progress callback ``report(done, total, violation)``. If it returns True, the run ends with
        ``Status.MAX_ITER``.

    Returns
    -------
    coef : ndarray of shape (n, n_classes)
        Coefficients B of the decision functions f_m(x) = Σ_i B_im k(x_i, x).
    solution : Solution
        Certificate.

    See Also
    --------
    solve_dual : Two-class machines, regression and novelty detection.

    References
    ----------
    * Crammer and Singer, On the algorithmic implementation of multiclass kernel-based vector machines, JMLR, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> B, solution = solve_crammer_singer(np.eye(3), np.arange(3), np.ones(3), 3, tol=1e-9)
    >>> B.round(3)
    array([[ 0.667, -0.333, -0.333],
           [-0.333,  0.667, -0.333],
           [-0.333, -0.333,  0.667]])
    >>> round(solution.objective, 6)
    -1.0
    """
    beta = np.zeros((len(label), n_classes))
    label, bound = np.asarray(label, dtype=np.int64), np.asarray(bound, dtype=np.float64)
    source = row_source(K, cache_size=cache_size)
    progress = None if report is None else lambda done, violation: report(done, 1, violation)

    def improve(tol: float, max_iter: int) -> Solution:
        options = dual_options(tol, max_iter, cache_size, False, True, n_jobs)
        return certificate(_core.solve_crammer_singer(source, label, bound, beta, options, progress))

    solution = improve(tol, max_iter)
    if not solution.converged or not (len(label) <= MOST_POLISHED if polish == "auto" else polish):
        return beta, solution
    before, steps = beta.copy(), solution.n_iter
    finer = improve(POLISHED * tol, 10 * steps + len(label))
    if finer.violation > solution.violation:
        return before, solution
    polished = finer.violation <= POLISHED * tol
    return beta, replace(finer, status=solution.status, n_iter=steps + finer.n_iter, polished=polished)
