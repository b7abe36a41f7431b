"""Lines of text files, plain or gzip, and errors with file and line number."""

import gzip
import os
import zlib
from collections.abc import Iterator
from typing import TypeAlias

__all__ = ["Path", "all_lines", "decoded_lines", "file_error", "numbered_lines"]

Path: TypeAlias = str | os.PathLike[str]

_MAGIC = b"\x1f\x8b"  # how a gzip file begins, whatever its name


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines of a file with their numbers from 1, without line ends; gzip is told by its first bytes."""
    with open(path, "rb") as plain:
        packed = plain.read(len(_MAGIC)) == _MAGIC
    number = 0
    with gzip.open(path, "rb") if packed else open(path, "rb") as file:
        try:
            for number, line in enumerate(file, start=1):
                yield number, line.rstrip(b"\r\n")
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise file_error(
                path, number + 1, None, f"the compressed data are broken ({error}); fetch it again"
            ) from None


def decoded_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of a file of UTF-8 with their numbers from 1, without line ends."""
    for number, line in numbered_lines(path):
        try:
            yield number, line.decode("utf-8")
        except UnicodeDecodeError:
            raise file_error(path, number, None, "is not UTF-8; convert the file") from None


def all_lines(path: Path) -> list[str]:
    """Lines of a file of UTF-8 without line ends, read in one go."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        text = (gzip.decompress(data) if data.startswith(_MAGIC) else data).decode("utf-8")
    except (EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError):
        return [line for _, line in decoded_lines(path)]  # says where
    lines = text.replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def file_error(path: Path, line: int, record: int | None, what: str) -> ValueError:
    """Refuse a file: where, and what. Records are counted from 0, as the samples they become."""
    where = f"line {line}" if record is None else f"line {line}, record {record} (from 0)"
    return ValueError(f"{os.fspath(path)}, {where}: {what}.")
