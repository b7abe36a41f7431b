"""The section on the kernel: what it is, why it is valid, and what else was tried."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer.kernels import Definiteness, Kernel
from mercer.report.blocks import Block, Cell, Heading, Listing, PageTable, Paragraph, Section, cell
from mercer.report.pictures import weights_picture
from mercer.report.scores import headline_metric, shown
from mercer.report.subject import Subject
from mercer.report.text import count, plain

__all__ = ["kernel_section"]

PARTS = 30  # most parts in the table
LEAD = (
    "A kernel is a formula for how alike two samples are. The model knows the data through it alone: it compares a new "
    "sample with those it has learned from, and lets them vote."
)
_VERDICTS = {
    Definiteness.PSD: "The kernel is proved to be valid (positive semidefinite): likeness is an inner product in some "
    "space, so that what the solver finds is the optimum. The proof, rule by rule:",
    Definiteness.CPD: "The kernel is proved to be conditionally positive semidefinite, which is enough where data are "
    "centred. The proof, rule by rule:",
    Definiteness.NOT_PSD: "The kernel is proved not to be positive semidefinite: solutions are stationary points, not "
    "proven optima. The proof:",
    Definiteness.UNKNOWN: "No rule decides whether the kernel is positive semidefinite. What is known of its parts:",
}


def kernel_section(subject: Subject) -> Section:
    """Text, formulas, certificate, and the candidates."""
    kernel = subject.model.kernel_
    blocks: list[Block] = [Listing("The chosen kernel", plain(str(kernel)), wrap=True), _formulas(kernel)]
    blocks += [Heading("What was tried"), *_candidates(subject)]
    certificate = kernel.certificate()
    blocks += [Heading("Why it is a kernel"), Paragraph(_VERDICTS[certificate.definiteness])]
    blocks.append(Listing("Proof", str(certificate)))
    return Section("kernel", "The kernel", LEAD, blocks)


def _leaves(kernel: Kernel) -> Iterator[Kernel]:
    parts = kernel.parts()
    if not parts:
        yield kernel
    for part in parts.values():
        yield from _leaves(part)


def _formulas(kernel: Kernel) -> PageTable:
    """Every different kernel inside the expression, with its formula."""
    leaves = list(dict.fromkeys(_leaves(kernel)))
    rows = [[cell(str(leaf), code=True), cell(leaf.formula or "–"), Cell(_about(leaf))] for leaf in leaves[:PARTS]]
    caption = "Its parts" if len(leaves) > 1 else "Its formula"
    note = f"{count(len(leaves) - PARTS, 'more part')} not shown." if len(leaves) > PARTS else ""
    return PageTable("formulas", caption, ["part", "formula", "what it is"], rows, note=note)


def _about(leaf: Kernel) -> str:
    """The first sentence of its documentation, as far as there is one."""
    text = " ".join((type(leaf).__doc__ or "").partition("\n\n")[0].split())
    return "" if text.startswith(f"{type(leaf).__name__}(") else text  # what dataclasses write


def _candidates(subject: Subject) -> list[Block]:
    candidates, name = subject.model.candidates_, headline_metric(subject)
    chosen = next((i for i, c in enumerate(candidates) if c.chosen), None)
    columns = ["kernel", "alignment", "weight", f"inner {name}", "model", "parameters", "chosen"]
    note = (
        "Alignment: how well the likeness agrees with that of the targets, 1 at most. Weight: its share in the "
        f"weighted sum of all. Inner {name}: mean and standard error in cross-validation inside the training data, by "
        "which the choice was made: the best, or a simpler one that is as good up to a standard error. As a choice was "
        "made by it, it flatters a little."
    )
    rows = [_candidate(c, name) for c in candidates]
    blocks: list[Block] = [PageTable("candidates", "Candidates", columns, rows, note=note, marked=chosen)]
    picture = weights_picture(subject)
    return blocks if picture is None else [*blocks, picture]


def _candidate(c: Any, name: str) -> list[Cell]:
    spread = f" ± {shown(name, c.spread)}" if np.isfinite(c.spread) else ""
    params = [f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}" for key, value in c.params.items()]
    return [
        Cell(cell(c.name).text, title=plain(str(c.kernel))),
        cell(c.alignment, digits=3),
        cell(c.weight, digits=3, bar=None if c.weight is None else float(c.weight)),
        Cell(shown(name, c.score) + spread, number=True),
        cell(c.model),
        cell(", ".join(params)),
        cell("yes" if c.chosen else ""),
    ]
