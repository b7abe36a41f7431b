"""ν-SVC and the hard margin as nearest points of (reduced) convex hulls, scaled so that support vectors have f = ±1.

The scaling also multiplies violations, so a narrow margin needs a finer tolerance.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mercer.solvers import Dual, DualSolution, Solution, Status
from mercer.svm.base import SupportVectorMachine
from mercer.svm.classifier import Rows

__all__ = ["apart", "nearest_points", "scaled", "stretch"]

_MOST_ROUNDS = 20
_ROUNDING = 1e-13  # times the largest squared norm: squared distances below it may be rounding errors


def nearest_points(
    machine: SupportVectorMachine, rows: Rows, problems: Sequence[Dual], *, tol: float, goal: float, finest: float
) -> tuple[list[DualSolution], list[bool]]:
    """Solve nearest-point problems, refining the tolerance down to `finest` while scaled violations exceed `goal`.

    Parameters
    ----------
    machine : SupportVectorMachine
        Estimator whose solver parameters are used.
    rows : Rows
        Gram matrix and weights.
    problems : sequence of Dual
        Problems in the ν form.
    tol : float
        First tolerance.
    goal : float
        Largest violation after the scaling.
    finest : float
        Smallest tolerance, in units of the largest gradient.

    Returns
    -------
    answers : list of DualSolution
        Solutions of the problems.
    apart : list of bool
        Whether the two hulls of each problem are disjoint. The objective is half their squared distance: it proves so
        if it exceeds the duality gap and the rounding error.
    """
    largest = float(np.abs(rows.training.diagonal).max())
    sums = [float(np.abs(p.start).sum()) for p in problems]
    nothing = [_ROUNDING * largest * total**2 for total in sums]
    finest *= largest * min(sums, default=0.0)
    answers, last = machine._solve(rows.source, list(problems), rows.training, tol=tol), np.inf
    for _ in range(_MOST_ROUNDS):
        worst = max(
            (
                a.solution.violation
                for a, least in zip(answers, nothing, strict=True)
                if a.solution.converged and a.solution.objective > least and _scaled_violation(a) > goal
            ),
            default=0.0,
        )
        if worst == 0 or worst > 0.5 * last or tol <= finest:
            break
        tol, last = max(0.1 * min(tol, worst), finest), worst
        restarted = [replace(p, start=a.beta) for p, a in zip(problems, answers, strict=True)]
        answers = machine._solve(rows.source, restarted, rows.training, tol=tol)
    return answers, [apart(a, least) for a, least in zip(answers, nothing, strict=True)]


def apart(answer: DualSolution, least: float = 0.0) -> bool:
    """Whether the hulls of a problem are disjoint: half their squared distance exceeds its gap and `least`."""
    solution = answer.solution
    disjoint = solution.objective > max(solution.gap, least) or solution.status is not Status.CONVERGED
    return bool(np.isfinite(stretch(answer))) and disjoint


def stretch(answer: DualSolution) -> float:
    """Factor that scales the values of support vectors to f = ±1; infinite if the hulls intersect."""
    width = answer.bias[1] - answer.bias[0]
    return 2 / width if width > 0 else np.inf


def _scaled_violation(answer: DualSolution) -> float:
    factor = stretch(answer)
    return answer.solution.violation * factor if np.isfinite(factor) else np.inf


def scaled(answer: DualSolution, tol: float) -> Solution:
    """Certificate in units of the hard-margin dual, whose optimum is −2/d² for hulls at distance d."""
    part, factor = answer.solution, stretch(answer)
    violation = part.violation * factor
    return replace(
        part,
        objective=-part.objective * factor**2,
        gap=part.gap * factor**2,
        violation=violation,
        status=Status.PRECISION if part.status is Status.CONVERGED and violation > tol else part.status,
    )
