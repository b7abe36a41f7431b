"""Tables with typed columns: Parquet and JSON lines."""

import json
import math
import pathlib
from typing import Any

from mercer.data.readers.lines import decoded_lines, file_error
from mercer.datasets.columns import SENTENCES, dates, sentences
from mercer.datasets.dataset import Dataset
from mercer.datasets.input_files import listed, polars, refuse, stem
from mercer.datasets.sniffing import tidy

__all__ = ["read_jsonl", "read_parquet"]

_SPOKEN = {int: "numbers", float: "numbers", str: "text", bool: "booleans"}


def read_parquet(path: pathlib.Path) -> Dataset:
    """Read a Parquet file; lists, structs and bytes raise ValueError, decimals become float64."""
    pl = polars("mercer.datasets.read")
    notes: list[str] = []
    with open(path, "rb") as file:
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
            raise refuse(
                path, f"column {name!r} is nested or binary ({dtype}), expected single values; flatten it or drop it"
            )
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
    columns: dict[str, list[Any]] = {}
    n = 0
    for number, raw in decoded_lines(path):
        line = raw.removeprefix("\ufeff")
        if not line or line.isspace():
            continue
        for key, value in _object(path, number, n, line).items():
            if isinstance(value, (dict, list)):
                what = f"column {key!r} is nested ({'object' if isinstance(value, dict) else 'list'})"
                raise file_error(path, number, n, f"{what}, expected single values; flatten it or drop it")
            columns.setdefault(key, []).extend([None] * (n - len(columns[key])))
            columns[key].append(None if isinstance(value, float) and math.isnan(value) else value)
        n += 1
    _check_samples(path, n)
    if not columns:
        raise refuse(path, "has only empty objects, expected keys and values")
    pl = polars("mercer.datasets.read")
    told: dict[str, list[str]] = {kind: [] for kind in SENTENCES}
    padded = ((key, values + [None] * (n - len(values))) for key, values in columns.items())
    try:
        frame = pl.DataFrame([_column(pl, key, values, told) for key, values in padded])
    except UnicodeEncodeError as error:  # allowed as an escape in JSON, not in UTF-8
        raise refuse(path, f"holds {error.object[error.start]!a}, half of a character; correct it") from None
    notes: list[str] = []
    frame.columns = tidy(frame.columns, notes)
    return Dataset(stem(path), frame, notes=(*notes, *sentences(told)))


def _object(path: pathlib.Path, number: int, record: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise file_error(path, number, record, f"is not JSON ({error})") from None
    if not isinstance(value, dict):
        raise file_error(path, number, record, f'expected an object {{"key": value, …}}, got {line.strip()[:40]!r}')
    return value


def _column(pl: Any, name: str, values: list[Any], told: dict[str, list[str]]) -> Any:
    kinds = {type(value) for value in values} - {type(None)}
    if not kinds:
        told["nothing"].append(repr(name))
        return pl.Series(name, values, dtype=pl.Float64)
    if kinds <= {int, float}:
        if all(value is None or abs(value) < 2**63 or isinstance(value, float) for value in values):
            return pl.Series(name, values, dtype=pl.Int64 if kinds == {int} else pl.Float64, strict=False)
        told["large"].append(repr(name))
    elif len(kinds) > 1:
        told["mixed"].append(f"{name!r} ({', '.join(sorted({_SPOKEN[kind] for kind in kinds}))})")
    elif kinds == {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    words = [value if isinstance(value, str | None) else json.dumps(value) for value in values]
    text = pl.Series(name, words, dtype=pl.String)
    found = dates(text, text.is_null()) if kinds == {str} else None
    return text if found is None else found


def _check_samples(path: pathlib.Path, n: int) -> None:
    if not n:
        raise refuse(path, "is empty, expected at least one sample")
