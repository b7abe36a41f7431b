"""Memory that readers of files may take, and the refusal of files that need more.

A small file can decompress to terabytes, name a million columns or number its nodes in billions. Readers therefore
estimate what a file needs before they ask for the memory, and compare it with one limit.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from mercer._runtime.limits import available_memory, format_bytes
from mercer._validation import describe
from mercer.exceptions import MemoryLimitError

__all__ = ["checked_bytes", "limited_memory", "memory_limit", "over_budget", "require_budget"]

SHARE = 0.5  # of the available memory; the model needs the rest
UNKNOWN = 4 << 30  # bytes, where the system does not report its memory
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)

_limit: ContextVar[int | None] = ContextVar("memory limit of readers", default=None)


def memory_limit() -> int:
    """Return the bytes that one reader may take: those of `limited_memory`, or half of the available memory."""
    given = _limit.get()
    if given is not None:
        return given
    available = available_memory()
    return UNKNOWN if available is None else int(SHARE * available)


@contextmanager
def limited_memory(nbytes: int | None) -> Iterator[None]:
    """Set the limit inside the block; None keeps that of the surrounding block.

    >>> with limited_memory(1000):
    ...     memory_limit()
    1000
    """
    token = None if nbytes is None else _limit.set(nbytes)
    try:
        yield
    finally:
        if token is not None:
            _limit.reset(token)


def require_budget(path: str | os.PathLike[str], nbytes: float, what: str) -> None:
    """Raise `MemoryLimitError` if `what`, which needs `nbytes` of memory to read, exceeds the limit.

    >>> with limited_memory(1000):
    ...     try:
    ...         require_budget("a.csv", 4000, "has 100 columns and")
    ...     except MemoryLimitError as error:
    ...         print(str(error).split(";")[0])
    a.csv: has 100 columns and needs about 4.0 kB of memory to read, more than the limit of 1.0 kB
    """
    if nbytes > memory_limit():
        raise over_budget(path, f"{what} needs about {format_bytes(nbytes)} of memory to read")


def over_budget(path: str | os.PathLike[str], what: str) -> MemoryLimitError:
    """Error for a file that needs more memory than the limit."""
    limit = format_bytes(memory_limit())
    return MemoryLimitError(
        f"{os.fspath(path)}: {what}, more than the limit of {limit}; use a smaller file, or raise the limit with "
        "max_memory=."
    )


def checked_bytes(who: str, value: int | str | None) -> int | None:
    """Bytes of a limit: a positive integer, or a text with a unit; None is returned as it is.

    >>> checked_bytes("read", "1.5 GB"), checked_bytes("read", "2GiB"), checked_bytes("read", 1000)
    (1500000000, 2147483648, 1000)
    """
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0):
        return value
    found = _SIZE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError(
            f"{who}: parameter max_memory must be a number of bytes, or a text such as '2 GB', got {describe(value)}."
        )
    number, unit, binary = found.groups()
    size = _UNITS[unit.lower()] if not binary else 1024 ** " kmgt".index(unit.lower() or " ")
    nbytes = int(float(number) * size)
    if nbytes < 1:
        raise ValueError(f"{who}: parameter max_memory must be positive, got {describe(value)}.")
    return nbytes
