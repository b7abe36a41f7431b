"""Scores of predictions whose true targets are known."""

from typing import Any

import numpy as np

__all__ = ["prediction_scores"]


def prediction_scores(model: Any, truth: Any, predictions: Any, certainty: dict[str, Any]) -> dict[str, float]:
    """Scores by metric, without those that are undefined for these targets.

    Parameters
    ----------
    model : estimator
        Fitted model.
    truth : ndarray of shape (n_samples,)
        Targets. Labels are compared as text, since they may have another type than in the fit.
    predictions : ndarray of shape (n_samples,)
        Predictions.
    certainty : dict of str to ndarray of shape (n_samples,)
        Probabilities of the classes of the model, or decision values, as columns of the table of predictions.

    Returns
    -------
    dict of str to float
        Those of ``mercer fit``; the log-loss only if there are probabilities of all classes of the targets.
    """
    from sklearn.base import is_classifier

    from mercer.auto.metrics import ClassMetrics, NumberMetrics

    if not is_classifier(model):
        found = NumberMetrics(None).of(truth, predictions)
    else:
        truth, labels = truth.astype(str), np.asarray(model.classes_).astype(str)
        positive = getattr(model, "positive_", None)
        metrics = ClassMetrics(np.concatenate([truth, labels]), None, None if positive is None else str(positive))
        known = len(metrics.classes) == len(labels)
        values = P = None
        if known and hasattr(model, "predict_proba"):
            P = np.column_stack(list(certainty.values()))[:, np.argsort(labels)]
        if known and len(labels) == 2 and certainty:
            second = list(certainty.values())[-1]  # the probability of the second class, or its decision value
            values = second if metrics.classes[1] == labels[1] else -second  # as text, classes may be in another order
        found = metrics.of(truth, predictions.astype(str), values, P)
    return {name: float(value) for name, value in found.items() if value == value}
