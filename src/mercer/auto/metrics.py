"""Metrics of nested cross-validation, and their ranges."""

import math
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.metrics import (
    average_precision_score,
    mean_absolute_error,
    r2_score,
    recall_score,
    roc_auc_score,
    root_mean_squared_error,
)

from mercer._typing import DoubleArray
from mercer.auto.scoring import Judge, rarer_class
from mercer.auto.stack.machines import class_scores

__all__ = ["ClassMetrics", "NumberMetrics", "metric_range"]

SHARES = ("accuracy", "balanced", "roc auc", "average precision", "f1", "jaccard", "precision", "recall", "top k")
LOSSES = ("log loss", "rmse", "mae")
EXPLAINED = ("r²", "r2", "explained", "d2", "matthews", "adjusted")


def metric_range(name: str) -> tuple[float, float]:
    """Smallest and largest possible value of a metric, by its name; infinite where no bound is known.

    >>> metric_range("ROC AUC"), metric_range("R²"), metric_range("RMSE"), metric_range("neg_log_loss")
    ((0.0, 1.0), (-inf, 1.0), (0.0, inf), (-inf, 0.0))
    """
    word = name.lower().replace("_", " ").replace("-", " ")
    if word.startswith("neg "):
        return -math.inf, 0.0
    if word.startswith(SHARES):
        return 0.0, 1.0
    if word.startswith(EXPLAINED):
        return -math.inf, 1.0
    return (0.0, math.inf) if word in LOSSES else (-math.inf, math.inf)


class NumberMetrics:
    """R², RMSE, MAE and the score of a judge, for predicted numbers.

    Parameters
    ----------
    judge : Judge or None
        Further score.
    """

    def __init__(self, judge: Judge | None) -> None:
        self.judge = judge

    def of(self, truth: Any, predicted: Any) -> dict[str, float]:
        """Scores by name."""
        scores = {
            "R²": float(r2_score(truth, predicted)) if len(truth) > 1 else np.nan,
            "RMSE": float(root_mean_squared_error(truth, predicted)),
            "MAE": float(mean_absolute_error(truth, predicted)),
        }
        return scores if self.judge is None else {**scores, self.judge.name: self.judge.values(predicted, truth)}

    def answers(self, model: Any, samples: Any) -> tuple[Any]:
        """Predictions of a fitted model, as `of` takes them."""
        return (np.asarray(model.predict(samples)),)

    def baseline(self, known: Any, n: int) -> tuple[Any]:
        """The mean of known targets as prediction for n samples."""
        return (np.full(n, known.mean()),)


class ClassMetrics:
    """Metrics of predicted classes, of decision values and of probabilities.

    Parameters
    ----------
    truth : ndarray of shape (n_samples,)
        All labels.
    judge : Judge or None
        Further score.
    positive : label, default=None
        Positive class of the average precision. None: the rarer one.
    """

    def __init__(self, truth: Any, judge: Judge | None, positive: Any = None) -> None:
        self.classes, self.judge = np.unique(truth), judge
        self.positive = rarer_class(truth) if positive is None else positive
        self.proper = Judge("classification", None, self.classes, who="evaluate")

    def of(self, truth: Any, predicted: Any, values: DoubleArray | None, P: DoubleArray | None) -> dict[str, float]:
        """Scores by name.

        Parameters
        ----------
        truth : ndarray of shape (n_samples,)
            Labels.
        predicted : ndarray of shape (n_samples,)
            Predicted labels.
        values : ndarray of shape (n_samples,) or (n_samples, n_classes) or None
            Decision values; with two classes those of the second one.
        P : ndarray of shape (n_samples, n_classes) or None
            Probabilities. Without them there is no log-loss.

        Returns
        -------
        dict of str to float
            Scores; NaN for areas if the samples have one class only.
        """
        found = {"accuracy": float(np.mean(truth == predicted)), "balanced accuracy": _balanced(truth, predicted)}
        if len(self.classes) == 2:
            second = (predicted == self.classes[1]).astype(np.float64) if values is None else values
            both = len(np.unique(truth)) == 2
            found["ROC AUC"] = float(roc_auc_score(truth == self.classes[1], second)) if both else np.nan
            ranked = second if self.positive == self.classes[1] else -second
            found["average precision"] = (
                float(average_precision_score(truth == self.positive, ranked)) if both else np.nan
            )
        if P is not None:
            found["log-loss"] = -self.proper.probabilities(P, truth)
        if self.judge is not None:
            found[self.judge.name] = self.judge.probabilities(self._given(predicted, values, P), truth)
        return found

    def _given(self, predicted: Any, values: DoubleArray | None, P: DoubleArray | None) -> DoubleArray:
        """Probabilities for the judge; without any, numbers in the order of decision values or predictions."""
        assert self.judge is not None
        if P is not None:
            return P
        if self.judge.needs_probabilities:
            raise ValueError(
                f"evaluate: scoring={self.judge.name!r} needs probabilities, but the model has no predict_proba; "
                "use another score, or a model with probabilities, such as model='logistic'."
            )
        if values is None:
            return np.asarray(predicted[:, None] == self.classes, dtype=np.float64)
        return np.asarray(softmax(values if values.ndim == 2 else np.column_stack([-values, values]), axis=1))

    def answers(self, model: Any, samples: Any) -> tuple[Any, DoubleArray | None, DoubleArray | None]:
        """Predictions, decision values and probabilities of a fitted model, as `of` takes them."""
        predicted, values, P = np.asarray(model.predict(samples)), None, None
        known = np.searchsorted(self.classes, model.classes_)
        if hasattr(model, "predict_proba"):
            values = P = np.zeros((len(predicted), len(self.classes)))
            P[:, known] = model.predict_proba(samples)
        if hasattr(model, "decision_function"):
            found = np.asarray(model.decision_function(samples), dtype=np.float64)
            if found.ndim == 1 and len(self.classes) == 2:
                return predicted, found, P
            if found.ndim == 1 or found.shape[1] == len(known):  # not one value for each pair of classes
                values = class_scores(found, known, len(self.classes))
        if values is not None and len(self.classes) == 2:
            values = values[:, 1] - values[:, 0]
        return predicted, values, P

    def baseline(self, known: Any, n: int) -> tuple[Any, None, DoubleArray]:
        """The most frequent of known labels, and their frequencies as probabilities, for n samples."""
        sizes = np.array([(known == label).sum() for label in self.classes])
        return np.full(n, self.classes[sizes.argmax()]), None, np.tile(sizes / sizes.sum(), (n, 1))


def _balanced(truth: Any, predicted: Any) -> float:
    # balanced_accuracy_score computes the same mean of recalls, but warns if a predicted class is absent from the fold.
    return float(recall_score(truth, predicted, labels=np.unique(truth), average="macro"))
