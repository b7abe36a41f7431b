"""Square sub-operators, evaluated through row indices."""

from typing import final

import numpy as np

from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.operators import tiles
from mercer.operators.base import GramOperator
from mercer.operators.tiles import Index

__all__ = ["SelectedOperator"]


@final
class SelectedOperator(GramOperator):
    """Square sub-operator K[rows, rows] of an operator that has no cheaper sub-operator; see `GramOperator.take`.

    Parameters
    ----------
    operator : GramOperator of shape (n, n)
        Operator K, which is neither copied nor evaluated.
    rows : ndarray of int64 of shape (m,)
        Row indices, which may be repeated.

    See Also
    --------
    GramOperator.take : Method that builds sub-operators.

    Examples
    --------
    >>> from mercer.operators import PrecomputedOperator
    >>> K = PrecomputedOperator([[1.0, 2.0, 3.0], [2.0, 5.0, 6.0], [3.0, 6.0, 9.0]])
    >>> K.take([2, 0]).dense()
    array([[9., 3.],
           [3., 1.]])
    """

    def __init__(self, operator: GramOperator, rows: IndexArray) -> None:
        self._operator, self._rows, self._finite = operator, rows, operator._finite
        super().__init__(
            (len(rows), len(rows)),
            operator.dtype,
            symmetric=operator.symmetric,
            memory_budget=operator.memory_budget,
            buffers=operator._buffers,
            costly=operator.costly,
        )

    def _take(self, rows: IndexArray) -> GramOperator:
        return self._operator._take(self._rows[rows])

    def factor(self) -> DoubleArray | None:
        """Return the chosen rows of the operator's factor.

        Returns
        -------
        ndarray of shape (m, r) or None
            F[rows]; None if the operator has no factor or r >= m.
        """
        return tiles.narrow(self._operator.factor(), self._rows)

    def _block(self, rows: Index, cols: Index, out: FloatArray) -> None:
        self._operator._block(self._rows[rows], self._rows[cols], out)

    def _diag(self) -> FloatArray:
        return self._operator._diag()[self._rows]

    def _dense(self, out: FloatArray) -> None:
        if self._operator.matrix is None:
            super()._dense(out)
        else:
            np.take(self._operator.matrix[self._rows], self._rows, axis=1, out=out, mode="clip")

    def _matmul(self, V: FloatArray) -> FloatArray:
        if self._operator.matrix is None or 2 * len(self._rows) < self._operator.shape[0]:
            return super()._matmul(V)
        spread = np.zeros((self._operator.shape[0], V.shape[1]))  # a product with all of K reads memory in order
        np.add.at(spread, self._rows, V)
        return self._operator._matmul(spread)[self._rows]

    def _label(self) -> str:
        return f"{len(self._rows)} samples of {self._operator._label()}"

    def _origin(self, i: int, j: int) -> tuple[int, int]:
        return self._operator._origin(int(self._rows[i]), int(self._rows[j]))

    def _remedy(self) -> str:
        return self._operator._remedy()
