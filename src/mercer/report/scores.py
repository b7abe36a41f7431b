"""Section on scores: means, intervals and folds, compared with the baseline."""

from dataclasses import dataclass

import numpy as np

from mercer.report.blocks import Block, Cell, PageTable, Section, cell
from mercer.report.subject import Subject
from mercer.report.text import number, percent

__all__ = ["Metric", "baseline_score", "bounded", "headline_metric", "metric", "scores_section", "shown"]


@dataclass(frozen=True)
class Metric:
    """Description and range of a metric."""

    about: str = ""
    share: bool = False  # shown in percent
    low: float = -np.inf  # smallest possible value
    high: float = np.inf  # largest possible value


_METRICS = {
    "accuracy": Metric("fraction of correctly classified samples", True, 0.0, 1.0),
    "balanced accuracy": Metric("mean recall of the classes, each with the same weight", True, 0.0, 1.0),
    "ROC AUC": Metric(
        "probability that a sample of the second class has a larger decision value than one of the first",
        True,
        0.0,
        1.0,
    ),
    "R²": Metric("fraction of the variance explained: 0 for predicting the mean, 1 for a perfect fit", high=1.0),
    "RMSE": Metric("root mean squared error, in units of the target", low=0.0),
    "MAE": Metric("mean absolute error, in units of the target", low=0.0),
}


def metric(name: str) -> Metric:
    """Description and range of a metric; empty and unbounded if it is not known."""
    return _METRICS.get(name, Metric())


def shown(name: str, value: float) -> str:
    """Format a value of a metric.

    >>> shown("accuracy", 0.5), shown("RMSE", 0.5)
    ('50.0\u202f%', '0.5')
    """
    return percent(value) if metric(name).share else number(float(value))


def headline_metric(subject: Subject) -> str:
    """Metric shown at the head of the page: the first of the evaluation."""
    return str(next(iter(subject.evaluation.metrics)))


def bounded(subject: Subject, name: str) -> tuple[float, float, float]:
    """Mean and interval, with the interval clipped to the range of the metric."""
    mean, low, high = subject.evaluation.interval(name)
    limits = metric(name)
    return float(mean), max(float(low), limits.low), min(float(high), limits.high)


def baseline_score(subject: Subject, name: str) -> float:
    """Mean baseline score over the folds; NaN if it is not known."""
    scores = subject.evaluation.baseline.get(name)
    return float("nan") if scores is None else float(np.mean(scores))


def scores_section(subject: Subject) -> Section:
    """Create the section: one row for each metric, one row for each fold."""
    folds = len(subject.evaluation.metrics[headline_metric(subject)])
    lead = (
        f"Scores come from nested cross-validation with {folds} outer folds. For each fold, the whole procedure, "
        "including the selection of the kernel, was repeated on the other folds. All scores are therefore scores on "
        "unseen samples."
    )
    lead = f"{lead} {subject.scored_words}".rstrip()
    blocks: list[Block] = [_summary(subject), _folds(subject)]
    return Section("scores", "Scores", lead, blocks)


def _summary(subject: Subject) -> PageTable:
    rows = []
    for name in subject.evaluation.metrics:
        mean, low, high = bounded(subject, name)
        interval = Cell(f"{shown(name, low)} to {shown(name, high)}", number=True)
        base = _cell(name, baseline_score(subject, name))
        rows.append([cell(name), _cell(name, mean), interval, base, Cell(metric(name).about)])
    constant = "the most frequent class" if subject.classifies else "the mean"
    note = (
        f"The baseline always predicts {constant} of the training part. The interval is a 95\u202f% t interval over "
        "the folds, clipped to the range of the metric. It is somewhat too narrow, since the training parts of the "
        "folds overlap."
    )
    columns = ["metric", "model", "95\u202f% interval", "baseline", "description"]
    return PageTable("summary", "Out-of-fold scores", columns, rows, note=note)


def _folds(subject: Subject) -> PageTable:
    evaluation, first = subject.evaluation, headline_metric(subject)
    baseline = evaluation.baseline.get(first, ())
    rows = []
    for i, kernel in enumerate(evaluation.kernels):
        scores = [_cell(name, float(values[i])) for name, values in evaluation.metrics.items()]
        base = [_cell(first, float(baseline[i]))] if len(baseline) else []
        size = int(np.sum(np.asarray(evaluation.folds) == i))
        rows.append([cell(i + 1), cell(size), *scores, *base, cell(kernel, code=True)])
    base_column = [f"baseline {first}"] if len(baseline) else []
    columns = ["fold", "samples", *evaluation.metrics, *base_column, "selected kernel"]
    return PageTable("folds", "Scores of each fold", columns, rows)


def _cell(name: str, value: float) -> Cell:
    return Cell(shown(name, value), number=True)
