"""Kernel machines with explicit features, written as linear models."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, DoubleArray, IndexArray
from mercer.explain.features import speaking
from mercer.kernels.naming import feature_names
from mercer.kernels.vocabulary import Vocabularies

__all__ = ["LinearForm", "Terms", "mean", "spread"]


class LinearForm:
    """Linear form f(x) = ⟨w, φ(x)⟩ + b of a kernel machine.

    Parameters
    ----------
    model : estimator
        Fitted kernel machine whose kernel has a finite feature map φ.

    Attributes
    ----------
    names : list of str
        Names of the features that occur in the samples with nonzero coefficients.
    weights : ndarray of shape (n_features, n_outputs)
        Weights w = Σ_i a_i φ(x_i).

    Examples
    --------
    >>> from mercer.svm import SVR
    >>> x = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 0.0]])
    >>> model = SVR(kernel="linear").fit(x, [0.0, 1.0, 2.0])
    >>> linear = LinearForm(model)
    >>> bool(np.allclose(linear.features(x) @ linear.toward(0) + model.intercept_, model.predict(x)))
    True
    """

    def __init__(self, model: Any) -> None:
        samples, coef, _ = model._expansion()
        self.model, self._vocabularies = model, Vocabularies()
        phi = model.kernel_.feature_map(samples, vocabularies=self._vocabularies)
        self.weights = np.asarray(phi.T @ coef)
        options = {"degree": None, "maximum": None, "vocabularies": self._vocabularies.again()}
        self.names = feature_names(model.kernel_, samples, options, model._column_names)

    def features(self, X: Data) -> Any:
        """Feature matrix of samples, with one column for each name."""
        return self.model.kernel_.feature_map(X, vocabularies=self._vocabularies.again())

    def toward(self, output: Any) -> DoubleArray:
        """Weights of the decision value of a class, or of an output given by its index."""
        return np.asarray(self.weights @ speaking(self.model, None, self.model, self.weights.shape[1], output)[1])


@dataclass(frozen=True, eq=False)
class Terms:
    """Features, weights and importance in a set of samples.

    Parameters
    ----------
    phi : ndarray or sparse matrix of shape (n_samples, n_features)
        Features of the samples.
    weights : ndarray of shape (n_features,)
        Weights.
    sizes : ndarray of shape (n_features,)
        Values by which the features are ranked.
    """

    phi: Any
    weights: DoubleArray
    sizes: DoubleArray

    @property
    def found(self) -> IndexArray:
        """Number of samples in which each feature is nonzero."""
        return np.asarray((self.phi != 0).sum(axis=0)).ravel()

    def largest(self, n: int) -> IndexArray:
        """Indices of the n features of largest nonzero size."""
        size = np.abs(self.sizes)
        # Sizes that are equal up to rounding keep the order of the features, so that it does not depend on the machine.
        order = np.argsort(-np.round(size / (size.max(initial=0.0) or 1.0), 9), kind="stable")[:n]
        return order[size[order] > 0]


def mean(phi: Any) -> DoubleArray:
    """Mean of every column of a dense or sparse matrix."""
    return np.asarray(phi.mean(axis=0), dtype=np.float64).ravel()


def spread(phi: Any) -> DoubleArray:
    """Standard deviation of every column of a dense or sparse matrix."""
    squares = phi.multiply(phi) if sp.issparse(phi) else phi * phi
    return np.sqrt(np.maximum(mean(squares) - mean(phi) ** 2, 0.0))
