"""Conjugate gradients for several right-hand sides, and a preconditioner for matrix-free Gram matrices."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TypeAlias

import numpy as np

from mercer._runtime.factors import solve_cholesky, try_cholesky
from mercer._runtime.limits import usable_memory
from mercer._runtime.products import inner_products, product
from mercer._typing import DoubleArray, IndexArray
from mercer.approximation.partial_cholesky import as_double
from mercer.approximation.samplers import CholeskySampler
from mercer.exceptions import NotPositiveDefiniteError
from mercer.operators import GramOperator, LowRankOperator

__all__ = ["LowRank", "conjugate_gradients", "random_cholesky"]

_PER_ROOT = 10  # times √n: number of columns of the preconditioner
_RANKS = 500, 2000  # smallest and largest number of them, unless there are fewer samples or memory is short
_ROUNDING = 16 * float(np.finfo(np.float64).eps)  # times trace FᵀF: smallest α for which P is computed accurately

Map: TypeAlias = Callable[[DoubleArray], DoubleArray]
Goal: TypeAlias = Callable[[DoubleArray, IndexArray | slice], DoubleArray]
Watch: TypeAlias = Callable[[int, DoubleArray, IndexArray], bool]


def conjugate_gradients(
    multiply: Map,
    precondition: Map,
    B: DoubleArray,
    X: DoubleArray,
    *,
    goal: Goal,
    max_iter: int,
    watch: Watch | None = None,
) -> tuple[DoubleArray, DoubleArray, int]:
    """Solve AX = B column by column, with shared products.

    Parameters
    ----------
    multiply : callable
        Function V ↦ AV for a positive definite A and V of shape (n, columns).
    precondition : callable
        Function V ↦ PV for a positive definite P ≈ A⁻¹.
    B : ndarray of shape (n, columns)
        Right-hand sides.
    X : ndarray of shape (n, columns)
        Starting point.
    goal : callable
        Function (X, columns) ↦ norms of residuals that are sufficient for the solutions X of these columns.
    max_iter : int
        Maximal number of products with A.
    watch : callable, default=None
        Function (n_iter, norms, columns) ↦ whether to stop, called after each step with the number of products and the
        norms of the residuals of the columns that have not reached the goal at the last restart.

    Returns
    -------
    X : ndarray of shape (n, columns)
        Solution.
    R : ndarray of shape (n, columns)
        Residual B − AX, recomputed and not taken from the recurrence.
    n_iter : int
        Number of products with A.

    Notes
    -----
    The recurrence drifts from the true residual. When it reaches the goal, the residual is recomputed, and the
    iteration is restarted as long as that helps.
    """
    X = X.copy()
    R = B - multiply(X)
    n_iter, last, stopped = 1, np.full(B.shape[1], np.inf), False
    while n_iter < max_iter and not stopped:
        size = np.linalg.norm(R, axis=0)
        columns = np.flatnonzero((size > goal(X, slice(None))) & (size < 0.5 * last))
        if len(columns) == 0:
            break
        last[columns] = size[columns]
        x = X[:, columns]
        for norms, step in _steps(multiply, precondition, x, R[:, columns]):
            n_iter += 1
            stopped = watch is not None and watch(n_iter, norms, columns)
            if stopped or n_iter == max_iter or not ((norms > 0.5 * goal(x, columns)) & (step != 0)).any():
                break
        X[:, columns] = x
        R[:, columns] = B[:, columns] - multiply(x)
    return X, R, n_iter


def _steps(
    multiply: Map, precondition: Map, x: DoubleArray, r: DoubleArray
) -> Iterator[tuple[DoubleArray, DoubleArray]]:
    """Change x and its residual r in place, step by step; yield the norms of r and the lengths of the steps."""
    z = precondition(r)
    p, rz = z.copy(), np.einsum("ij,ij->j", r, z)
    while True:
        q = multiply(p)
        curvature = np.einsum("ij,ij->j", p, q)
        step = np.divide(rz, curvature, out=np.zeros_like(rz), where=curvature > 0)
        x += step * p
        r -= step * q
        yield np.linalg.norm(r, axis=0), step
        z = precondition(r)
        fresh = np.einsum("ij,ij->j", r, z)
        p *= np.divide(fresh, rz, out=np.zeros_like(rz), where=rz > 0)
        p += z
        rz = fresh


def random_cholesky(K: GramOperator, scale: DoubleArray, enough: float) -> DoubleArray:
    """Return F with FFᵀ ≈ diag(s)K diag(s) by randomly pivoted Cholesky factorisation with a fixed seed.

    Pivots are drawn in proportion to the diagonal of the remainder. The largest remaining diagonal entry would be the
    wrong choice for data with outliers: all pivots would be outliers, whose columns are those of a diagonal matrix.

    Parameters
    ----------
    K : GramOperator of shape (n, n)
        Symmetric matrix.
    scale : ndarray of shape (n,)
        Scale s ≥ 0.
    enough : float
        Trace of the remainder at which the factorisation ends.

    Returns
    -------
    ndarray of shape (n, r)
        Factor. r is at most 10√n, but at least 500 and at most 2000, and limited by n and the available memory. If the
        matrix turns out not to be positive semidefinite, the factor has the columns found before, which may be none.

    Notes
    -----
    O(n r²) operations and (r + 1) n kernel values.

    References
    ----------
    * Díaz, Epperly, Frangella, Tropp and Webber, *Robust, randomized preconditioning for kernel ridge regression*,
      2023.

    Examples
    --------
    >>> from mercer.kernels import Linear
    >>> from mercer.operators import gram
    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [2.0, 1.0]])
    >>> F = random_cholesky(gram(Linear(), X), np.ones(3), 1e-12)
    >>> F.shape, bool(np.allclose(F @ F.T, X @ X.T))
    ((3, 2), True)
    """
    largest = float(scale.max(initial=0.0)) or 1.0
    unit = (scale / largest).astype(K.dtype)
    A = K if (unit == 1).all() else K * LowRankOperator(unit[:, None])  # entrywise, diag(s)K diag(s) = K ∘ ssᵀ
    A.who = K.who
    trace = float(A.diag().sum(dtype=np.float64))
    tol = enough / trace / largest**2 if trace > 0 else 0.0
    try:
        sampler = CholeskySampler(A, np.random.default_rng(0))
    except NotPositiveDefiniteError:
        return np.empty((len(scale), 0))
    with suppress(NotPositiveDefiniteError):  # the columns so far are those of a positive semidefinite matrix
        sampler.extend(A, _rank(len(scale)), tol)
    F = as_double(sampler.cholesky.F[:, : sampler.cholesky.size])
    if largest != 1:
        F *= largest
    return F


def _rank(n: int) -> int:
    wanted = min(n, int(np.clip(_PER_ROOT * np.sqrt(n), *_RANKS)))
    return int(min(wanted, usable_memory(8 * n * wanted) / (16 * n)))


class LowRank:
    """Preconditioner P = (FFᵀ + αI)⁻¹ by the Woodbury identity, from the Cholesky factor of FᵀF + αI.

    An α at the level of the rounding error of FᵀF is replaced by that level, so that P remains positive definite.
    """

    def __init__(self, F: DoubleArray) -> None:
        self._F, self._G = F, inner_products(F)
        if not np.isfinite(self._G).all():
            raise OverflowError("the preconditioner of conjugate gradients is not finite")

    def inverse(self, alpha: float) -> Map:
        """Return the function V ↦ PV; P is the identity for α = 0, where the inverse does not exist."""
        if alpha == 0:
            return np.copy
        shift = max(alpha, _ROUNDING * float(self._G.trace()))
        L = self._G.copy(order="F")
        L[np.diag_indices(len(L))] += shift
        if not len(L) or try_cholesky(L):
            return lambda V: V / alpha
        F = self._F
        return lambda V: (V - product(F, solve_cholesky(L, product(F.T, V)))) / shift
