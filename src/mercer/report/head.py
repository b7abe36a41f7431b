"""The head of the page: what came out, in words that need no training, and a few key numbers."""

import re
from dataclasses import dataclass

import numpy as np

from mercer.report.scores import bounded, guessed, headline_metric, metric, shown
from mercer.report.subject import Subject
from mercer.report.text import cut, number, percent, plain
from mercer.report.words import model_words

__all__ = ["Gauge", "Tile", "default_title", "gauge", "headline", "remarks", "tiles"]

UNEVEN = 0.65  # share of the largest class from which accuracy alone misleads
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
    """The interval and the baseline on a line; places are percent of its length."""

    label: str
    low: float
    rest: float
    mean: float
    base: float | None
    first: str
    last: str


def default_title(subject: Subject) -> str:
    """A title that says what was predicted from what."""
    return f"{cut(plain(subject.dataset.name))}: predicting {cut(subject.target, 40)}"


def headline(subject: Subject) -> str:
    """The score, its interval and the baseline in one or two sentences."""
    name = headline_metric(subject)
    mean, low, high = bounded(subject, name)
    guess = guessed(subject, name)
    if name == "accuracy":
        names, codes = subject.classes
        most = cut(names[int(np.bincount(codes).argmax())], 40)
        return (
            f"Of 100 samples that it has not seen, this model puts about {100 * mean:.0f} into the right class "
            f"(95\u202f% interval: {100 * low:.0f} to {100 * high:.0f}). Always guessing the most frequent class, "
            f"“{most}”, would get {100 * guess:.0f} right."
        )
    if name == "R²":
        error, by_mean = (f"{number(value, 3)}" for value in (bounded(subject, "RMSE")[0], guessed(subject, "RMSE")))
        return (
            f"This model explains about {percent(mean, 0)} of the variation of {cut(subject.target, 40)} in samples "
            f"that it has not seen (95\u202f% interval: {percent(low, 0)} to {percent(high, 0)}). Its typical error is "
            f"{error}; that of always guessing the mean is {by_mean}."
        )
    return (
        f"On samples that it has not seen, this model reaches a {name} of {shown(name, mean)} (95\u202f% interval: "
        f"{shown(name, low)} to {shown(name, high)}); guessing reaches {shown(name, guess)}."
    )


def remarks(subject: Subject) -> list[str]:
    """What a reader must know not to be misled."""
    name, found = headline_metric(subject), []
    mean, low, _ = bounded(subject, name)
    guess = guessed(subject, name)
    if mean <= guess:
        found.append("That is no better than guessing: the model has found nothing in these data that helps.")
    elif low <= guess:
        found.append("The interval includes the score of guessing: with so few data it may be luck.")
    if len(set(subject.evaluation.metrics[name].tolist())) == 1:
        found.append("All folds reached the same score, so that the interval has no width; that is no certainty.")
    if subject.classifies and "balanced accuracy" in subject.evaluation.metrics:
        share = float(np.bincount(subject.classes[1]).max() / subject.n)
        if share >= UNEVEN:
            balanced = bounded(subject, "balanced accuracy")[0]
            found.append(
                f"{percent(share, 0)} of the samples are of one class, so look at the balanced accuracy too, in which "
                f"classes count alike: it is {percent(balanced)}, and {percent(guessed(subject, 'balanced accuracy'))} "
                "by guessing."
            )
    return found


def gauge(subject: Subject) -> Gauge:
    """Mean, interval and baseline of the headline score on a line."""
    name = headline_metric(subject)
    mean, low, high = bounded(subject, name)
    guess, limits = guessed(subject, name), metric(name)
    values = [value for value in (mean, low, high, guess) if np.isfinite(value)] or [0.0]
    least, most = min(values), max(values)
    margin = 0.1 * (most - least) or 1.0
    first = limits.low if np.isfinite(limits.low) else 0.0 if least >= 0 else least - margin
    last = limits.high if np.isfinite(limits.high) else most + margin

    def place(value: float) -> float:
        return round(100 * float(np.clip((value - first) / (last - first), 0.0, 1.0)), 2) if value == value else 0.0

    label = (
        f"{name} on a line from {shown(name, first)} to {shown(name, last)}: this model {shown(name, mean)}, interval "
        f"{shown(name, low)} to {shown(name, high)}, guessing {shown(name, guess)}."
    )
    ends = [percent(end, 0) if limits.share else number(end, 2) for end in (first, last)]
    base = place(guess) if np.isfinite(guess) else None
    return Gauge(label, place(low), round(100 - place(high), 2), place(mean), base, f"{name} {ends[0]}", ends[1])


def tiles(subject: Subject) -> list[Tile]:
    """The key numbers of the page."""
    name, kernel = headline_metric(subject), plain(str(subject.model.kernel_))
    second = (
        Tile("classes", number(len(subject.classes[0])))
        if subject.classifies
        else Tile("RMSE", shown("RMSE", bounded(subject, "RMSE")[0]))
    )
    short = cut(_LONG.sub(lambda found: f"{float(found[0]):.4g}", kernel), 70)
    return [
        Tile(name, shown(name, bounded(subject, name)[0])),
        Tile(f"{name} of guessing", shown(name, guessed(subject, name))),
        Tile("samples", number(subject.n)),
        second,
        Tile("model", model_words(subject.model.model_), wide=True),
        Tile("kernel", short, kernel if short != kernel else "", wide=True),
    ]
