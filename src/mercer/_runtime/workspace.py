"""Temporary folders that the next process removes if theirs was killed.

Each holds a lock file on which its process keeps a lock as long as it lives. A folder whose lock is free belongs to no
process. Locks are known to the system, not to a process number, so that containers and hosts that share a folder do
not mistake each other's work for remains.
"""

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows, where an open file cannot be removed
    fcntl = None  # type: ignore[assignment]

__all__ = ["workspace"]

PREFIX, LOCK = ".mercer-", ".lock"
_NAME = re.compile(r"\.mercer-[a-z0-9_]{8}")
_ATTEMPTS = 10


@contextmanager
def workspace(parent: Path) -> Iterator[Path]:
    """Create a temporary folder in `parent`, and remove it at the end; remains of killed processes are removed first.

    Parameters
    ----------
    parent : Path
        Existing folder.

    Yields
    ------
    Path
        The new folder, named ``.mercer-`` and eight random characters.
    """
    _remove_remains(parent)
    folder, lock = _locked(parent)
    try:
        yield folder
    finally:
        _remove(folder, lock)


def _locked(parent: Path) -> tuple[Path, IO[bytes]]:
    """New folder with its lock, held."""
    for _ in range(_ATTEMPTS):
        folder = Path(tempfile.mkdtemp(dir=parent, prefix=PREFIX))
        try:
            lock = open(folder / LOCK, "xb")  # noqa: SIM115 - held until the folder is removed
        except FileNotFoundError:
            continue  # removed as a remain before the lock was there
        except BaseException:
            folder.rmdir()
            raise
        if _acquire(lock) and (folder / LOCK).exists():
            return folder, lock
        lock.close()
    raise FileNotFoundError(2, "temporary folders disappear", str(parent))


def _acquire(lock: IO[bytes]) -> bool:
    """Whether the lock is held now; True where the system has no such locks."""
    if fcntl is not None:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks
            return not lock.readable()
    return True


def _remove_remains(parent: Path) -> None:
    """Remove the folders of processes that no longer run; others, and what is not certain, are kept."""
    with suppress(OSError):
        for entry in list(os.scandir(parent)):
            if _NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False) and _is_own(entry):
                with suppress(OSError):
                    _remove_if_dead(Path(entry.path))


def _is_own(entry: "os.DirEntry[str]") -> bool:
    return not hasattr(os, "getuid") or entry.stat(follow_symlinks=False).st_uid == os.getuid()


def _remove_if_dead(folder: Path) -> None:
    _remove_remains(folder)  # a file that was written inside a folder of several
    files = list(os.scandir(folder))
    if not files:  # killed before its lock was there, or after; a living process makes another folder then
        folder.rmdir()
        return
    if LOCK not in {file.name for file in files} or not all(file.is_file(follow_symlinks=False) for file in files):
        return  # not made here
    with open(folder / LOCK, "rb") as lock:  # for reading only: a foreign lock differs from an own one
        if fcntl is not None and not _acquire(lock):
            return
        if fcntl is None:
            lock.close()
        _remove(folder, lock)


def _remove(folder: Path, lock: IO[bytes]) -> None:
    """Remove the files of a folder and the folder, the lock last of all."""
    with suppress(OSError):
        for file in list(os.scandir(folder)):
            if file.name != LOCK and (fcntl is not None or file.is_file()):
                with suppress(OSError):
                    os.unlink(file.path)
    if fcntl is None:
        lock.close()
    with suppress(OSError):
        os.unlink(folder / LOCK)
    lock.close()
    with suppress(OSError):
        folder.rmdir()
