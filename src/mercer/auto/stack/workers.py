"""Independent work side by side, one thread each, that Ctrl-C ends."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from mercer._runtime.pools import limit_pools

__all__ = ["Stop", "side_by_side"]

T = TypeVar("T")
R = TypeVar("R")


class Stop:
    """Asked by workers between steps; raises in the workers after another one failed or Ctrl-C was pressed."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """End all workers at their next question."""
        self._event.set()

    def __call__(self) -> None:
        if self._event.is_set():
            raise InterruptedError("side_by_side: another worker failed, or the user interrupted the fit.")


def side_by_side(work: Callable[[T, Stop], R], items: Iterable[T], threads: int) -> list[R]:
    """Results of ``work(item, stop)`` in the order of the items; `work` calls ``stop()`` between its steps.

    BLAS and OpenMP have one thread in each worker: two-thread BLAS on many small problems takes several times as long.
    """
    stop = Stop()
    with limit_pools(1):
        if threads == 1:
            return [work(item, stop) for item in items]
        with ThreadPoolExecutor(threads, initializer=_alone) as pool:
            waiting = [pool.submit(work, item, stop) for item in items]
            try:
                return [future.result() for future in waiting]
            except BaseException:
                stop.set()
                for future in waiting:
                    future.cancel()
                raise


def _alone() -> None:
    """Limit a worker to one OpenMP thread; OpenMP stores this limit per thread."""
    limit_pools(1, "openmp").__enter__()
