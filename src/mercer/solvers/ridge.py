"""Regularised linear systems (K + α diag(1/s)) c = y with a certificate."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.operators import GramOperator, LowRankOperator, as_operator
from mercer.operators.build import overwritable
from mercer.solvers.ridge_cg import LowRank, conjugate_gradients, random_cholesky
from mercer.solvers.ridge_matrix import SymmetricMatrix
from mercer.solvers.solution import Solution, Status

__all__ = ["METHODS", "RidgeSolution", "choose_method", "solve_ridge"]

METHODS = ("auto", "cholesky", "mixed", "cg")
_EPS = float(np.finfo(np.float64).eps)
_SMALL = 1500  # number of rows up to which a factor in float32 saves no time
_ROUNDED = 5e-8  # times √n: α relative to the diagonal up to which a factor in float32 is too inaccurate
_REFINE = {"cholesky": 5, "mixed": 40}  # maximal number of products with K before another method is used
_MAX_ITER = 1000

Report: TypeAlias = Callable[[int, int | None, float], bool]


@dataclass(frozen=True, eq=False)
class RidgeSolution:
    """Coefficients c of shape (n, targets) and their certificate.

    The objective of `solution` is Σ ½cᵀ(K + α/s)c − yᵀc over all targets. Its `violation` is the largest relative
    residual ‖√s(y − (K + α/s)c)‖ / ‖√s y‖ of a target, computed from c. Its `gap` is Σ‖residual‖²/(2α), for a positive
    semidefinite K and α > 0. Its ``machines`` are the certificates for each value of α, ascending, if there are
    several.
    """

    coef: DoubleArray
    solution: Solution


class _Part(NamedTuple):
    """Result for the targets of one α: solution, residual, status, number of products with K."""

    X: DoubleArray
    R: DoubleArray
    status: Status
    n_iter: int


def choose_method(
    n: int, alpha: Any, *, diagonal: float = 1.0, rank: int | None = None, memory: float = math.inf
) -> str:
    """Choose the method that solves (K + αI) c = y, as ``solver="auto"`` does.

    Parameters
    ----------
    n : int
        Number of rows of K.
    alpha : float or array-like
        Regularisation strength α. The smallest value counts.
    diagonal : float, default=1.0
        Mean of the diagonal of K.
    rank : int, default=None
        Rank r of a known factor K = F Fᵀ. None: no factor is known.
    memory : float, default=inf
        Number of bytes that matrices may take.

    Returns
    -------
    {"cholesky", "mixed", "cg"}
        "cg" (conjugate gradients) if the rank is at most n / 4, "mixed" (Cholesky factor in float32 with refinement in
        float64) if n > 1500, else "cholesky". Both "cg" and "mixed" require that α is not too small for float32. If
        memory does not suffice for "mixed", which takes up to two matrices, "cholesky" is chosen, and if it does not
        suffice for one matrix, "cg".

    See Also
    --------
    mercer.ridge.KernelRidge : Uses it for ``solver="auto"``.
    RidgePath : Solutions for many values of α.

    Examples
    --------
    >>> choose_method(500, 1e-3), choose_method(10_000, 1e-3), choose_method(10_000, 1e-12)
    ('cholesky', 'mixed', 'cholesky')
    >>> choose_method(10_000, 1e-3, rank=20), choose_method(100_000, 1e-3, memory=16e9)
    ('cg', 'cg')
    """
    regular = float(np.min(alpha)) > _ROUNDED * np.sqrt(n) * diagonal
    matrix = 8 * n**2
    if rank is not None and 4 * rank <= n and regular:
        return "cg"
    if n > _SMALL and regular and 2 * matrix <= memory:
        return "mixed"
    return "cholesky" if matrix <= memory else "cg"


def solve_ridge(
    K: DoubleArray | GramOperator,
    Y: DoubleArray,
    alpha: Any,
    *,
    weight: DoubleArray | None = None,
    method: str = "auto",
    tol: float = 1e-10,
    max_iter: int | None = None,
    overwrite: bool = False,
    report: Report | None = None,
) -> RidgeSolution:
    r"""Solve (K + α diag(1/s)) c = y for every column y of Y.

    The system is solved as c = √s (√s K √s + αI)⁻¹ √s y, so that a weight of zero gives a coefficient of zero.

    Parameters
    ----------
    K : ndarray of shape (n, n) or GramOperator
        Symmetric matrix.
    Y : ndarray of shape (n, targets)
        Right-hand sides.
    alpha : float or ndarray of shape (targets,)
        Regularisation strength α ≥ 0, for all targets or one each. The matrix is factored once per distinct value.
    weight : ndarray of shape (n,), default=None
        Sample weights s ≥ 0. None: ones.
    method : {"auto", "cholesky", "mixed", "cg"}, default="auto"
        "cholesky": factor in float64, in the memory of K. "mixed": factor in float32, in half the memory and nearly
        half the time, as preconditioner of conjugate gradients with K in float64; "cholesky" is used if that fails.
        "cg": conjugate gradients without the matrix, preconditioned by a randomly pivoted Cholesky factor of low rank.
        "auto": `choose_method`, or "cg" for an operator that does not hold its matrix.
    tol : float, default=1e-10
        Largest relative residual. If rounding of K does not allow it, a residual at the level of rounding is accepted.
    max_iter : int, default=None
        Maximal number of products with K for "cg". None: 1000.
    overwrite : bool, default=False
        Whether the memory of K may be overwritten.
    report : callable, default=None
        Progress callback ``report(done, None, violation)`` of "cg" with the number of products so far and the largest
        relative residual. If it returns True, the iteration ends with ``Status.MAX_ITER``.

    Returns
    -------
    RidgeSolution
        Coefficients and certificate.

    Notes
    -----
    O(n³/3) for factors, O(n²) for every further target, product and certificate. Memory in addition to K: none
    ("cholesky" with `overwrite`), n²/2 numbers ("mixed"), n r numbers ("cg"; r is about 10√n, from 500 to 2000). If K +
    α/s is not positive definite, the solution of least norm is computed from the eigenvectors, a second matrix. The
    status is then ``SINGULAR``, or ``NOT_PSD`` if the whole system could be solved. "cg" has no eigenvectors, and
    ends with ``PRECISION`` if it cannot solve such a system.

    Examples
    --------
    >>> K = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> answer = solve_ridge(K, np.array([[4.0], [4.0]]), 1.0)
    >>> answer.coef.ravel(), answer.solution.violation
    (array([1., 1.]), 0.0)
    """
    _, targets = Y.shape
    alphas = np.broadcast_to(np.asarray(alpha, dtype=np.float64), (targets,))
    scale = np.ones(len(Y)) if weight is None else np.sqrt(weight)
    B = scale[:, None] * Y
    X = np.zeros_like(B)
    solve = _system(K, scale, method, max_iter, overwrite, float(alphas.min(initial=np.inf)), report)
    certificates = []
    for value in np.unique(alphas):
        columns = np.flatnonzero(alphas == value)
        right = B[:, columns]
        part = solve(right, float(value), tol)
        X[:, columns] = part.X
        certificates.append(_certificate(part, right, float(value)))
    return RidgeSolution(scale[:, None] * X, Solution.together(certificates))


def _system(
    K: DoubleArray | GramOperator,
    scale: DoubleArray,
    method: str,
    max_iter: int | None,
    overwrite: bool,
    least: float,
    report: Report | None,
) -> Any:
    """Return a function from (B, α, tol) to a `_Part`."""
    if method not in METHODS:
        raise ValueError(f"solve_ridge: method must be one of {', '.join(METHODS)}, got {method!r}.")
    held = K if isinstance(K, np.ndarray) else K.matrix
    if method == "auto":
        mean = 0.0 if held is None else float(np.mean(held.diagonal() * scale**2))
        method = "cg" if held is None else choose_method(len(scale), least, diagonal=mean)
    if method == "cg":
        return _Iterative(as_operator("solve_ridge", K), scale, least, max_iter or _MAX_ITER, report)
    matrix = overwritable(K, buffers=2 if method == "mixed" else 1)
    matrix = matrix if matrix.flags.c_contiguous else matrix.T
    own = overwrite or not isinstance(K, np.ndarray)  # `array` of an operator is a new array
    if not own or not matrix.flags.c_contiguous:
        matrix = np.array(matrix, dtype=np.float64, order="C")
    return partial(_dense, SymmetricMatrix(matrix, scale), method)


def _dense(A: SymmetricMatrix, method: str, B: DoubleArray, alpha: float, tol: float) -> _Part:
    A.shift_by(alpha)
    goal = _Goal(B, tol, float(np.abs(A.diagonal).sum()))
    if method == "mixed" and (rounded := A.rounded()) is not None:
        X, R, n_iter = conjugate_gradients(
            A.product, rounded.solve, B, rounded.solve(B), goal=goal, max_iter=_REFINE["mixed"]
        )
        if goal.met(X, R):
            return _Part(X, R, Status.CONVERGED, n_iter)
        del rounded
    factor = A.cholesky()
    if factor is not None and (alpha > 0 or factor.pivots.min() > A.n * _EPS * A.diagonal.max()):
        X, R, n_iter = conjugate_gradients(
            A.product, factor.solve, B, factor.solve(B), goal=goal, max_iter=_REFINE["cholesky"]
        )
        return _Part(X, R, Status.CONVERGED if goal.met(X, R) else Status.PRECISION, n_iter)
    spectrum = A.spectrum()
    X = spectrum.solve(B)
    return _Part(X, B - A.product(X), spectrum.status, 1)


class _Iterative:
    """Conjugate gradients with an operator; the preconditioner is computed once, for the smallest α.

    If a factor K = FFᵀ is known, products and preconditioner use F, and a few steps are sufficient.
    """

    def __init__(self, K: GramOperator, scale: DoubleArray, least: float, max_iter: int, report: Report | None) -> None:
        self._scale, self._max_iter, self._report = scale, max_iter, report
        self._n_iter, self._stopped = 0, False  # of all calls
        self._trace = float(np.abs(K.diag() * scale**2).sum())
        F = K.factor()
        self._K = K if F is None else LowRankOperator(F)
        self._K.who = K.who
        self._near = LowRank(random_cholesky(K, scale, enough=least) if F is None else scale[:, None] * F)

    def __call__(self, B: DoubleArray, alpha: float, tol: float) -> _Part:
        def multiply(V: DoubleArray) -> DoubleArray:
            if not np.isfinite(V).all():
                raise OverflowError("steps of conjugate gradients are not finite")
            return np.asarray(self._scale[:, None] * (self._K @ (self._scale[:, None] * V)) + alpha * V)

        def watch(n_iter: int, norms: DoubleArray, columns: IndexArray) -> bool:
            if self._report is not None:
                violation = float((norms / np.linalg.norm(B[:, columns], axis=0)).max())
                self._stopped = self._report(self._n_iter + n_iter, None, violation)
            return self._stopped

        goal = _Goal(B, tol, self._trace + alpha * len(B))
        precondition = self._near.inverse(alpha)
        start = precondition(B) if alpha > 0 else np.zeros_like(B)  # zero leads to the solution of least norm
        limit = 1 if self._stopped else self._max_iter
        X, R, n_iter = conjugate_gradients(multiply, precondition, B, start, goal=goal, max_iter=limit, watch=watch)
        self._n_iter += n_iter
        ended = Status.MAX_ITER if n_iter >= limit or self._stopped else Status.PRECISION
        return _Part(X, R, Status.CONVERGED if goal.met(X, R) else ended, n_iter)


class _Goal:
    """Target norms of residuals: tol ‖b‖, or the rounding error of b − Ax, which is of the order of ε‖A‖‖x‖.

    ‖A‖ is bounded by trace A, which may be much larger. The iteration aims at a quarter of this bound and accepts four
    times the bound.
    """

    def __init__(self, B: DoubleArray, tol: float, trace: float) -> None:
        self._wanted, self._rounding = tol * np.linalg.norm(B, axis=0), _EPS * trace

    def __call__(self, X: DoubleArray, columns: IndexArray | slice = slice(None)) -> DoubleArray:
        return self._norms(X, 1 / 4, columns)

    def met(self, X: DoubleArray, R: DoubleArray) -> bool:
        return bool((np.linalg.norm(R, axis=0) <= self._norms(X, 4.0)).all())

    def _norms(self, X: DoubleArray, factor: float, columns: IndexArray | slice = slice(None)) -> DoubleArray:
        size: DoubleArray = np.linalg.norm(X, axis=0)
        return np.asarray(np.maximum(self._wanted[columns], factor * self._rounding * size))


def _certificate(part: _Part, B: DoubleArray, alpha: float) -> Solution:
    size, error = np.linalg.norm(B, axis=0), np.linalg.norm(part.R, axis=0)
    bounded = part.status not in (Status.NOT_PSD, Status.SINGULAR) and alpha > 0
    return Solution(
        objective=float(-0.5 * np.einsum("ij,ij->", part.X, B + part.R)),  # AX = B − R
        gap=float((error**2).sum() / (2 * alpha)) if bounded else float("nan"),
        violation=float((error / np.where(size > 0, size, 1.0)).max(initial=0.0)),
        status=part.status,
        n_iter=part.n_iter,
    )
