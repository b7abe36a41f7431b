"""Cholesky factors in place, and solutions of triangular systems, in pieces that Ctrl-C can end."""

from typing import Any, TypeVar

import numpy as np
from numpy.linalg import LinAlgError

from mercer._runtime.interrupt import pieces
from mercer._runtime.lapack import call, column_stride
from mercer._typing import FloatArray

__all__ = ["cholesky", "invert_triangle", "solve_cholesky", "solve_triangle", "try_cholesky"]

Array = TypeVar("Array", bound=FloatArray)

_LEAF = 1024  # rows that LAPACK factors in one call, 0.04 s at 10 GFlop/s
_ALIGNED = 64  # sizes of blocks are multiples of it


def cholesky(A: Array, *, lower: bool = True) -> Array:
    """Factor a positive definite matrix in its own memory: A = LLᵀ or A = UᵀU.

    Parameters
    ----------
    A : ndarray of shape (n, n), column-major, float32 or float64
        One triangle is read and replaced by the factor; the other one is left as it is.
    lower : bool, default=True
        Which triangle.

    Returns
    -------
    A : ndarray
        The same array.

    Raises
    ------
    LinAlgError
        If A is not positive definite, with the order of the first leading minor that is not.

    Notes
    -----
    n³/3 operations, as fast as LAPACK: the two halves are factored one after the other, and everything between them is
    matrix products.

    Examples
    --------
    >>> np.tril(cholesky(np.asfortranarray([[4.0, 0.0], [2.0, 5.0]])))
    array([[2., 0.],
           [1., 2.]])
    """
    if minor := try_cholesky(A, lower=lower):
        raise LinAlgError(f"{minor}-th leading minor of the array is not positive definite")
    return A


def try_cholesky(A: FloatArray, *, lower: bool = True) -> int:
    """As `cholesky`, but return the order of the first minor that is not positive definite; 0 if there is none."""
    return _factored(_Triangle(A, lower), 0, len(A))


def solve_cholesky(factor: Array, B: FloatArray, *, lower: bool = True) -> Array:
    """A⁻¹B from the factor of A that `cholesky` made; B of shape (n,) or (n, columns) is not changed."""
    X: Any = np.array(B, dtype=factor.dtype, order="F")
    for transposed in (not lower, lower):
        solve_triangle(factor, X, lower=lower, transposed=transposed)
    return X  # type: ignore[no-any-return]


def solve_triangle(factor: FloatArray, X: Array, *, lower: bool = True, transposed: bool = False) -> Array:
    """Replace X by the solution of a triangular system, T⁻¹X or T⁻ᵀX.

    Parameters
    ----------
    factor : ndarray of shape (n, n), column-major
        One triangle of it is T.
    X : ndarray of shape (n,) or (n, columns), column-major
        Right-hand sides, overwritten.
    lower, transposed : bool
        Which triangle, and whether it is transposed.
    """
    n, dtype, ld = len(factor), factor.dtype, column_stride(factor)
    uplo, trans = "L" if lower else "U", "T" if transposed else "N"
    columns: Any = X[:, None] if X.ndim == 1 else X
    for start, stop in pieces(0, columns.shape[1], n**2, least=8):
        part = columns[:, start:stop]
        call("trsm", dtype, "L", uplo, trans, "N", n, stop - start, 1.0, factor, ld, part, column_stride(part))
    return X


def invert_triangle(L: Array) -> Array:
    """The inverse of a lower triangular, column-major matrix in its own memory; the upper triangle is left as it is."""
    n, dtype, ld = len(L), L.dtype, column_stride(L)
    if n <= _LEAF:
        call("trtri", dtype, "L", "N", n, L, ld)
        return L
    k = _middle(n)
    first, across, second = L[:k, :k], L[k:, :k], L[k:, k:]  # the inverse has −second⁻¹ across first⁻¹
    solve_triangle(second, across)
    for r, s in pieces(0, n - k, float(k) ** 2):
        call("trsm", dtype, "R", "L", "N", "N", s - r, k, -1.0, first, ld, across[r:s], ld)
    invert_triangle(first)
    invert_triangle(second)
    return L


class _Triangle:
    """Blocks of a triangle as the routines take them, be it the lower one or the upper one."""

    def __init__(self, A: FloatArray, lower: bool) -> None:
        self.A, self.lower, self.ld = A, lower, column_stride(A)
        self.uplo = "L" if lower else "U"

    def block(self, rows: tuple[int, int], columns: tuple[int, int]) -> FloatArray:
        """A block below the diagonal, or its mirror image above."""
        across, down = (rows, columns) if self.lower else (columns, rows)
        return self.A[slice(*across), slice(*down)]

    def factor(self, j: int, k: int) -> int:
        return call("potrf", self.A.dtype, self.uplo, k - j, self.block((j, k), (j, k)), self.ld)

    def solve(self, j: int, k: int, r: int, s: int) -> None:
        """Rows r to s, of the columns j to k of the factor."""
        diagonal, part = self.block((j, k), (j, k)), self.block((r, s), (j, k))
        side, shape = ("R", (s - r, k - j)) if self.lower else ("L", (k - j, s - r))
        call("trsm", self.A.dtype, side, self.uplo, "T", "N", *shape, 1.0, diagonal, self.ld, part, self.ld)

    def subtract(self, j: int, k: int, c: int, d: int, end: int) -> None:
        """From columns c to d: what the columns j to k of the factor account for."""
        ld, dtype, depth = self.ld, self.A.dtype, k - j
        top, diagonal = self.block((c, d), (j, k)), self.block((c, d), (c, d))
        call("syrk", dtype, self.uplo, "N" if self.lower else "T", d - c, depth, -1.0, top, ld, 1.0, diagonal, ld)
        if d == end:
            return
        low, part = self.block((d, end), (j, k)), self.block((d, end), (c, d))
        if self.lower:
            call("gemm", dtype, "N", "T", end - d, d - c, depth, -1.0, low, ld, top, ld, 1.0, part, ld)
        else:
            call("gemm", dtype, "T", "N", d - c, end - d, depth, -1.0, top, ld, low, ld, 1.0, part, ld)


def _middle(n: int) -> int:
    """Rows of the first half of n."""
    return -(-n // (2 * _ALIGNED)) * _ALIGNED


def _factored(T: _Triangle, j: int, end: int) -> int:
    """Factor the rows and columns from j to end; return the order of the minor at which that fails, or 0."""
    if end - j <= _LEAF:
        minor = T.factor(j, end)
        return minor and minor + j
    k = j + _middle(end - j)
    if minor := _factored(T, j, k):
        return minor
    for r, s in pieces(k, end, float(k - j) ** 2):
        T.solve(j, k, r, s)
    for c, d in pieces(k, end, 2.0 * (k - j) * (end - k)):
        T.subtract(j, k, c, d, end)
    return _factored(T, k, end)
