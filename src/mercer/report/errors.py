"""The section on errors: which classes are taken for which, or how far predictions are off."""

import numpy as np

from mercer._typing import IndexArray
from mercer.report.blocks import Block, Cell, PageTable, Section, cell
from mercer.report.pictures import confusion_picture, residual_pictures
from mercer.report.subject import Subject
from mercer.report.text import count, number, percent

__all__ = ["confusion", "errors_section"]

CLASSES = 40  # most classes in the table


def errors_section(subject: Subject) -> Section:
    """Confusion matrix and recall of every class, or predicted values against true ones."""
    return _confusions(subject) if subject.classifies else _residuals(subject)


def confusion(subject: Subject) -> IndexArray:
    """Numbers of samples by true class (rows) and class predicted out of fold (columns)."""
    names, true = subject.classes
    predicted = np.searchsorted(np.unique(subject.truth), np.asarray(subject.evaluation.predictions))
    matrix = np.zeros((len(names), len(names)), dtype=np.int64)
    np.add.at(matrix, (true, predicted), 1)
    return matrix


def _confusions(subject: Subject) -> Section:
    matrix = confusion(subject)
    lead = (
        f"Predicted by a model that had not seen them, {number(int(np.trace(matrix)))} of {count(subject.n, 'sample')} "
        "got their class. In the picture, all that lies off the diagonal is wrong."
    )
    blocks: list[Block] = [confusion_picture(subject, matrix), _classes(subject, matrix)]
    return Section("errors", "Where is it wrong?", lead, blocks)


def _classes(subject: Subject, matrix: IndexArray) -> PageTable:
    names = subject.classes[0]
    size, taken, found = matrix.sum(axis=1), matrix.sum(axis=0), np.diagonal(matrix)
    wrong = matrix - np.diag(found)
    many = len(names) > CLASSES
    rows = []
    for c in np.argsort(found / size, kind="stable")[:CLASSES].tolist() if many else range(len(names)):
        other, recall = int(wrong[c].argmax()), float(found[c] / size[c])
        precision = percent(float(found[c] / taken[c])) if taken[c] else "–"
        said = cell(f"{names[other]} ({number(int(wrong[c, other]))})") if wrong[c].any() else cell("")
        counts = [cell(int(size[c])), cell(int(found[c])), cell(recall, share=True, bar=recall)]
        rows.append([cell(names[c]), *counts, Cell(precision, number=True), said])
    note = "Recall is the share of a class that was found, precision the share of right ones among those put into it."
    note += f" Shown are the {CLASSES} classes of least recall of {len(names)}." if many else ""
    columns = [subject.target, "samples", "found", "recall", "precision", "most often taken for"]
    return PageTable("recall", "Every class", columns, rows, note=note)


def _residuals(subject: Subject) -> Section:
    error = np.asarray(subject.evaluation.predictions, dtype=float) - subject.truth.astype(float)
    middle, most = (float(v) for v in np.quantile(np.abs(error), [0.5, 0.9]))
    bias = float(error.mean())
    lead = (
        f"Predicted by a model that had not seen them, half of the samples are off by less than {number(middle, 3)}, "
        f"nine of ten by less than {number(most, 3)}. On average predictions are {number(abs(bias), 2)} too "
        f"{'high' if bias >= 0 else 'low'}."
    )
    return Section("errors", "Where is it wrong?", lead, [residual_pictures(subject, error)])
