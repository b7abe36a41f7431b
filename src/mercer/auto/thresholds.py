"""Thresholds of probabilities, chosen on out-of-fold probabilities for a cost, a recall or a precision."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._typing import DoubleArray
from mercer.auto.evaluation.record import Evaluation
from mercer.auto.scoring import rarer_class

__all__ = ["Threshold", "choose_threshold", "parse_rule", "positive_class"]

RULES = "a number between 0 and 1, 'cost:FP:FN', 'recall:R' or 'precision:P'"


@dataclass(frozen=True)
class Threshold:
    """Probability from which a sample is predicted as positive.

    Parameters
    ----------
    positive : object
        Label of the positive class.
    value : float
        Samples whose probability of the positive class is at least `value` are predicted as positive. Others get the
        most probable other class.
    rule : str
        How the value was chosen: "given", "cost:FP:FN", "recall:R" or "precision:P".
    precision : float
        Out-of-fold share of positives among the samples that are predicted as positive; NaN if there are none. Each
        fold uses the threshold that the rule chooses on the other folds.
    recall : float
        Out-of-fold share of the positives that are predicted as positive, computed in the same way.
    alarms : float
        Out-of-fold share of the samples that are predicted as positive.

    See Also
    --------
    choose_threshold : Chooses a threshold.
    AutoClassifier.use_threshold : Makes `predict` follow a threshold.

    Examples
    --------
    >>> from mercer.auto import Threshold
    >>> print(Threshold("spam", 0.9, "precision:0.95", 0.96, 0.71, 0.2))
    spam if its probability is at least 0.9 (precision:0.95): out-of-fold precision 0.960, recall 0.710
    """

    positive: Any
    value: float
    rule: str
    precision: float
    recall: float
    alarms: float

    def __str__(self) -> str:
        how = "" if self.rule == "given" else f" ({self.rule})"
        return (
            f"{self.positive} if its probability is at least {self.value:.4g}{how}: out-of-fold precision "
            f"{self.precision:.3f}, recall {self.recall:.3f}"
        )


def positive_class(who: str, classes: Any, positive: Any, truth: Any = None) -> Any:
    """Label of the positive class: the class that equals `positive` as text, else the rarer class of `truth`.

    >>> positive_class("evaluate", np.array([0, 1]), "1")
    1
    """
    if positive is None:
        if len(classes) != 2:
            raise ValueError(f"{who}: with {len(classes)} classes the positive one must be named; give positive=.")
        positive = rarer_class(truth)
    for label in classes.tolist():
        if label == positive or str(label) == str(positive):
            return label
    shown = ", ".join(map(repr, classes.tolist()[:10]))
    raise ValueError(f"{who}: positive={positive!r} is not a class of the target; choose from {shown}.")


def parse_rule(rule: Any) -> tuple[str, tuple[float, ...]]:
    """Name of a rule and its numbers.

    >>> parse_rule("cost:1:20"), parse_rule("recall:0.9"), parse_rule(0.3)
    (('cost', (1.0, 20.0)), ('recall', (0.9,)), ('given', (0.3,)))
    """
    name, *parts = str(rule).split(":")
    try:
        if not parts:
            name, parts = "given", [name]
        values = tuple(float(part) for part in parts)
        sizes = {"given": 1, "cost": 2, "recall": 1, "precision": 1}
        bounded = name == "cost" or all(0 <= value <= 1 for value in values)
        positive = name != "cost" or all(0 < value < np.inf for value in values)
        if sizes[name] == len(values) and bounded and positive:
            return name, values
    except (KeyError, ValueError):
        pass
    raise ValueError(f"choose_threshold: rule must be {RULES}, got {rule!r}.")


def choose_threshold(evaluation: Evaluation, rule: str | float, positive: Any = None) -> Threshold:
    """Choose a threshold on the out-of-fold probabilities of an evaluation.

    Parameters
    ----------
    evaluation : Evaluation
        Result of `evaluate` for a classifier with probabilities.
    rule : str or float
        A number between 0 and 1 is the threshold itself. "cost:FP:FN": the smallest total cost, where a false positive
        costs FP and a false negative FN. "recall:R": the largest threshold with a recall of at least R.
        "precision:P": the smallest threshold with a precision of at least P.
    positive : object, default=None
        Label of the positive class, or its text. None: the rarer of two classes, the second one if both are equally
        frequent.

    Returns
    -------
    Threshold
        Threshold, with the precision and the recall that new samples can expect.

    Raises
    ------
    ValueError
        If there are no probabilities, if the rule or the class is unknown, or if no threshold reaches the precision.

    See Also
    --------
    evaluate : Computes out-of-fold probabilities.
    AutoClassifier.use_threshold : Makes `predict` follow a threshold.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer.auto import AutoClassifier, choose_threshold, evaluate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = evaluate(AutoClassifier("rbf", "ridge"), X[:, :6], y, cv=3)
    >>> print(choose_threshold(found, "recall:0.99", positive=0))
    0 if its probability is at least 0.02242 (recall:0.99): out-of-fold precision 0.608, recall 0.986
    """
    name, values = parse_rule(rule)
    if evaluation.probabilities is None:
        raise ValueError("choose_threshold: the evaluation has no probabilities; evaluate a classifier that has them.")
    wanted = evaluation.positive if positive is None else positive
    label = positive_class("choose_threshold", evaluation.classes, wanted, evaluation.truth)
    column = int(np.flatnonzero(evaluation.classes == label)[0])
    scores, truth = evaluation.probabilities[:, column], evaluation.truth == label
    value = _chosen(name, values, scores, truth)
    if value is None:
        raise ValueError(
            f"choose_threshold: no threshold reaches {name} {values[0]:g} for class {label!r} on out-of-fold "
            "probabilities; ask for less."
        )
    alarm = np.zeros(len(truth), dtype=bool)
    for fold in np.unique(evaluation.folds):
        test = evaluation.folds == fold
        other = _chosen(name, values, scores[~test], truth[~test])
        alarm[test] = scores[test] >= (value if other is None else other)
    hits = int((alarm & truth).sum())
    return Threshold(
        label,
        value,
        "given" if name == "given" else str(rule),
        hits / alarm.sum() if alarm.any() else float("nan"),
        hits / truth.sum() if truth.any() else float("nan"),
        float(alarm.mean()),
    )


def _chosen(name: str, values: tuple[float, ...], scores: DoubleArray, truth: Any) -> float | None:
    """Threshold of a rule for probabilities of the positive class; None if none reaches the precision."""
    if name == "given":
        return values[0]
    order = np.argsort(-scores, kind="stable")
    ordered, hits = scores[order], np.cumsum(truth[order])
    alarms, total = np.arange(1, len(scores) + 1), max(int(truth.sum()), 1)
    ends = np.flatnonzero(np.append(ordered[1:] < ordered[:-1], True))  # equal probabilities are decided together
    if name == "recall":
        return float(ordered[ends[np.argmax(hits[ends] / total >= values[0])]])
    if name == "precision":
        good = ends[hits[ends] / alarms[ends] >= values[0]]
        return float(ordered[good[-1]]) if len(good) else None
    false_positive, false_negative = values
    costs = np.append(
        total * false_negative, false_positive * (alarms - hits)[ends] + false_negative * (total - hits)[ends]
    )
    cuts = np.append(1.0, ordered[ends])
    bayes = false_positive / (false_positive + false_negative)  # the best threshold of exact probabilities
    best = np.flatnonzero(costs <= costs.min() * (1 + 1e-12))
    return float(cuts[best[np.argmin(np.abs(cuts[best] - bayes))]])
