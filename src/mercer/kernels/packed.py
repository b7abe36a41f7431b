"""Base class of kernels that the core computes pair by pair from packed samples."""

from abc import abstractmethod
from copy import copy
from typing import Any, ClassVar, TypeVar

import numpy as np

from mercer._runtime.engine import ready, thread_count
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.kernels.base import Kernel, Reads

__all__ = ["PackedKernel", "owned"]

Samples = TypeVar("Samples")


def owned(samples: Samples, rows: IndexArray | None) -> Samples:
    """Copy the chosen samples into arrays of their own, without texts of labels that do not occur in them."""
    return samples if rows is None else copy(samples[rows])  # type: ignore[index]


class PackedKernel(Kernel):
    """Base class of kernels that write k(A_i, B_j) of packed samples into the result.

    A subclass defines `pack`, `fill` and `fill_pairs`. The object returned by `pack` has a length. Indexing it with an
    array of row numbers or a slice gives a pack again. The value of a pair must not depend on the other packed samples.
    If indexing does not copy the samples, the pack has a method `compact` that copies the chosen ones.

    Parameters
    ----------
    *args : object
        Fields of the subclass, which is a frozen dataclass.
    **options : object
        Fields of the subclass, by name.

    See Also
    --------
    KeyedKernel : Base class of kernels with sparse explicit features.
    Kernel : Base class of all kernels.

    References
    ----------
    * Haussler, *Convolution kernels on discrete structures*, Technical report UCSC-CRL-99-10, 1999.

    Examples
    --------
    >>> import numpy as np
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class SameLength(PackedKernel):
    ...     def pack(self, X):
    ...         return np.array([len(x) for x in X])
    ...     def fill(self, A, B, out, threads):
    ...         out[:] = A[:, None] == B
    ...     def fill_pairs(self, A, B, out, threads):
    ...         out[:] = A == B
    >>> SameLength()(["ox", "cow", "owl"])
    array([[1., 0., 0.],
           [0., 1., 1.],
           [0., 1., 1.]])
    """

    reads: ClassVar[Reads] = "items"
    fills: ClassVar[bool] = True

    @abstractmethod
    def fill(self, A: Any, B: Any, out: DoubleArray, threads: int) -> None:
        """Write k(A_i, B_j) to ``out[i, j]``.

        Parameters
        ----------
        A : object
            Packed samples of the rows.
        B : object
            Packed samples of the columns. ``B is A`` means a symmetric block, which can be computed at half the cost.
        out : ndarray of float64 of shape (len(A), len(B))
            Result. Its rows are contiguous.
        threads : int
            Number of threads.
        """

    @abstractmethod
    def fill_pairs(self, A: Any, B: Any, out: DoubleArray, threads: int) -> None:
        """Write k(A_i, B_i) to ``out[i]``.

        Parameters
        ----------
        A : object
            Packed samples.
        B : object
            As many packed samples.
        out : ndarray of float64 of shape (len(A),)
            Result.
        threads : int
            Number of threads.
        """

    def evaluate(self, A: Any, B: Any) -> FloatArray:
        ready()
        out = np.empty((len(A), len(B)))
        self.fill(A, B, out, thread_count())
        return out

    def evaluate_pairs(self, A: Any, B: Any) -> FloatArray:
        ready()
        out = np.empty(len(A))
        self.fill_pairs(A, B, out, thread_count())
        return out
