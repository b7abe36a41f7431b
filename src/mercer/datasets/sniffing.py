"""Recognition of text files: encoding, field separator, and column names in the first line."""

import csv
import io
import pathlib
import re

from mercer._validation import shortened
from mercer.data.readers.lines import whole_file
from mercer.datasets.input_files import listed, refuse

__all__ = ["BLANKS", "as_text", "column_names", "separator_of", "text_of", "tidy"]

BLANKS = " "  # runs of blanks and tabs
_RANK = ("\t", ";", "|", ",")  # in order of preference: a comma is the likeliest to be part of a value
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_KNOWN = {b"PK\x03\x04": "a zip archive or an Excel workbook", b"PAR1": "a Parquet file", b"%PDF": "a PDF"}


def text_of(path: pathlib.Path, notes: list[str]) -> bytes:
    """Content of a text file as UTF-8 without byte order mark; other encodings are noted."""
    return as_text(path, whole_file(path), notes)


def as_text(path: pathlib.Path, data: bytes, notes: list[str]) -> bytes:
    """`text_of` for bytes that have been read; `path` is for messages."""
    for magic, what in _KNOWN.items():
        if data.startswith(magic):
            raise refuse(path, f"is {what}, expected text; export it as CSV or pass its format")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeError:
            raise refuse(path, "starts like UTF-16 but is not valid, expected text") from None
        notes.append("The file is UTF-16.")
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError as error:
            return _western(path, data, error, notes)
    if b"\x00" in data:
        raise refuse(path, f"is binary (a zero byte at {data.index(0)}), expected text")
    return data


def _western(path: pathlib.Path, data: bytes, error: UnicodeDecodeError, notes: list[str]) -> bytes:
    try:
        text = "" if _CONTROL.search(data) else data.decode("cp1252")
    except UnicodeDecodeError:
        text = ""
    if not text:
        raise refuse(path, f"is not text: neither UTF-8 (byte {error.start}) nor Windows-1252") from None
    notes.append(f"The file is not UTF-8 (byte {error.start}) and was read as Windows-1252, which includes Latin-1.")
    return text.encode()


def separator_of(sample: str, usual: str, *, lines: bool) -> str:
    r"""Field separator of the first lines of a file.

    It is the one of tab, semicolon, bar and comma for which most lines have as many fields as the first line, at least
    two. Otherwise it is `usual`; or, where a file may hold plain `lines`, runs of blanks (`BLANKS`) if they give all
    lines the same number of fields, half of them numbers.

    >>> separator_of("1,5;2,5\n3,0;4,1\n", ",", lines=False)
    ';'
    """
    best, share = usual, 0.9 if lines else 0.0
    for separator in _RANK:
        widths = [len(row) for row in _rows(sample, separator) if row]
        if widths and widths[0] > 1:
            regular = widths.count(widths[0]) / len(widths)
            if regular > share:
                best, share = separator, regular
    if lines and share <= 0.9:
        rows = [line.split() for line in sample.split("\n") if line.strip()]
        fields = [field for row in rows[1:] for field in row]
        numbers = sum(_NUMBER.fullmatch(field) is not None for field in fields)
        if len({len(row) for row in rows}) == 1 and len(rows[0]) > 1 and numbers > 0 and 2 * numbers >= len(fields):
            return BLANKS
    return best


def _rows(sample: str, separator: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(sample, newline=""), delimiter=separator))
    except csv.Error:
        return []


def column_names(first: list[str], notes: list[str]) -> tuple[list[str], bool]:
    """Unique column names, and whether the first line holds them.

    It does unless all of its fields are numbers other than 0, 1, 2, … or 1, 2, 3, …, which frames without names are
    written with.
    """
    fields = [name.strip() for name in first]
    counting = len(fields) > 1 and fields in ([str(i + start) for i in range(len(fields))] for start in (0, 1))
    if any(fields) and all(_NUMBER.fullmatch(field) for field in fields if field) and not counting:
        notes.append(
            f"The first line holds only numbers, so it is a sample, and columns are called x0 to x{len(fields) - 1}."
        )
        return [f"x{j}" for j in range(len(fields))], False
    if counting:
        notes.append("The first line numbers the columns; its numbers are used as names.")
    return tidy(first, notes), True


def tidy(names: list[str], notes: list[str]) -> list[str]:
    """Column names without surrounding blanks, none empty, all unique."""
    stripped = [name.strip() for name in names]
    if stripped != names:
        changed = (repr(new) for new, old in zip(stripped, names, strict=True) if new != old)
        notes.append(f"Blanks around column names were removed: {listed(changed)}.")
    taken: set[str] = set()
    tidied, renamed = [], []
    for j, name in enumerate(stripped):
        base = name or f"x{j}"
        new, count = base, 1
        while new in taken or (new != name and new in stripped):
            count += 1
            new = f"{base}_{count}"
        if new != name:
            what = f"another {shortened(name)!r}" if name else "without a name"
            renamed.append(f"column {j} (from 0), {what}, was renamed to {shortened(new)!r}")
        taken.add(new)
        tidied.append(new)
    if renamed:
        notes.append(f"Column names must be unique: {listed(renamed)}.")
    return tidied
