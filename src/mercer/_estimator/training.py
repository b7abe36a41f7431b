"""The training data of one fit, as solvers and estimators see them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mercer._estimator.basis import Basis
from mercer._estimator.progress import Report
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.kernels import Kernel
from mercer.operators import GramOperator

__all__ = ["Training"]


@dataclass(eq=False)
class Training:
    """Samples that have been validated and packed.

    Attributes
    ----------
    K : GramOperator of shape (n, n)
        The Gram matrix: what solvers are given.
    X : data
        The samples as the kernel reads them, or the Gram matrix.
    kernel : Kernel or None
        With numbers for all parameters; None for a Gram matrix.
    basis : Basis
        What coefficients of these samples multiply at prediction.
    weight : ndarray of shape (n,)
        Weight of each sample; ones if none were given.
    kept : ndarray of int
        Samples of positive weight.
    weighted : bool
        Whether weights were given.
    report : callable or None
        Progress callback of the solver.
    """

    K: GramOperator
    X: Data
    kernel: Kernel | None
    basis: Basis
    weight: DoubleArray
    kept: IndexArray
    weighted: bool = False
    report: Report | None = None

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.weight)

    @property
    def optional_weight(self) -> DoubleArray | None:
        """`weight`, or None if none were given."""
        return self.weight if self.weighted else None

    @cached_property
    def diagonal(self) -> DoubleArray:
        """k(x, x) of every sample."""
        return np.asarray(self.K.diag(), dtype=np.float64)
