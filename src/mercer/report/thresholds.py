"""Tables of thresholds: what is flagged, how much of it is right, and what errors cost."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._typing import DoubleArray
from mercer.report.blocks import Cell, PageTable, cell
from mercer.report.text import listed, number, percent

__all__ = ["Decision", "confidence_table", "decide", "threshold_table"]

THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
RATIOS = (1, 5, 20)  # cost of a missed sample, in units of the cost of a false alarm
USUAL = 0.5
CONFIDENCES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class Decision:
    """Consequences of a threshold.

    Parameters
    ----------
    flagged : int
        Number of samples at or above the threshold.
    found : int
        Number of flagged samples of the class.
    missed : int
        Number of samples of the class that are not flagged.
    """

    flagged: int
    found: int
    missed: int

    def cost(self, ratio: float, n: int) -> float:
        """Cost per 100 samples, where a false alarm costs 1 and a missed sample `ratio`."""
        return 100 * (self.flagged - self.found + ratio * self.missed) / n


def decide(claimed: DoubleArray, own: Any, threshold: float) -> Decision:
    """Flag the samples whose probability is at least a threshold.

    >>> decide(np.array([0.9, 0.4, 0.6, 0.1]), np.array([True, True, False, False]), 0.5)
    Decision(flagged=2, found=1, missed=1)
    """
    flags, own = claimed >= threshold, np.asarray(own)
    return Decision(int(flags.sum()), int((flags & own).sum()), int((~flags & own).sum()))


def threshold_table(
    claimed: DoubleArray, own: Any, name: str, used: float | None = None, flags: Any = None
) -> PageTable:
    """Threshold, share of flagged samples, precision, recall and costs; what the model uses is marked.

    Parameters
    ----------
    claimed : ndarray of shape (n_samples,)
        Probabilities of the class.
    own : ndarray of bool of shape (n_samples,)
        Whether samples belong to the class.
    name : str
        Name of the class.
    used : float, default=None
        Threshold that the model uses. None: the model has none.
    flags : ndarray of bool of shape (n_samples,), default=None
        Samples that a model without a threshold predicts as the class. Decision values may have another sign than the
        probability minus 0.5, since probabilities are calibrated; the predictions then get a row of their own.

    Returns
    -------
    PageTable
        Table.
    """
    n = len(claimed)
    thresholds = sorted({*THRESHOLDS, USUAL if used is None else used})
    decisions = [decide(claimed, own, threshold) for threshold in thresholds]
    costs = np.array([[found.cost(ratio, n) for ratio in RATIOS] for found in decisions])
    heads = [f"{one:.2f}" if one in THRESHOLDS else number(one, 3) for one in thresholds]
    rows = [_row(head, found, n) for head, found in zip(heads, decisions, strict=True)]
    marked, use = thresholds.index(USUAL if used is None else used), "the marked one is in use"
    if used is None and flags is not None and (flags != (claimed >= USUAL)).any():
        rows.append(_row("none", decide(np.asarray(flags, dtype=np.float64), own, USUAL), n))
        marked = len(rows) - 1
        use = (
            "the marked row has the predictions of the model, which follow its decision values and no threshold of the "
            "calibrated probabilities, unless one is chosen"
        )
    best = [
        f"{number(thresholds[int(i)], 3)} for {ratio}" for i, ratio in zip(costs.argmin(axis=0), RATIOS, strict=True)
    ]
    note = (
        f"Samples are flagged as “{name}” if their probability is at least the threshold; {use}. "
        "Cost: per 100 samples, if a false alarm costs 1 and a missed sample costs 1, 5 or 20. The cheapest thresholds "
        f"of the table are {listed(best)}; for exact probabilities and a ratio r it is 1/(1 + r)."
    )
    columns = ["threshold", "flagged", "precision", "recall", *(f"cost, 1 : {ratio}" for ratio in RATIOS)]
    caption = f"Thresholds for “{name}”"
    return PageTable("thresholds", caption, columns, rows, note=note, marked=marked)


def _row(head: str, found: Decision, n: int) -> list[Cell]:
    """One row of the table of thresholds."""
    precision = found.found / found.flagged if found.flagged else float("nan")
    shares = (found.flagged / n, precision, found.found / (found.found + found.missed))
    costs = (found.cost(ratio, n) for ratio in RATIOS)
    return [
        Cell(head, number=True),
        *(cell(share, share=True) for share in shares),
        *(cell(cost, digits=3) for cost in costs),
    ]


def confidence_table(claimed: DoubleArray, right: Any) -> PageTable:
    """Threshold on the probability of the predicted class, share of accepted samples and accuracy among them."""
    n, rows = len(claimed), []
    for threshold in CONFIDENCES:
        kept = claimed >= threshold
        wrong = int((kept & ~np.asarray(right)).sum())
        accuracy = 1 - wrong / int(kept.sum()) if kept.any() else float("nan")
        share = float(kept.mean())
        bars = [cell(share, share=True), cell(accuracy, share=True)]
        rows.append([Cell(f"{threshold:.2f}", number=True), *bars, cell(wrong), cell(100 * wrong / n, digits=3)])
    sure = CONFIDENCES[-1]
    note = (
        "Accepted: samples whose predicted class has at least this probability; the others could be left to a person. "
        f"Errors per 100: wrong accepted predictions per 100 samples. At {number(sure)}, "
        f"{percent(float((claimed >= sure).mean()))} are accepted."
    )
    columns = ["threshold", "accepted", "accuracy", "errors", "errors per 100"]
    return PageTable("confidence", "Predictions by confidence", columns, rows, note=note, marked=0)
