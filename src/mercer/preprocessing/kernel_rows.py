"""Kernel values with landmarks as a transformer."""

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
    """Empirical kernel map: samples as kernel values k(x, l₁), …, k(x, l_m) with landmarks.

    Parameters
    ----------
    kernel : Kernel, str or callable, default=RBF(gamma='scale')
        Any kernel on any data, positive semidefinite or not, or its text form; names are read as text forms, see
        :ref:`kernel-names`. A function is called with two sets of samples and returns the matrix of their values.
        Data-dependent parameters are resolved in `fit`.
    landmarks : int or data, default=None
        Number of training samples that are drawn at random without replacement, or the landmarks themselves. None uses
        all training samples.
    random_state : int, RandomState or None, default=None
        Seed of the random choice of landmarks.

    Attributes
    ----------
    kernel_ : Kernel
        Kernel with all parameters resolved to numbers.
    landmarks_ : data of n_landmarks samples
        Landmarks, of shape (n_landmarks, n_features) for vectors.
    landmark_indices_ : ndarray of shape (n_landmarks,), or None
        Indices of the landmarks among the training samples; None if the landmarks were passed.
    n_features_in_ : int
        Number of features of X. Only for data that has features.
    feature_names_in_ : ndarray of shape (``n_features_in_``,)
        Names of the columns. Only if X was a data frame whose column names are all strings.

    See Also
    --------
    FeatureMap : Explicit features, exact, for kernels with a finite-dimensional φ.
    mercer.kernels.Kernel : The kernel itself computes the same matrix.

    Notes
    -----
    The cost is n_landmarks kernel values per sample. With all training samples as landmarks, `fit_transform` returns
    the Gram matrix, so a pipeline may end in any estimator with ``kernel="precomputed"``.

    References
    ----------
    * Tsuda, *Support vector classifier with asymmetric kernel functions*, 1999.
    * Schölkopf and Smola, *Learning with Kernels*, MIT Press, 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import RBF
    >>> from mercer.preprocessing import KernelRows
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> KernelRows(RBF(gamma=1.0), landmarks=[[0.0], [2.0]]).fit_transform(X).round(4)
    array([[1.000e+00, 1.830e-02],
           [3.679e-01, 3.679e-01],
           [1.000e-04, 3.679e-01]])
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
        """Resolve the kernel and choose the landmarks.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Training samples in any form the kernel accepts.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.

        Returns
        -------
        self
            Fitted estimator.
        """
        kernel = as_kernel(self.kernel, who="KernelRows")
        X = check_samples(self, kernel, X, reset=True)
        self.kernel_: Kernel = kernel.prepare(X).kernel  # validates all of X
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
        """Choose the landmarks and return the kernel values of the training samples with them.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Training samples in any form the kernel accepts.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.
        **params : dict
            Ignored. Present for compatibility with pipelines.

        Returns
        -------
        ndarray of shape (n_samples, n_landmarks)
            Kernel values; exactly symmetric if the landmarks are the training samples.
        """
        self.fit(X)
        return self.kernel_(self.landmarks_) if self.landmarks is None else self.transform(X)

    @finite_values
    def transform(self, X: Data) -> FloatArray:
        """Compute the kernel values of samples with the landmarks.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts.

        Returns
        -------
        ndarray of shape (n_samples, n_landmarks)
            Kernel values.
        """
        check_is_fitted(self)
        X = check_samples(self, self.kernel_, X, reset=False)
        return self.kernel_(X, self.landmarks_)

    def __sklearn_tags__(self) -> Any:
        return kernel_tags(super().__sklearn_tags__(), self.kernel)
