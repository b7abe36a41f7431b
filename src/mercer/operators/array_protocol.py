"""NumPy's array protocol for operators: ``np.asarray(K)``, ``K[rows, cols]``, ``len(K)``."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer._typing import FloatArray

if TYPE_CHECKING:
    from mercer.operators.base import GramOperator

__all__ = ["ArrayProtocol"]


class ArrayProtocol:
    """Mixin for conversion to an array and for indexing, by `block`, `dense` and `array` of an operator."""

    def __array__(self: "GramOperator", dtype: Any = None, copy: bool | None = None) -> FloatArray:  # type: ignore[misc]
        """Return the dense matrix; called by `numpy.asarray`.

        Parameters
        ----------
        dtype : dtype, default=None
            Type of the entries. None: the type of the operator.
        copy : bool, default=None
            As in `numpy.asarray`. False raises ValueError unless the matrix is in memory in this type.

        Returns
        -------
        ndarray of shape (m, n)
            The dense matrix.

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
                f"{self.who}: copy=False is not possible because the matrix is not in memory as {wanted}; "
                "use copy=None, or gram(..., materialize=True)."
            )
        if wanted == np.float64:
            return self.array()
        if held is not None:
            return held.astype(wanted)
        return self.dense().astype(wanted, copy=False)

    def __getitem__(self: "GramOperator", key: Any) -> Any:  # type: ignore[misc]
        """Return the number ``K[i, j]``, the block ``K[rows, cols]`` or the rows ``K[rows]``.

        Parameters
        ----------
        key : int, slice, mask or array of int, or a pair of them
            Rows, or rows and columns. Two arrays select a block, every row with every column, as in `block` and as
            ``A[numpy.ix_(rows, cols)]`` does for arrays.

        Returns
        -------
        number or ndarray
            Values in the type of the operator. A single integer drops its axis.

        Raises
        ------
        IndexError
            If an index is out of range or of another kind.

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
            raise IndexError(f"{self.who}: got {len(pair)} indices, but a matrix has two axes; write K[rows, cols].")
        values = self.block(*pair)
        return values[tuple(0 if _is_single(index) else slice(None) for index in pair)]

    def __len__(self: "GramOperator") -> int:  # type: ignore[misc]
        """Return the number of rows."""
        return self.shape[0]


def _is_single(index: Any) -> bool:
    return not isinstance(index, slice) and np.ndim(index) == 0
