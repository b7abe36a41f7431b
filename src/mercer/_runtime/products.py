"""Products of large dense matrices, in pieces that Ctrl-C can interrupt."""

from typing import Any

import numpy as np

from mercer._runtime.interrupt import PIECE, pieces
from mercer._runtime.lapack import call, column_stride
from mercer._typing import DoubleArray

__all__ = ["asymmetry", "inner_products", "product", "symmetric_part", "symmetric_product"]

_LEAST = 256  # smallest number of rows or columns of a block, so that BLAS reuses the numbers it reads


def product(A: Any, B: Any, out: Any = None) -> Any:
    """Return ``A @ B`` of dense matrices, computed by blocks of rows of A.

    Parameters
    ----------
    A : ndarray of shape (m, n)
        Left factor.
    B : ndarray of shape (n,) or (n, columns)
        Right factor.
    out : ndarray of shape (m,) or (m, columns), default=None
        Array for the result. None: a new array.

    Returns
    -------
    ndarray of shape (m,) or (m, columns)
        Product.
    """
    operations = 2.0 * B.size
    if operations * len(A) <= PIECE:
        return np.matmul(A, B, out=out)
    if out is None:
        out = np.empty((len(A), *B.shape[1:]), dtype=np.result_type(A, B))
    for start, stop in pieces(0, len(A), operations):
        np.matmul(A[start:stop], B, out=out[start:stop])
    return out


def inner_products(F: DoubleArray, out: DoubleArray | None = None) -> DoubleArray:
    """Return FᵀF of shape (r, r) for F of shape (n, r), bitwise symmetric.

    Examples
    --------
    >>> inner_products(np.array([[1.0, 2.0], [0.0, 3.0]]))
    array([[ 1.,  2.],
           [ 2., 13.]])
    """
    n, r = F.shape
    if float(n) * r**2 <= PIECE:
        return np.matmul(F.T, F, out=out)
    total = np.zeros((r, r)) if out is None else out
    total[...] = 0.0
    if n > 2 * r:
        for start, stop in pieces(0, n, float(r) ** 2, least=_LEAST):
            total += F[start:stop].T @ F[start:stop]
        return total
    for start, stop in pieces(0, r, float(n) * r, least=_LEAST):
        own = F[:, start:stop]
        total[start:stop, start:stop] = own.T @ own
        total[start:stop, :start] = own.T @ F[:, :start]
        total[:start, start:stop] = total[start:stop, :start].T
    return total


def asymmetry(A: Any) -> float:
    """Return max |A − Aᵀ| of a square matrix."""
    rows = range(0, len(A), _LEAST)
    return max((float(np.abs(A[i : i + _LEAST] - A[:, i : i + _LEAST].T).max()) for i in rows), default=0.0)


def symmetric_part(A: Any) -> Any:
    """Return (A + Aᵀ)/2 of a square matrix, bitwise symmetric."""
    out = np.empty(A.shape, dtype=A.dtype)
    for i in range(0, len(A), _LEAST):
        np.add(A[i : i + _LEAST], A[:, i : i + _LEAST].T, out=out[i : i + _LEAST])
        out[i : i + _LEAST] /= 2
    return out


def symmetric_product(A: DoubleArray, V: DoubleArray, *, lower: bool = False) -> DoubleArray:
    """Return AV for a column-major symmetric A, of which one triangle is read, and V of shape (n, columns)."""
    n, V = len(A), np.asfortranarray(V, dtype=np.float64)
    out = np.empty_like(V, order="F")
    for start, stop in pieces(0, V.shape[1], 2.0 * n**2, least=8):
        part, result = V[:, start:stop], out[:, start:stop]
        sizes = n, stop - start, 1.0, A, column_stride(A), part, column_stride(part), 0.0
        call("symm", np.float64, "L", "L" if lower else "U", *sizes, result, column_stride(result))
    return out
