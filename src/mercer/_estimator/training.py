"""Training data of a fit, as seen by solvers and estimators."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mercer._estimator.basis import Basis, KernelBasis, RowBasis
from mercer._estimator.progress import Report
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.data import take
from mercer.kernels import Kernel
from mercer.kernels.prepared import Prepared
from mercer.kernels.sharing import as_vectors
from mercer.operators import GramOperator

if TYPE_CHECKING:
    from mercer._estimator.features import Approximation

__all__ = ["Training", "operator_training"]


@dataclass(eq=False)
class Training:
    """Training data that have been validated and packed.

    Attributes
    ----------
    who : str
        Name of the estimator, for error messages.
    X : data
        Samples in the form that the kernel reads, or the Gram matrix.
    kernel : Kernel or None
        Kernel with numerical values of all parameters; None for a Gram matrix.
    basis : Basis
        Functions that the dual coefficients multiply at prediction.
    weight : ndarray of shape (n,)
        Sample weights; ones if none were given.
    kept : ndarray of int
        Indices of the samples with positive weight.
    weighted : bool, default=False
        Whether weights were given.
    n_jobs : int or None, default=None
        Number of threads for kernel values.
    operator : GramOperator of shape (n, n), default=None
        Gram matrix in another form than that of the basis: in memory, weighted, or of low rank.
    report : callable or None, default=None
        Progress callback of the solver.
    approximation : Approximation, default=None
        Features that replace the Gram matrix. Callers that fit several times pass them, so that they are computed once.
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
    approximation: "Approximation | None" = None

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.weight)

    @cached_property
    def K(self) -> GramOperator:  # noqa: N802 - the usual symbol
        """Gram matrix as a symmetric operator, the only view of the data that solvers have."""
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
        """Values k(x, x) of all samples."""
        return np.asarray(self.K.diag(), dtype=np.float64)

    @property
    def n_features(self) -> int:
        """Number of columns of vectors."""
        return int(as_vectors(self.X, self.who).shape[1])

    def gram(self, rows: IndexArray) -> GramOperator:
        """Gram matrix of some samples."""
        return self.K if len(rows) == self.n else self.K.take(rows)

    def packed(self, rows: IndexArray) -> Prepared:
        """Some samples, packed for the kernel."""
        assert isinstance(self.basis, KernelBasis)  # rows of a Gram matrix are not packed
        return self.basis.packed.take(rows)

    def landmarks(self, rows: IndexArray) -> tuple[Data, Basis]:
        """Some samples, chosen from those that `gram` was called for last, and the basis over them."""
        return None if self.X is None else take(self.X, rows), self.basis.select(rows)

    @property
    def optional_weight(self) -> DoubleArray | None:
        """`weight`, or None if no weights were given."""
        return self.weight if self.weighted else None


def operator_training(who: str, K: GramOperator, weight: DoubleArray | None = None) -> Training:
    """Training data from an operator built by mercer, whose matrix is not validated again.

    Predictions of models that are fitted to it take rows k(x, x_i) instead of samples. Weights are positive; None means
    ones.
    """
    n, weighted = K.shape[0], weight is not None
    weight = np.ones(n) if weight is None else weight
    return Training(who, None, None, RowBasis(K, trusted=True), weight, np.arange(n), weighted, operator=K)
