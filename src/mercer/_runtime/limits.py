"""Limits of memory, processors and computing time."""

import functools
import math
import os
from pathlib import Path

from mercer.exceptions import CostLimitError, MemoryLimitError

__all__ = ["available_memory", "cpu_quota", "format_bytes", "require_memory", "require_time", "usable_memory"]

_CGROUP = Path("/sys/fs/cgroup")
NEGLIGIBLE = 1 << 20  # bytes below which the available memory is not queried
SHARE = 0.8  # maximal fraction of the available memory for one buffer
LONGEST = 100.0  # maximal estimated time for one sample or one pair of samples, in seconds


def _read(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() else None


@functools.cache
def cpu_quota() -> int:
    """Return the number of processors that the process may use, by its affinity and the container's quota."""
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota, _, period = (_read(_CGROUP / "cpu.max") or "max").partition(" ")
    if quota.isdigit() and period.isdigit() and int(period) > 0:
        cpus = min(cpus, max(1, round(int(quota) / int(period))))
    return cpus


def _cgroup_room() -> int | None:
    """Return the bytes left under the container's memory limit, if there is one (cgroup v2, then v1)."""
    for limit, usage in (
        (_CGROUP / "memory.max", _CGROUP / "memory.current"),
        (_CGROUP / "memory" / "memory.limit_in_bytes", _CGROUP / "memory" / "memory.usage_in_bytes"),
    ):
        total, used = _number(_read(limit)), _number(_read(usage))
        if total is not None and used is not None:
            return max(0, total - used)
    return None


def _address_room() -> int | None:
    """Return the bytes left under the limit of the process's address space (``ulimit -v``), if there is one."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return None
    used = _number((_read(Path("/proc/self/statm")) or "").partition(" ")[0])
    return max(0, limit - (used or 0) * resource.getpagesize())


def available_memory() -> int | None:
    """Return the bytes available without swapping, or None if the system does not report them."""
    free = None
    for line in (_read(Path("/proc/meminfo")) or "").splitlines():
        if line.startswith("MemAvailable:"):
            free = int(line.split()[1]) * 1024
    if free is None and hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    known = [value for value in (free, _cgroup_room(), _address_room()) if value is not None]
    return min(known) if known else None


def format_bytes(n: float) -> str:
    """Format a number of bytes with a unit.

    >>> format_bytes(80_000_000_000)
    '80.0 GB'
    """
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if n < 1000 or unit == "TB":
            return f"{n:.0f} bytes" if unit == "bytes" else f"{n:.1f} {unit}"
        n /= 1000
    raise AssertionError("unreachable")


def usable_memory(nbytes: int) -> float:
    """Return how many bytes a buffer may take, 80 % of the available memory, for one that would need `nbytes`.

    It is infinite if the system does not report its memory, and for small buffers, for which it is not queried.
    """
    available = None if nbytes < NEGLIGIBLE else available_memory()
    return math.inf if available is None else SHARE * available


def require_memory(nbytes: int, *, what: str, instead: str) -> None:
    """Raise `MemoryLimitError` if a buffer of `nbytes` is more than 80 % of the available memory.

    >>> require_memory(8, what="a number", instead="nothing")
    """
    usable = usable_memory(nbytes)
    if nbytes > usable:
        raise MemoryLimitError(
            f"{what} needs {format_bytes(nbytes)}, but only {format_bytes(usable / SHARE)} are available "
            f"(at most {SHARE:.0%} of it is used for one buffer). {instead}"
        )


def require_time(seconds: float, *, what: str, instead: str) -> None:
    """Raise `CostLimitError` if one sample, or one pair of samples, is estimated to take longer than 100 seconds.

    The limit is for extreme parameters. The number of samples does not count, because Ctrl-C interrupts a long
    computation.

    >>> require_time(0.1, what="a sum", instead="nothing")
    """
    if seconds > LONGEST:
        raise CostLimitError(
            f"{what} would take about {_format_seconds(seconds)} on one core, and at most {LONGEST:.0f} s are accepted "
            f"for one sample or pair of samples. {instead}"
        )


def _format_seconds(seconds: float) -> str:
    for unit, size in (("years", 31_557_600), ("days", 86_400), ("hours", 3600)):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
