"""Source of blocks on a cluster, or on threads: the chunks of Dask collections.

Each block is one task without a state. Sums are trees of tasks in the order of the blocks, so that they do not depend
on the workers. Constants, such as landmarks, are part of the graph: a worker that dies loses nothing that the scheduler
cannot compute again.
"""

import operator
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, final

import numpy as np

from mercer._runtime.pools import limit_pools
from mercer._typing import FloatArray
from mercer.data.blocks.block import Block
from mercer.data.blocks.dask_blocks import work
from mercer.data.blocks.dask_blocks.cluster import check_workers, current_client, portable, require_workers
from mercer.data.blocks.dask_blocks.collections import aligned, delayed_parts, is_collection, rows_only
from mercer.data.blocks.source import BlockSource, Task
from mercer.exceptions import ClusterError

__all__ = ["DaskBlocks"]

_WAVE = 1000  # blocks whose tasks are one graph, at most
_WAVE_BYTES = 250_000_000  # numbers of rows that are sent with one graph, at most


@final
class DaskBlocks(BlockSource):
    """Chunks of a Dask array, or partitions of a Dask data frame, as blocks.

    Estimators make it of the Dask collections that are passed to `fit`.

    Parameters
    ----------
    X : dask.array.Array or dask.dataframe.DataFrame
        Rows. Chunks of columns are merged; every chunk of rows is a block.
    y : dask collection or array-like, default=None
        Targets. A Dask array is divided as X is; other collections must have the partitions of X.
    sample_weight : dask collection or array-like, default=None
        Weights, as `y`.
    lazy : bool, default=True
        Whether predictions are lazy collections.

    Attributes
    ----------
    n_features : int
        Number of columns.
    feature_names : list or None
        Names of the columns of a data frame.

    See Also
    --------
    mercer.data.ArrayBlocks : Rows of an array or a memory map.

    Notes
    -----
    Tasks run on the current client, or with the scheduler that Dask is configured for. Each of them uses one thread.
    Results are added pair by pair on the workers. The rows of a data frame are counted in a pass.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from mercer.data.blocks.dask_blocks import DaskBlocks
    >>> source = DaskBlocks(da.ones((10, 2), chunks=4), np.arange(10))
    >>> source.n_rows, list(source.map(len)), source.reduce(lambda block: block.y.sum())
    (10, [4, 4, 2], np.int64(45))
    """

    sums_only = True

    def __init__(self, X: Any, y: Any = None, sample_weight: Any = None, *, lazy: bool = True) -> None:
        self._lazy = lazy
        self._who = "DaskBlocks"
        self._X = X = rows_only(X)
        self._is_array = hasattr(X, "chunks")
        self.n_features = int(X.shape[1]) if self._is_array else len(X.columns)
        self.feature_names = None if self._is_array else [str(name) for name in X.columns]
        self.has_targets, self.has_weights = y is not None, sample_weight is not None
        self._y, self._weight = (
            self._divided(name, values) for name, values in (("y", y), ("sample_weight", sample_weight))
        )

    def __repr__(self) -> str:
        rows = f"{self.n_rows} rows, " if self._is_array or "_lengths" in vars(self) else ""
        targets = ", with targets" if self.has_targets else ""
        return f"DaskBlocks: {rows}{self.n_features} columns in {len(self._blocks)} blocks{targets}"

    @property
    def n_rows(self) -> int:
        return sum(self._lengths)

    def map(self, task: Task, *columns: Any) -> Iterator[Any]:
        for nodes in self._waves(task, columns):
            yield from self._compute(nodes)

    def reduce(self, task: Task, *columns: Any) -> Any:
        import dask

        add, total = dask.delayed(operator.add, pure=False), None
        for wave in self._waves(task, columns):
            nodes = wave
            while len(nodes) > 1:
                pairs = [add(a, b) for a, b in zip(nodes[::2], nodes[1::2], strict=False)]
                nodes = pairs + nodes[len(nodes) - len(nodes) % 2 :]
            (part,) = self._compute(nodes)
            total = part if total is None else total + part
        return total

    def predictions(self, task: Task, example: FloatArray, names: Sequence[str] | None = None) -> Any:
        """Lazy outputs of a task that returns one row for each row.

        Parameters
        ----------
        task : callable
            Called with a block.
        example : ndarray of shape (1, n_features)
            Row that determines the type and the number of outputs.
        names : sequence of str, default=None
            Names of the outputs, for data frames.

        Returns
        -------
        dask.array.Array, dask.dataframe.Series or dask.dataframe.DataFrame
            Outputs, divided as the rows are; a data frame keeps its index.
        """
        check_workers(self._who)
        if not self._lazy:
            return self.outputs(task)
        import dask

        sample = np.asarray(task(Block(example)))
        if not self._is_array:
            function, argument = portable("frame_outputs", work.Prediction(task, sample[:0], names))
            constant, meta = dask.delayed(argument, pure=False), work.frame_of(sample[:0], None, names)
            return self._X.map_partitions(function, constant, meta=meta)
        function, argument = portable("outputs", work.Prediction(task, sample[:0]))
        shape = {"drop_axis": 1} if sample.ndim == 1 else {"chunks": (self._X.chunks[0], (sample.shape[1],))}
        constant = dask.delayed(argument, pure=False)
        return self._X.map_blocks(function, constant, dtype=sample.dtype, meta=sample[:0], **shape)

    @contextmanager
    def fitting(self, estimator: Any) -> Iterator[None]:
        """Check the workers before a fit; errors during the fit name the estimator.

        Parameters
        ----------
        estimator : estimator
            Estimator that is fitted.
        """
        self._who = who = type(estimator).__name__
        if getattr(estimator, "_visits_samples", False):
            raise TypeError(
                f"{who}: multi_class='crammer_singer' cannot be fitted to a Dask collection, because its solver visits "
                "one sample after the other; use multi_class='ovo' or 'ovr', or fit it to blocks on one machine: "
                "mercer.datasets.read_blocks, mercer.data.ArrayBlocks."
            )
        require_workers(who)
        yield

    # ---- blocks

    @cached_property
    def _blocks(self) -> list[Any]:
        return delayed_parts(self._X)

    @cached_property
    def _lengths(self) -> list[int]:
        """Number of rows of every block."""
        if self._is_array:
            return [int(n) for n in self._X.chunks[0]]
        import dask

        count = dask.delayed(len, pure=False)
        return [int(n) for n in self._compute([count(block) for block in self._blocks])]

    def _divided(self, name: str, values: Any) -> Any:
        """Targets or weights: delayed parts of all blocks, or an array of all rows."""
        if values is None or not is_collection(values):
            return None if values is None else np.asarray(values)
        return aligned(name, values, self._X, len(self._blocks))

    def _waves(self, task: Task, columns: Sequence[Any]) -> Iterator[list[Any]]:
        """Delayed results of the blocks that have rows, in graphs of limited size."""
        import dask

        lengths = self._lengths
        starts = np.concatenate([[0], np.cumsum(lengths)])
        if starts[-1] == 0:
            raise ValueError(
                f"{self._who}: Found array with 0 sample(s) in all blocks, while a minimum of 1 is required."
            )
        self._check_rows()
        function, argument = (work.run, task) if current_client() is None else portable("run_pickled", task)
        run, constant = dask.delayed(function, pure=False), dask.delayed(argument, pure=False, traverse=False)
        nodes: list[Any] = []
        nbytes = 0
        for index, block in enumerate(self._blocks):
            if not lengths[index]:
                continue
            rows = slice(int(starts[index]), int(starts[index + 1]))
            y, weight = (self._part(values, index, rows) for values in (self._y, self._weight))
            parts = [None if column is None else column[rows] for column in columns]
            nbytes += sum(part.nbytes for part in (y, weight, *parts) if isinstance(part, np.ndarray))
            place = (self._who, index, rows.start, lengths[index], self.n_features)
            nodes.append(run(constant, place, block, y, weight, *parts))
            if len(nodes) == _WAVE or nbytes > _WAVE_BYTES:
                yield nodes
                nodes, nbytes = [], 0
        if nodes:
            yield nodes

    def _check_rows(self) -> None:
        """Raise ValueError unless targets and weights that are in memory have the rows of X."""
        for name, values in (("y", self._y), ("sample_weight", self._weight)):
            if isinstance(values, np.ndarray) and len(values) != self.n_rows:
                raise ValueError(
                    f"DaskBlocks: X has {self.n_rows} rows, but {name} has {len(values)}; every row needs one."
                )

    def _part(self, values: Any, index: int, rows: slice) -> Any:
        return values[index] if isinstance(values, list) else None if values is None else values[rows]

    def _compute(self, nodes: list[Any]) -> tuple[Any, ...]:
        """Results of tasks; workers that die too often, or that have another mercer, end in one error."""
        import dask

        with warnings.catch_warnings():  # parts of targets and weights belong in the graph
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            try:
                with limit_pools(1 if current_client() is None else None, "blas"):
                    return tuple(dask.compute(*nodes, traverse=False))
            except Exception as error:
                if isinstance(error, ImportError):  # perhaps of a worker that has joined after the start
                    check_workers(self._who)
                if type(error).__name__ != "KilledWorker":
                    raise
                raise ClusterError(
                    f"{self._who}: workers died while they computed a block ({' '.join(str(error).split())[:200]}). "
                    "The usual reason is memory: use smaller chunks, fewer landmarks or workers with more memory. "
                    "Other losses are allowed by the Dask option distributed.scheduler.allowed-failures."
                ) from None
