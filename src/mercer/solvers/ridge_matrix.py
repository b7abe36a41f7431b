"""Symmetric matrix that keeps its values during its factorisation in place, and its triangular factors."""

from typing import Any

import numpy as np
from scipy.linalg import blas

import mercer._core as _core
from mercer._runtime.engine import ready, thread_count
from mercer._runtime.factors import solve_triangle, try_cholesky
from mercer._runtime.limits import require_memory
from mercer._runtime.products import product
from mercer._runtime.spectra import eigh
from mercer._typing import DoubleArray, FloatArray
from mercer.solvers.solution import Status

__all__ = ["Factor", "MatrixSpectrum", "SymmetricMatrix"]

_BLOCK = 256  # rows and columns of a block; two blocks stay in cache
_FEW = 12  # number of columns up to which separate solves are faster than a joint one


class SymmetricMatrix:
    """Matrix A = diag(s)K diag(s) + diag(shift) in the memory of K.

    The upper triangle of the buffer keeps K, the diagonal is stored separately, and the lower triangle holds the factor
    of A. Products with A and residuals can therefore be computed after the factorisation, and the next factorisation
    with another shift starts from the same K.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric, C-contiguous matrix of float64. Its upper triangle is kept; its diagonal and lower triangle are
        overwritten.
    scale : ndarray of shape (n,)
        Scale s.

    Examples
    --------
    >>> A = SymmetricMatrix(np.array([[2.0, 1.0], [1.0, 2.0]]), np.ones(2))
    >>> A.shift_by(1.0)
    >>> x = A.cholesky().solve(np.array([[4.0], [4.0]]))
    >>> x.ravel(), A.product(x).ravel()
    (array([1., 1.]), array([4., 4.]))
    """

    def __init__(self, K: DoubleArray, scale: DoubleArray) -> None:
        self._K, self._scale = K, scale
        self._own = K.diagonal().copy()
        self._plain = bool((scale == 1).all())
        self._threads = thread_count(None)
        ready()
        self._fresh = self._plain  # whether the lower triangle contains diag(s)K diag(s)
        self.shift_by(0.0)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self._K)

    def shift_by(self, alpha: float) -> None:
        """Set A to diag(s)K diag(s) + αI; rows with s = 0 receive an arbitrary positive diagonal entry."""
        own = self._own * self._scale**2
        harmless = float(np.abs(own).mean()) or 1.0
        self._shift = np.where(self._scale > 0, alpha, harmless)
        self.diagonal: DoubleArray = own + self._shift

    def product(self, V: DoubleArray) -> DoubleArray:
        """Return A V for V of shape (n, columns), from the triangle that keeps K."""
        right = V if self._plain else self._scale[:, None] * V
        diagonal = self._K.diagonal().copy()  # may be the diagonal of a factor
        self._K.flat[:: self.n + 1] = self._own
        out = np.empty_like(right, order="C")
        _core.symmetric_product(self._K, np.ascontiguousarray(right), out, self._threads)
        self._K.flat[:: self.n + 1] = diagonal
        if not self._plain:
            out *= self._scale[:, None]
        out += self._shift[:, None] * V
        return out

    def cholesky(self) -> "Factor | None":
        """Return the factor of A in the lower triangle of the buffer; None if A is not positive definite."""
        self._fill()
        minor = try_cholesky(self._K.T, lower=False)
        return None if minor else Factor(self._K, lower=False)

    def rounded(self) -> "Factor | None":
        """Return the factor in float32 of A scaled to unit diagonal; None if it is not positive definite."""
        if not (self.diagonal > 0).all():
            return None
        unit = 1 / np.sqrt(self.diagonal)
        side, n = unit * self._scale, self.n
        F = np.empty((n, n), dtype=np.float32)
        for first in range(0, n, _BLOCK):
            rows = slice(first, first + _BLOCK)
            block = self._K[rows, first:] * side[first:]
            block *= side[rows, None]
            block += 1.0
            block -= 1.0  # sets numbers below 1e-16 to zero, which could be slow subnormals in float32
            F[rows, first:] = block
        F.flat[:: n + 1] = 1.0
        return None if try_cholesky(F.T) else Factor(F, lower=True, unit=unit)

    def spectrum(self) -> "MatrixSpectrum":
        """Return the eigenvalues and eigenvectors of A, which take a second matrix."""
        require_memory(
            8 * self.n**2,
            what=f"solve_ridge: the {self.n} x {self.n} eigenvectors of a singular or indefinite system",
            instead="Raise alpha until the system is positive definite.",
        )
        self._fill()
        values, vectors = eigh(self._K.T, lower=False, overwrite=True, check_finite=False)
        return MatrixSpectrum(values, vectors)

    def _scaled(self, block: DoubleArray, rows: slice, columns: slice) -> DoubleArray:
        return block if self._plain else block * np.outer(self._scale[rows], self._scale[columns])

    def _fill(self) -> None:
        """Write A to the lower triangle and the diagonal."""
        K, n = self._K, self.n
        if not self._fresh:
            for first in range(0, n, _BLOCK):
                rows = slice(first, first + _BLOCK)
                corner = np.triu(K[rows, rows], 1)
                K[rows, rows] = corner + self._scaled(corner.T, rows, rows)
                for other in range(0, first, _BLOCK):
                    columns = slice(other, other + _BLOCK)
                    K[rows, columns] = self._scaled(K[columns, rows].T, rows, columns)
        self._fresh = False
        K.flat[:: n + 1] = self.diagonal


class Factor:
    """Cholesky factor LLᵀ = DAD with D = diag(unit), in a triangle of a row-major matrix of float32 or float64.

    Parameters
    ----------
    F : ndarray of shape (n, n)
        Matrix whose transposed view was factored by ``potrf``.
    lower : bool
        Whether L is in the lower triangle of that view.
    unit : ndarray of shape (n,), default=None
        Diagonal of D. None: ones.
    """

    def __init__(self, F: FloatArray, *, lower: bool, unit: DoubleArray | None = None) -> None:
        self._F, self._lower, self._unit = F, lower, unit
        self.pivots: FloatArray = F.diagonal() ** 2

    def solve(self, B: DoubleArray) -> DoubleArray:
        """Return A⁻¹B of shape (n, columns)."""
        unit = None if self._unit is None else self._unit[:, None]
        right = B if unit is None else unit * B
        size = np.abs(right).max(axis=0, initial=0.0)
        size[size == 0] = 1.0  # scaling avoids overflow and underflow in float32
        X = np.array(right / size, dtype=self._F.dtype, order="F")
        triangle: Any = self._F.T
        trsv = blas.get_blas_funcs("trsv", (triangle,))
        for trans in (0, 1) if self._lower else (1, 0):
            if X.shape[1] > _FEW:
                solve_triangle(triangle, X, lower=self._lower, transposed=bool(trans))
                continue
            for column in range(X.shape[1]):
                X[:, column] = trsv(triangle, X[:, column], lower=self._lower, trans=trans)
        out: DoubleArray = X * size
        return out if unit is None else unit * out


class MatrixSpectrum:
    """Eigendecomposition A = U diag(λ) Uᵀ, in which eigenvalues up to n ε max|λ| in magnitude count as zero.

    `status` is SINGULAR if there are zero eigenvalues, otherwise NOT_PSD if there are negative ones.
    """

    def __init__(self, values: DoubleArray, vectors: DoubleArray) -> None:
        size = np.abs(values).max(initial=0.0)
        used = np.abs(values) > len(values) * np.finfo(np.float64).eps * size
        self._inverse = np.where(used, 1 / np.where(used, values, 1.0), 0.0)
        self._vectors = vectors
        self.status = Status.CONVERGED
        if not used.all():
            self.status = Status.SINGULAR
        elif (values < 0).any():
            self.status = Status.NOT_PSD

    def solve(self, B: DoubleArray) -> DoubleArray:
        """Return A⁺B, the solution of least norm."""
        out: DoubleArray = product(self._vectors, self._inverse[:, None] * product(self._vectors.T, B))
        return out
