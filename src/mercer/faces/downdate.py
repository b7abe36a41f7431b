"""Principal components without one sample, computed from those of all samples."""

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.solvers.eigen import top_eigenpairs

__all__ = ["downdated"]

_EPS = float(np.finfo(np.float64).eps)
_APART = 1e3 * _EPS  # relative gap of eigenvalues, and relative size of a coordinate, above the rounding errors
_ORTHOGONAL = 1e-10
_CHANGE = 1e-9  # relative Newton step after which only rounding errors remain (quadratic convergence)
_STEPS = 60  # maximum; about ten are typical


def downdated(values: DoubleArray, z: DoubleArray, weight: float, k: int) -> tuple[DoubleArray, DoubleArray]:
    """Return the k largest eigenpairs of the positive semidefinite matrix diag(λ) − w zzᵀ.

    In coordinates of its principal components, the scatter matrix of n samples is diag(λ). Without the sample z, and
    centred at the mean of the others, it is diag(λ) − w zzᵀ with w = n/(n − 1).

    Parameters
    ----------
    values : ndarray of shape (r,)
        Eigenvalues λ > 0, descending.
    z : ndarray of shape (r,)
        Coordinates of the sample that is left out.
    weight : float
        Factor w.
    k : int
        Number of eigenpairs, at most r.

    Returns
    -------
    values : ndarray of shape (k,)
        Eigenvalues μ, descending, with λ_m ≥ μ_m ≥ λ_{m+1}.
    vectors : ndarray of shape (r, k)
        Unit eigenvectors u_m ∝ z/(λ − μ_m).

    Notes
    -----
    μ_m is the root of the secular equation 1 − w Σ_j z_j²/(λ_j − μ) between λ_{m+1} and λ_m. Its distance t from the
    nearer of the two is found by Newton's method within a bracket, on the function times t, which has no pole there. A
    step costs O(rk). If eigenvalues coincide, z has zeros, k = r, or the vectors are not orthogonal, LAPACK decomposes
    the matrix, O(r³).

    References
    ----------
    * Golub, *Some modified matrix eigenvalue problems*, SIAM Review 15, 1973, doi:10.1137/1015032.

    Examples
    --------
    >>> values, z = np.array([5.0, 4.0, 1.0]), np.array([1.0, 0.5, 0.2])
    >>> mu, U = downdated(values, z, 1.2, 2)
    >>> mu.round(6)
    array([4.354794, 3.176106])
    >>> np.linalg.eigvalsh(np.diag(values) - 1.2 * np.outer(z, z))[:0:-1].round(6)
    array([4.354794, 3.176106])
    """
    upper, lower = values[:k], values[1 : k + 1]
    close = len(lower) < k or (upper - lower).min() <= _APART * values[0]
    if close or np.abs(z[: k + 1]).min() <= _APART * np.abs(z).max():
        return _dense(values, z, weight, k)
    pulls, half = weight * z**2, (upper - lower) / 2
    above = (pulls / (values - upper[:, None] + half[:, None])).sum(axis=1) < 1  # the root is above the middle
    origin = np.arange(k) + ~above
    apart = values - values[origin][:, None]
    t = _offsets(apart, pulls, origin, np.where(above, half, -half))
    U = (z / (apart + t[:, None])).T
    U /= np.linalg.norm(U, axis=0)
    if np.abs(U.T @ U - np.eye(k)).max() > _ORTHOGONAL:
        return _dense(values, z, weight, k)
    return values[origin] - t, U


def _offsets(apart: DoubleArray, pulls: DoubleArray, origin: IndexArray, far: DoubleArray) -> DoubleArray:
    """Return the roots t between 0 and `far` of t − t Σ_j pulls_j/(apart_j + t), one for each row of `apart`.

    `apart` holds the distances of the poles from the pole at the origin, where it is 0.
    """
    rows, own = np.arange(len(far)), pulls[origin]
    low, high, t = np.minimum(far, 0.0), np.maximum(far, 0.0), far
    for _ in range(_STEPS):
        terms = apart + t[:, None]
        np.divide(1.0, terms, out=terms)
        terms[rows, origin] = 0.0
        rest = 1 - terms @ pulls
        np.square(terms, out=terms)
        value = t * rest - own
        small = (value < 0) == (t > 0)  # t is below the root: value/t rises with t
        low, high = np.where(small, t, low), np.where(small, high, t)
        step = t - value / (rest + t * (terms @ pulls))
        step = np.where((low <= step) & (step <= high) & (step != 0), step, (low + high) / 2)
        done = np.abs(step - t) <= _CHANGE * np.abs(t)
        t = step
        if done.all():
            break
    return t


def _dense(values: DoubleArray, z: DoubleArray, weight: float, k: int) -> tuple[DoubleArray, DoubleArray]:
    found = top_eigenpairs(np.diag(values) - weight * np.outer(z, z), k, method="dense", overwrite=True)
    return np.maximum(found.values, 0.0), found.vectors
