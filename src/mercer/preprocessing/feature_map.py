"""Explicit features of a kernel as a transformer."""

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
    """Samples as explicit features φ(x) with ⟨φ(x), φ(z)⟩ = k(x, z).

    Parameters
    ----------
    kernel : Kernel, str or callable
        A kernel with finite φ, or its text form; names mean the text form, see docs/kernel-names.md. Data-dependent
        parameters are resolved in `fit`.
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
    is the kernel machine in its primal form, O(n) in the number of samples. Features of strings and
    trees are those that occur in the data of `fit`, with readable names; what other data have
    besides is left out of their features, though not of the length by which a normalised kernel divides.

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
        """Resolve the kernel on X and learn its features; y is ignored."""
        self._learn(X, everything=False)
        return self

    def fit_transform(self, X: Data, y: Any = None, **fit_params: Any) -> Any:  # noqa: ARG002
        """As `fit`, and φ(X) at no further cost."""
        return self._learn(X, everything=True)

    @finite_values
    def transform(self, X: Data) -> Any:
        """φ(X), of shape (n_samples, number of features), dense or CSR."""
        check_is_fitted(self)
        X = check_samples(self, self.kernel_, X, reset=False)
        return self.kernel_.features(X, self._options(self._vocabularies.again()))

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the features: products of columns, k-mers of strings, fragments of trees, categories.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns of X. None: those of the frame that was passed to `fit`, else x0, x1, …

        Returns
        -------
        ndarray of str objects, shape (n_features_out,)
            Features without a name of their own are numbered.

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
        if names is None:  # of a matrix: nothing but the names of its columns is needed
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
