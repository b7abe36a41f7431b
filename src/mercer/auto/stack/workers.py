"""Independent work side by side, one thread each, that Ctrl-C ends."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeVar

from mercer._runtime.interrupt import asking
from mercer._runtime.pools import limit_pools

__all__ = ["Stop", "side_by_side"]

WAIT = 0.05  # seconds between two points where signals are handled
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

    Ctrl-C ends all workers at their next question. Dense linear algebra asks by itself, between its pieces.

    BLAS and OpenMP have one thread in each worker: two-thread BLAS on many small problems takes several times as long.
    """
    stop = Stop()

    def worker(item: T) -> R:
        stop()
        with asking(stop):
            return work(item, stop)

    with limit_pools(1):
        if threads == 1:
            return [work(item, stop) for item in items]
        with ThreadPoolExecutor(threads, initializer=_alone) as pool:
            waiting = [pool.submit(worker, item) for item in items]
            try:
                while True:
                    # Without a limit, a signal that another thread received would be handled only after all work.
                    done, rest = wait(waiting, WAIT, FIRST_EXCEPTION)
                    for future in done:
                        future.result()  # raises the error of a worker
                    if not rest:
                        return [future.result() for future in waiting]
            except BaseException:
                stop.set()
                for future in waiting:
                    future.cancel()
                raise


def _alone() -> None:
    """Limit a worker to one OpenMP thread; OpenMP stores this limit per thread."""
    limit_pools(1, "openmp").__enter__()
