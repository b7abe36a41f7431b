"""Section on errors: confusion matrix and per-class scores, or residuals."""

import numpy as np

from mercer._typing import IndexArray
from mercer.report.blocks import Block, Cell, PageTable, Section, cell
from mercer.report.confusion import confusion, confusion_picture
from mercer.report.residuals import residual_blocks, residual_lead
from mercer.report.subject import Subject
from mercer.report.text import count, number, percent

__all__ = ["errors_section"]

CLASSES = 40  # largest number of classes in the table


def errors_section(subject: Subject) -> Section:
    """Create the section: confusion matrix and recall of each class, or residuals."""
    if subject.classifies:
        return _confusions(subject)
    return Section("errors", "Errors", residual_lead(subject), residual_blocks(subject))


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
    recalls = np.divide(found, size, out=np.full(len(size), np.nan), where=size > 0)  # classes of one sample: no test
    for c in np.argsort(recalls, kind="stable")[:CLASSES].tolist() if many else range(len(names)):
        other, recall = int(wrong[c].argmax()), float(recalls[c])
        precision = percent(float(found[c] / taken[c])) if taken[c] else "–"
        said = cell(f"{names[other]} ({number(int(wrong[c, other]))})") if wrong[c].any() else cell("")
        counts = [cell(int(size[c])), cell(int(found[c]))]
        counts += [cell(recall, share=True, bar=recall) if size[c] else Cell("–", number=True)]
        rows.append([cell(names[c]), *counts, Cell(precision, number=True), said])
    note = (
        "Recall: fraction of the samples of a class that were predicted as this class. Precision: fraction of the "
        "predictions of a class that are correct."
    )
    if not size.all():
        note += " Classes without samples in this table have one sample, which is in every training part."
    note += f" The {CLASSES} classes with the lowest recall of {len(names)} are shown." if many else ""
    columns = [subject.target, "samples", "correct", "recall", "precision", "most frequent error"]
    return PageTable("recall", "Scores of each class", columns, rows, note=note)
