"""Opening of files that users name, and atomic writing of all files that mercer writes for them."""

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from mercer._runtime.workspace import workspace

__all__ = ["open_regular", "replacing", "require_regular", "try_folder", "write_whole"]

_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
_WRITING = (*_FULL, errno.EIO, errno.EROFS)  # errors of a file that is being written, which may come without its name
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def require_regular(path: str | os.PathLike[str]) -> None:
    """Raise ValueError unless `path` is a regular file; pipes and devices could block a reader or never end.

    >>> require_regular("/")
    Traceback (most recent call last):
    ValueError: /: is a folder, expected a regular file.
    """
    _check_mode(path, os.stat(path).st_mode)


def open_regular(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a regular file for reading; anything else raises ValueError at once."""
    require_regular(path)
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    file = os.fdopen(os.open(path, flags), "rb")
    try:
        _check_mode(path, os.fstat(file.fileno()).st_mode)  # it may have been replaced since
    except ValueError:
        file.close()
        raise
    return file


def _check_mode(path: str | os.PathLike[str], mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = next((name for test, name in _KINDS if test(mode)), "not a regular file")
        raise ValueError(f"{os.fspath(path)}: is {kind}, expected a regular file.")


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
    is killed before that, the destination is unchanged, and the next file written there removes the temporary folder.

    System errors of the writing itself, such as a full disk, name the destination.
    """
    places = [Path(os.path.realpath(path)) for path in paths]
    with ExitStack() as stack:
        folders = [stack.enter_context(_folder_beside(place)) for place in places]
        written = [folder / place.name for folder, place in zip(folders, places, strict=True)]
        with _naming(written, places):
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


@contextmanager
def _folder_beside(place: Path) -> Iterator[Path]:
    try:
        folder = workspace(place.parent)
        entered = folder.__enter__()
    except OSError as error:  # the message names the destination, not the temporary folder
        raise type(error)(error.errno, error.strerror, str(place)) from None
    with ExitStack() as stack:
        stack.push(folder.__exit__)
        yield entered


@contextmanager
def _naming(written: list[Path], places: list[Path]) -> Iterator[None]:
    """Let errors of writing name the destination instead of the temporary file, or no file at all."""
    try:
        yield
    except Exception as error:
        number = _number(error)
        if number is None:
            raise
        named = [place for file, place in zip(written, places, strict=True) if str(file) == _filename(error)]
        if not named and number not in _WRITING:
            raise
        started = [
            (file.stat().st_mtime_ns, place) for file, place in zip(written, places, strict=True) if file.exists()
        ]
        place = named[0] if named else max(started)[1] if started else places[0]
        raise OSError(number, os.strerror(number), str(place)) from error


def _number(error: Exception) -> int | None:
    """Number of a system error; NumPy and polars report a full disk without it."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    text = str(error)
    if isinstance(error, OSError) and " requested and " in text and text.endswith(" written"):
        return errno.ENOSPC
    return next((number for number in _WRITING if f"(os error {number})" in text), None)


def _filename(error: Exception) -> str | None:
    name = getattr(error, "filename", None)
    return None if name is None else os.fsdecode(name)


def _flush(path: Path, flags: int) -> None:
    handle = os.open(path, flags | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
