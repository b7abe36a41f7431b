"""Tables with typed columns: Parquet and JSON lines."""

import json
import math
import pathlib
from dataclasses import replace
from typing import Any

from mercer._runtime.files import open_regular
from mercer._validation import shortened
from mercer.data.readers.lines import decoded_lines, file_error
from mercer.datasets.columns import SENTENCES, dates, sentences
from mercer.datasets.dataset import Dataset
from mercer.datasets.input_files import listed, polars, refuse, require_cells, stem
from mercer.datasets.sniffing import tidy

__all__ = ["parse_records", "read_jsonl", "read_parquet"]

_SPOKEN = {int: "numbers", float: "numbers", str: "text", bool: "booleans"}


def read_parquet(path: pathlib.Path) -> Dataset:
    """Read a Parquet file; lists, structs and bytes raise ValueError, decimals become float64."""
    pl = polars("mercer.datasets.read")
    notes: list[str] = []
    with open_regular(path) as file:
        if file.read(4) != b"PAR1":
            raise refuse(path, "is not a Parquet file, which starts with the letters PAR1")
        file.seek(0)
        try:
            frame = pl.read_parquet(file)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise refuse(path, f"is a corrupt Parquet file ({' '.join(str(error).split())[:120]})") from None
    _check_samples(path, frame.height)
    decimals, empty = [], []
    for name, dtype in frame.schema.items():
        if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
            what = f"column {shortened(name)!r} is nested or binary ({shortened(str(dtype))})"
            raise refuse(path, f"{what}, expected single values; flatten it or drop it")
        if dtype.is_decimal():
            decimals.append(name)
        elif dtype == pl.Null:
            empty.append(name)
    if decimals:
        notes.append(f"Decimals become float64: {listed(map(repr, decimals))}.")
    if empty:
        notes.append(SENTENCES["nothing"].format(listed(map(repr, empty))))
    frame = frame.with_columns(pl.col(decimals + empty).cast(pl.Float64)) if decimals or empty else frame
    frame.columns = tidy(frame.columns, notes)
    return Dataset(stem(path), frame, notes=tuple(notes))


def read_jsonl(path: pathlib.Path) -> Dataset:
    """Read one JSON object per line, plain or gzip.

    Keys become columns, in the order in which they first appear. An absent key is missing, as are null and NaN. Strings
    that are all dates in ISO 8601 become dates. A column with values of different types becomes text, with a note.

    Notes
    -----
    Python's json module is used, because polars converts mixed columns to text silently and does not name the line of a
    malformed file.
    """
    columns = _Columns(path)
    lines: list[int] = []
    for number, raw in decoded_lines(path):
        line = raw.removeprefix("\ufeff")
        if not line or line.isspace():
            continue
        lines.append(number)
        try:
            columns.add(_object(path, number, columns.n, line))
        except TypeError as error:
            raise file_error(path, number, columns.n, str(error)) from None
    return replace(columns.dataset(), lines=lines)


def parse_records(name: str, records: list[dict[str, Any]]) -> Dataset:
    """Make a data set of JSON objects that have been read; `name` stands for the file in messages."""
    columns = _Columns(pathlib.Path(name))
    for i, record in enumerate(records):
        try:
            columns.add(record)
        except TypeError as error:
            raise ValueError(f"{name}: record {i} (from 0): {error}.") from None
    return columns.dataset()


class _Columns:
    """Columns of records, which grow record by record."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path, self.n = path, 0
        self.columns: dict[str, list[Any]] = {}

    def add(self, record: dict[str, Any]) -> None:
        """Add a record; nested values raise TypeError with a clause."""
        for key, value in record.items():
            if isinstance(value, (dict, list)):
                what = f"column {shortened(key)!r} is nested ({'object' if isinstance(value, dict) else 'list'})"
                raise TypeError(f"{what}, expected single values; flatten it or drop it")
            if key not in self.columns:
                require_cells(self.path, self.n, len(self.columns) + 1)
            values = self.columns.setdefault(key, [])
            values.extend([None] * (self.n - len(values)))
            values.append(None if isinstance(value, float) and math.isnan(value) else value)
        self.n += 1

    def dataset(self) -> Dataset:
        """Frame of all records."""
        _check_samples(self.path, self.n)
        require_cells(self.path, self.n, len(self.columns))
        if not self.columns:
            raise refuse(self.path, "has only empty objects, expected keys and values")
        pl = polars("mercer.datasets.read")
        remarks: dict[str, list[str]] = {kind: [] for kind in SENTENCES}
        padded = ((key, values + [None] * (self.n - len(values))) for key, values in self.columns.items())
        try:
            frame = pl.DataFrame([_column(pl, key, values, remarks) for key, values in padded])
        except UnicodeEncodeError as error:  # allowed as an escape in JSON, not in UTF-8
            raise refuse(self.path, f"holds {error.object[error.start]!a}, half of a character; correct it") from None
        notes: list[str] = []
        frame.columns = tidy(frame.columns, notes)
        return Dataset(stem(self.path), frame, notes=(*notes, *sentences(remarks)))


def _object(path: pathlib.Path, number: int, record: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise file_error(path, number, record, f"is not JSON ({error})") from None
    if not isinstance(value, dict):
        raise file_error(path, number, record, f'expected an object {{"key": value, …}}, got {line.strip()[:40]!r}')
    return value


def _column(pl: Any, name: str, values: list[Any], remarks: dict[str, list[str]]) -> Any:
    kinds = {type(value) for value in values} - {type(None)}
    if not kinds:
        remarks["nothing"].append(repr(shortened(name)))
        return pl.Series(name, values, dtype=pl.Float64)
    if kinds <= {int, float}:
        if all(value is None or abs(value) < 2**63 or isinstance(value, float) for value in values):
            return pl.Series(name, values, dtype=pl.Int64 if kinds == {int} else pl.Float64, strict=False)
        remarks["large"].append(repr(shortened(name)))
    elif len(kinds) > 1:
        remarks["mixed"].append(f"{shortened(name)!r} ({', '.join(sorted({_SPOKEN[kind] for kind in kinds}))})")
    elif kinds == {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    words = [value if isinstance(value, str | None) else json.dumps(value) for value in values]
    text = pl.Series(name, words, dtype=pl.String)
    found = dates(text, text.is_null()) if kinds == {str} else None
    return text if found is None else found


def _check_samples(path: pathlib.Path, n: int) -> None:
    if not n:
        raise refuse(path, "is empty, expected at least one sample")
