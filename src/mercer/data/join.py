"""Concatenation of samples of any kind."""

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from mercer._typing import Data
from mercer._validation import as_csr, describe
from mercer.data.frames import as_frame
from mercer.data.packed import Packed
from mercer.data.tables.column import Column
from mercer.data.tables.table import Table

__all__ = ["joined"]


def joined(first: Data, second: Data) -> Data:
    """Concatenate two sets of samples of the same kind.

    Parameters
    ----------
    first : array, sparse matrix, frame, Table, packed container or list
        Samples.
    second : array, sparse matrix, frame, Table, packed container or list
        More samples of the same kind, with the same columns.

    Returns
    -------
    data
        All samples, those of `first` before those of `second`. Sequences of different types become a list.

    Raises
    ------
    TypeError
        If the kinds of data differ.
    ValueError
        If the columns differ.

    See Also
    --------
    take : Choose samples.

    Examples
    --------
    >>> joined(["ox", "cow"], ("owl",))
    ['ox', 'cow', 'owl']
    """
    if sp.issparse(first) or sp.issparse(second):
        parts = [as_csr("joined", part) if sp.issparse(part) else sp.csr_matrix(part) for part in (first, second)]
        _check_columns(*parts)
        return sp.vstack(parts, format="csr")
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        _check_columns(first, second)
        try:
            return np.concatenate([first, second])
        except TypeError as error:  # no common dtype, such as of numbers and dates
            raise TypeError(
                f"joined: expected samples of one type, got {describe(first)} and {describe(second)} ({error}); "
                "convert one of them with astype."
            ) from None
    if isinstance(first, Packed) and type(first) is type(second):
        return first + second
    if isinstance(first, Table) and isinstance(second, Table) and first.names == second.names:
        return Table(first.names, tuple(map(Column.joined, first.columns, second.columns)))
    frames = as_frame(first), as_frame(second)
    if frames[0] is not None and frames[1] is not None:
        return nw.concat([frames[0], frames[1]]).to_native()
    if isinstance(first, Sequence | np.ndarray) and isinstance(second, Sequence | np.ndarray):
        return [*first, *second]
    raise TypeError(
        f"joined: expected more samples of the kind of the first, {describe(first)}, got {describe(second)}; pass all "
        "as arrays, sparse matrices, frames, tables, packed containers or lists."
    )


def _check_columns(first: Any, second: Any) -> None:
    if first.shape[1:] != second.shape[1:]:
        raise ValueError(
            f"joined: expected samples of one shape, got {describe(first)} and {describe(second)}; both sets need "
            "the same columns."
        )
