"""Base class of operators: a matrix-free Gram matrix, the only interface between kernels and solvers."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer._validation import check_integer, check_output
from mercer.operators import tiles
from mercer.operators.arithmetic import Arithmetic
from mercer.operators.array_protocol import ArrayProtocol
from mercer.operators.capabilities import Capabilities
from mercer.operators.checks import check_operand, check_starts, require_block
from mercer.operators.finite import checked_product, quiet, require_finite, require_finite_matrix
from mercer.operators.tiles import Index

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator

    from mercer.operators.centered import CenteredOperator

__all__ = ["MEMORY_BUDGET", "GramOperator"]

MEMORY_BUDGET = 64_000_000


class GramOperator(Capabilities, Arithmetic, ArrayProtocol, ABC):
    """Base class of operators: a real matrix K of shape (m, n) that need not be held in memory.

    An operator provides entries (`diag`, `rows`, `block`, ``K[i, j]``), products (`matmul`, ``K @ V``), the dense
    matrix (`dense`, ``np.asarray(K)``), square sub-operators (`take`), centring (`centered`) and arithmetic
    (``K + L``, ``2 * K``, entrywise ``K * L``). `gram` builds one from a kernel and data.

    Parameters
    ----------
    shape : tuple of int
        Number of rows m and number of columns n, both at least 1.
    dtype : numpy dtype
        Type of the entries, float32 or float64.
    symmetric : bool
        Whether K = Kᵀ.
    memory_budget : int
        Maximal number of bytes for tiles of a product, in addition to its argument and its result.
    buffers : int, default=1
        Number of blocks in memory at the same time while a block is computed, the result included.
    costly : bool, default=False
        Whether entries are computed in Python, so that holding the matrix saves time if it fits.

    Attributes
    ----------
    shape : tuple of int
        Number of rows m and number of columns n.
    dtype : numpy dtype
        Type of the arrays that `diag`, `rows`, `block` and `dense` return. Products are float64.
    symmetric : bool
        Whether K = Kᵀ.
    memory_budget : int
        Maximal number of bytes for tiles of a product, in addition to its argument and its result.
    costly : bool
        Whether entries are computed in Python.
    who : str
        Name in error messages. Estimators replace the class name by their own.

    See Also
    --------
    gram : Build an operator from a kernel and data.
    PrecomputedOperator : Wrap a matrix that was computed elsewhere.
    OperatorStack : Several operators over the same samples.

    Notes
    -----
    A subclass implements ``_block``, ``_diag`` and ``_label``. The base class derives everything else from blocks, tile
    by tile, within `memory_budget`. A subclass may override ``_matmul``, ``_rmatmul`` (if not symmetric),
    ``_grouped_matmul``, ``_dense``, ``_take`` and the capabilities `matrix`, `arranged`, `row_source` and `factor`
    where it has a cheaper way. Solvers use these capabilities and never the type of an operator. Operators compare by
    identity.

    Public methods raise ValueError instead of returning a kernel value or a product that is not finite. The message
    names the samples and the parameters that cause it. Solvers therefore need not check their input.

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
        """Number of rows m.

        Returns
        -------
        int
            First entry of `shape`.
        """
        return self.shape[0]

    # ---- implemented by subclasses

    @abstractmethod
    def _block(self, rows: Index, cols: Index, out: FloatArray) -> None:
        """Write K[rows, cols] into `out`, which has this operator's dtype and contiguous rows."""

    @abstractmethod
    def _diag(self) -> FloatArray:
        """Return the diagonal. K is square."""

    @abstractmethod
    def _label(self) -> str:
        """Return a short description of K for `repr` and messages."""

    def _origin(self, i: int, j: int) -> tuple[int, int]:
        """Indices of the samples of row i and column j in the original data, for messages."""
        return i, j

    def _bounded_by_diagonal(self) -> bool:
        """Whether |K_ij|² ≤ K_ii K_jj is proved, so that K is finite if its diagonal is."""
        return False

    def _remedy(self) -> str:
        """Advice about entries that are not finite, as a clause of a message."""
        return "rescale the data"

    # ---- may be overridden; V is a finite float64 array of shape (rows, columns)

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

    # ---- values

    def diag(self) -> FloatArray:
        """Return the diagonal without computing the matrix. K must be square.

        Returns
        -------
        ndarray of shape (n,)
            Values k(x_i, x_i) in the dtype of the operator.
        """
        if self.shape[0] != self.shape[1]:
            raise ValueError(
                f"{type(self).__name__}: diag needs a square operator, this one is {self._size()}; "
                "for the training diagonal use the operator of the training data."
            )
        with quiet():
            values = self._diag()
            require_finite(self, values, slice(0, len(values)))
        return values

    def block(self, rows: Any, cols: Any, out: FloatArray | None = None) -> FloatArray:
        """Return the block K[rows, cols] as an array.

        Parameters
        ----------
        rows : array-like of int, mask or slice
            Row indices, which may be negative or repeated; or a boolean mask of length m; or a slice.
        cols : array-like of int, mask or slice
            Columns, in the same forms.
        out : ndarray of shape (n_chosen_rows, n_chosen_columns), default=None
            Array that receives the block, in the dtype of the operator. None: a new array.

        Returns
        -------
        ndarray of shape (n_chosen_rows, n_chosen_columns)
            Every chosen row with every chosen column.
        """
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
        """Return the rows K[rows, :] as an array.

        Parameters
        ----------
        rows : array-like of int, mask or slice
            Row indices, as in `block`.
        out : ndarray of shape (n_chosen, n), default=None
            Array that receives the rows. None: a new array.

        Returns
        -------
        ndarray of shape (n_chosen, n)
            The chosen rows.
        """
        return self.block(rows, slice(None), out)

    def dense(self, out: FloatArray | None = None) -> FloatArray:
        """Return the whole matrix.

        Parameters
        ----------
        out : ndarray of shape (m, n), default=None
            Array that receives the matrix. None: a new array, or a read-only view if the operator holds its matrix.

        Returns
        -------
        ndarray of shape (m, n)
            The matrix, bitwise symmetric if the operator is symmetric.

        Raises
        ------
        MemoryLimitError
            Before anything is allocated, if the matrix does not fit.
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
        """Return the product K V without forming K; the same as ``K @ V``.

        Parameters
        ----------
        V : array-like of shape (n,) or (n, n_vectors)
            Vector or matrix of finite numbers.

        Returns
        -------
        ndarray of shape (m,) or (m, n_vectors)
            Product in float64. Tiles take at most `memory_budget` bytes.
        """
        V, flat = check_operand(self, V, self.shape[1], "K @ V")
        with quiet():
            result = self._matmul(V) if V.size else np.empty((self.shape[0], 0))
            return checked_product(self, result[:, 0] if flat else result)

    def rmatmul(self, V: Any) -> FloatArray:
        """Return the product Kᵀ V without forming K; the same as ``(V.T @ K).T``.

        Parameters
        ----------
        V : array-like of shape (m,) or (m, n_vectors)
            Vector or matrix of finite numbers.

        Returns
        -------
        ndarray of shape (n,) or (n, n_vectors)
            Product in float64. Tiles take at most `memory_budget` bytes.
        """
        V, flat = check_operand(self, V, self.shape[0], "Kᵀ @ V")
        with quiet():
            result = self._transposed(V) if V.size else np.empty((self.shape[1], 0))
            return checked_product(self, result[:, 0] if flat else result)

    def grouped_matmul(self, starts: Any, V: Any) -> DoubleArray:
        """Return a separate product K[:, g] V[g] for each group g of consecutive columns.

        Every entry of K is computed once.

        Parameters
        ----------
        starts : array-like of int of shape (n_groups + 1,)
            Group g consists of the columns ``starts[g]:starts[g + 1]``. The first entry is 0, the last is n.
        V : array-like of shape (n, n_vectors)
            Right-hand sides.

        Returns
        -------
        ndarray of shape (n_groups, m, n_vectors)
            Products in float64.
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
        """Return HKHᵀ with H = I − 1wᵀ, the Gram matrix of features with (weighted) mean zero.

        Parameters
        ----------
        weight : array-like of shape (n,), default=None
            Non-negative weights w of the samples; they are divided by their sum. None: all equal.

        Returns
        -------
        CenteredOperator
            Centred operator. Its method `test` centres test data.
        """
        from mercer.operators.centered import CenteredOperator

        centered = CenteredOperator(self, weight=weight)
        centered.who = self.who
        return centered

    def as_linear_operator(self) -> "LinearOperator":
        """Return K as a SciPy operator for `scipy.sparse.linalg`, such as ``eigsh``, ``svds`` or ``cg``.

        Returns
        -------
        scipy.sparse.linalg.LinearOperator
            Operator of the same shape in float64, whose products call `matmul` and `rmatmul`.
        """
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
