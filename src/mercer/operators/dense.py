"""Gram matrices that are computed once and held in memory."""

from typing import final

from mercer._validation import describe
from mercer.operators.base import GramOperator
from mercer.operators.held import HeldOperator

__all__ = ["DenseOperator"]


@final
class DenseOperator(HeldOperator):
    """Matrix of another operator, computed once and held in memory.

    Parameters
    ----------
    operator : GramOperator
        Operator to evaluate. `mercer.exceptions.MemoryLimitError` is raised before allocation if the matrix does not
        fit in memory.

    See Also
    --------
    GramOperator.hold : The same if the matrix fits in memory.
    BlockedOperator : Matrix-free operator of a kernel.
    PrecomputedOperator : Operator of a matrix that was computed elsewhere.

    Notes
    -----
    Memory: m·n numbers. Useful where rows or products are needed many times.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.operators import DenseOperator, gram
    >>> from mercer.kernels import Linear
    >>> K = DenseOperator(gram(Linear(), np.array([[1.0], [2.0]])))
    >>> K
    DenseOperator: 2 x 2, float64, linear
    >>> K.dense()
    array([[1., 2.],
           [2., 4.]])
    """

    def __init__(self, operator: GramOperator) -> None:
        if not isinstance(operator, GramOperator):
            raise TypeError(
                f"DenseOperator: expected an operator, got {describe(operator)}; "
                "wrap a matrix of your own in PrecomputedOperator."
            )
        self._source = operator._label()
        super().__init__(operator.dense(), symmetric=operator.symmetric, memory_budget=operator.memory_budget)

    def _label(self) -> str:
        return self._source
