"""Matrix-free Gram matrix of a kernel, evaluated tile by tile."""

from typing import final

import numpy as np

from mercer._core import RowSource
from mercer._runtime.engine import ready, thread_count
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.kernels import evaluate as evaluation
from mercer.kernels.definiteness import Definiteness
from mercer.kernels.prepared import Prepared
from mercer.operators import reuse, tiles
from mercer.operators.base import MEMORY_BUDGET, GramOperator
from mercer.operators.finite import kernel_remedy
from mercer.operators.tiles import Index

__all__ = ["BlockedOperator"]

_SHARE = 256  # blocks below 1/256 of the matrix bypass the store, because every lookup hashes the samples


@final
class BlockedOperator(GramOperator):
    """Matrix-free Gram matrix K_ij = k(x_i, z_j) of prepared data, evaluated tile by tile.

    Parameters
    ----------
    left : Prepared
        Samples of the rows, as returned by ``kernel.prepare``. `gram` prepares data.
    right : Prepared, default=None
        Samples of the columns, prepared for the same resolved kernel. None, or `left` itself: K is symmetric.
    n_jobs : int, default=None
        Number of threads. None: all available cores.
    memory_budget : int, default=64000000
        Maximal number of bytes for tiles.
    origin : Origin, default=None
        Data set from which the samples of the columns were selected, if an open `GramCache` keeps it.

    See Also
    --------
    gram : Prepare data and build the operator.
    DenseOperator : The same matrix, computed once and held in memory.

    Notes
    -----
    A product costs m·n kernel evaluations, or half as many if K is symmetric. Native kernels multiply each tile while
    it is in cache. Memory: the data, the result and `memory_budget`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import RBF
    >>> from mercer.operators import BlockedOperator
    >>> x = RBF(gamma=0.5).prepare(np.zeros((2, 3)))
    >>> BlockedOperator(x).matmul([1.0, 2.0])
    array([3., 3.])
    """

    def __init__(
        self,
        left: Prepared,
        right: Prepared | None = None,
        *,
        n_jobs: int | None = None,
        memory_budget: int = MEMORY_BUDGET,
        origin: reuse.Origin | None = None,
    ) -> None:
        right = left if right is None else right
        for name, side in (("left", left), ("right", right)):
            if not isinstance(side, Prepared):
                raise TypeError(
                    f"BlockedOperator: {name} must be prepared data, got {type(side).__name__}; "
                    "use mercer.operators.gram(kernel, X, Y)."
                )
            if side.n == 0:
                raise ValueError(f"BlockedOperator: {name} has 0 samples, expected at least 1.")
        dtype = evaluation.check_pair(left, right)
        thread_count(n_jobs)  # raise for an invalid n_jobs here, not in the first product
        super().__init__(
            (left.n, right.n),
            dtype,
            symmetric=right is left,
            memory_budget=memory_budget,
            buffers=1 + len(left.foreign),
            costly=bool(left.foreign),
        )
        self._left, self._right, self._n_jobs = left, right, n_jobs
        self._fused = not left.foreign  # kernels in Python are evaluated once per pair, by tiles
        self._from = origin

    def _take(self, rows: IndexArray) -> GramOperator:
        left = self._left.take(rows)
        right = left if self.symmetric else self._right.take(rows)
        return BlockedOperator(left, right, n_jobs=self._n_jobs, memory_budget=self.memory_budget)

    def arranged(self, order: IndexArray) -> tuple[GramOperator, IndexArray]:
        """Return K[order, order], whose packed samples are contiguous, and the place of each sample.

        Parameters
        ----------
        order : ndarray of int of shape (n_chosen,)
            Distinct row indices in the order in which the solver reads them.

        Returns
        -------
        operator : GramOperator
            Operator K[order, order].
        place : ndarray of int of shape (n,)
            Row of each sample in `operator`; -1 for samples that are left out.
        """
        place = np.full(self.shape[0], -1)
        place[order] = np.arange(len(order))
        return self.take(order), place

    def row_source(self, cache_size: float = 200.0) -> RowSource:
        """Return rows for the compiled solvers, computed natively where the kernel has native code.

        Parameters
        ----------
        cache_size : float, default=200.0
            Size of the cache in megabytes, for kernels in Python.

        Returns
        -------
        RowSource
            Source of rows.
        """
        if not self._fused or not self.symmetric:
            return super().row_source(cache_size)
        self.diag()  # raises with a reason; the compiled solver would only see non-finite results
        ready()
        held = self._whole()
        if held is not None:
            return RowSource.matrix(held)
        return RowSource.native(self._left.program, self._left.side())

    def factor(self) -> DoubleArray | None:
        """Return the data themselves for the linear kernel with fewer features than samples.

        Returns
        -------
        ndarray of shape (n, r) or None
            F with K = F Fᵀ in float64; None for other kernels and for r >= n.
        """
        plain = self._left.inner_products() if self.symmetric else None
        return None if plain is None or plain.shape[1] >= len(plain) else np.asarray(plain, dtype=np.float64)

    def _block(self, rows: Index, cols: Index, out: FloatArray) -> None:
        known = self._known(rows, cols)
        if known is not None:
            out[...] = known
        else:
            self._evaluate(rows, cols, out)

    def _evaluate(self, rows: Index, cols: Index, out: FloatArray) -> None:
        A = self._left.take(rows)
        B = A if self.symmetric and tiles.same(rows, cols) else self._right.take(cols)
        evaluation.block(A, B, out=out, n_jobs=self._n_jobs)

    def _diag(self) -> FloatArray:
        store = None if self._fused else reuse.current_store()
        if store is not None:
            key = reuse.block_key("diag", self._left, self._right, self.dtype, self._n_jobs)
            known = store.block(key, self.shape[:1], self.dtype, lambda out: np.copyto(out, self._paired()))
            if known is not None:
                return known.copy()
        return self._paired()

    def _paired(self) -> FloatArray:
        return evaluation.paired(self._left, self._right, n_jobs=self._n_jobs)

    def _matmul(self, V: FloatArray) -> FloatArray:
        if not self._fused:
            return tiles.matmul(self, V)
        held = self._whole()
        if held is not None:
            return tiles.product(held, V, self.memory_budget)
        return self._product(self._left, self._right, V)

    def _rmatmul(self, V: FloatArray) -> FloatArray:
        return self._product(self._right, self._left, V) if self._fused else tiles.rmatmul(self, V)

    def _grouped_matmul(self, starts: IndexArray, V: FloatArray) -> DoubleArray:
        if not self._fused:
            return super()._grouped_matmul(starts, V)
        return evaluation.grouped_matmul(self._left, self._right, starts, V, n_jobs=self._n_jobs)

    def _dense(self, out: FloatArray) -> None:
        store = reuse.current_store()
        known = None if store is None else self._stored(store)
        if known is not None:
            out[...] = known
        else:
            evaluation.block(self._left, self._right, out=out, n_jobs=self._n_jobs)

    # ---- blocks read from or written to an open store

    def _stored(self, store: reuse.Store) -> FloatArray | None:
        """Return the whole matrix from a store."""
        key = reuse.block_key("dense", self._left, self._right, self.dtype, self._n_jobs)
        return store.block(
            key,
            self.shape,
            self.dtype,
            lambda out: evaluation.block(self._left, self._right, out=out, n_jobs=self._n_jobs),
        )

    def _whole(self) -> FloatArray | None:
        """Return the matrix for products and rows, if the open store may change their last digits."""
        store = reuse.current_store()
        if store is None or store.exact:
            return None
        wider = self._wider(store)
        return self._stored(store) if wider is None else wider

    def _known(self, rows: Index, cols: Index) -> FloatArray | None:
        """Return a block from a store, if it is large enough to outweigh hashing the samples."""
        store = reuse.current_store()
        if store is None or (self._fused and store.exact):
            return None
        if isinstance(rows, np.ndarray) or isinstance(cols, np.ndarray):
            return None
        shape = tiles.count(rows), tiles.count(cols)
        if shape[0] * shape[1] * _SHARE < self.shape[0] * self.shape[1]:
            return None
        wider = self._wider(store)
        if wider is not None:
            return wider[rows, cols]
        what = rows.start, rows.stop, cols.start, cols.stop
        key = reuse.block_key(what, self._left, self._right, self.dtype, self._n_jobs)
        return store.block(key, shape, self.dtype, lambda out: self._evaluate(rows, cols, out))

    def _wider(self, store: reuse.Store) -> FloatArray | None:
        """Return the matrix as columns of the matrix with all samples from which the right samples were selected.

        A support vector machine is trained on all samples and keeps its support vectors, which differ for every
        parameter. The wider matrix serves all of them.
        """
        if self._from is None or self.symmetric or (store.exact and not reuse.pair_by_pair(self._right)):
            return None
        right = store.find(self._from.digest)
        if right is None or right.kernel != self._right.kernel:
            return None
        key = reuse.block_key("wider", self._left, right, self.dtype, self._n_jobs)
        wider = store.block(
            key,
            (self._left.n, right.n),
            self.dtype,
            lambda out: evaluation.block(self._left, right, out=out, n_jobs=self._n_jobs),
        )
        return None if wider is None else wider[:, self._from.rows]

    def _product(self, left: Prepared, right: Prepared, V: FloatArray) -> FloatArray:
        return evaluation.matmul(left, right, V, n_jobs=self._n_jobs, budget=self.memory_budget)

    def _label(self) -> str:
        return str(self._left.kernel)

    def _origin(self, i: int, j: int) -> tuple[int, int]:
        rows, cols = self._left.rows, self._right.rows
        return i if rows is None else int(rows[i]), j if cols is None else int(cols[j])

    def _bounded_by_diagonal(self) -> bool:
        return self.symmetric and self._fused and self._left.kernel.definiteness is Definiteness.PSD

    def _remedy(self) -> str:
        return kernel_remedy(self._left.kernel, foreign=bool(self._left.foreign))
