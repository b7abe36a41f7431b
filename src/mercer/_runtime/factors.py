"""Cholesky factors in place and solutions of triangular systems, in pieces that Ctrl-C can interrupt."""

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.linalg import LinAlgError

from mercer._runtime.interrupt import PIECE, pieces
from mercer._runtime.lapack import call, column_stride
from mercer._typing import FloatArray

__all__ = ["cholesky", "invert_cholesky", "invert_triangle", "solve_cholesky", "solve_triangle", "try_cholesky"]

Array = TypeVar("Array", bound=FloatArray)
Range: TypeAlias = tuple[int, int]

_LEAF = 1024  # maximal number of rows that LAPACK factors in one call, 0.04 s at 10 GFlop/s
_ALIGNED = 64  # block sizes are multiples of this number
_DEPTH = 384  # number of columns of the factor in one product, which stay in cache
_LARGE = 1000  # smallest order of a triangular system that has a routine of its own for one column
_LEAST = 256  # smallest side of a block, so that BLAS reuses the numbers it reads


def cholesky(A: Array, *, lower: bool = True) -> Array:
    """Factor a positive definite matrix in its own memory: A = LLᵀ or A = UᵀU.

    Parameters
    ----------
    A : ndarray of shape (n, n), column-major, float32 or float64
        One triangle is read and replaced by the factor. The other triangle is not changed.
    lower : bool, default=True
        Whether the lower triangle is used.

    Returns
    -------
    ndarray of shape (n, n)
        The same array.

    Raises
    ------
    LinAlgError
        If A is not positive definite, with the order of the first leading minor that is not.

    Notes
    -----
    n³/3 operations, as fast as LAPACK: the two halves are factored recursively, and the work between them consists of
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
    """Factor as `cholesky`, but return the order of the first minor that is not positive definite; 0 if none."""
    return _factored(_Triangle(A, lower), 0, len(A))


def solve_cholesky(factor: Array, B: FloatArray, *, lower: bool = True) -> Array:
    """Return A⁻¹B from the factor computed by `cholesky`; B of shape (n,) or (n, columns) is not changed."""
    X: Any = np.array(B, dtype=factor.dtype, order="F")
    for transposed in (not lower, lower):
        solve_triangle(factor, X, lower=lower, transposed=transposed)
    return X  # type: ignore[no-any-return]


def solve_triangle(factor: FloatArray, X: Array, *, lower: bool = True, transposed: bool = False) -> Array:
    """Replace X by the solution of a triangular system, T⁻¹X or T⁻ᵀX.

    Parameters
    ----------
    factor : ndarray of shape (n, n), column-major
        Matrix whose lower or upper triangle is T.
    X : ndarray of shape (n,) or (n, columns), column-major
        Right-hand sides, which are overwritten.
    lower : bool, default=True
        Whether T is the lower triangle.
    transposed : bool, default=False
        Whether T is transposed.

    Returns
    -------
    ndarray of shape (n,) or (n, columns)
        The array X.
    """
    n, dtype, ld = len(factor), factor.dtype, column_stride(factor)
    uplo, trans = "L" if lower else "U", "T" if transposed else "N"
    columns: Any = X[:, None] if X.ndim == 1 else X
    if columns.shape[1] == 1 and n >= _LARGE:  # for a matrix of one column, BLAS would copy the factor into panels
        call("trsv", dtype, uplo, trans, "N", n, factor, ld, columns, 1)
        return X
    for start, stop in pieces(0, columns.shape[1], n**2, least=8):
        part = columns[:, start:stop]
        call("trsm", dtype, "L", uplo, trans, "N", n, stop - start, 1.0, factor, ld, part, column_stride(part))
    return X


def invert_triangle(L: Array) -> Array:
    """Invert a lower triangular, column-major matrix in its own memory; the upper triangle is not changed."""
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


def invert_cholesky(L: Array) -> Array:
    """Replace a lower Cholesky factor of A by the lower triangle of A⁻¹, in its own memory.

    Parameters
    ----------
    L : ndarray of shape (n, n), column-major, float32 or float64
        Factor computed by ``cholesky(A)``. The upper triangle is not changed.

    Returns
    -------
    ndarray of shape (n, n)
        The same array.

    Notes
    -----
    2n³/3 operations: the triangle is inverted, T = L⁻¹, and TᵀT is computed in place.

    Examples
    --------
    >>> np.tril(invert_cholesky(cholesky(np.asfortranarray([[4.0, 0.0], [2.0, 5.0]]))))
    array([[ 0.3125,  0.    ],
           [-0.125 ,  0.25  ]])
    """
    _square(invert_triangle(L))
    return L


def _square(T: FloatArray) -> None:
    """Replace a lower triangular matrix T by the lower triangle of TᵀT."""
    n, dtype, ld = len(T), T.dtype, column_stride(T)
    if n <= _LEAF:
        call("lauum", dtype, "L", n, T, ld)
        return
    k = _middle(n)
    first, across, second = T[:k, :k], T[k:, :k], T[k:, k:]
    _square(first)
    for j in range(0, k, _LEAST):
        end = min(j + _LEAST, k)
        columns = across[:, j:end]
        call("syrk", dtype, "L", "T", end - j, n - k, 1.0, columns, ld, 1.0, first[j:, j:], ld)
        for r, s in pieces(end, k, 2.0 * (end - j) * (n - k)):
            rows, target = across[:, r:s], first[r:s, j:end]
            call("gemm", dtype, "T", "N", s - r, end - j, n - k, 1.0, rows, ld, columns, ld, 1.0, target, ld)
    for j, end in pieces(0, k, float(n - k) ** 2, least=8):
        call("trmm", dtype, "L", "L", "T", "N", n - k, end - j, 1.0, second, ld, across[:, j:end], ld)
    _square(second)


class _Triangle:
    """Blocks of the lower or upper triangle in the form that BLAS and LAPACK expect.

    Blocks are ranges of rows and columns of the lower triangle. For the upper triangle they are transposed.
    """

    def __init__(self, A: FloatArray, lower: bool) -> None:
        self.A, self.lower, self.ld = A, lower, column_stride(A)
        self.uplo = "L" if lower else "U"

    def block(self, rows: Range, columns: Range) -> FloatArray:
        across, down = (rows, columns) if self.lower else (columns, rows)
        return self.A[slice(*across), slice(*down)]

    def factor(self, j: int, k: int) -> int:
        """Factor a block on the diagonal; return the order of the minor at which it fails, or 0."""
        return call("potrf", self.A.dtype, self.uplo, k - j, self.block((j, k), (j, k)), self.ld)

    def solve(self, rows: Range, columns: Range) -> None:
        """Multiply a block from the right by the inverse of the transposed factor of these columns."""
        j, k = columns
        if k - j > _LEAF:
            m = j + _middle(k - j)
            self.solve(rows, (j, m))
            self.subtract(rows, (m, k), (j, m))
            self.solve(rows, (m, k))
            return
        diagonal = self.block(columns, columns)
        for r, s in pieces(*rows, float(k - j) ** 2):
            part = self.block((r, s), columns)
            side, shape = ("R", (s - r, k - j)) if self.lower else ("L", (k - j, s - r))
            call("trsm", self.A.dtype, side, self.uplo, "T", "N", *shape, 1.0, diagonal, self.ld, part, self.ld)

    def subtract(self, rows: Range, columns: Range, factors: Range) -> None:
        """Subtract F[rows] F[columns]ᵀ from a block, F being columns of the factor; on the diagonal, its triangle."""
        dtype, ld, across = self.A.dtype, self.ld, "N" if self.lower else "T"
        for j in range(*factors, _DEPTH):
            part = j, min(j + _DEPTH, factors[1])
            depth = part[1] - part[0]
            side = max(_LEAST, int((PIECE / (2 * depth)) ** 0.5) // _ALIGNED * _ALIGNED)
            for c in range(*columns, side):
                d = min(c + side, columns[1])
                right = self.block((c, d), part)
                for r in range(max(c, rows[0]), rows[1], side):
                    s = min(r + side, rows[1])
                    left, target = self.block((r, s), part), self.block((r, s), (c, d))
                    if r == c:
                        call("syrk", dtype, self.uplo, across, d - c, depth, -1.0, right, ld, 1.0, target, ld)
                    elif self.lower:
                        call("gemm", dtype, "N", "T", s - r, d - c, depth, -1.0, left, ld, right, ld, 1.0, target, ld)
                    else:
                        call("gemm", dtype, "T", "N", d - c, s - r, depth, -1.0, right, ld, left, ld, 1.0, target, ld)


def _middle(n: int) -> int:
    """Return the number of rows in the first half of n."""
    return -(-n // (2 * _ALIGNED)) * _ALIGNED


def _factored(T: _Triangle, j: int, end: int) -> int:
    """Factor the rows and columns from j to end; return the order of the minor at which it fails, or 0."""
    if end - j <= _LEAF:
        minor = T.factor(j, end)
        return minor and minor + j
    k = j + _middle(end - j)
    if minor := _factored(T, j, k):
        return minor
    T.solve((k, end), (j, k))
    T.subtract((k, end), (k, end), (j, k))
    return _factored(T, k, end)
