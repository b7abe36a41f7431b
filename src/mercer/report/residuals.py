"""Blocks on the errors of a regression: predictions, residuals, prediction intervals and their coverage."""

from typing import Any

import numpy as np

from mercer._typing import DoubleArray
from mercer.plots import COLOURS
from mercer.report.blocks import Block, Figure, Gallery, PageTable, cell
from mercer.report.drawing import INK, drawn, figure
from mercer.report.subject import Subject
from mercer.report.text import cut, number, percent

__all__ = ["coverage", "residual_blocks", "residual_lead"]

PARTS = 4  # groups of samples by prediction, in the table of coverage
LEVEL = 0.9  # coverage that intervals of an evaluation are made for


def coverage(truth: DoubleArray, intervals: DoubleArray) -> float:
    """Fraction of the targets inside their intervals.

    >>> coverage(np.array([1.0, 2.0]), np.array([[0.0, 1.5], [2.5, 3.0]]))
    0.5
    """
    return float(np.mean((intervals[:, 0] <= truth) & (truth <= intervals[:, 1])))


def residual_lead(subject: Subject) -> str:
    """Summarise size and bias of the errors."""
    error = _predicted(subject) - _truth(subject)
    middle, most = (float(v) for v in np.quantile(np.abs(error), [0.5, 0.9]))
    bias = float(error.mean())
    return (
        f"The median absolute out-of-fold error is {number(middle, 3)}, and 90\u202f% of the errors are below "
        f"{number(most, 3)}, in units of {cut(subject.target, 40)}. On average, predictions are "
        f"{number(abs(bias), 2)} too {'high' if bias >= 0 else 'low'}."
    )


def residual_blocks(subject: Subject) -> list[Block]:
    """Figures of predictions and residuals, and the coverage of prediction intervals."""
    blocks: list[Block] = [Gallery([_predictions(subject), _residuals(subject)])]
    if subject.evaluation.intervals is not None:
        blocks.append(_coverages(subject))
    return blocks


def _truth(subject: Subject) -> DoubleArray:
    return np.asarray(subject.truth[subject.scored], dtype=np.float64)


def _predicted(subject: Subject) -> DoubleArray:
    return np.asarray(subject.evaluation.predictions, dtype=np.float64)


def _drawn(subject: Subject) -> tuple[DoubleArray, DoubleArray, DoubleArray | None]:
    """Predictions, targets and intervals of the plotted samples."""
    rows, intervals = subject.plotted, subject.evaluation.intervals
    return _predicted(subject)[rows], _truth(subject)[rows], None if intervals is None else intervals[rows]


def _points(ax: Any, x: DoubleArray, y: DoubleArray, ends: DoubleArray | None) -> None:
    """Band of the intervals, and dots; those outside of their intervals as triangles."""
    inside = np.ones(len(y), dtype=bool)
    if ends is not None:
        inside = (ends[:, 0] <= y) & (y <= ends[:, 1])
        order = np.argsort(x, kind="stable")
        ax.fill_between(x[order], *ends[order].T, color=COLOURS[0], alpha=0.13, linewidth=0)
    look: dict[str, Any] = {"s": 15, "linewidths": 0, "zorder": 3}
    ax.scatter(x[inside], y[inside], color=COLOURS[0], alpha=0.65, label="inside its interval", **look)
    if not inside.all():
        ax.scatter(x[~inside], y[~inside], color=COLOURS[1], marker="^", label="outside", **look)
        place: Any = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 2}  # above the points
        ax.legend(**place, handletextpad=0.1, borderaxespad=0.1)


def _predictions(subject: Subject) -> Figure:
    predicted, truth, intervals = _drawn(subject)
    with drawn() as (canvas, ax):
        _points(ax, predicted, truth, intervals)
        ax.axline((float(truth.mean()), float(truth.mean())), slope=1.0, color=INK, linestyle="--", linewidth=1.0)
        ax.set(xlabel="predicted", ylabel="true")
    varied = truth.std() > 0 and predicted.std() > 0
    alt = (
        f"True values against out-of-fold predictions: predictions from {number(predicted.min(), 3)} to "
        f"{number(predicted.max(), 3)}, true values from {number(truth.min(), 3)} to {number(truth.max(), 3)}, "
        f"correlation {number(float(np.corrcoef(truth, predicted)[0, 1]) if varied else np.nan, 2)}."
    )
    band = "" if intervals is None else " The band has the 90\u202f% prediction intervals of the folds."
    caption = (
        f"True values against out-of-fold predictions. Exact predictions are on the line.{band} {subject.drawn_words}"
    )
    return figure("predicted", canvas, alt, caption)


def _residuals(subject: Subject) -> Figure:
    predicted, truth, intervals = _drawn(subject)
    with drawn() as (canvas, ax):
        ends = None if intervals is None else intervals - predicted[:, None]
        _points(ax, predicted, truth - predicted, ends)
        ax.axhline(0.0, color=INK, linestyle="--", linewidth=1.0)
        ax.set(xlabel="predicted", ylabel="true − predicted")
    low, high = (float(v) for v in np.quantile(_truth(subject) - _predicted(subject), [0.05, 0.95]))
    alt = f"Residuals against predictions: 90\u202f% of them are between {number(low, 3)} and {number(high, 3)}."
    caption = "Residuals against predictions. A visible pattern means that the model misses part of the relation."
    return figure("residuals", canvas, alt, caption)


def _coverages(subject: Subject) -> PageTable:
    """Coverage and width of the intervals, for all samples and by size of the prediction."""
    truth, predicted, intervals = _truth(subject), _predicted(subject), subject.evaluation.intervals
    edges = np.unique(np.quantile(predicted, np.linspace(0, 1, PARTS + 1)))
    codes = np.searchsorted(edges[1:-1], predicted, side="right")
    groups = [np.ones(len(truth), dtype=bool), *(codes == c for c in np.unique(codes))]
    rows = []
    for i, chosen in enumerate(groups if len(groups) > 2 else groups[:1]):
        low, high = (number(float(end), 3) for end in (predicted[chosen].min(), predicted[chosen].max()))
        name = f"{low} to {high}" if i else "all"
        share = coverage(truth[chosen], intervals[chosen])
        width = float(np.mean(intervals[chosen, 1] - intervals[chosen, 0]))
        rows.append([cell(name), cell(int(chosen.sum())), cell(share, share=True, bar=share), cell(width, digits=3)])
    missed = coverage(truth, intervals) < LEVEL - 2 * np.sqrt(LEVEL * (1 - LEVEL) / len(truth))
    note = (
        f"Intervals are made to contain {percent(LEVEL, 0)} of the true values of new samples. The coverage is the "
        "fraction that they contained out of fold; the width is in units of the target."
    )
    note += " It is clearly too small: read the intervals with care." if missed else ""
    columns: list[str] = ["predictions", "samples", "coverage", "mean width"]
    return PageTable("coverage", "Prediction intervals", columns, rows, note=note, marked=0)
