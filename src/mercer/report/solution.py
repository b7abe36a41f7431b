"""The section on optimality: how near the fit is to the best that the model can do."""

from mercer.report.blocks import Block, PageTable, Paragraph, Section
from mercer.report.subject import Subject
from mercer.report.text import count, number
from mercer.solvers import Solution, Status

__all__ = ["sentence", "solution_section"]

LEAD = (
    "Fitting means solving an optimisation problem. The solver hands out a certificate: numbers, computed afterwards "
    "from the solution itself, that bound how far it can be from the best one."
)
MACHINES = 10  # most parts in the table


def solution_section(subject: Subject) -> Section | None:
    """Status, gap and violation; None for models that solve no such problem."""
    if not hasattr(subject.model.model_, "dual_coef_"):
        return None
    solution = subject.model.model_.solution_
    blocks: list[Block] = [Paragraph(sentence(solution)), _table(solution)]
    return Section("optimality", "Is the fit exact?", LEAD, blocks)


def sentence(solution: Solution) -> str:
    """The certificate in words.

    >>> print(sentence(Solution(objective=-2.0, gap=1e-9, violation=1e-12, status=Status.CONVERGED, n_iter=3)))
    Yes, up to rounding: the solver converged, and the conditions of optimality hold to 10⁻¹². The objective, −2, is at most 10⁻⁹ above the smallest possible value, 5·10⁻¹⁰ of its size.
    """  # noqa: E501
    if not solution.converged:
        return (
            f"Not to the tolerance that was asked for: the solver ended with “{solution.status.value}”, and the "
            f"conditions of optimality are violated by {number(solution.violation, 2)}. {solution.status.advice}"
        )
    if solution.status is not Status.CONVERGED:
        return f"As far as can be said: {solution.status.advice}"
    said = (
        f"{_VERDICTS[solution.exactness]}: the solver converged, and the conditions of optimality hold to "
        f"{number(solution.violation, 2)}."
    )
    if solution.gap != solution.gap:
        return said
    bound, share = number(max(solution.gap, 0.0), 2), number(solution.relative_gap, 2)
    return (
        f"{said} The objective, {number(solution.objective)}, is at most {bound} above the smallest possible value, "
        f"{share} of its size."
    )


_VERDICTS = {
    "rounding": "Yes, up to rounding",
    "tolerance": "Yes, to the tolerance that was asked for",
    "loose": "To the tolerance that was asked for, which leaves room for a better objective; lower tol to narrow it",
}


def _table(solution: Solution) -> PageTable:
    parts = [("whole", solution), *((f"part {i + 1}", part) for i, part in enumerate(solution.machines[:MACHINES]))]
    rows = [[name, s.status.value, s.objective, s.gap, s.relative_gap, s.violation, s.n_iter] for name, s in parts]
    columns = ["problem", "status", "objective", "gap", "relative gap", "violation", "iterations"]
    more = len(solution.machines) - MACHINES
    note = (
        "Gap: by how much the objective can at most be above the optimum; relative to its size it does not depend on "
        "the units of the problem. Violation: by how much the conditions of optimality fail."
        + (f" {count(more, 'more part')} not shown." if more > 0 else "")
    )
    return PageTable.of("certificate", "Certificate of the solution", columns, rows, note=note)
