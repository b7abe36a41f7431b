"""Scorers of scikit-learn applied to predictions that are known already."""

from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from mercer._typing import DoubleArray

__all__ = ["GivenProbabilities", "GivenValues", "takes_weight"]


class GivenValues(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Regressor that returns its input, so that a scorer can be applied to predictions."""

    def predict(self, X: DoubleArray) -> DoubleArray:
        return X

    def __sklearn_is_fitted__(self) -> bool:
        return True


class GivenProbabilities(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classifier whose input are its probabilities, of shape (n_samples, n_classes)."""

    def __init__(self, classes: Any) -> None:
        self.classes = classes

    @property
    def classes_(self) -> Any:
        """Class labels, in the order of the columns."""
        return np.asarray(self.classes)

    def predict_proba(self, X: DoubleArray) -> DoubleArray:
        return X

    def predict(self, X: DoubleArray) -> Any:
        """Most probable classes."""
        return self.classes_[X.argmax(axis=1)]

    def decision_function(self, X: DoubleArray) -> DoubleArray:
        """Logarithms of the probabilities; with two classes, the log-odds of the second one."""
        log = np.log(np.maximum(X, np.finfo(np.float64).tiny))
        return np.asarray(log if X.shape[1] > 2 else log[:, 1] - log[:, 0])

    def __sklearn_is_fitted__(self) -> bool:
        return True


def takes_weight(scorer: Any) -> bool:
    """Whether a scorer accepts sample weights."""
    accepts = getattr(scorer, "_accept_sample_weight", None)
    return bool(accepts()) if accepts is not None else "sample_weight" in signature(scorer).parameters
