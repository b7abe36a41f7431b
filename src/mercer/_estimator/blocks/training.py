"""Training data that are read in blocks."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mercer._estimator.basis import KernelBasis
from mercer._estimator.blocks.tasks import Diagonal
from mercer._estimator.kernel import default_width
from mercer._estimator.samples import check_targets, check_weights, names_columns
from mercer._estimator.training import Training
from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer.data import Block, BlockSource
from mercer.data.blocks.survey import Spread, Survey, Surveyed
from mercer.kernels import Kernel, Map
from mercer.kernels.bandwidth import MEDIAN_POINTS, RULES
from mercer.kernels.prepared import Prepared
from mercer.operators import BlockedOperator, GramOperator

__all__ = ["BlockTraining", "block_training", "surveyed_kernel"]


@dataclass(eq=False)
class BlockTraining(Training):
    """Training data whose rows stay in a source; targets and weights are in memory.

    Attributes
    ----------
    source : BlockSource
        The rows. `X` is the source, too.
    dtypes : tuple of type
        Types of rows that the estimator accepts; others are converted to the first.
    """

    source: Any = None
    dtypes: tuple[type, ...] = (np.float64,)

    @property
    def n_features(self) -> int:
        return int(self.source.n_features)

    @cached_property
    def K(self) -> GramOperator:  # noqa: N802 - the usual symbol
        if self.operator is not None:
            return self.operator
        raise ValueError(
            f"{self.who}: samples in blocks need approximation=, because an exact fit needs the Gram matrix of all "
            "samples; set approximation=m with a number of landmarks, 'auto', or a transformer."
        )

    @cached_property
    def diagonal(self) -> DoubleArray:
        return np.asarray(self.source.outputs(Diagonal(self._numeric, self.dtype)))

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of rows that were read."""
        return self._sample[1].dtype

    @cached_property
    def _sample(self) -> tuple[IndexArray, FloatArray]:
        """Rows that were read last, by which landmarks are chosen, sorted; the first one if there are none."""
        return self._read(np.zeros(1, dtype=np.int64))

    @property
    def _numeric(self) -> Kernel:
        assert self.kernel is not None  # a Gram matrix is not read in blocks
        return self.kernel

    def _read(self, rows: IndexArray) -> tuple[IndexArray, FloatArray]:
        X = self.source.take(rows)
        return rows, X if X.dtype in self.dtypes else X.astype(self.dtypes[0])

    def packed(self, rows: IndexArray) -> Prepared:
        if not np.array_equal(rows, self._sample[0]):
            self._sample = self._read(rows)
        return self._numeric.prepare(self._sample[1])

    def gram(self, rows: IndexArray) -> GramOperator:
        K = BlockedOperator(self.packed(rows), n_jobs=self.n_jobs)
        K.who = self.who
        return K

    def landmarks(self, rows: IndexArray) -> tuple[Data, KernelBasis]:
        seen, X = self._sample
        Z = X[np.searchsorted(seen, rows)]
        return Z, KernelBasis(self._numeric, Z)


def block_training(
    estimator: Any,
    source: BlockSource,
    y: Any,
    sample_weight: Any,
    *,
    targets: bool,
    numeric: bool,
    multi_output: bool,
) -> tuple[Training, Any]:
    """Training data and validated targets, after one pass over a source.

    With ``approximation="auto"``, samples that are few enough for an exact fit are read into memory.
    """
    who, kernel = type(estimator).__name__, estimator._kernel()
    _check_possible(estimator, source, kernel)
    if sample_weight is not None and np.ndim(sample_weight) > 0:
        sample_weight = check_weights(
            estimator, sample_weight, _Rows(source.n_rows), negative=estimator._negative_weights
        )
    found = Surveyed.together(source.map(Survey(who, targets)))
    y = _given(who, "y", y if targets else None, found.y)
    weight = _given(who, "sample_weight", sample_weight, found.weight)
    if targets:
        y = check_targets(estimator, y, found.n, numeric=numeric, multi_output=multi_output)
    name_features(estimator, source)
    weighted = weight is not None
    weight = check_weights(estimator, weight, _Rows(found.n), negative=estimator._negative_weights)
    weight = weight if weighted else np.broadcast_to(1.0, found.n)  # in no memory
    kept = np.flatnonzero(weight > 0) if weighted else np.arange(found.n)
    if len(kept) == 0:
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    spread = found.spread
    if sample_weight is not None and not source.has_weights:
        spread = source.reduce(_Spread(), weight)
    kernel = resolved(who, default_width(estimator, kernel, spread.twin()), source, spread, weight, weighted=weighted)
    training = BlockTraining(
        who,
        source,
        kernel,
        KernelBasis(kernel, source),
        weight,
        kept,
        weighted,
        getattr(estimator, "n_jobs", None),
        source=source,
        dtypes=estimator._dtypes,
    )
    if getattr(estimator, "approximation", None) == "auto" and estimator._is_exact(training.n):
        return _held(training), y
    return training, y


def surveyed_kernel(estimator: Any, source: BlockSource, kernel: Kernel) -> Kernel:
    """Kernel with numerical values of all parameters, after one pass over a source; targets and weights are ignored."""
    who = type(estimator).__name__
    spread = source.reduce(_Plain(who))
    name_features(estimator, source)
    ones = np.ones(source.n_rows) if "median" in _rules(kernel) else np.ones(0)
    return resolved(who, default_width(estimator, kernel, spread.twin()), source, spread, ones, weighted=False)


def resolved(
    who: str, kernel: Kernel, source: BlockSource, spread: Spread, weight: DoubleArray, *, weighted: bool
) -> Kernel:
    """Kernel with numerical values of all parameters, as those of all rows in memory up to rounding."""
    if kernel.is_resolved:
        return kernel
    rules = _rules(kernel)
    if rules - {"scale", "auto"} == {"median"} and "scale" not in rules:
        kept = np.flatnonzero(weight) if weighted else np.arange(len(weight))
        if len(kept) > MEDIAN_POINTS:
            kept = kept[np.sort(np.random.default_rng(0).choice(len(kept), MEDIAN_POINTS, replace=False))]
        return kernel.resolve(source.take(kept), sample_weight=weight[kept] if weighted else None)
    if rules - {"scale", "auto"} or _has_map(kernel):
        raise ValueError(
            f"{who}: the parameters of {kernel} depend on the data in a way that blocks cannot be summed for; give "
            "gamma as a number, or resolve the kernel on a sample: kernel.resolve(X[:10000])."
        )
    return kernel.resolve(spread.twin())


def _rules(kernel: Kernel) -> set[str]:
    own = {value for value in vars(kernel).values() if isinstance(value, str) and value in RULES}
    return own.union(*(_rules(part) for part in kernel.parts().values() if not part.is_resolved))


def _has_map(kernel: Kernel) -> bool:
    return isinstance(kernel, Map) or any(map(_has_map, kernel.parts().values()))


def _held(training: BlockTraining) -> Training:
    """The same training data in memory."""
    _, X = training._read(np.arange(training.n))
    kernel = training._numeric
    return Training(
        training.who,
        X,
        kernel,
        KernelBasis(kernel, X, kernel.prepare(X)),
        training.weight,
        training.kept,
        training.weighted,
        training.n_jobs,
    )


@dataclass(frozen=True)
class _Plain:
    """Task: moments of the columns of a block, which is validated; errors name `who`."""

    who: str

    def __call__(self, block: Block) -> Spread:
        return Survey(self.who)(Block(block.X, start=block.start, index=block.index)).spread


class _Rows:
    """Samples of which only the number is known."""

    def __init__(self, n: int) -> None:
        self.shape = (n, 0)

    def __len__(self) -> int:
        return self.shape[0]


@dataclass(frozen=True)
class _Spread:
    """Task: moments of the columns with weights that are not in the source."""

    def __call__(self, block: Any, weight: DoubleArray) -> Spread:
        return Spread.of(block.X.astype(np.float64, copy=False), weight)


def _given(who: str, name: str, passed: Any, found: Any) -> Any:
    if passed is not None and found is not None:
        raise ValueError(f"{who}: {name} was passed to fit, but the blocks contain {name}, too; leave one of them out.")
    return found if passed is None else passed


def _check_possible(estimator: Any, source: BlockSource, kernel: Kernel | None) -> None:
    who = type(estimator).__name__
    if kernel is None:
        raise ValueError(f"{who}: kernel='precomputed' needs the Gram matrix in memory, got {source!r}; pass a kernel.")
    if not estimator._fits_blocks:
        raise TypeError(f"{who}: cannot be fitted to samples in blocks, got {source!r}; pass them as an array.")
    if getattr(estimator, "approximation", "own") is None:
        raise ValueError(
            f"{who}: samples in blocks need approximation=, because an exact fit needs the Gram matrix of all samples; "
            "set approximation=m with a number of landmarks, 'auto', or a transformer."
        )
    if kernel.reads != "vectors" or names_columns(kernel):
        raise ValueError(
            f"{who}: samples in blocks are matrices of numbers, but the kernel {kernel} reads {kernel.reads} or "
            "columns by name; use a kernel of vectors, with the numbers of columns."
        )


def name_features(estimator: Any, source: BlockSource) -> None:
    """Set the attributes by which predictions check their columns, as scikit-learn does."""
    estimator.n_features_in_ = source.n_features
    names = source.feature_names
    if names is not None and all(isinstance(name, str) for name in names):
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
