"""Ridge regression on explicit features, from their moments."""

from dataclasses import dataclass

import numpy as np

from mercer._runtime.factors import solve_cholesky, try_cholesky
from mercer._runtime.spectra import eigh
from mercer._typing import DoubleArray, IndexArray
from mercer.solvers.moments import Moments
from mercer.solvers.solution import Solution, Status

__all__ = ["CenteredMoments", "FeatureRidge", "solve_feature_ridge"]

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class CenteredMoments:
    """Second moments of features and targets about their weighted means, or about zero without an intercept.

    Attributes
    ----------
    outer : ndarray of shape (r, r)
        G = Σs(φ − φ̄)(φ − φ̄)ᵀ.
    cross : ndarray of shape (r, t)
        H = Σs(φ − φ̄)(y − ȳ)ᵀ.
    energy : ndarray of shape (t,)
        Σs(y − ȳ)².
    mean : ndarray of shape (r,)
        φ̄, zero without an intercept.
    target : ndarray of shape (t,)
        ȳ, zero without an intercept.
    """

    outer: DoubleArray
    cross: DoubleArray
    energy: DoubleArray
    mean: DoubleArray
    target: DoubleArray

    @classmethod
    def of(cls, moments: Moments, energy: DoubleArray, *, intercept: bool) -> "CenteredMoments":
        """Centre moments; `energy` is Σsy² of each target."""
        if not intercept:
            zero = np.zeros_like(moments.features), np.zeros_like(moments.targets)
            return cls(moments.outer, moments.cross, energy, *zero)
        mean, target = moments.features / moments.n, moments.targets / moments.n
        return cls(
            moments.outer - np.outer(moments.features, mean),
            moments.cross - np.outer(moments.features, target),
            np.maximum(energy - moments.targets * target, 0.0),
            mean,
            target,
        )


@dataclass(frozen=True, eq=False)
class FeatureRidge:
    """Function f(x) = ⟨w, φ(x)⟩ + b of each target, and its certificate.

    The certificate is that of `mercer.solvers.ridge.solve_ridge` for K = ΦΦᵀ: the objective is the optimum
    −½yᵀ(K + α/s)⁻¹y of the dual problem, summed over targets.
    """

    weights: DoubleArray  # (r, t)
    intercept: DoubleArray  # (t,)
    solution: Solution


def solve_feature_ridge(centered: CenteredMoments, alpha: DoubleArray) -> FeatureRidge:
    """Minimise Σs(y − ⟨w, φ⟩ − b)² + α‖w‖² for every target.

    Parameters
    ----------
    centered : CenteredMoments
        Moments of features and targets.
    alpha : ndarray of shape (t,)
        Regularisation strength α ≥ 0 of each target. The matrix is factored once per distinct value.

    Returns
    -------
    FeatureRidge
        Weights, intercepts and certificate.

    Notes
    -----
    O(r³) for each distinct α. The solution of least norm is returned if G + αI is singular, with status ``SINGULAR``.

    Examples
    --------
    >>> F, y = np.array([[1.0], [2.0], [3.0]]), np.array([[1.0], [2.0], [4.0]])
    >>> sums = CenteredMoments.of(Moments.of(F, y), (y**2).sum(axis=0), intercept=True)
    >>> answer = solve_feature_ridge(sums, np.array([1.0]))
    >>> answer.weights.round(6), answer.intercept.round(6)
    (array([[1.]]), array([0.333333]))
    """
    weights = np.zeros_like(centered.cross)
    parts = []
    for value in np.unique(alpha):
        columns = np.flatnonzero(alpha == value)
        weights[:, columns], status = _solved(centered.outer, centered.cross[:, columns], float(value))
        parts.append(_certificate(centered, weights[:, columns], columns, float(value), status))
    intercept = centered.target - centered.mean @ weights
    return FeatureRidge(weights, intercept, Solution.together(parts))


def _solved(G: DoubleArray, H: DoubleArray, alpha: float) -> tuple[DoubleArray, Status]:
    A = np.array(G, order="F")
    A[np.diag_indices(len(A))] += alpha
    diagonal = A.diagonal().copy()
    if not try_cholesky(A) and (A.diagonal() ** 2 > len(A) * _EPS * diagonal).all():
        return solve_cholesky(A, H), Status.CONVERGED
    values, vectors = eigh(G)
    shifted = values + alpha
    sound = shifted > len(G) * _EPS * max(float(shifted[-1]), 0.0)
    inverse = np.divide(1.0, shifted, out=np.zeros_like(shifted), where=sound)
    status = Status.SINGULAR if alpha == 0 or not sound.all() else Status.CONVERGED
    return vectors @ (inverse[:, None] * (vectors.T @ H)), status


def _certificate(
    centered: CenteredMoments, W: DoubleArray, columns: IndexArray, alpha: float, status: Status
) -> Solution:
    H, energy = centered.cross[:, columns], centered.energy[columns]
    R = H - centered.outer @ W - alpha * W
    size, error = np.linalg.norm(H, axis=0), np.linalg.norm(R, axis=0)
    primal = energy - np.einsum("ij,ij->j", W, H + R)  # Σs(y − f)² + α‖w‖²
    if alpha > 0:
        objective = -0.5 * float(primal.sum()) / alpha
        gap = 0.5 * float((error**2).sum()) / alpha**2
    else:
        objective, gap = float(np.maximum(primal, 0.0).sum()), float("nan")
    violation = float((error / np.where(size > 0, size, 1.0)).max(initial=0.0))
    return Solution(objective, gap, violation, status, n_iter=1)
