"""Atomic writing of files, used for all files that mercer writes for users."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

__all__ = ["replacing", "try_folder", "write_whole"]


def write_whole(path: str | os.PathLike[str], fill: Callable[[IO[bytes]], object]) -> None:
    """Write a file atomically: at every moment either the old or the new file exists.

    Parameters
    ----------
    path : str or path
        Destination. An existing file is replaced; its permissions are kept.
    fill : callable
        Function that writes the content to a given binary file, which can also be read and searched.

    Notes
    -----
    See `replacing`.
    """
    with replacing(path) as (aside,), open(aside, "x+b") as file:
        fill(file)


@contextmanager
def replacing(*paths: str | os.PathLike[str]) -> Iterator[tuple[Path, ...]]:
    """Write several files that appear together when the block ends, or not at all if it raises.

    Parameters
    ----------
    *paths : str or path
        Destinations. Symbolic links are followed. An existing file is replaced; its permissions are kept.

    Yields
    ------
    tuple of Path
        Temporary path for each destination, with the same name and suffix.

    Notes
    -----
    Each file is written in a temporary folder next to its destination, flushed to the disk, and renamed. If the process
    is killed before that, the destination is unchanged and the temporary folder, ``.mercer-*``, remains.
    """
    places = [Path(os.path.realpath(path)) for path in paths]
    with ExitStack() as stack:
        folders = [stack.enter_context(_folder_beside(place)) for place in places]
        written = [Path(folder) / place.name for folder, place in zip(folders, places, strict=True)]
        yield tuple(written)
        for file, place in zip(written, places, strict=True):
            _flush(file, os.O_RDWR)
            if place.exists():
                shutil.copymode(place, file)
        for file, place in zip(written, places, strict=True):
            os.replace(file, place)
    for folder in {place.parent for place in places}:
        with suppress(OSError):  # some systems cannot open a folder
            _flush(folder, os.O_RDONLY)


def try_folder(path: Path) -> None:
    """Raise OSError if no file can be written next to `path`, which permission bits alone do not show."""
    with _folder_beside(path.resolve()):
        pass


def _folder_beside(place: Path) -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(dir=place.parent, prefix=".mercer-", ignore_cleanup_errors=True)
    except OSError as error:  # the message names the destination, not the temporary folder
        raise type(error)(error.errno, error.strerror, str(place)) from None


def _flush(path: Path, flags: int) -> None:
    handle = os.open(path, flags | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
