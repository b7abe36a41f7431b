"""Principal components without one sample, from those of all."""

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.solvers.eigen import top_eigenpairs

__all__ = ["downdated"]

_EPS = float(np.finfo(np.float64).eps)
_APART = 1e3 * _EPS  # relative distance of eigenvalues, and share of a sample, that rounding leaves alone
_ORTHOGONAL = 1e-10
_CHANGE = 1e-9  # relative, of a step of Newton's method that leaves rounding behind: errors are squared
_STEPS = 60  # most, where ten are the rule


def downdated(values: DoubleArray, z: DoubleArray, weight: float, k: int) -> tuple[DoubleArray, DoubleArray]:
    r"""The k largest eigenvalues of diag(λ) − w zzᵀ, which is positive semidefinite, and their vectors.

    In coordinates of its principal components, the scatter matrix of n samples is diag(λ). Without the sample z, and
    about the mean of the others, it is diag(λ) − w zzᵀ with w = n/(n − 1).

    Parameters
    ----------
    values : array, shape (r,)
        λ > 0, descending.
    z : array, shape (r,)
    weight : float
        w.
    k : int
        At most r.

    Returns
    -------
    values, vectors : arrays of shape (k,), (r, k)
        μ, descending, with λ_m ≥ μ_m ≥ λ_{m+1}; unit vectors u_m ∝ z/(λ − μ_m).

    Notes
    -----
    μ_m is the root of 1 − w Σ_j z_j²/(λ_j − μ) between λ_{m+1} and λ_m. It is found by its distance t from the nearer
    of the two: Newton's method on the function times t, which has no pole there, within a bracket. O(rk) for each of a
    few steps. Where eigenvalues coincide or z has zeros there are no such roots; then, for k = r, and if the vectors
    are not orthogonal, LAPACK finds them from the matrix, O(r³).

    References
    ----------
    G. H. Golub, Some modified matrix eigenvalue problems, 1973, doi:10.1137/1015032.

    Examples
    --------
    >>> values, z = np.array([5.0, 4.0, 1.0]), np.array([1.0, 0.5, 0.2])
    >>> mu, U = downdated(values, z, 1.2, 2)
    >>> A = np.diag(values) - 1.2 * np.outer(z, z)
    >>> bool(np.allclose(A @ U, U * mu)), bool(np.allclose(mu, np.linalg.eigvalsh(A)[:0:-1]))
    (True, True)
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
    """Roots t between 0 and `far` of t − t Σ_j pulls_j/(apart_j + t), one for each row of `apart`.

    `apart` are distances of the poles from the one at the origin, where it is 0.
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
