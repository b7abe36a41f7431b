"""Base class of transformers whose features do not depend on the training samples."""

from abc import abstractmethod
from typing import Any

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelParams, TransactionalFit, check_samples, finite_values
from mercer._estimator.blocks.outputs import BlockOutputs
from mercer._typing import Data, FloatArray
from mercer.approximation import FourierMap, TensorSketch
from mercer.kernels import Kernel
from mercer.kernels.sharing import as_vectors

__all__ = ["RandomMap"]


class RandomMap(
    BlockOutputs,
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    TransactionalFit,
    KernelParams,
    BaseEstimator,  # type: ignore[misc]
):
    """Transformer around a random map of vectors, for the kernel `kernel_`."""

    kernel_: Kernel
    _n_features_out: int

    @abstractmethod
    def _map(self) -> FourierMap | TensorSketch:
        """Fitted map."""

    def _vectors(self, X: Data, kernel: Kernel, *, reset: bool) -> Any:
        """Samples as a matrix of floats, by the rules of estimators and of the kernel."""
        return as_vectors(check_samples(self, kernel, X, reset=reset), type(self).__name__)

    @finite_values
    def transform(self, X: Data) -> FloatArray:
        """Compute the features of samples in blocks of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Features; of type float32 if X is.
        """
        check_is_fitted(self)
        return self._map().features(self._vectors(X, self.kernel_, reset=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
