"""Weights of a sum of kernels that minimise the objective of the machine trained on it, with bounded ℓp-norm.

    min over d ≥ 0, ‖d‖_p ≤ 1 of J(d),   J(d) = max_α  lin(α) − ½ Σ_m d_m q_m(α),   q_m(α) = Σ_machines cᵀK_m c

where c are the coefficients of the kernel expansion for α. J is convex. Every α gives the lower bound
lin(α) − ½‖q(α)‖_{p*} with 1/p + 1/p* = 1. The duality gap is the smallest J minus the largest lower bound so far. For
p = 1 every α also gives a plane lin(α) − ½ q(α)ᵀd below J, and the minimum over all planes is a better bound.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer._runtime.factors import solve_triangle, try_cholesky
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.operators import GramOperator, OperatorStack
from mercer.solvers.cutting_planes import CuttingPlanes
from mercer.solvers.dual import Dual, solve_dual
from mercer.solvers.solution import Solution, Status

__all__ = ["InnerSolution", "KernelWeights", "dual_norm", "learn_weights"]

_MOST_ACTIVE = 3000  # maximal number of active coefficients for second derivatives
_NEWTON_TRIES = 2  # number of Newton steps tried, each half as long as the one before
_SHRINK = 0.5  # factor of steps and trust regions that do not decrease J
_SMALLEST = 1e-10  # smallest radius of the trust region
_SMALLEST_STEP = 1e-7  # smallest Newton step


@dataclass(frozen=True, eq=False)
class InnerSolution:
    """Solution of the machines for one vector of weights.

    Attributes
    ----------
    coef : ndarray of shape (n, n_machines)
        Coefficients c of the kernel expansions.
    value : float
        Dual objective; J(d) − `gap` ≤ value ≤ J(d).
    gap : float
        Upper bound on J(d) − value.
    active : tuple of ndarray of int
        Samples whose coefficients change with d, for each machine.
    ridge : ndarray of shape (n,) or None
        Diagonal added to K in the system of the active coefficients, whose sum is zero; None: zero.
    """

    coef: DoubleArray
    value: float
    gap: float
    active: tuple[IndexArray, ...]
    ridge: DoubleArray | None = None


@dataclass(frozen=True, eq=False)
class KernelWeights:
    """Weights d of shape (n_kernels,), certificate, and upper and lower bounds of shape (n_iter, 2).

    The certificate is None for weights that do not minimise an objective, such as uniform ones.
    """

    weights: DoubleArray
    solution: Solution | None
    history: DoubleArray = field(repr=False)


def learn_weights(
    stack: OperatorStack,
    solve: Callable[[GramOperator, DoubleArray], InnerSolution],
    *,
    p: float = 1.0,
    tol: float = 1e-3,
    max_iter: int = 200,
) -> KernelWeights:
    """Minimise J over weights of ℓp-norm 1.

    For p = 1, Newton steps on the simplex are used, whose quadratic programmes are solved by `solve_dual`. If a step
    does not decrease J, because other samples become active, the next point is the minimum of cutting planes within a
    trust region. For p > 1 the closed form d_m ∝ (d_m² q_m)^{1/(p+1)} is used.

    Parameters
    ----------
    stack : OperatorStack
        Positive semidefinite operators K_m.
    solve : callable
        Function (Σ d_m K_m, d) ↦ `InnerSolution`.
    p : float, default=1.0
        Norm, at least 1; infinity gives uniform weights.
    tol : float, default=1e-3
        Largest gap relative to J.
    max_iter : int, default=200
        Maximal number of calls of `solve`.

    Returns
    -------
    KernelWeights
        Best weights found. `solution.objective` is J.

    References
    ----------
    * Kloft, Brefeld, Sonnenburg and Zien, lp-norm multiple kernel learning, JMLR 12, 953–997, 2011.
    * Rakotomamonjy, Bach, Canu and Grandvalet, SimpleMKL, JMLR 9, 2491–2521, 2008.
    * Chapelle and Rakotomamonjy, Second order optimization of kernel parameters, NIPS workshop on kernel learning,
      2008.
    * Sonnenburg, Rätsch, Schäfer and Schölkopf, Large scale multiple kernel learning, JMLR 7, 1531–1565, 2006.
    """
    course = _Course(stack, solve, p)
    d = _normed(np.ones(len(stack)), p)
    status = Status.MAX_ITER
    for _ in range(max_iter):
        if not course.visit(d):
            status = Status.OVERFLOW
            break
        if course.gap <= tol * abs(course.upper):
            status = Status.CONVERGED
            break
        following = course.following()
        if following is None:
            status = Status.PRECISION
            break
        d = following
    history = np.reshape(course.history, (-1, 2))
    upper = course.upper if status is not Status.OVERFLOW else np.inf
    violation = course.gap / (abs(course.upper) or 1.0)
    solution = Solution(upper, course.gap, violation, status, max(1, len(history)), primal=True)
    return KernelWeights(course.best if len(history) else d, solution, history)


class _Course:
    """Visited points, their bounds, and the next point."""

    def __init__(
        self, stack: OperatorStack, solve: Callable[[GramOperator, DoubleArray], InnerSolution], p: float
    ) -> None:
        self.stack, self.solve, self.p = stack, solve, p
        self.upper, self.lower = np.inf, -np.inf
        self.history: list[tuple[float, float]] = []
        self.best: DoubleArray = np.empty(0)
        self._closed: DoubleArray = np.empty(0)  # next point by the closed form from the best point
        self._newton: DoubleArray | None = None
        self._planes = CuttingPlanes(len(stack)) if p == 1 and len(stack) > 1 else None
        self._tries = 0  # number of unsuccessful points since the best point
        self._radius = 1.0  # radius of the trust region
        self._trusted = False  # whether the last point was found within the trust region

    @property
    def gap(self) -> float:
        """Difference of upper and lower bound; infinite before the first visit."""
        return max(0.0, self.upper - self.lower) if self.history else np.inf

    def visit(self, d: DoubleArray) -> bool:
        """Solve for the weights d and compute bounds and the next points; return False if numbers overflow."""
        K = self.stack.combined(d)
        found = self.solve(K, d)
        with np.errstate(over="ignore", invalid="ignore"):
            q, slopes = self._forms(found)
            lower = found.value + 0.5 * float(d @ q) - 0.5 * dual_norm(q, self.p)
            upper = found.value + found.gap
        if not np.isfinite([upper, lower, upper - lower]).all():
            return False
        self.lower = max(self.lower, lower)
        if self._planes is not None:
            self._planes.add(found.value + 0.5 * float(d @ q), 0.5 * q)
            self._planes.minimum(d, 1.0)
            self.lower = max(self.lower, self._planes.lower)
        better = upper < self.upper
        if self._trusted:
            self._radius = min(1.0, self._radius / _SHRINK) if better else self._radius * _SHRINK
        if better:
            self.upper, self.best, self._tries = upper, d, 0
            size = float(q.max()) or 1.0
            self._closed = _normed((d**2 * (q / size)) ** (1 / (self.p + 1)), self.p) if np.isfinite(self.p) else d
            self._newton = self._newton_point(K, found, slopes, d, q)
        else:
            self._tries += 1
        self.history.append((self.upper, self.lower))
        return True

    def _forms(self, found: InnerSolution) -> tuple[DoubleArray, list[DoubleArray] | None]:
        """Return q_m, and K_m c at the active samples of each machine, (active, M), if Newton steps use them."""
        small = all(0 < len(active) <= _MOST_ACTIVE for active in found.active)
        slopes = [np.empty((len(active), len(self.stack))) for active in found.active]
        q = np.empty(len(self.stack))
        for m, member in enumerate(self.stack):
            product = np.asarray(member.matmul(found.coef), dtype=np.float64)
            q[m] = max(0.0, float(np.vdot(found.coef, product)))
            if self.p == 1 and small:
                for machine, active in enumerate(found.active):
                    slopes[machine][:, m] = product[active, machine]
        return q, slopes if self.p == 1 and small else None

    def following(self) -> DoubleArray | None:
        """Return the next point; None if there is none to working precision."""
        if self._planes is None:
            return self._closed if self._tries == 0 and not np.array_equal(self._closed, self.best) else None
        self._trusted = False
        if self._newton is not None and self._tries < _NEWTON_TRIES:
            step = _SHRINK**self._tries
            return (1 - step) * self.best + step * self._newton
        # Without Newton steps every other point is that of the closed form, which decreases J whenever it moves.
        if self._newton is None and self._tries == 0 and len(self.history) % 2:
            return self._closed
        self._trusted = True
        found = self._planes.minimum(self.best, self._radius) if self._radius > _SMALLEST else None
        return None if found is None or np.array_equal(found[0], self.best) else found[0]

    def _newton_point(
        self, K: GramOperator, found: InnerSolution, slopes: list[DoubleArray] | None, d: DoubleArray, q: DoubleArray
    ) -> DoubleArray | None:
        """Return the minimum over the simplex of the second-order model of J at d; None if it cannot be computed."""
        if slopes is None:
            return None
        H = np.zeros((len(d), len(d)))
        for V, active in zip(slopes, found.active, strict=True):
            ridge = 0.0 if found.ridge is None else found.ridge[active]
            part = _curvature(K.block(active, active), V, ridge)
            if part is None:
                return None
            H += part
        size = float(np.abs(H).max()) or 1.0
        H.flat[:: len(d) + 1] += 1e-12 * size
        scale = max(size, float(q.max()))  # the solver's tolerance is absolute
        problem = Dual(np.arange(len(d)), (-0.5 * q - H @ d) / scale, np.zeros(len(d)), np.ones(len(d)), d)
        (answer,) = solve_dual(H / scale, [problem], tol=1e-9)
        point = np.asarray(np.maximum(answer.beta, 0.0) / answer.beta.sum())
        # If A is nearly singular, the model is so steep that the point does not move; J has a kink there.
        return point if float(np.abs(point - d).max()) > _SMALLEST_STEP else None


def _curvature(K: FloatArray, V: DoubleArray, ridge: Any) -> DoubleArray | None:
    """Return VᵀA⁻¹V with A = K + diag(ridge) on the subspace of sum zero; None if A is not positive definite."""
    A = np.array(K, dtype=np.float64, order="F")
    A.flat[:: len(A) + 1] += ridge + 1e-10 * float(np.abs(A.diagonal()).max())
    if try_cholesky(A):
        return None
    B = np.array(np.column_stack([V, np.ones(len(V))]), order="F")
    solve_triangle(A, B)
    H: DoubleArray = B[:, :-1].T @ B[:, :-1]
    across = B[:, :-1].T @ B[:, -1]
    H -= np.outer(across, across) / float(B[:, -1] @ B[:, -1])
    return H


def _normed(d: DoubleArray, p: float) -> DoubleArray:
    """Return d divided by its ℓp-norm; uniform weights if d is zero."""
    norm = float(np.linalg.norm(d, p))
    return d / norm if norm > 0 else _normed(np.ones_like(d), p)


def dual_norm(q: DoubleArray, p: float) -> float:
    """Return ‖q‖ in the norm dual to ℓp, for q ≥ 0."""
    conjugate = np.inf if p == 1 else 1.0 if np.isinf(p) else p / (p - 1)
    size = float(q.max())
    if not np.isfinite(size):
        return size
    return size * float(np.linalg.norm(q / size, conjugate)) if size > 0 else 0.0
