"""Section on errors: confusion matrix and per-class scores, or residuals."""

import numpy as np

from mercer._typing import IndexArray
from mercer.report.blocks import Block, Cell, PageTable, Section, cell
from mercer.report.pictures import confusion_picture, residual_pictures
from mercer.report.subject import Subject
from mercer.report.text import count, number, percent

__all__ = ["confusion", "errors_section"]

CLASSES = 40  # largest number of classes in the table


def errors_section(subject: Subject) -> Section:
    """Create the section: confusion matrix and recall of each class, or residuals."""
    return _confusions(subject) if subject.classifies else _residuals(subject)


def confusion(subject: Subject) -> IndexArray:
    """Confusion matrix of the out-of-fold predictions: true classes in rows, predicted classes in columns."""
    names, true = subject.classes
    predicted = np.searchsorted(np.unique(subject.truth), np.asarray(subject.evaluation.predictions))
    true = true[subject.scored]
    matrix = np.zeros((len(names), len(names)), dtype=np.int64)
    np.add.at(matrix, (true, predicted), 1)
    return matrix


def _confusions(subject: Subject) -> Section:
    matrix = confusion(subject)
    lead = (
        f"Out of fold, {number(int(np.trace(matrix)))} of {count(int(matrix.sum()), 'sample')} were classified "
        "correctly. Entries off the diagonal of the confusion matrix are errors."
    )
    blocks: list[Block] = [confusion_picture(subject, matrix), _classes(subject, matrix)]
    return Section("errors", "Errors", lead, blocks)


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
    note = (
        "Recall: fraction of the samples of a class that were predicted as this class. Precision: fraction of the "
        "predictions of a class that are correct."
    )
    note += f" The {CLASSES} classes with the lowest recall of {len(names)} are shown." if many else ""
    columns = [subject.target, "samples", "correct", "recall", "precision", "most frequent error"]
    return PageTable("recall", "Scores of each class", columns, rows, note=note)


def _residuals(subject: Subject) -> Section:
    error = np.asarray(subject.evaluation.predictions, dtype=float) - subject.truth[subject.scored].astype(float)
    middle, most = (float(v) for v in np.quantile(np.abs(error), [0.5, 0.9]))
    bias = float(error.mean())
    lead = (
        f"The median absolute out-of-fold error is {number(middle, 3)}, and 90\u202f% of the errors are below "
        f"{number(most, 3)}. On average, predictions are {number(abs(bias), 2)} too {'high' if bias >= 0 else 'low'}."
    )
    return Section("errors", "Errors", lead, [residual_pictures(subject, error)])
