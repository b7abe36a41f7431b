"""Penalised logistic and softmax regression on explicit features."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mercer._typing import DoubleArray, FloatArray
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.tiles import inner, panels, product
from mercer.solvers.logistic import minimize_loss
from mercer.solvers.logistic_loss import LogisticLoss
from mercer.solvers.logistic_spaces import Primal
from mercer.solvers.solution import Solution

__all__ = ["FeatureLogistic", "solve_feature_logistic"]


@dataclass(frozen=True, eq=False)
class FeatureLogistic:
    """Function f(x) = ⟨w, φ(x)⟩ + b of each column, its certificate, and the coefficients of the dual problem.

    The certificate is that of `mercer.solvers.logistic.solve_logistic` for K = FFᵀ.
    """

    weights: DoubleArray  # (r, columns)
    intercept: DoubleArray  # (columns,)
    solution: Solution
    coef: DoubleArray  # (n, columns), c = −(∂L/∂F)/α, which sums to zero with an intercept
    projected: DoubleArray  # (r, columns), Fᵀc: the weights up to the remaining gradient


def solve_feature_logistic(
    F: FloatArray,
    T: DoubleArray,
    alpha: float,
    *,
    weight: DoubleArray | None = None,
    intercept: bool = True,
    tol: float = 1e-8,
    max_iter: int = 100,
) -> FeatureLogistic:
    """Minimise L(Fw + b) + ½α‖w‖² over w and b.

    The method is that of `mercer.solvers.logistic.solve_logistic` for a factor L = F of K: a Newton step δ solves
    (αI + FᵀWF) δ = −(Fᵀg + αw) by conjugate gradients, preconditioned by one Cholesky factor of αI + Fᵀdiag(w̄)F, where
    w̄_i is the mean eigenvalue of sample i's block of W. For two classes this is the system itself.

    Parameters
    ----------
    F : ndarray of float32 or float64, shape (n, r)
        Features. All sums are computed in float64.
    T : ndarray of shape (n, 1) or (n, n_classes)
        Indicator of the second of two classes, or of each of several classes. Every class has positive weight.
    alpha : float
        Regularisation strength α > 0.
    weight : ndarray of shape (n,), default=None
        Sample weights s ≥ 0. None: ones.
    intercept : bool, default=True
        Whether an intercept b is fitted, which is not penalised.
    tol : float, default=1e-8
        Tolerance: largest `violation`.
    max_iter : int, default=100
        Maximal number of Newton steps.

    Returns
    -------
    FeatureLogistic
        Weights, intercepts, certificate and dual coefficients.

    Notes
    -----
    Cost: O(n r²) per step, and O(n r) per column for each iteration of conjugate gradients. Memory: F is read in place;
    O(r² + n · columns) besides it.

    With K̂ = FFᵀ replaced by a matrix K, the dual objective at the same probabilities decreases by ½α Σ cᵀ(K − K̂)c.

    Examples
    --------
    >>> F, T = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, -1.0]]), np.array([[1.0], [1.0], [0.0]])
    >>> answer = solve_feature_logistic(F, T, 0.1)
    >>> P = 1 / (1 + np.exp(-(F @ answer.weights + answer.intercept)))
    >>> float(P.sum().round(6)), np.allclose(F.T @ answer.coef, answer.weights), answer.solution.status
    (2.0, True, <Status.CONVERGED: 'converged'>)
    """
    loss = LogisticLoss(T, np.ones(len(F)) if weight is None else weight)
    space = _Features(F, loss.weight if intercept else None, alpha)
    state, solution = minimize_loss(space, loss, intercept=intercept, tol=tol, max_iter=max_iter)
    b = np.zeros(T.shape[1]) if state.b is None else state.b - (space.mean @ state.v)[0]
    coef = space.coefficients(state.v, state.g, state.rest)
    return FeatureLogistic(state.v, b, solution, coef, state.v + state.rest / alpha)


@final
class _Features(Primal):
    """Explicit features in float32 or float64, less their weighted mean; without weights they are not centred."""

    def __init__(self, F: FloatArray, weight: DoubleArray | None, alpha: float) -> None:
        self._F, self.alpha, self.size = F, alpha, F.shape[1]
        self.mean = np.zeros((1, self.size))
        if weight is not None:
            self.mean = self.pull(weight[:, None]).T / weight.sum()
        self.scale = np.empty(len(F))
        for part in panels(len(F), max(1, MEMORY_BUDGET // (8 * self.size))):
            self.scale[part] = np.linalg.norm(self._rows(part), axis=1)
        self.peak = float(np.square(self.scale).max())

    def _rows(self, rows: slice) -> DoubleArray:
        return self._F[rows] - self.mean

    def values(self, v: DoubleArray) -> DoubleArray:
        return np.asarray(product(self._F, v, MEMORY_BUDGET) - self.mean @ v)

    def pull(self, g: DoubleArray) -> DoubleArray:
        return np.asarray(inner(self._F, g, MEMORY_BUDGET) - self.mean.T * g.sum(axis=0))

    def coefficients(self, v: DoubleArray, g: DoubleArray, rest: DoubleArray) -> DoubleArray:  # noqa: ARG002
        return np.asarray(-g / self.alpha)
