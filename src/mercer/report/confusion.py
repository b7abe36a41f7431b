"""Confusion matrix of the out-of-fold predictions."""

from typing import Any

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.plots import COLOURS
from mercer.plots.style import plain as safe
from mercer.report.blocks import Figure
from mercer.report.drawing import INK, drawn, figure
from mercer.report.subject import Subject
from mercer.report.text import cut, listed, number

__all__ = ["confusion", "confusion_picture"]

NUMBERED = 24  # largest number of classes for which the figure shows counts
NAMED = 40  # largest number of classes for which it shows names
PALE = 0.75  # share of a class from which numbers have the colour of the page


def confusion(subject: Subject) -> IndexArray:
    """Confusion matrix of the out-of-fold predictions: true classes in rows, predicted classes in columns."""
    names, true = subject.classes
    predicted = np.searchsorted(np.unique(subject.truth), np.asarray(subject.evaluation.predictions))
    true = true[subject.scored]
    matrix = np.zeros((len(names), len(names)), dtype=np.int64)
    np.add.at(matrix, (true, predicted), 1)
    return matrix


def confusion_picture(subject: Subject, matrix: IndexArray) -> Figure:
    """Draw a confusion matrix, shaded by the fraction of the true class."""
    names = subject.classes[0]
    n = len(names)
    side = float(np.clip(0.62 * n, 2.2, 8.0))
    shown = [safe(name, 18) for name in names] if n <= NAMED else []
    longest = max(map(len, shown), default=0)
    turned = longest * n > 36
    share = matrix / np.maximum(1, matrix.sum(axis=1, keepdims=True))
    with drawn(side + 0.9 + 0.08 * longest, side + 0.6 + 0.08 * longest * turned) as (canvas, ax):
        _cells(ax, matrix, share)
        ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), aspect="equal", xlabel="predicted", ylabel="true")
        if shown:
            ax.set_xticks(range(n), shown, rotation=90 if turned else 0)
            ax.set_yticks(range(n), shown)
            ax.tick_params(length=0)
        for spine in ax.spines.values():
            spine.set_visible(True)
    wrong = matrix - np.diag(np.diagonal(matrix))
    pairs = np.argwhere(wrong > 0)
    worst = pairs[np.argsort(-wrong[tuple(pairs.T)], kind="stable")][:3].tolist()
    said = [f"{number(int(wrong[i, j]))} of “{cut(names[i], 30)}” predicted as “{cut(names[j], 30)}”" for i, j in worst]
    alt = f"Confusion matrix: {number(int(np.trace(matrix)))} of {number(int(matrix.sum()))} correct"
    alt += f"; most frequent errors: {listed(said)}." if said else "."
    caption = (
        "Confusion matrix of the out-of-fold predictions: numbers of samples, true classes in rows, predicted classes "
        "in columns. The shade is the fraction of the row."
    )
    caption += "" if shown else " Classes are numbered from 0, in the order of their names."
    return figure("confusion", canvas, alt, caption)


def _cells(ax: Any, matrix: IndexArray, share: DoubleArray) -> None:
    size = 10 if len(matrix) <= 12 else 8
    for i, j in np.argwhere(matrix > 0).tolist():
        part = float(share[i, j])
        across, down = [j - 0.5, j + 0.5, j + 0.5, j - 0.5], [i - 0.5, i - 0.5, i + 0.5, i + 0.5]
        ax.fill(across, down, facecolor=COLOURS[0], alpha=part, linewidth=0)
        if len(matrix) <= NUMBERED:
            colour = "white" if part > PALE else INK
            ax.text(j, i, f"{matrix[i, j]}", ha="center", va="center", color=colour, fontsize=size)
