"""Certificates of solvers: status of a run and bound on the distance to the optimum."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

__all__ = ["Solution", "Status"]

_ROUNDING = 1e-9  # relative gap up to which a solution is optimal up to rounding
_CLOSE = 1e-2  # relative gap above which the bound is too wide to call the solution optimal


class Status(Enum):
    """Status of a solver when it stopped, as stored in ``solution_.status`` of estimators.

    ============= ======================================================================================================
    CONVERGED     The optimality conditions hold to the tolerance.
    MAX_ITER      The solver stopped at its maximal number of iterations.
    NOT_PSD       The optimality conditions hold, but the kernel is not positive semidefinite on the training samples.
                  The solution is a stationary point, not a proven optimum.
    PRECISION     Rounding of the kernel values does not allow the requested tolerance.
    SINGULAR      The linear system is singular to working precision. The solution of least norm was returned.
    OVERFLOW      The objective or its optimality conditions exceed the range of floating-point numbers.
    ============= ======================================================================================================

    See Also
    --------
    Solution : Certificate that contains a status.
    mercer.exceptions.IndefiniteKernelWarning : Issued before a fit with an indefinite kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import SVC
    >>> model = SVC(kernel="linear").fit(np.array([[0.0], [1.0], [3.0]]), [0, 0, 1])
    >>> model.solution_.status
    <Status.CONVERGED: 'converged'>
    >>> model.solution_.status.advice
    'The tolerance is met; nothing to do.'
    """

    CONVERGED = "converged"
    MAX_ITER = "max_iter"
    NOT_PSD = "not_psd"
    PRECISION = "precision"
    SINGULAR = "singular"
    OVERFLOW = "overflow"

    @property
    def advice(self) -> str:
        """Advice on what to do about the status.

        Returns
        -------
        str
            One or two sentences.

        Examples
        --------
        >>> Status.MAX_ITER.advice
        'Raise max_iter, loosen tol, or scale the features; with warm_start=True the next fit goes on from here.'
        """
        return _ADVICE[self]

    @classmethod
    def worst(cls, statuses: "Iterable[Status]") -> "Status":
        """Return the most severe of several statuses.

        Parameters
        ----------
        statuses : iterable of Status
            Statuses to compare. The order of severity is CONVERGED, NOT_PSD, PRECISION, MAX_ITER, SINGULAR, OVERFLOW.

        Returns
        -------
        Status
            Most severe status; CONVERGED if there are none.

        Examples
        --------
        >>> Status.worst([Status.CONVERGED, Status.MAX_ITER, Status.NOT_PSD])
        <Status.MAX_ITER: 'max_iter'>
        """
        order = [cls.CONVERGED, cls.NOT_PSD, cls.PRECISION, cls.MAX_ITER, cls.SINGULAR, cls.OVERFLOW]
        return max(statuses, key=order.index, default=cls.CONVERGED)


_ADVICE = {
    Status.CONVERGED: "The tolerance is met; nothing to do.",
    Status.MAX_ITER: "Raise max_iter, loosen tol, or scale the features; with warm_start=True the next fit goes on "
    "from here.",
    Status.NOT_PSD: "The conditions of optimality hold, but the kernel is not positive semidefinite on this data: the "
    "solution is a stationary point, not a proven optimum; see mercer.kernels.repair.",
    Status.PRECISION: "Rounding of the kernel values does not allow this tolerance; scale the features, lower C or "
    "loosen tol.",
    Status.SINGULAR: "The linear system is singular to working precision, and the solution of least norm was returned; "
    "raise the regularisation.",
    Status.OVERFLOW: "The objective or its conditions of optimality exceed the range of floating-point numbers, so "
    "nothing certifies the solution; rescale features, targets and weights, or use less extreme parameters.",
}


@dataclass(frozen=True)
class Solution:
    """Certificate of a solved problem, stored by estimators as ``solution_``.

    It states the objective that was reached, an upper bound on its distance to the optimum, and the violation of the
    optimality conditions, all evaluated in float64 at the returned solution.

    Parameters
    ----------
    objective : float
        Value of the minimised function; for a support vector machine the dual objective ½αᵀQα + pᵀα.
    gap : float
        Upper bound on objective − optimum for a positive semidefinite kernel; NaN if no bound is known.
    violation : float
        Violation of the optimality conditions: for a support vector machine the largest violation of the
        Karush-Kuhn-Tucker conditions on the full gradient, for linear systems and eigenvectors the relative residual.
    status : Status
        Status of the solver. It is replaced by ``Status.OVERFLOW`` if `objective` or `violation` is not finite or `gap`
        is infinite, so that such a solution never counts as converged.
    n_iter : int
        Number of iterations; for a support vector machine the number of pair updates.
    n_free : int, default=0
        Number of coefficients strictly inside their bounds.
    polished : bool, default=False
        Whether the linear system of the free coefficients was solved to rounding.
    machines : tuple of Solution, default=()
        Certificates of the parts if several problems were solved, such as one per pair of classes or one per class.
    exact_gap : float, default=0.0
        Bound on the error of an approximated kernel: upper bound on (optimum of the exact problem) − `objective`, or
        for a `primal` objective on (`objective` − `gap`) − (optimum of the exact problem). NaN if no bound is known. 0
        for exact fits.
    confidence : float, default=1.0
        Probability with which `exact_gap` is a bound, over the samples from which it was estimated. 1 if it was
        computed from all samples.
    primal : bool, default=False
        Whether the objective is that of a primal problem, which the exact kernel lowers, as for logistic regression and
        multiple kernel learning, and not that of a dual problem, which the exact kernel raises.

    See Also
    --------
    Status : Values of `status`, with advice.
    solve_dual : Solver of the support vector machines.

    Notes
    -----
    Most solutions are accurate to `tol`, which bounds `violation`. The `gap` is the stronger statement: no other
    solution has an objective lower by more than `gap`.

    With an approximated kernel K̂, `objective`, `gap` and `violation` belong to the problem with K̂. A Nyström
    approximation has K − K̂ ⪰ 0, so the optimum of the exact problem lies in `exact_interval`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import SVC
    >>> model = SVC(kernel="linear", C=1.0).fit(np.array([[0.0], [1.0], [3.0]]), [0, 0, 1])
    >>> model.solution_.objective, model.solution_.gap, model.solution_.converged
    (-0.5, 0.0, True)

    >>> Solution(objective=-2.0, gap=0.0, violation=1e-12, status=Status.CONVERGED, n_iter=3).converged
    True
    >>> Solution(objective=float("inf"), gap=0.0, violation=0.0, status=Status.CONVERGED, n_iter=3).status
    <Status.OVERFLOW: 'overflow'>
    """

    objective: float
    gap: float
    violation: float
    status: Status
    n_iter: int
    n_free: int = 0
    polished: bool = False
    machines: "tuple[Solution, ...]" = field(default=(), repr=False)
    exact_gap: float = 0.0
    confidence: float = 1.0
    primal: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.objective) and math.isfinite(self.violation)) or math.isinf(self.gap):
            object.__setattr__(self, "status", Status.OVERFLOW)

    @property
    def converged(self) -> bool:
        """Whether the optimality conditions hold to the tolerance.

        Returns
        -------
        bool
            True for the statuses CONVERGED and NOT_PSD.
        """
        return self.status in (Status.CONVERGED, Status.NOT_PSD)

    @property
    def relative_gap(self) -> float:
        """`gap` relative to the objective or to the bound on the optimum, whichever has the larger magnitude.

        Returns
        -------
        float
            Number between 0 and 2, independent of the units of the problem; 0 for a gap of zero or below, NaN if no
            bound is known or numbers overflowed.

        Examples
        --------
        >>> solution = Solution(objective=-3000.0, gap=24.0, violation=1e-4, status=Status.CONVERGED, n_iter=3)
        >>> round(solution.relative_gap, 4)
        0.0079
        """
        if self.status is Status.OVERFLOW or math.isnan(self.gap):
            return math.nan
        if self.gap <= 0:
            return 0.0
        ratio = self.objective / self.gap  # an infinite ratio gives 0; the difference of both might overflow
        return 1 / max(abs(ratio), abs(ratio - 1))

    @property
    def exact_interval(self) -> tuple[float, float]:
        """Interval that contains the optimum of the exact problem with probability `confidence`.

        Returns
        -------
        lower : float
            `objective` − `gap`, less `exact_gap` for a `primal` objective; NaN if no bound is known.
        upper : float
            `objective`, plus `exact_gap` for a dual objective. Both ends are NaN if `exact_gap` is.

        Examples
        --------
        >>> part = Solution(-3.0, 0.25, 1e-4, Status.CONVERGED, n_iter=9, exact_gap=0.5, confidence=0.95)
        >>> part.exact_interval
        (-3.25, -2.5)
        >>> Solution(3.0, 0.25, 1e-4, Status.CONVERGED, n_iter=9, exact_gap=0.5, primal=True).exact_interval
        (2.25, 3.0)
        """
        if math.isnan(self.exact_gap):
            return math.nan, math.nan
        if self.primal:
            return self.objective - self.gap - self.exact_gap, self.objective
        return self.objective - self.gap, self.objective + self.exact_gap

    @property
    def exactness(self) -> Literal["rounding", "tolerance", "loose"]:
        """Accuracy of a converged solution in one word, which reports and messages use.

        Returns
        -------
        {"rounding", "tolerance", "loose"}
            "rounding" if `relative_gap` is at most 1e-9, "tolerance" if it is at most 1e-2, else "loose": the
            optimality conditions hold to `tol`, but the bound on the objective is too wide to call it optimal. If no
            bound is known, `violation` replaces `relative_gap`, and "loose" is never returned. The word describes the
            problem that was solved; for an approximated kernel, see `exact_gap`.

        Examples
        --------
        >>> Solution(objective=-3000.0, gap=24.0, violation=1e-4, status=Status.CONVERGED, n_iter=3).exactness
        'tolerance'
        """
        relative = self.relative_gap
        if math.isnan(relative):
            return "rounding" if self.violation <= _ROUNDING else "tolerance"
        return "rounding" if relative <= _ROUNDING else "tolerance" if relative <= _CLOSE else "loose"

    @classmethod
    def together(cls, parts: "Sequence[Solution]") -> "Solution":
        """Combine the certificates of several problems into one.

        Parameters
        ----------
        parts : sequence of Solution
            Certificates of the problems, at least one.

        Returns
        -------
        Solution
            Sums of objectives, gaps, iterations and free coefficients, and the worst violation and status; `parts` are
            its `machines`. A single part is returned unchanged.
        """
        if len(parts) == 1:
            return parts[0]
        return cls(
            objective=sum(p.objective for p in parts),
            gap=sum(p.gap for p in parts),
            violation=max(p.violation for p in parts),
            status=Status.worst(p.status for p in parts),
            n_iter=sum(p.n_iter for p in parts),
            n_free=sum(p.n_free for p in parts),
            polished=all(p.polished for p in parts),
            machines=tuple(parts),
            exact_gap=sum(p.exact_gap for p in parts),
            confidence=max(0.0, 1.0 - sum(1.0 - p.confidence for p in parts)),
            primal=all(p.primal for p in parts),
        )
