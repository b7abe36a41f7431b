"""Leaves over packed samples, whose values the core computes pair by pair: kernels of strings and trees."""

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
    """Some samples of a container in arrays of their own, without the texts of labels that do not occur in them."""
    return samples if rows is None else copy(samples[rows])  # type: ignore[index]


class PackedKernel(Kernel):
    """A leaf that writes k(A_i, B_j) of packed samples straight into the result.

    An author writes `pack`, `fill` and `fill_pairs`. What `pack` returns has a length and is indexed by an array of row
    numbers or a slice, which gives a pack again; the values of a pair must not depend on what else is packed. A pack
    whose choice of rows refers to all samples has a method `compact`, which copies the chosen ones.
    """

    reads: ClassVar[Reads] = "items"
    fills: ClassVar[bool] = True

    @abstractmethod
    def fill(self, A: Any, B: Any, out: DoubleArray, threads: int) -> None:
        """Write k(A_i, B_j) to out[i, j], shape (len(A), len(B)); rows of `out` are contiguous float64.

        ``B is A`` means a symmetric block, to be computed at half the cost.
        """

    @abstractmethod
    def fill_pairs(self, A: Any, B: Any, out: DoubleArray, threads: int) -> None:
        """Write k(A_i, B_i) to out[i], shape (len(A),)."""

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
