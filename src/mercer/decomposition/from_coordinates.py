"""Inverse transform of kernel PCA: from coordinates to samples and to expansions in feature space."""

from typing import Any, cast

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import warn
from mercer._runtime.limits import require_memory
from mercer._typing import Data, DoubleArray, FloatArray
from mercer._validation import as_numbers
from mercer.approximation import FittedApproximation
from mercer.decomposition.preimages import preimages
from mercer.kernels import Kernel
from mercer.operators import gram

__all__ = ["FromCoordinates", "as_precise_as"]


class FromCoordinates:
    """Mixin that provides `expand` and `inverse_transform` of `KernelPCA`."""

    fit_inverse_transform: bool
    inverse_map: str
    n_jobs: int | None
    kernel_: Kernel | None
    X_fit_: Data
    approximation_: FittedApproximation | None = None
    X_transformed_fit_: DoubleArray
    dual_coef_: DoubleArray
    eigenvalues_: DoubleArray
    _coef: DoubleArray
    _mean: Any

    def expand(self, X: Any) -> DoubleArray:
        """Express points of feature space as combinations of the images of the training samples.

        Parameters
        ----------
        X : array-like of shape (n_points, n_components)
            Coordinates z, as returned by `transform`.

        Returns
        -------
        ndarray of shape (n_points, n_samples)
            Coefficients C with φ̄ + Σ_j z_j u_j = Σ_i C_i φ(x_i), where u_j are the components. With centring, rows sum
            to 1. With an approximation, the samples are its landmarks, and rows need not sum to 1.

        Raises
        ------
        ValueError
            If the model has random features instead of samples.
        """
        Z, n = self._coordinates(X), len(self._coef)
        if self.X_fit_ is None:
            raise ValueError(
                f"{type(self).__name__}: expand needs landmarks, which random features do not have; use "
                "approximation=m, or a Nystroem object."
            )
        require_memory(
            8 * len(Z) * n,
            what=f"{type(self).__name__}: coefficients of {len(Z)} points and {n} training samples",
            instead="Pass fewer points at a time.",
        )
        C: DoubleArray = Z @ self._coef.T
        C += self._mean
        return C

    def inverse_transform(self, X: Any, **options: Any) -> Any:
        """Map coordinates to samples by the method `inverse_map`.

        Parameters
        ----------
        X : array-like of shape (n_points, n_components)
            Coordinates, as returned by `transform`.
        **options : dict
            Options of `mercer.decomposition.preimages` for an `inverse_map` other than "ridge": `start`, `n_neighbors`,
            `reg`, `tol`, `max_iter`.

        Returns
        -------
        ndarray of shape (n_points, n_features), or data of n_points samples
            Samples. With ``inverse_map="nearest"`` they are training samples, in the form passed to `fit`; if `fit`
            received a Gram matrix, their indices are returned. With an approximation they are among its landmarks.

        Raises
        ------
        NotFittedError
            If `fit_inverse_transform` is False.

        Notes
        -----
        The ridge map does not restore the mean, as in scikit-learn. With the linear kernel, the other maps equal
        ``PCA.inverse_transform``.
        """
        if not self.fit_inverse_transform:
            raise NotFittedError(
                f"{type(self).__name__}: the fit_inverse_transform parameter was not set to True when instantiating "
                "and hence the inverse transform is not available; set it and fit again."
            )
        if self.inverse_map == "ridge" and self.kernel_ is not None:
            K = gram(self.kernel_, self._coordinates(X), self.X_transformed_fit_, n_jobs=self.n_jobs)
            return as_precise_as(X, K @ self.dual_coef_)
        method, coef = cast(Any, self.inverse_map), self.expand(X)
        landmarks = None if self.approximation_ is None else self.approximation_.indices
        rows_only = self.kernel_ is None and landmarks is not None
        samples = self.X_fit_[:, landmarks] if rows_only else self.X_fit_  # a Gram matrix needs columns of them, too
        found = preimages(method, self.kernel_, samples, coef, n_jobs=self.n_jobs, **options)
        if not found.solution.converged:
            warn(f"{type(self).__name__}: pre-images: {found.solution.status.advice}")
        if self.kernel_ is not None:
            return found.values
        return found.indices if landmarks is None else landmarks[found.indices]

    def _coordinates(self, X: Any) -> DoubleArray:
        check_is_fitted(self)
        X = as_numbers(type(self).__name__, X)
        Z: DoubleArray = check_array(X, dtype=np.float64, input_name="X", estimator=self)
        if Z.shape[1] != len(self.eigenvalues_):
            raise ValueError(
                f"{type(self).__name__}: X has {Z.shape[1]} columns, but the model has {len(self.eigenvalues_)} "
                "components; pass coordinates as returned by transform."
            )
        return Z


def as_precise_as(X: Any, scores: FloatArray) -> FloatArray:
    """Return scores in single precision if the data is, as scikit-learn does."""
    return scores.astype(np.float32) if getattr(X, "dtype", None) == np.float32 else scores
