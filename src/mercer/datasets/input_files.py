"""Input files: content, name and errors, and the lazy import of polars."""

import os
import pathlib
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from mercer._runtime.budget import require_budget

__all__ = ["listed", "polars", "refuse", "require_cells", "stem"]

CELL, COLUMN = 40, 4000  # bytes of memory per value and per column while a table is read
_SHOWN = 8


def polars(who: str) -> Any:
    """Import polars; the ImportError explains the installation."""
    try:
        return import_module("polars")
    except ImportError:
        raise ImportError(f"{who}: needs polars; install it with: pip install 'mercer[app]'") from None


def require_cells(path: pathlib.Path, rows: int, columns: int) -> None:
    """Raise `MemoryLimitError` if a table of this size needs more memory than the limit of readers."""
    require_budget(path, CELL * rows * columns + COLUMN * columns, f"is a table of {rows} x {columns} values, which")


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
