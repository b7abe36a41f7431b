"""Temporary limits on the thread pools of BLAS and OpenMP."""

from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["limit_pools"]


def limit_pools(threads: int | None, user_api: str | None = None) -> Any:
    """Return a context in which each thread pool of the process has at most `threads` threads.

    `threadpoolctl.threadpool_limits` does the same, but searches the loaded libraries at every call, which takes longer
    than many small fits.

    Parameters
    ----------
    threads : int or None
        Maximal number of threads of each pool. None: no limit.
    user_api : {"blas", "openmp"}, default=None
        Pools that are limited. None: all.

    Returns
    -------
    context manager
        Context with the limit.
    """
    return _controller().limit(limits=threads, user_api=user_api)


@cache
def _controller() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401 - loads SciPy's BLAS, so that it is found

    return ThreadpoolController()
