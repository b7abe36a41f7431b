"""Tables in files as sources of blocks, which estimators fit to without having all rows in memory."""

import os
from collections.abc import Iterator, Sequence
from typing import Any, final

from mercer._validation import check_integer
from mercer.data.blocks.block import Block
from mercer.data.blocks.local import LocalBlocks
from mercer.data.frames import unknown_column
from mercer.datasets.input_files import listed, polars, refuse
from mercer.datasets.table_files import TableFile, table_files

__all__ = ["TableBlocks", "read_blocks"]

_WHO = "mercer.datasets.read_blocks"


def read_blocks(
    path: str | os.PathLike[str],
    *,
    target: str | Sequence[str] | None = None,
    weight: str | None = None,
    columns: Sequence[str] | None = None,
    block_bytes: int = 32_000_000,
) -> "TableBlocks":
    """Open Parquet or CSV files as a source of blocks, for tables that are larger than memory.

    Estimators whose statistics are additive take the source in place of X. They read one block at a time.

    Parameters
    ----------
    path : str or path
        A .parquet, .csv or .tsv file, or a folder of files of one of these kinds, which are read in the order of their
        names.
    target : str or list of str, default=None
        Column of the targets, numbers or labels; a list selects several columns of numbers.
    weight : str, default=None
        Column of the sample weights.
    columns : list of str, default=None
        Columns of the features. None means all others. They must contain numbers or booleans; categories are not
        encoded.
    block_bytes : int, default=32000000
        Size of a block in memory, as float64. A few blocks of this size are in memory at a time.

    Returns
    -------
    TableBlocks
        Source, which also has the names of the columns.

    Raises
    ------
    FileNotFoundError
        If there is no such file or folder.
    ValueError
        If a column does not exist or does not contain numbers, or if files have different columns. During a fit: if a
        value is missing, NaN or infinite, or if a file has changed since it was opened. The message names file, row,
        column and block, counted from 0.

    See Also
    --------
    read : Read a whole table into memory, with columns of every kind.
    mercer.data.ArrayBlocks : Rows of arrays, memory maps, HDF5 and zarr.

    Notes
    -----
    Parquet files are read by polars, which decodes the row groups that a block needs. For CSV files one pass counts the
    lines; fields must not contain line breaks.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np, polars as pl
    >>> from mercer.datasets import read_blocks
    >>> from mercer.ridge import KernelRidge
    >>> x = np.linspace(0, 6, 1000)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pl.DataFrame({"x": x, "y": np.sin(x)}).write_parquet(pathlib.Path(folder) / "part-0.parquet")
    ...     source = read_blocks(folder, target="y", block_bytes=1600)
    ...     print(source)
    ...     model = KernelRidge(alpha=1e-3, kernel="rbf", approximation=20).fit(source)
    TableBlocks: 1000 rows, 1 column of 1 file, target 'y', blocks of 100 rows
    >>> model.predict(pl.DataFrame({"x": [np.pi / 2]})).round(3)
    array([1.])
    """
    targets = [target] if isinstance(target, str) else list(target or ())
    files = table_files(path)
    names = list(files[0].schema)
    special = [*targets, *([] if weight is None else [weight])]
    for name in [*special, *(columns or ())]:
        if name not in names:
            raise unknown_column(_WHO, names, name)
    chosen = [name for name in names if name not in special] if columns is None else list(columns)
    if not chosen:
        raise refuse(files[0].path, f"has no columns besides {listed(map(repr, special))}; choose others as features")
    _require_numbers(files, [*chosen, *([] if weight is None else [weight]), *(targets if len(targets) > 1 else ())])
    _require_one_kind(files, targets)
    block_bytes = check_integer(_WHO, "block_bytes", block_bytes, low=1)
    step = max(1, block_bytes // (8 * (len(chosen) + len(special))))
    return TableBlocks(files, chosen, targets, weight, step)


@final
class TableBlocks(LocalBlocks):
    """Rows of Parquet or CSV files in blocks; `read_blocks` makes it.

    Parameters
    ----------
    files : list of TableFile
        Files with the same columns.
    columns : list of str
        Columns of the features.
    targets : list of str
        Columns of the targets.
    weight : str or None
        Column of the sample weights.
    step : int
        Number of rows of a block. The last block of each file may have fewer.

    Attributes
    ----------
    n_features : int
        Number of columns of the features.
    feature_names : list of str
        Their names.

    See Also
    --------
    read_blocks : Open files and choose columns.

    Examples
    --------
    >>> from mercer.datasets import TableBlocks
    >>> TableBlocks.__module__
    'mercer.datasets'
    """

    def __init__(
        self, files: list[TableFile], columns: list[str], targets: list[str], weight: str | None, step: int
    ) -> None:
        self._files, self._targets, self._weight, self._step = files, targets, weight, step
        self.feature_names: list[str] | None = columns
        self._columns = columns
        self.n_features = len(columns)
        self.has_targets, self.has_weights = bool(targets), weight is not None

    def __repr__(self) -> str:
        d, files = self.n_features, len(self._files)
        what = f"{self.n_rows} rows, {d} column{'s' * (d != 1)} of {files} file{'s' * (files != 1)}"
        target = f", target {listed(map(repr, self._targets))}" if self._targets else ""
        return f"TableBlocks: {what}{target}, blocks of {self._step} rows"

    @property
    def n_rows(self) -> int:
        """Number of rows.

        Returns
        -------
        int
            Number of rows of all files.
        """
        return sum(file.n_rows for file in self._files)

    @property
    def paths(self) -> list[str]:
        """Absolute paths of the files.

        Returns
        -------
        list of str
            Paths, in the order of the rows.
        """
        return [os.fspath(file.path.resolve()) for file in self._files]

    @property
    def csv_options(self) -> dict[str, Any] | None:
        """Options by which the CSV readers of pandas and Dask find the same columns as this source.

        Returns
        -------
        dict or None
            Separator, names and types of the columns of the first file; None for Parquet files.
        """
        first = self._files[0]
        if first.separator is None:
            return None
        floats = [name for name, dtype in first.schema.items() if dtype.is_float()]
        return {
            "sep": first.separator,
            "header": 0,
            "names": list(first.schema),
            "dtype": dict.fromkeys(floats, "float64"),
        }

    @property
    def fingerprint(self) -> list[object]:
        """What identifies the data: files with size and time of change, columns and blocks.

        Returns
        -------
        list
            Plain values, for checkpoints.
        """
        files = [[os.fspath(file.path), *file.state, file.n_rows] for file in self._files]
        return [files, self._columns, self._targets, self._weight, self._step]

    def _items(self) -> Iterator[Block]:
        index = start = 0
        for file in self._files:
            for first in range(0, file.n_rows, self._step):
                last = min(first + self._step, file.n_rows)
                yield self._block(file, first, last, index, start)
                index, start = index + 1, start + last - first

    def _block(self, file: TableFile, first: int, last: int, index: int, start: int) -> Block:
        weights = [] if self._weight is None else [self._weight]
        wanted = list(dict.fromkeys([*self._columns, *self._targets, *weights]))
        frame = file.rows(first, last, wanted)
        pl = polars(_WHO)
        numbers = [name for name in wanted if name not in self._targets or len(self._targets) > 1]
        place = _Place(file, first, index)
        _require_finite(pl, place, frame, wanted)
        values = frame.select(pl.col(numbers).cast(pl.Float64))
        y = None
        if len(self._targets) == 1:
            y = frame[self._targets[0]].to_numpy()
            y = y.astype(str) if y.dtype.kind == "O" else y
        elif self._targets:
            y = values.select(self._targets).to_numpy()
        weight = None if self._weight is None else values[self._weight].to_numpy()
        return Block(values.select(self._columns).to_numpy(order="c"), y, weight, start, index)


class _Place:
    """Where a block was read, for errors."""

    def __init__(self, file: TableFile, first: int, index: int) -> None:
        self._file, self._first, self._index = file, first, index

    def error(self, row: int, column: str, what: str) -> ValueError:
        where = f"row {self._first + row} (from 0), column {column!r}, block {self._index}"
        return refuse(self._file.path, f"{where}: {what}; remove the row, or replace the value")


def _require_finite(pl: Any, place: _Place, frame: Any, columns: Sequence[str]) -> None:
    """Raise ValueError that names file, row, column and block of the first value that is missing or not finite."""
    for name in columns:
        values = frame[name]
        if values.null_count():
            raise place.error(values.is_null().arg_max(), name, "the value is missing")
        if values.dtype in (pl.Float32, pl.Float64) and not (fine := values.is_finite()).all():
            row = fine.arg_min()
            raise place.error(row, name, f"{values[row]} is not a finite number")


def _require_one_kind(files: list[TableFile], targets: list[str]) -> None:
    """Raise ValueError unless a target is a column of numbers in all files, or in none."""
    for name in targets:
        first = files[0]
        for file in files[1:]:
            types = [one.schema[name] for one in (first, file)]
            if types[0].is_numeric() != types[1].is_numeric():
                what = f"the target {name!r} is {types[1]}, but {types[0]} in {first.path.name}"
                raise refuse(file.path, f"{what}; give it one type in all files, numbers or text")


def _require_numbers(files: list[TableFile], columns: Sequence[str]) -> None:
    pl = polars(_WHO)
    for file in files:
        for name in columns:
            dtype = file.schema[name]
            if not (dtype.is_numeric() or dtype in (pl.Boolean, pl.Null)):
                raise refuse(
                    file.path,
                    f"column {name!r} is not a column of numbers but {dtype}; leave it out with columns=, or encode it "
                    "before: categories, dates and text are not converted in blocks",
                )
