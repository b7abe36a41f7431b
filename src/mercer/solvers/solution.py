"""What a solver says about its answer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

__all__ = ["Solution", "Status"]


class Status(Enum):
    """How a solver ended; `advice` is one sentence on what to do about it."""

    CONVERGED = "converged"
    MAX_ITER = "max_iter"
    NOT_PSD = "not_psd"
    PRECISION = "precision"
    SINGULAR = "singular"

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
        order = [cls.CONVERGED, cls.NOT_PSD, cls.PRECISION, cls.MAX_ITER, cls.SINGULAR]
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
}


@dataclass(frozen=True)
class Solution:
    """The certificate of a solved problem.

    Attributes
    ----------
    objective : float
        What was minimised; of a dual machine ½αᵀQα + pᵀα.
    gap : float
        At most so far above the optimum (for a positive semidefinite kernel); NaN where no bound is known.
    violation : float
        By how much the conditions of optimality fail, in float64: of a dual machine the largest violation of those of
        Karush, Kuhn and Tucker on the full gradient; of linear systems and eigenvectors the relative residual.
    status : Status
        How the solver ended.
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
    """

    objective: float
    gap: float
    violation: float
    status: Status
    n_iter: int
    n_free: int = 0
    polished: bool = False
    machines: "tuple[Solution, ...]" = field(default=(), repr=False)

    @property
    def converged(self) -> bool:
        """Whether the conditions of optimality hold to the tolerance."""
        return self.status in (Status.CONVERGED, Status.NOT_PSD)

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
