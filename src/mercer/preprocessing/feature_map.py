"""Explicit features of a kernel as a transformer."""

from typing import Any, Self

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelParams, as_kernel, check_samples, kernel_tags
from mercer._typing import Data
from mercer.data import take
from mercer.kernels import Kernel, Polynomial

__all__ = ["FeatureMap"]


class FeatureMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelParams, BaseEstimator):  # type: ignore[misc]
    """Samples as explicit features φ(x) with ⟨φ(x), φ(z)⟩ = k(x, z).

    Parameters
    ----------
    kernel : Kernel, str or callable
        A kernel with finite φ, or its text form. Data-dependent parameters are resolved in `fit`.
    degree : int, optional
        Where to cut the Taylor series of an infinite φ (RBF, ExpOf).
    maximum : int, optional
        Largest count that can occur, for kernels on integer counts.

    Attributes
    ----------
    kernel_ : Kernel
        The resolved kernel.
    n_features_in_ : int
        Number of features, where the data has them.
    feature_names_in_ : array
        Names of the columns, where the data is a frame with string names.

    See Also
    --------
    mercer.kernels.Kernel.feature_map : The same as a function.
    KernelRows : Features for any kernel, relative to landmarks.

    Notes
    -----
    The output is dense or CSR, as the kernel and the data make it. A linear model on these features
    is the kernel machine in its primal form, O(n) in the number of samples.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Polynomial
    >>> X = np.array([[1.0, 2.0], [3.0, -1.0]])
    >>> F = FeatureMap(Polynomial(degree=2)).fit_transform(X)
    >>> bool(np.allclose(F @ F.T, Polynomial(degree=2)(X)))
    True
    """

    def __init__(
        self,
        kernel: Any = Polynomial(degree=2),  # noqa: B008 - a kernel is immutable
        *,
        degree: int | None = None,
        maximum: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.maximum = maximum

    def fit(self, X: Data, y: Any = None) -> Self:  # noqa: ARG002
        """Resolve the kernel on X and count its features; y is ignored."""
        kernel = as_kernel(self.kernel, who="FeatureMap", default=Polynomial(degree=2))
        X = check_samples(self, kernel, X, reset=True)
        self.kernel_: Kernel = kernel.resolve(X)
        self._n_features_out = self._features(take(X, [0])).shape[1]
        return self

    def transform(self, X: Data) -> Any:
        """φ(X), of shape (n_samples, number of features), dense or CSR."""
        check_is_fitted(self)
        return self._features(check_samples(self, self.kernel_, X, reset=False))

    def _features(self, X: Data) -> Any:
        return self.kernel_.feature_map(X, degree=self.degree, maximum=self.maximum)

    def __sklearn_tags__(self) -> Any:
        return kernel_tags(super().__sklearn_tags__(), self.kernel)
