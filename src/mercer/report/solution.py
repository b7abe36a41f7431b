"""Section on optimality: certificate of the solver."""

from mercer.report.approximation import approximation_blocks
from mercer.report.blocks import Block, PageTable, Paragraph, Section
from mercer.report.subject import Subject
from mercer.report.text import count, number
from mercer.solvers import Solution, Status

__all__ = ["sentence", "solution_section"]

LEAD = (
    "Fitting the model solves an optimisation problem. The certificate bounds the distance of the solution from the "
    "optimum. It is computed from the solution itself, independently of the solver's iterations."
)
TRANSDUCTION = (
    "The certificate holds for the labels assigned to the unlabelled samples. These labels are a local optimum: other "
    "labels may give a better objective."
)
MACHINES = 10  # largest number of subproblems in the table


def solution_section(subject: Subject) -> Section | None:
    """Create the section: status, gap and violation; None for models without dual coefficients."""
    if not hasattr(subject.model.model_, "dual_coef_"):
        return None
    solution = subject.model.model_.solution_
    blocks: list[Block] = [Paragraph(sentence(solution)), _table(solution)]
    if hasattr(subject.model.model_, "transduction_"):
        blocks.insert(1, Paragraph(TRANSDUCTION))
    blocks += approximation_blocks(subject)
    return Section("optimality", "Optimality", LEAD, blocks)


def sentence(solution: Solution) -> str:
    """Describe the certificate in words.

    >>> print(sentence(Solution(objective=-2.0, gap=1e-9, violation=1e-12, status=Status.CONVERGED, n_iter=3)))
    Optimal up to rounding: the solver converged, and the optimality conditions hold within 10⁻¹². The objective is −2, at most 10⁻⁹ above the optimum (relative gap 5·10⁻¹⁰).
    """  # noqa: E501
    if not solution.converged:
        return (
            f"Not optimal within the tolerance: the solver stopped with the status “{solution.status.value}”, and the "
            f"optimality conditions are violated by {number(solution.violation, 2)}. {solution.status.advice}"
        )
    if solution.status is not Status.CONVERGED:
        return f"Converged without a guarantee of optimality: {solution.status.advice}"
    said = (
        f"{_VERDICTS[solution.exactness]}: the solver converged, and the optimality conditions hold within "
        f"{number(solution.violation, 2)}."
    )
    if solution.gap != solution.gap:
        return said
    bound, share = number(max(solution.gap, 0.0), 2), number(solution.relative_gap, 2)
    return (
        f"{said} The objective is {number(solution.objective)}, at most {bound} above the optimum (relative gap "
        f"{share})."
    )


_VERDICTS = {
    "rounding": "Optimal up to rounding",
    "tolerance": "Optimal within the tolerance",
    "loose": "Optimal within the tolerance, but the gap is large; lower tol to reduce it",
}


def _table(solution: Solution) -> PageTable:
    parts = [("total", solution), *((f"part {i + 1}", part) for i, part in enumerate(solution.machines[:MACHINES]))]
    rows = [[name, s.status.value, s.objective, s.gap, s.relative_gap, s.violation, s.n_iter] for name, s in parts]
    columns = ["problem", "status", "objective", "gap", "relative gap", "violation", "iterations"]
    more = len(solution.machines) - MACHINES
    note = (
        "Gap: upper bound on objective − optimum. Relative gap: gap divided by the size of the objective. Violation: "
        "largest violation of the optimality conditions."
        + (f" {count(more, 'more part')} not shown." if more > 0 else "")
    )
    return PageTable.of("certificate", "Optimality certificate", columns, rows, note=note)
