"""Nearest-neighbour regression."""

from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin, _fit_context

from mercer._estimator import Training, finite_fit, warn
from mercer._estimator.score import ScoredRegressor
from mercer._typing import Data, DoubleArray
from mercer.neighbors.base import KernelNeighbors

__all__ = ["KernelKNeighborsRegressor"]


class KernelKNeighborsRegressor(ScoredRegressor, MultiOutputMixin, KernelNeighbors):  # type: ignore[misc]
    """k-nearest-neighbours regression in the metric of a kernel.

    The prediction is the weighted mean f(x) = Σ_j v_j y_j / Σ_j v_j over the neighbours, nearest in D²(x, z) = k(x, x)
    + k(z, z) − 2k(x, z). With the linear kernel this is scikit-learn's `KNeighborsRegressor`; with any other kernel it
    is that regressor applied to φ(x).

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours that are averaged.
    weights : {"uniform", "distance"} or callable, default="uniform"
        Weights v_j: equal, or 1/D, where neighbours at distance 0 outweigh all others. A function maps an array of
        distances to weights of the same shape: (n_samples, n_neighbors), or with a radius (n_found,) for each sample.
    radius : float, default=None
        If given, all training samples within this distance are averaged instead of the `n_neighbors` nearest. Samples
        without neighbours get NaN, with a warning.
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
    KernelKNeighborsClassifier : Classification with the same metric.
    mercer.ridge.KernelRidge : Regression that solves a linear system.
    sklearn.neighbors.KNeighborsRegressor : The same rule for vectors.

    Notes
    -----
    Cost, ties, precomputed and indefinite kernels are described in `KernelKNeighborsClassifier`. ``predict(None)``
    predicts each training sample from the others (leave-one-out).

    References
    ----------
    * Cover, *Estimation by the nearest neighbor rule*, IEEE Transactions on Information Theory 14, 1968.
    * Schölkopf, *The kernel trick for distances*, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.neighbors import KernelKNeighborsRegressor
    >>> x, y = np.arange(6.0)[:, None], np.arange(6.0) ** 2
    >>> KernelKNeighborsRegressor(2, kernel="linear").fit(x, y).predict([[2.5], [9.0]])
    array([ 6.5, 20.5])
    """

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Any = "uniform",
        radius: float | None = None,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.radius = radius
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any) -> Self:
        """Store the training samples and their targets.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Training samples in any form the kernel accepts, or the Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.

        Returns
        -------
        self
            Fitted estimator.
        """
        training, y = self._training(X, y, numeric=True, multi_output=True)
        return self._fit_training(training, y)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:
        self._y = np.asarray(y, dtype=np.float64)
        self._index(training)
        return self

    def predict(self, X: Data) -> DoubleArray:
        """Predict targets: the weighted means of the neighbours.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts, or kernel values with the training samples, of shape (n_samples,
            n_samples_fit), for ``kernel="precomputed"``. None stands for the training samples, each of which
            is predicted from the others.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Predictions; NaN for samples without neighbours within the radius.
        """
        parts, alone = [], []
        for _, weight in self._neighborhoods(X):
            total = self._totals(weight)
            mean = weight @ self._y / np.where(total == 0, np.nan, total).reshape(-1, *[1] * (self._y.ndim - 1))
            parts.append(mean)
            alone.append(total == 0)
        predicted, lonely = np.concatenate(parts), np.concatenate(alone)
        if not np.isfinite(predicted[~lonely]).all():
            raise ValueError(
                f"{type(self).__name__}: the mean of the neighbours overflows, with targets as large as "
                f"{np.abs(self._y).max():.2g}; rescale the targets."
            )
        if lonely.any():
            warn(
                f"{type(self).__name__}: {lonely.sum()} samples have no neighbours within radius={self.radius:g}; "
                "predicting NaN for them. Use a larger radius.",
                UserWarning,
            )
        return predicted
