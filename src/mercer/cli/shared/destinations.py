"""Checks of the files that a command is to write, before it computes anything."""

import os
from pathlib import Path

from mercer._runtime.files import try_folder

__all__ = ["check_folder", "check_suffix"]


def check_folder(*paths: Path | None) -> None:
    """Raise ValueError or OSError if a file could not be written later; None is skipped."""
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
            try_folder(path)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise type(error)(
                f"{path}: the folder {path.parent.resolve()} cannot be written ({reason}); choose another."
            ) from None


def check_suffix(path: Path, *suffixes: str) -> str:
    """Return the suffix of a file name in lower case; ValueError if it is not one of `suffixes`."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        raise ValueError(f"{path}: the ending decides the format, expected {', '.join(suffixes)}; got {suffix!r}.")
    return suffix
