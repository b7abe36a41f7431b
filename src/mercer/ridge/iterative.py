"""Ridge regression on many features by conjugate gradients, in place of their moments."""

import numpy as np

from mercer._estimator import Approximation
from mercer._runtime.factors import solve_cholesky, try_cholesky
from mercer._runtime.pools import limit_pools
from mercer._runtime.products import inner_products
from mercer._typing import DoubleArray, IndexArray
from mercer.operators.tiles import panels
from mercer.solvers.ridge_cg import conjugate_gradients
from mercer.solvers.ridge_features import FeatureRidge
from mercer.solvers.solution import Solution, Status

__all__ = ["iterate_ridge"]

_GAP = 1e-7  # relative duality gap,
_TOL = 1e-8  # or relative residual, that is sufficient
_MAX_ITER = 200
_PANEL = 4096  # rows of features in memory at a time


def iterate_ridge(approximation: Approximation, Y: DoubleArray, alpha: float, *, intercept: bool) -> FeatureRidge:
    """Minimise Σs(y − ⟨w, φ⟩ − b)² + α‖w‖² for every target.

    Parameters
    ----------
    approximation : Approximation
        Features φ of the training samples.
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
    about 2 of the matrix of all samples, so the number of iterations does not depend on α. An iteration takes one pass
    over kernel values that are held, or two in which they are computed, O(nr). The preconditioner takes O(r³).

    A residual ρ of the normal equations bounds the duality gap by ‖ρ‖²/(2α²). The iteration ends when this is 10⁻⁷ of
    the objective, so that the fitted values differ from the optimal ones by 3·10⁻⁴ of the root mean square of their
    residuals, at most.

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
        return approximation.second_moment(V, weight) - np.outer(total * centre, centre @ V) + alpha * V

    H = approximation.projections(weight[:, None] * (Y - target))  # Σs(y − ȳ) = 0, so φ need not be centred
    factor = _sampled(approximation, centre, alpha)
    size, energy = np.linalg.norm(H, axis=0), weight @ np.square(Y - target)

    def goal(V: DoubleArray, columns: IndexArray | slice) -> DoubleArray:
        value = energy[columns] - np.einsum("ij,ij->j", V, H[:, columns])  # Σs(y − f)² + α‖w‖² for a small residual
        return np.asarray(np.maximum(_TOL * size[columns], np.sqrt(_GAP * alpha * np.maximum(value, 0.0))))

    with limit_pools(1, "blas"):  # its idle threads would slow down those of the core, which pass over the samples
        W, R, n_iter = conjugate_gradients(
            product,
            lambda V: solve_cholesky(factor, V),
            H,
            solve_cholesky(factor, H),
            goal=goal,
            max_iter=_MAX_ITER,
        )
    error = np.linalg.norm(R, axis=0)
    primal = energy - np.einsum("ij,ij->j", W, H + R)  # Σs(y − f)² + α‖w‖²
    violation = float((error / np.where(size > 0, size, 1.0)).max(initial=0.0))
    enough = (error <= goal(W, slice(None))).all()
    solution = Solution(
        objective=-0.5 * float(primal.sum()) / alpha,
        gap=0.5 * float((error**2).sum()) / alpha**2,
        violation=violation,
        status=Status.CONVERGED if enough else Status.MAX_ITER,
        n_iter=n_iter,
    )
    return FeatureRidge(W, target - centre @ W, solution)


def _sampled(approximation: Approximation, centre: DoubleArray, alpha: float) -> DoubleArray:
    """Cholesky factor of the matrix of random samples, scaled to the weight of all samples.

    Features in single precision may make the matrix indefinite. It is then shifted: a preconditioner may be rough.
    """
    weight, r = approximation.training.weight, approximation.n_components
    rows, F = approximation.sample()
    plain = not centre.any() and (weight[rows] == 1).all()
    A = inner_products(F) if plain else np.zeros((r, r))
    for part in () if plain else panels(len(rows), _PANEL):
        block = F[part] - centre.astype(F.dtype)
        block *= np.sqrt(weight[rows[part]], dtype=F.dtype)[:, None]
        A += inner_products(block)
    A *= float(weight.sum() / weight[rows].sum())
    shift = max(alpha, float(np.finfo(F.dtype).eps) * float(A.trace()) / r)
    while True:
        factor = A.copy(order="F")
        factor[np.diag_indices(r)] += shift
        if not try_cholesky(factor):
            return factor
        shift *= 10
