"""Scores of classes from fitted classifiers of every kind."""

from typing import Any

import numpy as np

from mercer._typing import DoubleArray
from mercer.auto.stack.machines import class_scores

__all__ = ["decision_scores"]

SMOOTHING = 0.01  # added to probabilities before their logarithm, since neighbours vote with probabilities of 0


def decision_scores(model: Any, X: Any, classes: Any) -> DoubleArray:
    """Scores of classes for a calibration: decision values, else logarithms of probabilities, else of predictions.

    Parameters
    ----------
    model : classifier
        Fitted classifier.
    X : data
        Samples in the form that the classifier takes.
    classes : ndarray of shape (n_classes,)
        Class labels, sorted. Those of the classifier are among them.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Scores. Classes that the classifier does not know get the smallest score of the sample. Probabilities, and
        predicted classes as probabilities of 0 and 1, are smoothed before the logarithm.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier().fit(np.zeros((4, 1)), ["a", "a", "a", "c"])
    >>> decision_scores(model, np.zeros((1, 1)), np.array(["a", "b", "c"])).round(2)
    array([[-0.27, -1.35, -1.35]])
    """
    known = np.searchsorted(classes, model.classes_)
    if hasattr(model, "decision_function"):
        return class_scores(np.asarray(model.decision_function(X), dtype=np.float64), known, len(classes))
    if hasattr(model, "predict_proba"):
        P = np.asarray(model.predict_proba(X), dtype=np.float64)
    else:
        P = (np.asarray(model.predict(X))[:, None] == model.classes_).astype(np.float64)
    return class_scores(np.log(P + SMOOTHING), known, len(classes))
