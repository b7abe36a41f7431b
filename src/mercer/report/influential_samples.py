"""The section on samples: the largest coefficients and the largest errors."""

from typing import Any

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer._validation import as_dense
from mercer.auto.columns import rows_of
from mercer.report.blocks import Block, Cell, Heading, PageTable, Paragraph, Section, cell
from mercer.report.pictures import image_picture
from mercer.report.raw import raw_values
from mercer.report.subject import Subject
from mercer.report.text import count, cut, number, percent, plain

__all__ = ["influence", "margins", "samples_section"]

TOP = 10
LEAD = (
    "The model is a weighted vote of the samples it has learned from. It pays to look at those with the largest "
    "weights, and at those it gets most wrong: among them are the odd, the rare and the mislabelled. Samples are "
    "counted from 0."
)


def influence(model: Any) -> tuple[IndexArray, DoubleArray]:
    """Samples with a say, and how much: Σ over outputs of |a_i| in f = Σ_i a_i k(x_i, ·) + b.

    >>> from mercer.svm import SVC
    >>> rows, size = influence(SVC(kernel="linear").fit([[0.0], [1.0], [5.0], [9.0]], [0, 0, 1, 1]))
    >>> rows.tolist(), size.round(3).tolist()
    ([1, 2], [0.125, 0.125])
    """
    coef = as_dense(type(model).__name__, model.dual_coef_, name="dual_coef_")
    if hasattr(model, "support_"):  # coefficients of support vectors only, a column for each
        return np.asarray(model.support_), np.abs(np.atleast_2d(coef)).sum(axis=0)
    size = np.abs(coef.reshape(len(coef), -1)).sum(axis=1)
    return np.flatnonzero(size), size[size != 0]


def margins(decisions: DoubleArray, classes: Any, truth: Any) -> DoubleArray:
    """How far decisions are on the right side: f of the true class minus the largest of the others.

    >>> margins(np.array([-0.5, 2.0]), np.array(["a", "b"]), np.array(["a", "a"])).tolist()
    [0.5, -2.0]
    """
    own = np.searchsorted(classes, truth)
    if decisions.ndim == 1:
        return np.where(own == 1, decisions, -decisions)
    rows, others = np.arange(len(own)), decisions.copy()
    others[rows, own] = -np.inf
    return np.asarray(decisions[rows, own] - others.max(axis=1))


def samples_section(subject: Subject) -> Section:
    """The ten most influential samples, and the ten worst predictions."""
    blocks: list[Block] = []
    if hasattr(subject.model.model_, "dual_coef_"):
        blocks += [Heading("Samples the model leans on"), *_influential(subject)]
    blocks += [Heading("The hardest samples"), *_hardest(subject)]
    return Section("samples", "Which samples matter?", LEAD, blocks)


def _influential(subject: Subject) -> list[Block]:
    model = subject.model
    rows, size = influence(model.model_)
    if len(rows) == 0:
        return [Paragraph("No sample has a say: the model is a constant.")]
    order = np.argsort(-size, kind="stable")[:TOP]
    n = len(model.rows_)
    if hasattr(model.model_, "support_"):
        said = (
            f"{number(len(rows))} of {count(n, 'training sample')} are support vectors ({percent(len(rows) / n)}); the "
            "others could be left out without changing the model."
        )
    else:
        said = f"{'All' if len(rows) == n else number(len(rows)) + ' of'} {count(n, 'training sample')} have a say."
    if len(order) < len(rows):
        said += f" The {len(order)} largest weights make up {percent(size[order].sum() / size.sum())} of all."
    own = [[cell(float(s), digits=3, bar=float(s / size[order[0]]))] for s in size[order]]
    chosen = model.rows_[rows[order]]
    return [Paragraph(said), *_listing(subject, "influential", "Largest weights", chosen, ["weight"], own)]


def _hardest(subject: Subject) -> list[Block]:
    truth, guess = subject.truth, np.asarray(subject.evaluation.predictions)
    if not subject.classifies:
        error = truth.astype(float) - guess.astype(float)
        chosen = np.argsort(-np.abs(error), kind="stable")[:TOP]
        most = float(np.abs(error).max()) or 1.0
        own = [[cell(float(guess[i])), cell(float(error[i]), bar=float(error[i] / most))] for i in chosen]
        columns = ["predicted", "true − predicted"]
        return [*_listing(subject, "hardest", "Largest errors, out of fold", chosen, columns, own)]
    wrong = np.flatnonzero(truth != guess)
    if len(wrong) == 0:
        return [Paragraph("None: out of fold no sample was put into a wrong class.")]
    said, columns = f"{count(len(wrong), 'sample')} got a wrong class out of fold.", ["predicted"]
    margin_cells: list[Cell] = []
    decisions = subject.evaluation.decisions
    if decisions is not None:
        margin = margins(np.asarray(decisions, dtype=float), subject.evaluation.classes, truth)
        wrong = wrong[np.argsort(margin[wrong], kind="stable")]
        said += " The margin is the value for the true class minus the largest of the others: the lower, the surer the"
        said += " mistake."
        columns, margin_cells = [*columns, "margin"], [cell(float(margin[i]), digits=3) for i in wrong]
    if len(wrong) > TOP:
        said += f" The {'worst' if margin_cells else 'first'} {TOP} are listed."
    values = [[cell(plain(guess[i])), *margin_cells[k : k + 1]] for k, i in enumerate(wrong[:TOP])]
    return [Paragraph(said), *_listing(subject, "hardest", "Wrong out of fold", wrong[:TOP], columns, values)]


def _listing(
    subject: Subject, id: str, caption: str, chosen: IndexArray, columns: list[str], own: list[list[Cell]]
) -> list[Block]:
    """Samples with their number, target, own columns and raw values; images as a picture besides."""
    X, truth = rows_of(subject.X, chosen), subject.truth[chosen].tolist()
    names, values, left = raw_values(X, subject.model.preparer_.kinds_, images=subject.dataset.shape is not None)
    targets = [cell(plain(t) if subject.classifies else float(t)) for t in truth]
    rows = [[cell(int(i)), t, *mine, *raw] for i, t, mine, raw in zip(chosen, targets, own, values, strict=True)]
    note = f"{count(left, 'more column')} not shown." if left else ""
    table = PageTable(id, caption, ["sample", subject.target, *columns, *names], rows, note=note)
    if subject.dataset.shape is None:
        return [table]
    titles = [f"{i}: {cut(plain(t), 12)}" for i, t in zip(chosen, truth, strict=True)]
    alt = f"{count(len(chosen), 'image')}, the samples {', '.join(map(str, chosen))}."
    words = "The same as images, with number and target."
    return [table, image_picture(f"{id}-images", np.asarray(X), subject.dataset.shape, titles, alt, words)]
