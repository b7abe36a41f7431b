"""Support vector machines on features that no one holds: passes over the samples return sums, and a number for each.

    min ½‖w‖² + Σ_t h_t(f_t·w + b + q_t) + sb,     h_t(v) = max over lower ≤ β ≤ upper of −βv − kink_t|β|

The loss has corners, so that its sums have no curvature. The method of multipliers replaces h_t by

    e_t(v) = max over lower ≤ β ≤ upper of −βv − kink_t|β| − (β − β⁰_t)²/(2σ(upper − lower))

with the dual coefficients β⁰ of the round before. e_t is piecewise quadratic, and Newton's method needs few steps. The
values v of all samples are kept, so that the length of a step is found without another pass. So is the sum Σβ_t f_t:
coefficients at a bound stay there, and a pass reads those that have changed only. The first point is the solution for a
sample in memory.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, final

import numpy as np

from mercer._runtime.factors import cholesky, solve_cholesky
from mercer._runtime.products import inner_products
from mercer._typing import DoubleArray, IndexArray
from mercer.solvers.dual import Dual
from mercer.solvers.feature_svm import FeatureSolution, check_problem
from mercer.solvers.logistic_sums import LossTask, Sums
from mercer.solvers.solution import Solution, Status
from mercer.solvers.svm_certificate import Losses
from mercer.solvers.svm_sample import SampledPasses, sampled

__all__ = ["Passes", "solve_on_sums"]

_MOST_PASSES = 10_000  # for max_iter=-1, as in `solve_on_features`
_MOST_ROUNDS = 40
_FASTER, _SLOWLY = 4.0, 2.0  # factors of σ from one round to the next, and near the end
_NEAR = 3.0  # multiple of the allowed gap below which another round with the same σ suffices
_SAMPLE, _PART = 20, 4  # samples of the first point for each feature, if there are as many times more in all
_FIRST_TOL = 0.01  # relative gap of the first point
_ROUNDING = 1e-13  # of a second derivative, relative to its largest entry
_LARGEST = 1e11  # entry of a second derivative, in which those of ½‖w‖², which are 1, are still seen
_EXACT = 1e-13  # ½‖w − Fᵀβ‖² of the last rounds, relative to the objective, if a certificate needs it
_FLAT = 0.1  # slope at the end of a step, relative to that at its start
_MOST_LENGTHS = 30
_MOST_STEPS = 60  # of a round
_STALLED = 3  # rounds without a smaller gap after which rounding is taken to be the reason
_NO_MARGIN = 1e-7  # squared distance, relative to the mean squared norm, at which hulls count as intersecting


class Passes(Protocol):
    """Passes over samples with features F."""

    @property
    def n(self) -> int:
        """Number of samples."""

    @property
    def n_components(self) -> int:
        """Number of features."""

    def summed(self, task: LossTask, T: DoubleArray, weight: DoubleArray) -> Sums:
        """Sum of a task over all samples; those of weight zero may be left out."""

    def coefficients(self, weights: DoubleArray) -> DoubleArray:
        """Coefficients whose `values` are Fw, of shape (n_columns, n_outputs)."""

    def values(self, coef: DoubleArray) -> DoubleArray:
        """Values of all samples, of shape (n, n_outputs)."""

    def rows(self, rows: IndexArray) -> DoubleArray:
        """Features of some samples."""


def solve_on_sums(
    passes: Passes,
    problems: Sequence[Dual],
    *,
    tol: float = 1e-3,
    max_iter: int = -1,
    report: Callable[[int, int | None, float], bool] | None = None,
) -> list[FeatureSolution]:
    """Solve dual problems of support vector machines in passes over the samples.

    The problems are those of `solve_on_features` and `solve_nu_on_features`, and so are the optima. The division of the
    samples into blocks has no influence but rounding.

    Parameters
    ----------
    passes : Passes
        Passes over the samples.
    problems : sequence of Dual
        Problems on rows of F, with finite bounds lower ≤ 0 ≤ upper, one or two groups, and each row at most once.
    tol : float, default=1e-3
        Largest duality gap relative to the larger modulus of the primal and the dual objective.
    max_iter : int, default=-1
        Number of passes after which a problem is not continued, but certified. -1 means 10000, a safety limit.
    report : callable, default=None
        Called as ``report(done, total, gap)`` after every round; if it returns True, the run ends early.

    Returns
    -------
    list of FeatureSolution
        One per problem; `n_iter` counts passes. The gap is that of a feasible β with w = Fᵀβ and the best bias.

    Raises
    ------
    ValueError
        If a problem has bounds that are not finite, members outside F, or no feasible point besides its start.

    See Also
    --------
    mercer.solvers.feature_svm.solve_on_features : Solver for features that are held, or mapped from a file.

    Notes
    -----
    A step takes two passes: kernel values of all samples, and O(n_c r²) for features of the n_c samples whose
    coefficients change or are between their bounds, besides O(r³). The first point is the solution for 20r samples,
    whose features are held, if there are 80r or more. Memory: O(r²), and some ten numbers for each sample.

    References
    ----------
    * Rockafellar, *Augmented Lagrangians and applications of the proximal point algorithm in convex programming*,
      Mathematics of Operations Research 1, 1976.
    * Li, Sun, Toh, *A highly efficient semismooth Newton augmented Lagrangian method for solving Lasso problems*, SIAM
      Journal on Optimization 28, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.solvers.summed_svm import solve_on_sums
    >>> from mercer.solvers.svm import classification
    >>> class Held:
    ...     F = np.array([[0.0], [1.0], [3.0]])
    ...     n, n_components = F.shape
    ...     summed = lambda self, task, T, weight: task.of(self.F, T, weight)
    ...     coefficients = staticmethod(lambda weights: weights)
    ...     values = lambda self, coef: self.F @ coef
    ...     rows = lambda self, rows: self.F[rows]
    >>> problem = classification(np.arange(3), np.array([-1.0, -1.0, 1.0]), np.full(3, 100.0))
    >>> (answer,) = solve_on_sums(Held(), [problem], tol=1e-9)
    >>> answer.weights.round(6), round(answer.bias[0], 6)
    (array([1.]), -2.0)
    """
    for number, problem in enumerate(problems):
        check_problem("solve_on_sums", number, replace(problem, split=None), passes.n)
    stopped, found = False, []
    limit = _MOST_PASSES if max_iter < 0 else max_iter
    for number, problem in enumerate(problems):

        def progress(gap: float, done: int = number) -> bool:
            nonlocal stopped
            stopped = stopped or (report is not None and report(done, len(problems), gap))
            return stopped

        found.append(_Machine(passes, problem, tol, limit).solved(progress))
    return found


@final
@dataclass(frozen=True)
class _Products:
    """Fᵀβ, and AᵀDA of features and indicators of the groups; T has β, D and the group of every sample."""

    groups: int

    def of(self, F: DoubleArray, T: DoubleArray, weight: DoubleArray) -> Sums:  # noqa: ARG002
        bent = np.flatnonzero(T[:, 1])
        A = np.empty((len(bent), F.shape[1] + self.groups))
        A[:, : F.shape[1]] = F[bent]
        A[:, F.shape[1] :] = T[bent, 2:] == np.arange(self.groups)
        A *= np.sqrt(T[bent, 1:2])
        return Sums(T[:, 0] @ F, inner_products(A))


@final
@dataclass(frozen=True)
class _Norms:
    """Σ‖f‖² and the number of samples."""

    def of(self, F: DoubleArray, T: DoubleArray, weight: DoubleArray) -> Sums:  # noqa: ARG002
        return Sums(np.einsum("ij,ij->", F, F), len(F))


class _Point(NamedTuple):
    """Weights and biases θ = (w, b), and f·w + b + q of all members."""

    theta: DoubleArray
    v: DoubleArray


@final
class _Machine:
    """One problem: rounds of the method of multipliers, each with steps of Newton's method."""

    def __init__(self, passes: Passes, problem: Dual, tol: float, most_passes: int) -> None:
        self._passes, self._problem, self._tol, self._most = passes, problem, tol, most_passes
        self._losses = Losses(problem)
        self._before, self._sigma, self._size, self._largest, self._count = problem.start, 1.0, 0.0, 0.0, 0
        self._close = min(tol, 1.0) ** 2  # ½‖w − Fᵀβ‖² of the last rounds, relative to the objective
        self._known = np.zeros(len(problem.members)), np.zeros(passes.n_components)  # β, and Fᵀβ
        self._least = self._intersecting() if self._losses.groups > 1 else -np.inf

    def solved(self, progress: Callable[[float], bool]) -> FeatureSolution:
        """Best solution of all rounds."""
        best, point = self._certified(self._problem.start)
        self._sigma = 1 / (float(np.sqrt(np.mean(np.square(point.v)))) or 1.0)
        point = self._first(point)
        stalled = 0
        for _ in range(_MOST_ROUNDS):
            if best.solution.converged or stalled > _STALLED:
                break
            point = self._round(point)
            self._before = self._losses.repaired(self._losses.nearest(point.v, self._before, self._sigma)[0])
            slack = self._losses.slack(point.v, self._before)
            fine, last = slack <= self._tol * self._size, progress(slack / (self._size or 1.0))
            last |= self._count >= self._most
            if fine or last or self._losses.groups > 1:
                answer, _ = self._certified(self._before)
                better = answer.solution.gap < 0.9 * best.solution.gap
                best, stalled = (answer, 0) if better else (best, stalled + 1)
                self._close = max(_EXACT, 0.01 * self._close)  # this was not enough, or the fit has ended
            if last:
                break
            near = slack <= _NEAR * self._tol * self._size
            faster = _SLOWLY if fine else 1.0 if near else _FASTER
            if faster * self._largest <= _LARGEST:
                self._sigma *= faster
        status = Status.PRECISION if stalled > _STALLED else best.solution.status
        return replace(best, solution=replace(best.solution, status=status, n_iter=self._count))

    # ---- passes

    def _column(self, *values: DoubleArray) -> DoubleArray:
        """Numbers of the members in the rows of their samples."""
        T = np.zeros((self._passes.n, len(values)))
        T[self._problem.members] = np.column_stack(values)
        return T

    def _total(self, task: LossTask, T: DoubleArray, used: DoubleArray) -> Sums:
        self._count += 1
        return self._passes.summed(task, T, self._column(used.astype(np.float64))[:, 0])

    def _values(self, w: DoubleArray) -> DoubleArray:
        """Fw of the members."""
        if not w.any():
            return np.zeros(len(self._problem.members))
        self._count += 1
        values: DoubleArray = self._passes.values(self._passes.coefficients(w[:, None]))
        return np.asarray(values[self._problem.members, 0])

    def _products(self, beta: DoubleArray, bend: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
        """Aᵀβ and AᵀDA, from the samples whose β has changed since the last pass, or whose D is not zero."""
        losses, (known, sums) = self._losses, self._known
        change = beta - known
        curvature = np.zeros((len(sums) + losses.groups,) * 2)
        if (used := (change != 0) | (bend > 0)).any():
            T = self._column(change, bend, losses.group.astype(np.float64))
            products, curvature = self._total(_Products(losses.groups), T, used).arrays
            sums = sums + products
            self._known = beta, sums
        return np.concatenate([sums, np.bincount(losses.group, beta, losses.groups)]), curvature

    def _intersecting(self) -> float:
        """Objective below which the hulls of two classes count as intersecting: the optimum may be zero."""
        none = np.zeros(len(self._problem.members))
        norms, n = self._total(_Norms(), self._column(none), none + 1).arrays
        return _NO_MARGIN * float(norms / n) * float(np.abs(self._losses.sums).sum()) ** 2 / 8

    def _first(self, point: _Point) -> _Point:
        """Solution for a sample in memory, at the σ of its last round; the given point if there are few samples."""
        problem, r = self._problem, self._passes.n_components
        if len(problem.members) < _PART * _SAMPLE * r:
            return point
        small, chosen = sampled(problem, _SAMPLE * r)
        self._count += 1
        F = self._passes.rows(problem.members[chosen])
        machine = _Machine(SampledPasses(F), small, max(self._tol, _FIRST_TOL), _MOST_PASSES)
        answer = machine.solved(lambda gap: False)  # noqa: ARG005
        self._sigma = machine._sigma
        bias = np.array(answer.bias)[: self._losses.groups]
        v = self._values(answer.weights) + problem.linear + bias[self._losses.group]
        return _Point(np.concatenate([answer.weights, bias]), v)

    # ---- one round

    def _round(self, point: _Point) -> _Point:
        """Minimise the smoothed objective, to rounding if its optimum is close enough to that of the true one."""
        losses, sigma, r = self._losses, self._sigma, self._passes.n_components
        for _ in range(_MOST_STEPS):
            beta, bend = losses.nearest(point.v, self._before, sigma)
            products, curvature = self._products(beta, bend)
            rest = products - np.concatenate([point.theta[:r], losses.sums])
            distance = float(rest[:r] @ rest[:r]) / 2 + float(np.abs(rest[r:]).sum()) / sigma
            self._size = abs(losses.objective(beta, products[:r]))
            slack = losses.slack(point.v, beta)
            enough = 0.03 * slack if slack > self._tol * self._size else self._close * self._size
            moved = None if distance <= enough or self._count >= self._most else self._stepped(point, rest, curvature)
            if moved is None:
                break
            point = moved
        return point

    def _stepped(self, point: _Point, rest: DoubleArray, curvature: DoubleArray) -> _Point | None:
        """Point after a Newton step of the best length; None if rounding hides all progress."""
        losses, r = self._losses, self._passes.n_components
        diagonal = curvature.diagonal().copy()
        diagonal[:r] += 1.0
        whole = self._sigma * losses.widths
        diagonal[r:] += np.where(diagonal[r:] > 1e-9 * whole, 1e-12, 1e-3) * whole  # few coefficients inside
        self._largest = float(diagonal.max())
        np.fill_diagonal(curvature, diagonal + _ROUNDING * self._largest)
        step = np.asarray(solve_cholesky(cholesky(np.asfortranarray(curvature)), rest))
        d = self._values(step[:r]) + step[r:][losses.group]

        def slope(t: float) -> float:
            beta, _ = losses.nearest(point.v + t * d, self._before, self._sigma)
            return float((point.theta[:r] + t * step[:r]) @ step[:r] + losses.sums @ step[r:] - beta @ d)

        length = _zero(slope)
        return None if length is None else _Point(point.theta + length * step, point.v + length * d)

    # ---- certificate

    def _certified(self, beta: DoubleArray) -> tuple[FeatureSolution, _Point]:
        """Solution of a feasible β with w = Fᵀβ, and its gap with the best bias."""
        losses = self._losses
        w = np.zeros(self._passes.n_components)
        if beta.any():
            self._known = np.zeros(len(beta)), w  # a sum without the rounding of earlier ones
            w = self._products(beta, np.zeros(len(beta)))[0][: len(w)]
        gradient = self._values(w) + self._problem.linear
        bias = losses.best_bias(gradient)
        v = gradient + bias[losses.group]
        objective, gap = losses.objective(beta, w), losses.slack(v, beta)
        if losses.groups > 1:  # there is no linear term, so that the optimum is not negative
            gap = min(gap, objective)
        done = gap <= self._tol * max(abs(objective), abs(gap - objective)) or objective <= self._least
        status = Status.CONVERGED if done else Status.MAX_ITER
        free = int(np.count_nonzero((beta > self._problem.lower) & (beta < self._problem.upper)))
        solution = Solution(objective, gap, losses.violation(gradient, beta), status, self._count, free)
        ends = float(bias[0]), float(bias[-1])
        return FeatureSolution(beta, gradient, ends, solution, w), _Point(np.concatenate([w, bias]), v)


def _zero(slope: Callable[[float], float]) -> float | None:
    """Length t > 0 at which an increasing function is nearly zero; None unless it starts below zero.

    >>> round(_zero(lambda t: t - 3.0), 1)
    3.0
    """
    first = slope(0.0)
    if not first < 0:
        return None
    low, high, at_low, at_high, t = 0.0, np.inf, first, np.inf, 1.0
    for _ in range(_MOST_LENGTHS):
        value = slope(t)
        if abs(value) <= _FLAT * -first:
            return t
        if value < 0:
            low, at_low = t, value
        else:
            high, at_high = t, value
        if np.isinf(high):
            t = 2 * low
        else:
            share = at_low / (at_low - at_high)
            t = low + (high - low) * min(0.9, max(0.1, share))
    return low or t
