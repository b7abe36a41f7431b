"""CSV and similar formats: fields between separators, one sample per line, quotes around fields where needed.

polars parses regular files: the same number of fields in every line, quotes only around whole fields, no blank lines.
Regularity is checked first, on the bytes, because polars fills short lines with nulls and stops at stray quotes. All
other files are parsed by Python's csv module, which is slower and reports where a file is malformed.
"""

import csv
import io
import itertools
import pathlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mercer._validation import shortened
from mercer.data.readers.lines import file_error
from mercer.datasets.columns import typed
from mercer.datasets.dataset import Dataset
from mercer.datasets.input_files import listed, polars, refuse, require_cells, stem
from mercer.datasets.sniffing import BLANKS, as_text, column_names, separator_of, text_of

__all__ = ["parse_delimited", "read_delimited"]

_SAMPLE = 1 << 16
_BATCH = 50_000
_WIDE = 5000  # columns beyond which polars, which plans a step for each, needs more time and memory than the csv module
_ZLIB = (b"x\x01", b"x^", b"x\x9c", b"x\xda")  # first bytes of data that polars would decompress, without a limit
_SPOKEN = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas", BLANKS: "runs of blanks"}


def read_delimited(path: pathlib.Path, usual: str = ",", *, lines: bool = False) -> Dataset:
    """Read a text table.

    Parameters
    ----------
    path : Path
        File, plain or gzip.
    usual : str, default=","
        Usual separator of such files. Others are recognised, with a note.
    lines : bool, default=False
        Whether the file may hold one text per line instead of a table.

    Returns
    -------
    Dataset
        Data set with a frame; `mercer.datasets.columns.typed` infers the column types.

    Notes
    -----
    O(bytes): a few seconds for a million samples of ten columns.
    """
    notes: list[str] = []
    return _parsed(path, text_of(path, notes), usual, notes, lines=lines)


def parse_delimited(name: str, data: bytes) -> Dataset:
    """Read a comma-separated table from bytes; `name` stands for the file in messages."""
    notes: list[str] = []
    path = pathlib.Path(name)
    return _parsed(path, as_text(path, data, notes), ",", notes)


def _parsed(path: pathlib.Path, data: bytes, usual: str, notes: list[str], *, lines: bool = False) -> Dataset:
    if not data or data.isspace():
        raise refuse(path, "is empty, expected a line with column names and one line per sample")
    sample = data[:_SAMPLE] if len(data) <= _SAMPLE else data[: data.rfind(b"\n", 0, _SAMPLE) + 1] or data[:_SAMPLE]
    separator = separator_of(sample.decode(errors="replace"), usual, lines=lines)
    if separator != usual:
        notes.append(f"Fields are separated by {_SPOKEN[separator]}.")
    if separator == BLANKS:
        data, separator = b"\n".join(b"\t".join(line.split()) for line in data.split(b"\n")), "\t"
    data = data.rstrip(b"\r\n")
    width = data[: data.find(b"\n") % (len(data) + 1)].count(separator.encode()) + 1
    require_cells(path, data.count(separator.encode()) // width + 1, width)
    rows, begun = _fields(path, data, separator, notes)
    names, header = column_names(list(rows.row(0)), notes)
    if rows.height == header:
        raise refuse(path, f"has column names ({listed(repr(shortened(name)) for name in names)}) but no samples")
    rows.columns = names
    begun = None if begun is None else begun[int(header) :]
    frame, remarks = typed(rows[int(header) :], separator, begun)
    text = [name for name in names if str(frame[name].dtype) == "String"]
    if header and (twice := [repr(name) for name in text if (frame[name] == name).any()]):
        remarks.append(
            f"The first line is used as column names although {listed(twice)} also occurs below it; "
            "if it is a sample, add a line with column names above it."
        )
    return Dataset(stem(path), frame, notes=(*notes, *remarks), lines=begun)


def _fields(path: pathlib.Path, data: bytes, separator: str, notes: list[str]) -> tuple[Any, Sequence[int] | None]:
    """All fields as a frame of text, including the first line, and the line in which each row begins."""
    pl = polars("mercer.datasets.read")
    shape = _shape(data, separator)
    if shape is not None and shape[1] <= _WIDE and not data.startswith(_ZLIB):
        schema = {str(j): pl.String for j in range(shape[1])}
        try:
            rows = pl.read_csv(data, has_header=False, separator=separator, schema=schema)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
            rows = pl.DataFrame()
        if rows.shape == shape:
            alone = data.count(b"\n") + 1 == shape[0]  # no line end inside quotes
            return rows.fill_null(""), range(1, shape[0] + 1) if alone else None
    failed: list[ValueError] = []
    for quotes in (True, False) if separator == "\t" else (True,):  # in TSV files quotes are often part of the text
        begun: list[int] = []
        remarks = [] if quotes else ["Quotes do not enclose fields in this file, so they are part of the text."]
        try:
            rows = _framed(pl, _records(path, data.decode(), separator, remarks, begun, quotes=quotes))
        except ValueError as error:
            failed.append(error)
        else:
            if rows is None:
                raise refuse(path, "is empty, expected a line with column names and one line per sample")
            notes.extend(remarks)
            return rows, begun
    raise failed[0]


def _shape(data: bytes, separator: str) -> tuple[int, int] | None:
    """Number of lines and number of fields per line; None unless the file is regular.

    A position is inside quotes if the number of quotes before it is odd. Doubled quotes close and open at once.
    """
    codes = np.frombuffer(data, dtype=np.uint8)
    bar, end, back, quote = ord(separator), ord("\n"), ord("\r"), ord('"')
    found = {code: np.flatnonzero(codes == code) for code in (bar, end, back, quote)}
    quotes = found[quote]
    if quotes.size:
        padded = np.concatenate([[end], codes, [end]])
        opened, closed = padded[quotes[::2]], padded[quotes[1::2] + 2]
        if quotes.size % 2 or not (
            np.isin(opened, (bar, end, quote)).all() and np.isin(closed, (bar, end, back, quote)).all()
        ):
            return None
        for code in (bar, end, back):
            found[code] = found[code][np.searchsorted(quotes, found[code]) % 2 == 0]
    ends = np.append(found[end], codes.size)
    lengths = np.diff(ends, prepend=-1) - 1
    blank = (lengths == 0) | ((lengths == 1) & (codes[ends - 1] == back))
    fields = np.diff(np.searchsorted(found[bar], ends), prepend=0)
    if (codes[found[back] + 1] != end).any() or blank.any() or (fields != fields[0]).any():
        return None
    return ends.size, int(fields[0]) + 1


def _records(
    path: pathlib.Path, text: str, separator: str, remarks: list[str], begun: list[int], *, quotes: bool
) -> Iterator[list[str]]:
    """Fields of each sample; blank lines are skipped, with a note. The lines in which samples begin go to `begun`."""
    quoting: Any = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=separator, quoting=quoting, skipinitialspace=quotes, strict=True)
    width, skipped = 0, 0
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise file_error(path, line, None, f"cannot be split into fields ({error}); correct its quotes") from None
        if row is None:
            break
        if not row or (width != 1 and len(row) == 1 and not row[0].strip()):
            skipped += 1
            continue
        width = width or len(row)
        if len(row) != width:
            what = f"expected {width} fields between {_SPOKEN[separator]}, as in the first line, got {len(row)}"
            raise file_error(path, line, None, f"{what}; correct it, or put quotes around text with separators")
        begun.append(line)
        yield row
    if skipped:
        remarks.append(f"Blank lines were skipped: {skipped}.")


def _framed(pl: Any, rows: Iterator[list[str]]) -> Any:
    """Rows as a frame of text, in batches to save memory; None if there are none."""
    frames = []
    while batch := list(itertools.islice(rows, _BATCH)):
        columns = {str(j): list(column) for j, column in enumerate(zip(*batch, strict=True))}
        frames.append(pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)))
    return pl.concat(frames) if frames else None
