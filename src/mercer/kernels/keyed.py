"""Sparse features named by 64-bit keys instead of columns.

String, tree and graph kernels count patterns in a sample. The key of a pattern is the pattern itself if it fits into
64 bits, else a stable hash of it. No vocabulary is needed: data sets that were packed separately can be compared.
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

UNARY_BYTES = 48  # peak memory per entry while unary features are made
BLOCK = 1 << 20  # entries per block of the column look-up

KeyArray = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class KeyedRows(Rebuilt):
    """Sparse feature rows whose columns are 64-bit keys.

    Sample i has the values ``values[indptr[i]:indptr[i + 1]]`` at the keys of the same range. The arrays are copied and
    checked.

    Parameters
    ----------
    indptr : ndarray of int64 of shape (n_samples + 1,)
        Start of each row.
    keys : ndarray of uint64 of shape (n_entries,)
        Keys, strictly ascending within a row.
    values : ndarray of float64 of shape (n_entries,)
        Finite value of each key.

    Raises
    ------
    ValueError
        If an array has the wrong type or shape, or if the keys of a row do not ascend.

    See Also
    --------
    KeyedKernel : Base class of kernels with such features.
    Vocabulary : Columns and names of explicit features.

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
                f"{who}: keys must ascend within a row, got {keys[at - 1]} before {keys[at]} in row {row}."
            )
        self.__dict__.update(indptr=indptr, keys=keys, values=values)

    @classmethod
    def _of(cls, indptr: Any, keys: Any, values: Any) -> "KeyedRows":
        """Rows from arrays that are known to be valid, without copies or checks."""
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
        """Distinct keys of all rows, ascending."""
        return self._found[0]

    @property
    def matrix(self) -> Any:
        """CSR matrix of shape (n_samples, n_keys), with columns in the order of `columns`."""
        return self._found[1]

    def onto(self, other: "KeyedRows") -> Any:
        """Matrix with the columns of other rows.

        Parameters
        ----------
        other : KeyedRows
            Rows whose `columns` are used. Keys that do not occur in them are dropped.

        Returns
        -------
        csr_matrix of shape (n_samples, n_keys of other)
            Values of these rows in the columns of `other`.
        """
        return self.matrix if other is self else self.in_columns(key_index(other.columns))

    def in_columns(self, index: _core.KeyIndex) -> Any:
        """Matrix with one column for each key of an index.

        Parameters
        ----------
        index : KeyIndex
            Index made by `key_index`. Keys that are not in it are dropped.

        Returns
        -------
        csr_matrix of shape (n_samples, len(index))
            Values of these rows in the columns of the index.
        """
        at, width = index.find(self.keys), len(index)
        kept = at >= 0
        if kept.all():
            return _csr(at, self.values, self.indptr, width)
        indptr = np.concatenate([[0], np.cumsum(kept)])[self.indptr]
        return _csr(at[kept], self.values[kept], indptr, width)

    def unary(self, *, order: bool = True) -> "KeyedRows":
        """Unary 0/1 features of counts, whose inner products are sums of minima.

        A count c of key u becomes c features with value 1. Hence Σ_u min(c_u, d_u) is the inner product of two rows.

        Parameters
        ----------
        order : bool, default=True
            Whether to sort the keys of each row. With False the values are the levels 1, …, c instead of 1.

        Returns
        -------
        KeyedRows
            Rows with a new key for each pair of key and level.

        Raises
        ------
        ValueError
            If a value is not a count.
        MemoryLimitError
            If the features do not fit into memory.

        Examples
        --------
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
            what=f"unary features, one for each of {int(ends[-1])} occurrences,",
            instead="Use Gram matrices, which need no explicit features, or mode='count' or 'presence'.",
        )
        level = np.arange(1, ends[-1] + 1) - np.repeat(ends[:-1], counts)
        keys = _core.combine_keys(np.repeat(self.keys, counts), level.astype(np.uint64))
        indptr = ends[self.indptr]
        if not order:
            return KeyedRows._of(indptr, keys, level.astype(np.float64))
        row = np.repeat(np.arange(len(self)), np.diff(indptr))
        return KeyedRows._of(indptr, keys[np.lexsort((keys, row))], np.ones(len(keys)))

    def take(self, rows: IndexArray) -> "KeyedRows":
        """Choose rows.

        Parameters
        ----------
        rows : ndarray of int64
            Row numbers, in the order wanted.

        Returns
        -------
        KeyedRows
            The chosen rows.
        """
        sizes = np.diff(self.indptr)[rows]
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        source = np.repeat(self.indptr[:-1][rows] - indptr[:-1], sizes) + np.arange(indptr[-1])
        return KeyedRows._of(indptr, self.keys[source], self.values[source])


def key_index(keys: KeyArray) -> _core.KeyIndex:
    """Index that numbers keys in the given order."""
    index = _core.KeyIndex()
    index.add(np.ascontiguousarray(keys))
    return index


def stacked(parts: Iterable[KeyedRows]) -> tuple[KeyArray, Any]:
    """Distinct keys of all parts, ascending, and one CSR matrix with a column for each; O(entries).

    Parts may come from a generator: the entries of each part are copied once and the part is not kept.
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
    """Array that grows at its end; large arrays are moved by the system without a copy."""

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
    # At least one column: scikit-learn rejects data without features.
    matrix = sp.csr_matrix(
        (values, indices.astype(indptr.dtype, copy=False), indptr), shape=(len(indptr) - 1, max(1, width))
    )
    matrix.has_canonical_format = True
    return matrix
