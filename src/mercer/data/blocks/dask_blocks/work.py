"""What workers run: tasks on blocks, with one thread, and the outputs of lazy predictions."""

import importlib.metadata
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, final

from mercer._runtime.pools import limit_pools
from mercer.data.blocks.checks import checked_block
from mercer.data.blocks.source import Task

__all__ = [
    "Prediction",
    "frame_of",
    "frame_outputs",
    "outputs",
    "own_version",
    "require_version",
    "run",
    "run_pickled",
]


@cache
def own_version() -> str:
    """Version of mercer in this process."""
    return importlib.metadata.version("mercer")


def require_version(version: str) -> None:
    """Raise ImportError if this process has another version of mercer."""
    if (own := own_version()) != version:
        raise ImportError(f"mercer {own} on a worker, {version} on the client; install the same version.")


def run(task: Task, place: Sequence[Any], X: Any, y: Any, weight: Any, *columns: Any) -> Any:
    """Result of a task for one block, computed with one thread."""
    who, index, start, length, width = place
    block = checked_block(who, (X, y, weight), index, start, None)
    if block.X.shape[1] != width:
        raise ValueError(
            f"{who}: block {index} has {block.X.shape[1]} columns, but the collection declares {width}; all "
            "chunks need the columns that their metadata declare."
        )
    if len(block) != length:
        raise ValueError(
            f"{who}: block {index} has {len(block)} rows, but {length} when the blocks were counted; the data must not "
            "change during a fit."
        )
    with limit_pools(1):
        return task(block, *columns)


def run_pickled(task: bytes, *args: Any) -> Any:
    """`run` with a pickled task."""
    return run(pickle.loads(task), *args)


@final
@dataclass(frozen=True, eq=False)
class Prediction:
    """Task of a prediction, its output for no rows, and names of outputs for data frames."""

    task: Task
    empty: Any
    names: Sequence[str] | None = None

    def __call__(self, X: Any) -> Any:
        """Outputs of one chunk, computed with one thread."""
        if not len(X):
            return self.empty
        with limit_pools(1):
            return self.task(checked_block("DaskBlocks", X, 0, 0, None))


def outputs(X: Any, prediction: bytes) -> Any:
    """Outputs of one chunk of an array, of a pickled prediction."""
    return pickle.loads(prediction)(X)


def frame_outputs(frame: Any, prediction: bytes) -> Any:
    """Outputs of one partition of a data frame, of a pickled prediction."""
    found = pickle.loads(prediction)
    return frame_of(found(frame), frame.index, found.names)


def frame_of(values: Any, index: Any, names: Sequence[str] | None) -> Any:
    """Series of one output, or data frame of several."""
    import pandas as pd

    if values.ndim == 1:
        return pd.Series(values, index=index)
    return pd.DataFrame(values, index=index, columns=None if names is None else list(names))
