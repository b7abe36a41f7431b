"""Data sets that can be read in blocks of rows again and again."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeAlias, final

import numpy as np

from mercer._typing import FloatArray, IndexArray
from mercer.data.blocks.block import Block

__all__ = ["BlockSource", "Task"]

Task: TypeAlias = Callable[..., Any]  # called with a block and the rows of the columns that belong to it


class BlockSource(ABC):
    """Data set that is read in blocks of rows, in one pass after the other.

    Estimators take a source in place of X. They never ask for the rows as a whole: they hand over a *task*, a function
    of one block, and receive the results of all blocks, or their sum. A source may run tasks one after the other in
    this process, in threads, or on a cluster, so tasks are small picklable objects without a state.

    Attributes
    ----------
    n_features : int
        Number of columns.
    feature_names : list of str or None
        Names of the columns, if they are known.
    has_targets : bool
        Whether blocks contain targets.
    has_weights : bool
        Whether blocks contain weights.
    folder : path or None
        Folder for features that a fit writes to disk. None: the temporary folder of the system.
    sums_only : bool
        Whether features of the rows should not be collected in this process. Support vector machines are then fitted by
        a solver that needs sums and a few numbers for each row.
    saves_sums : bool
        Whether sums over blocks are saved, so that a fit can continue from them. Logistic regression then computes
        features in every pass, in place of writing them to disk.

    See Also
    --------
    ArrayBlocks : Rows of an array or a memory map.
    IterableBlocks : Blocks that a function yields.

    Notes
    -----
    A subclass defines `map`, `n_rows` and the attributes. Every pass visits the same rows in the same order. Blocks may
    have any number of rows, also 0; tasks are not called for empty blocks.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.data import ArrayBlocks
    >>> source = ArrayBlocks(np.arange(10.0).reshape(5, 2), rows=2)
    >>> list(source.map(len)), source.reduce(lambda block: block.X.sum(axis=0))
    ([2, 2, 1], array([20., 25.]))
    """

    n_features: int
    feature_names: list[str] | None = None
    has_targets: bool = False
    has_weights: bool = False
    folder: Any = None
    sums_only: bool = False
    saves_sums: bool = False

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows; counted in a pass if it is not known.

        Returns
        -------
        int
            Number of rows of all blocks.
        """

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns.

        Returns
        -------
        tuple of int
            `n_rows` and `n_features`.
        """
        return self.n_rows, self.n_features

    @abstractmethod
    def map(self, task: Task, *columns: Any) -> Iterator[Any]:
        """Apply a task to every block that has rows.

        Parameters
        ----------
        task : callable
            Called as ``task(block, *parts)``.
        *columns : ndarray of shape (n_rows, ...)
            Numbers of all rows that are kept outside of the source, such as dual coefficients. The task receives the
            part that belongs to its block, and None for None.

        Yields
        ------
        object
            Results, in the order of the blocks.
        """

    def reduce(self, task: Task, *columns: Any) -> Any:
        """Sum of the results of a task over all blocks, in a fixed order.

        Parameters
        ----------
        task : callable
            As that of `map`; its results are added with ``+``.
        *columns : ndarray of shape (n_rows, ...)
            As those of `map`.

        Returns
        -------
        object
            Sum.
        """
        results = self.map(task, *columns)
        total = next(results)
        for part in results:
            total = total + part
        return total

    def outputs(self, task: Task, *columns: Any) -> Any:
        """Results of a task that returns one row of output for each row.

        Parameters
        ----------
        task : callable
            As that of `map`; it returns an array with as many rows as its block.
        *columns : ndarray of shape (n_rows, ...)
            As those of `map`.

        Returns
        -------
        ndarray of shape (n_rows, ...)
            Outputs of all rows. Sources on a cluster may return a lazy array.
        """
        return np.concatenate(list(self.map(task, *columns)))

    def predictions(self, task: Task, example: FloatArray, names: Sequence[str] | None = None) -> Any:  # noqa: ARG002
        """Outputs for the user, of a task that returns one row of output for each row.

        Parameters
        ----------
        task : callable
            Called with a block.
        example : ndarray of shape (1, n_features)
            Row by which a source with lazy outputs learns their type.
        names : sequence of str, default=None
            Names of the outputs.

        Returns
        -------
        ndarray of shape (n_rows, ...) or lazy collection
            Outputs of all rows.
        """
        return self.outputs(task)

    def fitting(self, estimator: Any) -> AbstractContextManager[None]:  # noqa: ARG002
        """Context of one fit of an estimator to the source, for what a source does before and after it.

        Parameters
        ----------
        estimator : estimator
            Estimator that is fitted.

        Returns
        -------
        context manager
            Context.
        """
        return nullcontext()

    def take(self, rows: IndexArray) -> FloatArray:
        """Read some rows by their numbers, in one pass.

        Parameters
        ----------
        rows : ndarray of int
            Row numbers in the whole data set, in any order.

        Returns
        -------
        ndarray of shape (len(rows), n_features)
            The rows, in the order of their numbers in `rows`.
        """
        order = np.argsort(rows, kind="stable")
        found = [part for part in self.map(_Chosen(np.asarray(rows)[order])) if len(part)]
        out = np.empty((len(rows), self.n_features), dtype=np.result_type(*found))
        out[order] = np.concatenate(found)
        return out


@final
@dataclass(frozen=True, eq=False)
class _Chosen:
    """Task that returns those of some rows that are in a block; the numbers of the rows are sorted."""

    rows: IndexArray

    def __call__(self, block: Block) -> FloatArray:
        first, last = np.searchsorted(self.rows, (block.rows.start, block.rows.stop))
        return block.X[self.rows[first:last] - block.start]
