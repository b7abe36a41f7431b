"""Approximated training data: Nyström features of landmarks."""

from functools import cached_property
from typing import Any

import numpy as np

from mercer._estimator.basis import Basis
from mercer._estimator.features import Approximation, ExactGap
from mercer._estimator.training import Training
from mercer._runtime.factors import solve_triangle
from mercer._runtime.limits import usable_memory
from mercer._runtime.products import normal_product
from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer.approximation import FittedApproximation, NystroemFactor, residual_energy
from mercer.operators import GramOperator
from mercer.solvers.moments import Moments

__all__ = ["LandmarkFeatures", "certificate_rows"]

_VALUES = 20_000_000  # kernel values of a certificate that are computed in any case
_ROWS = 400  # rows of K that are sampled for a certificate, at least
_SINGLE = 3e-5  # relative error of features up to which they are computed in single precision where they are held so
_COMPARED = 200  # samples for which that error is measured
_HELD = 0.25  # share of the usable memory for kernel values that are held


class LandmarkFeatures(Approximation):
    """Nyström features φ̂(x) = L⁻¹k(Z, x) of landmarks Z.

    Functions of the features are expansions over the landmarks, so that models store the landmarks and as many
    coefficients.

    Parameters
    ----------
    training : Training
        Training data.
    fitted : FittedApproximation
        Record for the user.
    basis : Basis
        Kernel values with the landmarks.
    X : data or None
        Landmarks.
    factor : NystroemFactor
        Map from kernel values to features; all landmarks are used.
    F : ndarray of shape (n, r), default=None
        Features of all training samples, if the selection of landmarks has computed them.
    sample : tuple of ndarray, default=None
        Random training samples and their features in single precision, if the selection has computed them.
    """

    def __init__(
        self,
        training: Training,
        fitted: FittedApproximation,
        basis: Basis,
        X: Data,
        factor: NystroemFactor,
        F: DoubleArray | None = None,
        sample: tuple[IndexArray, FloatArray] | None = None,
    ) -> None:
        super().__init__(training, fitted, basis, X)
        self.factor, self._F, self._sample = factor, F, sample

    def rows(self, rows: slice | IndexArray) -> DoubleArray:
        if self._F is not None:
            return self._F[rows].copy() if isinstance(rows, slice) else self._F[rows]
        F = np.array(self._columns.block(rows, slice(None)), dtype=np.float64)
        solve_triangle(self.factor.cholesky, F.T)
        return F

    def array(self, dtype: Any = np.float64) -> FloatArray:
        if self._F is not None and self._F.dtype == dtype:
            return self._F
        return super().array(dtype)

    def _fill(self, F: FloatArray) -> None:
        if F.dtype != np.float32 or self._F is not None or not self.single_error <= _SINGLE:  # NaN: out of its range
            super()._fill(F)
            return
        L = self.factor.cholesky.astype(np.float32)
        for rows, block in self._column_blocks():
            F[rows] = block
            solve_triangle(L, F[rows].T)

    @cached_property
    def single_error(self) -> float:
        """Largest error of features that are whitened in single precision, relative to √k(x, x), for some samples."""
        some = np.linspace(0, self.n - 1, min(self.n, _COMPARED)).astype(np.int64)
        F = self.rows(some)
        with np.errstate(over="ignore", invalid="ignore"):
            single = np.array(self._columns.block(some, slice(None)), dtype=np.float32)
            solve_triangle(self.factor.cholesky.astype(np.float32), single.T)
            error = np.linalg.norm(F - single, axis=1)
        size = np.sqrt(np.maximum(self.training.diagonal[some], 0.0))
        return float(np.divide(error, size, out=np.zeros_like(error), where=size > 0).max())

    def moments(
        self, Y: DoubleArray | None = None, weight: DoubleArray | None = None, *, accuracy: float | None = None
    ) -> Moments:
        """Weighted sums, from sums of kernel values if rounding allows it.

        Whitening r x r sums costs less than whitening n rows, but multiplies rounding errors by the condition number of
        the landmarks.
        """
        accuracy = 1e-10 * float(self.training.diagonal.sum()) if accuracy is None else accuracy
        if self._F is not None or self.rounding > accuracy:
            return self.feature_moments(Y, weight)
        return self._whitened(self.kernel_moments(Y, weight))

    def kernel_moments(self, Y: DoubleArray | None = None, weight: DoubleArray | None = None) -> Moments:
        """Weighted sums over kernel values with the landmarks, in place of features, and targets, in one pass."""
        total = None
        for rows, block in self._column_blocks():
            part = Moments.of(
                np.asarray(block, dtype=np.float64),
                None if Y is None else Y[rows],
                None if weight is None else weight[rows],
            )
            total = part if total is None else total + part
        assert total is not None  # there is at least one sample
        return total

    @cached_property
    def rounding(self) -> float:  # type: ignore[override]
        """Rounding error ε‖K_nZ‖²‖L⁻¹‖² of sums of kernel values after whitening, with ‖K_nZ‖² ≈ (n/r)‖LLᵀ‖²."""
        L, r = self.factor.cholesky, self.n_components
        rng = np.random.default_rng(0)
        v, u = rng.normal(size=(2, r))
        for _ in range(8):  # power iterations for the largest eigenvalue of LLᵀ and of its inverse
            v, u = L @ (L.T @ v), solve_triangle(L, solve_triangle(L, u), transposed=True)
            largest, inverse = np.linalg.norm(v), np.linalg.norm(u)
            v, u = v / largest, u / inverse
        eps = float(np.finfo(self._value_type).eps)
        return float(eps * (self.n / r) * largest**2 * inverse)

    @property
    def _value_type(self) -> np.dtype[Any]:
        """Type of kernel values."""
        return self._columns.dtype

    def _whitened(self, total: Moments) -> Moments:
        L = self.factor.cholesky
        half = solve_triangle(L, np.asfortranarray(total.outer))
        outer = solve_triangle(L, np.asfortranarray(half.T))
        return Moments(
            total.n,
            solve_triangle(L, total.features.copy()),
            np.asarray((outer + outer.T) / 2),
            total.targets,
            np.ascontiguousarray(solve_triangle(L, np.asfortranarray(total.cross))),
        )

    def held(self) -> FloatArray:
        return super().held() if self._F is None else self._F

    def coefficients(self, weights: DoubleArray) -> DoubleArray:
        return self.factor.coefficients(weights)

    def projections(self, V: DoubleArray) -> DoubleArray:
        return solve_triangle(self.factor.cholesky, np.asfortranarray(self._columns.rmatmul(V), dtype=np.float64))

    def second_moment(self, V: DoubleArray, weight: DoubleArray) -> DoubleArray:
        held = self._columns.matrix
        if held is None:
            return super().second_moment(V, weight)
        total = normal_product(held, self.coefficients(V), weight, n_jobs=self.training.n_jobs)
        return solve_triangle(self.factor.cholesky, np.asfortranarray(total))

    def hold_columns(self) -> bool:
        nbytes = 8 * self.n * self.n_components
        self._columns = self._columns.hold(limit=_HELD * usable_memory(nbytes))
        return self._columns.matrix is not None

    def sample(self) -> tuple[IndexArray, FloatArray]:
        return super().sample() if self._sample is None else self._sample

    def residual_trace(self, explained: float) -> float:
        return self.residual_of(float(self.training.weight @ self.training.diagonal), explained)

    def residual_of(self, diagonal: float, explained: float) -> float:
        return max(0.0, diagonal - explained)

    @cached_property
    def _columns(self) -> GramOperator:
        K = self.training.basis.columns(self.basis, self.training.n_jobs)
        K.who = self.training.who
        return K

    def exact_gap(self, coef: DoubleArray, weights: DoubleArray, F: FloatArray | None = None) -> ExactGap:
        features = self.rows if F is None else F.__getitem__
        found = residual_energy(self.training.K, coef, weights, features, n_rows=certificate_rows(self.n))
        return ExactGap(found.upper / 2, found.confidence)


def certificate_rows(n: int) -> int:
    """Number of rows of K that are sampled for a certificate of n samples."""
    return max(_ROWS, _VALUES // n)
