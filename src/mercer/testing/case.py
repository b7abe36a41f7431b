"""Kernel and data under test, and comparisons with informative errors."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, FloatArray
from mercer.data import n_samples, take
from mercer.kernels import Kernel

__all__ = ["TOLERANCE", "Case", "is_matrix", "nodes"]

# Two computations of one value differ by rounding, which cancellation in distances and powers amplifies.
TOLERANCE = {np.dtype(np.float32): 2e-4, np.dtype(np.float64): 1e-9}


def is_matrix(X: Data) -> bool:
    """Whether X is a matrix of float32 or float64 numbers, dense or sparse."""
    shaped = isinstance(X, np.ndarray) or sp.issparse(X)
    return shaped and X.ndim == 2 and X.dtype in (np.float32, np.float64)


def nodes(kernel: Kernel, X: Data = None) -> Iterator[tuple[Kernel, Data]]:
    """The kernel and all kernels inside it, each with the data that it reads (None without data)."""
    yield kernel, X
    parts = kernel.parts()
    inner = kernel.restrict(X) if parts and X is not None else None
    for part in parts.values():
        yield from nodes(part, inner)


@dataclass(frozen=True, eq=False)
class Case:
    """A kernel, a sample and a second data set. Values that several laws need are computed once."""

    given: Kernel
    sample: Data
    other: Data = None

    @cached_property
    def kernel(self) -> Kernel:
        """The kernel with all parameters resolved on the sample."""
        return self.given.resolve(self.sample)

    @cached_property
    def n(self) -> int:
        """Number of samples."""
        return n_samples(self.sample)

    @cached_property
    def gram(self) -> FloatArray:
        """The Gram matrix of the sample, read-only."""
        K = np.asarray(self.kernel(self.sample))
        K.setflags(write=False)
        return K

    @cached_property
    def pair(self) -> tuple[Data, Data]:
        """Two data sets: the sample and `other`, or two halves of the sample."""
        if self.other is not None:
            return self.sample, self.other
        half = self.n // 2
        return take(self.sample, range(half)), take(self.sample, range(half, self.n))

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Expected precision of the values: float32 if the sample or the result has it."""
        single = np.float32 in (getattr(self.sample, "dtype", None), self.gram.dtype)
        return np.dtype(np.float32 if single else np.float64)

    @cached_property
    def eps(self) -> float:
        """Machine epsilon of the values."""
        return float(np.finfo(self.dtype).eps)

    def agree(self, first: Any, second: Any, names: str, *, size: float = 0.0, dtype: Any = None) -> None:
        """Raise an AssertionError unless two matrices or vectors are equal up to rounding, entry by entry.

        An entry (i, j) may differ by a tolerance times √(a_i b_j), where a_i and b_j are the largest entries of its row
        and column. For an inner product this is at least ‖x_i‖ ‖z_j‖. An entry of a vector may differ by a tolerance
        times the largest entry, or times `size` if that is larger.
        """
        A, B = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
        if A.shape != B.shape:
            raise AssertionError(f"{names}: shapes {A.shape} and {B.shape} differ")
        larger = np.maximum(abs(A), abs(B))
        if A.ndim == 2:
            allowed = np.sqrt(np.outer(larger.max(axis=1), larger.max(axis=0)))
        else:
            allowed = np.full(A.shape, max(larger.max(), size))
        gap = abs(A - B)
        bad = ~(gap <= TOLERANCE[np.dtype(dtype or self.dtype)] * allowed)
        if bad.any():
            at = np.unravel_index(np.where(bad, gap, -1).argmax(), A.shape)
            where = ", ".join(str(int(i)) for i in at)
            raise AssertionError(f"{names} differ at [{where}]: {A[at]:.12g} against {B[at]:.12g}")
