"""Repair of indefinite Gram matrices, and the same linear map for rows of new samples.

With K = UΛUᵀ: *clip* max(λ, 0), *flip* |λ|, *shift* λ − λ_min, *square* λ²; *correlation* is the
nearest matrix that is PSD and has a unit diagonal. A learner trained on a repaired Gram matrix must
see rows of test samples through the same map (Chen, Garcia, Gupta, Rahimi, Cazzanti 2009);
`fit_repair` keeps it.
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
    """Make a Gram matrix positive semidefinite.

    Parameters
    ----------
    K : (n, n) array
        Symmetric.
    method : {"clip", "flip", "shift", "square", "correlation"}
        What happens to the eigenvalues λ. ``"clip"``: max(λ, 0), the nearest PSD matrix in the
        Frobenius norm. ``"flip"``: |λ|. ``"shift"``: λ − λ_min if that is negative; only the
        diagonal changes. ``"square"``: λ². ``"correlation"``: the nearest PSD matrix with unit
        diagonal; see `nearest_correlation`.

    Returns
    -------
    (n, n) array
        Symmetric to the bit, of the dtype of K; K itself stays as it is.

    Notes
    -----
    O(n³). Rows of new samples need the same map: see `fit_repair` and
    `mercer.preprocessing.KernelRepair`.

    References
    ----------
    Higham 1988, doi:10.1016/0024-3795(88)90223-6.
    Chen, Garcia, Gupta, Rahimi, Cazzanti 2009, JMLR 10:747-776.

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
    """The map that repairs rows of new samples as a Gram matrix was; made by `fit_repair`.

    Attributes
    ----------
    method : str
    eigenvalues : (n,) array
        Of the matrix before the repair, ascending.
    projector : (n, n) array or None
        P with k ← kP for a row k of new values; None where rows stay as they are.
    """

    method: Method
    eigenvalues: FloatArray
    projector: FloatArray | None

    @property
    def negative_mass(self) -> float:
        """Σ|λ₋| / Σ|λ| before the repair."""
        sizes = np.abs(self.eigenvalues)
        total = float(sizes.sum())
        return float(sizes[self.eigenvalues < 0].sum()) / total if total else 0.0

    def rows(self, K: Any) -> FloatArray:
        """Map rows (m, n) of kernel values between new samples and the repaired ones alike."""
        if self.method == "correlation":
            raise ValueError(
                "repair: method 'correlation' changes a Gram matrix only and has no map for rows "
                "of new samples; use 'clip', 'flip', 'shift' or 'square'."
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
    """Repair a Gram matrix; the result and the map for rows of new samples.

    Clip maps a row k to k U[λ > 0]Uᵀ, flip to k U sign(λ)Uᵀ, square to kK; shift leaves it. The map
    is fitted on the training samples alone; for their own rows it gives the repaired matrix (shift:
    up to the diagonal).

    Parameters
    ----------
    K, method
        As for `repair`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Sigmoid
    >>> X = np.array([[0.1], [1.0], [2.0]])
    >>> K = Sigmoid()(X)
    >>> repaired, fitted = fit_repair(K, "flip")
    >>> bool(np.allclose(fitted.rows(K), repaired))
    True
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
    """K in float64, symmetric to the bit, and the dtype for the result."""
    array, eps = square_matrix(who, K)
    check_finite(who, "K", array)
    worst = asymmetry(array)
    if worst > ROUNDING * len(array) * eps * float(np.abs(array).max()):
        raise ValueError(
            f"{who}: K must be symmetric, but max |K − Kᵀ| is {worst:g}; pass (K + K.T) / 2 if "
            "its symmetric part is what you want."
        )
    given = np.asarray(K).dtype
    dtype = given if given in (np.dtype(np.float32), np.dtype(np.float64)) else np.dtype(np.float64)
    return symmetric_part(array), dtype


def _product(U: FloatArray, values: FloatArray) -> FloatArray:
    """U diag(values) Uᵀ, symmetric to the bit."""
    return np.asarray(symmetric_part(product(U * values, U.T)))


def _nearest_psd(S: FloatArray, values: FloatArray, U: FloatArray) -> FloatArray:
    return _product(U, np.maximum(values, 0)) if values[0] < 0 else S


# ---- nearest correlation matrix


@dataclass(frozen=True, eq=False)
class NearestCorrelation:
    """The result of `nearest_correlation`.

    Attributes
    ----------
    matrix : (n, n) array
        PSD with unit diagonal.
    converged : bool
    n_iter : int
    change : float
        Relative change of the last iteration, and relative distance of its two projections,
        whichever is larger.
    """

    matrix: FloatArray
    converged: bool
    n_iter: int
    change: float


def nearest_correlation(K: Any, *, tol: float = 1e-10, max_iter: int = 1000) -> NearestCorrelation:
    """Find the PSD matrix with unit diagonal that is nearest to K in the Frobenius norm.

    Alternating projections onto the PSD matrices and onto those with unit diagonal, with Dykstra's
    correction.

    Parameters
    ----------
    K : (n, n) array
        Symmetric.
    tol : float
        Relative change at which to stop.
    max_iter : int
        Each iteration is one eigendecomposition, O(n³); convergence is linear.

    References
    ----------
    Higham 2002, doi:10.1093/imanum/22.3.329, algorithm 3.3.

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
    # X is PSD with diagonal 1 to the tolerance; scaled to 1 it stays PSD, which Y need not be.
    d = 1 / np.sqrt(np.maximum(X.diagonal(), np.finfo(np.float64).tiny))
    matrix = X * np.outer(d, d)
    np.fill_diagonal(matrix, 1.0)
    return NearestCorrelation(matrix.astype(dtype), change <= tol, n_iter, change)


def _relative(new: FloatArray, old: FloatArray) -> float:
    return float(np.linalg.norm(new - old) / max(float(np.linalg.norm(new)), np.finfo(np.float64).tiny))


def _correlation_or_raise(S: FloatArray) -> FloatArray:
    found = nearest_correlation(S)
    if not found.converged:
        raise ValueError(
            f"repair: the nearest correlation matrix was not reached in {found.n_iter} iterations "
            f"(relative change {found.change:.2g}); call nearest_correlation with a larger "
            "max_iter or tol."
        )
    return found.matrix
