"""Tasks on blocks: sums and outputs of features. They are picklable and have no state."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mercer._estimator.blocks.maps import FeatureMap
from mercer._estimator.features import class_indicators
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.data import Block
from mercer.kernels import Kernel
from mercer.operators import BlockedOperator
from mercer.solvers.logistic_sums import LossTask, Sums
from mercer.solvers.moments import Moments

__all__ = [
    "ClassSums",
    "Diagonal",
    "OnFeatures",
    "OnValues",
    "Panels",
    "Projections",
    "RowProducts",
    "SecondMoment",
    "SumMoments",
    "Values",
]


@final
@dataclass(frozen=True, eq=False)
class SumMoments:
    """Moments of features, or of values b(x) unless `whitened`."""

    map: FeatureMap
    whitened: bool

    def __call__(self, block: Block, Y: DoubleArray | None, weight: DoubleArray | None) -> Moments:
        total = None
        for rows, values in self.map.panels(block.X, whitened=self.whitened):
            part = Moments.of(
                np.asarray(values, dtype=np.float64),
                None if Y is None else Y[rows],
                None if weight is None else weight[rows],
            )
            total = part if total is None else total + part
        assert total is not None  # tasks are called for blocks with rows
        return total


@final
@dataclass(frozen=True, eq=False)
class SumLoss:
    """Sums of a task over features, numbers T and weights; features of rows of weight zero are not computed."""

    map: FeatureMap
    task: LossTask

    def __call__(self, block: Block, T: DoubleArray, weight: DoubleArray) -> Sums:
        used = weight != 0
        X, T, weight = (block.X, T, weight) if used.all() else (block.X[used], T[used], weight[used])
        if not len(X):
            return self.task.of(np.empty((0, self.map.n_features)), T, weight)
        total = None
        for rows, F in self.map.panels(X, whitened=True):
            part = self.task.of(np.asarray(F, dtype=np.float64), T[rows], weight[rows])
            total = part if total is None else total + part
        assert total is not None  # there are rows
        return total


@final
@dataclass(frozen=True, eq=False)
class Values:
    """Values Σ_j coef_j b_j(x) of all rows, of shape (n_rows, n_outputs)."""

    map: FeatureMap
    coef: DoubleArray

    def __call__(self, block: Block) -> DoubleArray:
        return np.asarray(self.map.columns(block.X) @ self.coef, dtype=np.float64)


@final
@dataclass(frozen=True, eq=False)
class Projections:
    """Sums Σ_i b(x_i)v_iᵀ."""

    map: FeatureMap

    def __call__(self, block: Block, V: DoubleArray) -> DoubleArray:
        return np.asarray(self.map.columns(block.X).rmatmul(V), dtype=np.float64)


@final
@dataclass(frozen=True, eq=False)
class ClassSums:
    """Sums Σ_i w_i b(x_i) of k classes; rows of weight zero are not read."""

    map: FeatureMap
    k: int

    def __call__(self, block: Block, labels: IndexArray, weight: DoubleArray) -> DoubleArray:
        used = np.flatnonzero(weight)
        if not len(used):
            return np.zeros((self.map.n_columns, self.k))
        V = class_indicators(labels[used], weight[used], self.k)
        return np.asarray(self.map.columns(block.X[used]).rmatmul(V), dtype=np.float64)


@final
@dataclass(frozen=True, eq=False)
class OnValues:
    """Outputs of a function of values Σ_j coef_j b_j(x) and columns, which returns one row for each row."""

    map: FeatureMap
    coef: DoubleArray
    function: Callable[..., Any]

    def __call__(self, block: Block, *columns: Any) -> Any:
        return self.function(np.asarray(self.map.columns(block.X) @ self.coef, dtype=np.float64), *columns)


@final
@dataclass(frozen=True, eq=False)
class SecondMoment:
    """Sums Σ_i w_i b(x_i)b(x_i)ᵀcoef."""

    map: FeatureMap
    coef: DoubleArray

    def __call__(self, block: Block, weight: DoubleArray) -> DoubleArray:
        total = np.zeros_like(self.coef)
        for rows, values in self.map.panels(block.X, whitened=False):
            total += values.T @ (weight[rows, None] * (values @ self.coef))
        return total


@final
@dataclass(frozen=True, eq=False)
class OnFeatures:
    """Outputs of a function of features and columns, which returns one row for each row, in panels."""

    map: FeatureMap
    function: Callable[..., Any]

    def __call__(self, block: Block, *columns: Any) -> Any:
        parts = [
            self.function(F, *[None if column is None else column[rows] for column in columns])
            for rows, F in self.map.panels(block.X, whitened=True)
        ]
        return np.concatenate(parts)


@final
@dataclass(frozen=True, eq=False)
class Panels:
    """Features of a block in panels of rows, with the place of the rows in the data set; for local sources only."""

    map: FeatureMap

    def __call__(self, block: Block) -> Iterator[tuple[slice, FloatArray]]:
        for rows, F in self.map.panels(block.X, whitened=True):
            yield slice(block.start + rows.start, block.start + rows.stop), F


@final
@dataclass(frozen=True, eq=False)
class Diagonal:
    """Kernel values k(x, x) of all rows."""

    kernel: Kernel
    dtype: Any

    def __call__(self, block: Block) -> DoubleArray:
        X = block.X.astype(self.dtype, copy=False)
        return np.asarray(BlockedOperator(self.kernel.prepare(X)).diag(), dtype=np.float64)


@final
@dataclass(frozen=True, eq=False)
class RowProducts:
    """Sums Σ_i k(z, x_i)c_i over all rows x, for a few rows z."""

    kernel: Kernel
    rows: FloatArray
    n_jobs: int | None = None

    def __call__(self, block: Block, coef: DoubleArray) -> DoubleArray:
        X = block.X.astype(self.rows.dtype, copy=False)
        K = BlockedOperator(self.kernel.prepare(self.rows), self.kernel.prepare(X), n_jobs=self.n_jobs)
        return np.asarray(K @ coef, dtype=np.float64)
