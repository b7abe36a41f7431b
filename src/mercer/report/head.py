"""Head of the page: summary sentence, warnings and key numbers."""

import re
from dataclasses import dataclass

import numpy as np

from mercer.auto.metrics import metric_range
from mercer.report.approximation import size_words
from mercer.report.comparison import better_baseline
from mercer.report.metrics import baseline_score, headline_metric, metric, shown
from mercer.report.scores import duplicate_words
from mercer.report.subject import UNEVEN, Subject
from mercer.report.text import count, cut, number, percent, plain
from mercer.report.words import model_words

__all__ = ["Gauge", "Tile", "default_title", "gauge", "headline", "remarks", "tiles"]

KERNEL = 70  # characters of the kernel
GIVEN = "as given"  # name of the candidate if the kernel was not chosen
_LONG = re.compile(r"\d+\.\d{5,}")


@dataclass(frozen=True)
class Tile:
    """One key number."""

    label: str
    text: str
    title: str = ""
    wide: bool = False


@dataclass(frozen=True)
class Gauge:
    """Interval and baseline on a scale; positions are in percent of its length."""

    label: str
    low: float
    rest: float
    mean: float
    base: float | None
    first: str
    last: str


def default_title(subject: Subject) -> str:
    """Title with the names of the data set and the target."""
    return f"{cut(plain(subject.dataset.name))}: prediction of {cut(subject.target, 40)}"


def headline(subject: Subject) -> str:
    """Summarise the score, its interval and the baseline in one or two sentences."""
    name = headline_metric(subject)
    mean, low, high = subject.evaluation.interval(name)
    base = baseline_score(subject, name)
    if name == "accuracy":
        names, codes = subject.classes
        most = cut(names[int(np.bincount(codes).argmax())], 40)
        return (
            f"The model classifies {percent(mean)} of unseen samples correctly (95\u202f% interval: {percent(low)} to "
            f"{percent(high)}). The majority-class baseline, “{most}”, reaches {percent(base)}."
        )
    if name == "R²":
        errors = subject.evaluation.interval("RMSE")[0], baseline_score(subject, "RMSE")
        error, by_mean = (number(value, 3) for value in errors)
        return (
            f"The model explains {percent(mean, 0)} of the variance of {cut(subject.target, 40)} in unseen samples "
            f"(95\u202f% interval: {percent(low, 0)} to {percent(high, 0)}). Its root mean squared error is {error}; "
            f"predicting the mean gives {by_mean}."
        )
    return (
        f"On unseen samples, the model reaches a {name} of {shown(name, mean)} (95\u202f% interval: "
        f"{shown(name, low)} to {shown(name, high)}). The baseline reaches {shown(name, base)}."
    )


def remarks(subject: Subject) -> list[str]:
    """Warnings that a reader needs to interpret the score."""
    name, found = headline_metric(subject), [text for text in (subject.scored_words,) if text]
    mean, low, _ = subject.evaluation.interval(name)
    base = baseline_score(subject, name)
    if mean <= base:
        found.append(_no_better(subject, name))
    elif low <= base:
        found.append("The interval includes the baseline: the improvement may be due to chance.")
    duplicates = subject.evaluation.duplicates
    if duplicates is not None and duplicates.crossing.any():
        found.insert(0, duplicate_words(subject))
    found += [text for text in (plain(subject.evaluation.differences(subject.model)), better_baseline(subject)) if text]
    if len(set(subject.evaluation.metrics[name].tolist())) == 1:
        found.append("All folds have the same score, so the interval has zero width and understates the uncertainty.")
    if subject.classifies and "balanced accuracy" in subject.evaluation.metrics:
        share = subject.largest_class
        if share >= UNEVEN:
            found.append(f"{percent(share, 0)} of the samples belong to one class. {_uneven(subject)}")
    return found


def _no_better(subject: Subject, name: str) -> str:
    """Sentence on a score that is not better than the baseline; probabilities may be better where labels are not."""
    if "log-loss" in subject.evaluation.metrics:
        own, base = subject.evaluation.interval("log-loss")[0], baseline_score(subject, "log-loss")
        if own < base:
            return (
                f"The {name} is not better than the baseline, but the probabilities are: their log-loss is "
                f"{shown('log-loss', own)}, that of the baseline {shown('log-loss', base)}. Order the samples by "
                "probability, or choose a threshold."
            )
    return "The score is not better than the baseline: the model found no usable relation in these data."


def _uneven(subject: Subject) -> str:
    """Scores that the largest class does not dominate."""
    balanced = subject.evaluation.interval("balanced accuracy")[0]
    text = (
        f"The balanced accuracy, in which all classes have the same weight, is {percent(balanced)}; the baseline "
        f"reaches {percent(baseline_score(subject, 'balanced accuracy'))}."
    )
    if "average precision" in subject.evaluation.metrics:
        text += (
            f" The average precision is {percent(subject.evaluation.interval('average precision')[0])}; the baseline "
            f"reaches {percent(baseline_score(subject, 'average precision'))}."
        )
    return text


def gauge(subject: Subject) -> Gauge:
    """Mean, interval and baseline of the first metric on a scale."""
    name = headline_metric(subject)
    mean, low, high = subject.evaluation.interval(name)
    reference, (lowest, highest) = baseline_score(subject, name), metric_range(name)
    values = [value for value in (mean, low, high, reference) if np.isfinite(value)] or [0.0]
    least, most = min(values), max(values)
    margin = 0.1 * (most - least) or 1.0
    first = lowest if np.isfinite(lowest) else 0.0 if least >= 0 else least - margin
    last = highest if np.isfinite(highest) else most + margin

    def place(value: float) -> float:
        return round(100 * float(np.clip((value - first) / (last - first), 0.0, 1.0)), 2) if value == value else 0.0

    label = (
        f"{name} on a scale from {shown(name, first)} to {shown(name, last)}: model {shown(name, mean)}, interval "
        f"{shown(name, low)} to {shown(name, high)}, baseline {shown(name, reference)}."
    )
    ends = [percent(end, 0) if metric(name).share else number(end, 2) for end in (first, last)]
    base = place(reference) if np.isfinite(reference) else None
    return Gauge(label, place(low), round(100 - place(high), 2), place(mean), base, f"{name} {ends[0]}", ends[1])


def tiles(subject: Subject) -> list[Tile]:
    """Key numbers of the page."""
    name, kernel = headline_metric(subject), plain(str(subject.model.kernel_))
    stacked = subject.model.best_params_["model"] == "stack"
    second = (
        Tile("classes", number(len(subject.classes[0])))
        if subject.classifies
        else Tile("RMSE", shown("RMSE", subject.evaluation.interval("RMSE")[0]))
    )
    short = _LONG.sub(lambda found: f"{float(found[0]):.4g}", kernel)
    if len(short) > KERNEL:
        chosen = next((one.name for one in subject.model.candidates_ if one.chosen), GIVEN)
        short = cut(short, KERNEL) if chosen == GIVEN else chosen
    if stacked:
        short = f"{count(len(subject.model.candidates_), 'machine')} with learned column weights"
    found = subject.model.approximation_
    return [
        Tile(name, shown(name, subject.evaluation.interval(name)[0])),
        Tile(f"baseline {name}", shown(name, baseline_score(subject, name))),
        Tile("samples", number(subject.n)),
        second,
        *([] if found is None else [Tile("approximation", size_words(found), plain(str(found)))]),
        Tile("model", model_words(subject.model.model_), wide=True),
        Tile("kernel", short, kernel if short != kernel else "", wide=True),
    ]
