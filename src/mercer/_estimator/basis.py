"""Bases of kernel expansions: the functions that dual coefficients multiply at prediction.

A fitted function is f(x) = Σ_j c_j b_j(x) + constant. The basis reads new samples and returns b_j(x): kernel values,
rows of a Gram matrix, or explicit features. It is created by the fit, rebuilt from the fitted attributes after a model
is loaded, and never stored with a model.
"""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, final

import numpy as np

from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer.data import take
from mercer.kernels import Kernel
from mercer.kernels.prepared import Prepared
from mercer.kernels.sharing import as_vectors
from mercer.operators import BlockedOperator, GramOperator, LowRankOperator, MappedOperator, PrecomputedOperator
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.reuse import Origin, origin
from mercer.operators.tiles import panels

__all__ = ["Basis", "FeatureBasis", "Kept", "KernelBasis", "RowBasis", "basis_of"]


class Basis(ABC):
    """Functions b_j, one for each column of `rows`; samples are passed through `read` once, for `rows` and `norms`."""

    @abstractmethod
    def read(self, estimator: Any, X: Data) -> Any:
        """Validate new samples with the checks of the estimator and pack them."""

    @abstractmethod
    def rows(self, samples: Any, n_jobs: int | None = None) -> GramOperator:
        """Values b_j(x) of samples that were read, of shape (m, n_columns)."""

    @abstractmethod
    def norms(self, samples: Any, who: str) -> DoubleArray | None:
        """Values k(x, x) of samples that were read, of shape (m,); None if they are unknown. Errors name `who`."""

    @abstractmethod
    def gram(self, n_jobs: int | None = None) -> GramOperator:
        """Gram matrix of the training samples, of shape (n, n)."""

    @abstractmethod
    def select(self, chosen: IndexArray) -> "Basis":
        """Basis of an expansion over a subset of the training samples."""

    @abstractmethod
    def columns(self, chosen: "Basis", n_jobs: int | None = None) -> GramOperator:
        """Values of a selected basis at the training samples of this one, of shape (n, n_columns)."""

    def fold(self, coef: DoubleArray) -> DoubleArray:
        """Coefficients of the columns of `rows`, from coefficients of the training samples of shape (n, n_outputs)."""
        return coef

    def expansions(self, samples: Any, starts: IndexArray, coef: DoubleArray, n_jobs: int | None = None) -> DoubleArray:
        """Σ_i coef_i k(x_i, x) over groups of training samples, of shape (n_groups, m, n_outputs), in one pass.

        Group g consists of the training samples ``starts[g]:starts[g + 1]``.
        """
        return self.rows(samples, n_jobs).grouped_matmul(starts, coef)


@final
class KernelBasis(Basis):
    """Kernel values b_j(x) = k(x_j, x) of training samples or landmarks, which are packed once.

    Parameters
    ----------
    kernel : Kernel
        Kernel with numerical values of all parameters.
    X : data
        The samples x_j.
    packed : Prepared, default=None
        The samples packed for the kernel; None packs them at the first prediction.
    chosen : Origin, default=None
        Where the samples were chosen from, if a cache of Gram matrices is open.
    """

    def __init__(self, kernel: Kernel, X: Data, packed: Prepared | None = None, chosen: Origin | None = None) -> None:
        self._kernel, self._X, self._packed, self._chosen = kernel, X, packed, chosen

    @property
    def packed(self) -> Prepared:
        """The samples x_j, packed."""
        if self._packed is None:
            self._packed = self._kernel.prepare(self._X)
        return self._packed

    def read(self, estimator: Any, X: Data) -> Prepared:
        return self._kernel.prepare(estimator._check_new(self._kernel, X))

    def rows(self, samples: Prepared, n_jobs: int | None = None) -> GramOperator:
        return BlockedOperator(samples, self.packed, n_jobs=n_jobs, origin=self._chosen)

    def norms(self, samples: Prepared, who: str) -> DoubleArray:
        operator = BlockedOperator(samples)
        operator.who = who
        return np.asarray(operator.diag(), dtype=np.float64)

    def gram(self, n_jobs: int | None = None) -> GramOperator:
        return BlockedOperator(self.packed, n_jobs=n_jobs)

    def columns(self, chosen: Basis, n_jobs: int | None = None) -> GramOperator:
        return chosen.rows(self.packed, n_jobs)

    def over(self, X: Data) -> "KernelBasis":
        """Kernel values of other samples."""
        return KernelBasis(self._kernel, X)

    def select(self, chosen: IndexArray) -> "KernelBasis":
        if self._packed is None or not len(chosen):
            return KernelBasis(self._kernel, take(self._X, chosen))
        packed = self._packed.take(chosen).compact()
        return KernelBasis(self._kernel, take(self._X, chosen), packed, origin(self._packed, chosen, self._chosen))


@final
class RowBasis(Basis):
    """Rows of precomputed kernel values: b_j(x) is entry j of the row that the user passes for sample x.

    Parameters
    ----------
    K : GramOperator or ndarray of shape (n, n)
        Gram matrix of the training samples. An ndarray becomes an operator at the first call of `gram`.
    columns : ndarray of int, default=None
        Indices of the training samples in the expansion; None means all.
    trusted : bool, default=False
        Whether rows come from mercer itself and are not validated again.
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

    def norms(self, samples: FloatArray, who: str) -> None:  # noqa: ARG002 - a row does not contain k(x, x)
        return None

    def gram(self, n_jobs: int | None = None) -> GramOperator:  # noqa: ARG002
        return self._whole if self._columns is None else self._whole.take(self._columns)

    @property
    def _whole(self) -> GramOperator:
        if not isinstance(self._K, GramOperator):
            self._K = PrecomputedOperator(self._K, finite=True)
        return self._K

    def columns(self, chosen: Basis, n_jobs: int | None = None) -> GramOperator:  # noqa: ARG002
        assert isinstance(chosen, RowBasis)  # rows of a Gram matrix have no samples that another basis could read
        every = slice(None)
        rows, cols = (every if basis._columns is None else basis._columns for basis in (self, chosen))
        return PrecomputedOperator(self._whole.block(rows, cols), symmetric=False, finite=True)

    def select(self, chosen: IndexArray) -> "RowBasis":
        columns = chosen if self._columns is None else self._columns[chosen]
        return RowBasis(self._K, columns, trusted=self._trusted)


@final
class FeatureBasis(Basis):
    """Explicit features b_j(x) = φ_j(x) with k(x, z) ≈ ⟨φ(x), φ(z)⟩, such as random features.

    Parameters
    ----------
    kernel : Kernel
        Kernel by whose rules new samples are validated.
    features : callable
        Map from X to φ(X) of shape (m, r), which is applied to panels of rows.
    n_components : int
        Number r of features.
    F : ndarray of shape (n, r), default=None
        Features of the training samples, to which dual coefficients c fold as Fᵀc. None if they are not held.
    """

    def __init__(
        self, kernel: Kernel, features: Callable[[Data], FloatArray], n_components: int, F: FloatArray | None = None
    ) -> None:
        self._kernel, self._features, self._n_components, self._F = kernel, features, n_components, F

    def read(self, estimator: Any, X: Data) -> Any:
        return as_vectors(estimator._check_new(self._kernel, X), type(estimator).__name__)

    def rows(self, samples: Any, n_jobs: int | None = None) -> GramOperator:  # noqa: ARG002
        return MappedOperator(self._features, samples, self._n_components)

    def norms(self, samples: Any, who: str) -> DoubleArray:  # noqa: ARG002
        norms = np.empty(samples.shape[0])
        for rows in panels(len(norms), max(1, MEMORY_BUDGET // (8 * self._n_components))):
            F = self._features(samples[rows])
            norms[rows] = np.einsum("ij,ij->i", F, F, dtype=np.float64)
        return norms

    def gram(self, n_jobs: int | None = None) -> GramOperator:  # noqa: ARG002
        return LowRankOperator(self._held)

    def columns(self, chosen: Basis, n_jobs: int | None = None) -> GramOperator:  # noqa: ARG002
        assert isinstance(chosen, FeatureBasis)
        return LowRankOperator(self._held, chosen._held)

    def select(self, chosen: IndexArray) -> "FeatureBasis":
        return FeatureBasis(self._kernel, self._features, self._n_components, self._held[chosen])

    def fold(self, coef: DoubleArray) -> DoubleArray:
        return np.asarray(self._held.T @ coef)

    def expansions(
        self,
        samples: Any,
        starts: IndexArray,
        coef: DoubleArray,
        n_jobs: int | None = None,
    ) -> DoubleArray:
        groups = [slice(first, last) for first, last in itertools.pairwise(starts)]
        folded = np.hstack([self._held[group].T @ coef[group] for group in groups])
        values = np.asarray(self.rows(samples, n_jobs) @ folded)
        return np.stack(np.split(values, len(groups), axis=1))

    @property
    def _held(self) -> FloatArray:
        if self._F is None:
            raise TypeError("FeatureBasis: the features of the training samples are not held.")
        return self._F


def basis_of(kernel: Kernel | None, X: Data, columns: IndexArray | None = None) -> Basis:
    """Basis of a fitted model: kernel values of samples, or (columns of) rows of kernel values without a kernel."""
    return RowBasis(X, columns) if kernel is None else KernelBasis(kernel, X)


class Kept:
    """Holder of the basis of a fitted estimator; the basis is neither copied nor pickled with the estimator."""

    basis: Basis | None = None

    @classmethod
    def of(cls, basis: Basis | None) -> "Kept":
        """New holder of this basis."""
        kept = cls()
        kept.basis = basis
        return kept

    def __reduce__(self) -> Any:
        return Kept, ()
