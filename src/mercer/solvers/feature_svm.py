"""Support vector machines on explicit features F: the solver for many samples, which never forms K = FFᵀ.

    min ½‖w‖² + Σ_t loss_t(f_t·w + b)    with the dual
    min ½‖Fᵀβ‖² + qᵀβ + Σ kink_t |β_t|   subject to    lower ≤ β ≤ upper,   Σ_t β_t fixed

The dual is the problem of `mercer.solvers.solve_dual` with the linear kernel of F, and the optimum is the same. The
bias b is not penalised: it is the multiplier of the sum.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import ready, thread_count
from mercer._typing import DoubleArray
from mercer.solvers.dual import STATUS, Dual, DualSolution
from mercer.solvers.solution import Solution

__all__ = ["FeatureSolution", "check_problem", "solve_on_features"]


@dataclass(frozen=True, eq=False)
class FeatureSolution(DualSolution):
    """Solution of a problem on explicit features.

    Attributes
    ----------
    beta : ndarray of shape (m,)
        Signed dual coefficients.
    gradient : ndarray of shape (m,)
        Fw + q over the members of the problem.
    bias : tuple of two floats
        The bias b, twice: the solver has one group of variables.
    solution : Solution
        Certificate. `n_iter` counts passes over the variables, `gap` is a true duality gap over all members.
    weights : ndarray of shape (r,)
        w = Fᵀβ. The decision value of a row f is f·w + b.
    """

    weights: DoubleArray


def solve_on_features(
    F: Any,
    problems: Sequence[Dual],
    *,
    tol: float = 1e-3,
    max_iter: int = -1,
    n_jobs: int | None = None,
    seed: int = 0,
    report: Callable[[int, int | None, float], bool] | None = None,
) -> list[FeatureSolution]:
    """Solve one or many dual problems on explicit features by coordinate descent.

    One step reads one row of F and costs O(r). Passes visit the variables in random order and visit those that stay at
    their bounds more rarely. The method of multipliers finds the bias. The solver stops by the duality gap over all
    variables at a feasible β, with the best bias for w.

    Parameters
    ----------
    F : ndarray of float32 or float64, shape (n, r)
        Features with contiguous rows, which are read in place; other arrays are converted first. All sums are computed
        in float64. float32 halves the memory traffic, which dominates the time.
    problems : sequence of Dual
        Problems on rows of F, with finite bounds and one group (``split=None``). Either all or none have kinks.
        `start` is the starting point, for example the solution for a smaller C.
    tol : float, default=1e-3
        Largest relative duality gap: the gap divided by the larger modulus of the primal and the dual objective.
    max_iter : int, default=-1
        Largest number of passes for each problem. -1 means 10000, a safety limit.
    n_jobs : int, default=None
        Number of threads. None and -1 use all that are allowed. Several problems are solved in parallel, one thread
        each.
    seed : int, default=0
        Seed of the order of the steps. The result depends on it within `tol`, but not on `n_jobs`.
    report : callable, default=None
        Called as ``report(done, total, gap)`` now and then with the number of solved problems, the number of problems
        and the relative gap of the current one. If it returns True, the run ends early with ``Status.MAX_ITER``.

    Returns
    -------
    list of FeatureSolution
        One per problem.

    Raises
    ------
    ValueError
        If F is not a finite matrix, or a problem has two groups, bounds that are not finite, members outside F, or no
        feasible point besides its start, as for samples of a single class.

    See Also
    --------
    mercer.solvers.solve_dual : Solver on the rows of a Gram matrix.
    mercer.solvers.svm.classification : Dual problem of a support vector classifier.
    mercer.solvers.svm.regression : Dual problem of ε-SVR.

    References
    ----------
    * Hsieh, Chang, Lin, Keerthi, Sundararajan, *A dual coordinate descent method for large-scale linear SVM*, ICML
      2008.
    * Bertsekas, *Constrained Optimization and Lagrange Multiplier Methods*, 1982.

    Examples
    --------
    The nearest points of two classes on a line, a hard margin:

    >>> import numpy as np
    >>> from mercer.solvers.feature_svm import solve_on_features
    >>> from mercer.solvers.svm import classification
    >>> F, y = np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0])
    >>> answer, = solve_on_features(F, [classification(np.arange(3), y, np.full(3, 100.0))], tol=1e-9)
    >>> answer.weights.round(6), round(answer.bias[0], 6)
    (array([1.]), -2.0)
    """
    ready()
    F = _checked(F)
    if not problems:
        return []
    for m, problem in enumerate(problems):
        check_problem("solve_on_features", m, problem, len(F))
    kinks = [p.kink for p in problems]
    if any((kink is None) != (kinks[0] is None) for kink in kinks):
        raise ValueError("solve_on_features: some problems have kinks and some do not; solve them in two calls.")
    starts = np.cumsum([0] + [len(p.members) for p in problems], dtype=np.int64)

    def joined(parts: "list[Any]") -> DoubleArray:
        return np.concatenate(parts, dtype=np.float64)

    beta = joined([p.start for p in problems])
    results = _core.solve_features(
        F,
        np.concatenate([p.members for p in problems], dtype=np.int64),
        starts,
        joined([p.linear for p in problems]),
        joined([p.lower for p in problems]),
        joined([p.upper for p in problems]),
        None if kinks[0] is None else joined(kinks),
        beta,
        tol,
        max_iter,
        seed,
        thread_count(n_jobs),
        None if report is None else lambda done, gap: report(done, len(problems), gap),
    )
    return [_answer(beta[starts[m] : starts[m + 1]], result) for m, result in enumerate(results)]


def _checked(F: Any) -> Any:
    """F as the core reads it."""
    F = np.asarray(F)
    if F.ndim != 2:
        raise ValueError(f"solve_on_features: F must be a matrix, got an array with {F.ndim} axes.")
    if F.dtype not in (np.float32, np.float64):
        F = F.astype(np.float64)
    if F.shape[1] > 1 and F.strides[1] != F.itemsize:
        F = np.ascontiguousarray(F)
    if not np.isfinite(F.sum()) and not np.isfinite(F).all():
        raise ValueError("solve_on_features: F contains NaN or infinity; remove or replace these values.")
    return F


def check_problem(who: str, m: int, problem: Dual, n: int) -> None:
    """Raise ValueError for a problem that solvers on features do not solve."""
    name = f"{who}: problem {m}"
    if problem.split not in (None, len(problem.members)):
        raise ValueError(f"{name} has two groups of variables (split={problem.split}); use mercer.solvers.solve_dual.")
    if len(problem.members) == 0:
        raise ValueError(f"{name} has no variables; leave it out.")
    first, last = int(np.min(problem.members)), int(np.max(problem.members))
    if first < 0 or last >= n:
        raise ValueError(f"{name} has members {first} to {last}, expected rows of F between 0 and {n - 1}.")
    if not (np.isfinite(problem.lower).all() and np.isfinite(problem.upper).all()):
        raise ValueError(f"{name} has infinite bounds; expected finite ones. Use a finite C.")
    if (problem.start == problem.lower).all() or (problem.start == problem.upper).all():
        raise ValueError(
            f"{name} has no feasible point besides its start, because every variable starts at the same end of its "
            "box; a classification problem needs samples of both classes."
        )


def _answer(beta: DoubleArray, result: _core.FeatureResult) -> FeatureSolution:
    solution = Solution(
        objective=result.objective,
        gap=result.gap,
        violation=result.violation,
        status=STATUS[result.status],
        n_iter=result.iterations,
        n_free=result.free,
    )
    gradient, bias = np.asarray(result.gradient), (result.bias, result.bias)
    return FeatureSolution(beta, gradient, bias, solution, np.asarray(result.weights))
