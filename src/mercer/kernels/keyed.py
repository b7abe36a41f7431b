"""Sparse features without a vocabulary: named by 64-bit keys, so that data sets packed apart can meet.

Kernels of strings, trees and graphs count things that occur in a sample. A key is the thing itself where it fits into
64 bits, else a stable hash of it; nothing has to be agreed upon before, and nothing is remembered.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mercer._typing import DoubleArray, IndexArray

__all__ = ["KeyedRows"]

KeyArray = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class KeyedRows:
    """Rows of features: sample i has ``values[indptr[i]:indptr[i + 1]]`` at the keys of the same range.

    Attributes
    ----------
    indptr : array of int64, shape (n + 1,)
        Where rows begin.
    keys : array of uint64
        Ascending within a row, each once.
    values : array of float64
        What the sample has of each key.

    Examples
    --------
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

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @cached_property
    def _found(self) -> tuple[KeyArray, IndexArray]:
        columns, inverse = np.unique(self.keys, return_inverse=True)
        return columns, inverse.astype(np.int64)

    @property
    def columns(self) -> KeyArray:
        """All keys, ascending."""
        return self._found[0]

    @cached_property
    def matrix(self) -> Any:
        """CSR matrix of shape (n, number of keys), in the order of `columns`."""
        return self._csr(self._found[1], self.values, self.indptr, len(self.columns))

    def onto(self, other: "KeyedRows") -> Any:
        """CSR matrix in the columns of other rows; keys that those do not have are left out."""
        return self.matrix if other is self else self.onto_keys(other.columns)

    def onto_keys(self, known: KeyArray) -> Any:
        """CSR matrix with a column for each of some ascending keys; others are left out."""
        at = np.searchsorted(known, self.columns)
        at[at == len(known)] = 0
        shared = known[at] == self.columns if len(known) else np.zeros(len(self.columns), dtype=bool)
        kept = shared[self._found[1]]
        indptr = np.concatenate([[0], np.cumsum(kept)])[self.indptr]
        return self._csr(at[self._found[1][kept]], self.values[kept], indptr, len(known))

    @staticmethod
    def _csr(indices: IndexArray, values: DoubleArray, indptr: IndexArray, width: int) -> Any:
        # One column at least: nothing in common is a fact about the data, not a data set without features.
        matrix = sp.csr_matrix((values, indices, indptr), shape=(len(indptr) - 1, max(1, width)))
        matrix.has_sorted_indices = True
        return matrix

    def take(self, rows: IndexArray) -> "KeyedRows":
        """Some of the rows, in this order."""
        sizes = np.diff(self.indptr)[rows]
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        source = np.repeat(self.indptr[:-1][rows] - indptr[:-1], sizes) + np.arange(indptr[-1])
        return KeyedRows(indptr, self.keys[source], self.values[source])
