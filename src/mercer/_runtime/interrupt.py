"""Long computations that Ctrl-C can interrupt.

Python handles signals between two of its own instructions. A call into a compiled library is one instruction, so Ctrl-C
has to wait for its end. Computations that can be divided run in pieces (`pieces`). The others run in a thread that
Ctrl-C abandons (`interruptible`). The core checks for signals itself.

Signals reach the main thread only. In other threads, both functions and the core call what `asking` registered, which
raises if the main thread wants them to end.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import TypeVar

from mercer import _core

__all__ = ["PIECE", "asking", "interruptible", "pieces"]

PIECE = 4e9  # operations between two points where Ctrl-C is handled: 0.4 s at 10 GFlop/s
_WAIT = 0.05  # seconds; needed on Windows only, where signals do not interrupt a lock

_thread = threading.local()

T = TypeVar("T")


@contextmanager
def asking(check: Callable[[], None]) -> Iterator[None]:
    """Call `check` from time to time during the computations of this thread; it may raise.

    Parameters
    ----------
    check : callable
        Function without arguments.

    Yields
    ------
    None
        Nothing.

    Examples
    --------
    >>> with asking(lambda: print("asked")):
    ...     done = list(pieces(0, 1000, 1e7))
    asked
    asked
    asked
    """
    before = getattr(_thread, "check", None)
    _thread.check = check
    try:
        yield
    finally:
        _thread.check = before


def _ask() -> None:
    """Call the function that this thread registered."""
    check = getattr(_thread, "check", None)
    if check is not None:
        check()


_core.set_question(_ask)


def interruptible(work: Callable[[], T], operations: float) -> T:
    """Return the result of `work`, which runs in a thread that Ctrl-C abandons if it may take long.

    The thread cannot be stopped. After Ctrl-C it runs to its end, and its result is discarded. Therefore `work` must
    release the GIL, and no other code may write to the arrays that it reads, or use those that it writes, until it has
    returned. It must neither return to Python in between, as SuperLU does to allocate memory, nor use the threads of
    BLAS: the process may end before the thread does, and a thread that waits for Python or for BLAS would keep the
    process from ending.

    Parameters
    ----------
    work : callable
        Function without arguments.
    operations : float
        Estimate of its floating-point operations. Up to `PIECE` operations, and in threads that neither signals nor
        `asking` can interrupt, it is called directly.

    Returns
    -------
    object
        Result of `work`.

    Examples
    --------
    >>> interruptible(lambda: sum(range(4)), operations=1e12)
    6
    """
    asked = getattr(_thread, "check", None) is not None or threading.current_thread() is threading.main_thread()
    if operations <= PIECE or not asked:
        return work()
    done, result, errors = threading.Event(), [], []
    context = copy_context()  # keeps the caller's settings of NumPy and scikit-learn

    def run() -> None:
        try:
            result.append(context.run(work))
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=run, name="mercer: a computation that Ctrl-C abandons", daemon=True).start()
    while not done.wait(_WAIT):
        _ask()
    if errors:
        raise errors[0]
    return result[0]


def pieces(first: int, last: int, operations: float, *, least: int = 64) -> Iterator[tuple[int, int]]:
    """Yield consecutive ranges (start, stop) of [first, last) of at most `PIECE` operations each.

    Parameters
    ----------
    first : int
        Start of the range.
    last : int
        End of the range.
    operations : float
        Number of operations per index.
    least : int, default=64
        Smallest size of a piece, below which BLAS is slow.

    Yields
    ------
    start : int
        First index of the piece.
    stop : int
        End of the piece.

    Examples
    --------
    >>> list(pieces(0, 1000, 1e7))
    [(0, 400), (400, 800), (800, 1000)]
    """
    step = max(least, int(PIECE / max(operations, 1.0)))
    for start in range(first, last, step):
        _ask()
        yield start, min(start + step, last)
