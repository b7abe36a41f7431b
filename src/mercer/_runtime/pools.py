"""Thread pools of BLAS and OpenMP, limited for a while."""

from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["limit_pools"]


def limit_pools(threads: int | None, user_api: str | None = None) -> Any:
    """A context in which each pool of the process has at most `threads` threads; None changes nothing.

    `threadpoolctl.threadpool_limits` does the same, but searches the loaded libraries at every call, which takes longer
    than many a small fit.

    Parameters
    ----------
    threads : int or None
        Threads of each pool.
    user_api : {"blas", "openmp"}, default=None
        The pools that are limited; None means all.
    """
    return _controller().limit(limits=threads, user_api=user_api)


@cache
def _controller() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401 - so that SciPy's BLAS is among the libraries that are found

    return ThreadpoolController()
