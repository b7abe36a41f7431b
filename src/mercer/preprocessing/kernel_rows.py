"""Kernel values relative to landmarks as a transformer."""

import numbers
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelParams, TransactionalFit, as_kernel, check_samples, finite_values, kernel_tags
from mercer._typing import Data, FloatArray
from mercer._validation import check_integer
from mercer.data import n_samples, take
from mercer.kernels import RBF, Kernel

__all__ = ["KernelRows"]


class KernelRows(ClassNamePrefixFeaturesOutMixin, TransformerMixin, TransactionalFit, KernelParams, BaseEstimator):  # type: ignore[misc]
    """Samples as their kernel values k(x, l₁), …, k(x, l_m) with landmarks (the empirical map).

    Parameters
    ----------
    kernel : Kernel, str or callable
        Any kernel, PSD or not, on any data, or its text form; names mean the text form, see
        docs/kernel-names.md. A function is called with two sets of samples and returns their block of
        values. Data-dependent parameters are resolved in `fit`.
    landmarks : None, int or data
        None: all training samples. An integer: so many of them, chosen at random without
        replacement. Else the landmarks themselves.
    random_state : int, RandomState or None
        For the choice of landmarks.

    Attributes
    ----------
    kernel_ : Kernel
        The resolved kernel.
    landmarks_ : data
        The landmarks, of shape (m, n_features) for vectors.
    landmark_indices_ : array or None
        Which training samples they are; None if landmarks were given.
    n_features_in_ : int
        Number of features, where the data has them.
    feature_names_in_ : array
        Names of the columns, where the data is a frame with string names.

    See Also
    --------
    FeatureMap : Explicit features, exact but only where they are finite.

    Notes
    -----
    O(m) kernel values per sample. With all training samples as landmarks, `fit_transform` is the
    Gram matrix, so a pipeline may end in any estimator with ``kernel="precomputed"``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import RBF
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> rows = KernelRows(RBF(gamma=1.0)).fit(X)
    >>> bool(np.allclose(rows.transform(X), RBF(gamma=1.0)(X)))
    True
    """

    def __init__(
        self,
        kernel: Any = RBF(),  # noqa: B008 - a kernel is immutable
        *,
        landmarks: Any = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.landmarks = landmarks
        self.random_state = random_state

    def fit(self, X: Data, y: Any = None) -> Self:  # noqa: ARG002
        """Resolve the kernel on X and choose the landmarks; y is ignored."""
        kernel = as_kernel(self.kernel, who="KernelRows")
        X = check_samples(self, kernel, X, reset=True)
        self.kernel_: Kernel = kernel.prepare(X).kernel  # the kernel checks all of X
        n, given = n_samples(X), self.landmarks
        self.landmark_indices_ = None
        if given is None:
            self.landmarks_, self.landmark_indices_ = X, np.arange(n)
        elif isinstance(given, numbers.Number):
            m = check_integer("KernelRows", "landmarks", given, low=1)
            if m > n:
                raise ValueError(
                    f"KernelRows: landmarks={m} must be at most n_samples={n}; lower it, or use None for all samples."
                )
            chosen = check_random_state(self.random_state).choice(n, m, replace=False)
            self.landmark_indices_ = np.sort(chosen)
            self.landmarks_ = take(X, self.landmark_indices_)
        else:
            self.landmarks_ = check_samples(self, kernel, given, reset=False)
        self._n_features_out = n_samples(self.landmarks_)
        return self

    @finite_values
    def fit_transform(self, X: Data, y: Any = None, **params: Any) -> FloatArray:  # noqa: ARG002
        """Fit and return k(X, landmarks); symmetric to the bit if the landmarks are X."""
        self.fit(X)
        return self.kernel_(self.landmarks_) if self.landmarks is None else self.transform(X)

    @finite_values
    def transform(self, X: Data) -> FloatArray:
        """k(X, landmarks), of shape (n_samples, m)."""
        check_is_fitted(self)
        X = check_samples(self, self.kernel_, X, reset=False)
        return self.kernel_(X, self.landmarks_)

    def __sklearn_tags__(self) -> Any:
        return kernel_tags(super().__sklearn_tags__(), self.kernel)
