"""Nyström approximations of several kernels from common landmarks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from mercer._estimator import Approximation, Training
from mercer._estimator.basis import Basis, KernelBasis, RowBasis
from mercer._estimator.features import ExactGap
from mercer._estimator.landmark_features import LandmarkFeatures
from mercer._runtime.limits import SHARE, available_memory, require_memory
from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer.approximation import FittedApproximation, NystroemFactor, nystroem, residual_energy
from mercer.multiple_kernel.feature_stack import FeatureStack
from mercer.operators import GramOperator, MappedOperator, OperatorStack
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.tiles import inner
from mercer.solvers.moments import Moments

__all__ = ["CommonLandmarks", "LandmarkExpansion", "WeightedFeatures", "common_landmarks"]

_CONFIDENCE = 0.95  # of the bounds for all kernels together
_VALUES, _ROWS = 20_000_000, 400  # kernel values of a certificate for each kernel, and rows at least


@dataclass(frozen=True, eq=False)
class CommonLandmarks:
    """Landmarks Z of all kernels, and the approximation of each of them.

    Attributes
    ----------
    record : FittedApproximation
        Record for the user, of the uniform sum of the normalised kernels.
    X : data or None
        Landmarks; None for Gram matrices.
    columns : tuple of GramOperator of shape (n, n_landmarks)
        Values k_m(x_i, z_j), before normalisation.
    factors : tuple of NystroemFactor
        Maps from these values to features.
    scale : ndarray of shape (n_kernels,)
        Normalisation factors c_m.
    stack : FeatureStack
        Features of c_m K̂_m.
    exact : OperatorStack
        Operators c_m K_m.
    """

    record: FittedApproximation
    X: Data
    columns: tuple[GramOperator, ...]
    factors: tuple[NystroemFactor, ...]
    scale: DoubleArray
    stack: FeatureStack
    exact: OperatorStack


def common_landmarks(
    found: LandmarkFeatures,
    bases: Sequence[Basis],
    scale: DoubleArray,
    exact: OperatorStack,
) -> CommonLandmarks:
    """Approximate every kernel from the landmarks of their sum.

    Parameters
    ----------
    found : LandmarkFeatures
        Approximation of the uniform sum of the normalised kernels, with the landmarks.
    bases : sequence of Basis
        Kernel values of every kernel with the training samples.
    scale : ndarray of shape (n_kernels,)
        Normalisation factors c_m.
    exact : OperatorStack
        Operators c_m K_m.

    Returns
    -------
    CommonLandmarks
        Approximations, with features in float64 if they take at most a quarter of the memory for one buffer.
    """
    who, n, n_jobs = found.training.who, found.n, found.training.n_jobs
    columns, factors = [], []
    for basis in bases:
        chosen = _chosen(basis, found)
        own, K = chosen.gram(n_jobs), basis.columns(chosen, n_jobs)
        own.who = K.who = who
        columns.append(K)
        factors.append(nystroem(own))
    entries = n * sum(factor.n_components for factor in factors)
    memory = available_memory()
    dtype = np.dtype(np.float64 if memory is None or 8 * entries <= SHARE * memory / 4 else np.float32)
    require_memory(
        2 * dtype.itemsize * entries,
        what=f"{who}: {entries // n} features of {n} samples for {len(factors)} kernels, and their weighted copy,",
        instead="Use fewer kernels or fewer landmarks.",
    )
    features = []
    for K, factor, c in zip(columns, factors, scale, strict=True):
        F = factor.features(K, dtype=dtype)
        F *= np.sqrt(c)
        features.append(F)
    X = None if found.training.kernel is None else found.X
    return CommonLandmarks(found.fitted, X, tuple(columns), tuple(factors), scale, FeatureStack(features), exact)


def _chosen(basis: Basis, found: LandmarkFeatures) -> Basis:
    """Basis of one kernel over the landmarks."""
    if found.fitted.indices is not None:
        return basis.select(found.fitted.indices)
    assert isinstance(basis, KernelBasis)  # landmarks of Gram matrices cannot be given
    return basis.over(found.X)


class WeightedFeatures(Approximation):
    """Features √d_m F_m of Σ d_m K̂_m, for machines that learn the weights d. Coefficients are weights of features.

    Parameters
    ----------
    training : Training
        Training data.
    landmarks : CommonLandmarks
        Approximations of the kernels.
    d : ndarray of shape (n_kernels,)
        Weights, at least one of them positive.
    """

    keeps_moments = True

    def __init__(self, training: Training, landmarks: CommonLandmarks, d: DoubleArray) -> None:
        # Columns of predictions are read as they come, not chosen by the indices of landmarks.
        basis = RowBasis(np.empty((0, 0)), trusted=True)
        super().__init__(training, replace(landmarks.record, indices=None), basis, None)
        self.landmarks, self.d = landmarks, d
        self.used = np.flatnonzero(d > 0)

    @property
    def n_components(self) -> int:
        return int(self.landmarks.stack.ranks[self.used].sum())

    def rows(self, rows: slice | IndexArray) -> DoubleArray:
        return self.landmarks.stack.rows(rows, self.d)

    def moments(
        self,
        Y: DoubleArray | None = None,
        weight: DoubleArray | None = None,
        *,
        accuracy: float | None = None,  # noqa: ARG002 - features are held, and whitened row by row
    ) -> Moments:
        Y = np.zeros((self.n, 0)) if Y is None else Y
        return self.landmarks.stack.moments(Y, weight, self.d)

    def coefficients(self, weights: DoubleArray) -> DoubleArray:
        return weights

    def _basis_rows(self, rows: IndexArray) -> DoubleArray:
        return self.rows(rows)

    @property
    def n_columns(self) -> int:
        return self.n_components

    @property
    def _columns(self) -> GramOperator:
        numbers = np.arange(self.n)[:, None]
        return MappedOperator(lambda rows: self._basis_rows(rows[:, 0]), numbers, self.n_columns)

    def exact_gap(
        self,
        coef: DoubleArray,  # noqa: ARG002
        weights: DoubleArray,  # noqa: ARG002
        F: FloatArray | None = None,  # noqa: ARG002
    ) -> ExactGap:
        """No bound for machines whose weights are not final."""
        return ExactGap(float("nan"), 1.0)


@final
class LandmarkExpansion(WeightedFeatures):
    """Features of the learned sum. Coefficients belong to the values d_m c_m k_m(z_j, x), kernel by kernel.

    Parameters
    ----------
    training : Training
        Training data.
    landmarks : CommonLandmarks
        Approximations of the kernels.
    d : ndarray of shape (n_kernels,)
        Weights.

    Attributes
    ----------
    forms : ndarray of shape (n_kernels,)
        cᵀ c_m K̂_m c, summed over the machines whose `exact_gap` was computed.
    energies : ndarray of shape (n_kernels,)
        Upper bounds on cᵀ c_m (K_m − K̂_m) c for the same machines.
    confidence : float
        Probability with which all of them hold.
    """

    def __init__(self, training: Training, landmarks: CommonLandmarks, d: DoubleArray) -> None:
        super().__init__(training, landmarks, d)
        self.forms, self.energies = np.zeros(len(d)), np.zeros(len(d))
        self.confidence = 1.0

    def coefficients(self, weights: DoubleArray) -> DoubleArray:
        starts = np.append(0, np.cumsum(self.landmarks.stack.ranks[self.used]))
        parts = []
        for m, first, last in zip(self.used, starts[:-1], starts[1:], strict=True):
            over = self.landmarks.factors[m].coefficients(weights[first:last])
            parts.append(over / np.sqrt(self.d[m] * self.landmarks.scale[m]))
        return np.concatenate(parts)

    def _basis_rows(self, rows: IndexArray) -> DoubleArray:
        factor = self.d * self.landmarks.scale
        return np.hstack([factor[m] * self.landmarks.columns[m].block(rows, slice(None)) for m in self.used])

    @property
    def n_columns(self) -> int:
        return sum(self.landmarks.columns[m].shape[1] for m in self.used)

    def exact_gap(
        self,
        coef: DoubleArray,
        weights: DoubleArray,  # noqa: ARG002
        F: FloatArray | None = None,  # noqa: ARG002
    ) -> ExactGap:
        """Bound from a bound for every kernel, also for those of weight zero, which `energies` keeps."""
        stack, level = self.landmarks.stack, 1 - (1 - _CONFIDENCE) / len(self.d)
        gap, doubt = 0.0, 0.0
        for m, (K, held) in enumerate(zip(self.landmarks.exact, stack.features, strict=True)):
            own = inner(held, coef, MEMORY_BUDGET)
            options: dict[str, Any] = {"n_rows": max(_ROWS, _VALUES // self.n), "confidence": level}
            found = residual_energy(K, coef, own, held.__getitem__, **options)
            self.forms[m] += float(np.vdot(own, own))
            self.energies[m] += found.upper
            gap, doubt = gap + self.d[m] * found.upper / 2, doubt + 1 - found.confidence
        self.confidence = max(0.0, self.confidence - doubt)
        return ExactGap(float(gap), max(0.0, 1 - doubt))
