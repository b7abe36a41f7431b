"""Nearest-neighbour classification."""

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import MultiOutputMixin, _fit_context
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from mercer._estimator import Training, finite_fit, warn
from mercer._estimator.score import ScoredClassifier
from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import describe
from mercer.neighbors.base import KernelNeighbors

__all__ = ["KernelKNeighborsClassifier"]


class KernelKNeighborsClassifier(ScoredClassifier, MultiOutputMixin, KernelNeighbors):  # type: ignore[misc]
    """k-nearest-neighbours classification in the metric of a kernel.

    The distance is D²(x, z) = ‖φ(x) − φ(z)‖² = k(x, x) + k(z, z) − 2k(x, z). With the linear kernel this is
    scikit-learn's `KNeighborsClassifier`; with any other kernel it is that classifier applied to φ(x).

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours that vote.
    weights : {"uniform", "distance"} or callable, default="uniform"
        Weights of the votes: equal, or 1/D, where neighbours at distance 0 outvote all others. A function maps an array
        of distances to weights of the same shape: (n_samples, n_neighbors), or with a radius (n_found,) for each
        sample.
    radius : float, default=None
        If given, all training samples within this distance vote instead of the `n_neighbors` nearest.
    outlier_label : label, list of labels or "most_frequent", default=None
        Label of samples without neighbours within the radius; a list has one label per output. A label that is not
        among the classes has probability 0. With None, such samples raise an error.
    kernel : str, Kernel or callable, default="rbf"
        Name of a kernel (with `gamma`, `degree` and `coef0`), a kernel object, its text form, a function, or
        "precomputed": X is then the Gram matrix in `fit` and k(new, training) in prediction.
        Names: :ref:`kernel-names`. A function is called with two sets of samples.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of a kernel given by name: 1 / (n_features · X.var()) for "scale", 1 / n_features for "auto".
    degree : float, default=3
        Degree of "poly". Ignored by other kernels.
    coef0 : float, default=0.0
        Constant term of "poly" and "sigmoid". Ignored by other kernels.
    n_jobs : int, default=None
        Number of threads that compute kernel values; None uses all available ones.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or list of such arrays
        Class labels in ascending order; a list for several outputs.
    outputs_2d_ : bool
        Whether y had several columns.
    outlier_label_ : list or None
        Label of outliers for each output; None if `outlier_label` is None.
    fit_norms_ : ndarray of shape (n_samples,)
        k(z, z) of the training samples.
    n_samples_fit_ : int
        Number of training samples.
    kernel_ : Kernel or None
        Kernel with all parameters resolved to numbers; None for a precomputed matrix.
    X_fit_ : data of n_samples samples
        Training samples, or the Gram matrix for ``kernel="precomputed"``.
    solution_ : mercer.solvers.Solution
        Certificate; always converged with zero violation, because the search is exact.
    n_features_in_ : int
        Number of features of X; the number of samples for precomputed matrices. Only for data that has features.
    feature_names_in_ : ndarray of shape (``n_features_in_``,)
        Names of the columns. Only if X was a data frame whose column names are all strings.

    See Also
    --------
    KernelKNeighborsRegressor : Regression with the same metric.
    mercer.discriminant.KernelDiscriminantAnalysis : Assigns samples to the nearest class mean.
    sklearn.neighbors.KNeighborsClassifier : The same rule for vectors.

    Notes
    -----
    Prediction of m samples needs m·n kernel values, and memory for O(m · n_neighbors) numbers plus panels of fixed
    size. Ties between neighbours go to the lower index, ties between classes to the first class. ``predict(None)``
    predicts each training sample from the others (leave-one-out).

    With ``kernel="precomputed"``, k(x, x) of new samples is unknown. It is the same for all neighbours of x, so uniform
    votes do not need it; `radius` and other weights raise an error. Indefinite kernels have no metric: D² < 0 beyond
    rounding raises `NotPositiveDefiniteError`.

    References
    ----------
    * Cover and Hart, *Nearest neighbor pattern classification*, IEEE Transactions on Information Theory 13, 1967.
    * Schölkopf, *The kernel trick for distances*, 2000.

    Examples
    --------
    Strings, compared by the letters they share:

    >>> from mercer.neighbors import KernelKNeighborsClassifier
    >>> def letters(A, B):
    ...     return [[len(set(a) & set(b)) for b in B] for a in A]
    >>> words, language = ["haus", "maus", "casa", "massa"], ["de", "de", "it", "it"]
    >>> model = KernelKNeighborsClassifier(1, kernel=letters).fit(words, language)
    >>> model.predict(["laus", "cassa"])
    array(['de', 'it'], dtype='<U2')
    >>> model.kneighbors(["laus"], n_neighbors=2)[0].round(3)
    array([[1.414, 1.414]])
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
        """Store the training samples and their labels.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Training samples in any form the kernel accepts, or the Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels.

        Returns
        -------
        self
            Fitted estimator.
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
        """Return the label of samples without neighbours, for each output."""
        label = self.outlier_label
        if label is None:
            return None
        if isinstance(label, str) and label == "most_frequent":
            return [c[int(votes.sum(axis=0).argmax())] for c, votes in zip(classes, self._votes, strict=True)]
        labels = list(label) if isinstance(label, list | tuple | np.ndarray) else [label] * len(classes)
        if len(labels) != len(classes):
            raise ValueError(
                f"{type(self).__name__}: outlier_label must be one label or a list of {len(classes)}, one per output, "
                f"got {describe(label)}."
            )
        return labels

    def predict(self, X: Data) -> Any:
        """Predict class labels.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts, or kernel values with the training samples, of shape (n_samples,
            n_samples_fit), for ``kernel="precomputed"``. None stands for the training samples, each of which
            is predicted from the others.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Class labels.
        """
        shares, lonely = self._shares(X)
        predicted = []
        for i, (classes, share) in enumerate(zip(self._classes, shares, strict=True)):
            label = classes[share.argmax(axis=1)]
            if lonely.any() and self.outlier_label_ is not None:
                label = np.where(lonely, np.asarray(self.outlier_label_[i]), label)
            predicted.append(label)
        return np.column_stack(predicted) if self.outputs_2d_ else predicted[0]

    def predict_proba(self, X: Data) -> Any:
        """Predict class probabilities: the shares of the votes.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts, or kernel values with the training samples, of shape (n_samples,
            n_samples_fit), for ``kernel="precomputed"``. None stands for the training samples, each of which
            is predicted from the others.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or list of such arrays
            Probabilities in the order of ``classes_``; a list for several outputs.
        """
        shares, lonely = self._shares(X)
        for i, (classes, share) in enumerate(zip(self._classes, shares, strict=True)):
            if lonely.any() and self.outlier_label_ is not None:
                share[lonely] = classes == self.outlier_label_[i]
        return shares if self.outputs_2d_ else shares[0]

    @property
    def _classes(self) -> list[Any]:
        return list(self.classes_) if self.outputs_2d_ else [self.classes_]

    def _shares(self, X: Data) -> tuple[list[DoubleArray], Any]:
        """Return the shares of the votes for each output, and a mask of the samples without neighbours."""
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
