"""Principal components in feature space, from a Gram matrix."""

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

__all__ = ["Principal", "principal_components"]

_EPS = float(np.finfo(np.float64).eps)
_PANEL = 256  # columns at a time
_FIRST = 32  # eigenvalues to begin with, if a share of the variance is asked for


@dataclass(frozen=True, eq=False)
class Principal:
    """Principal components: unit vectors Σ_i α_ij (φ(x_i) − φ̄) of feature space, α = W^½ v/√λ.

    Attributes
    ----------
    values, vectors : arrays of shape (k,), (n, k)
        Eigenvalues λ ≥ 0 and unit eigenvectors v of W^½ K̃ W^½ with the weights W, or K̃ without. The coordinate of
        largest modulus among the samples is positive.
    coef, offset : arrays of shape (n, k), (k,)
        Projections of x onto the components: Σ_i coef_ij k(x, x_i) + offset_j. Zeros where λ = 0.
    mean : array, shape (n,)
        φ̄ = Σ_i mean_i φ(x_i); zeros without centring.
    total : float
        Σλ over all eigenvalues, not only those found; of an indefinite matrix Σ|λ|.
    negative_mass : float
        Σ|λ₋| / Σ|λ|; NaN where not all eigenvalues were computed.
    solution : Solution
        The certificate of the eigenvectors.
    method : str
        What found them.
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
    """Kernel PCA of a Gram matrix.

    Parameters
    ----------
    K : GramOperator, or ndarray of shape (n, n)
        Symmetric. An ndarray must be C-contiguous float64, and it is overwritten.
    n_components : int, or float between 0 and 1
        How many; or as many as it takes for this share of Σλ.
    weight : array, shape (n,), optional
        Nonnegative; a weight of 2 is that of a sample that occurs twice.
    center : bool
        Whether the mean of the features is subtracted.
    indefinite : bool
        Whether negative eigenvalues may be ignored; all are computed then.
    positive : bool
        Whether components of eigenvalue zero are left out.
    single : bool
        Whether entries of K are known to single precision only.
    **options
        Of `top_eigenpairs`.

    Raises
    ------
    NotPositiveDefiniteError
        If a computed eigenvalue is below −1e-5 λ_max and −1e-10 (single precision: −5e-3 and −1e-6), scikit-learn's
        bounds, unless `indefinite`.

    Notes
    -----
    λ ≤ 1e-12 λ_max (single: 2e-7) counts as zero, and so does what the subtraction of the mean leaves of it:
    λ ≤ 16 ε tr K. Where an operator knows a factor of rank r ≤ n/4 and no ``method`` is asked for, the eigenproblem is
    one of size r.

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
    K = overwritable(K, buffers=2 if many else 1)  # LAPACK's vectors are another matrix
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
    del K  # LAPACK has put its vectors elsewhere: this was one of two matrices
    values = _nonnegative(found.values, rounding, single=single, indefinite=indefinite)
    k = int(n_components)
    if isinstance(n_components, float):
        k = 1 + int(np.searchsorted(np.cumsum(values), n_components * total))
        k = min(k, max(1, int(np.count_nonzero(values))))
    if positive:
        k = min(k, int(np.count_nonzero(values)))
    values, vectors = values[:k], found.vectors[:, :k]
    if 2 * k < len(found.values):
        vectors = vectors.copy()  # the others need not be kept alive
    coef, offset = _projection(values, vectors, root, centering)
    return Principal(values, vectors, coef, offset, centering.weight, total, mass, found.solution, found.method)


def _of_factor(
    F: DoubleArray | None, n_components: float, weight: DoubleArray | None, *, center: bool, positive: bool
) -> Principal | None:
    """Components of K = FFᵀ from r × r moments, O(nr²); None if there is no F or it has fewer components than asked."""
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
    values, axes = _nonnegative(values[::-1].copy(), rounding, single=False, indefinite=False), axes[:, ::-1]
    if positive:
        k = int(np.count_nonzero(values))
        values, axes = values[:k], axes[:, :k]
    if k == 0 or not values.all():
        return None  # eigenvectors of the value zero are not in the range of F
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
    """Coefficients of projections. Signs of the vectors are changed so that the largest coordinate is positive."""
    n, k = vectors.shape
    coef, offset = np.empty((n, k), order="F"), np.empty(k)
    for part in panels(k, _PANEL):
        V, positive = vectors[:, part], values[part] > 0
        # Coordinates are v√λ/√w; those of samples without weight are not known here.
        size = np.abs(np.divide(V, root[:, None], out=np.zeros_like(V), where=root[:, None] > 0))
        V *= np.where(V[size.argmax(axis=0), np.arange(V.shape[1])] < 0, -1.0, 1.0)
        scale = np.sqrt(values[part], where=positive, out=np.full(len(positive), np.inf))
        coef[:, part], offset[part] = centering.fold(root[:, None] * V / scale)
    return coef, offset


def _share(K: DoubleArray, wanted: float, **options: Any) -> EigenSolution:
    """As many eigenvalues as it takes for a given sum, or more."""
    n = len(K)
    k = min(n, _FIRST)
    while True:
        if options.get("method", "auto") in ("auto", "dense") and choose_eigen_solver(n, k) == "dense":
            k = n
        found = top_eigenpairs(K, k, overwrite=k == n, **options)
        if k == n or found.values.sum() >= wanted:
            return found
        k = min(n, 2 * k)


def _nonnegative(values: DoubleArray, rounding: float, *, single: bool, indefinite: bool) -> DoubleArray:
    """Eigenvalues without those that are zero or less up to rounding, by scikit-learn's rules."""
    ratio, bound, small = (5e-3, 1e-6, 2e-7) if single else (1e-5, 1e-10, 1e-12)
    highest, lowest = float(values.max()), float(values.min())
    if not indefinite and lowest < -max(ratio * highest, bound, rounding):
        raise NotPositiveDefiniteError(
            f"There are significant negative eigenvalues ({-lowest / max(highest, bound):g} of the maximum positive): "
            "the kernel is not positive semidefinite on this data. Repair the Gram matrix with mercer.kernels.repair, "
            "or ignore them with allow_indefinite=True."
        )
    return np.where(values > max(small * highest, rounding), values, 0.0)
