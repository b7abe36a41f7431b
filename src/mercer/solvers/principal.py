"""Principal components in feature space from a Gram matrix."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._runtime.spectra import eigh
from mercer._typing import DoubleArray
from mercer.exceptions import NotPositiveDefiniteError
from mercer.operators import Centering, GramOperator
from mercer.operators.build import overwritable
from mercer.operators.centering import center_in_place
from mercer.operators.tiles import panels
from mercer.solvers.eigen import EigenSolution, choose_eigen_solver, top_eigenpairs
from mercer.solvers.moments import Moments
from mercer.solvers.solution import Solution, Status

__all__ = ["Principal", "count_kept", "nonnegative", "principal_components"]

_EPS = float(np.finfo(np.float64).eps)
_PANEL = 256  # number of columns at a time
_FIRST = 32  # initial number of eigenvalues if a fraction of the variance is requested


@dataclass(frozen=True, eq=False)
class Principal:
    """Principal components, the unit vectors Σ_i α_ij (φ(x_i) − φ̄) of feature space with α = W^½ v/√λ.

    Attributes
    ----------
    values : ndarray of shape (k,)
        Eigenvalues λ ≥ 0 of W^½ K̃ W^½ with the weights W, or of K̃ without weights.
    vectors : ndarray of shape (n, k)
        Unit eigenvectors v. The coordinate of largest magnitude among the samples is positive.
    coef : ndarray of shape (n, k)
        Coefficients of the projections Σ_i coef_ij k(x, x_i) + offset_j; zeros for λ = 0.
    offset : ndarray of shape (k,)
        Constants of the projections.
    mean : ndarray of shape (n,)
        Coefficients of the mean φ̄ = Σ_i mean_i φ(x_i); zeros without centring.
    total : float
        Sum of all eigenvalues, including those that were not computed; Σ|λ| for an indefinite matrix.
    negative_mass : float
        Σ|λ₋| / Σ|λ|; NaN if not all eigenvalues were computed.
    solution : Solution
        Certificate of the eigenvectors.
    method : str
        Method that was used.
    """

    values: DoubleArray
    vectors: DoubleArray
    coef: DoubleArray
    offset: DoubleArray
    mean: DoubleArray
    total: float
    negative_mass: float
    solution: Solution
    method: str


def principal_components(
    K: GramOperator | DoubleArray,
    n_components: float,
    *,
    weight: DoubleArray | None = None,
    center: bool = True,
    indefinite: bool = False,
    positive: bool = False,
    single: bool = False,
    **options: Any,
) -> Principal:
    """Compute the kernel PCA of a Gram matrix.

    Parameters
    ----------
    K : GramOperator or ndarray of shape (n, n)
        Symmetric matrix. An ndarray must be C-contiguous float64 and is overwritten.
    n_components : int, or float between 0 and 1
        Number of components, or fraction of Σλ that the components must reach.
    weight : ndarray of shape (n,), default=None
        Non-negative sample weights. Integer weights are equivalent to repeating samples. None: ones.
    center : bool, default=True
        Whether the mean of the features is subtracted.
    indefinite : bool, default=False
        Whether negative eigenvalues are ignored. All eigenvalues are computed in this case.
    positive : bool, default=False
        Whether components of eigenvalue zero are left out.
    single : bool, default=False
        Whether entries of K are accurate to single precision only.
    **options
        Options of `top_eigenpairs`.

    Returns
    -------
    Principal
        Components and certificate.

    Raises
    ------
    NotPositiveDefiniteError
        If a computed eigenvalue is below −1e-5 λ_max and −1e-10 (single precision: −5e-3 and −1e-6), scikit-learn's
        bounds, unless `indefinite`.

    Notes
    -----
    Eigenvalues λ ≤ 1e-12 λ_max (single: 2e-7) and λ ≤ 16 ε tr K, the rounding error of centring, count as zero. If an
    operator has a factor of rank r ≤ n/4 and no ``method`` is given, the eigenproblem has size r.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]])
    >>> one = principal_components(X @ X.T, 2, positive=True)
    >>> one.values.round(12), (X @ X.T @ one.coef + one.offset).ravel().round(12) + 0.0
    (array([8.]), array([ 2.,  0., -2.]))
    """
    n = K.shape[0]
    if options.get("method", "auto") == "auto" and not indefinite and isinstance(K, GramOperator):
        known = _of_factor(K.factor(), n_components, weight, center=center, positive=positive)
        if known is not None:
            return known
    many = indefinite or isinstance(n_components, float) or 2 * n_components > n
    K = overwritable(K, buffers=2 if many else 1)  # the vectors of LAPACK are another matrix
    rounding = 16 * _EPS * float(np.trace(K) if weight is None else np.diagonal(K) @ weight)
    centering = center_in_place(K, weight) if center else Centering(np.zeros(n), np.zeros(n), 0.0)
    root = np.ones(n) if weight is None else np.sqrt(weight)
    if weight is not None:
        K *= root[:, None]
        K *= root
    total, mass = float(np.trace(K)), float("nan")
    if indefinite:
        options["method"] = "dense"
        found = top_eigenpairs(K, n, overwrite=True, **options)
        size = np.abs(found.values).sum()
        total, mass = float(size), float(-found.values[found.values < 0].sum() / size) if size else 0.0
    elif isinstance(n_components, float):
        found = _share(K, n_components * total, **options)
    else:
        found = top_eigenpairs(K, int(n_components), overwrite=True, **options)
    del K  # frees one of two matrices; the vectors of LAPACK are in the other one
    values = nonnegative(found.values, rounding, single=single, indefinite=indefinite)
    k = count_kept(values, n_components, total, positive=positive)
    values, vectors = values[:k], found.vectors[:, :k]
    if 2 * k < len(found.values):
        vectors = vectors.copy()  # so that the others can be freed
    coef, offset = _projection(values, vectors, root, centering)
    return Principal(values, vectors, coef, offset, centering.weight, total, mass, found.solution, found.method)


def _of_factor(
    F: DoubleArray | None, n_components: float, weight: DoubleArray | None, *, center: bool, positive: bool
) -> Principal | None:
    """Return the components of K = FFᵀ from r × r moments in O(nr²); None without F or if it has too few components."""
    if F is None or isinstance(n_components, float):
        return None
    n, r = F.shape
    k = min(int(n_components), r) if positive else int(n_components)
    if 4 * r > n or k > r:
        return None
    share = np.full(n, 1 / n) if weight is None else weight / weight.sum()
    mean = share @ F if center else np.zeros(r)
    centering = Centering(share if center else np.zeros(n), F @ mean, float(mean @ mean))
    root = np.ones(n) if weight is None else np.sqrt(weight)
    Z = root[:, None] * (F - mean)
    moments = Moments.of(Z)
    rounding = 16 * _EPS * float(root**2 @ np.square(F).sum(axis=1))
    values, axes = eigh(moments.outer, top=k)
    values, axes = nonnegative(values[::-1].copy(), rounding), axes[:, ::-1]
    if positive:
        k = int(np.count_nonzero(values))
        values, axes = values[:k], axes[:, :k]
    if k == 0 or not values.all():
        return None  # eigenvectors of eigenvalue zero are not in the range of F
    vectors = Z @ axes / np.sqrt(values)
    coef, offset = _projection(values, vectors, root, centering)
    residual = Z @ (Z.T @ vectors) - vectors * values
    violation = float(np.linalg.norm(residual, axis=0).max() / values[0])
    solution = Solution(float(values.sum()), float("nan"), violation, Status.CONVERGED, 1)
    total = float(np.trace(moments.outer))
    return Principal(values, vectors, coef, offset, centering.weight, total, float("nan"), solution, "factor")


def _projection(
    values: DoubleArray, vectors: DoubleArray, root: DoubleArray, centering: Centering
) -> tuple[DoubleArray, DoubleArray]:
    """Return coefficients of projections; the signs of vectors are set so that the largest coordinate is positive."""
    n, k = vectors.shape
    coef, offset = np.empty((n, k), order="F"), np.empty(k)
    for part in panels(k, _PANEL):
        V, positive = vectors[:, part], values[part] > 0
        # Coordinates are v√λ/√w; those of samples without weight are unknown.
        size = np.abs(np.divide(V, root[:, None], out=np.zeros_like(V), where=root[:, None] > 0))
        V *= np.where(V[size.argmax(axis=0), np.arange(V.shape[1])] < 0, -1.0, 1.0)
        scale = np.sqrt(values[part], where=positive, out=np.full(len(positive), np.inf))
        coef[:, part], offset[part] = centering.fold(root[:, None] * V / scale)
    return coef, offset


def _share(K: DoubleArray, wanted: float, **options: Any) -> EigenSolution:
    """Return at least as many eigenvalues as are needed for a given sum."""
    n = len(K)
    k = min(n, _FIRST)
    while True:
        if options.get("method", "auto") in ("auto", "dense") and choose_eigen_solver(n, k) == "dense":
            k = n
        found = top_eigenpairs(K, k, overwrite=k == n, **options)
        if k == n or found.values.sum() >= wanted:
            return found
        k = min(n, 2 * k)


def count_kept(values: DoubleArray, n_components: float, total: float, *, positive: bool) -> int:
    """Return the number of components, given all eigenvalues that were computed and the sum of all there are."""
    k = int(n_components)
    if isinstance(n_components, float):
        k = 1 + int(np.searchsorted(np.cumsum(values), n_components * total))
        k = min(k, max(1, int(np.count_nonzero(values))))
    if positive:
        k = min(k, int(np.count_nonzero(values)))
    return k


def nonnegative(values: DoubleArray, rounding: float, *, single: bool = False, indefinite: bool = False) -> DoubleArray:
    """Set eigenvalues that are zero or negative up to rounding to zero, by scikit-learn's rules."""
    ratio, bound, small = (5e-3, 1e-6, 2e-7) if single else (1e-5, 1e-10, 1e-12)
    highest, lowest = float(values.max()), float(values.min())
    if not indefinite and lowest < -max(ratio * highest, bound, rounding):
        raise NotPositiveDefiniteError(
            f"There are significant negative eigenvalues ({-lowest / max(highest, bound):g} of the maximum positive): "
            "the kernel is not positive semidefinite on this data. Repair the Gram matrix with mercer.kernels.repair, "
            "or ignore them with allow_indefinite=True."
        )
    return np.where(values > max(small * highest, rounding), values, 0.0)
