"""Table that compares the model with simple baselines and models that people know, on the same folds."""

from dataclasses import replace
from typing import Any

import numpy as np

from mercer.report.blocks import Block, Cell, Heading, PageTable
from mercer.report.metrics import headline_metric, metric, shown
from mercer.report.subject import Subject
from mercer.report.text import listed, number
from mercer.report.words import model_words

__all__ = ["better_baseline", "comparison_blocks"]

SURE = 2.0  # standard errors of a difference above which chance does not explain it
SECOND = ("log-loss", "RMSE", "ROC AUC")  # the first of these that was computed is the second score of the table


def comparison_blocks(subject: Subject) -> list[Block]:
    """Heading and table; empty if no baselines were computed besides the constant one."""
    baselines = subject.evaluation.baselines
    if not baselines:
        return []
    return [Heading("Comparison with other models"), _table(subject, baselines)]


def better_baseline(subject: Subject) -> str:
    """Sentence on known models whose mean score is better; empty if there are none."""
    name = headline_metric(subject)
    own = subject.evaluation.metrics[name]
    sign = -1 if metric(name).smaller else 1
    baselines = subject.evaluation.baselines or {}
    gains = {other: sign * (found.metrics[name] - own) for other, found in baselines.items()}
    better = {other: gain for other, gain in gains.items() if gain.mean() > 0}
    if not better:
        return ""
    found = listed(f"{other} ({shown(name, float(baselines[other].metrics[name].mean()))})" for other in better)
    clear = any(
        len(gain) > 2 and gain.mean() > SURE * gain.std(ddof=1) / np.sqrt(len(gain)) for gain in better.values()
    )
    verdict = "Consider using it instead." if clear else "The difference may be due to chance."
    return (
        f"On the same folds, {found} has a better {name} than this model ({shown(name, float(own.mean()))}). {verdict}"
    )


def _interval(subject: Subject, metrics: Any, name: str) -> tuple[float, float, float]:
    """Mean and interval of a metric of another model on the same folds."""
    return replace(subject.evaluation, metrics=metrics).interval(name)  # type: ignore[no-any-return]


def _table(subject: Subject, baselines: Any) -> PageTable:
    evaluation, first = subject.evaluation, headline_metric(subject)
    second = next((name for name in SECOND if name in evaluation.metrics and name != first), None)
    own = None if evaluation.seconds is None else float(evaluation.seconds.mean())
    constant = "majority class" if subject.classifies else "mean"
    models = [
        (f"this model: {model_words(subject.model.model_)}", evaluation.metrics, own, ""),
        *((name, found.metrics, found.seconds, found.estimator) for name, found in baselines.items()),
        (constant, evaluation.baseline, None, ""),
    ]
    rows = []
    for name, metrics, seconds, estimator in models:
        mean, low, high = _interval(subject, metrics, first)
        whole = metric(first).share
        score = Cell(shown(first, mean), number=True, bar=mean if whole else None, whole=whole)
        row = [Cell(name, title=estimator), score, Cell(f"{shown(first, low)} to {shown(first, high)}", number=True)]
        if second is not None:
            row.append(Cell(shown(second, float(metrics[second].mean())) if second in metrics else "–", number=True))
        rows.append([*row, Cell("–" if seconds is None else f"{number(seconds, 2)} s", number=True)])
    columns = ["model", first, "95\u202f% interval", *([] if second is None else [second]), "time per fit"]
    described = [
        f"{name.capitalize()}: {found.estimator} of scikit-learn on {found.description}."
        for name, found in baselines.items()
    ]
    note = (
        "All models were fitted to the same training parts and scored on the same folds. "
        f"{' '.join(described)} Time per fit: mean over the folds in seconds; that of this model includes the search."
    )
    return PageTable("comparison", f"Models on the same folds, by {first}", columns, rows, note=note, marked=0)
