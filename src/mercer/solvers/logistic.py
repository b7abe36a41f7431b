"""Penalised kernel logistic and softmax regression by Newton's method, with a duality gap."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.linalg import LinAlgError
from scipy.linalg.blas import dsyrk
from scipy.special import expit, log_expit, log_softmax, softmax

from mercer._runtime.factors import cholesky, solve_cholesky
from mercer._runtime.spectra import eigh
from mercer._typing import DoubleArray
from mercer.exceptions import NotPositiveDefiniteError
from mercer.operators import GramOperator
from mercer.operators.build import overwritable
from mercer.operators.centering import center_in_place
from mercer.solvers.solution import Solution, Status

__all__ = ["LogisticLoss", "LogisticSolution", "solve_logistic"]

_EPS = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)
_CG_STEPS, _CG_TOL = 500, 1e-10
_ARMIJO = 1e-4  # fraction of the expected decrease that a step must reach
_HIDDEN = 1e4 * _EPS
_TINY_ALPHA = 1e-9
_SINGLE = 1e-5  # relative size of negative eigenvalues that rounding to float32 explains
_PANEL = 256  # number of rows at a time
_INDEFINITE = (
    "Logistic regression needs a positive semidefinite kernel matrix, but this one is not; raise alpha if that is due "
    "to rounding, or see mercer.kernels.repair."
)

Inverse: TypeAlias = Callable[[DoubleArray, DoubleArray], DoubleArray]


@dataclass(frozen=True, eq=False)
class LogisticLoss:
    """Loss L(F) = −Σ_i s_i log p(class of sample i | F_i), where p is the sigmoid (one column) or softmax of F.

    Attributes
    ----------
    T : ndarray of shape (n, 1) or (n, n_classes)
        Indicator of the second of two classes, or of each class.
    weight : ndarray of shape (n,)
        Sample weights s.
    """

    T: DoubleArray
    weight: DoubleArray

    def value(self, F: DoubleArray) -> float:
        """Return L, from log-probabilities that do not underflow."""
        if F.shape[1] == 1:
            logs = np.where(self.T > 0, log_expit(F), log_expit(-F))[:, 0]
        else:
            logs = np.einsum("ij,ij->i", self.T, log_softmax(F, axis=1))
        return float(-self.weight @ logs)

    def probabilities(self, F: DoubleArray) -> DoubleArray:
        """Return the probabilities P, of the shape of F."""
        return np.asarray(expit(F) if F.shape[1] == 1 else softmax(F, axis=1))

    def gradient(self, F: DoubleArray) -> DoubleArray:
        """Return ∂L/∂F = s (P − T), where 1 − p is computed without cancellation."""
        if F.shape[1] == 1:
            slope = np.where(self.T > 0, -expit(-F), expit(F))
        else:
            others = np.where(self.T > 0, 0.0, self.probabilities(F))
            slope = others - self.T * others.sum(axis=1, keepdims=True)
        return np.asarray(self.weight[:, None] * slope)

    def curvature(self, P: DoubleArray, V: DoubleArray) -> DoubleArray:
        """Return ∂²L/∂F² applied to V: s p(1 − p) v, or s (diag(p) − ppᵀ)v for every sample."""
        PV = P * V
        return np.asarray(self.weight[:, None] * (PV - P * PV.sum(axis=1, keepdims=True)))

    def bend(self, P: DoubleArray) -> DoubleArray:
        """Return the mean eigenvalue of the curvature of every sample, for several classes on rows of sum zero."""
        spread = P.sum(axis=1) - np.square(P).sum(axis=1)
        return np.asarray(self.weight * np.maximum(spread, 0.0) / max(1, P.shape[1] - 1))

    def intercept_inverse(self, P: DoubleArray) -> DoubleArray:
        """Return the inverse of the curvature in the intercepts, Σ_i s_i (diag(p_i) − p_i p_iᵀ) or Σ s p(1 − p)."""
        weighted = self.weight[:, None] * P
        curvature = np.diag(weighted.sum(axis=0)) - P.T @ weighted
        if len(curvature) > 1:
            curvature += np.trace(curvature) / curvature.size  # lifts the zero eigenvalue of constant shifts of F
        return np.asarray(np.linalg.pinv(curvature, hermitian=True))


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
    space: _Space = _Coefficients(K, alpha, peak) if direct else _Factor(K, alpha, peak)
    del K
    state = _State(space, loss, np.zeros((space.size, columns)), _shares(loss) if intercept else None)
    n_iter, moving = 0, True
    while moving and n_iter < max_iter and (state.violation > tol or state.gap > tol**2 * state.objective):
        after = _search(state, _newton_step(state))
        state, n_iter, moving = after or state, n_iter + 1, after is not None
    coef = space.coefficients(state)
    b = np.zeros(columns) if state.b is None else state.b
    if centering is not None:
        coef, offset = centering.fold(coef)
        b = b + offset
    status = Status.MAX_ITER if moving else Status.PRECISION
    if state.violation <= tol:
        status = Status.CONVERGED
    return LogisticSolution(coef, b, Solution(state.objective, state.gap, state.violation, status, n_iter))


class _Space(Protocol):
    """Representation of functions by vectors v with values Kc = `values`(v) and squared norm v·`metric`(v)."""

    alpha: float
    size: int
    peak: float  # maximum of |k(x_i, x_i)| before centring, to which rounding is relative
    scale: DoubleArray  # ‖φ(x_i)‖

    def values(self, v: DoubleArray) -> DoubleArray: ...

    def metric(self, v: DoubleArray) -> DoubleArray: ...

    def pull(self, g: DoubleArray) -> DoubleArray:
        """Return the gradient in this metric of a function of the values with the gradient g."""

    def inverse(self, w: DoubleArray, *, centred: bool) -> Inverse:
        """Return a function (r, metric r) → z with αz + pull(w̃ values(z)) = r; w̃ = diag(w), minus wwᵀ/Σw if centred."""

    def coefficients(self, state: "_State") -> DoubleArray: ...


class _Coefficients:
    """Representation v = c, for which values and metric are Kc."""

    def __init__(self, K: DoubleArray, alpha: float, peak: float) -> None:
        self._K, self.alpha, self.size, self.peak = K, alpha, len(K), peak
        self.scale = np.sqrt(np.maximum(K.diagonal(), 0.0))

    def values(self, v: DoubleArray) -> DoubleArray:
        return self._K @ v

    metric = values

    def pull(self, g: DoubleArray) -> DoubleArray:
        return g

    def inverse(self, w: DoubleArray, *, centred: bool) -> Inverse:
        root, alpha = np.sqrt(w)[:, None], self.alpha
        B = self._K * root
        B *= root.T
        factor = _cholesky(B, alpha)
        u = root * solve_cholesky(factor, root)

        def solve(R: DoubleArray, KR: DoubleArray) -> DoubleArray:
            Z = (R - root * solve_cholesky(factor, root * KR)) / alpha
            if centred and (total := u.sum()) > 0:
                Z += u * ((R.sum(axis=0) / alpha - Z.sum(axis=0)) / total)
            return np.asarray(Z)

        return solve

    def coefficients(self, state: "_State") -> DoubleArray:
        return state.v


class _Factor:
    """Representation v = Lᵀc for K = LLᵀ, L = U√Λ, for which values are Lv and the metric is v. K is overwritten."""

    def __init__(self, K: DoubleArray, alpha: float, peak: float) -> None:
        values, U = eigh(K.T, overwrite=True)
        if -values[0] > _SINGLE * max(peak, values[-1]):
            raise NotPositiveDefiniteError(_INDEFINITE)
        # Rounding errors of K have eigenvalues of both signs.
        null = int(np.count_nonzero(values <= max(-2 * values[0], len(K) * _EPS * max(peak, values[-1]))))
        self._root = np.sqrt(values[null:])
        self._L = U[:, null:]
        self._L *= self._root
        self.alpha, self.size, self.peak = alpha, len(self._root), peak
        self.scale = np.sqrt(np.einsum("ij,ij->i", self._L, self._L))

    def values(self, v: DoubleArray) -> DoubleArray:
        return np.asarray(self._L @ v)

    def metric(self, v: DoubleArray) -> DoubleArray:
        return v

    def pull(self, g: DoubleArray) -> DoubleArray:
        return np.asarray(self._L.T @ g)

    def inverse(self, w: DoubleArray, *, centred: bool) -> Inverse:
        B, root = np.zeros((self.size, self.size)), np.sqrt(w)[:, None]
        for first in range(0, len(w), _PANEL):
            part = slice(first, first + _PANEL)
            dsyrk(1.0, self._L[part] * root[part], beta=1.0, c=B.T, trans=1, lower=1, overwrite_c=1)
        if centred and (total := w.sum()) > 0:
            mean = (w @ self._L)[None] / np.sqrt(total)
            dsyrk(-1.0, mean, beta=1.0, c=B.T, trans=1, lower=1, overwrite_c=1)
        factor = _cholesky(B, self.alpha)
        return lambda R, _: solve_cholesky(factor, R)

    def coefficients(self, state: "_State") -> DoubleArray:
        """Return c = −g/α, corrected by the remaining gradient −rest of the last state such that Lᵀc = v."""
        return np.asarray(-(state.g + self._L @ (state.rest / np.square(self._root)[:, None])) / self.alpha)


class _State:
    """Function v with the intercepts that are optimal for it."""

    def __init__(self, space: _Space, loss: LogisticLoss, v: DoubleArray, b: DoubleArray | None) -> None:
        self.space, self.loss, self.v = space, loss, v
        H = space.values(v)
        self.b = None if b is None else _best_intercept(loss, H, b)
        F = H if self.b is None else H + self.b
        self.P = loss.probabilities(F)
        self.g = loss.gradient(F)
        norm2 = float(np.vdot(v, space.metric(v)))
        self.objective = loss.value(F) + space.alpha / 2 * norm2
        self.rest = -(space.pull(self.g) + space.alpha * v)  # zero at the optimum
        self.dual = space.metric(self.rest)
        square = float(np.vdot(self.rest, self.dual))
        if square < -_SINGLE * space.peak * float(np.vdot(self.rest, self.rest)):
            raise NotPositiveDefiniteError(_INDEFINITE)
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


def _newton_step(state: _State) -> DoubleArray:
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


def _search(state: _State, step: DoubleArray) -> _State | None:
    """Return the state after the step, shortened until the objective decreases; None if rounding hides all progress."""
    slope = -float(np.vdot(state.dual, step))
    hidden = -slope <= _HIDDEN * abs(state.objective)  # the decrease is below the rounding of the objective
    for t in 0.5 ** np.arange(1 if hidden else 40):
        after = _State(state.space, state.loss, state.v + t * step, state.b)
        if after.gap < state.gap / 2 if hidden else after.objective <= state.objective + _ARMIJO * t * slope:
            return after
    return None


def _shares(loss: LogisticLoss) -> DoubleArray:
    """Return the optimal intercepts for F = b, the logarithms of the class fractions."""
    mass = loss.weight @ loss.T
    if len(mass) == 1:
        return np.asarray(np.log(mass / (loss.weight.sum() - mass)))
    return np.asarray(np.log(mass) - np.log(mass).mean())


def _best_intercept(loss: LogisticLoss, H: DoubleArray, b: DoubleArray) -> DoubleArray:
    """Return the b with Σ_i s_i (p_i − t_i) = 0 by Newton's method, which decreases the norm of this sum."""
    total = loss.gradient(H + b).sum(axis=0)
    for _ in range(100):
        if np.abs(total).max() <= _EPS * loss.weight.sum():
            break
        step = -loss.intercept_inverse(loss.probabilities(H + b)) @ total
        step *= min(1.0, 10 / max(float(np.abs(step).max()), _TINY))  # limits the step where the loss is flat
        for t in 0.5 ** np.arange(40):
            moved = loss.gradient(H + (b + t * step)).sum(axis=0)
            if np.linalg.norm(moved) < np.linalg.norm(total):
                break
        else:
            break
        b, total = b + t * step, moved
    return b


def _cholesky(B: DoubleArray, alpha: float) -> Any:
    """Return the Cholesky factor of B + αI, of which the upper triangle is read, in the memory of B."""
    B[np.diag_indices_from(B)] += alpha
    try:
        return cholesky(B.T)
    except LinAlgError as error:
        raise NotPositiveDefiniteError(_INDEFINITE) from error
