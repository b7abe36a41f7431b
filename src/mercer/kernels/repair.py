"""Repair of indefinite Gram matrices, and the corresponding linear map for rows of new samples.

With K = UΛUᵀ: *clip* max(λ, 0), *flip* |λ|, *shift* λ − λ_min, *square* λ². *correlation* is the nearest PSD matrix
with unit diagonal. Rows of test samples must be mapped in the same way as the Gram matrix of the training samples
(Chen, Garcia, Gupta, Rahimi and Cazzanti 2009); `fit_repair` returns this map.
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse as sp

from mercer._runtime.products import asymmetry, product, symmetric_part
from mercer._runtime.spectra import eigh
from mercer._typing import FloatArray
from mercer._validation import check_finite, check_integer, check_real, check_vectors
from mercer.kernels.validity import ROUNDING, square_matrix

__all__ = [
    "FittedRepair",
    "Method",
    "NearestCorrelation",
    "fit_repair",
    "nearest_correlation",
    "repair",
]

Method = Literal["clip", "flip", "shift", "square", "correlation"]


def repair(K: Any, method: Method = "clip") -> FloatArray:
    """Make a symmetric matrix positive semidefinite by changing its eigenvalues.

    Parameters
    ----------
    K : array-like of shape (n_samples, n_samples)
        Symmetric matrix.
    method : {"clip", "flip", "shift", "square", "correlation"}, default="clip"
        Change of the eigenvalues λ. ``"clip"``: max(λ, 0), the nearest PSD matrix in the Frobenius norm. ``"flip"``:
        the absolute value. ``"shift"``: λ − λ_min if λ_min is negative; only the diagonal changes. ``"square"``: λ².
        ``"correlation"``: the nearest PSD matrix with unit diagonal.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
        Repaired matrix, exactly symmetric, with the dtype of K. K is not modified.

    Raises
    ------
    ValueError
        If K is not symmetric, or if the nearest correlation matrix was not reached.

    See Also
    --------
    check_gram : Report on a Gram matrix.
    mercer.preprocessing.KernelRepair : Transformer that also maps rows of new samples.

    Notes
    -----
    The cost is one eigendecomposition, O(n³); ``"correlation"`` needs one for each iteration.

    References
    ----------
    * Higham, *Computing a nearest symmetric positive semidefinite matrix*, Linear Algebra and its Applications 103,
      1988, doi:10.1016/0024-3795(88)90223-6.
    * Higham, *Computing the nearest correlation matrix: a problem from finance*, IMA Journal of Numerical Analysis 22,
      2002, doi:10.1093/imanum/22.3.329.
    * Chen, Garcia, Gupta, Rahimi and Cazzanti, *Similarity-based classification: concepts and algorithms*, JMLR 10,
      2009.

    Examples
    --------
    >>> import numpy as np
    >>> K = np.array([[0.0, 1.0], [1.0, 0.0]])  # eigenvalues 1 and −1
    >>> repair(K).round(12)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    >>> repair(K, "flip").round(12) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """
    return fit_repair(K, method)[0]


@dataclass(frozen=True, eq=False)
class FittedRepair:
    """Repair of a Gram matrix together with the map for rows of new samples.

    Parameters
    ----------
    method : {"clip", "flip", "shift", "square", "correlation"}
        Change of the eigenvalues.
    eigenvalues : ndarray of shape (n_samples,)
        Eigenvalues before the repair, ascending.
    projector : ndarray of shape (n_samples, n_samples) or None
        Matrix P that maps a row k of kernel values to kP. None if rows are not changed.

    See Also
    --------
    repair : Repair a single matrix.
    mercer.preprocessing.KernelRepair : The same as a transformer.

    Examples
    --------
    >>> import numpy as np
    >>> K = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> values, U = np.linalg.eigh(K)
    >>> fitted = FittedRepair("flip", values, (U * np.sign(values)) @ U.T)
    >>> fitted.negative_mass
    0.5
    >>> fitted.rows([[2.0, 3.0]]).round(12)
    array([[3., 2.]])
    """

    method: Method
    eigenvalues: FloatArray
    projector: FloatArray | None

    @property
    def negative_mass(self) -> float:
        """Share of the negative eigenvalues before the repair, ``Σ|λ₋| / Σ|λ|``.

        Returns
        -------
        float
            Number between 0 and 1.
        """
        sizes = np.abs(self.eigenvalues)
        total = float(sizes.sum())
        return float(sizes[self.eigenvalues < 0].sum()) / total if total else 0.0

    def rows(self, K: Any) -> FloatArray:
        """Map rows of kernel values between new samples and the repaired samples.

        Parameters
        ----------
        K : array-like of shape (n_new, n_samples)
            Kernel values before the repair.

        Returns
        -------
        ndarray of shape (n_new, n_samples)
            Mapped rows.

        Raises
        ------
        ValueError
            If the method is ``"correlation"``, which has no such map, or if the number of columns is wrong.
        """
        if self.method == "correlation":
            raise ValueError(
                "repair: method 'correlation' has no map for rows of new samples; use 'clip', 'flip', 'shift' or "
                "'square'."
            )
        if sp.issparse(K):
            raise TypeError("repair: K is sparse, expected dense rows; pass K.toarray().")
        K = check_vectors("repair", K, name="K")
        n = len(self.eigenvalues)
        if K.shape[1] != n:
            raise ValueError(f"repair: K has {K.shape[1]} columns, expected {n}, one for each repaired sample.")
        if self.projector is None:
            return np.array(K)
        return np.asarray(K @ self.projector, dtype=K.dtype)


def fit_repair(K: Any, method: Method = "clip") -> tuple[FloatArray, FittedRepair]:
    """Repair a Gram matrix and return the map for rows of new samples.

    ``"clip"`` maps a row k to k U[λ > 0]Uᵀ, ``"flip"`` to k U sign(λ)Uᵀ and ``"square"`` to kK; ``"shift"`` does not
    change it. Applied to the training rows, the map gives the repaired matrix, except for the diagonal with
    ``"shift"``.

    Parameters
    ----------
    K : array-like of shape (n_samples, n_samples)
        Symmetric matrix.
    method : {"clip", "flip", "shift", "square", "correlation"}, default="clip"
        Change of the eigenvalues, as for `repair`.

    Returns
    -------
    repaired : ndarray of shape (n_samples, n_samples)
        Repaired matrix.
    fitted : FittedRepair
        The map for rows of new samples.

    Examples
    --------
    >>> import numpy as np
    >>> repaired, fitted = fit_repair(np.array([[1.0, 2.0], [2.0, 1.0]]), "flip")
    >>> repaired.round(12)
    array([[2., 1.],
           [1., 2.]])
    >>> fitted.rows([[1.0, 2.0]]).round(12)
    array([[2., 1.]])
    """
    if not isinstance(method, str) or method not in get_args(Method):
        known = ", ".join(repr(m) for m in get_args(Method))
        raise ValueError(f"repair: parameter method must be one of {known}, got {method!r}.")
    S, dtype = _symmetric("repair", K)
    values, U = eigh(S)
    projector = None
    if method == "clip":
        repaired = _nearest_psd(S, values, U)
        projector = _product(U, (values > 0).astype(np.float64)) if values[0] < 0 else None
    elif method == "flip":
        repaired = _product(U, np.abs(values)) if values[0] < 0 else S
        projector = _product(U, np.sign(values)) if values[0] < 0 else None
    elif method == "shift":
        repaired = S + max(0.0, -float(values[0])) * np.eye(len(S))
    elif method == "square":
        repaired = _product(U, values**2)
        projector = S
    else:
        repaired = _correlation_or_raise(S)
    return np.array(repaired, dtype=dtype), FittedRepair(method, values, projector)


def _symmetric(who: str, K: Any) -> tuple[FloatArray, np.dtype[Any]]:
    """K in float64 and exactly symmetric, and the dtype of the result."""
    array, eps = square_matrix(who, K)
    check_finite(who, "K", array)
    worst = asymmetry(array)
    if worst > ROUNDING * len(array) * eps * float(np.abs(array).max()):
        raise ValueError(
            f"{who}: K must be symmetric, got max |K − Kᵀ| = {worst:g}; pass (K + K.T) / 2 to use its symmetric part."
        )
    given = np.asarray(K).dtype
    dtype = given if given in (np.dtype(np.float32), np.dtype(np.float64)) else np.dtype(np.float64)
    return symmetric_part(array), dtype


def _product(U: FloatArray, values: FloatArray) -> FloatArray:
    """U diag(values) Uᵀ, exactly symmetric."""
    return np.asarray(symmetric_part(product(U * values, U.T)))


def _nearest_psd(S: FloatArray, values: FloatArray, U: FloatArray) -> FloatArray:
    """The nearest PSD matrix, from the eigendecomposition of S."""
    return _product(U, np.maximum(values, 0)) if values[0] < 0 else S


# ---- nearest correlation matrix


@dataclass(frozen=True, eq=False)
class NearestCorrelation:
    """Result of `nearest_correlation`.

    Parameters
    ----------
    matrix : ndarray of shape (n_samples, n_samples)
        PSD matrix with unit diagonal.
    converged : bool
        Whether the tolerance was reached.
    n_iter : int
        Number of iterations.
    change : float
        Relative change in the last iteration or relative distance of its two projections, whichever is larger.
    """

    matrix: FloatArray
    converged: bool
    n_iter: int
    change: float


def nearest_correlation(K: Any, *, tol: float = 1e-10, max_iter: int = 1000) -> NearestCorrelation:
    """Find the PSD matrix with unit diagonal that is nearest to K in the Frobenius norm.

    The method is alternating projections onto the PSD matrices and onto the matrices with unit diagonal, with Dykstra's
    correction.

    Parameters
    ----------
    K : array-like of shape (n_samples, n_samples)
        Symmetric matrix.
    tol : float, default=1e-10
        Relative change at which the iterations stop.
    max_iter : int, default=1000
        Largest number of iterations. Each one is an eigendecomposition, O(n³); the convergence is linear.

    Returns
    -------
    NearestCorrelation
        The matrix and the state of the iterations.

    References
    ----------
    * Higham, *Computing the nearest correlation matrix: a problem from finance*, IMA Journal of Numerical Analysis 22,
      2002, doi:10.1093/imanum/22.3.329, algorithm 3.3.

    Examples
    --------
    >>> found = nearest_correlation([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    >>> found.converged
    True
    >>> found.matrix.round(4)
    array([[1.    , 0.7607, 0.1573],
           [0.7607, 1.    , 0.7607],
           [0.1573, 0.7607, 1.    ]])
    """
    who = "nearest_correlation"
    S, dtype = _symmetric(who, K)
    tol = check_real(who, "tol", tol, low=0.0, strict=True)
    max_iter = check_integer(who, "max_iter", max_iter, low=1)
    Y, X, correction = S, S, np.zeros_like(S)
    change = np.inf
    n_iter = 0
    while change > tol and n_iter < max_iter:
        n_iter += 1
        R = Y - correction
        projected = _nearest_psd(R, *eigh(R))
        correction = projected - R
        unit = projected.copy()
        np.fill_diagonal(unit, 1.0)
        change = max(_relative(projected, X), _relative(unit, Y), _relative(unit, projected))
        X, Y = projected, unit
    # X is PSD with unit diagonal up to the tolerance. Scaling to unit diagonal keeps it PSD; Y may not be PSD.
    d = 1 / np.sqrt(np.maximum(X.diagonal(), np.finfo(np.float64).tiny))
    matrix = X * np.outer(d, d)
    np.fill_diagonal(matrix, 1.0)
    return NearestCorrelation(matrix.astype(dtype), change <= tol, n_iter, change)


def _relative(new: FloatArray, old: FloatArray) -> float:
    """Relative Frobenius distance of two matrices."""
    return float(np.linalg.norm(new - old) / max(float(np.linalg.norm(new)), np.finfo(np.float64).tiny))


def _correlation_or_raise(S: FloatArray) -> FloatArray:
    """The nearest correlation matrix, or a ValueError if it was not reached."""
    found = nearest_correlation(S)
    if not found.converged:
        raise ValueError(
            f"repair: the nearest correlation matrix was not reached in {found.n_iter} iterations "
            f"(relative change {found.change:.2g}); call nearest_correlation with a larger "
            "max_iter or tol."
        )
    return found.matrix
