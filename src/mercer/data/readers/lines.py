"""Lines of text files, plain or gzip, and errors with file and line number.

Only regular files are opened. Their size, decompressed, is compared with the memory limit of readers while they are
read, so that a small compressed file cannot exhaust the memory.
"""

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, TypeAlias

from mercer._runtime.budget import memory_limit, over_budget
from mercer._runtime.files import open_regular
from mercer._runtime.limits import format_bytes

__all__ = ["Path", "all_lines", "decoded_lines", "file_error", "numbered_lines", "opened", "whole_file"]

Path: TypeAlias = str | os.PathLike[str]

COST = 4  # bytes of memory per byte of text, at least: the text, its parts, and what is made of them
LINE = 200  # bytes of memory per line, for the objects of a record
_MAGIC = b"\x1f\x8b"  # first bytes of a gzip file
_BLOCK = 1 << 20
_CORRUPT = (EOFError, zlib.error, gzip.BadGzipFile)


class _Counted(io.RawIOBase):
    """Decompressed bytes of a gzip file, up to a limit."""

    def __init__(self, file: IO[bytes], path: Path, room: int) -> None:
        self._gzip, self._path, self._room, self._left = gzip.GzipFile(fileobj=file), path, room, room

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n = self._gzip.readinto(buffer)
        self._left -= n
        if self._left < 0:
            what = f"decompresses to more than {format_bytes(self._room)}, which need {COST} times the memory to read"
            raise over_budget(self._path, what)
        return n


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a regular file for reading, decompressed if it is gzip, within the memory limit."""
    with open_regular(path) as plain:
        room = memory_limit() // COST
        if plain.read(len(_MAGIC)) == _MAGIC:
            plain.seek(0)
            yield io.BufferedReader(_Counted(plain, path, room), _BLOCK)
            return
        plain.seek(0)
        size = os.fstat(plain.fileno()).st_size
        if size > room:
            raise over_budget(path, f"has {format_bytes(size)}, which need {COST} times the memory to read")
        yield plain


def whole_file(path: Path) -> bytes:
    """Content of a file, decompressed if it is gzip; corrupt data raise ValueError."""
    with opened(path) as file:
        try:
            return file.read()
        except _CORRUPT as error:
            raise ValueError(_corrupt(path, error)) from None


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines of a file with their numbers from 1, without line ends; gzip is recognised by its first bytes."""
    number, most = 0, memory_limit() // LINE
    with opened(path) as file:
        try:
            for number, line in enumerate(file, start=1):
                if number > most:
                    raise over_budget(path, f"has more than {most} lines, which need about {LINE} bytes each to read")
                yield number, line.rstrip(b"\r\n")
        except _CORRUPT as error:
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
    try:
        text = whole_file(path).decode("utf-8")
    except ValueError:
        return [line for _, line in decoded_lines(path)]  # raises with the line number
    lines = text.replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def file_error(path: Path, line: int, record: int | None, what: str) -> ValueError:
    """Error with file, line and record; records are counted from 0, like the samples."""
    where = f"line {line}" if record is None else f"line {line}, record {record} (from 0)"
    return ValueError(f"{os.fspath(path)}, {where}: {what}.")


def _corrupt(path: Path, error: Exception) -> str:
    return f"{os.fspath(path)}: the compressed data are corrupt ({error}); download the file again."
