"""Honest scores: the whole fit, with every choice in it, is repeated in every outer fold."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from scipy.stats import t as student
from sklearn.base import clone, is_classifier
from sklearn.metrics import (
    mean_absolute_error,
    r2_score,
    recall_score,
    roc_auc_score,
    root_mean_squared_error,
)

from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import check_integer
from mercer._words import one_word
from mercer.auto.columns import row_count, rows_of
from mercer.auto.sampling import check_groups, fold_count, make_folds
from mercer.auto.task import as_target, check_classes, check_numbers

__all__ = ["Evaluation", "evaluate"]

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Scores of every outer fold, and predictions of samples that the model had not seen.

    Attributes
    ----------
    task : {"classification", "regression"}
    metrics : dict of str to array of shape (folds,)
        "accuracy", "balanced accuracy" and, for two classes, "ROC AUC"; or "R²", "RMSE", "MAE".
    baseline : dict of str to array of shape (folds,)
        The same of always guessing the most frequent class, or the mean, of the training part.
    predictions, truth : array of shape (n,)
        Out of fold, in the order of X.
    folds : array of int, shape (n,)
        Number of the fold in which each sample was predicted.
    kernels : list of str
        Chosen in each fold.
    decisions : array of shape (n,) or (n, classes), or None
        Out-of-fold values of `decision_function`, or else probabilities, where the models have them.
    classes : array or None
        The labels, sorted, in the order of the columns of `decisions`.
    notes : list of str
        What was decided on the way.
    """

    task: Literal["classification", "regression"]
    metrics: dict[str, DoubleArray]
    baseline: dict[str, DoubleArray]
    predictions: Any
    truth: Any
    folds: IndexArray
    kernels: list[str]
    decisions: DoubleArray | None = None
    classes: Any = None
    notes: list[str] = field(default_factory=list)

    def interval(self, metric: str) -> tuple[float, float, float]:
        """Mean of a metric over the folds, and the ends of its 95 % t interval.

        Folds share training samples, so that the interval is somewhat too narrow; it is not cut at the bounds of a
        metric.

        >>> import numpy as np
        >>> scores = {"accuracy": np.array([0.8, 0.9, 1.0])}
        >>> found = Evaluation("classification", scores, {}, None, None, np.zeros(0, dtype=int), [])
        >>> [round(value, 3) for value in found.interval("accuracy")]
        [0.9, 0.652, 1.148]
        """
        if metric not in self.metrics:
            raise ValueError(f"Evaluation: no metric {metric!r}; there are {', '.join(map(repr, self.metrics))}.")
        scores = self.metrics[metric]
        mean, n = float(scores.mean()), len(scores)
        half = float(student.ppf(0.975, n - 1) * scores.std(ddof=1) / np.sqrt(n))
        return mean, mean - half, mean + half


@one_word
def evaluate(
    model: Any, X: Data, y: Any, groups: Any = None, cv: int = 5, progress: Progress | None = None
) -> Evaluation:
    """Score a model on samples that none of its choices has seen.

    In each fold a clone of the model is fitted to the other folds, from the preparation of the table to the choice of
    the kernel, and predicts the fold. Folds are stratified for classifiers, keep groups together, and depend on the
    model's `random_state` only.

    Parameters
    ----------
    model : AutoClassifier, AutoRegressor, or any classifier or regressor
        Not changed.
    X : data
        As the model takes them.
    y : array-like of shape (n,)
    groups : array-like of shape (n,), optional
        Samples of one group are never on both sides of a fold.
    cv : int, default=5
        Number of outer folds, at least 2; fewer are made where classes or groups are too small, which `notes` report.
    progress : callable, default=None
        Called as ``progress(done, cv, text)`` before each fold and after the last.

    Notes
    -----
    `cv` fits. Every class needs at least 2 samples, so that one is left for training.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.auto import AutoClassifier, evaluate
    >>> X, y = load_iris(return_X_y=True)
    >>> found = evaluate(AutoClassifier(kernel="rbf", model="ridge"), X, y, cv=3)
    >>> bool(found.metrics["accuracy"].mean() > 0.9 > found.baseline["accuracy"].mean())
    True
    """
    classes = is_classifier(model)
    y = as_target("evaluate", y)
    if classes:
        check_classes("evaluate", y)
    else:
        y = check_numbers("evaluate", y)
    n = row_count("evaluate", X)
    if n != len(y):
        raise ValueError(f"evaluate: X has {n} samples, but y has {len(y)}; give one target for each.")
    groups = check_groups("evaluate", groups, n)
    wanted = check_integer("evaluate", "cv", cv, low=2)
    count, note = fold_count("evaluate", y, wanted, classes=classes, groups=groups, least=2)
    seed = getattr(model, "random_state", 0)
    parts = make_folds(y, count, classes=classes, groups=groups, random_state=seed if isinstance(seed, int) else 0)
    return _Folds(model, X, y, groups, classes, [f"Evaluation: {note}"] if note else []).run(parts, progress)


class _Folds:
    """One evaluation on its way."""

    def __init__(self, model: Any, X: Data, y: Any, groups: Any, classes: bool, notes: list[str]) -> None:
        self.model, self.X, self.y, self.groups, self.notes = model, X, y, groups, notes
        self.labels = np.unique(y) if classes else None
        self.predictions = np.empty_like(y)
        self.numbers = np.zeros(len(y), dtype=np.int64)
        self.decisions: DoubleArray | None = None
        self.metrics: dict[str, list[float]] = {}
        self.baseline: dict[str, list[float]] = {}
        self.kernels: list[str] = []

    def run(self, parts: list[tuple[IndexArray, IndexArray]], progress: Progress | None) -> Evaluation:
        tell = progress or _quiet
        for fold, (train, test) in enumerate(parts):
            tell(fold, len(parts), f"fold {fold + 1} of {len(parts)}")
            self._fold(fold, train, test)
        tell(len(parts), len(parts), "done")
        return Evaluation(
            "regression" if self.labels is None else "classification",
            {name: np.array(scores) for name, scores in self.metrics.items()},
            {name: np.array(scores) for name, scores in self.baseline.items()},
            self.predictions,
            self.y,
            self.numbers,
            self.kernels,
            self.decisions,
            self.labels,
            self.notes,
        )

    def _fold(self, fold: int, train: IndexArray, test: IndexArray) -> None:
        options = {} if self.groups is None else {"groups": self.groups[train]}
        try:
            model = clone(self.model).fit(rows_of(self.X, train), self.y[train], **options)
        except ValueError as error:
            raise ValueError(f"evaluate: fold {fold + 1} cannot be left out: {error}") from error
        samples = rows_of(self.X, test)
        self.numbers[test] = fold
        self.predictions[test] = model.predict(samples)
        self.kernels.append(str(getattr(model, "kernel_", getattr(model, "kernel", ""))))
        values = self._decide(model, samples, test)
        truth = self.y[train]
        if self.labels is None:
            guess = np.full(len(test), truth.mean())
        else:
            most = self.labels[np.argmax([(truth == label).sum() for label in self.labels])]
            guess = np.full(len(test), most)
        for name, score in self._scores(self.y[test], self.predictions[test], values).items():
            self.metrics.setdefault(name, []).append(score)
        for name, score in self._scores(self.y[test], guess, None).items():
            self.baseline.setdefault(name, []).append(score)

    def _decide(self, model: Any, samples: Data, test: IndexArray) -> Any:
        """Decision values of a fold, kept for all; None where the model has none."""
        ask = getattr(model, "decision_function", None) or getattr(model, "predict_proba", None)
        if self.labels is None or ask is None:
            return None
        values = np.asarray(ask(samples), dtype=np.float64)
        if len(self.labels) == 2 and values.ndim == 2:
            values = values[:, 1] - values[:, 0]
        if self.decisions is None:
            self.decisions = np.full((len(self.y), *values.shape[1:]), np.nan)
        self.decisions[test] = values
        return values

    def _scores(self, truth: Any, predicted: Any, values: Any) -> dict[str, float]:
        if self.labels is None:
            return {
                "R²": float(r2_score(truth, predicted)) if len(truth) > 1 else np.nan,
                "RMSE": float(root_mean_squared_error(truth, predicted)),
                "MAE": float(mean_absolute_error(truth, predicted)),
            }
        scores = {"accuracy": float(np.mean(truth == predicted)), "balanced accuracy": _balanced(truth, predicted)}
        if len(self.labels) == 2:
            scores["ROC AUC"] = _area(truth == self.labels[1], np.zeros(len(truth)) if values is None else values)
        return scores


def _balanced(truth: Any, predicted: Any) -> float:
    # balanced_accuracy_score is this mean of recalls too, but warns of predictions that a small fold has no sample of.
    return float(recall_score(truth, predicted, labels=np.unique(truth), average="macro"))


def _area(positive: Any, values: Any) -> float:
    return float(roc_auc_score(positive, values)) if len(np.unique(positive)) == 2 else np.nan


def _quiet(done: int, total: int, text: str) -> None:
    """Nobody listens."""
