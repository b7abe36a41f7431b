"""Figures of probabilities: ROC and precision-recall curves, and reliability with counts."""

from typing import Any

import numpy as np
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_curve

from mercer._typing import DoubleArray, IndexArray
from mercer.plots import COLOURS
from mercer.plots.style import plain as safe
from mercer.report.blocks import Figure
from mercer.report.drawing import INK, drawn, figure
from mercer.report.text import count, cut, listed, number, percent

__all__ = ["Ranked", "precision_picture", "reliability", "reliability_picture", "roc_picture"]

POINTS = 250  # largest number of points of a curve
BINS = 10
STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 2)))

Ranked = list[tuple[str, Any, DoubleArray]]  # name, whether each sample is of the class, and its score


def roc_picture(ranked: Ranked) -> Figure:
    """ROC curve of each class against all others."""
    areas = []
    with drawn() as (canvas, ax):
        ax.plot([0, 1], [0, 1], color=INK, linestyle=":", linewidth=1.0)
        for i, (name, own, score) in enumerate(ranked):
            false, true, _ = roc_curve(own, score)
            areas.append((name, float(auc(false, true))))
            _line(ax, i, false, true, f"{safe(name, 18)} ({areas[-1][1]:.3f})")
        ax.set(
            xlabel="false positive rate", ylabel="true positive rate (recall)", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02)
        )
        ax.legend(loc="lower right", title="area under the curve", title_fontsize=9)
    alt = f"ROC curves of the out-of-fold scores. Area under the curve: {_of_classes(areas)}."
    caption = (
        "ROC curve: fraction of the class that is found against the fraction of other samples that are flagged "
        "wrongly, over all thresholds. Areas: 0.5 on the dotted line of chance, 1 if perfect. The curves rank the "
        "samples of all folds together; the scores above are means over the folds, so they differ a little."
    )
    return figure("roc", canvas, alt, caption)


def precision_picture(ranked: Ranked) -> Figure:
    """Precision-recall curve of each class against all others."""
    areas = []
    with drawn() as (canvas, ax):
        for i, (name, own, score) in enumerate(ranked):
            precision, recall, _ = precision_recall_curve(own, score)
            areas.append((name, float(average_precision_score(own, score))))
            _line(ax, i, recall, precision, f"{safe(name, 18)} ({areas[-1][1]:.3f})", drawstyle="steps-post")
            ax.axhline(float(np.mean(own)), color=COLOURS[i % len(COLOURS)], linestyle=":", linewidth=0.8)
        ax.set(xlabel="recall", ylabel="precision", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        ax.legend(loc="lower left", title="average precision", title_fontsize=9)
    alt = f"Precision-recall curves of the out-of-fold scores. Average precision: {_of_classes(areas)}."
    caption = (
        "Precision-recall curve: fraction of the flagged samples that belong to the class, against the fraction of the "
        "class that is found. Dotted lines: precision of random flags, the frequency of the class."
    )
    return figure("precision-recall", canvas, alt, caption)


def _of_classes(areas: list[tuple[str, float]]) -> str:
    return listed(f"{percent(value)} for “{cut(name, 30)}”" for name, value in areas)


def _line(ax: Any, i: int, x: DoubleArray, y: DoubleArray, label: str, **style: Any) -> None:
    """One curve, thinned out to `POINTS`."""
    some = np.unique(np.linspace(0, len(x) - 1, POINTS).astype(int))
    look = {"color": COLOURS[i % len(COLOURS)], "linestyle": STYLES[i % len(STYLES)], "linewidth": 1.8, **style}
    ax.plot(x[some], y[some], label=label, **look)


def reliability(claimed: DoubleArray, right: Any) -> tuple[IndexArray, DoubleArray, DoubleArray, float]:
    """Claimed probabilities compared with frequencies in ten bins of equal width.

    Parameters
    ----------
    claimed : ndarray of shape (n_samples,)
        Probabilities.
    right : ndarray of bool of shape (n_samples,)
        Whether what was claimed is true.

    Returns
    -------
    counts : ndarray of int
        Number of samples in each bin that is not empty.
    mean : ndarray
        Mean probability in these bins.
    frequency : ndarray
        Fraction of true claims.
    error : float
        Expected calibration error: mean distance of both, weighted by the counts.

    Examples
    --------
    >>> counts, mean, frequency, error = reliability(np.array([0.75, 0.75, 0.05]), np.array([True, False, False]))
    >>> counts.tolist(), mean.tolist(), frequency.tolist(), round(error, 4)
    ([1, 2], [0.05, 0.75], [0.0, 0.5], 0.1833)
    """
    bins = np.minimum((claimed * BINS).astype(int), BINS - 1)
    counts = np.bincount(bins, minlength=BINS)
    some = counts > 0
    mean = np.bincount(bins, claimed, BINS)[some] / counts[some]
    frequency = np.bincount(bins, np.asarray(right, dtype=np.float64), BINS)[some] / counts[some]
    error = float(np.sum(counts[some] * np.abs(mean - frequency)) / len(claimed))
    return counts[some], mean, frequency, error


def reliability_picture(claimed: DoubleArray, right: Any, what: str) -> Figure:
    """Reliability curve above the numbers of samples in each bin."""
    counts, mean, frequency, error = reliability(claimed, right)
    low, high = _wilson(frequency, counts)
    with drawn(5.2, 3.7) as (canvas, ax):
        ax.remove()
        top, bottom = canvas.subplots(2, 1, sharex=True, height_ratios=[3, 1])
        top.plot([0, 1], [0, 1], color=INK, linestyle=":", linewidth=1.0)
        errors = np.maximum(0.0, np.array([frequency - low, high - frequency]))
        top.errorbar(mean, frequency, yerr=errors, fmt="none", color=COLOURS[0], elinewidth=1.0)
        top.scatter(mean, frequency, s=20 + 140 * counts / counts.max(), color=COLOURS[0], zorder=3, linewidths=0)
        top.set(ylabel="observed frequency", xlim=(-0.03, 1.03), ylim=(-0.04, 1.04))
        bottom.bar(mean, counts, width=0.06, color=COLOURS[0], alpha=0.6)
        for x, n in zip(mean.tolist(), counts.tolist(), strict=True):
            place: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "fontsize": 7.5}
            bottom.annotate(str(n), (x, n), (0, 1.5), **place)
        bottom.set(xlabel=f"predicted probability{what}", ylabel="samples", ylim=(0, 1.35 * counts.max()))
    alt = (
        f"Reliability: {count(len(claimed), 'sample')} in {count(len(counts), 'bin')} of predicted probability; the "
        f"observed frequencies differ by {percent(error)} on average."
    )
    caption = (
        "Reliability of the out-of-fold probabilities: in each bin, the observed frequency with its 95\u202f% interval "
        "and, below, the number of samples. Points on the dotted line are calibrated. Expected calibration error: "
        f"{number(error, 2)}."
    )
    return figure("reliability", canvas, alt, caption)


def _wilson(frequency: DoubleArray, counts: IndexArray) -> tuple[DoubleArray, DoubleArray]:
    """Wilson's 95 % interval of frequencies."""
    z = 1.96
    centre = (frequency + z * z / (2 * counts)) / (1 + z * z / counts)
    half = z / (1 + z * z / counts) * np.sqrt(frequency * (1 - frequency) / counts + z * z / (4 * counts**2))
    return centre - half, centre + half
