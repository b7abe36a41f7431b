"""Checks of output files before anything is computed."""

import os
from pathlib import Path

from mercer._runtime.files import try_folder

__all__ = ["check_folder", "check_suffix"]


def check_folder(*paths: Path | None) -> None:
    """Raise ValueError or OSError if a file cannot be written; None is skipped."""
    for path in paths:
        if path is None:
            continue
        if path.exists() and not path.is_file():
            raise ValueError(f"{path}: exists and is not a regular file; choose another name.")
        if not path.parent.is_dir():
            raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist; create it first.")
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(f"{path}: exists and is not writable; choose another name.")
        try:
            try_folder(path)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise type(error)(
                f"{path}: the folder {path.parent.resolve()} is not writable ({reason}); choose another."
            ) from None


def check_suffix(path: Path, *suffixes: str) -> str:
    """Return the suffix of a file name in lower case; raise ValueError if it is not one of `suffixes`."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        raise ValueError(
            f"{path}: got the suffix {suffix!r}, expected one of {', '.join(suffixes)}; change the file name."
        )
    return suffix
