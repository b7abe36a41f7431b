"""Classification by Gaussian classes with a common covariance along discriminant directions."""

from abc import abstractmethod
from typing import Any

import numpy as np
from scipy.special import log_softmax

from mercer._estimator import finite_values
from mercer._estimator.score import ScoredClassifier
from mercer._typing import Data, DoubleArray
from mercer.discriminant.directions_fit import difference
from mercer.discriminant.incremental import DirectionSums

__all__ = ["GaussianRule"]


class GaussianRule(ScoredClassifier, DirectionSums):
    """Base class of `KernelDiscriminantAnalysis`: predictions from projections onto the directions."""

    classes_: Any
    means_: DoubleArray
    priors_: DoubleArray

    @abstractmethod
    def _projected(self, X: Data, columns: int | None = None) -> DoubleArray:
        """Return the projections of samples onto the first directions."""

    def decision_function(self, X: Data) -> DoubleArray:
        """Compute the discriminant functions log π_j + ⟨m_j, z⟩ − ½‖m_j‖² of the projections z.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts, or kernel values with the training samples, of shape (n_samples,
            n_samples_fit), for ``kernel="precomputed"``.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the difference of the second and the first function, the log odds of ``classes_[1]``. For
            more classes log probabilities up to a constant per sample.
        """
        return difference(self._values(X))

    def predict(self, X: Data) -> Any:
        """Predict class labels.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts, or kernel values with the training samples, of shape (n_samples,
            n_samples_fit), for ``kernel="precomputed"``.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        values = self._values(X)
        return self.classes_[values.argmax(axis=1)]

    def predict_proba(self, X: Data) -> DoubleArray:
        """Predict class probabilities, assuming Gaussian classes with a common covariance along the directions.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts, or kernel values with the training samples, of shape (n_samples,
            n_samples_fit), for ``kernel="precomputed"``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities in the order of ``classes_``.
        """
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict_log_proba(self, X: Data) -> DoubleArray:
        """Predict the logarithms of the class probabilities.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts, or kernel values with the training samples, of shape (n_samples,
            n_samples_fit), for ``kernel="precomputed"``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of `predict_proba`.
        """
        return np.asarray(log_softmax(self._values(X), axis=1))

    def _values(self, X: Data) -> DoubleArray:
        """Return the discriminant functions, of shape (n_samples, n_classes)."""
        with np.errstate(divide="ignore"):
            return self._likelihoods(X) + np.log(self.priors_)

    @finite_values
    def _likelihoods(self, X: Data) -> DoubleArray:
        """Return ⟨m_j, z⟩ − ½‖m_j‖² for the projections z, of shape (n_samples, n_classes)."""
        return np.asarray(self._projected(X) @ self.means_.T + self._constants())

    def _constants(self) -> DoubleArray:
        """Return −½‖m_j‖² for each class, of shape (n_classes,)."""
        return np.asarray(-(self.means_**2).sum(axis=1) / 2)
