"""ν-support vector classification on explicit features, as a search over problems that `solve_on_features` solves.

    min ½‖Fᵀβ‖²    subject to    lower ≤ β ≤ upper,   Σβ over the first group = h,   Σβ over the second = −h

The multiplier ρ of Σ|β| = 2h turns it into a problem with one sum, min ½‖Fᵀβ‖² − ρΣ|β| with Σβ = 0, whose solution has
a Σ|β| that grows with ρ. The search brackets 2h. The combination of both ends of the bracket with the right sum is
feasible, and its duality gap over all variables decides when the search ends.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mercer._typing import DoubleArray, FloatArray
from mercer.operators.tiles import panels
from mercer.solvers.dual import Dual
from mercer.solvers.feature_svm import FeatureSolution, solve_on_features
from mercer.solvers.solution import Solution, Status

__all__ = ["solve_nu_on_features"]

_PANEL = 32_000_000  # bytes of a panel of features
_MOST_ROUNDS = 60
_LOOSE = 1e-2  # relative gap of the first problems of a search, which only find the order of magnitude of ρ
_STEP, _SMALL_STEP = 8.0, 1.5  # factors of ρ before a bracket is known, and after one was lost to rounding
_MOST_LIMITS = 3  # problems of a search that may reach `max_iter`
_NO_MARGIN = 1e-7  # squared distance, relative to the mean squared norm, at which hulls count as intersecting


def solve_nu_on_features(
    F: FloatArray,
    problems: Sequence[Dual],
    *,
    tol: float = 1e-3,
    max_iter: int = -1,
    n_jobs: int | None = None,
    report: Callable[[int, int | None, float], bool] | None = None,
) -> list[FeatureSolution]:
    """Solve problems of ν-support vector classification on explicit features.

    Parameters
    ----------
    F : ndarray of float32 or float64, shape (n, r)
        Features, as in `solve_on_features`.
    problems : sequence of Dual
        Problems of `mercer.solvers.svm.nu_classification`: two groups with opposite sums, and no linear term.
    tol : float, default=1e-3
        Largest duality gap relative to the objective. The optimum is zero if the reduced convex hulls of the classes
        intersect. Such a search ends when their squared distance is at most 10⁻⁷ of the mean squared norm of rows.
    max_iter : int, default=-1
        Largest number of passes of each problem of the search. -1 means 10000, a safety limit.
    n_jobs : int, default=None
        Number of threads. None and -1 use all that are allowed. Several problems are solved in parallel.
    report : callable, default=None
        Called as ``report(done, total, gap)``, as in `solve_on_features`.

    Returns
    -------
    list of FeatureSolution
        One per problem. `bias` has the intercepts of both groups, and `n_iter` counts all passes of a search.

    See Also
    --------
    mercer.solvers.feature_svm.solve_on_features : Solver for problems with one sum.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.solvers.feature_nu import solve_nu_on_features
    >>> from mercer.solvers.svm import nu_classification
    >>> F = np.array([[3.0], [4.0], [0.0], [1.0]])
    >>> answer, = solve_nu_on_features(F, [nu_classification(np.arange(4), 2, np.ones(4), 0.5)], tol=1e-6)
    >>> answer.beta.round(3), round(answer.solution.objective, 6)
    (array([ 1.,  0.,  0., -1.]), 2.0)
    """
    searches = [_Search(F, problem, tol) for problem in problems]
    stopped = False

    def progress(done: int, total: int | None, gap: float) -> bool:  # noqa: ARG001 - of one round
        nonlocal stopped
        assert report is not None
        stopped = report(len(searches) - len(active), len(searches), gap)
        return stopped

    for _ in range(_MOST_ROUNDS):
        active = [search for search in searches if not search.ended]
        if not active or stopped:
            break
        answers = solve_on_features(
            F,
            [search.problem for search in active],
            tol=min(search.inner for search in active),
            max_iter=max_iter,
            n_jobs=n_jobs,
            report=None if report is None else progress,
        )
        for search, answer in zip(active, answers, strict=True):
            search.take(answer)
        if report is not None and not stopped:
            progress(0, None, max(search.relative_gap for search in active))
    return [search.answer for search in searches if search.answer is not None]


class _Point(NamedTuple):
    """Solution of the problem for one ρ: Fᵀβ, FFᵀβ, and Σ|β|."""

    rho: float
    beta: DoubleArray
    weights: DoubleArray
    values: DoubleArray
    size: float


class _Search:
    """Search for the multiplier ρ of one problem."""

    def __init__(self, F: FloatArray, given: Dual, tol: float) -> None:
        assert given.split is not None
        self.given, self._tol = given, tol
        self._sign = np.where(np.arange(len(given.members)) < given.split, 1.0, -1.0)
        self._total = float(np.abs(given.start).sum())
        groups = slice(None, given.split), slice(given.split, None)
        mean = given.lower + given.upper
        for group in groups:
            mean[group] *= self._total / 2 / np.abs(mean[group]).sum()
        weights, norm2 = _moments(F, given, mean)
        self._least = _NO_MARGIN * norm2 * self._total**2 / 8
        zero = np.zeros(len(mean))
        self._low = _Point(0.0, zero, np.zeros(F.shape[1]), zero, 0.0)
        self._high: _Point | None = None
        self._excess = [-1.0, 1.0]  # of both ends: Σ|β| relative to its goal, minus one; halved as in Illinois
        self._rho, self._step = float(weights @ weights) / self._total or 1.0, _STEP
        self.inner, self._start, self._same_side = _LOOSE, zero, -1
        self._n_iter = self._n_limits = 0
        self.answer: FeatureSolution | None = None
        self.ended = False
        self._certify(mean, weights, _values(F, given, weights))

    @property
    def relative_gap(self) -> float:
        """Relative gap of the best solution so far."""
        return np.inf if self.answer is None else self.answer.solution.relative_gap

    @property
    def problem(self) -> Dual:
        """Problem with one sum for the current ρ."""
        return replace(self.given, linear=-self._rho * self._sign, start=self._start, split=None)

    def take(self, answer: FeatureSolution) -> None:
        """Narrow the bracket by the solution of `problem`."""
        size = float(np.abs(answer.beta).sum())
        values = answer.gradient + self._rho * self._sign
        point = _Point(self._rho, answer.beta, answer.weights, values, size)
        excess, side = size / self._total - 1, int(size >= self._total * (1 - 1e-12))
        self._start = answer.beta
        self._n_iter += answer.solution.n_iter
        self._n_limits += not answer.solution.converged
        if self._high is not None and self._same_side == side:
            self._excess[1 - side] /= 2
        self._same_side, self._excess[side] = side, excess
        if side:
            self._high = point
        else:
            self._low = point
        if self._high is not None:
            self._combine(self._high)
        objective = abs(answer.solution.objective) or 1.0
        finest = 0.3 * self._tol * float(answer.weights @ answer.weights) / 2 / objective
        self.inner = min(self.inner, max(finest, 0.03 * abs(excess)))
        if answer.solution.n_iter == 0:  # the start was good enough for this tolerance and has taught nothing
            self.inner /= 10
        self.ended |= self._n_limits > _MOST_LIMITS
        self._advance()

    def _advance(self) -> None:
        """Choose the next ρ."""
        low, high = self._low, self._high
        if low.rho > 0 and high is not None and high.rho / low.rho - 1 < self.inner:  # a wrong end, by its tolerance
            self._step, self.inner = _SMALL_STEP, self.inner / 10
            if self._same_side:
                self._low = low = _Point(0.0, 0 * low.beta, 0 * low.weights, 0 * low.values, 0.0)
            else:
                self._high = high = None
        if high is None:
            self._rho = low.rho * self._step if low.rho else self._rho * self._step
        elif low.rho == 0:
            self._rho = high.rho / self._step
        else:
            below, above = self._excess
            share = min(0.99, max(0.01, below / (below - above))) if above > below else 0.5
            self._rho = float(low.rho * (high.rho / low.rho) ** share)

    def _combine(self, high: _Point) -> None:
        """Certify the combination of both ends of the bracket that has the right sum."""
        low = self._low
        t = min(1.0, (self._total - low.size) / (high.size - low.size))
        beta, weights, values = (
            np.where(a == b, b, (1 - t) * a + t * b)
            for a, b in ((low.beta, high.beta), (low.weights, high.weights), (low.values, high.values))
        )
        self._certify(beta, weights, values)

    def _certify(self, beta: DoubleArray, weights: DoubleArray, values: DoubleArray) -> None:
        """Compute the duality gap of a feasible β with w = Fᵀβ and values Fw; keep the best β."""
        given = self.given
        objective = float(weights @ weights) / 2
        first, second = slice(None, given.split), slice(given.split, None)
        half = self._total / 2
        above, upper = _filled(values[first], given.upper[first], half)
        below, lower = _filled(-values[second], -given.lower[second], half)
        gap = min(objective, max(0.0, 2 * objective - above - below))  # the optimum is not negative
        self.ended = gap <= self._tol * objective or objective <= self._least
        if self.answer is not None and not self.ended and gap >= self.answer.solution.gap:
            return
        violation = max(_violation(beta[g], values[g], given.lower[g], given.upper[g]) for g in (first, second))
        free = int(np.count_nonzero((beta > given.lower) & (beta < given.upper)))
        status = Status.CONVERGED if self.ended else Status.MAX_ITER
        solution = Solution(objective, gap, violation, status, self._n_iter, free)
        self.answer = FeatureSolution(beta, values, (-upper, lower), solution, weights)


def _moments(F: FloatArray, problem: Dual, beta: DoubleArray) -> tuple[DoubleArray, float]:
    """Fᵀβ over the members of a problem, and the mean squared norm of their rows, in float64."""
    weights, norm2 = np.zeros(F.shape[1]), 0.0
    for rows in panels(len(beta), max(1, _PANEL // (8 * F.shape[1]))):
        block = F[problem.members[rows]].astype(np.float64)
        weights += beta[rows] @ block
        norm2 += float(np.einsum("ij,ij->", block, block))
    return weights, norm2 / len(beta)


def _values(F: FloatArray, problem: Dual, weights: DoubleArray) -> DoubleArray:
    """Fw over the members of a problem, in float64."""
    steps = panels(len(problem.members), max(1, _PANEL // (8 * F.shape[1])))
    return np.concatenate([F[problem.members[rows]] @ weights for rows in steps])


def _filled(values: DoubleArray, bound: DoubleArray, total: float) -> tuple[float, float]:
    """Return min Σ v_i α_i over 0 ≤ α ≤ bound with a given sum, and the largest v_i with α_i > 0."""
    order = np.argsort(values)
    sums = np.cumsum(bound[order])
    last = min(int(np.searchsorted(sums, total * (1 - 1e-12))), len(sums) - 1)
    used = np.clip(total - (sums - bound[order]), 0.0, bound[order])
    return float(values[order] @ used), float(values[order[last]])


def _violation(beta: DoubleArray, values: DoubleArray, lower: DoubleArray, upper: DoubleArray) -> float:
    """Largest violation of the optimality conditions in a group with a fixed sum."""
    falling, rising = values[beta > lower], values[beta < upper]
    if not len(falling) or not len(rising):
        return 0.0
    return max(0.0, float(falling.max() - rising.min()))
