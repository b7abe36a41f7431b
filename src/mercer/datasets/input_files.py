"""Input files: content, name and errors, and the lazy import of polars."""

import gzip
import os
import pathlib
import zlib
from collections.abc import Iterable
from importlib import import_module
from typing import Any

__all__ = ["listed", "polars", "read_bytes", "refuse", "stem"]

_GZIP = b"\x1f\x8b"
_SHOWN = 8


def polars(who: str) -> Any:
    """Import polars; the ImportError explains the installation."""
    try:
        return import_module("polars")
    except ImportError:
        raise ImportError(f"{who}: needs polars; install it with: pip install 'mercer[app]'") from None


def read_bytes(path: pathlib.Path) -> bytes:
    """Content of a file, decompressed if it is gzip."""
    data = path.read_bytes()
    if not data.startswith(_GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise refuse(path, f"the compressed data are corrupt ({error}); download the file again") from None


def refuse(path: str | os.PathLike[str], what: str) -> ValueError:
    """ValueError about a whole file or folder."""
    return ValueError(f"{os.fspath(path)}: {what}.")


def stem(path: pathlib.Path) -> str:
    """File name without extensions: ``adult.csv.gz`` becomes ``adult``."""
    name = path.name[:-3] if path.suffix.lower() == ".gz" else path.name
    return pathlib.Path(name).stem


def listed(items: Iterable[str]) -> str:
    """The first eight items, and the number of the others.

    >>> listed(map(str, range(10)))
    '0, 1, 2, 3, 4, 5, 6, 7 and 2 more'
    """
    items = list(items)
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return ", ".join(items[:_SHOWN]) + more
