"""Approximated training data in blocks: every sum over samples is a pass over the source."""

import functools
import operator
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any, final

import numpy as np

from mercer._estimator.basis import FeatureBasis
from mercer._estimator.blocks.maps import FeatureMap, LandmarkMap, RandomMap
from mercer._estimator.blocks.spill import has_room, spilled
from mercer._estimator.blocks.tasks import (
    ClassSums,
    OnFeatures,
    OnValues,
    Panels,
    Projections,
    RowProducts,
    SecondMoment,
    SumLoss,
    SumMoments,
    Values,
)
from mercer._estimator.blocks.training import BlockTraining
from mercer._estimator.features import Approximation, ExactGap, RandomFeatures
from mercer._estimator.landmark_features import LandmarkFeatures, certificate_rows
from mercer._estimator.training import Training
from mercer._runtime.factors import solve_triangle
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.approximation import FittedApproximation
from mercer.approximation.residual import sampled_energy
from mercer.data import BlockSource
from mercer.operators import GramOperator
from mercer.operators.tiles import panels
from mercer.solvers.logistic_sums import LossTask, Sums
from mercer.solvers.moments import Moments

__all__ = ["BlockLandmarks", "BlockRandomFeatures", "Blocks", "random_features"]


class Blocks(Approximation):
    """Passes over a source in place of loops over samples in memory."""

    in_blocks = True
    training: BlockTraining
    _map: FeatureMap

    @property
    def _source(self) -> BlockSource:
        source: BlockSource = self.training.source
        return source

    @property
    def on_sums(self) -> bool:  # type: ignore[override]
        return bool(self._source.sums_only)

    @property
    def _columns(self) -> GramOperator:
        raise TypeError(f"{self.training.who}: values at samples in blocks are not an operator.")

    def rows(self, rows: slice | IndexArray) -> DoubleArray:
        chosen = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        return self._map.features(self._source.take(chosen))

    def blocks(self) -> Iterator[tuple[slice, DoubleArray]]:
        for block in self._source.map(Panels(self._map)):
            yield from block

    @cached_property
    def _blocks_of_rows(self) -> list[slice]:
        """Rows of all blocks."""
        ends = np.cumsum([0, *self._source.map(len)])
        return [slice(int(a), int(b)) for a, b in pairwise(ends)]

    def each(self, function: Callable[..., Any], *columns: Any) -> Any:
        return self._source.outputs(OnFeatures(self._map, function), *columns)

    def array(self, dtype: Any = np.float64) -> FloatArray:
        dtype = np.dtype(dtype)
        if dtype not in self._arrays:
            self._arrays[dtype] = spilled(
                self.training.who, self.blocks(), (self.n, self.n_components), dtype, self._source.folder
            )
        return self._arrays[dtype]

    def values(self, coef: DoubleArray) -> DoubleArray:
        return np.asarray(self._source.outputs(Values(self._map, coef)))

    def some_values(self, coef: DoubleArray, rows: IndexArray) -> DoubleArray:
        return np.asarray(self._map.columns(self._source.take(rows)) @ coef, dtype=np.float64)

    def each_value(self, function: Callable[..., Any], coef: DoubleArray, *columns: Any) -> Any:
        return self._source.outputs(OnValues(self._map, coef, function), *columns)

    def class_sums(self, labels: IndexArray, weight: DoubleArray, k: int) -> DoubleArray:
        return self._from_values(np.asarray(self._source.reduce(ClassSums(self._map, k), labels, weight)))

    def _from_values(self, sums: DoubleArray) -> DoubleArray:
        """Sums of features from sums of values b(x)."""
        return sums

    def predicted(self, weights: DoubleArray, rows: IndexArray) -> DoubleArray:
        return self.values(self.coefficients(weights))[rows]

    def value_blocks(self, coef: DoubleArray) -> Iterator[tuple[slice, DoubleArray]]:
        start = 0
        for values in self._source.map(Values(self._map, coef)):
            yield slice(start, start + len(values)), values
            start += len(values)

    def _summed(self, Y: DoubleArray | None, weight: DoubleArray | None, *, whitened: bool) -> Moments:
        total: Moments = self._source.reduce(SumMoments(self._map, whitened), Y, weight)
        return total

    @cached_property
    def _on_disk(self) -> bool:
        """Whether repeated sums read features from disk, which is faster than computing them in each pass."""
        source, shape = self._source, (self.n, self.n_components)
        return not (source.sums_only or source.saves_sums) and has_room(shape, np.float64, source.folder)

    def summed(self, task: LossTask, T: DoubleArray, weight: DoubleArray) -> Sums:
        if self._on_disk:
            return functools.reduce(operator.add, self._stored_sums(task, T, weight))
        total: Sums = self._source.reduce(SumLoss(self._map, task), T, weight)
        return total

    def _stored_sums(self, task: LossTask, T: DoubleArray, weight: DoubleArray) -> Iterator[Sums]:
        """Sums of each block from features on disk, added as `SumLoss` adds them, so that their bits are the same."""
        F = self.array()
        for block in self._blocks_of_rows:
            used = block.start + np.flatnonzero(weight[block])
            chosen = (used[rows] for rows in panels(len(used), self._map.step)) if len(used) else [used]
            yield functools.reduce(operator.add, (task.of(F[rows], T[rows], weight[rows]) for rows in chosen))

    def feature_moments(self, Y: DoubleArray | None = None, weight: DoubleArray | None = None) -> Moments:
        return self._summed(Y, weight, whitened=True)

    def projections(self, V: DoubleArray) -> DoubleArray:
        return self._from_values(np.asarray(self._source.reduce(Projections(self._map), V)))

    def second_moment(self, V: DoubleArray, weight: DoubleArray) -> DoubleArray:
        total = self._source.reduce(SecondMoment(self._map, self.coefficients(V)), weight)
        return self._from_values(np.asarray(total))


@final
class BlockLandmarks(Blocks, LandmarkFeatures):
    """Nyström features of samples in blocks. Parameters are those of `LandmarkFeatures`; features F are not held."""

    def __init__(self, *args: Any, F: DoubleArray | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self._accurate = F is not None  # as few samples that the features of all would be held in memory
        kernel, Z = self.training.kernel, self.X
        assert kernel is not None  # a Gram matrix is not read in blocks
        self._map = LandmarkMap(kernel, Z, self.factor.cholesky, self.training.n_jobs)

    @property
    def _value_type(self) -> np.dtype[Any]:
        return self._map.dtype

    def moments(
        self, Y: DoubleArray | None = None, weight: DoubleArray | None = None, *, accuracy: float | None = None
    ) -> Moments:
        if self._accurate:
            return self.feature_moments(Y, weight)
        return super().moments(Y, weight, accuracy=accuracy)

    def kernel_moments(self, Y: DoubleArray | None = None, weight: DoubleArray | None = None) -> Moments:
        return self._summed(Y, weight, whitened=False)

    def _from_values(self, sums: DoubleArray) -> DoubleArray:
        return solve_triangle(self.factor.cholesky, np.asfortranarray(sums))

    def hold_columns(self) -> bool:
        return False

    def exact_gap(self, coef: DoubleArray, weights: DoubleArray, F: FloatArray | None = None) -> ExactGap:
        training = self.training
        kernel = training.kernel
        assert kernel is not None  # a Gram matrix is not read in blocks

        def shares(rows: IndexArray) -> DoubleArray:
            X = self._source.take(rows)
            product = self._source.reduce(RowProducts(kernel, X.astype(self._map.dtype), training.n_jobs), coef)
            product -= (self._map.features(X) if F is None else F[rows]) @ weights
            return np.asarray(np.einsum("ij,ij->i", coef[rows], product))

        found = sampled_energy(training.diagonal, coef, shares, n_rows=certificate_rows(self.n))
        return ExactGap(found.upper / 2, found.confidence)


@final
class BlockRandomFeatures(Blocks):
    """Random Fourier features of samples in blocks.

    Parameters
    ----------
    training : BlockTraining
        Training data.
    fitted : FittedApproximation
        Record for the user, with the map.
    """

    def __init__(self, training: BlockTraining, fitted: FittedApproximation) -> None:
        assert training.kernel is not None  # random features are drawn for a kernel
        assert fitted.map is not None
        self._map = RandomMap(fitted.map, training.dtype)
        basis = FeatureBasis(training.kernel, fitted.map.features, fitted.n_components)
        super().__init__(training, fitted, basis, None)

    def coefficients(self, weights: DoubleArray) -> DoubleArray:
        return weights

    def exact_gap(
        self,
        coef: DoubleArray,  # noqa: ARG002
        weights: DoubleArray,  # noqa: ARG002
        F: FloatArray | None = None,  # noqa: ARG002
    ) -> ExactGap:
        """No bound: K − K̂ is not positive semidefinite for random features."""
        return ExactGap(float("nan"), 1.0)


def random_features(training: Training, fitted: FittedApproximation) -> Approximation:
    """Random Fourier features of training data in memory or in blocks."""
    if isinstance(training, BlockTraining):
        return BlockRandomFeatures(training, fitted)
    return RandomFeatures(training, fitted)
