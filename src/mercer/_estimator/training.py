"""The training data of one fit, as solvers and estimators see them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mercer._estimator.basis import Basis, RowBasis
from mercer._estimator.progress import Report
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.kernels import Kernel
from mercer.operators import GramOperator

__all__ = ["Training", "operator_training"]


@dataclass(eq=False)
class Training:
    """Samples that have been validated and packed.

    Attributes
    ----------
    who : str
        Name of the estimator, for error messages.
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
    weighted : bool, default=False
        Whether weights were given.
    n_jobs : int or None, default=None
        Threads for kernel values.
    operator : GramOperator of shape (n, n), default=None
        The Gram matrix, where it is known in another form than by the basis: held, weighted, of low rank.
    report : callable or None, default=None
        Progress callback of the solver.
    """

    who: str
    X: Data
    kernel: Kernel | None
    basis: Basis
    weight: DoubleArray
    kept: IndexArray
    weighted: bool = False
    n_jobs: int | None = None
    operator: GramOperator | None = None
    report: Report | None = None

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.weight)

    @cached_property
    def K(self) -> GramOperator:  # noqa: N802 - as it is called
        """The Gram matrix as a symmetric operator, which is all that a solver is given."""
        K = self.basis.gram(self.n_jobs) if self.operator is None else self.operator
        K.who = self.who
        if not K.symmetric:
            raise ValueError(
                f"{self.who}: kernel='precomputed' needs a symmetric matrix, but K and its transpose differ by more "
                "than rounding; pass (K + K.T)/2 to symmetrise it."
            )
        return K

    @cached_property
    def diagonal(self) -> DoubleArray:
        """k(x, x) of every sample."""
        return np.asarray(self.K.diag(), dtype=np.float64)

    @property
    def optional_weight(self) -> DoubleArray | None:
        """`weight`, or None if none were given."""
        return self.weight if self.weighted else None


def operator_training(who: str, K: GramOperator) -> Training:
    """Training data of unit weight from an operator of mercer's own, whose matrix is not validated again.

    Predictions of models that are fitted to it take rows k(x, x_i) in place of samples.
    """
    n = K.shape[0]
    return Training(who, None, None, RowBasis(K, trusted=True), np.ones(n), np.arange(n), operator=K)
