"""The samples of a fit: packed for a kernel, or a Gram matrix that the user brought."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from mercer._estimator.progress import Report
from mercer._runtime.limits import require_memory
from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer.kernels import Kernel
from mercer.kernels.program import Prepared
from mercer.operators import BlockedOperator, GramOperator, PrecomputedOperator

__all__ = ["Packed", "Samples", "Training", "symmetric_operator"]

Samples: TypeAlias = Prepared | FloatArray  # packed for a kernel, or a Gram matrix


@dataclass(eq=False)
class Training:
    """The training data of one fit.

    Attributes
    ----------
    who : str
        The estimator, for messages.
    X : data
        The samples as the kernel reads them, or the Gram matrix.
    kernel : Kernel or None
        With numbers for all parameters; None for a Gram matrix.
    samples : Prepared or array
        X packed once for the kernel, or the Gram matrix.
    weight : array, shape (n,)
        Of each sample; ones if none were given.
    kept : array of int
        Samples of positive weight.
    weighted : bool
        Whether weights were given.
    report : callable or None
        To be told how the solution comes along.
    """

    who: str
    X: Data
    kernel: Kernel | None
    samples: Samples
    weight: DoubleArray
    kept: IndexArray
    weighted: bool = False
    report: Report | None = None

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.weight)

    @cached_property
    def diagonal(self) -> DoubleArray:
        """k(x, x) of every sample."""
        if not isinstance(self.samples, Prepared):
            return np.asarray(np.diagonal(self.samples), dtype=np.float64)
        return np.asarray(self.samples.kernel.diag(self.samples), dtype=np.float64)

    def operator(self, n_jobs: int | None = None) -> GramOperator:
        """K of shape (n, n), by tiles; a matrix of the user's must be symmetric."""
        if isinstance(self.samples, Prepared):
            return BlockedOperator(self.samples, n_jobs=n_jobs)
        return symmetric_operator(self.who, self.samples)

    def gram(self, n_jobs: int | None = None, *, buffers: int = 1) -> DoubleArray:
        """K in float64, in memory of its own that the caller may overwrite.

        Refused with advice before anything is allocated if `buffers` matrices of this size, the most that the caller
        will have alive at once, do not fit.
        """
        require_memory(
            buffers * 8 * self.n**2,
            what=f"{self.who}: {buffers} dense {self.n} x {self.n} matrices of 64-bit numbers",
            instead="Fit on fewer samples, or use an iterative solver where the estimator has one.",
        )
        K = np.empty((self.n, self.n))
        operator = self.operator(n_jobs)
        if operator.dtype == np.float64:
            operator.dense(out=K)
        else:
            K[...] = operator.dense()
        return K


def symmetric_operator(who: str, K: FloatArray) -> PrecomputedOperator:
    """A matrix of the user's as an operator, if it is symmetric up to rounding."""
    operator = PrecomputedOperator(K)
    if not operator.symmetric:
        raise ValueError(
            f"{who}: kernel='precomputed' needs a symmetric matrix, but K and its transpose differ by more than "
            "rounding; pass (K + K.T)/2 if that is meant."
        )
    return operator


class Packed:
    """Samples packed for a kernel at the first use; never copied or pickled along."""

    _samples: Prepared | None = None

    def of(self, kernel: Kernel, data: Data) -> Prepared:
        """`data` packed for the kernel; it is assumed to be the same at every call."""
        if self._samples is None:
            self._samples = kernel.prepare(data)
        return self._samples

    def __reduce__(self) -> Any:
        return Packed, ()
