"""Sparse features without a vocabulary: named by 64-bit keys, so that data sets packed apart can meet.

Kernels of strings, trees and graphs count things that occur in a sample. A key is the thing itself where it fits into
64 bits, else a stable hash of it; nothing has to be agreed upon before, and nothing is remembered.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

import mercer._core as _core
from mercer._runtime.limits import require_memory
from mercer._typing import DoubleArray, IndexArray
from mercer._validation import Rebuilt, check_array, check_offsets

__all__ = ["KeyArray", "KeyedRows", "key_index", "stacked"]

UNARY_BYTES = 48  # what an entry of unary features takes while they are made
BLOCK = 1 << 20  # entries whose columns are looked up at a time

KeyArray = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class KeyedRows(Rebuilt):
    """Rows of features: sample i has ``values[indptr[i]:indptr[i + 1]]`` at the keys of the same range.

    The arrays are copied and checked; what breaks a rule below raises ValueError.

    Parameters
    ----------
    indptr : ndarray of int64, shape (n + 1,)
        Where rows begin.
    keys : ndarray of uint64, shape (entries,)
        Ascending within a row, each once.
    values : ndarray of float64, shape (entries,)
        Finite value that the sample has of each key.

    Examples
    --------
    >>> import numpy as np
    >>> keys = np.array([3, 9, 4, 9], dtype=np.uint64)
    >>> A = KeyedRows(np.array([0, 2, 4]), keys, np.array([1.0, 2.0, 1.0, 5.0]))
    >>> B = KeyedRows(np.array([0, 1]), keys[1:2], np.array([3.0]))
    >>> A.matrix.toarray(), A.onto(B).toarray()
    (array([[1., 0., 2.],
           [0., 1., 5.]]), array([[2.],
           [5.]]))
    """

    indptr: IndexArray
    keys: KeyArray
    values: DoubleArray

    def __post_init__(self) -> None:
        who, entries = "KeyedRows", np.size(self.keys)
        keys = check_array(who, "keys", self.keys, np.uint64, (entries,))
        values = check_array(who, "values", self.values, np.float64, (entries,))
        indptr = check_offsets(who, "indptr", self.indptr, entries)
        rising = np.ones(entries, dtype=bool)
        np.greater(keys[1:], keys[:-1], out=rising[1:])
        rising[indptr[:-1][np.diff(indptr) > 0]] = True
        if not rising.all():
            at = int(np.argmin(rising))
            row = int(np.searchsorted(indptr, at, side="right")) - 1
            raise ValueError(
                f"{who}: keys must ascend within a row, got {keys[at - 1]} and then {keys[at]} in row {row}."
            )
        self.__dict__.update(indptr=indptr, keys=keys, values=values)

    @classmethod
    def _of(cls, indptr: Any, keys: Any, values: Any) -> "KeyedRows":
        """Rows that the core has counted, or that were made of valid ones: nothing is copied or checked."""
        rows = cls.__new__(cls)
        rows.__dict__.update(indptr=indptr, keys=keys, values=values)
        return rows

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @cached_property
    def _found(self) -> tuple[KeyArray, Any]:
        return stacked([self])

    @property
    def columns(self) -> KeyArray:
        """All keys, ascending."""
        return self._found[0]

    @property
    def matrix(self) -> Any:
        """CSR matrix of shape (n, number of keys), in the order of `columns`."""
        return self._found[1]

    def onto(self, other: "KeyedRows") -> Any:
        """CSR matrix in the columns of other rows; keys that those do not have are left out."""
        return self.matrix if other is self else self.in_columns(key_index(other.columns))

    def in_columns(self, index: _core.KeyIndex) -> Any:
        """CSR matrix with a column for every key of an index; other keys are left out."""
        at, width = index.find(self.keys), len(index)
        kept = at >= 0
        if kept.all():
            return _csr(at, self.values, self.indptr, width)
        indptr = np.concatenate([[0], np.cumsum(kept)])[self.indptr]
        return _csr(at[kept], self.values[kept], indptr, width)

    def unary(self, *, order: bool = True) -> "KeyedRows":
        """Counts as inner products: Σ_u min(c_u, d_u) is that of these 0/1 features, one for each u and each 1, …, c_u.

        >>> import numpy as np
        >>> rows = KeyedRows(np.array([0, 2, 3]), np.array([3, 9, 9], dtype=np.uint64), np.array([1.0, 2.0, 5.0]))
        >>> F = rows.unary().matrix
        >>> (F @ F.T).toarray()  # min(2, 5) off the diagonal
        array([[3., 2.],
               [2., 5.]])
        """
        if self.values.size and not (0 <= self.values.min() <= self.values.max() < 2**53):
            raise ValueError(
                f"KeyedRows: unary features need counts from 0 to 2**53, got values from {self.values.min():g} to "
                f"{self.values.max():g}."
            )
        counts = self.values.astype(np.int64)
        ends = np.concatenate([[0], np.cumsum(counts)])
        require_memory(
            UNARY_BYTES * int(ends[-1]),
            what=f"features of minima, one for each of {int(ends[-1])} occurrences,",
            instead="Gram matrices of this kernel need no features; use them, or mode='count' or 'presence'.",
        )
        level = np.arange(1, ends[-1] + 1) - np.repeat(ends[:-1], counts)
        keys = _core.combine_keys(np.repeat(self.keys, counts), level.astype(np.uint64))
        indptr = ends[self.indptr]
        if not order:
            return KeyedRows._of(indptr, keys, level.astype(np.float64))
        row = np.repeat(np.arange(len(self)), np.diff(indptr))
        return KeyedRows._of(indptr, keys[np.lexsort((keys, row))], np.ones(len(keys)))

    def take(self, rows: IndexArray) -> "KeyedRows":
        """Some of the rows, in this order."""
        sizes = np.diff(self.indptr)[rows]
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        source = np.repeat(self.indptr[:-1][rows] - indptr[:-1], sizes) + np.arange(indptr[-1])
        return KeyedRows._of(indptr, self.keys[source], self.values[source])


def key_index(keys: KeyArray) -> _core.KeyIndex:
    """An index that numbers the keys as they are listed."""
    index = _core.KeyIndex()
    index.add(np.ascontiguousarray(keys))
    return index


def stacked(parts: Iterable[KeyedRows]) -> tuple[KeyArray, Any]:
    """The different keys of all parts, ascending, and one CSR matrix with a column for each; O(entries).

    A part may be a thing of the moment: its entries are copied once, and nothing else is kept.
    """
    index = _core.KeyIndex()
    numbers, values, sizes = _Growing(np.int32), _Growing(np.float64), [np.zeros(1, dtype=np.int64)]
    for rows in parts:
        numbers.append(index.add(rows.keys))
        values.append(rows.values)
        sizes.append(np.diff(rows.indptr))
    found = index.keys()
    order = np.argsort(found)
    rank = np.empty(len(found), dtype=np.int32)
    rank[order] = np.arange(len(found), dtype=np.int32)
    columns = numbers.finish()
    for start in range(0, len(columns), BLOCK):
        block = columns[start : start + BLOCK]
        block[...] = rank[block]
    return found[order], _csr(columns, values.finish(), np.cumsum(np.concatenate(sizes)), len(found))


class _Growing:
    """An array that grows at its end; the system moves large ones without copying, so that they are there once."""

    def __init__(self, dtype: Any) -> None:
        self._array, self._n = np.empty(0, dtype=dtype), 0

    def append(self, part: npt.NDArray[Any]) -> None:
        if self._n + len(part) > len(self._array):
            self._array.resize(max(self._n + len(part), 3 * self._n // 2), refcheck=False)
        self._array[self._n : self._n + len(part)] = part
        self._n += len(part)

    def finish(self) -> npt.NDArray[Any]:
        self._array.resize(self._n, refcheck=False)
        return self._array


def _csr(indices: Any, values: DoubleArray, indptr: IndexArray, width: int) -> Any:
    """CSR matrix of entries whose columns ascend in every row."""
    indptr = indptr.astype(np.int32 if len(indices) < 2**31 else np.int64)
    # One column at least: nothing in common is a fact about the data, not a data set without features.
    matrix = sp.csr_matrix(
        (values, indices.astype(indptr.dtype, copy=False), indptr), shape=(len(indptr) - 1, max(1, width))
    )
    matrix.has_canonical_format = True
    return matrix
