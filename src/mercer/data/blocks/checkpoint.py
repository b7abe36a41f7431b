"""Checkpoints of fits to blocks: a fit that was killed goes on where it was, and has the same model to the bit."""

import json
import os
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, final

import numpy as np

from mercer._runtime.files import write_whole
from mercer._typing import FloatArray, IndexArray
from mercer._validation import check_real, describe
from mercer.data.blocks.block import Block
from mercer.data.blocks.fingerprints import arrays_of, digest, rebuilt
from mercer.data.blocks.source import BlockSource, Task

__all__ = ["Checkpointed"]

_WHO = "Checkpointed"
_VERSION = 1


@final
class Checkpointed(BlockSource):
    """Source whose fits are saved in a folder at intervals and continue from there after an interruption.

    Pass it to `fit` in place of the source. Sums over blocks are saved together with the number of the last block that
    they include. A second run of the same program reads them and adds the other blocks, in the same order, so that its
    model equals that of a run without interruption bit by bit. The folder is removed when the fit is complete.

    Parameters
    ----------
    source : ArrayBlocks, IterableBlocks, mercer.datasets.TableBlocks or BlockSource
        Source that is read in this process.
    path : str or path
        Folder of the checkpoint, which is created if it does not exist.
    seconds : float, default=60
        Shortest time between two writes. 0 writes after every block.
    keep : bool, default=False
        Whether the folder stays when the fit is complete, so that the same fit again reads all sums, until `clear`.

    Attributes
    ----------
    n_features : int
        Number of columns.

    See Also
    --------
    ArrayBlocks : Rows of an array or a memory map.
    mercer.datasets.read_blocks : Parquet and CSV files.

    Notes
    -----
    The first pass, which reads all rows, computes a digest of the data. A checkpoint of other data, of another
    estimator or of other parameters raises ValueError. Every sum is saved with a digest of what was summed: if a pass
    is another one, because landmarks were drawn without a seed, it starts again. Files contain numbers only: arrays in
    the format of NumPy, without pickles, and JSON.

    Passes that return a number for each row, such as fitted values, are not saved but run again. The same bits need the
    same machine, libraries and number of threads.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from mercer.data import ArrayBlocks, Checkpointed
    >>> from mercer.ridge import KernelRidge
    >>> X = np.linspace(0, 6, 500)[:, None]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "fit.checkpoint")
    ...     source = Checkpointed(ArrayBlocks(X, np.sin(X[:, 0]), rows=100), path)
    ...     model = KernelRidge(alpha=1e-3, kernel="rbf", approximation=20).fit(source)
    ...     os.path.exists(path)
    False
    """

    saves_sums = True

    def __init__(
        self, source: BlockSource, path: str | os.PathLike[str], *, seconds: float = 60.0, keep: bool = False
    ) -> None:
        if not isinstance(source, BlockSource) or source.sums_only or source.saves_sums:
            raise TypeError(
                f"{_WHO}: source must be one that is read in this process (ArrayBlocks, IterableBlocks, read_blocks), "
                f"got {describe(source)}; a cluster repeats lost work by itself."
            )
        self._source = source
        self.n_features, self.feature_names = source.n_features, source.feature_names
        self.has_targets, self.has_weights = source.has_targets, source.has_weights
        self._folder = Path(path)
        self._seconds = check_real(_WHO, "seconds", seconds, low=0.0)
        self._keep = keep
        self._depth = 0  # of fits that call each other
        self._record: _Record | None = None

    def __repr__(self) -> str:
        return f"Checkpointed: {self._source!r}"

    @property
    def n_rows(self) -> int:
        """Number of rows.

        Returns
        -------
        int
            Number of rows of all blocks.
        """
        return self._source.n_rows

    def map(self, task: Task, *columns: Any) -> Iterator[Any]:
        """Apply a task to every block that has rows; the first pass of a fit also computes the digest of the data.

        Parameters
        ----------
        task : callable
            Called as ``task(block, *parts)``.
        *columns : ndarray of shape (n_rows, ...)
            Numbers of all rows that are kept outside of the source.

        Yields
        ------
        object
            Results, in the order of the blocks.
        """
        record = self._record
        if record is None or record.data is not None:
            yield from self._source.map(task, *columns)
            return
        sums = []
        for checksum, result in self._source.map(_Checked(task), *columns):
            sums.append(checksum)
            yield result
        record.identify(digest(sums, self.feature_names))

    def reduce(self, task: Task, *columns: Any) -> Any:
        """Sum of the results of a task over all blocks, from where an earlier run has saved it.

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
        record = self._record
        if record is None:
            return self._source.reduce(task, *columns)
        if record.data is None:
            for _ in self.map(len):
                pass
        begun, first = next(self._source.map(_After(task, -1), *columns))
        try:
            arrays_of(first)
        except TypeError:  # it cannot be saved, and is computed anew
            return self._source.reduce(task, *columns)
        done, saved = record.begin(digest(type(task).__qualname__, task, columns))
        total = first if saved is None else rebuilt(iter(saved), first)
        if done is not None:
            for index, part in self._source.map(_After(task, max(begun, done)), *columns):
                if part is not None:
                    total = total + part
                    record.save(index, total)
        record.finish(total)
        return total

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
        return self._source.take(rows)

    def clear(self) -> None:
        """Remove the files of the checkpoint, and its folder if it contains nothing else."""
        if self._folder.exists():
            remove(self._folder)

    @contextmanager
    def fitting(self, estimator: Any) -> Iterator[None]:
        """Open the checkpoint for a fit, and remove it when the fit is complete.

        Parameters
        ----------
        estimator : estimator
            Estimator that is fitted.
        """
        if self._depth == 0:
            self._record = _Record(self._folder, estimator, self._seconds)
        self._depth += 1
        try:
            yield
            if self._depth == 1 and self._record is not None:
                self._record.keep() if self._keep else remove(self._folder)
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._record = None


@final
@dataclass(frozen=True, eq=False)
class _Checked:
    """Task that also returns the checksum of a block."""

    task: Task

    def __call__(self, block: Block, *columns: Any) -> tuple[int, Any]:
        checksum = zlib.crc32(np.ascontiguousarray(block.X).data)
        for values in (block.y, block.weight):
            if values is not None:
                text = values.astype(str) if values.dtype.kind == "O" else values
                checksum = zlib.crc32(np.ascontiguousarray(text).tobytes(), checksum)
        return checksum, self.task(block, *columns)


@final
@dataclass(frozen=True, eq=False)
class _After:
    """Task for the blocks after a given one; others return None."""

    task: Task
    done: int

    def __call__(self, block: Block, *columns: Any) -> tuple[int, Any]:
        return block.index, self.task(block, *columns) if block.index > self.done else None


class _Record:
    """Files of a checkpoint: ``fit.json``, ``pass-*.npz`` for finished sums, ``part.npz`` for the running one."""

    def __init__(self, folder: Path, estimator: Any, seconds: float) -> None:
        self._folder, self._seconds = folder, seconds
        self._repr = repr(estimator)
        self._estimator = digest(type(estimator).__qualname__, estimator.get_params())
        self.data: str | None = None  # digest of the data, after the first pass
        self._number, self._digest = -1, ""  # of the running pass
        self._pending: list[tuple[int, str, Any]] = []  # finished passes that are not on disk
        self._written = monotonic()
        folder.mkdir(parents=True, exist_ok=True)
        self._known = self._read_header(estimator)

    def _read_header(self, estimator: Any) -> dict[str, Any] | None:
        header = self._folder / "fit.json"
        if not header.exists():
            if others := sorted(file.name for file in self._folder.iterdir() if not file.name.startswith(".mercer-")):
                raise ValueError(
                    f"{_WHO}: the folder {os.fspath(self._folder)!r} is not a checkpoint, it contains {others[0]!r}; "
                    "pass the path of a new folder."
                )
            return None
        try:
            known = json.loads(header.read_text())
            version, own = known["version"], known["estimator"]
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{os.fspath(header)}: is not the file of a checkpoint; delete the folder.") from None
        if version != _VERSION or own != self._estimator:
            self._refuse(f"another estimator or other parameters, {known.get('repr')}, not {estimator!r}")
        return dict(known)

    def identify(self, data: str) -> None:
        """Compare the digest of the data, which the first pass has computed."""
        self.data = data
        if self._known is not None and self._known.get("data") != data:
            self._refuse("other data, or the same data in other blocks")

    def _refuse(self, of: str) -> None:
        raise ValueError(
            f"{_WHO}: the checkpoint {os.fspath(self._folder)!r} is of {of}; pass another path, or delete the folder "
            "to start again."
        )

    def begin(self, task: str) -> tuple[int | None, list[np.ndarray] | None]:
        """Last block of a new pass that is in the saved sum, None for a finished pass, and the arrays of the sum."""
        self._number, self._digest = self._number + 1, task
        if (found := self._load(self._folder / f"pass-{self._number:05d}.npz")) is not None:
            return None, found[1]
        part = self._load(self._folder / "part.npz")
        return (-1, None) if part is None else part

    def _load(self, file: Path) -> tuple[int, list[np.ndarray]] | None:
        if self._known is None or not file.exists():
            return None
        try:
            with np.load(file, allow_pickle=False) as stored:
                number, block = (int(value) for value in stored["place"])
                task = str(stored["task"])
                arrays = [stored[f"a{i}"] for i in range(len(stored.files) - 2)]
        except Exception as error:  # of many kinds, for a file that is not a checkpoint
            raise ValueError(
                f"{os.fspath(file)}: is not the file of a checkpoint ({error}); delete the folder."
            ) from None
        if number != self._number:  # the sum of an earlier pass, which is finished
            return None
        if (
            task != self._digest
        ):  # such as landmarks that were drawn without a seed: this pass and later ones start again
            self._known = None
            return None
        return block, arrays

    def save(self, block: int, total: Any) -> None:
        """Write the sum up to a block, and finished passes, if the last write is long enough ago."""
        if monotonic() - self._written < self._seconds:
            return
        self._flush()
        self._write("part.npz", self._number, block, self._digest, total)
        self._written = monotonic()

    def finish(self, total: Any) -> None:
        """Keep a copy of the sum of a finished pass, which its receiver may overwrite before it is saved."""
        self._pending.append((self._number, self._digest, [array.copy(order="K") for array in arrays_of(total)]))
        if monotonic() - self._written >= self._seconds:
            self._flush()
            self._written = monotonic()

    def _flush(self) -> None:
        if not (self._folder / "fit.json").exists():
            header = {"version": _VERSION, "estimator": self._estimator, "repr": self._repr, "data": self.data}
            write_whole(self._folder / "fit.json", lambda file: file.write(json.dumps(header).encode()))
        for number, task, total in self._pending:
            if self._known is None or not (self._folder / f"pass-{number:05d}.npz").exists():
                self._write(f"pass-{number:05d}.npz", number, -1, task, total)
        self._pending = []

    def _write(self, name: str, number: int, block: int, task: str, total: Any) -> None:
        arrays: dict[str, Any] = {f"a{i}": array for i, array in enumerate(arrays_of(total))}
        place = np.array([number, block])
        write_whole(self._folder / name, lambda file: np.savez(file, place=place, task=np.array(task), **arrays))

    def keep(self) -> None:
        """Write all sums of a fit that is complete."""
        self._flush()
        (self._folder / "part.npz").unlink(missing_ok=True)


def remove(folder: Path) -> None:
    """Remove the files of a checkpoint, those of interrupted writes included, and the folder if it is empty."""
    for file in folder.iterdir():
        if file.name.startswith(".mercer-") and file.is_dir():
            shutil.rmtree(file, ignore_errors=True)
        elif file.name in ("fit.json", "part.npz") or (file.name.startswith("pass-") and file.suffix == ".npz"):
            file.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()
