"""Operators as NumPy sees them: ``np.asarray(K)``, ``K[rows, cols]``, ``len(K)``."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer._typing import FloatArray

if TYPE_CHECKING:
    from mercer.operators.base import GramOperator

__all__ = ["ArrayProtocol"]


class ArrayProtocol:
    """Conversion to an array, and values by index, from `block`, `dense` and `array` of an operator."""

    def __array__(self: "GramOperator", dtype: Any = None, copy: bool | None = None) -> FloatArray:  # type: ignore[misc]
        """Return the dense matrix, as `numpy.asarray` asks for it.

        Parameters
        ----------
        dtype : dtype, default=None
            Type of the entries; None means that of the operator.
        copy : bool, default=None
            As in `numpy.asarray`: False raises ValueError unless the matrix is in memory in this type.

        Raises
        ------
        MemoryLimitError
            Before anything is allocated, if the matrix does not fit.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer.kernels import Linear
        >>> from mercer.operators import gram
        >>> np.asarray(gram(Linear(), np.array([[1.0], [2.0]])))
        array([[1., 2.],
               [2., 4.]])
        """
        wanted = np.dtype(self.dtype if dtype is None else dtype)
        held = self.matrix
        if held is not None and held.dtype == wanted and not copy:
            return held
        if copy is False:
            raise ValueError(
                f"{self.who}: no array without a copy, since the matrix is not in memory as {wanted}; "
                "use copy=None, or gram(..., materialize=True)."
            )
        if wanted == np.float64:
            return self.array()
        if held is not None:
            return held.astype(wanted)
        return self.dense().astype(wanted, copy=False)

    def __getitem__(self: "GramOperator", key: Any) -> Any:  # type: ignore[misc]
        """Return values: ``K[i, j]`` a number, ``K[rows, cols]`` a block, ``K[rows]`` whole rows.

        Parameters
        ----------
        key : int, slice, mask or array of int, or a pair of them
            Rows, or rows and columns. Two arrays choose a block, every row with every column, as `block` does and
            `numpy.ix_` asks of NumPy.

        Returns
        -------
        number or ndarray
            In the type of the operator. A single integer drops its axis.

        Raises
        ------
        IndexError
            For rows and columns out of range, and for other kinds of indices.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer.kernels import Linear
        >>> from mercer.operators import gram
        >>> K = gram(Linear(), np.array([[1.0], [2.0], [3.0]]))
        >>> K[0, -1]
        np.float64(3.0)
        >>> K[[0, 2], 1:]
        array([[2., 3.],
               [6., 9.]])
        >>> K[1]
        array([2., 4., 6.])
        """
        pair = key if isinstance(key, tuple) else (key, slice(None))
        if len(pair) != 2:
            raise IndexError(
                f"{self.who}: a matrix has rows and columns, got {len(pair)} indices; write K[rows, cols]."
            )
        values = self.block(*pair)
        return values[tuple(0 if _is_single(index) else slice(None) for index in pair)]

    def __len__(self: "GramOperator") -> int:  # type: ignore[misc]
        """Return the number of rows."""
        return self.shape[0]


def _is_single(index: Any) -> bool:
    return not isinstance(index, slice) and np.ndim(index) == 0
