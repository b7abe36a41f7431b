"""Tables in files that are read range by range of rows: Parquet and CSV through polars.

A file is described once: its columns, number of rows, size and time of its last change. Every later read compares them,
so that a file that shrinks or changes between two passes raises an error and never mixes two versions.
"""

import csv
import os
import pathlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.datasets.input_files import polars, refuse
from mercer.datasets.sniffing import column_names, separator_of

__all__ = ["CsvFile", "ParquetFile", "TableFile", "table_files"]

_WHO = "mercer.datasets.read_blocks"
_CHUNK = 1 << 18  # bytes between two remembered line starts
_HEAD = 1 << 16  # bytes that determine the types of columns
_ENDINGS = {".parquet": "parquet", ".csv": "csv", ".tsv": "csv", ".tab": "csv"}


class TableFile(ABC):
    """Rows of one file.

    Parameters
    ----------
    path : Path
        File.
    """

    separator: str | None = None  # of the fields, in text

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.state = self._state()
        self.schema, self.n_rows = self._describe()

    @abstractmethod
    def _describe(self) -> tuple[dict[str, Any], int]:
        """Columns with their polars types, and the number of rows."""

    @abstractmethod
    def _read(self, start: int, stop: int, columns: Sequence[str]) -> Any:
        """Frame of some rows and columns."""

    def rows(self, start: int, stop: int, columns: Sequence[str]) -> Any:
        """Frame of some rows and columns; ValueError if the file has changed since it was described."""
        self.check()
        pl = polars(_WHO)
        try:
            frame = self._read(start, stop, columns)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            self.check()
            what = " ".join(str(error).split())[:160]
            raise refuse(self.path, f"rows {start} to {stop - 1} (from 0) cannot be read ({what})") from None
        self.check()
        if frame.height != stop - start:
            what = f"rows {start} to {stop - 1} (from 0): expected {stop - start} rows, got {frame.height}"
            raise refuse(self.path, f"{what}; remove blank lines, and line breaks inside quotes")
        return frame

    def check(self) -> None:
        """Raise ValueError unless the file has the size and the time of change that it was described with."""
        if (now := self._state()) != self.state:
            before, after = self.state[0], now[0]
            size = f"from {before} to {after} bytes" if before != after else "its time of change is another"
            raise refuse(self.path, f"has changed during the fit ({size}); start again when it is complete")

    def _state(self) -> tuple[int, int]:
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            raise FileNotFoundError(f"{_WHO}: there is no file {os.fspath(self.path)!r}.") from None
        return found.st_size, found.st_mtime_ns


class ParquetFile(TableFile):
    """Parquet file, of which polars reads the row groups that a range of rows needs."""

    def _describe(self) -> tuple[dict[str, Any], int]:
        pl = polars(_WHO)
        with open(self.path, "rb") as file:
            if file.read(4) != b"PAR1":
                raise refuse(self.path, "is not a Parquet file, which starts with the letters PAR1")
        try:
            lazy = pl.scan_parquet(self.path, glob=False)
            return dict(lazy.collect_schema()), int(lazy.select(pl.len()).collect().item())
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise refuse(self.path, f"is a corrupt Parquet file ({' '.join(str(error).split())[:120]})") from None

    def _read(self, start: int, stop: int, columns: Sequence[str]) -> Any:
        lazy = polars(_WHO).scan_parquet(self.path, glob=False)
        return lazy.slice(start, stop - start).select(columns).collect()


class CsvFile(TableFile):
    """CSV file with a line of column names and one line per row, of which starts of lines are remembered.

    One pass over the bytes counts the lines. Types come from the first rows; a later value of another type raises an
    error. Integers are read as float64, so that a fraction further down is legal.
    """

    def _describe(self) -> tuple[dict[str, Any], int]:
        pl = polars(_WHO)
        with open(self.path, "rb") as file:
            first = file.readline().removeprefix(b"\xef\xbb\xbf")
            self._lines, self._offsets, ends = [0], [file.tell()], b"\n"
            if first.startswith(b"\x1f\x8b"):
                raise refuse(self.path, "is compressed, so that its rows cannot be read in blocks; decompress it")
            some = file.read(_HEAD)
            file.seek(self._offsets[0])
            while chunk := file.read(_CHUNK):
                ends = chunk[-1:]
                at = np.flatnonzero(np.frombuffer(chunk, dtype=np.uint8) == ord("\n"))
                if len(at):
                    self._lines.append(self._lines[-1] + len(at))
                    self._offsets.append(file.tell() - len(chunk) + int(at[-1]) + 1)
        if ends != b"\n":  # the last line has no end
            self._lines.append(self._lines[-1] + 1)
            self._offsets.append(self.state[0])
        try:
            head = first.decode()
            self.separator = separator_of(head, ",", lines=False)
            names, header = column_names(next(csv.reader([head], delimiter=self.separator), []), [])
        except (UnicodeDecodeError, csv.Error) as error:
            raise refuse(self.path, f"the first line is not a line of column names ({error})") from None
        if not header or not any(names):
            raise refuse(self.path, "the first line has no column names, which blocks need; add a line with names")
        self._names = names
        some = some[: some.rfind(b"\n") + 1] or some
        try:
            inferred = self._parse(pl, some, None).schema
        except pl.exceptions.PolarsError as error:
            raise refuse(self.path, f"is not a table of {len(names)} columns ({str(error).splitlines()[0]})") from None
        self._types = {name: pl.Float64 if dtype.is_integer() else dtype for name, dtype in inferred.items()}
        return dict(self._types), self._lines[-1]

    def _parse(self, pl: Any, data: bytes, types: dict[str, Any] | None) -> Any:
        options = {"schema": types} if types else {"new_columns": self._names, "infer_schema_length": None}
        return pl.read_csv(data, has_header=False, separator=self.separator, **options)

    def _culprit(self, pl: Any, data: bytes) -> int:
        """Number of the first line that cannot be parsed, by bisection."""
        lines = data.splitlines(keepends=True)
        low, high = 0, len(lines)  # the first `low` lines can be parsed, the first `high` cannot
        while high - low > 1:
            middle = (low + high) // 2
            try:
                self._parse(pl, b"".join(lines[:middle]), self._types)
                low = middle
            except pl.exceptions.PolarsError:
                high = middle
        return low

    def _read(self, start: int, stop: int, columns: Sequence[str]) -> Any:
        pl = polars(_WHO)
        first = int(np.searchsorted(self._lines, start, side="right")) - 1
        last = int(np.searchsorted(self._lines, stop, side="left"))
        with open(self.path, "rb") as file:
            file.seek(self._offsets[first])
            data = file.read(self._offsets[last] - self._offsets[first])
        try:
            frame = self._parse(pl, data, self._types)
        except pl.exceptions.PolarsError as error:
            self.check()
            row, what = self._lines[first] + self._culprit(pl, data), " ".join(str(error).split())[:120]
            raise refuse(self.path, f"row {row} (from 0) does not have the types of the first rows ({what})") from None
        if frame.height != self._lines[last] - self._lines[first]:  # rows would be shifted
            return frame.clear()
        return frame.slice(start - self._lines[first], stop - start).select(columns)


def table_files(path: str | os.PathLike[str]) -> list[TableFile]:
    """Files of a path: the file itself, or all Parquet or CSV files of a folder in the order of their names."""
    place = pathlib.Path(path)
    if not place.exists():
        raise FileNotFoundError(f"{_WHO}: there is no file or folder {os.fspath(path)!r}.")
    files = sorted(file for file in place.iterdir() if _kind(file)) if place.is_dir() else [place]
    kinds = {_kind(file) for file in files}
    if len(kinds) != 1 or None in kinds:
        got = f"both {' and '.join(sorted(filter(None, kinds)))} files" if len(kinds) > 1 else _found(place)
        raise refuse(place, f"expected a .parquet or .csv file, or a folder of files of one of these kinds, got {got}")
    reader: type[TableFile] = ParquetFile if kinds == {"parquet"} else CsvFile
    found = [reader(file) for file in files]
    for file in found[1:]:
        if list(file.schema) != list(found[0].schema):
            other = sorted(set(file.schema) ^ set(found[0].schema)) or "their order"
            what = f"its columns differ from those of {found[0].path.name} ({other})"
            raise refuse(file.path, f"{what}; give all files of a folder the same columns in the same order")
    return found


def _found(place: pathlib.Path) -> str:
    """What is at a path without tables."""
    if not place.is_dir():
        return repr(place.name)
    others = sorted(file.name for file in place.iterdir())
    return f"a folder of other files, such as {others[0]!r}" if others else "an empty folder"


def _kind(path: pathlib.Path) -> str | None:
    return _ENDINGS.get(path.suffix.lower()) if path.is_file() else None
