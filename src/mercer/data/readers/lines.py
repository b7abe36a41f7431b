"""Lines of text files, plain or gzip, and errors with file and line number."""

import gzip
import os
import zlib
from collections.abc import Iterator
from typing import TypeAlias

__all__ = ["Path", "all_lines", "decoded_lines", "file_error", "numbered_lines"]

Path: TypeAlias = str | os.PathLike[str]

_MAGIC = b"\x1f\x8b"  # first bytes of a gzip file


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines of a file with their numbers from 1, without line ends; gzip is recognised by its first bytes."""
    with open(path, "rb") as plain:
        packed = plain.read(len(_MAGIC)) == _MAGIC
    number = 0
    with gzip.open(path, "rb") if packed else open(path, "rb") as file:
        try:
            for number, line in enumerate(file, start=1):
                yield number, line.rstrip(b"\r\n")
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise file_error(
                path, number + 1, None, f"the compressed data are corrupt ({error}); download the file again"
            ) from None


def decoded_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of a UTF-8 file with their numbers from 1, without line ends."""
    for number, line in numbered_lines(path):
        try:
            yield number, line.decode("utf-8")
        except UnicodeDecodeError:
            raise file_error(path, number, None, "is not UTF-8; convert the file") from None


def all_lines(path: Path) -> list[str]:
    """All lines of a UTF-8 file, without line ends."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        text = (gzip.decompress(data) if data.startswith(_MAGIC) else data).decode("utf-8")
    except (EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError):
        return [line for _, line in decoded_lines(path)]  # raises with the line number
    lines = text.replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def file_error(path: Path, line: int, record: int | None, what: str) -> ValueError:
    """Error with file, line and record; records are counted from 0, like the samples."""
    where = f"line {line}" if record is None else f"line {line}, record {record} (from 0)"
    return ValueError(f"{os.fspath(path)}, {where}: {what}.")
