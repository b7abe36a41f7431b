"""The section on scores: means, intervals and folds, beside those of guessing."""

from dataclasses import dataclass

import numpy as np

from mercer.report.blocks import Block, Cell, PageTable, Section, cell
from mercer.report.subject import Subject
from mercer.report.text import number, percent

__all__ = ["Metric", "bounded", "guessed", "headline_metric", "metric", "scores_section", "shown"]


@dataclass(frozen=True)
class Metric:
    """How a score is read."""

    about: str = ""
    share: bool = False  # shown in percent
    low: float = -np.inf  # no score is below
    high: float = np.inf  # or above


_METRICS = {
    "accuracy": Metric("samples that get the right class", True, 0.0, 1.0),
    "balanced accuracy": Metric("the same, averaged over classes, so that small ones count as much", True, 0.0, 1.0),
    "ROC AUC": Metric("pairs of samples of both classes that the model's values put in order", True, 0.0, 1.0),
    "R²": Metric("variation of the target that is explained: 0 by guessing the mean, 1 at best", high=1.0),
    "RMSE": Metric("typical size of an error, where large errors count more", low=0.0),
    "MAE": Metric("average size of an error", low=0.0),
}


def metric(name: str) -> Metric:
    """How to read a score; of one that is not known only the number is shown."""
    return _METRICS.get(name, Metric())


def shown(name: str, value: float) -> str:
    """A value of a metric as text.

    >>> shown("accuracy", 0.5), shown("RMSE", 0.5)
    ('50.0\u202f%', '0.5')
    """
    return percent(value) if metric(name).share else number(float(value))


def headline_metric(subject: Subject) -> str:
    """The score that stands at the head of the page: the first of the evaluation."""
    return str(next(iter(subject.evaluation.metrics)))


def bounded(subject: Subject, name: str) -> tuple[float, float, float]:
    """Mean and interval, the latter inside the values that the metric can take."""
    mean, low, high = subject.evaluation.interval(name)
    limits = metric(name)
    return float(mean), max(float(low), limits.low), min(float(high), limits.high)


def guessed(subject: Subject, name: str) -> float:
    """What guessing reaches, over all folds; NaN if that is not known."""
    scores = subject.evaluation.baseline.get(name)
    return float("nan") if scores is None else float(np.mean(scores))


def scores_section(subject: Subject) -> Section:
    """One row for each metric, one for each fold."""
    folds = len(subject.evaluation.metrics[headline_metric(subject)])
    lead = (
        f"The data were split into {folds} parts. For each of them everything, the choice of the kernel included, was "
        "done with the other parts only. So all scores are for samples that the model had not seen."
    )
    blocks: list[Block] = [_summary(subject), _folds(subject)]
    return Section("scores", "How good is it?", lead, blocks)


def _summary(subject: Subject) -> PageTable:
    rows = []
    for name in subject.evaluation.metrics:
        mean, low, high = bounded(subject, name)
        interval = Cell(f"{shown(name, low)} to {shown(name, high)}", number=True)
        guess = _cell(name, guessed(subject, name))
        rows.append([cell(name), _cell(name, mean), interval, guess, Cell(metric(name).about)])
    guessing = "always the most frequent class" if subject.classifies else "always the mean"
    note = (
        f"Guessing means {guessing} of the training part. The interval is a 95\u202f% t interval of the mean over the "
        "folds, cut where no score can be; as folds share training samples, it is somewhat too narrow."
    )
    columns = ["score", "this model", "interval", "guessing", "what it says"]
    return PageTable("summary", "Scores on samples that were not seen", columns, rows, note=note)


def _folds(subject: Subject) -> PageTable:
    evaluation, first = subject.evaluation, headline_metric(subject)
    guesses = evaluation.baseline.get(first, ())
    rows = []
    for i, kernel in enumerate(evaluation.kernels):
        scores = [_cell(name, float(values[i])) for name, values in evaluation.metrics.items()]
        guess = [_cell(first, float(guesses[i]))] if len(guesses) else []
        size = int(np.sum(np.asarray(evaluation.folds) == i))
        rows.append([cell(i + 1), cell(size), *scores, *guess, cell(kernel, code=True)])
    guess_column = [f"{first} of guessing"] if len(guesses) else []
    columns = ["fold", "samples", *evaluation.metrics, *guess_column, "chosen kernel"]
    return PageTable("folds", "Every fold", columns, rows)


def _cell(name: str, value: float) -> Cell:
    return Cell(shown(name, value), number=True)
