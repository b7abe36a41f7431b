"""The operator: a matrix-free Gram matrix, the one seam between kernels and solvers."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer._core import RowSource
from mercer._runtime.engine import ready
from mercer._runtime.limits import require_memory
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer._validation import check_integer, check_output
from mercer.exceptions import MemoryLimitError
from mercer.operators import tiles
from mercer.operators.arithmetic import Arithmetic
from mercer.operators.array_protocol import ArrayProtocol
from mercer.operators.checks import check_operand, check_starts, check_taken, require_block
from mercer.operators.finite import checked_product, quiet, require_finite, require_finite_matrix
from mercer.operators.tiles import Index

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator

    from mercer.operators.centered import CenteredOperator

__all__ = ["MEMORY_BUDGET", "GramOperator"]

MEMORY_BUDGET = 64_000_000


class GramOperator(Arithmetic, ArrayProtocol, ABC):
    """A real matrix K of shape (m, n) that need not exist in memory.

    Attributes
    ----------
    shape : tuple of int
        (m, n), both at least 1.
    dtype : numpy dtype
        float32 or float64: what `diag`, `rows`, `block` and `dense` return. Products are float64.
    symmetric : bool
        Whether K = Kᵀ.
    memory_budget : int
        Bytes that a product may take for tiles, besides its argument and its result.
    costly : bool
        Whether entries are computed in Python, so that it pays to hold the matrix if it fits.
    who : str
        Name in error messages; an estimator replaces the class name by its own.

    Notes
    -----
    A class derives from this one and implements `_block`, `_diag` and `_label`; everything else
    follows, by tiles. A class may override `_matmul`, `_rmatmul` (if not symmetric), `_grouped_matmul`,
    `_dense`, `_take` and the capabilities `matrix`, `arranged`, `row_source` and `factor` where it knows
    a cheaper way.
    Solvers ask for these capabilities and never for the type of an operator. Operators compare by
    identity.

    Public methods raise ValueError, with the samples and the parameters to blame, instead of returning a kernel value
    or a product that is not finite: solvers need not check what they are given.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Linear
    >>> from mercer.operators import gram
    >>> K = gram(Linear(), np.array([[1.0], [2.0]]))
    >>> (K + 3 * K) @ np.array([1.0, 1.0])
    array([12., 24.])
    >>> K[0, 1], K[[1]]
    (np.float64(2.0), array([[2., 4.]]))
    >>> np.asarray(K)
    array([[1., 2.],
           [2., 4.]])
    """

    _finite = False  # whether all entries are known to be finite
    __array_ufunc__ = None  # array @ K and np.float64(2) * K reach __rmatmul__ and __rmul__

    def __init__(
        self,
        shape: tuple[int, int],
        dtype: np.dtype[Any],
        *,
        symmetric: bool,
        memory_budget: int,
        buffers: int = 1,
        costly: bool = False,
    ) -> None:
        self.who = type(self).__name__
        self.shape = shape
        self.dtype = dtype
        self.symmetric = symmetric
        self.memory_budget = check_integer(self.who, "memory_budget", memory_budget, low=1)
        self.costly = costly
        self._buffers = buffers  # blocks alive at once while `_block` runs, its result included

    @property
    def n_rows(self) -> int:
        """Number of rows m."""
        return self.shape[0]

    # ---- what a class implements

    @abstractmethod
    def _block(self, rows: Index, cols: Index, out: FloatArray) -> None:
        """Write K[rows, cols] into `out`, which has this operator's dtype and contiguous rows."""

    @abstractmethod
    def _diag(self) -> FloatArray:
        """Return the diagonal; K is square."""

    @abstractmethod
    def _label(self) -> str:
        """Say what K is, in a few words."""

    def _origin(self, i: int, j: int) -> tuple[int, int]:
        """Numbers of the samples of row i and column j, for messages, in the data that K was first made of."""
        return i, j

    def _bounded_by_diagonal(self) -> bool:
        """Whether |K_ij|² ≤ K_ii K_jj is proved, so that K is finite if its diagonal is."""
        return False

    def _remedy(self) -> str:
        """What to do about entries that are not finite, as a clause."""
        return "rescale the data"

    # ---- what it may override; V is (rows, columns), float64 and finite

    def _matmul(self, V: FloatArray) -> FloatArray:
        return tiles.matmul(self, V)

    def _rmatmul(self, V: FloatArray) -> FloatArray:
        return tiles.rmatmul(self, V)

    def _grouped_matmul(self, starts: IndexArray, V: FloatArray) -> DoubleArray:
        return tiles.grouped_matmul(self, starts, V)

    def _dense(self, out: FloatArray) -> None:
        tiles.dense(self, out)

    def _take(self, rows: IndexArray) -> "GramOperator":
        from mercer.operators.selected import SelectedOperator

        return SelectedOperator(self, rows)

    def _transposed(self, V: FloatArray) -> FloatArray:
        return self._matmul(V) if self.symmetric else self._rmatmul(V)

    # ---- capabilities; a class overrides those that it has a cheaper way for

    @property
    def matrix(self) -> FloatArray | None:
        """The matrix itself, read-only, where it is in memory; else None."""
        return None

    def take(self, rows: Any) -> "GramOperator":
        """Return the square sub-operator K[rows, rows]; integers (also repeated), a mask or a slice."""
        part = self._take(check_taken(self, rows))
        part.who = self.who
        return part

    def arranged(self, order: IndexArray) -> "tuple[GramOperator, IndexArray]":
        """Return an operator over at least the samples of `order`, and the row of each sample in it.

        Solvers that read the samples of `order` group by group call it: packed samples are rearranged, so that rows
        and columns of a group are contiguous; other operators stay as they are.

        Returns
        -------
        operator : GramOperator
            K, or K[order, order].
        place : ndarray of shape (n,)
            Row of each sample; -1 for samples that are left out.
        """
        del order
        return self, np.arange(self.shape[0])

    def row_source(self, cache_size: float = 200.0) -> RowSource:
        """Return rows for the compiled solvers. K must be symmetric.

        Parameters
        ----------
        cache_size : float, default=200.0
            Megabytes. A matrix that fits is computed at once, by symmetry; otherwise the solvers call back for blocks.
        """
        self.require_symmetric("row_source")
        ready()
        if 8 * self.shape[0] ** 2 <= cache_size * 2**20:
            return RowSource.matrix(self.dense())

        def block(rows: IndexArray, columns: IndexArray | None) -> DoubleArray:
            return np.asarray(self.block(rows, slice(None) if columns is None else columns), dtype=np.float64)

        return RowSource.callback(self.shape[0], block, np.asarray(self.diag(), dtype=np.float64))

    def factor(self) -> DoubleArray | None:
        """Return F of shape (n, r) with K = F Fᵀ and r < n, in float64, where one is known; else None."""
        return None

    # ---- capabilities that follow

    def array(self, *, buffers: int = 1) -> DoubleArray:
        """Return the matrix in float64, C-contiguous, in memory of its own that the caller may overwrite.

        Parameters
        ----------
        buffers : int, default=1
            Matrices of this size that the caller will have in memory at once, this one included.

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

    def hold(self, limit: float | None = None) -> "GramOperator":
        """Return an operator that has the matrix in memory, or this one if that takes too much.

        Parameters
        ----------
        limit : float, default=None
            Most bytes of the matrix in float64; None means what memory allows.
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

    def require_symmetric(self, what: str) -> None:
        """Raise ValueError if K is not symmetric, which `what` needs."""
        if not self.symmetric:
            raise ValueError(
                f"{self.who}: {what} needs a symmetric operator, got {self!r}; take the operator of one data set with "
                "itself, or (K + K.T)/2 of a matrix."
            )

    # ---- values

    def diag(self) -> FloatArray:
        """Return the diagonal, of shape (n,), without the matrix. K must be square."""
        if self.shape[0] != self.shape[1]:
            raise ValueError(
                f"{type(self).__name__}: diag needs a square operator, this one is {self._size()}; "
                "for the training diagonal take the operator of the training data."
            )
        with quiet():
            values = self._diag()
            require_finite(self, values, slice(0, len(values)))
        return values

    def block(self, rows: Any, cols: Any, out: FloatArray | None = None) -> FloatArray:
        """K[rows, cols] as an array; integers (also negative, also repeated), masks or slices."""
        who = type(self).__name__
        chosen = tiles.as_index(who, rows, self.shape[0], name="rows")
        columns = chosen
        if rows is not cols or self.shape[0] != self.shape[1]:
            columns = tiles.as_index(who, cols, self.shape[1], name="cols")
        shape = tiles.count(chosen), tiles.count(columns)
        if out is None and self._nbytes(shape) > self.memory_budget:
            require_block(self, shape, "a block")
        out = check_output(type(self).__name__, out, shape, self.dtype)
        if out.size:
            with quiet():
                self._block(chosen, columns, out)
                if not self._finite:
                    require_finite(self, out, chosen, columns)
        return out

    def rows(self, rows: Any, out: FloatArray | None = None) -> FloatArray:
        """K[rows, :] as an array."""
        return self.block(rows, slice(None), out)

    def dense(self, out: FloatArray | None = None) -> FloatArray:
        """Return the whole matrix; symmetric to the bit if the operator is symmetric.

        Without `out`, an operator that holds its matrix returns a read-only view of it. Raises
        `mercer.exceptions.MemoryLimitError` before allocating what will not fit.
        """
        if out is None:
            held = self.matrix
            if held is not None:
                return held
            require_block(self, self.shape, "the dense matrix")
        out = check_output(type(self).__name__, out, self.shape, self.dtype)
        with quiet():
            self._dense(out)
            require_finite_matrix(self, out)
        return out

    def matmul(self, V: Any) -> FloatArray:
        """K V in float64, for V of shape (n,) or (n, columns); tiles take `memory_budget` bytes."""
        V, flat = check_operand(self, V, self.shape[1], "K @ V")
        with quiet():
            result = self._matmul(V) if V.size else np.empty((self.shape[0], 0))
            return checked_product(self, result[:, 0] if flat else result)

    def rmatmul(self, V: Any) -> FloatArray:
        """Kᵀ V in float64, for V of shape (m,) or (m, columns), as `matmul`."""
        V, flat = check_operand(self, V, self.shape[0], "Kᵀ @ V")
        with quiet():
            result = self._transposed(V) if V.size else np.empty((self.shape[1], 0))
            return checked_product(self, result[:, 0] if flat else result)

    def grouped_matmul(self, starts: Any, V: Any) -> DoubleArray:
        """Products with groups of columns apart, of shape (groups, m, columns of V); every entry is computed once.

        Parameters
        ----------
        starts : array-like of int, shape (groups + 1,)
            Group g has the columns ``starts[g]:starts[g + 1]``; 0 first, n last.
        V : array-like of shape (n, columns)
            Right-hand sides.
        """
        V, _ = check_operand(self, V, self.shape[1], "K @ V")
        starts = check_starts(self, starts)
        with quiet():
            return checked_product(self, self._grouped_matmul(starts, V))

    # ---- operators from operators

    def __matmul__(self, V: Any) -> FloatArray:
        return self.matmul(V)

    def __rmatmul__(self, V: Any) -> FloatArray:
        return self.rmatmul(np.transpose(V)).T

    def centered(self, weight: FloatArray | None = None) -> "CenteredOperator":
        """HKHᵀ with H = I − 1wᵀ: the Gram matrix of the features moved to (weighted) mean zero."""
        from mercer.operators.centered import CenteredOperator

        centered = CenteredOperator(self, weight=weight)
        centered.who = self.who
        return centered

    def as_linear_operator(self) -> "LinearOperator":
        """View K as a SciPy operator, for `eigsh`, `svds`, `cg`, ...: float64, by `matmul`."""
        from scipy.sparse.linalg import LinearOperator

        return LinearOperator(
            shape=self.shape,
            dtype=np.dtype(np.float64),
            matvec=self.matmul,
            rmatvec=self.rmatmul,
            matmat=self.matmul,
            rmatmat=self.rmatmul,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {self._size()}, {self.dtype}, {self._label()}"

    # ---- checks

    def _size(self) -> str:
        return f"{self.shape[0]} x {self.shape[1]}"

    def _nbytes(self, shape: tuple[int, int]) -> int:
        return shape[0] * shape[1] * self.dtype.itemsize
