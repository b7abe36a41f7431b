"""Machines found as nearest points of (reduced) convex hulls, then scaled so that support vectors have f = ±1.

ν-SVC and the hard margin. Scaling stretches violations as well: a narrow margin needs a finer tolerance.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mercer.solvers import Dual, DualSolution, Solution, Status
from mercer.svm.base import SupportVectorMachine
from mercer.svm.classifier import Rows

__all__ = ["nearest_points", "scaled"]

_MOST_ROUNDS = 20
_ROUNDING = 1e-13  # of the largest squared norm: a squared distance that rounding may have made


def nearest_points(
    machine: SupportVectorMachine, rows: Rows, problems: Sequence[Dual], *, tol: float, goal: float, finest: float
) -> tuple[list[DualSolution], list[bool]]:
    """Solve, and go on with finer tolerances, down to `finest`, while violations are above `goal` after the scaling.

    Also tells for each problem whether the hulls are apart. Half their squared distance is the objective: it proves so
    if it exceeds its duality gap and what rounding may have made. `finest` is in units of the largest gradient.
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
    apart = [
        np.isfinite(_stretch(a))
        and (a.solution.objective > max(a.solution.gap, least) or a.solution.status is not Status.CONVERGED)
        for a, least in zip(answers, nothing, strict=True)
    ]
    return answers, apart


def _stretch(answer: DualSolution) -> float:
    """The factor that brings support vectors to f = ±1; infinite if the hulls meet."""
    width = answer.bias[1] - answer.bias[0]
    return 2 / width if width > 0 else np.inf


def _scaled_violation(answer: DualSolution) -> float:
    factor = _stretch(answer)
    return answer.solution.violation * factor if np.isfinite(factor) else np.inf


def scaled(answer: DualSolution, tol: float) -> Solution:
    """The certificate in units of the hard-margin dual, whose optimum is −2/d² for hulls at the distance d."""
    part, factor = answer.solution, _stretch(answer)
    violation = part.violation * factor
    return replace(
        part,
        objective=-part.objective * factor**2,
        gap=part.gap * factor**2,
        violation=violation,
        status=Status.PRECISION if part.status is Status.CONVERGED and violation > tol else part.status,
    )
