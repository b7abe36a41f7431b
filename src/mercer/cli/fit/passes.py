"""Progress of fits that read a table in blocks."""

from collections.abc import Callable
from typing import Any, final

from mercer._typing import FloatArray, IndexArray
from mercer.data.blocks.block import Block
from mercer.data.blocks.source import BlockSource, Task

__all__ = ["CountedBlocks"]


@final
class CountedBlocks(BlockSource):
    """Source that reports how often its rows were read.

    Parameters
    ----------
    source : BlockSource
        Source whose tasks run in this process.
    report : callable
        Called after each block with the number of passes over all rows so far, such as 1.5.
    """

    def __init__(self, source: BlockSource, report: Callable[[float], None]) -> None:
        self.n_features, self.feature_names = source.n_features, source.feature_names
        self.has_targets, self.has_weights, self.folder = source.has_targets, source.has_weights, source.folder
        self._source, self._report, self._read = source, report, 0

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._source.n_rows

    def begin(self) -> None:
        """Count passes from 0 again."""
        self._read = 0

    def map(self, task: Task, *columns: Any) -> Any:
        """Apply a task to every block that has rows."""
        return self._source.map(self._counted(task), *columns)

    def outputs(self, task: Task, *columns: Any) -> Any:
        """Results of a task that returns one row of output for each row."""
        return self._source.outputs(self._counted(task), *columns)

    def take(self, rows: IndexArray) -> FloatArray:
        """Read some rows by their numbers."""
        return self._source.take(rows)

    def _counted(self, task: Task) -> Task:
        def run(block: Block, *parts: Any) -> Any:
            found = task(block, *parts)
            self._read += len(block)
            self._report(self._read / self.n_rows)
            return found

        return run
