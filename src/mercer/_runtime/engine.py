"""Initialisation of the compiled core at first use, and the number of threads of a call.

``MERCER_SIMD`` selects the instruction set (``baseline``, ``x86-64-v3``, ``x86-64-v4``, ``auto``), so that tests can
cover every path. The core has its own matrix products and does not link BLAS, so no setting of the process is changed
during a call.
"""

import functools
import os

import mercer._core as _core
from mercer._runtime.limits import cpu_quota

__all__ = ["ready", "simd_level", "thread_count"]


@functools.cache
def ready() -> None:
    """Select the instruction set. Called before the core computes anything."""
    level = os.environ.get("MERCER_SIMD", "auto")
    try:
        _core.select_simd(level)
    except ValueError as error:
        raise ValueError(f"environment variable MERCER_SIMD: {error}; unset it for the best instruction set.") from None


def thread_count(n_jobs: int | None = None) -> int:
    """Return the number of threads for one call, at most the number that OpenMP (and threadpoolctl) allows.

    ``None`` and ``-1`` mean all threads. A value ``-k`` below -1 leaves k - 1 threads idle, as in joblib.

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
    """Return the name of the instruction set in use."""
    ready()
    return _core.simd_level()
