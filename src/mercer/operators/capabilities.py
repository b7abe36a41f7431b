"""What solvers ask an operator for, with defaults that work for every operator."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer._core import RowSource
from mercer._runtime.engine import ready
from mercer._runtime.limits import require_memory
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.exceptions import MemoryLimitError
from mercer.operators.checks import check_taken

if TYPE_CHECKING:
    from mercer.operators.base import GramOperator

__all__ = ["Capabilities"]


class Capabilities:
    """Mixin of operators with the capabilities of a matrix-free Gram matrix that solvers use."""

    # ---- subclasses override those for which they have a cheaper way

    @property
    def matrix(self: "GramOperator") -> FloatArray | None:  # type: ignore[misc]
        """The matrix itself if it is held in memory.

        Returns
        -------
        ndarray of shape (m, n) or None
            Read-only view of the matrix; None if it is not held in memory.
        """
        return None

    def take(self: "GramOperator", rows: Any) -> "GramOperator":  # type: ignore[misc]
        """Return the square sub-operator K[rows, rows].

        Parameters
        ----------
        rows : array-like of int, mask or slice
            Row indices, which may be repeated; or a boolean mask of length n; or a slice.

        Returns
        -------
        GramOperator
            Operator over the chosen samples. K must be square.
        """
        part = self._take(check_taken(self, rows))
        part.who = self.who
        return part

    def arranged(self: "GramOperator", order: IndexArray) -> "tuple[GramOperator, IndexArray]":  # type: ignore[misc]
        """Return an operator in which the samples of `order` are contiguous if that is cheap, and their places.

        Solvers that read samples group by group call it. Packed samples are rearranged, so that rows and columns of a
        group are contiguous. Other operators are returned unchanged.

        Parameters
        ----------
        order : ndarray of int of shape (n_chosen,)
            Distinct row indices in the order in which the solver reads them.

        Returns
        -------
        operator : GramOperator
            K, or K[order, order].
        place : ndarray of int of shape (n,)
            Row of each sample in `operator`; -1 for samples that are left out.
        """
        del order
        return self, np.arange(self.shape[0])

    def row_source(self: "GramOperator", cache_size: float = 200.0) -> RowSource:  # type: ignore[misc]
        """Return the rows of K in the form that the compiled solvers read. K must be symmetric.

        Parameters
        ----------
        cache_size : float, default=200.0
            Size of the cache in megabytes. A matrix that fits is computed at once, using its symmetry. Otherwise the
            solvers call back for blocks.

        Returns
        -------
        RowSource
            Source of rows.
        """
        self.require_symmetric("row_source")
        ready()
        if 8 * self.shape[0] ** 2 <= cache_size * 2**20:
            return RowSource.matrix(self.dense())

        def block(rows: IndexArray, columns: IndexArray | None) -> DoubleArray:
            return np.asarray(self.block(rows, slice(None) if columns is None else columns), dtype=np.float64)

        return RowSource.callback(self.shape[0], block, np.asarray(self.diag(), dtype=np.float64))

    def factor(self: "GramOperator") -> DoubleArray | None:  # type: ignore[misc]
        """Return F with K = F Fᵀ and fewer columns than rows, if one is known.

        Returns
        -------
        ndarray of shape (n, r) or None
            F in float64 with r < n; None if no such factor is known.
        """
        return None

    # ---- derived from these

    def array(self: "GramOperator", *, buffers: int = 1) -> DoubleArray:  # type: ignore[misc]
        """Return a copy of the matrix in float64 that the caller may overwrite.

        Parameters
        ----------
        buffers : int, default=1
            Number of matrices of this size that the caller will hold in memory at the same time, this one included.

        Returns
        -------
        ndarray of shape (m, n)
            The matrix, C-contiguous.

        Raises
        ------
        MemoryLimitError
            Before anything is allocated, if `buffers` such matrices do not fit.
        """
        require_memory(
            buffers * 8 * self.shape[0] * self.shape[1],
            what=f"{self.who}: {buffers} dense {self._size()} matrices of 64-bit numbers",
            instead="Fit on fewer samples, or use an iterative solver where the estimator has one.",
        )
        out = np.empty(self.shape)
        if self.dtype == np.float64:
            self.dense(out=out)
        else:
            out[...] = self.dense()
        return out

    def hold(self: "GramOperator", limit: float | None = None) -> "GramOperator":  # type: ignore[misc]
        """Return an operator that holds the matrix in memory, or this operator if the matrix is too large.

        Parameters
        ----------
        limit : float, default=None
            Maximal size of the matrix in float64, in bytes. None: limited by the available memory only.

        Returns
        -------
        GramOperator
            A `DenseOperator`, or this operator.
        """
        from mercer.operators.dense import DenseOperator

        if self.matrix is not None or (limit is not None and 8 * self.shape[0] * self.shape[1] > limit):
            return self
        try:
            held = DenseOperator(self)
        except MemoryLimitError:
            return self
        held.who = self.who
        return held

    def require_symmetric(self: "GramOperator", what: str) -> None:  # type: ignore[misc]
        """Raise ValueError if K is not symmetric.

        Parameters
        ----------
        what : str
            Name of the method that needs symmetry, for the message.
        """
        if not self.symmetric:
            raise ValueError(
                f"{self.who}: {what} needs a symmetric operator, got {self!r}; use the operator of one data set with "
                "itself, or pass (K + K.T)/2 of a matrix."
            )
