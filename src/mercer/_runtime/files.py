"""Files that are whole or not there."""

import os
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress
from typing import IO

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], fill: Callable[[IO[bytes]], object]) -> None:
    """Put a file in place in one step: at every moment there is the old one or the new one.

    `fill` writes to a file beside it, which goes to the disk and only then gets the name. Whatever fails leaves the old
    file and nothing else; if the process is killed meanwhile, the file beside it stays.
    """
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.part")
    handle = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(handle, "w+b") as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            shutil.copymode(target, beside)
        os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
    with suppress(OSError):  # not everywhere can a folder be opened
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
