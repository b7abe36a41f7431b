"""Temporary limits on the thread pools of BLAS and OpenMP."""

import os
import threading
from collections.abc import Callable
from functools import cache
from typing import Any, final

from threadpoolctl import OpenBLASController, ThreadpoolController

__all__ = ["PoolLimit", "limit_pools"]


def limit_pools(threads: int | None, user_api: str | None = None) -> "PoolLimit":
    """Return a context in which each thread pool of the process has at most `threads` threads.

    `threadpoolctl.threadpool_limits` does the same in one thread, but searches the loaded libraries at every call,
    which takes longer than many small fits, and leaves a limit behind if contexts of several threads overlap.

    Parameters
    ----------
    threads : int or None
        Maximal number of threads of each pool. None: no limit.
    user_api : {"blas", "openmp"}, default=None
        Pools that are limited. None: all.

    Returns
    -------
    PoolLimit
        Context with the limit.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> with limit_pools(1, "blas"):
    ...     max(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
    1
    """
    return PoolLimit(threads, user_api)


@final
class PoolLimit:
    """Context of `limit_pools`.

    OpenMP stores its limit in each thread. BLAS has one limit for the process: the smallest of all open contexts, and
    the number of threads before the first of them when the last one ends, in whichever order threads leave theirs.
    """

    def __init__(self, threads: int | None, user_api: str | None) -> None:
        self._threads, self._apis = threads, ("blas", "openmp") if user_api is None else (user_api,)
        self._openmp: Any = None

    def __enter__(self) -> None:
        if self._threads is None:
            return
        if "openmp" in self._apis:
            self._openmp = _pools("openmp").limit(limits=self._threads)
        if "blas" in self._apis:
            _blas.enter(self._threads)

    def __exit__(self, *_: object) -> None:
        if self._threads is None:
            return
        if "blas" in self._apis:
            _blas.leave(self._threads)
        if self._openmp is not None:
            self._openmp.restore_original_limits()


class _Shared:
    """Limits of BLAS by all threads of the process."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all contexts; after a fork, the threads that would leave them or hold the lock do not exist."""
        self._lock = threading.Lock()
        self._limits: list[int] = []
        self._first: Any = None  # knows the numbers of threads without a limit

    def enter(self, threads: int) -> None:
        with self._lock:
            limit = _from_any_thread(lambda: _pools("blas").limit(limits=min([threads, *self._limits])))
            if not self._limits:
                self._first = limit
            self._limits.append(threads)

    def leave(self, threads: int) -> None:
        with self._lock:
            if threads not in self._limits:  # entered before this process was forked
                return
            self._limits.remove(threads)
            if self._limits:
                _from_any_thread(lambda: _pools("blas").limit(limits=min(self._limits)))
            else:
                _from_any_thread(self._first.restore_original_limits)


_blas = _Shared()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_blas.reset)


def _from_any_thread(change: Callable[[], Any]) -> Any:
    """Result of a change of the limits of OpenBLAS, which newer threadpoolctl ignores in all threads but one."""
    release = getattr(OpenBLASController, "clear_controlling_thread", lambda force: None)  # noqa: ARG005
    release(force=True)
    try:
        return change()
    finally:
        release(force=True)


@cache
def _pools(user_api: str) -> ThreadpoolController:
    import scipy.linalg  # noqa: F401 - loads SciPy's BLAS, so that it is found

    return ThreadpoolController().select(user_api=user_api)
