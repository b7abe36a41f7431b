"""Feature maps as values: what a task needs to compute features of a block, here or on another machine."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from mercer._runtime.factors import solve_triangle
from mercer._typing import DoubleArray, FloatArray
from mercer.approximation import FourierMap
from mercer.kernels import Kernel
from mercer.kernels.prepared import Prepared
from mercer.operators import BlockedOperator, GramOperator, MappedOperator
from mercer.operators.tiles import panels

__all__ = ["FeatureMap", "LandmarkMap", "RandomMap"]

_PANEL = 32_000_000  # bytes of a panel of features


@dataclass(frozen=True, eq=False)
class FeatureMap(ABC):
    """Map from rows to features φ̂(x) = M b(x), where b(x) are the values that prediction coefficients multiply."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """Type to which rows are converted."""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """Number of values b(x)."""

    @property
    def n_features(self) -> int:
        """Number of features φ̂(x)."""
        return self.n_columns

    @property
    def step(self) -> int:
        """Rows of a panel."""
        return max(1, _PANEL // (8 * self.n_columns))

    @abstractmethod
    def columns(self, X: FloatArray) -> GramOperator:
        """Values b(x) of rows, of shape (n_rows, n_columns)."""

    @abstractmethod
    def whitened(self, values: FloatArray) -> DoubleArray:
        """Features from values b(x), in memory of their own."""

    def features(self, X: FloatArray) -> DoubleArray:
        """Features of rows."""
        return self.whitened(self.columns(X).block(slice(None), slice(None)))

    def panels(self, X: FloatArray, *, whitened: bool) -> Iterator[tuple[slice, FloatArray]]:
        """Values b(x), or features if `whitened`, in panels of rows; values share one buffer."""
        K = self.columns(X)
        step = self.step
        buffer = np.empty((min(step, len(X)), K.shape[1]), dtype=K.dtype)
        for rows in panels(len(X), step):
            values = K.block(rows, slice(None), out=buffer[: rows.stop - rows.start])
            yield rows, self.whitened(values) if whitened else values


@final
@dataclass(frozen=True, eq=False)
class LandmarkMap(FeatureMap):
    """Nyström features φ̂(x) = L⁻¹k(Z, x) of landmarks Z."""

    kernel: Kernel
    landmarks: FloatArray
    cholesky: DoubleArray
    n_jobs: int | None = None

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.landmarks.dtype

    @property
    def n_columns(self) -> int:
        return len(self.landmarks)

    @cached_property
    def _packed(self) -> Prepared:
        return self.kernel.prepare(self.landmarks)

    def columns(self, X: FloatArray) -> GramOperator:
        return BlockedOperator(self.kernel.prepare(X.astype(self.dtype, copy=False)), self._packed, n_jobs=self.n_jobs)

    def whitened(self, values: FloatArray) -> DoubleArray:
        F = np.array(values, dtype=np.float64)
        solve_triangle(self.cholesky, F.T)
        return F

    def __getstate__(self) -> dict[str, Any]:  # packed landmarks are made again where the map arrives
        return {name: value for name, value in vars(self).items() if name != "_packed"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)


@final
@dataclass(frozen=True, eq=False)
class RandomMap(FeatureMap):
    """Random Fourier features, which are the values themselves."""

    map: FourierMap
    row_type: np.dtype[Any]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.row_type

    @property
    def n_columns(self) -> int:
        return self.map.n_components

    def columns(self, X: FloatArray) -> GramOperator:
        return MappedOperator(self.map.features, X.astype(self.dtype, copy=False), self.map.n_components)

    def whitened(self, values: FloatArray) -> DoubleArray:
        return np.array(values, dtype=np.float64)
