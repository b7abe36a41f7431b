"""Penalised kernel logistic and softmax regression by Newton's method, with a duality gap."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mercer._typing import DoubleArray
from mercer.exceptions import NotPositiveDefiniteError
from mercer.operators import GramOperator
from mercer.operators.build import overwritable
from mercer.operators.centering import center_in_place
from mercer.solvers.logistic_loss import LogisticLoss, best_intercept, first_intercept
from mercer.solvers.logistic_spaces import INDEFINITE, SINGLE, Coefficients, Factor, Space
from mercer.solvers.solution import Solution, Status

__all__ = ["LogisticSolution", "State", "minimize_loss", "solve_logistic"]

_EPS = float(np.finfo(np.float64).eps)
_CG_STEPS, _CG_TOL = 500, 1e-10
_ARMIJO = 1e-4  # fraction of the expected decrease that a step must reach
_HIDDEN = 1e4 * _EPS
_TINY_ALPHA = 1e-9


@dataclass(frozen=True, eq=False)
class LogisticSolution:
    """Coefficients of shape (n, columns), intercepts of shape (columns,) and certificate.

    The objective of `solution` is L + ½α Σ cᵀKc. Its `violation` is the norm of the gradient in feature space relative
    to Σ s_i‖φ(x_i)‖, where ‖∇‖² = Σ (g + αc)ᵀK(g + αc) and g = ∂L/∂F. Its `gap` is the distance to the dual objective,
    ‖∇‖²/(2α). The intercept is optimal for its coefficients: Σ_i g_i = 0.
    """

    coef: DoubleArray
    intercept: DoubleArray
    solution: Solution


def solve_logistic(
    K: GramOperator | DoubleArray,
    T: DoubleArray,
    alpha: float,
    *,
    weight: DoubleArray | None = None,
    intercept: bool = True,
    tol: float = 1e-8,
    max_iter: int = 100,
) -> LogisticSolution:
    r"""Minimise L(Kc + b) + ½α Σ_columns cᵀKc over c and b.

    Newton's method with a line search is used, from c = 0 and with the optimal b for every c. A step δ for two classes
    solves

        (αI + WK) δ = −(g + αc),    g = ∂L/∂F,  W = ∂²L/∂F² = diag(w),

    by one Cholesky factor of αI + √w K √w. For several classes W couples the classes, and for α below 1e-9 tr K the
    coefficients c are so large that digits of Kc are lost. In these cases K = LLᵀ, L = U√Λ, is computed once from the
    eigenvectors, and the steps of v = Lᵀc solve (αI + LᵀWL) δ = −(Lᵀg + αv) by conjugate gradients, preconditioned by
    one Cholesky factor of αI + Lᵀdiag(w)L, where w_i is the mean eigenvalue of sample i's block of W. K is never
    inverted and may be singular.

    Parameters
    ----------
    K : GramOperator or ndarray of shape (n, n)
        Symmetric positive semidefinite matrix. An ndarray must be C-contiguous float64 and is overwritten.
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
    LogisticSolution
        Coefficients, intercepts and certificate.

    Notes
    -----
    Cost: O(n³/3) per step for two classes; for several classes O(n³) once and O(n r²) per step if K has rank r. Memory:
    two n × n matrices.

    With probabilities q, their entropy H(q) and g = s(q − t), weak duality states that

        Σ_i s_i H(q_i) − Σ gᵀKg/(2α) ≤ L(Kc + b) + ½α Σ cᵀKc,    if Σ_i g_i = 0 where there is an intercept.

    For q = P the difference is Σ(g + αc)ᵀK(g + αc)/(2α), a sum of squares, which rounding cannot make negative.

    Examples
    --------
    >>> K, T = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]]), np.array([[1.0], [1.0], [0.0]])
    >>> answer = solve_logistic(K.copy(), T, 0.1)
    >>> P = 1 / (1 + np.exp(-(K @ answer.coef + answer.intercept)))
    >>> bool(np.isclose(P.sum(), 2)), answer.solution.gap < 1e-15
    (True, True)
    """
    K = overwritable(K, buffers=2)
    n, columns = T.shape
    loss = LogisticLoss(T, np.ones(n) if weight is None else weight)
    peak = float(np.abs(K.diagonal()).max())
    centering = center_in_place(K, loss.weight) if intercept else None
    direct = columns == 1 and alpha > _TINY_ALPHA * float(loss.weight @ np.abs(K.diagonal()))
    space: Space = Coefficients(K, alpha, peak) if direct else Factor(K, alpha, peak)
    del K
    state, solution = minimize_loss(space, loss, intercept=intercept, tol=tol, max_iter=max_iter)
    coef = space.coefficients(state.v, state.g, state.rest)
    b = np.zeros(columns) if state.b is None else state.b
    if centering is not None:
        coef, offset = centering.fold(coef)
        b = b + offset
    return LogisticSolution(coef, b, solution)


def minimize_loss(
    space: Space, loss: LogisticLoss, *, intercept: bool, tol: float, max_iter: int
) -> tuple["State", Solution]:
    """Return the function of a space that minimises the penalised loss, by Newton's method, and its certificate."""
    start = np.zeros((space.size, loss.T.shape[1]))
    state = State(space, loss, start, first_intercept(loss) if intercept else None)
    n_iter, moving = 0, True
    while moving and n_iter < max_iter and (state.violation > tol or state.gap > tol**2 * state.objective):
        after = _search(state, _newton_step(state))
        state, n_iter, moving = after or state, n_iter + 1, after is not None
    status = Status.MAX_ITER if moving else Status.PRECISION
    if state.violation <= tol:
        status = Status.CONVERGED
    return state, Solution(state.objective, state.gap, state.violation, status, n_iter, primal=True)


class State:
    """Function v with the intercepts that are optimal for it."""

    def __init__(self, space: Space, loss: LogisticLoss, v: DoubleArray, b: DoubleArray | None) -> None:
        self.space, self.loss, self.v = space, loss, v
        H = space.values(v)
        self.b = None if b is None else best_intercept(loss, H, b)
        F = H if self.b is None else H + self.b
        self.P = loss.probabilities(F)
        self.g = loss.gradient(F)
        norm2 = float(np.vdot(v, space.metric(v)))
        self.objective = loss.value(F) + space.alpha / 2 * norm2
        self.rest = -(space.pull(self.g) + space.alpha * v)  # zero at the optimum
        self.dual = space.metric(self.rest)
        square = float(np.vdot(self.rest, self.dual))
        if square < -SINGLE * space.peak * float(np.vdot(self.rest, self.rest)):
            raise NotPositiveDefiniteError(INDEFINITE)
        square = max(0.0, square)
        self.violation = float(np.sqrt(square)) / (float(loss.weight @ space.scale) or 1.0)
        self.gap = square / (2 * space.alpha)

    @cached_property
    def _intercept_inverse(self) -> DoubleArray:
        return self.loss.intercept_inverse(self.P)

    def curvature(self, v: DoubleArray) -> DoubleArray:
        """Return the second derivative of the objective, with optimal intercepts for every function, applied to v."""
        V = self.space.values(v)
        WV = self.loss.curvature(self.P, V)
        if self.b is not None:
            shift = self._intercept_inverse @ WV.sum(axis=0)
            WV -= self.loss.curvature(self.P, np.broadcast_to(shift, V.shape))
        return self.space.alpha * v + self.space.pull(WV)


def _newton_step(state: State) -> DoubleArray:
    """Return the step δ by conjugate gradients, which are more exact near the optimum."""
    metric = state.space.metric
    inverse = state.space.inverse(state.loss.bend(state.P), centred=state.b is not None)
    enough = min(0.1, max(state.violation, _CG_TOL)) ** 2 * float(np.vdot(state.rest, state.dual))
    x, p, last = np.zeros_like(state.rest), np.zeros_like(state.rest), 1.0
    r, dual = state.rest.copy(), state.dual
    for _ in range(_CG_STEPS):
        z = inverse(r, dual)
        square = float(np.vdot(dual, z))
        p = z + square / last * p
        Ap = state.curvature(p)
        length = float(np.vdot(metric(p), Ap))
        if square <= 0 or length <= 0:  # only rounding is left
            break
        x += square / length * p
        r -= square / length * Ap
        dual, last = metric(r), square
        if float(np.vdot(r, dual)) <= enough:
            break
    return x


def _search(state: State, step: DoubleArray) -> State | None:
    """Return the state after the step, shortened until the objective decreases; None if rounding hides all progress."""
    slope = -float(np.vdot(state.dual, step))
    hidden = -slope <= _HIDDEN * abs(state.objective)  # the decrease is below the rounding of the objective
    for t in 0.5 ** np.arange(1 if hidden else 40):
        after = State(state.space, state.loss, state.v + t * step, state.b)
        if after.gap < state.gap / 2 if hidden else after.objective <= state.objective + _ARMIJO * t * slope:
            return after
    return None
