"""Approximated training data: explicit features of the samples, which replace the Gram matrix in a fit."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple, final

import numpy as np

from mercer._estimator.basis import Basis, FeatureBasis
from mercer._estimator.training import Training
from mercer._runtime.limits import SHARE, available_memory, require_memory
from mercer._runtime.products import product
from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer.approximation import FittedApproximation, FourierMap
from mercer.kernels.sharing import as_vectors
from mercer.operators import GramOperator
from mercer.operators.tiles import panels
from mercer.solvers.logistic_sums import LossTask, Sums
from mercer.solvers.moments import Moments

__all__ = ["Approximation", "ExactGap", "RandomFeatures"]

_PANEL = 32_000_000  # bytes of a panel of features
_SAMPLE = 5  # random samples for each feature that determine a preconditioner
_GATHERED = 4096  # rows of features that are gathered at a time, at most
_FEW = 64  # outputs that are computed for all samples at once


def class_indicators(labels: IndexArray, weight: DoubleArray, k: int) -> DoubleArray:
    """Matrix of shape (n, k) with the weight of each sample in the column of its class.

    For labels of shape (n, 2), the matrix of the second column less that of the first.

    >>> class_indicators(np.array([1, 0]), np.array([2.0, 3.0]), 2)
    array([[0., 2.],
           [3., 0.]])
    """
    V, every = np.zeros((len(labels), k)), np.arange(len(labels))
    if labels.ndim == 1:
        V[every, labels] = weight
        return V
    V[every, labels[:, 1]] += weight
    V[every, labels[:, 0]] -= weight
    return V


class ExactGap(NamedTuple):
    """Bound on the amount by which the exact dual objective exceeds the approximated one, and its level."""

    gap: float
    confidence: float


class Approximation(ABC):
    """Features φ̂ of the training samples with k(x, z) ≈ ⟨φ̂(x), φ̂(z)⟩, computed in panels of rows or held.

    Parameters
    ----------
    training : Training
        Training data.
    fitted : FittedApproximation
        Record for the user.
    basis : Basis
        Functions that the coefficients of the model multiply at prediction.
    X : data or None
        Samples of the basis, which the model stores in place of the training samples.
    """

    on_sums: bool = False  # whether the features of all samples cannot be held, not even in a file
    in_blocks: ClassVar[bool] = False  # whether every pass reads the samples from a `BlockSource`
    keeps_moments: ClassVar[bool] = False  # whether `moments` is computed once for many fits
    rounding: float = 0.0  # rounding error of products with Σφ̂φ̂ᵀ that are not whitened sample by sample

    def __init__(self, training: Training, fitted: FittedApproximation, basis: Basis, X: Data) -> None:
        self.training, self.fitted, self.basis, self.X = training, fitted, basis, X
        self._arrays: dict[Any, FloatArray] = {}

    @property
    def n(self) -> int:
        """Number of training samples."""
        return self.training.n

    @property
    def n_components(self) -> int:
        """Number r of features."""
        return self.fitted.n_components

    @abstractmethod
    def rows(self, rows: slice | IndexArray) -> DoubleArray:
        """Features of some training samples, in memory of their own, of shape (n_rows, r)."""

    def blocks(self) -> Iterator[tuple[slice, DoubleArray]]:
        """Features of all training samples in panels of rows: yields the rows and their features."""
        for rows in panels(self.n, self._step):
            yield rows, self.rows(rows)

    def each(self, function: Callable[..., Any], *columns: Any) -> Any:
        """Outputs of a function of the features and columns of some samples, which returns one row for each."""
        out: Any = None
        for rows, F in self.blocks():
            part = function(F, *[None if column is None else column[rows] for column in columns])
            if out is None:
                out = np.empty((self.n, *part.shape[1:]), dtype=part.dtype)
            out[rows] = part
        return out

    def array(self, dtype: Any = np.float64) -> FloatArray:
        """Features of all training samples, of shape (n, r), behind the memory guard; computed once for each dtype."""
        dtype = np.dtype(dtype)
        if dtype in self._arrays:
            return self._arrays[dtype]
        require_memory(
            dtype.itemsize * self.n * self.n_components,
            what=f"{self.training.who}: {self.n} x {self.n_components} features",
            instead="Use fewer features: approximation=m with a smaller m.",
        )
        F = np.empty((self.n, self.n_components), dtype=dtype)
        self._fill(F)
        self._arrays[dtype] = F
        return F

    def _fill(self, F: FloatArray) -> None:
        """Write the features of all training samples to F."""
        for rows, block in self.blocks():
            F[rows] = block

    def moments(
        self,
        Y: DoubleArray | None = None,
        weight: DoubleArray | None = None,
        *,
        accuracy: float | None = None,  # noqa: ARG002 - for subclasses that can trade it for time
    ) -> Moments:
        """Weighted sums over the features and targets of all training samples, in one pass.

        `accuracy` is the acceptable rounding error of the eigenvalues of the outer products; None stands for 10⁻¹⁰
        times their sum.
        """
        return self.feature_moments(Y, weight)

    def feature_moments(self, Y: DoubleArray | None = None, weight: DoubleArray | None = None) -> Moments:
        """Weighted sums as `moments` returns them, over features that are computed sample by sample."""
        total = None
        for rows, F in self.blocks():
            part = Moments.of(F, None if Y is None else Y[rows], None if weight is None else weight[rows])
            total = part if total is None else total + part
        assert total is not None  # there is at least one sample
        return total

    def summed(self, task: LossTask, T: DoubleArray, weight: DoubleArray) -> Sums:
        """Sums of a task over samples with numbers T and weights, in one pass; those of weight 0 are left out."""
        total = None
        for rows, F in self.blocks():
            used = np.flatnonzero(weight[rows])
            part = task.of(F if len(used) == len(F) else F[used], T[rows][used], weight[rows][used])
            total = part if total is None else total + part
        assert total is not None  # there is at least one sample
        return total

    def held(self) -> FloatArray:
        """Features of all training samples, in float64 if that takes at most half of the memory for one buffer."""
        memory = available_memory()
        wide = memory is None or 8 * self.n * self.n_components <= SHARE * memory / 2
        return self.array(np.float64 if wide else np.float32)

    @abstractmethod
    def coefficients(self, weights: DoubleArray) -> DoubleArray:
        """Coefficients of the basis for f(x) = ⟨w, φ̂(x)⟩, of shape (n_columns, n_outputs); w has r rows."""

    def values(self, coef: DoubleArray) -> DoubleArray:
        """Values f(x_i) of all training samples, of shape (n, n_outputs), from coefficients of the basis."""
        return np.asarray(self._columns @ coef, dtype=np.float64)

    def some_values(self, coef: DoubleArray, rows: IndexArray) -> DoubleArray:
        """Values f(x_i) of some training samples, of shape (n_rows, n_outputs), as `values` returns them."""
        K = self._columns
        parts = [K.block(rows[part], slice(None)) @ coef for part in panels(len(rows), self._step)]
        return np.concatenate(parts, dtype=np.float64)

    def predicted(self, weights: DoubleArray, rows: IndexArray) -> DoubleArray:
        """Values ⟨w, φ̂(x_i)⟩ of some training samples, of shape (n_rows, n_outputs), from weights of the features."""
        parts = [self.rows(rows[part]) @ weights for part in panels(len(rows), min(self._step, _GATHERED))]
        return np.concatenate(parts) if parts else np.empty((0, weights.shape[1]))

    def value_blocks(self, coef: DoubleArray) -> Iterator[tuple[slice, DoubleArray]]:
        """Values f(x_i) as `values` returns them, in panels of training samples: yields the rows and their values.

        Few outputs are one panel: the core multiplies tiles while it computes them, which BLAS overtakes for many.
        """
        if coef.shape[1] <= _FEW:
            yield slice(0, self.n), self.values(coef)
            return
        for rows, block in self._column_blocks():
            yield rows, np.asarray(product(block, coef), dtype=np.float64)

    def _column_blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        """Values of the basis at the training samples in panels of rows, in one buffer that the next overwrites."""
        K = self._columns
        buffer = np.empty((min(self._step, self.n), K.shape[1]), dtype=K.dtype)
        for rows in panels(self.n, self._step):
            yield rows, K.block(rows, slice(None), out=buffer[: rows.stop - rows.start])

    def each_value(self, function: Callable[..., Any], coef: DoubleArray, *columns: Any) -> Any:
        """Outputs of a function of values f(x_i) and columns of some samples, which returns one row for each."""
        parts = [function(values, *[column[rows] for column in columns]) for rows, values in self.value_blocks(coef)]
        return np.concatenate(parts)

    def class_sums(self, labels: IndexArray, weight: DoubleArray, k: int) -> DoubleArray:
        """Sums Σ_i w_i φ̂(x_i) of k classes, of shape (r, k).

        Labels of shape (n, 2) are those before and after a change, and the sums are the changes.
        """
        return self.projections(class_indicators(labels, weight, k))

    def projections(self, V: DoubleArray) -> DoubleArray:
        """Products FᵀV of the features of all training samples with V of shape (n, n_outputs)."""
        total = np.zeros((self.n_components, V.shape[1]))
        for rows, F in self.blocks():
            total += F.T @ V[rows]
        return total

    def second_moment(self, V: DoubleArray, weight: DoubleArray) -> DoubleArray:
        """Products Σ_i w_i φ̂(x_i)φ̂(x_i)ᵀV over all training samples, for V of shape (r, n_outputs)."""
        return self.projections(weight[:, None] * self.values(self.coefficients(V)))

    def hold_columns(self) -> bool:
        """Hold the values of the basis at the training samples, if there is room; return whether they are held."""
        return False

    def sample(self) -> tuple[IndexArray, FloatArray]:
        """Random training samples, at least 5 for each feature if there are as many, and their features."""
        rows: IndexArray = self.training.kept
        if len(rows) > _SAMPLE * self.n_components:
            rng = np.random.default_rng(0)
            rows = np.sort(rng.choice(rows, _SAMPLE * self.n_components, replace=False))
        return rows, self.rows(rows)

    @property
    @abstractmethod
    def _columns(self) -> GramOperator:
        """Values of the basis at the training samples, of shape (n, n_columns)."""

    def residual_trace(self, explained: float) -> float:  # noqa: ARG002 - for `LandmarkFeatures`
        """Trace Σ_i w_i (k(x_i, x_i) − ‖φ̂(x_i)‖²) of the residual, from Σ_i w_i ‖φ̂(x_i)‖²; NaN unless K̂ ⪯ K."""
        return float("nan")

    def residual_of(self, diagonal: float, explained: float) -> float:  # noqa: ARG002 - for `LandmarkFeatures`
        """`residual_trace` from Σ_i w_i k(x_i, x_i), too."""
        return float("nan")

    @abstractmethod
    def exact_gap(self, coef: DoubleArray, weights: DoubleArray, F: FloatArray | None = None) -> ExactGap:
        """Bound on ½Σ_t c_tᵀ(K − K̂)c_t for dual coefficients c of shape (n, n_targets) with Fᵀc = `weights`.

        The approximated dual objective grows by this number if K̂ is replaced by K, so that it bounds the distance of
        the exact optimum to the approximated one. With the features F that the problem was solved on, their rounding
        errors are part of K − FFᵀ.
        """

    def residual_diag(self, F: FloatArray | None = None) -> DoubleArray:
        """Diagonal of K − K̂ of all training samples, at least 0; F are their features if they are held."""
        norms = np.empty(self.n)
        for rows in panels(self.n, self._step):
            block = self.rows(rows) if F is None else F[rows]
            norms[rows] = np.einsum("ij,ij->i", block, block, dtype=np.float64)
        return np.maximum(self.training.diagonal - norms, 0.0)

    @property
    def _step(self) -> int:
        return max(1, _PANEL // (8 * self.n_components))


@final
class RandomFeatures(Approximation):
    """Random Fourier features, which do not depend on the training samples.

    Parameters
    ----------
    training : Training
        Training data; vectors.
    fitted : FittedApproximation
        Record for the user, with the map.
    """

    def __init__(self, training: Training, fitted: FittedApproximation) -> None:
        assert training.kernel is not None  # random features are drawn for a kernel
        assert fitted.map is not None
        self._map: FourierMap = fitted.map
        self._vectors = as_vectors(training.X, training.who)
        basis = FeatureBasis(training.kernel, self._map.features, fitted.n_components)
        super().__init__(training, fitted, basis, None)

    def rows(self, rows: slice | IndexArray) -> DoubleArray:
        return np.asarray(self._map.features(self._vectors[rows]), dtype=np.float64)

    def coefficients(self, weights: DoubleArray) -> DoubleArray:
        return weights

    @property
    def _columns(self) -> GramOperator:
        return self.basis.rows(self._vectors, self.training.n_jobs)

    def exact_gap(
        self,
        coef: DoubleArray,  # noqa: ARG002
        weights: DoubleArray,  # noqa: ARG002
        F: FloatArray | None = None,  # noqa: ARG002
    ) -> ExactGap:
        """No bound: K − K̂ is not positive semidefinite for random features."""
        return ExactGap(float("nan"), 1.0)
