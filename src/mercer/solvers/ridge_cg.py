"""Conjugate gradients for several right-hand sides, and a preconditioner for matrix-free Gram matrices."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from mercer._runtime.spectra import svd
from mercer._typing import DoubleArray, IndexArray
from mercer.operators import GramOperator

__all__ = ["LowRank", "conjugate_gradients", "pivoted_cholesky"]

_RANK = 500  # maximal number of columns of the preconditioner

Map: TypeAlias = Callable[[DoubleArray], DoubleArray]
Goal: TypeAlias = Callable[[DoubleArray, IndexArray | slice], DoubleArray]


def conjugate_gradients(
    product: Map, precondition: Map, B: DoubleArray, X: DoubleArray, *, goal: Goal, max_iter: int
) -> tuple[DoubleArray, DoubleArray, int]:
    """Solve AX = B column by column, with shared products.

    Parameters
    ----------
    product : callable
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
    R = B - product(X)
    n_iter, last = 1, np.full(B.shape[1], np.inf)
    while n_iter < max_iter:
        size = np.linalg.norm(R, axis=0)
        columns = np.flatnonzero((size > goal(X, slice(None))) & (size < 0.5 * last))
        if len(columns) == 0:
            break
        last[columns] = size[columns]
        n_iter += _descend(product, precondition, X, R, columns, goal, max_iter - n_iter)
        R[:, columns] = B[:, columns] - product(X[:, columns])
    return X, R, n_iter


def _descend(
    product: Map, precondition: Map, X: DoubleArray, R: DoubleArray, columns: IndexArray, goal: Goal, max_iter: int
) -> int:
    """Run conjugate gradients on some columns until the recurrence reaches the goal for all; X is updated in place."""
    x, r = X[:, columns], R[:, columns]
    z = precondition(r)
    p, rz = z.copy(), np.einsum("ij,ij->j", r, z)
    done = 0
    while done < max_iter:
        q = product(p)
        curvature = np.einsum("ij,ij->j", p, q)
        step = np.divide(rz, curvature, out=np.zeros_like(rz), where=curvature > 0)
        x += step * p
        r -= step * q
        done += 1
        if not ((np.linalg.norm(r, axis=0) > 0.5 * goal(x, columns)) & (step != 0)).any():
            break
        z = precondition(r)
        fresh = np.einsum("ij,ij->j", r, z)
        p *= np.divide(fresh, rz, out=np.zeros_like(rz), where=rz > 0)
        p += z
        rz = fresh
    X[:, columns] = x
    return done


def pivoted_cholesky(K: GramOperator, scale: DoubleArray, enough: float) -> DoubleArray:
    """Return F with FFᵀ ≈ diag(s)K diag(s) by Cholesky factorisation with pivoting on the largest remaining diagonal.

    It stops at 500 columns, or when the trace of the remainder is at most `enough`. Cost: O(n r²) and r rows of K.

    Examples
    --------
    >>> from mercer.kernels import Linear
    >>> from mercer.operators import gram
    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [2.0, 1.0]])
    >>> F = pivoted_cholesky(gram(Linear(), X), np.ones(3), 1e-12)
    >>> F.shape, bool(np.allclose(F @ F.T, X @ X.T))
    ((3, 2), True)
    """
    n = len(scale)
    left = K.diag().astype(np.float64) * scale**2
    smallest = n * np.finfo(np.float64).eps * left.max(initial=0.0)
    F = np.empty((n, min(n, _RANK)), order="F")
    for rank in range(F.shape[1]):
        pivot = int(left.argmax())
        if left.sum() <= enough or left[pivot] <= smallest:
            return F[:, :rank]
        row = K.rows([pivot])[0] * scale * scale[pivot]
        column = (row - F[:, :rank] @ F[pivot, :rank]) / np.sqrt(left[pivot])
        F[:, rank] = column
        left = np.maximum(left - column**2, 0.0)
        left[pivot] = 0.0
    return F


class LowRank:
    """Preconditioner P = (FFᵀ + diag(α))⁻¹, computed from the singular vectors of F."""

    def __init__(self, F: DoubleArray) -> None:
        self._U, singular, _ = svd(F)
        self._values = singular**2

    def inverse(self, alpha: float) -> Map:
        """Return the function V ↦ PV; P is the identity for α = 0, where the inverse does not exist."""
        if alpha == 0:
            return np.copy
        share = self._values / (self._values + alpha)
        return lambda V: (V - self._U @ (share[:, None] * (self._U.T @ V))) / alpha
