"""Time limit and progress of a fit."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["Clock", "TimeUp", "followed"]

Report = Callable[[float, str], None]
PAUSE = 1.0  # smallest number of seconds between two lines of verbose fits
_follower: ContextVar[Report | None] = ContextVar("follower", default=None)


class TimeUp(Exception):  # noqa: N818 - an expected end, not an error
    """Raised inside a step of a fit that can be left out when the time limit is reached."""


@contextmanager
def followed(report: Report) -> Iterator[None]:
    """Call ``report(share, text)`` during fits of automatic models in this context.

    Parameters
    ----------
    report : callable
        Gets the share of the work that is done, between 0 and 1, and the current step. Workers may call it.

    Yields
    ------
    None
        Nothing.
    """
    before = _follower.set(report)
    try:
        yield
    finally:
        _follower.reset(before)


class Clock:
    """Time that is left, and how much of the work is done.

    Parameters
    ----------
    who : str, default=""
        Name of the estimator, for lines of verbose fits.
    limit : float, default=None
        Seconds that the fit may take; None for no limit.
    verbose : bool, default=False
        Whether progress is written to the standard error.

    Examples
    --------
    >>> clock = Clock(limit=None)
    >>> clock.left(), clock.late
    (inf, False)
    """

    def __init__(self, who: str = "", limit: float | None = None, *, verbose: bool = False) -> None:
        self.who, self.limit, self.verbose = who, limit, verbose
        self.start, self._lock = time.monotonic(), threading.Lock()
        self._done, self._total, self._written, self._report = 0.0, 1.0, 0.0, _follower.get()

    def left(self) -> float:
        """Seconds until the limit; infinite if there is none."""
        return float("inf") if self.limit is None else self.start + self.limit - time.monotonic()

    @property
    def late(self) -> bool:
        """Whether the limit is reached."""
        return self.left() <= 0

    def check(self) -> None:
        """Raise `TimeUp` if the limit is reached."""
        if self.late:
            raise TimeUp

    def plan(self, total: float) -> None:
        """Set the work of the whole fit, in the units of `step`."""
        with self._lock:
            self._total = max(total, 1e-9)

    def reach(self, share: float, text: str) -> None:
        """Report which share of the work is done, and what comes next."""
        self.step(share * self._total - self._done, text)

    def step(self, work: float, text: str) -> None:
        """Report that some work is done, and what was done."""
        with self._lock:
            self._done += max(work, 0.0)
            share = min(1.0, self._done / self._total)
            now = time.monotonic()
            write = self.verbose and (now - self._written >= PAUSE or share >= 1)
            if write:
                self._written = now
        if self._report is not None:
            self._report(share, text)
        if write:
            seconds = now - self.start
            left = f", about {seconds * (1 - share) / share:.0f} s left" if 0 < share < 1 else ""
            sys.stderr.write(f"{self.who}: {share:4.0%} after {seconds:.0f} s{left}: {text}\n")
