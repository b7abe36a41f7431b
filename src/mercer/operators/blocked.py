"""The Gram matrix of a kernel that is never held: tiles are made when they are asked for."""

from typing import final

import numpy as np

from mercer._core import RowSource
from mercer._runtime.engine import ready, thread_count
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.kernels import evaluate as evaluation
from mercer.kernels.definiteness import Definiteness
from mercer.kernels.program import Prepared
from mercer.operators import tiles
from mercer.operators.base import MEMORY_BUDGET, GramOperator
from mercer.operators.finite import kernel_remedy
from mercer.operators.tiles import Index

__all__ = ["BlockedOperator"]


@final
class BlockedOperator(GramOperator):
    """K_ij = k(x_i, z_j) from prepared data, evaluated tile by tile.

    Parameters
    ----------
    left, right : Prepared
        What ``kernel.prepare`` returned, both for one resolved kernel; without `right`, or with
        ``right is left``, K is symmetric. `mercer.operators.gram` prepares data.
    n_jobs : int, optional
        Threads; None means all that are allowed.
    memory_budget : int
        Bytes for tiles.

    Notes
    -----
    A product costs m·n evaluations, half as many if K is symmetric; native kernels use up each
    tile while it is in cache. Memory: the data, the result, the budget.

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
        thread_count(n_jobs)  # so that a wrong n_jobs fails here, not in the first product
        super().__init__(
            (left.n, right.n),
            dtype,
            symmetric=right is left,
            memory_budget=memory_budget,
            buffers=1 + len(left.foreign),
            costly=bool(left.foreign),
        )
        self._left, self._right, self._n_jobs = left, right, n_jobs
        self._fused = not left.foreign  # nodes in Python are evaluated once per pair, by tiles

    def _take(self, rows: IndexArray) -> GramOperator:
        left = self._left.take(rows)
        right = left if self.symmetric else self._right.take(rows)
        return BlockedOperator(left, right, n_jobs=self._n_jobs, memory_budget=self.memory_budget)

    def arranged(self, order: IndexArray) -> tuple[GramOperator, IndexArray]:
        place = np.full(self.shape[0], -1)
        place[order] = np.arange(len(order))
        return self.take(order), place

    def row_source(self, cache_size: float = 200.0) -> RowSource:
        if not self._fused or not self.symmetric:
            return super().row_source(cache_size)
        self.diag()  # raises what the solver would only see as a result that is not finite
        ready()
        return RowSource.native(self._left.program, self._left.side())

    def factor(self) -> DoubleArray | None:
        """Return the vectors themselves, for the linear kernel on fewer columns than samples."""
        plain = self._left.inner_products() if self.symmetric else None
        return None if plain is None or plain.shape[1] >= len(plain) else np.asarray(plain, dtype=np.float64)

    def _block(self, rows: Index, cols: Index, out: FloatArray) -> None:
        A = self._left.take(rows)
        B = A if self.symmetric and tiles.same(rows, cols) else self._right.take(cols)
        evaluation.block(A, B, out=out, n_jobs=self._n_jobs)

    def _diag(self) -> FloatArray:
        return evaluation.paired(self._left, self._right, n_jobs=self._n_jobs)

    def _matmul(self, V: FloatArray) -> FloatArray:
        return self._product(self._left, self._right, V) if self._fused else tiles.matmul(self, V)

    def _rmatmul(self, V: FloatArray) -> FloatArray:
        return self._product(self._right, self._left, V) if self._fused else tiles.rmatmul(self, V)

    def _grouped_matmul(self, starts: IndexArray, V: FloatArray) -> DoubleArray:
        if not self._fused:
            return super()._grouped_matmul(starts, V)
        return evaluation.grouped_matmul(self._left, self._right, starts, V, n_jobs=self._n_jobs)

    def _dense(self, out: FloatArray) -> None:
        evaluation.block(self._left, self._right, out=out, n_jobs=self._n_jobs)

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
