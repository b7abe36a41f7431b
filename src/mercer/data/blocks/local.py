"""Blocks that are read in this process: rows of arrays and memory maps, and blocks that a function yields."""

import mmap
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, final

import numpy as np

from mercer._typing import FloatArray, IndexArray
from mercer._validation import as_numbers, check_integer, check_rows, describe
from mercer.data.blocks.block import Block
from mercer.data.blocks.checks import check_names, checked_block, column_names
from mercer.data.blocks.source import BlockSource, Task
from mercer.data.convert import take
from mercer.data.frames import as_series

__all__ = ["ArrayBlocks", "IterableBlocks", "LocalBlocks"]

_BYTES = 32_000_000  # of a block of an array


class LocalBlocks(BlockSource):
    """Base class of sources whose blocks are read one after the other in this process.

    A subclass defines `_items`, and the attributes of `BlockSource`. Blocks are validated in every pass, and compared
    with those of the first complete pass.

    See Also
    --------
    BlockSource : What estimators ask of a source.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.data.blocks.local import LocalBlocks
    >>> class Ones(LocalBlocks):
    ...     n_features = 2
    ...     def _items(self):
    ...         return (np.ones((n, 2)) for n in (3, 1))
    >>> Ones().n_rows
    4
    """

    _seen: list[tuple[int, int]] | None = None  # rows and fingerprint of every block of the first complete pass
    _head: tuple[int, int] | None = None  # those of the first block, if it was read before the first pass

    @abstractmethod
    def _items(self) -> Iterable[Any]:
        """Blocks of one pass, as `checked_block` reads them."""

    @property
    def n_rows(self) -> int:
        """Number of rows; counted in a pass if it is not known.

        Returns
        -------
        int
            Number of rows of all blocks.
        """
        if self._seen is None:
            for _ in self._blocks():
                pass
        assert self._seen is not None  # set at the end of the pass
        return sum(n for n, _ in self._seen)

    def map(self, task: Task, *columns: Any) -> Iterator[Any]:
        """Apply a task to every block that has rows, one after the other.

        Parameters
        ----------
        task : callable
            Called as ``task(block, *parts)``.
        *columns : ndarray of shape (n_rows, ...)
            Numbers of all rows that are kept outside of the source. The task receives the part of its block, and None
            for None.

        Yields
        ------
        object
            Results, in the order of the blocks.

        Raises
        ------
        ValueError
            If a block differs from the others in its columns, targets or weights, or from the same block in the first
            pass.
        """
        for block in self._blocks():
            yield task(block, *[None if column is None else column[block.rows] for column in columns])

    def outputs(self, task: Task, *columns: Any) -> Any:
        """Results of a task that returns one row of output for each row, in one array if the number of rows is known.

        Parameters
        ----------
        task : callable
            As that of `map`; it returns an array with as many rows as its block.
        *columns : ndarray of shape (n_rows, ...)
            As those of `map`.

        Returns
        -------
        ndarray of shape (n_rows, ...)
            Outputs of all rows.
        """
        if self._seen is None:
            return super().outputs(task, *columns)
        out, start = None, 0
        for part in self.map(task, *columns):
            if out is None:
                out = np.empty((self.n_rows, *part.shape[1:]), dtype=part.dtype)
            out[start : start + len(part)] = part
            start += len(part)
        return out

    def _blocks(self) -> Iterator[Block]:
        """Blocks of one pass that have rows."""
        who, seen, known = type(self).__name__, self._seen, []
        start, first = 0, None
        for index, item in enumerate(self._items()):
            block = checked_block(who, item, index, start, first)
            first = block if first is None else first
            if index == 0 and block.X.shape[1] != self.n_features:
                raise ValueError(f"{who}: block 0 has {block.X.shape[1]} columns, expected {self.n_features}.")
            check_names(who, index, item, self.feature_names)
            known.append((len(block), block.fingerprint))
            if index == 0 and seen is None and self._head is not None:
                _compare(who, 0, known[0], [self._head])
            if seen is not None:
                _compare(who, index, known[-1], seen)
            start += len(block)
            if len(block):
                yield block
        if seen is not None and len(known) < len(seen):
            raise ValueError(
                f"{who}: the data changed between two passes: {len(seen)} blocks in the first pass, {len(known)} now; "
                "every pass must yield the same rows."
            )
        if start == 0:
            raise ValueError(f"{who}: Found array with 0 sample(s) in all blocks, while a minimum of 1 is required.")
        self._seen = known


def _compare(who: str, index: int, now: tuple[int, int], seen: list[tuple[int, int]]) -> None:
    """Raise ValueError if a block is not that of the first pass."""
    before = seen[index] if index < len(seen) else None
    if before == now:
        return
    was = "had no such block" if before is None else f"had {before[0]} rows in it"
    if before is not None and before[0] == now[0]:
        was = "had other values in it"
    raise ValueError(
        f"{who}: the data changed between two passes: block {index} has {now[0]} rows now, but the first pass {was}; "
        "every pass must yield the same rows."
    )


def _length(values: Any) -> int | None:
    shape = getattr(values, "shape", None)
    if shape is None:
        return len(values) if hasattr(values, "__len__") else None
    return int(shape[0]) if shape else None


def _plain(values: Any) -> Any:
    """Values of a series, which may be sliced by its labels; other values unchanged."""
    series = None if values is None else as_series(values)
    return values if series is None else series.to_numpy()


@final
class ArrayBlocks(LocalBlocks):
    """Rows of an array, a memory map, or an object with a shape whose slices are arrays, such as an HDF5 data set.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features)
        Rows. The names of the columns of a frame are kept. Only one block is in memory at a time.
    y : array of shape (n_samples,) or (n_samples, n_targets), default=None
        Targets.
    sample_weight : array of shape (n_samples,), default=None
        Weights.
    rows : int, default=None
        Number of rows of a block. None: blocks of about 32 MB.
    folder : path, default=None
        Folder for features that a fit writes to disk, as support vector machines do. None: the temporary folder of the
        system.

    See Also
    --------
    IterableBlocks : Blocks that a function yields.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.data import ArrayBlocks
    >>> source = ArrayBlocks(np.eye(5), np.arange(5), rows=2)
    >>> source
    ArrayBlocks: 5 rows, 5 columns, with targets
    >>> list(source.map(lambda block: block.y.tolist()))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, rows: int | None = None, folder: Any = None
    ) -> None:
        who = "ArrayBlocks"
        shape = getattr(X, "shape", None)
        if shape is None or len(shape) != 2:
            raise TypeError(f"{who}: X must be an array with rows and columns, got {describe(X)}.")
        for name, values in (("y", y), ("sample_weight", sample_weight)):
            given = _length(values)
            if values is not None and given != shape[0]:
                what = "is a single value" if given is None else f"has {given}"
                raise ValueError(f"{who}: X has {shape[0]} rows, but {name} {what}; every row needs one.")
        self.feature_names = column_names(X)
        self.n_features, self._X, self._y, self._weight = int(shape[1]), X, _plain(y), _plain(sample_weight)
        self.has_targets, self.has_weights = y is not None, sample_weight is not None
        width = np.dtype(getattr(X, "dtype", np.float64)).itemsize * max(1, self.n_features)
        self.folder = folder
        self._step = max(1, _BYTES // width) if rows is None else check_integer(who, "rows", rows, low=1)

    def __repr__(self) -> str:
        n, d = self._X.shape
        return f"ArrayBlocks: {n} rows, {d} columns{', with targets' if self.has_targets else ''}"

    @property
    def n_rows(self) -> int:
        """Number of rows.

        Returns
        -------
        int
            Number of rows of the array.
        """
        return int(self._X.shape[0])

    def _items(self) -> Iterator[Any]:
        for start in range(0, self.n_rows, self._step):
            rows = slice(start, min(start + self._step, self.n_rows))
            self._require_files()
            parts = (None if values is None else values[rows] for values in (self._y, self._weight))
            yield (self._X[rows] if self.feature_names is None else take(self._X, rows), *parts)

    def take(self, rows: IndexArray) -> FloatArray:
        """Read some rows by their numbers.

        Parameters
        ----------
        rows : ndarray of int
            Row numbers, in any order.

        Returns
        -------
        ndarray of shape (len(rows), n_features)
            The rows, in the order of their numbers in `rows`.
        """
        rows = check_rows("ArrayBlocks", rows, self.n_rows)
        if not isinstance(self._X, np.ndarray):  # other objects may read sorted numbers only, or read them slowly
            return super().take(rows)
        self._require_files()
        return np.asarray(as_numbers("ArrayBlocks", self._X[rows]))

    def _require_files(self) -> None:
        """Raise ValueError if the file of a memory map has shrunk: reading behind its end would end the process."""
        for name, values in (("X", self._X), ("y", self._y), ("sample_weight", self._weight)):
            mapped = getattr(values, "_mmap", None) if isinstance(values, np.memmap) else None
            if mapped is not None:
                needed = values.offset - values.offset % mmap.ALLOCATIONGRANULARITY + len(mapped)
                if mapped.size() < needed:
                    raise ValueError(
                        f"ArrayBlocks: the file of {name} has shrunk to {mapped.size()} bytes, expected {needed}; keep "
                        "the file as it is while it is read."
                    )


@final
class IterableBlocks(LocalBlocks):
    """Blocks of a list, or blocks that a function yields anew for every pass.

    Parameters
    ----------
    blocks : callable or sequence
        Function without arguments that returns an iterator of blocks, or a list of them. A block is an array X, a tuple
        (X, y) or (X, y, sample_weight), or a `Block`.
    folder : path, default=None
        Folder for features that a fit writes to disk, as support vector machines do. None: the temporary folder of the
        system.

    See Also
    --------
    ArrayBlocks : Rows of an array or a memory map.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.data import IterableBlocks
    >>> source = IterableBlocks(lambda: ((np.full((n, 2), n), np.arange(n)) for n in (3, 0, 1)))
    >>> source.n_features, source.has_targets, source.n_rows
    (2, True, 4)
    >>> source.take(np.array([3, 0]))
    array([[1., 1.],
           [3., 3.]])
    """

    def __init__(self, blocks: Callable[[], Iterable[Any]] | Iterable[Any], *, folder: Any = None) -> None:
        who = "IterableBlocks"
        if not callable(blocks) and (not isinstance(blocks, Iterable) or isinstance(blocks, str | bytes)):
            raise TypeError(
                f"{who}: blocks must be a list of blocks or a function that returns an iterator, got "
                f"{describe(blocks)}."
            )
        if not callable(blocks) and iter(blocks) is blocks:
            raise TypeError(
                f"{who}: blocks must be a list or a function that returns a new iterator, got {describe(blocks)}, "
                "which can be read only once; pass a function, as in IterableBlocks(lambda: read_blocks(path))."
            )
        self._make, self.folder = blocks, folder
        item = next(iter(self._items()), None)
        if item is None:
            raise ValueError(f"{who}: Found array with 0 sample(s) in no block, while a minimum of 1 is required.")
        block = checked_block(who, item, 0, 0, None)
        self.n_features = block.X.shape[1]
        self.has_targets, self.has_weights = block.y is not None, block.weight is not None
        self.feature_names, self._head = column_names(item), (len(block), block.fingerprint)

    def __repr__(self) -> str:
        n = "" if self._seen is None else f"{self.n_rows} rows, "
        return f"IterableBlocks: {n}{self.n_features} columns{', with targets' if self.has_targets else ''}"

    def _items(self) -> Iterable[Any]:
        blocks = self._make() if callable(self._make) else self._make
        if not isinstance(blocks, Iterable):
            raise TypeError(f"IterableBlocks: the function must return an iterator of blocks, got {describe(blocks)}.")
        return blocks
