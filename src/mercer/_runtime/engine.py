"""The compiled core, made ready on first use, and the number of threads a call may have.

``MERCER_SIMD`` chooses the instruction set (``baseline``, ``x86-64-v3``, ``x86-64-v4``, ``auto``), so that tests can
walk every path. The core brings its own products and links no BLAS: nothing of the process has to be changed during a
call.
"""

import functools
import os

import mercer._core as _core
from mercer._runtime.limits import cpu_quota

__all__ = ["ready", "simd_level", "thread_count"]


@functools.cache
def ready() -> None:
    """Choose the instruction set; called before the core computes anything."""
    level = os.environ.get("MERCER_SIMD", "auto")
    try:
        _core.select_simd(level)
    except ValueError as error:
        raise ValueError(f"environment variable MERCER_SIMD: {error}; unset it for the best.") from None


def thread_count(n_jobs: int | None = None) -> int:
    """Threads for one call: all that OpenMP (and so threadpoolctl) allows, or fewer if `n_jobs` says so.

    ``None`` and ``-1`` mean all; other negative numbers leave that many less one idle, as in joblib.

    >>> thread_count(1)
    1
    """
    allowed = max(1, min(_core.max_threads(), cpu_quota()))
    if n_jobs is None:
        return allowed
    if isinstance(n_jobs, bool) or not hasattr(n_jobs, "__index__") or n_jobs == 0:
        raise ValueError(f"n_jobs: expected None or a nonzero integer, got {n_jobs!r}.")
    wanted = int(n_jobs) if n_jobs > 0 else allowed + 1 + int(n_jobs)
    return max(1, min(wanted, allowed))


def simd_level() -> str:
    """Name of the instruction set in use."""
    ready()
    return _core.simd_level()
