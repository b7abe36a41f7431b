"""Products of large dense matrices, in pieces that Ctrl-C can interrupt.

NumPy and SciPy have a BLAS each, with threads of its own that stay busy for some 20 ms after every call. A program that
alternates between them has twice as many busy threads as cores. Large products therefore use the BLAS of SciPy, whose
LAPACK the factors need.
"""

from typing import Any

import numpy as np

from mercer import _core
from mercer._runtime.engine import ready, thread_count
from mercer._runtime.interrupt import pieces
from mercer._runtime.lapack import call, column_stride
from mercer._typing import DoubleArray, FloatArray

__all__ = [
    "asymmetry",
    "inner_products",
    "mirrored",
    "normal_product",
    "product",
    "symmetric_part",
    "symmetric_product",
]

_LEAST = 256  # smallest number of rows or columns of a block, so that BLAS reuses the numbers it reads
_NARROW = 64  # side of the blocks of a triangle that is mirrored
_UPPER = np.triu(np.ones((_NARROW, _NARROW), dtype=bool), 1)
_TYPES = (np.float32, np.float64)
_SMALL = 1e6  # operations of a product up to which the overhead of a call matters


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
    if operations * len(A) <= _SMALL or B.ndim == 1:
        return np.matmul(A, B, out=out)
    if out is None:
        out = np.empty((len(A), B.shape[1]), dtype=np.result_type(A, B))
    for start, stop in pieces(0, len(A), operations):
        _multiply(A[start:stop], B, out[start:stop])
    return out


def inner_products(F: FloatArray, out: DoubleArray | None = None) -> DoubleArray:
    """Return FᵀF of shape (r, r) for F of shape (n, r), bitwise symmetric.

    Examples
    --------
    >>> inner_products(np.array([[1.0, 2.0], [0.0, 3.0]]))
    array([[ 1.,  2.],
           [ 2., 13.]])
    """
    n, r = F.shape
    if float(n) * r**2 <= _SMALL:
        return np.matmul(F.T, F, out=out, dtype=np.float64)
    total = np.zeros((r, r)) if out is None else out
    if n > 2 * r:
        total[...] = 0.0
        part = np.zeros((r, r), dtype=F.dtype)
        for start, stop in pieces(0, n, float(r) ** 2, least=_LEAST):
            total += _lower_products(F[start:stop], part)
        mirrored(total)
        return total
    for start, stop in pieces(0, r, float(n) * r, least=_LEAST):
        own = F[:, start:stop]
        part = np.empty((stop - start, stop - start), dtype=F.dtype)
        total[start:stop, start:stop] = mirrored(_lower_products(own, part))
        total[start:stop, :start] = product(own.T, F[:, :start])
        total[:start, start:stop] = total[start:stop, :start].T
    return total


def _multiply(A: Any, B: Any, out: Any) -> None:
    """Write ``A @ B`` to `out`."""
    plain = A.dtype == B.dtype == out.dtype and A.dtype in _TYPES and out.strides[1] == out.itemsize
    if not plain or not A.size or not B.size:
        np.matmul(A, B, out=out)
        return
    (left, a), (right, b) = _operand(A), _operand(B)
    sizes = B.shape[1], A.shape[0], A.shape[1]  # a row-major result is the column-major BᵀAᵀ
    factors = right, _stride(right, b), left, _stride(left, a)
    call("gemm", A.dtype, b, a, *sizes, 1.0, *factors, 0.0, out, _stride(out, "N"))


def _lower_products(F: Any, out: Any) -> Any:
    """Write the lower triangle of FᵀF to a row-major `out` and return it; the other triangle is not changed."""
    if F.dtype not in _TYPES or not F.size:
        return np.matmul(F.T, F, out=out)
    (n, r), (rows, layout) = F.shape, _operand(F)
    # the upper triangle of the column-major matrix is the lower one of `out`
    call("syrk", F.dtype, "U", layout, r, n, 1.0, rows, _stride(rows, layout), 0.0, out, r)
    return out


def mirrored(A: Any) -> Any:
    """Copy the lower triangle of a matrix to its upper triangle and return it."""
    for i in range(0, len(A), _NARROW):
        block = A[i : i + _NARROW, i : i + _NARROW]
        np.copyto(block, block.T.copy(), where=_UPPER[: len(block), : len(block)])
        A[i : i + _NARROW, i + _NARROW :] = A[i + _NARROW :, i : i + _NARROW].T
    return A


def _operand(A: Any) -> tuple[Any, str]:
    """Return a matrix, copied if need be, and its letter for BLAS: "N" if row-major, which BLAS reads transposed."""
    for layout, (across, along) in (("N", (0, 1)), ("T", (1, 0))):
        unit = A.strides[along] == A.itemsize or A.shape[along] == 1
        apart = A.strides[across] % A.itemsize == 0 and A.strides[across] >= A.shape[along] * A.itemsize
        if unit and (apart or A.shape[across] == 1):
            return A, layout
    return np.ascontiguousarray(A), "N"


def _stride(A: Any, layout: str) -> int:
    """Return the distance between two rows of a row-major matrix, or two columns of a column-major one."""
    return column_stride(A.T if layout == "N" else A)


def normal_product(
    A: FloatArray, V: DoubleArray, scale: DoubleArray | None = None, *, n_jobs: int | None = None
) -> DoubleArray:
    """Return AᵀSAV for a matrix A in memory, a diagonal S and V with few columns, in one pass over A.

    Parameters
    ----------
    A : ndarray of shape (n, r), row-major, float32 or float64
        Matrix. Its entries are converted while they are read, and all sums are in float64.
    V : ndarray of shape (r, columns)
        Right factor.
    scale : ndarray of shape (n,), default=None
        Diagonal of S. None: ones.
    n_jobs : int or None, default=None
        Number of threads.

    Returns
    -------
    ndarray of shape (r, columns)
        Product.

    Examples
    --------
    >>> A = np.array([[1.0, 2.0], [0.0, 3.0]])
    >>> normal_product(A, np.array([[1.0], [1.0]]), np.array([1.0, 2.0]))
    array([[ 3.],
           [24.]])
    """
    ready()
    rows = np.ascontiguousarray(V.T)
    out = np.empty_like(rows)
    _core.normal_product(A, scale, rows, out, thread_count(n_jobs))
    return out.T


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
