"""Classification by a vote of the neighbours."""

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin, MultiOutputMixin, _fit_context
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from mercer._estimator import Training, finite_fit, warn
from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import describe
from mercer.neighbors.base import KernelNeighbors

__all__ = ["KernelKNeighborsClassifier"]


class KernelKNeighborsClassifier(ClassifierMixin, MultiOutputMixin, KernelNeighbors):  # type: ignore[misc]
    r"""The class of most of the nearest training samples, in the metric of a kernel.

    D²(x, z) = ‖φ(x) − φ(z)‖² = k(x, x) + k(z, z) − 2k(x, z). With the linear kernel it is scikit-learn's
    `KNeighborsClassifier`, with any kernel that classifier on φ(x).

    Parameters
    ----------
    n_neighbors : int
        Neighbours that vote.
    weights : {"uniform", "distance"} or callable
        Of the votes: equal, 1/D (neighbours at distance 0 outvote all others), or a function from an array of distances
        to weights of the same shape: (m, n_neighbors), or with a radius (neighbours,) for every sample.
    radius : float or None
        If given, all training samples within this distance vote instead of the `n_neighbors` nearest.
    outlier_label : label, list of labels, "most_frequent" or None
        Of samples without neighbours within the radius (a list: one per output). None: such samples are an error. A
        label that is not one of the classes has the probability 0.
    kernel : str, Kernel or callable
        One of scikit-learn's names, the text form or an object of a mercer kernel, a function,
        or "precomputed": X is the Gram matrix (test samples by training samples in prediction).
        Names: docs/kernel-names.md. A function is called with two sets of samples.
    gamma, degree, coef0
        Parameters of a kernel that is given by its name.
    n_jobs : int or None
        Threads for kernel values; None means all that are allowed.

    Attributes
    ----------
    classes_ : array, or list of arrays for several outputs
        Labels in order.
    outputs_2d_ : bool
        Whether y had several columns.
    fit_norms_ : array, shape (n,)
        k(z, z) of the training samples.
    solution_ : Solution
        Says that nothing is left to solve: the search is exact.
    n_samples_fit_, kernel_, X_fit_, n_features_in_, feature_names_in_
        What the fit has seen, and the kernel with all its parameters.

    Notes
    -----
    Prediction costs m·n kernel values, in memory O(m · n_neighbors) and panels of a fixed size. Of equally near samples
    those of lower index are the neighbours; of classes with equal votes the first one wins. ``predict(None)`` predicts
    each training sample from the others. New samples of a precomputed matrix come without k(x, x), the same for all
    neighbours: uniform votes do not need it, but `radius` and other weights do and raise. An indefinite kernel has no
    metric: a negative D² raises `NotPositiveDefiniteError`.

    Examples
    --------
    Strings, by the letters they share:

    >>> def letters(A, B):
    ...     return [[len(set(a) & set(b)) for b in B] for a in A]
    >>> words, language = ["haus", "maus", "casa", "massa"], ["de", "de", "it", "it"]
    >>> model = KernelKNeighborsClassifier(1, kernel=letters).fit(words, language)
    >>> model.predict(["laus", "cassa"])
    array(['de', 'it'], dtype='<U2')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelNeighbors._parameter_constraints,
        "outlier_label": [Real, str, "array-like", None],
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Any = "uniform",
        radius: float | None = None,
        outlier_label: Any = None,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.radius = radius
        self.outlier_label = outlier_label
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any) -> Self:
        """Keep the training samples and their labels.

        Parameters
        ----------
        X : data of n samples, or the (n, n) Gram matrix with ``kernel="precomputed"``
            Vectors, frames or objects, as the kernel reads them.
        y : array-like, shape (n,) or (n, outputs)
            Labels.
        """
        training, y = self._training(X, y, multi_output=True)
        check_classification_targets(y)
        if y.ndim == 2 and y.shape[1] == 1:
            warn(
                "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                "(n_samples,), for example using ravel().",
                DataConversionWarning,
            )
        return self._fit_training(training, y)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:
        self.outputs_2d_ = y.ndim == 2 and y.shape[1] > 1
        coded = [np.unique(column, return_inverse=True) for column in y.reshape(len(y), -1).T]
        classes, codes = [c for c, _ in coded], [code for _, code in coded]
        self.classes_: Any = classes if self.outputs_2d_ else classes[0]
        self._votes = [_indicator(code, len(c)) for c, code in zip(classes, codes, strict=True)]
        self.outlier_label_ = self._outlier_labels(classes)
        self._index(training)
        return self

    def _outlier_labels(self, classes: list[Any]) -> list[Any] | None:
        """The label of samples without neighbours, per output."""
        label = self.outlier_label
        if label is None:
            return None
        if isinstance(label, str) and label == "most_frequent":
            return [c[int(votes.sum(axis=0).argmax())] for c, votes in zip(classes, self._votes, strict=True)]
        labels = list(label) if isinstance(label, list | tuple | np.ndarray) else [label] * len(classes)
        if len(labels) != len(classes):
            raise ValueError(
                f"{type(self).__name__}: outlier_label must be a label or one per output ({len(classes)}), got "
                f"{describe(label)}."
            )
        return labels

    def predict(self, X: Data) -> Any:
        """The class of each sample, of shape (m,) or (m, outputs); None: of each training sample by the others."""
        shares, lonely = self._shares(X)
        predicted = []
        for i, (classes, share) in enumerate(zip(self._classes, shares, strict=True)):
            label = classes[share.argmax(axis=1)]
            if lonely.any() and self.outlier_label_ is not None:
                label = np.where(lonely, np.asarray(self.outlier_label_[i]), label)
            predicted.append(label)
        return np.column_stack(predicted) if self.outputs_2d_ else predicted[0]

    def predict_proba(self, X: Data) -> Any:
        """Shares of the votes, of shape (m, classes), in the order of `classes_`; a list for several outputs."""
        shares, lonely = self._shares(X)
        for i, (classes, share) in enumerate(zip(self._classes, shares, strict=True)):
            if lonely.any() and self.outlier_label_ is not None:
                share[lonely] = classes == self.outlier_label_[i]
        return shares if self.outputs_2d_ else shares[0]

    @property
    def _classes(self) -> list[Any]:
        return list(self.classes_) if self.outputs_2d_ else [self.classes_]

    def _shares(self, X: Data) -> tuple[list[DoubleArray], Any]:
        """Shares of the votes per output; and which samples have no neighbours."""
        parts, lonely = [], []
        for _, weight in self._neighborhoods(X):
            total = self._totals(weight)
            parts.append(
                [(weight @ votes).toarray() / np.where(total == 0, 1.0, total)[:, None] for votes in self._votes]
            )
            lonely.append(np.diff(weight.indptr) == 0)
        alone = np.concatenate(lonely)
        if alone.any() and self.outlier_label_ is None:
            raise ValueError(
                f"{type(self).__name__}: {alone.sum()} samples have no neighbours within radius={self.radius:g} (first "
                f"at index {int(np.argmax(alone))}); use a larger radius, or set outlier_label."
            )
        return [np.concatenate(share) for share in zip(*parts, strict=True)], alone

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def _indicator(codes: IndexArray, n_classes: int) -> sp.csr_array:
    n = len(codes)
    return sp.csr_array((np.ones(n), codes, np.arange(n + 1)), shape=(n, n_classes))
