"""Explicit kernel features as a transformer."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from mercer._estimator import KernelParams, TransactionalFit, as_kernel, check_samples, finite_values, kernel_tags
from mercer._typing import Data
from mercer.data import take
from mercer.kernels import Kernel, Polynomial
from mercer.kernels.features import Options
from mercer.kernels.naming import feature_names
from mercer.kernels.vocabulary import Vocabularies, has_vocabulary

__all__ = ["FeatureMap"]


class FeatureMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, TransactionalFit, KernelParams, BaseEstimator):  # type: ignore[misc]
    """Explicit kernel features φ(x) with ⟨φ(x), φ(z)⟩ = k(x, z).

    A linear model on these features is the primal form of the kernel machine, with a cost linear in n_samples.

    Parameters
    ----------
    kernel : Kernel, str or callable, default=Polynomial(degree=2, gamma=1.0, coef0=1.0)
        Kernel with a finite-dimensional φ, or its text form; names are read as text forms, see :ref:`kernel-names`.
        Data-dependent parameters are resolved in `fit`.
    degree : int, default=None
        Degree at which the Taylor series of an infinite-dimensional φ (`RBF`, `ExpOf`) is truncated.
    maximum : int, default=None
        Largest possible count, for kernels on integer counts.

    Attributes
    ----------
    kernel_ : Kernel
        Kernel with all parameters resolved to numbers.
    n_features_in_ : int
        Number of features of X. Only for data that has features.
    feature_names_in_ : ndarray of shape (``n_features_in_``,)
        Names of the columns. Only if X was a data frame whose column names are all strings.

    See Also
    --------
    mercer.kernels.Kernel.feature_map : The same as a function.
    KernelRows : Features for any kernel, relative to landmarks.

    Notes
    -----
    The output is dense or CSR, depending on the kernel and the data. Features of strings and trees are those that occur
    in the data passed to `fit`, with readable names. Other features of new samples are dropped, but they still count in
    the norm by which a normalised kernel divides.

    References
    ----------
    * Schölkopf and Smola, *Learning with Kernels*, MIT Press, 2002.
    * Cotter, Keshet and Srebro, *Explicit approximations of the Gaussian kernel*, 2011 (truncated Taylor series).

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Polynomial
    >>> from mercer.preprocessing import FeatureMap
    >>> X = np.array([[1.0, 2.0], [3.0, -1.0]])
    >>> F = FeatureMap(Polynomial(degree=2)).fit_transform(X)
    >>> F.round(3)
    array([[ 1.   ,  2.828,  4.   ,  1.414,  2.828,  1.   ],
           [ 9.   , -4.243,  1.   ,  4.243, -1.414,  1.   ]])
    >>> (F @ F.T).round(9)
    array([[ 36.,   4.],
           [  4., 121.]])
    >>> Polynomial(degree=2)(X)
    array([[ 36.,   4.],
           [  4., 121.]])
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
        """Resolve the kernel and learn its features.

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
        self._learn(X, everything=False)
        return self

    def fit_transform(self, X: Data, y: Any = None, **fit_params: Any) -> Any:  # noqa: ARG002
        """Resolve the kernel and compute the features of the training samples.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Training samples in any form the kernel accepts.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.
        **fit_params : dict
            Ignored. Present for compatibility with pipelines.

        Returns
        -------
        ndarray or CSR of shape (n_samples, n_features_out)
            Features φ(X).
        """
        return self._learn(X, everything=True)

    @finite_values
    def transform(self, X: Data) -> Any:
        """Compute the features of samples.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts.

        Returns
        -------
        ndarray or CSR of shape (n_samples, n_features_out)
            Features φ(X).
        """
        check_is_fitted(self)
        X = check_samples(self, self.kernel_, X, reset=False)
        return self.kernel_.features(X, self._options(self._vocabularies.again()))

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the features: products of columns, k-mers, tree fragments or categories.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns of X. None uses those of the data frame passed to `fit`, or x0, x1, …

        Returns
        -------
        ndarray of shape (n_features_out,)
            Names, as str objects. Features without a name are numbered.

        Examples
        --------
        >>> import pandas as pd
        >>> from mercer.kernels import Polynomial, Spectrum
        >>> people = pd.DataFrame({"age": [31.0, 27.0], "income": [2.5, 3.0]})
        >>> FeatureMap(Polynomial(degree=2)).fit(people).get_feature_names_out().tolist()
        ['age^2', 'age*income', 'income^2', 'age', 'income', '1']
        >>> FeatureMap(Spectrum(2)).fit(["GATTA", "TAT"]).get_feature_names_out().tolist()
        ['AT', 'GA', 'TA', 'TT']
        """
        check_is_fitted(self)
        names = self._names
        if names is None:  # features of a matrix depend only on the names of its columns
            columns = _check_feature_names_in(self, input_features)
            zeros = np.zeros((1, self.n_features_in_))
            names = feature_names(self.kernel_, zeros, self._options(self._vocabularies.again()), columns)
        return np.asarray(names, dtype=object)

    @finite_values
    def _learn(self, X: Data, *, everything: bool) -> Any:
        kernel = as_kernel(self.kernel, who="FeatureMap", default=Polynomial(degree=2))
        X = check_samples(self, kernel, X, reset=True)
        self.kernel_: Kernel = kernel.resolve(X)
        self._vocabularies = Vocabularies()
        opened = has_vocabulary(self.kernel_)
        features = self.kernel_.features(X if opened or everything else take(X, [0]), self._options(self._vocabularies))
        self._n_features_out = features.shape[1]
        self._names: list[str] | None = None
        if opened or not (isinstance(X, np.ndarray) or sp.issparse(X)):
            columns = getattr(self, "feature_names_in_", None)
            self._names = feature_names(self.kernel_, X, self._options(self._vocabularies.again()), columns)
        return features

    def _options(self, vocabularies: Vocabularies) -> Options:
        return {"degree": self.degree, "maximum": self.maximum, "vocabularies": vocabularies}

    def __sklearn_tags__(self) -> Any:
        return kernel_tags(super().__sklearn_tags__(), self.kernel)
