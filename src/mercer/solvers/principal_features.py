"""Principal components of explicit features, from their moments."""

from dataclasses import dataclass

import numpy as np

from mercer._runtime.products import product
from mercer._runtime.spectra import eigh
from mercer._typing import DoubleArray
from mercer.solvers.moments import Moments
from mercer.solvers.principal import count_kept, nonnegative
from mercer.solvers.solution import Solution, Status

__all__ = ["FeatureComponents", "feature_components"]

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class FeatureComponents:
    """Principal components of features φ, the unit vectors u with coordinates ⟨u, φ(x) − φ̄⟩.

    Attributes
    ----------
    values : ndarray of shape (k,)
        Eigenvalues λ ≥ 0 of Σw(φ − φ̄)(φ − φ̄)ᵀ, descending. They are those of W^½ K̃ W^½ with K = ΦΦᵀ.
    axes : ndarray of shape (r, k)
        Unit eigenvectors u, of either sign; zeros for λ = 0.
    mean : ndarray of shape (r,)
        φ̄, zeros without centring.
    total : float
        Sum of all eigenvalues of the exact kernel, or an upper bound: that of the features plus the residual.
    residual : float
        Trace of W^½ (K − ΦΦᵀ) W^½; NaN if it is not known.
    solution : Solution
        Certificate. `objective` is the sum of `values`, which is maximised. `gap` bounds the error of this sum, and
        `exact_gap` is `residual`: the sum of as many eigenvalues of the exact kernel is in `exact_interval`.
    """

    values: DoubleArray
    axes: DoubleArray
    mean: DoubleArray
    total: float
    residual: float
    solution: Solution


def feature_components(
    moments: Moments,
    n_components: float,
    *,
    residual: float = 0.0,
    center: bool = True,
    positive: bool = False,
) -> FeatureComponents:
    """Compute the principal components of features in O(r³).

    Parameters
    ----------
    moments : Moments
        Sums over the features; targets are ignored.
    n_components : int, or float between 0 and 1
        Number of components, or fraction of `total` that they must reach. Components beyond r have λ = 0.
    residual : float, default=0.0
        Weighted trace of the residual K − ΦΦᵀ ⪰ 0 of an approximated kernel; NaN if the residual is not known.
    center : bool, default=True
        Whether the mean of the features is subtracted.
    positive : bool, default=False
        Whether components of eigenvalue zero are left out.

    Returns
    -------
    FeatureComponents
        Components and certificate.

    Notes
    -----
    With R = K − ΦΦᵀ ⪰ 0, every eigenvalue of K̃ is at least that of the features, and the differences of all of them
    sum to the trace of the centred R, which is at most that of R.

    Examples
    --------
    >>> F = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]])
    >>> found = feature_components(Moments.of(F), 2, residual=0.5)
    >>> found.values.round(12), found.mean, found.total
    (array([8., 0.]), array([2., 1.]), 8.5)
    >>> np.round(found.solution.exact_interval, 12)
    array([8. , 8.5])
    """
    r = len(moments.features)
    mean = moments.features / moments.n if center else np.zeros(r)
    C = moments.outer - np.outer(moments.features, mean) if center else moments.outer
    known = residual if np.isfinite(residual) else 0.0
    total, rounding = float(np.trace(C)) + known, 16 * _EPS * float(np.trace(moments.outer))
    share = isinstance(n_components, float)
    values, axes = eigh(C, top=None if share else min(int(n_components), r))
    values, axes = nonnegative(values[::-1].copy(), rounding), axes[:, ::-1]
    k = count_kept(values, n_components, total, positive=positive)
    values, axes = values[:k], np.where(values[:k] > 0, axes[:, :k], 0.0)
    solution = _certificate(C, values, axes, residual)
    if k > r:  # such components have the eigenvalue zero
        values, axes = np.pad(values, (0, k - r)), np.pad(axes, ((0, 0), (0, k - r)))
    return FeatureComponents(values, axes, mean, total, residual, solution)


def _certificate(C: DoubleArray, values: DoubleArray, axes: DoubleArray, residual: float) -> Solution:
    """Residuals of the eigenvectors v = Φ̃u/√λ of K̃ = Φ̃Φ̃ᵀ: K̃v − λv = Φ̃(Cu − λu)/√λ."""
    error = product(C, axes) - axes * values
    size = np.sqrt(np.maximum(np.einsum("ij,ij->j", error, product(C, error)), 0.0))
    scale = np.sqrt(values) * values.max(initial=0.0)
    violation = float(np.divide(size, scale, out=np.zeros_like(size), where=scale > 0).max(initial=0.0))
    gap = float(np.linalg.norm(error, axis=0).sum())
    return Solution(float(values.sum()), gap, violation, Status.CONVERGED, 1, exact_gap=residual)
