"""Names, units and format of metrics."""

from dataclasses import dataclass

import numpy as np

from mercer.report.subject import Subject
from mercer.report.text import number, percent

__all__ = ["Metric", "baseline_score", "headline_metric", "metric", "shown"]


@dataclass(frozen=True)
class Metric:
    """Description of a metric."""

    about: str = ""
    share: bool = False  # shown in percent
    smaller: bool = False  # whether smaller values are better


_METRICS = {
    "accuracy": Metric("fraction of correctly classified samples", True),
    "balanced accuracy": Metric("mean recall of the classes, each with the same weight", True),
    "ROC AUC": Metric(
        "probability that a sample of the positive class has a larger decision value than one of the other; 50\u202f% "
        "is chance",
        True,
    ),
    "average precision": Metric(
        "mean precision over the recalls of the positive class; the baseline is its frequency", True
    ),
    "log-loss": Metric(
        "mean negative natural logarithm of the probability of the true class; smaller is better", smaller=True
    ),
    "R²": Metric("fraction of the variance explained: 0 for predicting the mean, 1 for a perfect fit"),
    "RMSE": Metric("root mean squared error, in units of the target; smaller is better", smaller=True),
    "MAE": Metric("mean absolute error, in units of the target; smaller is better", smaller=True),
}


def metric(name: str) -> Metric:
    """Description of a metric; empty if it is not known."""
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


def baseline_score(subject: Subject, name: str) -> float:
    """Mean baseline score over the folds; NaN if it is not known."""
    scores = subject.evaluation.baseline.get(name)
    return float("nan") if scores is None else float(np.mean(scores))
