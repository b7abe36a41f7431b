"""What coefficients multiply at prediction: kernel values, rows of a Gram matrix, or features.

A fitted function is f(x) = Σ_j c_j b_j(x) + constant. The basis reads new samples and returns b_j(x); it is made by the
fit, rebuilt from the fitted attributes after a model is loaded, and never stored with a model.
"""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, final

import numpy as np

from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer.data import take
from mercer.kernels import Kernel
from mercer.kernels.program import Prepared
from mercer.operators import BlockedOperator, GramOperator, LowRankOperator, PrecomputedOperator

__all__ = ["Basis", "FeatureBasis", "Kept", "KernelBasis", "RowBasis", "basis_of"]


class Basis(ABC):
    """Functions b_j, one for each column of `rows`; samples go through `read` once for `rows` and `norms`."""

    @abstractmethod
    def read(self, estimator: Any, X: Data) -> Any:
        """Validate new samples with the estimator's checks, and pack them."""

    @abstractmethod
    def rows(self, samples: Any, n_jobs: int | None = None) -> GramOperator:
        """b_j(x) of samples that were read, of shape (m, columns)."""

    @abstractmethod
    def norms(self, samples: Any, who: str) -> DoubleArray | None:
        """k(x, x) of samples that were read, of shape (m,); None where it is not known. `who` is named in errors."""

    @abstractmethod
    def gram(self, n_jobs: int | None = None) -> GramOperator:
        """K of the training samples themselves, of shape (n, n)."""

    @abstractmethod
    def select(self, chosen: IndexArray) -> "Basis":
        """The basis of an expansion over some of the training samples."""

    def fold(self, coef: DoubleArray) -> DoubleArray:
        """Coefficients of the columns of `rows`, from those of the training samples, (n, outputs)."""
        return coef

    def expansions(self, samples: Any, starts: IndexArray, coef: DoubleArray, n_jobs: int | None = None) -> DoubleArray:
        """Σ_i coef_i k(x_i, x) over groups of training samples, of shape (groups, m, outputs), in one pass.

        Group g has the training samples ``starts[g]:starts[g + 1]``.
        """
        return self.rows(samples, n_jobs).grouped_matmul(starts, coef)


@final
class KernelBasis(Basis):
    """b_j(x) = k(x_j, x) for training samples, or landmarks, that are packed once.

    Parameters
    ----------
    kernel : Kernel
        With numbers for all parameters.
    X : data
        The samples x_j.
    packed : Prepared, default=None
        The samples packed for the kernel; None: packed at the first prediction.
    """

    def __init__(self, kernel: Kernel, X: Data, packed: Prepared | None = None) -> None:
        self._kernel, self._X, self._packed = kernel, X, packed

    @property
    def packed(self) -> Prepared:
        """The samples x_j, packed."""
        if self._packed is None:
            self._packed = self._kernel.prepare(self._X)
        return self._packed

    def read(self, estimator: Any, X: Data) -> Prepared:
        return self._kernel.prepare(estimator._check_new(self._kernel, X))

    def rows(self, samples: Prepared, n_jobs: int | None = None) -> GramOperator:
        return BlockedOperator(samples, self.packed, n_jobs=n_jobs)

    def norms(self, samples: Prepared, who: str) -> DoubleArray:
        operator = BlockedOperator(samples)
        operator.who = who
        return np.asarray(operator.diag(), dtype=np.float64)

    def gram(self, n_jobs: int | None = None) -> GramOperator:
        return BlockedOperator(self.packed, n_jobs=n_jobs)

    def select(self, chosen: IndexArray) -> "KernelBasis":
        packed = None if self._packed is None or not len(chosen) else self._packed.take(chosen).compact()
        return KernelBasis(self._kernel, take(self._X, chosen), packed)


@final
class RowBasis(Basis):
    """b_j(x) is entry j of a row of kernel values, which is what the user passes as a sample.

    Parameters
    ----------
    K : GramOperator or ndarray of shape (n, n)
        The Gram matrix of the training samples; an ndarray becomes an operator when `gram` is first asked for.
    columns : array of int, default=None
        The training samples that count; None means all.
    trusted : bool, default=False
        Whether rows come from mercer itself, so that they are not validated again.
    """

    def __init__(
        self, K: GramOperator | FloatArray, columns: IndexArray | None = None, *, trusted: bool = False
    ) -> None:
        self._K, self._columns, self._trusted = K, columns, trusted

    def read(self, estimator: Any, X: Data) -> FloatArray:
        return np.asarray(X if self._trusted else estimator._check_new_rows(X))

    def rows(self, samples: FloatArray, n_jobs: int | None = None) -> GramOperator:  # noqa: ARG002
        chosen = samples if self._columns is None else samples[:, self._columns]
        return PrecomputedOperator(chosen, symmetric=False, finite=True)

    def norms(self, samples: FloatArray, who: str) -> None:  # noqa: ARG002 - a row does not hold k(x, x)
        return None

    def gram(self, n_jobs: int | None = None) -> GramOperator:  # noqa: ARG002
        if not isinstance(self._K, GramOperator):
            self._K = PrecomputedOperator(self._K, finite=True)
        return self._K if self._columns is None else self._K.take(self._columns)

    def select(self, chosen: IndexArray) -> "RowBasis":
        columns = chosen if self._columns is None else self._columns[chosen]
        return RowBasis(self._K, columns, trusted=self._trusted)


@final
class FeatureBasis(Basis):
    """b_j(x) = φ_j(x) for explicit features with k(x, z) ≈ ⟨φ(x), φ(z)⟩, such as random ones.

    Parameters
    ----------
    kernel : Kernel
        The kernel whose rules new samples are validated by.
    features : callable
        X ↦ φ(X) of shape (m, r).
    F : ndarray of shape (n, r)
        Features of the training samples: coefficients c of these fold to Fᵀc.
    """

    def __init__(self, kernel: Kernel, features: Callable[[Data], DoubleArray], F: DoubleArray) -> None:
        self._kernel, self._features, self._F = kernel, features, F

    def read(self, estimator: Any, X: Data) -> DoubleArray:
        return self._features(estimator._check_new(self._kernel, X))

    def rows(self, samples: DoubleArray, n_jobs: int | None = None) -> GramOperator:  # noqa: ARG002
        return PrecomputedOperator(samples, symmetric=False)

    def norms(self, samples: DoubleArray, who: str) -> DoubleArray:  # noqa: ARG002
        return np.asarray(np.einsum("ij,ij->i", samples, samples), dtype=np.float64)

    def gram(self, n_jobs: int | None = None) -> GramOperator:  # noqa: ARG002
        return LowRankOperator(self._F)

    def select(self, chosen: IndexArray) -> "FeatureBasis":
        return FeatureBasis(self._kernel, self._features, self._F[chosen])

    def fold(self, coef: DoubleArray) -> DoubleArray:
        return np.asarray(self._F.T @ coef)

    def expansions(
        self,
        samples: DoubleArray,
        starts: IndexArray,
        coef: DoubleArray,
        n_jobs: int | None = None,  # noqa: ARG002
    ) -> DoubleArray:
        groups = [slice(first, last) for first, last in itertools.pairwise(starts)]
        return np.stack([samples @ (self._F[group].T @ coef[group]) for group in groups])


def basis_of(kernel: Kernel | None, X: Data, columns: IndexArray | None = None) -> Basis:
    """The basis of a fitted model: kernel and samples, or (`columns` of) rows of kernel values without a kernel."""
    return RowBasis(X, columns) if kernel is None else KernelBasis(kernel, X)


class Kept:
    """A basis in a fitted estimator, as an attribute that is neither copied nor pickled along."""

    basis: Basis | None = None

    @classmethod
    def of(cls, basis: Basis | None) -> "Kept":
        """A new holder of this basis."""
        kept = cls()
        kept.basis = basis
        return kept

    def __reduce__(self) -> Any:
        return Kept, ()
