"""Section on probabilities and decisions: curves, calibration and thresholds."""

from typing import Any

import numpy as np

from mercer._typing import DoubleArray
from mercer.auto.scoring import rarer_class
from mercer.report.blocks import Block, Figure, Gallery, Heading, Paragraph, Section
from mercer.report.curves import Ranked, precision_picture, reliability_picture, roc_picture
from mercer.report.subject import Subject
from mercer.report.text import count, cut, plain
from mercer.report.thresholds import confidence_table, threshold_table

__all__ = ["probabilities_section"]

CLASSES = 6  # largest number of classes with a curve of their own


def probabilities_section(subject: Subject) -> Section | None:
    """Create the section; None for regression and for models without scores."""
    scores = subject.evaluation.probabilities
    scores = subject.evaluation.decisions if scores is None else scores
    if not subject.classifies or scores is None or not np.isfinite(scores).all():
        return None
    truth, classes = subject.truth[subject.scored], np.asarray(subject.evaluation.classes)
    ranked, note = _ranked(np.asarray(scores, dtype=np.float64), truth, classes, _positive(subject))
    figures: list[Figure] = [roc_picture(ranked), precision_picture(ranked)]
    lead = f"How well out-of-fold scores order the samples{_and(subject)}. {note}".rstrip()
    blocks: list[Block] = [Gallery([*figures])]
    P = subject.evaluation.probabilities
    if P is None:
        blocks.append(Paragraph("The model has no probabilities, so there are no thresholds."))
        return Section("probabilities", "Probabilities and decisions", lead, blocks)
    P = np.clip(np.asarray(P, dtype=np.float64), 0.0, 1.0)
    positive, used = _positive(subject), getattr(subject.model, "threshold_", None)
    predicted = np.asarray(subject.evaluation.predictions)
    blocks.append(Heading("Calibration and thresholds"))
    if used is not None:
        blocks.append(Paragraph(f"The model predicts {plain(used)}."))
    if len(classes) > 2:
        claimed = P[np.arange(len(P)), np.searchsorted(classes, predicted)]
        right = predicted == truth
        blocks += [reliability_picture(claimed, right, " of the predicted class"), confidence_table(claimed, right)]
    if positive is not None:
        claimed, own = P[:, int(np.flatnonzero(classes == positive)[0])], truth == positive
        if len(classes) == 2:
            blocks.append(reliability_picture(claimed, own, f" of “{cut(plain(positive), 18)}”"))
        name, value = cut(plain(positive), 40), None if used is None else used.value
        blocks.append(threshold_table(claimed, own, name, value, predicted == positive))
    return Section("probabilities", "Probabilities and decisions", lead, blocks)


def _and(subject: Subject) -> str:
    return "" if subject.evaluation.probabilities is None else ", and how far its probabilities can be trusted"


def _positive(subject: Subject) -> Any:
    """The class that is looked for: that of the threshold or of the evaluation, or else the rarer of two classes."""
    used, classes = getattr(subject.model, "threshold_", None), subject.evaluation.classes
    positive = subject.evaluation.positive if used is None else used.positive
    if positive is None and len(classes) == 2:
        return rarer_class(subject.truth[subject.scored])
    return positive


def _ranked(scores: DoubleArray, truth: Any, labels: Any, positive: Any) -> tuple[Ranked, str]:
    """Scores of the positive one of two classes, or of each class against all others; the largest if there are many."""
    if len(labels) == 2:
        second = scores if scores.ndim == 1 else scores[:, 1] - scores[:, 0]
        score = second if positive == labels[1] else -second
        return [(plain(positive), truth == positive, score)], f"The positive class is “{cut(plain(positive), 40)}”."
    sizes = np.array([(truth == label).sum() for label in labels])
    shown = np.sort(np.argsort(-sizes, kind="stable")[:CLASSES])
    shown = shown[sizes[shown] > 0]
    note = "Each class is compared with all others."
    note += f" The {CLASSES} largest of {count(len(labels), 'class')} are shown." if len(labels) > CLASSES else ""
    return [(plain(labels[c]), truth == labels[c], scores[:, c]) for c in shown.tolist()], note
