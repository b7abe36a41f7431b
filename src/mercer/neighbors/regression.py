"""Regression by the mean of the neighbours."""

from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin, _fit_context

from mercer._estimator import Training, finite_fit, warn
from mercer._typing import Data, DoubleArray
from mercer.neighbors.base import KernelNeighbors

__all__ = ["KernelKNeighborsRegressor"]


class KernelKNeighborsRegressor(RegressorMixin, MultiOutputMixin, KernelNeighbors):  # type: ignore[misc]
    r"""The (weighted) mean of the targets of the nearest training samples, in the metric of a kernel.

    f(x) = Σ_j v_j y_j / Σ_j v_j over the neighbours, nearest in D²(x, z) = k(x, x) + k(z, z) − 2k(x, z). With the
    linear kernel it is scikit-learn's `KNeighborsRegressor`, with any kernel that regressor on φ(x).

    Parameters
    ----------
    n_neighbors : int
        Neighbours that are averaged.
    weights : {"uniform", "distance"} or callable
        v_j: equal, 1/D (neighbours at distance 0 outweigh all others), or a function from an array of distances to
        weights of the same shape: (m, n_neighbors), or with a radius (neighbours,) for every sample.
    radius : float or None
        If given, all training samples within this distance are averaged instead of the `n_neighbors` nearest; NaN, with
        a warning, for samples that have none.
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
    fit_norms_ : array, shape (n,)
        k(z, z) of the training samples.
    solution_ : Solution
        Says that nothing is left to solve: the search is exact.
    n_samples_fit_, kernel_, X_fit_, n_features_in_, feature_names_in_
        What the fit has seen, and the kernel with all its parameters.

    Notes
    -----
    Costs, ties, precomputed and indefinite kernels: as in `KernelKNeighborsClassifier`. ``predict(None)`` predicts each
    training sample from the others.

    Examples
    --------
    >>> import numpy as np
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
        """Keep the training samples and their targets.

        Parameters
        ----------
        X : data of n samples, or the (n, n) Gram matrix with ``kernel="precomputed"``
            Vectors, frames or objects, as the kernel reads them.
        y : array-like, shape (n,) or (n, outputs)
            Targets.
        """
        training, y = self._training(X, y, numeric=True, multi_output=True)
        return self._fit_training(training, y)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:
        self._y = np.asarray(y, dtype=np.float64)
        self._index(training)
        return self

    def predict(self, X: Data) -> DoubleArray:
        """The mean of the neighbours, of shape (m,) or (m, outputs); None: of each training sample by the others."""
        parts, alone = [], []
        for _, weight in self._neighborhoods(X):
            total = self._totals(weight)
            mean = weight @ self._y / np.where(total == 0, np.nan, total).reshape(-1, *[1] * (self._y.ndim - 1))
            parts.append(mean)
            alone.append(total == 0)
        predicted, lonely = np.concatenate(parts), np.concatenate(alone)
        if not np.isfinite(predicted[~lonely]).all():
            raise ValueError(
                f"{type(self).__name__}: the mean of neighbours overflows: targets are as large as "
                f"{np.abs(self._y).max():.2g}; rescale them."
            )
        if lonely.any():
            warn(
                f"{type(self).__name__}: {lonely.sum()} samples have no neighbours within radius={self.radius:g}; "
                "predicting NaN for them. Use a larger radius.",
                UserWarning,
            )
        return predicted
