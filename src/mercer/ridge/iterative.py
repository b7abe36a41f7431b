"""Ridge regression on many features by conjugate gradients, without their moments."""

import numpy as np

from mercer._estimator import Approximation
from mercer._runtime.factors import cholesky, solve_cholesky
from mercer._runtime.products import inner_products
from mercer._typing import DoubleArray, IndexArray
from mercer.operators.tiles import panels
from mercer.solvers.ridge_cg import conjugate_gradients
from mercer.solvers.ridge_features import FeatureRidge
from mercer.solvers.solution import Solution, Status

__all__ = ["iterate_ridge"]

_SAMPLE = 5  # rows of the preconditioner for each feature
_TOL = 1e-8  # relative residual
_MAX_ITER = 200
_PANEL = 4096  # rows of features in memory at a time


def iterate_ridge(approximation: Approximation, Y: DoubleArray, alpha: float, *, intercept: bool) -> FeatureRidge:
    """Minimise Σs(y − ⟨w, φ⟩ − b)² + α‖w‖² for every target.

    Parameters
    ----------
    approximation : Approximation
        Features φ of the training samples, of which n x r numbers are never held.
    Y : ndarray of shape (n, t)
        Targets.
    alpha : float
        Regularisation strength α > 0.
    intercept : bool
        Whether b is fitted.

    Returns
    -------
    FeatureRidge
        Weights, intercepts and certificate.

    Notes
    -----
    The matrix of the preconditioner is that of 5r random samples, scaled to all. Its spectrum is within a factor of
    about 2 of the matrix of all samples, so the number of iterations does not depend on α. An iteration takes two
    passes over the kernel values, O(nr), and the preconditioner O(r³).

    References
    ----------
    * Rudi, Carratino, Rosasco, *FALKON: An optimal large scale kernel method*, NIPS 2017.
    """
    weight = approximation.training.weight
    total = float(weight.sum())
    centre, target = np.zeros(approximation.n_components), np.zeros(Y.shape[1])
    if intercept:
        centre, target = approximation.projections(weight[:, None])[:, 0] / total, weight @ Y / total

    def product(V: DoubleArray) -> DoubleArray:
        return _projected(approximation, weight, centre, _values(approximation, centre, V)) + alpha * V

    H = _projected(approximation, weight, centre, Y - target)
    factor = _sampled(approximation, centre, alpha)
    size = np.linalg.norm(H, axis=0)
    W, R, n_iter = conjugate_gradients(
        product,
        lambda V: solve_cholesky(factor, V),
        H,
        solve_cholesky(factor, H),
        goal=lambda _, columns: np.asarray(_TOL * size[columns]),
        max_iter=_MAX_ITER,
    )
    error = np.linalg.norm(R, axis=0)
    energy = weight @ np.square(Y - target)
    primal = energy - np.einsum("ij,ij->j", W, H + R)  # Σs(y − f)² + α‖w‖²
    violation = float((error / np.where(size > 0, size, 1.0)).max(initial=0.0))
    solution = Solution(
        objective=-0.5 * float(primal.sum()) / alpha,
        gap=0.5 * float((error**2).sum()) / alpha**2,
        violation=violation,
        status=Status.CONVERGED if violation <= _TOL else Status.MAX_ITER,
        n_iter=n_iter,
    )
    return FeatureRidge(W, target - centre @ W, solution)


def _values(approximation: Approximation, centre: DoubleArray, V: DoubleArray) -> DoubleArray:
    """Centred functions (φ − centre)ᵀV of all samples."""
    return approximation.values(approximation.coefficients(V)) - centre @ V


def _projected(
    approximation: Approximation, weight: DoubleArray, centre: DoubleArray, values: DoubleArray
) -> DoubleArray:
    """Σs(φ − centre)vᵀ over all samples."""
    weighted = weight[:, None] * values
    return approximation.projections(weighted) - np.outer(centre, weighted.sum(axis=0))


def _sampled(approximation: Approximation, centre: DoubleArray, alpha: float) -> DoubleArray:
    """Cholesky factor of the matrix of random samples, scaled to the weight of all samples."""
    training, r = approximation.training, approximation.n_components
    rows: IndexArray = training.kept
    if len(rows) > _SAMPLE * r:
        rows = np.sort(np.random.default_rng(0).choice(rows, _SAMPLE * r, replace=False))
    A = np.zeros((r, r), order="F")
    for part in panels(len(rows), _PANEL):
        F = approximation.rows(rows[part]) - centre
        F *= np.sqrt(training.weight[rows[part]])[:, None]
        A += inner_products(F)
    A *= float(training.weight.sum() / training.weight[rows].sum())
    A[np.diag_indices(r)] += alpha
    return cholesky(A)
