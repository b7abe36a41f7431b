"""Centring in feature space."""

from typing import final

import numpy as np

from mercer._typing import DoubleArray, FloatArray
from mercer._validation import describe
from mercer.operators import tiles
from mercer.operators.base import GramOperator
from mercer.operators.centering import Centering, mean_weights
from mercer.operators.tiles import Index

__all__ = ["CenteredOperator"]

_CACHED = 2**14  # numbers of a temporary that stays in cache


@final
class CenteredOperator(GramOperator):
    r"""K̃ = HKHᵀ, H = I − 1wᵀ: kernel values around the (weighted) mean of the training data in feature space.

    Entry by entry, K̃_ij = K_ij − r_i − c_j + m, with the row means r, the column means c and the
    mean m of K.

    Parameters
    ----------
    operator : GramOperator
        K of shape (n, n); with `training`, Kᵗ of shape (L, n).
    training : CenteredOperator, optional
        Centre as this operator does: K̃ᵗ = Kᵗ − 1′K − Kᵗ1_n + 1′K1_n, where r belongs to Kᵗ, and
        c and m to the training data. `test` is the usual way to say so.
    weight : array of shape (n,), optional
        Nonnegative weights of the training samples, of any positive sum; None: all equal.

    Attributes
    ----------
    weight : ndarray of shape (n,)
        w, of sum 1.
    row_means, column_means : ndarray of shape (n_rows,), (n,)
        r and c, in float64.
    mean : float
        m.

    Notes
    -----
    One product with K at construction; later products cost one with K each, since
    K̃V = KV′ − 1cᵀV′ for V′ = HᵀV. Nothing of size n² is held; `center_gram` centres a matrix in memory.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Linear
    >>> from mercer.operators import gram
    >>> X = np.array([[1.0], [3.0]])
    >>> K = gram(Linear(), X).centered()
    >>> K.dense()
    array([[ 1., -1.],
           [-1.,  1.]])
    >>> K.test(gram(Linear(), np.array([[4.0]]), X)).dense()  # (4 − 2)(x_j − 2)
    array([[-2.,  2.]])
    """

    def __init__(
        self,
        operator: GramOperator,
        *,
        training: "CenteredOperator | None" = None,
        weight: FloatArray | None = None,
    ) -> None:
        who = type(self).__name__
        if not isinstance(operator, GramOperator):
            raise TypeError(f"{who}: expected an operator, got {describe(operator)}.")
        m, n = operator.shape
        if training is None and m != n:
            raise ValueError(
                f"{who}: needs a square operator, got {m} x {n}; centre test data with "
                "the centred training operator: centered.test(operator)."
            )
        if training is not None and training.shape[0] != n:
            raise ValueError(
                f"{who}: test data of shape {m} x {n} do not fit training data of shape "
                f"{training.shape[0]} x {training.shape[1]}; test columns are training samples."
            )
        super().__init__(
            (m, n),
            operator.dtype,
            symmetric=operator.symmetric and training is None,
            memory_budget=operator.memory_budget,
            buffers=operator._buffers,
            costly=operator.costly,
        )
        self._operator = operator
        self.column_means: FloatArray
        self.mean: float
        self.weight: DoubleArray = mean_weights(who, weight, n) if training is None else training.weight
        self.row_means: FloatArray = operator.matmul(self.weight)
        if training is not None:
            self.column_means, self.mean = training.column_means, training.mean
        else:
            self.column_means = self.row_means if operator.symmetric else operator.rmatmul(self.weight)
            self.mean = float(self.weight @ self.column_means)

    @property
    def centering(self) -> Centering:
        """What the centring means for expansions and new samples."""
        return Centering(self.weight, np.asarray(self.column_means, dtype=np.float64), self.mean)

    def test(self, operator: GramOperator) -> "CenteredOperator":
        """Centre test samples (rows) by training samples (columns) with the training means."""
        return CenteredOperator(operator, training=self)

    def factor(self) -> DoubleArray | None:
        F = self._operator.factor() if self.symmetric else None
        return None if F is None else F - self.weight @ F

    def _block(self, rows: Index, cols: Index, out: FloatArray) -> None:
        self._operator._block(rows, cols, out)
        half = self.mean / 2  # shared out, so that the shift of a symmetric block is symmetric
        left, right = self.row_means[rows] - half, self.column_means[cols] - half
        for part in tiles.panels(len(left), max(1, _CACHED // len(right))):
            shift = left[part, None] + right
            np.subtract(out[part], shift, out=out[part], casting="same_kind")

    def _diag(self) -> FloatArray:
        shifted = self._operator._diag() - (self.row_means + self.column_means - self.mean)
        return shifted.astype(self.dtype, copy=False)

    def _matmul(self, V: FloatArray) -> FloatArray:
        V = V - np.outer(self.weight, V.sum(axis=0))
        result = self._operator._matmul(V)
        result -= self.column_means @ V
        return result

    def _rmatmul(self, V: FloatArray) -> FloatArray:
        total = V.sum(axis=0)
        result = self._operator._transposed(V)
        result -= np.outer(self.column_means - self.mean, total)
        result -= self.row_means @ V
        return result

    def _origin(self, i: int, j: int) -> tuple[int, int]:
        return self._operator._origin(i, j)

    def _remedy(self) -> str:
        return self._operator._remedy()

    def _label(self) -> str:
        return f"centered({self._operator._label()})"
