"""The compiled core, made ready on first use.

The core links no BLAS; it is handed SciPy's matrix product once. ``MERCER_SIMD`` chooses the instruction set
(``baseline``, ``x86-64-v3``, ``x86-64-v4``, ``auto``), so that tests can walk every path.
"""

import functools
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mercer import _core
from mercer._runtime.limits import cpu_quota

__all__ = ["engine", "simd_level", "thread_count"]


@functools.cache
def _ready() -> None:
    from scipy.linalg import cython_blas

    _core.set_gemm(cython_blas.__pyx_capi__["dgemm"], cython_blas.__pyx_capi__["sgemm"])
    level = os.environ.get("MERCER_SIMD", "auto")
    try:
        _core.select_simd(level)
    except ValueError as error:
        raise ValueError(f"environment variable MERCER_SIMD: {error}; unset it for the best.") from None


class _SingleThreadedBlas:
    """BLAS limited to one thread while any call runs; our own threads are the only level.

    Limits are global to the process. Calls may overlap (several Python threads), so the first one sets the limit and
    the last one lifts it; nested ``threadpool_limits`` would restore in the wrong order and leave the limit behind.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._controller: Any = None
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._users == 0:
                if self._controller is None:
                    from threadpoolctl import ThreadpoolController

                    self._controller = ThreadpoolController()  # a scan of all libraries: once
                self._limit = self._controller.limit(limits=1, user_api="blas")
                self._limit.__enter__()
            self._users += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._limit.__exit__(None, None, None)


_single_threaded_blas = _SingleThreadedBlas()


@contextmanager
def engine() -> Iterator[None]:
    """Context in which the core's pairwise functions may be called."""
    _ready()
    with _single_threaded_blas:
        yield


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
    _ready()
    return _core.simd_level()
