"""Operators centred in feature space."""

from typing import final

import numpy as np

from mercer._typing import DoubleArray, FloatArray
from mercer._validation import describe
from mercer.operators import tiles
from mercer.operators.base import GramOperator
from mercer.operators.centering import Centering, mean_weights
from mercer.operators.tiles import Index

__all__ = ["CenteredOperator"]

_CACHED = 2**14  # size of a temporary that stays in cache, in numbers


@final
class CenteredOperator(GramOperator):
    r"""Centred operator K̃ = HKHᵀ with H = I − 1wᵀ: inner products around the mean of the training data.

    The mean is the (weighted) mean in feature space. Entry by entry, K̃_ij = K_ij − r_i − c_j + m, with the row means r,
    the column means c and the mean m of K.

    Parameters
    ----------
    operator : GramOperator
        Operator K of shape (n, n), or Kᵗ of shape (L, n) with `training`.
    training : CenteredOperator, default=None
        Centred operator of the training samples. The result is K̃ᵗ = Kᵗ − 1′K − Kᵗ1_n + 1′K1_n, where the row means
        belong to Kᵗ, and the column means and the mean belong to the training samples. Usually called through `test`.
    weight : array-like of shape (n,), default=None
        Non-negative weights of the training samples; they are divided by their sum. None: all equal.

    Attributes
    ----------
    weight : ndarray of shape (n,)
        Weights w, which sum to 1.
    row_means : ndarray of shape (n_rows,)
        Row means r in float64.
    column_means : ndarray of shape (n,)
        Column means c in float64.
    mean : float
        Mean m.

    See Also
    --------
    GramOperator.centered : Method that builds this operator.
    center_gram : Centre a matrix in memory.
    Centering : The means alone, for kernel expansions.

    Notes
    -----
    Construction costs one product with K. Every later product costs one product with K, because K̃V = KV′ − 1cᵀV′ for
    V′ = HᵀV. Nothing of size n² is held in memory.

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
                "the centred operator of the training data: centered.test(operator)."
            )
        if training is not None and training.shape[0] != n:
            raise ValueError(
                f"{who}: the test operator is {m} x {n}, but the training operator is "
                f"{training.shape[0]} x {training.shape[1]}; the columns of the test operator must be the training "
                "samples."
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
        """Means of the training data, which centre kernel expansions and new samples.

        Returns
        -------
        Centering
            Weights, column means and mean.
        """
        return Centering(self.weight, np.asarray(self.column_means, dtype=np.float64), self.mean)

    def test(self, operator: GramOperator) -> "CenteredOperator":
        """Centre kernel values between test samples (rows) and training samples (columns) by the training means.

        Parameters
        ----------
        operator : GramOperator of shape (L, n)
            Kernel values of L test samples and the n training samples.

        Returns
        -------
        CenteredOperator
            Centred operator of shape (L, n).
        """
        return CenteredOperator(operator, training=self)

    def factor(self) -> DoubleArray | None:
        """Return the factor F of the operator, centred by columns.

        Returns
        -------
        ndarray of shape (n, r) or None
            F − 1wᵀF; None if the operator has no factor.
        """
        F = self._operator.factor() if self.symmetric else None
        return None if F is None else F - self.weight @ F

    def _block(self, rows: Index, cols: Index, out: FloatArray) -> None:
        self._operator._block(rows, cols, out)
        half = self.mean / 2  # half for rows and half for columns keeps the shift of a symmetric block symmetric
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
