"""From coordinates in a space of components back to samples, and to expansions in feature space."""

from typing import Any, cast

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import warn
from mercer._runtime.limits import require_memory
from mercer._typing import Data, DoubleArray, FloatArray
from mercer._validation import as_numbers
from mercer.decomposition.preimages import preimages
from mercer.kernels import Kernel
from mercer.operators import gram

__all__ = ["FromCoordinates", "as_precise_as"]


class FromCoordinates:
    """Mixin of `KernelPCA`: `expand` and `inverse_transform`."""

    fit_inverse_transform: bool
    inverse_map: str
    n_jobs: int | None
    kernel_: Kernel | None
    X_fit_: Data
    X_transformed_fit_: DoubleArray
    dual_coef_: DoubleArray
    eigenvalues_: DoubleArray
    _coef: DoubleArray
    _mean: Any

    def expand(self, X: Any) -> DoubleArray:
        """Points of feature space as combinations of the images of the training samples.

        Parameters
        ----------
        X : array-like of shape (m, n_components)
            Coordinates z, as from `transform`.

        Returns
        -------
        C : array, shape (m, n)
            φ̄ + Σ_j z_j u_j = Σ_i C_i φ(x_i) for the components u. With centring, rows sum to 1.
        """
        Z, n = self._coordinates(X), len(self._coef)
        require_memory(
            8 * len(Z) * n,
            what=f"{type(self).__name__}: coefficients of {len(Z)} points and {n} training samples",
            instead="Pass fewer points at a time.",
        )
        C: DoubleArray = Z @ self._coef.T
        C += self._mean
        return C

    def inverse_transform(self, X: Any, **options: Any) -> Any:
        """Samples whose coordinates are near the given ones.

        Parameters
        ----------
        X : array-like of shape (m, n_components)
        **options
            Of `mercer.decomposition.preimages`, for an `inverse_map` other than "ridge": `start`, `n_neighbors`,
            `reg`, `tol`, `max_iter`.

        Returns
        -------
        array of shape (m, n_features), or training samples
            For ``inverse_map="nearest"`` samples of the kind of the training data; their numbers, if a Gram matrix was
            passed to `fit`.

        Notes
        -----
        The ridge map does not restore the mean, as scikit-learn's: with the linear kernel, only the others equal
        ``PCA.inverse_transform``.
        """
        if not self.fit_inverse_transform:
            raise NotFittedError(
                f"{type(self).__name__}: the fit_inverse_transform parameter was not set to True when instantiating "
                "and hence the inverse transform is not available."
            )
        if self.inverse_map == "ridge" and self.kernel_ is not None:
            K = gram(self.kernel_, self._coordinates(X), self.X_transformed_fit_, n_jobs=self.n_jobs)
            return as_precise_as(X, K @ self.dual_coef_)
        method = cast(Any, self.inverse_map)
        found = preimages(method, self.kernel_, self.X_fit_, self.expand(X), n_jobs=self.n_jobs, **options)
        if not found.solution.converged:
            warn(f"{type(self).__name__}: pre-images: {found.solution.status.advice}")
        return found.indices if self.kernel_ is None else found.values

    def _coordinates(self, X: Any) -> DoubleArray:
        check_is_fitted(self)
        X = as_numbers(type(self).__name__, X)
        Z: DoubleArray = check_array(X, dtype=np.float64, input_name="X", estimator=self)
        if Z.shape[1] != len(self.eigenvalues_):
            raise ValueError(
                f"{type(self).__name__}: X has {Z.shape[1]} coordinates, but there are {len(self.eigenvalues_)} "
                "components; pass what transform returns."
            )
        return Z


def as_precise_as(X: Any, scores: FloatArray) -> FloatArray:
    """Scores in single precision for data in single precision, as scikit-learn returns them."""
    return scores.astype(np.float32) if getattr(X, "dtype", None) == np.float32 else scores
