"""One machine for all classes at once: the multiclass SVM of Crammer and Singer (2001)."""

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

POLISHED = 1e-7  # of tol, that polishing aims at


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
    """Coefficients B (n, n_classes) of f_m(x) = Σ_i B_im k(x_i, x), and their certificate.

    min ½ Σ_m β_mᵀKβ_m + Σ_im [m ≠ y_i] β_im over Σ_m β_im = 0, β_im ≤ C_i [m = y_i]: the dual of
    ½ Σ_m ‖w_m‖² + Σ_i C_i max_m ([m ≠ y_i] + f_m(x_i) − f_{y_i}(x_i)). There is no intercept.

    Parameters
    ----------
    K : GramOperator, Prepared, array-like of shape (n, n) or RowSource
        The Gram matrix; a `mercer.operators.row_source` may serve several calls.
    label : array of int, shape (n,)
        Class numbers.
    bound : array, shape (n,)
        C_i > 0.
    n_classes : int
        Number of classes.
    polish : {"auto", True, False}
        Whether to go on from `tol` towards rounding, with at most ten times the steps; "auto": up to 2000 samples.
    tol, max_iter, cache_size, n_jobs, report
        As in `mercer.solvers.solve_dual`; `max_iter` counts steps of one sample.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.eye(3)
    >>> B, solution = solve_crammer_singer(X @ X.T, np.arange(3), np.ones(3), 3, tol=1e-9)
    >>> bool(np.allclose(B.sum(axis=1), 0)), (X @ X.T @ B).argmax(axis=1).tolist()
    (True, [0, 1, 2])
    """
    beta = np.zeros((len(label), n_classes))
    label, bound = np.asarray(label, dtype=np.int64), np.asarray(bound, dtype=np.float64)
    source = row_source(K, cache_size=cache_size)
    told = None if report is None else lambda done, violation: report(done, 1, violation)

    def improve(tol: float, max_iter: int) -> Solution:
        options = dual_options(tol, max_iter, cache_size, False, True, n_jobs)
        return certificate(_core.solve_crammer_singer(source, label, bound, beta, options, told))

    solution = improve(tol, max_iter)
    if not solution.converged or not (len(label) <= MOST_POLISHED if polish == "auto" else polish):
        return beta, solution
    before, steps = beta.copy(), solution.n_iter
    finer = improve(POLISHED * tol, 10 * steps + len(label))
    if finer.violation > solution.violation:
        return before, solution
    polished = finer.violation <= POLISHED * tol
    return beta, replace(finer, status=solution.status, n_iter=steps + finer.n_iter, polished=polished)
