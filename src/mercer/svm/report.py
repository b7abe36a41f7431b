"""Reports of a fit: the certificate in one line, and the warning if the solver did not converge."""

import sys
from typing import Any

import numpy as np

from mercer._estimator import warn_unconverged
from mercer.solvers import Solution, Status

__all__ = ["line", "report"]


def line(who: str, solution: Solution, n_support: int) -> str:
    """Certificate in one line.

    >>> line("SVC", Solution(objective=-2.0, gap=0.0, violation=1e-12, status=Status.CONVERGED, n_iter=3), 2)
    '[SVC] converged: objective -2, gap 0 (relative 0), violation 1e-12, 3 steps, 2 support vectors'
    """
    return (
        f"[{who}] {solution.status.value}: objective {solution.objective:.10g}, gap {solution.gap:.2g} "
        f"(relative {solution.relative_gap:.2g}), "
        f"violation {solution.violation:.2g}, {solution.n_iter} steps, {n_support} support vectors"
    )


def report(machine: Any) -> None:
    """Print the certificate of a fitted machine if it is verbose; warn if the solver did not converge."""
    who, solution = type(machine).__name__, machine.solution_
    if machine.verbose:
        sys.stdout.write(line(who, solution, int(np.sum(machine.n_support_))) + "\n")
    if solution.status is Status.MAX_ITER:
        text = (
            f"Solver terminated early (max_iter={machine.max_iter}).  Consider pre-processing your data with "
            "StandardScaler or MinMaxScaler."
        )
    elif machine._approximate and machine._on_features:
        text = (
            f"{who}: the relative duality gap is {solution.relative_gap:.2g}, more than tol={machine.tol}. "
            f"{solution.status.advice}"
        )
    else:
        text = (
            f"{who}: the optimality conditions are violated by {solution.violation:.2g}, more than tol={machine.tol}. "
            f"{solution.status.advice}"
        )
    warn_unconverged(machine, text)
