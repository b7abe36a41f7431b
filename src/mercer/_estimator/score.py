"""Scores of classifiers and regressors, whose targets and weights are validated as those of `fit`."""

from typing import Any

from sklearn.base import ClassifierMixin, RegressorMixin

from mercer._typing import Data
from mercer._validation import as_doubles, as_labels, as_numbers

__all__ = ["ScoredClassifier", "ScoredRegressor"]


class _Scored:
    """Score of scikit-learn's mixin, which is the next class in the order of resolution, for validated arrays."""

    def score(self, X: Data, y: Any, sample_weight: Any = None) -> float:
        """Score the predictions: accuracy of a classifier, coefficient of determination R² of a regressor.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame or list of objects
            Samples, as in `predict`.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            True classes or values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples. None: equal weights.

        Returns
        -------
        float
            Accuracy: share of the samples, by weight, whose class is predicted. R²: 1 for perfect predictions, 0 for
            those of the mean of y, negative for worse ones.
        """
        who = type(self).__name__
        if isinstance(self, RegressorMixin):
            y = as_numbers(who, y, name="y", exact=True)
        else:
            as_labels(who, y)  # raises errors; scikit-learn converts frames and series
        weight = None if sample_weight is None else as_doubles(who, sample_weight, name="sample_weight")
        return float(super().score(X, y, weight))  # type: ignore[misc]


class ScoredClassifier(_Scored, ClassifierMixin):  # type: ignore[misc]
    """Mixin of classifiers: scikit-learn's, with validated labels and weights in `score`."""


class ScoredRegressor(_Scored, RegressorMixin):  # type: ignore[misc]
    """Mixin of regressors: scikit-learn's, with validated targets and weights in `score`."""
