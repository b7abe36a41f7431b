"""Files that are whole or not there: written aside, then moved into place."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

__all__ = ["check_folder", "check_suffix", "replacing"]


def check_folder(*paths: Path | None) -> None:
    """Raise now, before anything is computed, if a file could not be written later.

    A folder is tried by making a folder in it: permission bits alone do not tell (root, read-only disks).
    """
    for path in paths:
        if path is None:
            continue
        if path.exists() and not path.is_file():
            raise ValueError(f"{path}: expected the name of a file, but something else has that name; choose another.")
        if not path.parent.is_dir():
            raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist; make it first.")
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(f"{path}: exists and may not be written; choose another name.")
        try:
            os.rmdir(_aside(path))
        except OSError as error:
            raise type(error)(
                f"{path}: the folder {path.parent.resolve()} cannot be written ({_reason(error)}); choose another."
            ) from None


def check_suffix(path: Path, *suffixes: str) -> str:
    """The ending of a file name, which decides the format."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        raise ValueError(f"{path}: the ending decides the format, expected {', '.join(suffixes)}; got {suffix!r}.")
    return suffix


@contextmanager
def replacing(*paths: Path) -> Iterator[tuple[Path, ...]]:
    """Give names to write under; all take the places of `paths` at the end, none if anything fails.

    The files are written beside their destination, in a folder of their own, so that the last step is a rename within
    one disk. Links are followed.
    """
    places = [path.resolve() for path in paths]
    with ExitStack() as stack:
        aside = [Path(stack.enter_context(_folder(place))) / place.name for place in places]
        yield tuple(aside)
        for written, place in zip(aside, places, strict=True):
            os.replace(written, place)


def _folder(path: Path) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(dir=path.parent, prefix=".mercer-", ignore_cleanup_errors=True)


def _aside(path: Path) -> str:
    return tempfile.mkdtemp(dir=path.resolve().parent, prefix=".mercer-")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
