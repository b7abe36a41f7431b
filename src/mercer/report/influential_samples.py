"""Section on samples: largest dual coefficients and largest errors."""

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
    "The training samples with the largest weights in the model, and the samples with the largest out-of-fold errors. "
    "Unusual and mislabelled samples are often among them."
)

APPROXIMATED = (
    "The kernel was approximated, so that the model has coefficients of features or landmarks instead of training "
    "samples. They do not measure the influence of single samples and are not listed."
)


def influence(model: Any) -> tuple[IndexArray, DoubleArray]:
    """Samples with nonzero coefficients, and Σ over outputs of |a_i| in f = Σ_i a_i k(x_i, ·) + b.

    >>> from mercer.svm import SVC
    >>> rows, size = influence(SVC(kernel="linear").fit([[0.0], [1.0], [5.0], [9.0]], [0, 0, 1, 1]))
    >>> rows.tolist(), size.round(3).tolist()
    ([1, 2], [0.125, 0.125])
    """
    coef = as_dense(type(model).__name__, model.dual_coef_, name="dual_coef_")
    if hasattr(model, "support_"):  # dual_coef_ has one column for each support vector
        return np.asarray(model.support_), np.abs(np.atleast_2d(coef)).sum(axis=0)
    size = np.abs(coef.reshape(len(coef), -1)).sum(axis=1)
    return np.flatnonzero(size), size[size != 0]


def margins(decisions: DoubleArray, classes: Any, truth: Any) -> DoubleArray:
    """Margins: decision value of the true class minus the largest of the other classes.

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
    """Create the section: the ten most influential samples and the ten worst predictions."""
    blocks: list[Block] = []
    if hasattr(subject.model.model_, "dual_coef_"):
        blocks += [Heading("Most influential samples"), *_influential(subject)]
    blocks += [Heading("Largest errors"), *_hardest(subject)]
    return Section("samples", "Samples", f"{LEAD} {subject.numbering}", blocks)


def _influential(subject: Subject) -> list[Block]:
    model = subject.model
    if model.approximation_ is not None:
        return [Paragraph(APPROXIMATED)]
    rows, size = influence(model.model_)
    if len(rows) == 0:
        return [Paragraph("All coefficients are zero: the model is constant.")]
    places, n = model.rows_[rows], len(model.rows_)
    if hasattr(model.model_, "support_"):
        said = (
            f"{number(len(rows))} of {count(n, 'training sample')} are support vectors ({percent(len(rows) / n)}). "
            "Removing the other samples would not change the model."
        )
    else:
        some = "All" if len(rows) == n else f"{number(len(rows))} of"
        said = f"{some} {count(n, 'training sample')} have nonzero coefficients."
    labeled = np.isin(places, subject.rows)
    order = np.flatnonzero(labeled)[np.argsort(-size[labeled], kind="stable")[:TOP]]
    if not labeled.all():
        said += f" {count(int((~labeled).sum()), 'unlabelled sample')} among them are not listed."
    if len(order) == 0:
        return [Paragraph(said)]
    if len(order) < len(rows):
        said += f" The {len(order)} largest weights make up {percent(size[order].sum() / size.sum())} of the total."
    said += " Weight: sum of the absolute dual coefficients of a sample."
    own = [[cell(float(s), digits=3, bar=float(s / size[order[0]]))] for s in size[order]]
    chosen = np.searchsorted(subject.rows, places[order])
    return [Paragraph(said), *_listing(subject, "influential", "Largest weights", chosen, ["weight"], own)]


def _hardest(subject: Subject) -> list[Block]:
    truth, predicted = subject.truth[subject.scored], np.asarray(subject.evaluation.predictions)
    if not subject.classifies:
        error = truth.astype(float) - predicted.astype(float)
        chosen = np.argsort(-np.abs(error), kind="stable")[:TOP]
        most = float(np.abs(error).max()) or 1.0
        own = [[cell(float(predicted[i])), cell(float(error[i]), bar=float(error[i] / most))] for i in chosen]
        columns = ["predicted", "true − predicted"]
        caption = "Largest out-of-fold errors"
        return [*_listing(subject, "hardest", caption, subject.scored[chosen], columns, own)]
    wrong = np.flatnonzero(truth != predicted)
    if len(wrong) == 0:
        return [Paragraph("No sample was misclassified out of fold.")]
    said, columns = f"Out-of-fold misclassifications: {count(len(wrong), 'sample')}.", ["predicted"]
    margin_cells: list[Cell] = []
    decisions = subject.evaluation.decisions
    if decisions is not None:
        margin = margins(np.asarray(decisions, dtype=float), subject.evaluation.classes, truth)
        wrong = wrong[np.argsort(margin[wrong], kind="stable")]
        said += " Margin: decision value of the true class minus the largest value of the other classes, without unit."
        columns, margin_cells = [*columns, "margin"], [cell(float(margin[i]), digits=3) for i in wrong[:TOP]]
    if len(wrong) > TOP:
        said += f" The {f'{TOP} smallest margins' if margin_cells else f'first {TOP}'} are listed."
    values = [[cell(plain(predicted[i])), *margin_cells[k : k + 1]] for k, i in enumerate(wrong[:TOP])]
    chosen = subject.scored[wrong[:TOP]]
    return [Paragraph(said), *_listing(subject, "hardest", "Misclassified samples", chosen, columns, values)]


def _listing(
    subject: Subject, id: str, caption: str, chosen: IndexArray, columns: list[str], own: list[list[Cell]]
) -> list[Block]:
    """Table of samples with number, target, additional columns and raw values; images also as a figure."""
    X, truth = rows_of(subject.X, chosen), subject.truth[chosen].tolist()
    names, values, left = raw_values(X, subject.model.preparer_.kinds_, images=subject.dataset.shape is not None)
    targets = [cell(plain(t) if subject.classifies else float(t)) for t in truth]
    numbers, files = subject.numbers(chosen), subject.files(chosen)
    named = [[cell(name, code=True)] for name in files] or [[] for _ in chosen]
    rows = [
        [cell(i), *name, t, *mine, *raw]
        for i, name, t, mine, raw in zip(numbers, named, targets, own, values, strict=True)
    ]
    note = f"{count(left, 'more column')} not shown." if left else ""
    table = PageTable(
        id, caption, ["sample", *(["file"] if files else []), subject.target, *columns, *names], rows, note=note
    )
    if subject.dataset.shape is None:
        return [table]
    titles = [f"{i}: {cut(plain(t), 12)}" for i, t in zip(numbers, truth, strict=True)]
    alt = f"{count(len(chosen), 'image')}: samples {', '.join(map(str, numbers))}."
    words = "The same samples as images, with number and target."
    if files:
        titles = [cut(plain(name), 16) for name in files]
        words = "The same samples as images, with the names of their files."
    return [table, image_picture(f"{id}-images", np.asarray(X), subject.dataset.shape, titles, alt, words)]
