"""Certificates of solvers: how a run ended, and how far from the optimum it can be."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

__all__ = ["Solution", "Status"]

_ROUNDING = 1e-9  # relative gap up to which a solution is optimal up to rounding
_CLOSE = 1e-2  # relative gap above which the bound says little about the solution


class Status(Enum):
    """How a solver ended; `advice` is one sentence on what to do about it."""

    CONVERGED = "converged"
    MAX_ITER = "max_iter"
    NOT_PSD = "not_psd"
    PRECISION = "precision"
    SINGULAR = "singular"
    OVERFLOW = "overflow"

    @property
    def advice(self) -> str:
        """What the user may do.

        >>> Status.MAX_ITER.advice
        'Raise max_iter, loosen tol, or scale the features; with warm_start=True the next fit goes on from here.'
        """
        return _ADVICE[self]

    @classmethod
    def worst(cls, statuses: "Iterable[Status]") -> "Status":
        """The one that matters of several; CONVERGED of none.

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
    Status.SINGULAR: "The linear system is singular to working precision, and the solution of least norm was taken; "
    "raise the regularisation.",
    Status.OVERFLOW: "The objective or its conditions of optimality exceed the range of floating point numbers, so "
    "that nothing certifies the solution; rescale features, targets and weights, or take less extreme parameters.",
}


@dataclass(frozen=True)
class Solution:
    """The certificate of a solved problem.

    Attributes
    ----------
    objective : float
        What was minimised; of a dual machine ½αᵀQα + pᵀα.
    gap : float
        Upper bound on objective − optimum (for a positive semidefinite kernel); NaN where no bound is known.
    violation : float
        By how much the conditions of optimality fail, in float64: of a dual machine the largest violation of those of
        Karush, Kuhn and Tucker on the full gradient; of linear systems and eigenvectors the relative residual.
    status : Status
        How the solver ended. ``Status.OVERFLOW`` replaces whatever was given if `objective` or `violation` is not
        finite or `gap` is infinite: such a solution never counts as converged.
    n_iter : int
        Pair steps, or iterations of whatever the solver does.
    n_free : int
        Coefficients strictly inside their bounds.
    polished : bool
        Whether the linear system of the free coefficients was solved to rounding.
    machines : tuple of Solution
        The parts, if several problems were solved: one per pair of classes, or per class.

    Examples
    --------
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

    def __post_init__(self) -> None:
        if not (math.isfinite(self.objective) and math.isfinite(self.violation)) or math.isinf(self.gap):
            object.__setattr__(self, "status", Status.OVERFLOW)

    @property
    def converged(self) -> bool:
        """Whether the conditions of optimality hold to the tolerance."""
        return self.status in (Status.CONVERGED, Status.NOT_PSD)

    @property
    def relative_gap(self) -> float:
        """`gap` relative to the objective or to the bound on the optimum, whichever is larger in modulus.

        Between 0 and 2, whatever the units of the problem: 0 for a gap of zero (or below, by rounding), NaN where no
        bound is known or numbers overflowed.

        >>> solution = Solution(objective=-3000.0, gap=24.0, violation=1e-4, status=Status.CONVERGED, n_iter=3)
        >>> round(solution.relative_gap, 4)
        0.0079
        """
        if self.status is Status.OVERFLOW or math.isnan(self.gap):
            return math.nan
        if self.gap <= 0:
            return 0.0
        ratio = self.objective / self.gap  # an infinite one gives 0, where a difference of both might overflow
        return 1 / max(abs(ratio), abs(ratio - 1))

    @property
    def exactness(self) -> Literal["rounding", "tolerance", "loose"]:
        """How exact a converged solution is, in one word; all texts about solutions derive from it.

        "rounding" if `relative_gap` is at most 1e-9, "tolerance" if it is at most 1e-2, else "loose": the conditions of
        optimality hold to `tol`, but the bound on the objective is too wide to call it optimal. Where no bound is
        known, `violation` takes the place of `relative_gap`, and "loose" is never returned.

        >>> Solution(objective=-3000.0, gap=24.0, violation=1e-4, status=Status.CONVERGED, n_iter=3).exactness
        'tolerance'
        """
        relative = self.relative_gap
        if math.isnan(relative):
            return "rounding" if self.violation <= _ROUNDING else "tolerance"
        return "rounding" if relative <= _ROUNDING else "tolerance" if relative <= _CLOSE else "loose"

    @classmethod
    def together(cls, parts: "Sequence[Solution]") -> "Solution":
        """One certificate for several problems: sums of objectives and gaps, the worst violation and status."""
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
        )
