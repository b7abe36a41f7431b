"""Dual problems of support vector machines, solved by the compiled core.

    min ½ βᵀKβ + qᵀβ + Σ kink_t |β_t|    subject to    lower ≤ β ≤ upper,   Σ_t β_t fixed (per group)

in signed coefficients β = yα. The problem min ½αᵀQα + pᵀα with Q_ij = y_i y_j K_ij and yᵀα = Δ is this one with q = yp.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import thread_count
from mercer._typing import DoubleArray, IndexArray
from mercer.operators import row_source
from mercer.solvers.solution import Solution, Status

__all__ = ["MOST_POLISHED", "Dual", "DualSolution", "solve_dual"]

MOST_POLISHED = 2000  # maximal number of free coefficients whose system polish="auto" solves
WORKING_SET = 2048
STATUS = {
    _core.DualStatus.converged: Status.CONVERGED,
    _core.DualStatus.max_iter: Status.MAX_ITER,
    _core.DualStatus.not_psd: Status.NOT_PSD,
    _core.DualStatus.precision: Status.PRECISION,
}


@dataclass(frozen=True, eq=False)
class Dual:
    """Dual problem of a support vector machine on some rows of a Gram matrix.

    Minimise ``½ βᵀKβ + qᵀβ + Σ_t kink_t |β_t|`` subject to lower ≤ β ≤ upper and fixed sums of β per group.

    Parameters
    ----------
    members : ndarray of int of shape (m,)
        Row of the Gram matrix for each variable. Several variables may refer to the same row.
    linear : ndarray of shape (m,)
        Linear term q.
    lower : ndarray of shape (m,)
        Lower bounds of β.
    upper : ndarray of shape (m,)
        Upper bounds of β.
    start : ndarray of shape (m,)
        Feasible starting point. The solver keeps its sums.
    kink : ndarray of shape (m,), default=None
        Non-negative factors of the absolute values ``|β_t|``, as in ε-SVR. None: zero.
    split : int, default=None
        Index of the first variable of the second group, in ν formulations. None: one group.

    See Also
    --------
    solve_dual : Solves such problems.
    DualSolution : Result.

    References
    ----------
    * Chang and Lin, LIBSVM: a library for support vector machines, ACM TIST, 2011.

    Examples
    --------
    A C-SVC with labels y and C = 100:

    >>> import numpy as np
    >>> y = np.array([-1.0, -1.0, 1.0])
    >>> problem = Dual(
    ...     members=np.arange(3),
    ...     linear=-y,
    ...     lower=np.minimum(100 * y, 0),
    ...     upper=np.maximum(100 * y, 0),
    ...     start=np.zeros(3),
    ... )
    >>> problem.upper
    array([  0.,   0., 100.])
    """

    members: IndexArray
    linear: DoubleArray
    lower: DoubleArray
    upper: DoubleArray
    start: DoubleArray
    kink: DoubleArray | None = None
    split: int | None = None


@dataclass(frozen=True, eq=False)
class DualSolution:
    """Solution of a dual problem, as returned by `solve_dual`.

    Parameters
    ----------
    beta : ndarray of shape (m,)
        Signed coefficients β.
    gradient : ndarray of shape (m,)
        Gradient Kβ + q of the smooth part of the objective.
    bias : tuple of two floats
        Intercepts of the two groups, the negated multipliers of their sums. Both are equal if there is one group.
    solution : Solution
        Certificate.

    See Also
    --------
    solve_dual : Computes it.
    Dual : Problem.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([-1.0, 1.0])
    >>> problem = Dual(np.arange(2), -y, np.minimum(y, 0), np.maximum(y, 0), np.zeros(2))
    >>> (answer,) = solve_dual(np.eye(2), [problem])
    >>> answer.beta, answer.gradient, answer.solution.objective
    (array([-1.,  1.]), array([0., 0.]), -1.0)
    """

    beta: DoubleArray
    gradient: DoubleArray
    bias: tuple[float, float]
    solution: Solution = field(compare=False)


def solve_dual(
    K: Any,
    problems: Sequence[Dual],
    *,
    tol: float = 1e-3,
    max_iter: int = -1,
    cache_size: float = 200.0,
    polish: bool | str = "auto",
    shrinking: bool = True,
    n_jobs: int | None = None,
    report: Callable[[int, int | None, float], bool] | None = None,
) -> list[DualSolution]:
    """Solve one or several dual problems of support vector machines over one Gram matrix.

    Sequential minimal optimisation on working sets with second-order selection of pairs, followed by Newton steps on
    the free variables. The stopping criterion is evaluated on the full gradient in float64. Several problems run in
    parallel and share the matrix if it fits in the cache.

    Parameters
    ----------
    K : GramOperator, Prepared, array-like of shape (n, n) or RowSource
        Gram matrix. A `mercer.operators.row_source` can be used for several calls.
    problems : sequence of Dual
        Problems to solve. Either all or none of them have a `kink`.
    tol : float, default=1e-3
        Tolerance: largest violation of the optimality conditions.
    max_iter : int, default=-1
        Maximal number of pair updates per problem. -1: max(10⁷, 1000 n), a safety limit.
    cache_size : float, default=200.0
        Size of the cache of rows in megabytes.
    polish : {"auto", True, False}, default="auto"
        Whether the linear system of the free variables is solved to rounding. "auto": if there are at most 2000.
    shrinking : bool, default=True
        Whether variables that are likely to stay at their bounds are left out temporarily.
    n_jobs : int, default=None
        Number of threads. None: all available cores.
    report : callable, default=None
        Progress callback ``report(done, total, violation)`` with the number of solved problems, the number of problems
        and the violation of the current problem. If it returns True, the run ends with ``Status.MAX_ITER``.

    Returns
    -------
    list of DualSolution
        Solutions in the order of `problems`.

    See Also
    --------
    Dual : Form of the problems.
    solve_crammer_singer : Multiclass machine that is not a sum of two-class machines.

    Notes
    -----
    Memory: `cache_size` megabytes besides the operator. Time: between O(n²) and O(n³) kernel evaluations and products,
    depending on the number of support vectors and the cache.

    References
    ----------
    * Platt, Fast training of support vector machines using sequential minimal optimization, 1999.
    * Fan, Chen and Lin, Working set selection using second order information for training support vector machines,
      JMLR, 2005.

    Examples
    --------
    A hard margin between two classes on a line:

    >>> import numpy as np
    >>> x, y = np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0])
    >>> problem = Dual(np.arange(3), -y, np.minimum(100 * y, 0), np.maximum(100 * y, 0), np.zeros(3))
    >>> answer, = solve_dual(x @ x.T, [problem])
    >>> answer.beta.round(12).tolist(), round(answer.bias[0], 12)
    ([0.0, -0.5, 0.5], -2.0)
    """
    options = dual_options(tol, max_iter, cache_size, polish, shrinking, n_jobs)
    sizes = np.array([len(p.members) for p in problems], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    splits = np.array([len(p.members) if p.split is None else p.split for p in problems], dtype=np.int64)

    def joined(parts: "list[Any]") -> DoubleArray:
        return np.concatenate(parts, dtype=np.float64)

    beta = joined([p.start for p in problems])
    kinks = [p.kink for p in problems]
    results = _core.solve_dual(
        row_source(K, cache_size=cache_size),
        np.concatenate([p.members for p in problems], dtype=np.int64),
        starts,
        splits,
        joined([p.linear for p in problems]),
        joined([p.lower for p in problems]),
        joined([p.upper for p in problems]),
        None if kinks[0] is None else joined(kinks),
        beta,
        options,
        None if report is None else lambda done, violation: report(done, len(problems), violation),
    )
    return [_answer(beta[starts[m] : starts[m + 1]], result) for m, result in enumerate(results)]


def dual_options(
    tol: float, max_iter: int, cache_size: float, polish: bool | str, shrinking: bool, n_jobs: int | None
) -> _core.DualOptions:
    """Return the options of `solve_dual` in the form of the compiled core."""
    most = {"auto": MOST_POLISHED, True: 2**31, False: 0}[polish]
    cache = int(cache_size * 2**20)
    return _core.DualOptions(tol, max_iter, cache, WORKING_SET, most, shrinking, thread_count(n_jobs))


def certificate(result: _core.DualResult | _core.CrammerSingerResult, **more: Any) -> Solution:
    """Return the certificate of a result of the core, with additional fields `more`."""
    return Solution(
        objective=result.objective,
        gap=result.gap,
        violation=result.violation,
        status=STATUS[result.status],
        n_iter=result.iterations,
        **more,
    )


def _answer(beta: DoubleArray, result: _core.DualResult) -> DualSolution:
    solution = certificate(result, n_free=result.free, polished=result.polished)
    return DualSolution(beta, np.asarray(result.gradient), result.bias, solution)
