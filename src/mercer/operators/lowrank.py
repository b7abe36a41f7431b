"""Low-rank Gram matrices, given by explicit features."""

from typing import Any, final

import numpy as np
import scipy.sparse as sp

from mercer._core import RowSource
from mercer._runtime.engine import ready
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer._validation import check_vector, check_vectors, describe
from mercer.kernels.dot import Linear
from mercer.operators import tiles
from mercer.operators.base import MEMORY_BUDGET, GramOperator
from mercer.operators.tiles import Index

__all__ = ["LowRankOperator"]


@final
class LowRankOperator(GramOperator):
    """Low-rank operator K = F Gᵀ + diag(d), held as its factors.

    Parameters
    ----------
    F : array-like of shape (m, r)
        Features of the rows.
    G : array-like of shape (n, r), default=None
        Features of the columns. None: F, and K is symmetric.
    diagonal : array-like of shape (n,), default=None
        Diagonal d of a square K, such as the residual of an approximation or a ridge. None: zero.
    memory_budget : int, default=64000000
        Maximal number of bytes for tiles and conversions.

    See Also
    --------
    gram : Operator of a kernel; the linear kernel accepts sparse features.
    GramOperator.factor : Factor F of an operator, if it has one.

    Notes
    -----
    A product costs O((m + n) r) per vector. Memory: O((m + n) r).

    Examples
    --------
    >>> from mercer.operators import LowRankOperator
    >>> K = LowRankOperator([[1.0], [2.0]], diagonal=[0.5, 0.5])
    >>> K.dense()
    array([[1.5, 2. ],
           [2. , 4.5]])
    >>> K
    LowRankOperator: 2 x 2, float64, rank 1 + diagonal
    """

    def __init__(
        self,
        F: Any,
        G: Any = None,
        diagonal: Any = None,
        *,
        memory_budget: int = MEMORY_BUDGET,
    ) -> None:
        symmetric = G is None or G is F
        F = _features("F", F)
        G = F if symmetric else _features("G", G)
        if F.shape[1] != G.shape[1]:
            raise ValueError(
                f"LowRankOperator: F of shape {F.shape} and G of shape {G.shape} need the same number of columns."
            )
        shape = (F.shape[0], G.shape[0])
        self._diagonal: FloatArray | None = None
        if diagonal is not None:
            if shape[0] != shape[1]:
                raise ValueError(
                    f"LowRankOperator: diagonal needs a square matrix, this one is {shape[0]} x "
                    f"{shape[1]}; use diagonal=None."
                )
            self._diagonal = check_vector("LowRankOperator", "diagonal", diagonal, shape[0])
        dtype = np.result_type(F, G)
        super().__init__(shape, dtype, symmetric=symmetric, memory_budget=memory_budget, buffers=2)
        self._F = F.astype(dtype, copy=False)
        self._G = self._F if symmetric else G.astype(dtype, copy=False)

    def _take(self, rows: IndexArray) -> GramOperator:
        if self._diagonal is not None and len(np.unique(rows)) < len(rows):
            return super()._take(rows)  # the diagonal entry of a repeated sample is in several rows and columns
        F, diagonal = self._F[rows], None if self._diagonal is None else self._diagonal[rows]
        return LowRankOperator(
            F, F if self.symmetric else self._G[rows], diagonal=diagonal, memory_budget=self.memory_budget
        )

    def factor(self) -> DoubleArray | None:
        """Return the features F.

        Returns
        -------
        ndarray of shape (n, r) or None
            F in float64; None if K is not symmetric, has a diagonal or r >= n.
        """
        if not self.symmetric or self._diagonal is not None or self._F.shape[1] >= len(self._F):
            return None
        return np.asarray(self._F, dtype=np.float64)

    def row_source(self, cache_size: float = 200.0) -> RowSource:
        """Return rows for the compiled solvers, computed natively from the features. K must be symmetric.

        Parameters
        ----------
        cache_size : float, default=200.0
            Size of the cache in megabytes, for operators with a diagonal.

        Returns
        -------
        RowSource
            Source of rows.
        """
        if not self.symmetric or self._diagonal is not None:
            return super().row_source(cache_size)
        self.diag()  # raises with a reason; the compiled solver would only see non-finite results
        ready()
        samples = Linear().prepare(self._F)  # K is the linear kernel of the rows of F
        return RowSource.native(samples.program, samples.side())

    def _block(self, rows: Index, cols: Index, out: FloatArray) -> None:
        np.matmul(self._F[rows], self._G[cols].T, out=out)
        if self._diagonal is not None:
            chosen = tiles.numbers(rows)
            i, j = np.nonzero(np.equal.outer(chosen, tiles.numbers(cols)))
            out[i, j] += self._diagonal[chosen[i]]

    def _diag(self) -> FloatArray:
        values: FloatArray = np.einsum("ij,ij->i", self._F, self._G, dtype=np.float64)
        if self._diagonal is not None:
            values += self._diagonal
        return values.astype(self.dtype, copy=False)

    def _matmul(self, V: FloatArray) -> FloatArray:
        return self._product(self._F, self._G, V)

    def _rmatmul(self, V: FloatArray) -> FloatArray:
        return self._product(self._G, self._F, V)

    def _product(self, left: FloatArray, right: FloatArray, V: FloatArray) -> FloatArray:
        inner = tiles.product(right.T, V, self.memory_budget)
        result = tiles.product(left, inner, self.memory_budget)
        if self._diagonal is not None:
            result += self._diagonal[:, None] * V
        return result

    def _label(self) -> str:
        return f"rank {self._F.shape[1]}" + (" + diagonal" if self._diagonal is not None else "")


def _features(name: str, value: Any) -> FloatArray:
    if sp.issparse(value):
        raise TypeError(
            f"LowRankOperator: {name} must be a dense array, got {describe(value)}; for sparse "
            "features use mercer.operators.gram(Linear(), features)."
        )
    features: FloatArray = check_vectors("LowRankOperator", value, name=name)
    return features
