"""Long computations that Ctrl-C can end.

Python handles a signal between two of its own instructions. A call into a compiled library is one instruction, so
Ctrl-C waits for its end. Computations that can be cut are done in pieces (`pieces`); the others run in a thread that
Ctrl-C abandons (`interruptible`). The core asks for signals by itself.
"""

import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context
from typing import TypeVar

__all__ = ["PIECE", "interruptible", "pieces"]

PIECE = 4e9  # operations between two chances for Ctrl-C: 0.4 s at the 10 GFlop/s of a slow processor
_WAIT = 0.05  # seconds; only Windows needs it, where a lock is not interrupted by signals

T = TypeVar("T")


def interruptible(work: Callable[[], T], operations: float) -> T:
    """The result of `work`, computed in a thread that Ctrl-C abandons, if it may take long.

    The thread cannot be stopped. After Ctrl-C it runs to its end, and its result is thrown away. So `work` must release
    the GIL, and nobody else may write to the arrays that it reads, or use those that it writes, until it has returned.
    It must neither return to Python in between, as SuperLU does for memory, nor use the threads of BLAS: the process
    may end before the thread does, Python and these threads with it, and what waits for them would never let it end.

    Parameters
    ----------
    work : callable
        Without arguments.
    operations : float
        An estimate of its floating-point operations. Up to `PIECE` it is called directly, and so it is in other threads
        than the main one, which signals do not reach.

    Examples
    --------
    >>> interruptible(lambda: sum(range(4)), operations=1e12)
    6
    """
    if operations <= PIECE or threading.current_thread() is not threading.main_thread():
        return work()
    done, result, errors = threading.Event(), [], []
    context = copy_context()  # settings of NumPy and scikit-learn are those of the caller

    def run() -> None:
        try:
            result.append(context.run(work))
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=run, name="mercer: a computation that Ctrl-C abandons", daemon=True).start()
    while not done.wait(_WAIT):
        pass
    if errors:
        raise errors[0]
    return result[0]


def pieces(first: int, last: int, operations: float, *, least: int = 64) -> Iterator[tuple[int, int]]:
    """Consecutive ranges (start, stop) of [first, last) of at most `PIECE` operations each.

    Parameters
    ----------
    first, last : int
        The range.
    operations : float
        Of each index.
    least : int, default=64
        Smallest size of a piece, below which BLAS is slow.

    Examples
    --------
    >>> list(pieces(0, 1000, 1e7))
    [(0, 400), (400, 800), (800, 1000)]
    """
    step = max(least, int(PIECE / max(operations, 1.0)))
    for start in range(first, last, step):
        yield start, min(start + step, last)
