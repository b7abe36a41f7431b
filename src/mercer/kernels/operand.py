"""Arrays that kernel programs read, and their storage."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer._validation import Rebuilt, check_array, check_vectors, describe
from mercer.kernels.keyed import KeyedRows

__all__ = ["Operand"]

NEARLY_CENTRED = 0.01  # largest ratio of the squared norm of the mean to the mean squared norm
# CSR is faster than dense up to this share of nonzeros, from these numbers of columns and entries.
SPARSE, WIDE, LARGE = 0.2, 32, 2**16
Once: TypeAlias = Callable[[Any, Any, Callable[[], Any]], Any]  # see `mercer.kernels.sharing.once`


def _mostly_zeros(array: Any) -> bool:
    """Whether inner products are faster in CSR: the matrix is large and a sample of its rows has few nonzeros."""
    rows, columns = array.shape
    if columns < WIDE or rows * columns < LARGE:
        return False
    some = array[:: max(1, rows // 64)]
    nonzeros = some.nnz if sp.issparse(some) else np.count_nonzero(some)
    return bool(nonzeros <= SPARSE * some.shape[0] * columns)


def _compressed(array: Any) -> Any:
    """The matrix as CSR. This is three times as fast as SciPy's conversion, which makes coordinates first."""
    rows, columns = array.shape
    array = np.ascontiguousarray(array)
    nonzero = array != 0
    counts = np.count_nonzero(nonzero, axis=1)
    at = np.flatnonzero(nonzero)
    data = array.reshape(-1)[at]
    at -= np.repeat(np.arange(rows) * columns, counts)
    index = np.int32 if max(rows * columns, len(data)) < 2**31 else np.int64
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(index)
    matrix = sp.csr_matrix((data, at.astype(index), indptr), shape=array.shape)
    matrix.has_canonical_format = True
    return matrix


def _own(name: str, array: Any, finite: bool = True) -> Any:
    """Checked private copy of a dense or CSR matrix of floats."""
    if not sp.issparse(array):
        dtype = np.float32 if getattr(array, "dtype", None) == np.float32 else np.float64
        return check_array("Operand", name, array, dtype, (len(array), None), finite=finite)
    return check_vectors("Operand", array, name=name).copy()


@dataclass(frozen=True, eq=False)
class Operand(Rebuilt):
    """One array that sources of a program read, dense or CSR.

    `left` replaces the array on the left of inner products. `scale` multiplies each column of a distance. `centred`
    requests inner products around the column means, which preserves the digits of distances. `shared` means that the
    program also needs plain inner products of the same rows: rows that are nearly centred are then left unchanged, and
    one product serves both. `keyed` are features whose columns have keys instead of an order. `by_coordinates` means
    that a source runs over coordinates. `compressed` means that a dense array was stored as CSR.
    """

    array: Any
    left: FloatArray | None = None
    scale: DoubleArray | None = None
    centred: bool = False
    shared: bool = False
    keyed: KeyedRows | None = None
    by_coordinates: bool = False
    compressed: bool = False
    _onto: "list[Any]" = field(default_factory=list, init=False, repr=False)  # the last partner and its matrix

    def onto(self, partner: "Operand") -> Any:
        """The array in the columns of a partner with keys. The last result is kept for the next block."""
        if self.keyed is None or partner.keyed is None or partner is self:
            return self.csr
        if not (self._onto and self._onto[0] is partner):
            self._onto[:] = partner, self.keyed.onto(partner.keyed)
        return self._onto[1]

    def checked(self, n: int, once: Once) -> "Operand":
        """Check an unpickled operand: its arrays must be readable by the core and have n rows.

        Operands that share an array share its copy, because inner products of one array are computed once.
        """
        if self.keyed is not None:
            if not isinstance(self.keyed, KeyedRows):
                raise ValueError(f"Operand: keyed must be KeyedRows or None, got {describe(self.keyed)}.")
            array = self.keyed.matrix
        else:
            finite = not self.by_coordinates  # codes of categories may be infinite
            array = once(("own", finite), self.array, partial(_own, "array", self.array, finite))
        if array.shape[0] != n:
            raise ValueError(f"Operand: array must have {n} rows, one for each sample, got {describe(array)}.")
        left, scale = self.left, self.scale
        if left is not None and (sp.issparse(left) or sp.issparse(array) or left.shape != array.shape):
            raise ValueError(f"Operand: left must be dense and of shape {array.shape}, got {describe(left)}.")
        return replace(
            self,
            array=array,
            left=None if left is None else _own("left", left),
            scale=None if scale is None else check_array("Operand", "scale", scale, np.float64, (array.shape[1],)),
        )

    def stored(self, once: Once) -> "Operand":
        """The operand as the core reads it: a large array with few nonzeros is stored as CSR where that is faster."""
        array = self.array
        if self.by_coordinates or self.left is not None or self.sparse or not _mostly_zeros(array):
            return self
        return replace(self, array=once("csr", array, partial(_compressed, array)), compressed=True)

    def kept(self, rows: IndexArray, once: Once) -> "Operand":
        """Copy of some rows, stored as if the others had never existed."""
        if self.keyed is not None:
            keyed = once("kept", self.keyed, partial(self.keyed.take, rows))
            return replace(self, array=keyed.matrix, keyed=keyed)
        array = once("kept", self.array, lambda: self.array[rows])
        if self.compressed and not _mostly_zeros(array):
            array = once("dense", array, array.toarray)
        kept = replace(
            self,
            array=array,
            left=None if self.left is None else self.left[rows],
            scale=None if self.scale is None else self.scale.copy(),
            compressed=self.compressed and sp.issparse(array),
        )
        return kept.stored(once)

    @cached_property
    def centre(self) -> DoubleArray | None:
        """Column means, if inner products are centred; else None."""
        if not self.centred or self.sparse:
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            means = np.asarray(self.array.mean(axis=0, dtype=np.float64))
            if self.shared:
                spread = np.einsum("ij,ij->", self.array, self.array, dtype=np.float64) / len(self.array)
                if means @ means <= NEARLY_CENTRED * spread:
                    return None
        return means if np.isfinite(means).all() else None  # sums of huge numbers overflow

    @property
    def sparse(self) -> bool:
        """Whether the array is a CSR matrix."""
        return bool(sp.issparse(self.array))

    @cached_property
    def csr(self) -> Any:
        """The array as a CSR matrix, for a partner that is one."""
        return self.array if self.sparse else sp.csr_matrix(self.array)
