"""Penalised logistic and softmax regression from sums over blocks of samples.

The loss is not additive in the data, but at given weights its value, gradient and curvature are. Each step of Newton's
method is therefore a few passes over the samples, in memory, in files or on a cluster, and only sums leave a block.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, final

import numpy as np

from mercer._runtime.factors import cholesky, solve_cholesky
from mercer._runtime.products import inner_products
from mercer._typing import DoubleArray
from mercer.solvers.logistic_loss import LogisticLoss, first_intercept
from mercer.solvers.solution import Solution, Status

__all__ = ["LossTask", "SummedLogistic", "Sums", "solve_summed_logistic"]

_EPS = float(np.finfo(np.float64).eps)
_ARMIJO = 1e-4  # fraction of the expected decrease that a step must reach
_HIDDEN = 1e4 * _EPS  # relative decreases below it are hidden by rounding
_BALANCE = 1e-10  # largest |Σ_i g_i| relative to Σ_i s_i, which is zero for the optimal intercept
_CG_STEPS = 500
_SHORTER: DoubleArray = 0.5 ** np.arange(1.0, 41.0)


@final
@dataclass(frozen=True, eq=False)
class Sums:
    """Arrays that are added one by one.

    >>> (Sums(np.ones(2), np.zeros(1)) + Sums(np.ones(2), np.ones(1))).arrays
    (array([2., 2.]), array([1.]))
    """

    arrays: tuple[DoubleArray, ...]

    def __init__(self, *arrays: Any) -> None:
        object.__setattr__(self, "arrays", tuple(np.asarray(array, dtype=np.float64) for array in arrays))

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(*(a + b for a, b in zip(self.arrays, other.arrays, strict=True)))

    def __reduce__(self) -> Any:
        return Sums, self.arrays


class LossTask(Protocol):
    """Sums over samples with features F, indicators T and weights s; a value that other processes can receive."""

    def of(self, F: DoubleArray, T: DoubleArray, weight: DoubleArray) -> Sums: ...


Total: TypeAlias = Callable[[LossTask], Sums]


@final
@dataclass(frozen=True)
class Masses:
    """Σs φ, Σs t and Σs."""

    def of(self, F: DoubleArray, T: DoubleArray, weight: DoubleArray) -> Sums:
        return Sums(weight @ F, weight @ T, weight.sum())


@dataclass(frozen=True, eq=False)
class _At:
    """Weights θ of the features less their mean, and of the constant 1 if there is an intercept."""

    theta: DoubleArray  # (r or r + 1, columns)
    mean: DoubleArray | None  # (r,); None without intercept

    def _augmented(self, F: DoubleArray) -> DoubleArray:
        if self.mean is None:
            return F
        A = np.empty((len(F), F.shape[1] + 1))
        np.subtract(F, self.mean, out=A[:, :-1])
        A[:, -1] = 1.0
        return A


@final
@dataclass(frozen=True, eq=False)
class Derivatives(_At):
    """Loss, its gradient, Aᵀdiag(w̄)A with the mean eigenvalues w̄ of the curvature, and Σs‖φ − mean‖."""

    def of(self, F: DoubleArray, T: DoubleArray, weight: DoubleArray) -> Sums:
        A, loss = self._augmented(F), LogisticLoss(T, weight)
        V = A @ self.theta
        bend = np.sqrt(loss.bend(loss.probabilities(V)))
        features = A if self.mean is None else A[:, :-1]
        scale = weight @ np.sqrt(np.einsum("ij,ij->i", features, features))
        gradient = A.T @ loss.gradient(V)
        return Sums(loss.value(V), gradient, inner_products(A * bend[:, None]), scale)


@final
@dataclass(frozen=True, eq=False)
class Curvature(_At):
    """Second derivative of the loss, applied to a direction."""

    direction: DoubleArray

    def of(self, F: DoubleArray, T: DoubleArray, weight: DoubleArray) -> Sums:
        A, loss = self._augmented(F), LogisticLoss(T, weight)
        P = loss.probabilities(A @ self.theta)
        return Sums(A.T @ loss.curvature(P, A @ self.direction))


@final
@dataclass(frozen=True, eq=False)
class Values(_At):
    """Loss at θ + t·step for several t."""

    step: DoubleArray
    lengths: DoubleArray

    def of(self, F: DoubleArray, T: DoubleArray, weight: DoubleArray) -> Sums:
        A, loss = self._augmented(F), LogisticLoss(T, weight)
        V, D = A @ self.theta, A @ self.step
        return Sums([loss.value(V + t * D) for t in self.lengths])


@dataclass(frozen=True, eq=False)
class SummedLogistic:
    """Function f(x) = ⟨w, φ(x)⟩ + b of each column, and its certificate, as `solve_feature_logistic` returns it."""

    weights: DoubleArray  # (r, columns)
    intercept: DoubleArray  # (columns,)
    solution: Solution
    projected: DoubleArray  # (r, columns), Fᵀc for the dual coefficients c = −(∂L/∂F)/α: the weights up to the gradient


def solve_summed_logistic(
    total: Total, alpha: float, *, intercept: bool = True, tol: float = 1e-8, max_iter: int = 100
) -> SummedLogistic:
    """Minimise L(Fw + b) + ½α‖w‖² over w and b, where only sums over the samples are known.

    A Newton step δ solves (αI + AᵀWA) δ = −∇ over weights and intercept together, where A has the centred features and
    a column of ones. For two classes the matrix is a sum of its own, so that a step is one pass. For more, each
    iteration of conjugate gradients is a pass, preconditioned as in `mercer.solvers.logistic.solve_logistic`.

    Parameters
    ----------
    total : callable
        Function from a `LossTask` to the sum of its `of` over all samples, with T as in `LogisticLoss`.
    alpha : float
        Regularisation strength α > 0.
    intercept : bool, default=True
        Whether an intercept b is fitted, which is not penalised.
    tol : float, default=1e-8
        Largest norm of the gradient relative to Σ_i s_i‖φ(x_i)‖.
    max_iter : int, default=100
        Maximal number of Newton steps.

    Returns
    -------
    SummedLogistic
        Weights, intercepts and certificate.

    Notes
    -----
    Cost: one pass of O(n r²) per step, passes of O(n r) per iteration of conjugate gradients, O(r³) besides them.
    Memory: O(r²) beyond a block.

    Examples
    --------
    >>> F, T = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, -1.0]]), np.array([[1.0], [1.0], [0.0]])
    >>> answer = solve_summed_logistic(lambda task: task.of(F, T, np.ones(3)), 0.1)
    >>> P = 1 / (1 + np.exp(-(F @ answer.weights + answer.intercept)))
    >>> float(P.sum().round(6)), answer.solution.status
    (2.0, <Status.CONVERGED: 'converged'>)
    """
    features, classes, mass = total(Masses()).arrays
    size, columns, weight = len(features), len(classes), float(mass)
    mean = features / weight if intercept else None
    theta = np.zeros((size + intercept, columns))
    if intercept:
        theta[-1] = first_intercept(LogisticLoss((classes / weight)[None], np.array([weight])))
    penalty = np.full((len(theta), 1), alpha)
    penalty[size:] = 0.0
    problem = _Problem(total, mean, penalty, size, weight)
    state, n_iter, moving = problem.at(theta), 0, True
    while moving and n_iter < max_iter and not state.solved(tol):
        after = problem.search(state, problem.step(state))
        state, n_iter, moving = after or state, n_iter + 1, after is not None
    converged = state.violation <= tol and state.imbalance <= _BALANCE
    status = Status.CONVERGED if converged else Status.MAX_ITER if moving else Status.PRECISION
    w, b = state.theta[:size], np.zeros(columns)
    if mean is not None:
        b = state.theta[-1] - mean @ w
        b -= b.mean() if columns > 1 else 0.0  # a shift of all classes changes nothing
    solution = Solution(state.objective, state.gap, state.violation, status, n_iter, primal=True)
    return SummedLogistic(w, b, solution, w + state.rest[:size] / alpha)


@dataclass(frozen=True, eq=False)
class _State:
    """Weights, and what one pass says about them."""

    theta: DoubleArray
    objective: float
    rest: DoubleArray  # −∇, zero at the optimum
    matrix: DoubleArray  # αI + Aᵀdiag(w̄)A
    violation: float
    imbalance: float
    gap: float

    def solved(self, tol: float) -> bool:
        close = self.violation <= tol and self.gap <= tol**2 * self.objective
        return close and self.imbalance <= _BALANCE


@dataclass(frozen=True, eq=False)
class _Problem:
    total: Total
    mean: DoubleArray | None
    penalty: DoubleArray
    size: int
    weight: float

    def at(self, theta: DoubleArray) -> _State:
        value, gradient, matrix, scale = self.total(Derivatives(theta, self.mean)).arrays
        objective = float(value) + float(np.sum(self.penalty * theta**2)) / 2
        rest = -(gradient + self.penalty * theta)
        np.fill_diagonal(matrix, matrix.diagonal() + self.penalty[:, 0])
        square = float(np.sum(rest[: self.size] ** 2))
        imbalance = float(np.abs(rest[self.size :]).max(initial=0.0)) / self.weight
        violation = float(np.sqrt(square)) / (float(scale) or 1.0)
        return _State(theta, objective, rest, matrix, violation, imbalance, square / (2 * float(self.penalty[0, 0])))

    def step(self, state: _State) -> DoubleArray:
        """Newton step: direct for one column, else by conjugate gradients, more exact near the optimum."""
        factor = cholesky(np.asfortranarray(state.matrix))
        if state.theta.shape[1] == 1:
            return np.asarray(solve_cholesky(factor, state.rest))
        x, p, r, last = np.zeros_like(state.rest), np.zeros_like(state.rest), state.rest.copy(), 1.0
        enough = None
        for _ in range(_CG_STEPS):
            z = np.asarray(solve_cholesky(factor, r))
            square = float(np.vdot(r, z))
            enough = min(0.1, max(np.sqrt(state.violation), _EPS)) ** 2 * square if enough is None else enough
            if (square <= enough and x.any()) or square <= 0:
                break
            p = z + square / last * p
            Ap = self.total(Curvature(state.theta, self.mean, p)).arrays[0] + self.penalty * p
            length = float(np.vdot(p, Ap))
            if length <= 0:  # only rounding is left
                break
            x += square / length * p
            r -= square / length * Ap
            last = square
        return x

    def search(self, state: _State, step: DoubleArray) -> _State | None:
        """State after the step, shortened until the objective decreases; None if rounding hides all progress."""
        slope = -float(np.vdot(state.rest, step))
        after = self.at(state.theta + step)
        if -slope <= _HIDDEN * abs(state.objective):  # the decrease is below the rounding of the objective
            better = after.gap < state.gap / 2 or (after.gap <= state.gap and after.imbalance < state.imbalance / 2)
            return after if better else None
        if after.objective <= state.objective + _ARMIJO * slope:
            return after
        values = self.total(Values(state.theta, self.mean, step, _SHORTER)).arrays[0]
        moved = state.theta + _SHORTER[:, None, None] * step
        objectives = values + np.sum(self.penalty * moved**2, axis=(1, 2)) / 2
        enough = np.flatnonzero(objectives <= state.objective + _ARMIJO * _SHORTER * slope)
        return self.at(moved[enough[0]]) if len(enough) else None
