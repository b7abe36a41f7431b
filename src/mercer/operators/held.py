"""Base class of operators whose matrix is in memory or memory-mapped."""

import numpy as np

from mercer._core import RowSource
from mercer._runtime.engine import ready
from mercer._typing import FloatArray
from mercer.operators import tiles
from mercer.operators.base import GramOperator
from mercer.operators.tiles import Index

__all__ = ["HeldOperator"]


class HeldOperator(GramOperator):
    """Base class of operators around one array: entries and rows are read in place, products use BLAS.

    The array is finite. It was checked when it came from the user or when another operator computed it.
    """

    _finite = True

    def __init__(self, matrix: FloatArray, *, symmetric: bool, memory_budget: int) -> None:
        shape = (matrix.shape[0], matrix.shape[1])
        super().__init__(shape, matrix.dtype, symmetric=symmetric, memory_budget=memory_budget)
        self._matrix = matrix.view()
        self._matrix.flags.writeable = False

    def _block(self, rows: Index, cols: Index, out: FloatArray) -> None:
        match rows, cols:
            case np.ndarray(), np.ndarray():
                out[...] = self._matrix[rows[:, None], cols]
            case np.ndarray(), slice():  # mode="clip" lets numpy write into out without a buffer; rows are in range
                np.take(self._matrix[:, cols], rows, axis=0, out=out, mode="clip")
            case _:
                out[...] = self._matrix[rows, cols]

    def _diag(self) -> FloatArray:
        return np.diagonal(self._matrix).copy()

    def _dense(self, out: FloatArray) -> None:
        if self.matrix is None:
            super()._dense(out)
        else:
            out[...] = self.matrix

    def _matmul(self, V: FloatArray) -> FloatArray:
        return tiles.product(self._matrix, V, self.memory_budget)

    def _rmatmul(self, V: FloatArray) -> FloatArray:
        return tiles.product(self._matrix.T, V, self.memory_budget)

    @property
    def matrix(self) -> FloatArray | None:
        """The matrix itself.

        Returns
        -------
        ndarray of shape (m, n)
            Read-only view of the matrix.
        """
        return self._matrix

    def row_source(self, cache_size: float = 200.0) -> RowSource:  # noqa: ARG002 - the matrix is in memory
        """Return rows for the compiled solvers, read from the matrix. K must be symmetric.

        Parameters
        ----------
        cache_size : float, default=200.0
            Not used, because the matrix is in memory.

        Returns
        -------
        RowSource
            Source of rows.
        """
        self.require_symmetric("row_source")
        ready()
        matrix = self.dense()
        return RowSource.matrix(matrix if matrix.strides[1] == matrix.itemsize else np.ascontiguousarray(matrix))
