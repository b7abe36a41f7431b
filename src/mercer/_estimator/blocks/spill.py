"""Features that are written to disk once and read by solvers as a memory map."""

import tempfile
from collections.abc import Iterable
from pathlib import Path
from shutil import disk_usage
from typing import Any

import numpy as np

from mercer._runtime.limits import format_bytes
from mercer._typing import DoubleArray, FloatArray

__all__ = ["has_room", "spilled"]

_SHARE = 2  # part of the free space that features may take where they can also be computed again: 1/2


def has_room(shape: tuple[int, int], dtype: Any, folder: Any = None) -> bool:
    """Whether an array takes at most half of the free space of a folder."""
    needed = np.dtype(dtype).itemsize * shape[0] * shape[1]
    return bool(needed <= disk_usage(_place(folder)).free // _SHARE)


def _place(folder: Any) -> Path:
    return Path(tempfile.gettempdir() if folder is None else folder)


def spilled(
    who: str, blocks: Iterable[tuple[slice, DoubleArray]], shape: tuple[int, int], dtype: Any, folder: Any = None
) -> FloatArray:
    """Write panels of rows to a temporary file, and map it into memory.

    The file has no name, so that the system removes it when the array is deleted or the process ends, also by a signal.

    Parameters
    ----------
    who : str
        Name of the estimator, for errors.
    blocks : iterable of (slice, ndarray)
        Consecutive rows.
    shape : tuple of int
        Number of rows and columns.
    dtype : dtype
        Type of the array.
    folder : path, default=None
        Folder on the disk that is used. None: that of `tempfile.gettempdir`, which the variable TMPDIR sets.

    Returns
    -------
    ndarray
        Rows, read from the file when they are used.
    """
    place = _place(folder)
    needed, free = np.dtype(dtype).itemsize * shape[0] * shape[1], disk_usage(place).free
    if needed > free:
        raise OSError(
            f"{who}: {shape[0]} x {shape[1]} features take {format_bytes(needed)} on disk, but {place} has "
            f"{format_bytes(free)}; set the environment variable TMPDIR to a folder with more space, or use fewer "
            "features."
        )
    with tempfile.TemporaryFile(dir=place, prefix="mercer-") as file:
        done = 0
        for rows, block in blocks:
            assert rows.start == done  # rows are consecutive
            file.write(np.ascontiguousarray(block, dtype=dtype).data)
            done = rows.stop
        file.flush()
        return np.memmap(file, dtype=dtype, mode="r+", shape=shape)
