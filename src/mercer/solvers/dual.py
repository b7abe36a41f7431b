"""The dual problems of the support vector family, solved by the compiled core.

    min ½ βᵀKβ + qᵀβ + Σ kink_t |β_t|    subject to    lower ≤ β ≤ upper,   Σ_t β_t fixed (per group)

in signed coefficients β = yα: min ½αᵀQα + pᵀα with Q_ij = y_i y_j K_ij, yᵀα = Δ is this one with q = yp.
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

MOST_POLISHED = 2000  # free coefficients up to which polish="auto" solves their system
WORKING_SET = 2048
STATUS = {
    _core.DualStatus.converged: Status.CONVERGED,
    _core.DualStatus.max_iter: Status.MAX_ITER,
    _core.DualStatus.not_psd: Status.NOT_PSD,
    _core.DualStatus.precision: Status.PRECISION,
}


@dataclass(frozen=True, eq=False)
class Dual:
    """One problem on some rows of a Gram matrix.

    Attributes
    ----------
    members : array of int, shape (m,)
        The row of each variable; a row may serve several variables.
    linear, lower, upper : array, shape (m,)
        q and the box.
    start : array, shape (m,)
        A feasible β; its sums are kept.
    kink : array, shape (m,), optional
        Nonnegative factors of |β_t|.
    split : int, optional
        In the ν form, the first variable of the second group.
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
    """β with its gradient Kβ + q, the multipliers of its groups and its certificate."""

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
    """Solve one or many dual problems over one Gram matrix.

    Working sets with second-order pairs, rows within `cache_size` megabytes, Newton steps on the free variables, and a
    stop test on the full gradient in float64. Many problems run side by side and share the matrix if it fits.

    Parameters
    ----------
    K : GramOperator, Prepared, array-like of shape (n, n) or RowSource
        The Gram matrix; a `mercer.operators.row_source` may serve several calls.
    problems : sequence of Dual
        What to solve; either all or none have kinks.
    tol : float
        Largest violation of the optimality conditions.
    max_iter : int
        Pair steps per problem; −1 for max(10⁷, 1000 n), a safety limit.
    cache_size : float
        Megabytes of rows.
    polish : {"auto", True, False}
        Whether to solve the linear system of the free variables to rounding; "auto": while there are at most 2000.
    shrinking : bool
        Whether variables that will stay at their bounds are left out for a while.
    n_jobs : int, optional
        Threads; None means all that are allowed.
    report : callable, optional
        ``report(done, total, violation)`` is called now and then: problems solved, their number, violation of the
        current one. True ends the run early, with ``Status.MAX_ITER``.

    Examples
    --------
    The nearest points of two classes on a line, a hard margin:

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
    """The options of `solve_dual` as the core reads them."""
    most = {"auto": MOST_POLISHED, True: 2**31, False: 0}[polish]
    cache = int(cache_size * 2**20)
    return _core.DualOptions(tol, max_iter, cache, WORKING_SET, most, shrinking, thread_count(n_jobs))


def certificate(result: _core.DualResult | _core.CrammerSingerResult, **more: Any) -> Solution:
    """What the core says of its result, and `more`."""
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
