"""Kernel machines with explicit features as linear models."""

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
    """A kernel machine in terms of its features: outputs f(x) = ⟨w, φ(x)⟩ + b.

    Attributes
    ----------
    model : estimator
        With ``kernel_`` of finite φ.
    names : list of str
        Of the features that occur in the samples with a coefficient.
    weights : array of shape (features, outputs)
        w = Σ_i a_i φ(x_i).

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
        """φ of samples, with a column for each name."""
        return self.model.kernel_.feature_map(X, vocabularies=self._vocabularies.again())

    def toward(self, output: Any) -> DoubleArray:
        """Weights of the value that speaks for a class, or of an output by its number."""
        return np.asarray(self.weights @ speaking(self.model, None, self.model, self.weights.shape[1], output)[1])


@dataclass(frozen=True, eq=False)
class Terms:
    """How much each feature counts in some samples.

    Attributes
    ----------
    phi : matrix of shape (samples, features)
    weights, sizes : array of shape (features,)
        w, and what ranks the features.
    """

    phi: Any
    weights: DoubleArray
    sizes: DoubleArray

    @property
    def found(self) -> IndexArray:
        """In how many samples each feature is."""
        return np.asarray((self.phi != 0).sum(axis=0)).ravel()

    def largest(self, n: int) -> IndexArray:
        """The n features of largest size, none that is zero."""
        size = np.abs(self.sizes)
        # What is equal up to rounding stays in the order of the features, whatever the machine rounds to.
        order = np.argsort(-np.round(size / (size.max(initial=0.0) or 1.0), 9), kind="stable")[:n]
        return order[size[order] > 0]


def mean(phi: Any) -> DoubleArray:
    """Mean of every column of a dense or sparse matrix."""
    return np.asarray(phi.mean(axis=0), dtype=np.float64).ravel()


def spread(phi: Any) -> DoubleArray:
    """Standard deviation of every column of a dense or sparse matrix."""
    squares = phi.multiply(phi) if sp.issparse(phi) else phi * phi
    return np.sqrt(np.maximum(mean(squares) - mean(phi) ** 2, 0.0))
