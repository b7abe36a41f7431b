"""Progress and time limit of a search."""

from collections.abc import Callable
from typing import TypeAlias

__all__ = ["Pace", "Report", "no_report"]

Report: TypeAlias = Callable[[int, int, str], None]


def no_report(done: int, total: int, text: str) -> None:
    """Default no-op progress callback."""


class Pace:
    """Steps of a search that are done, and steps that were left out because the time was up.

    Parameters
    ----------
    total : int
        Largest possible number of steps.
    report : callable, default=None
        Called as ``report(done, total, text)`` before each step and at the end.
    left : callable, default=None
        Returns the seconds that are left; None for no limit.

    Examples
    --------
    >>> pace = Pace(3, print, iter([1.0, 0.0]).__next__)
    >>> pace.begin("rbf", needed=True), pace.begin("linear"), pace.begin("sum")
    0 3 rbf
    1 3 linear
    (True, True, False)
    >>> pace.end()
    3 3 done
    >>> pace.note
    'The time limit was reached: 1 candidate was not tried (sum).'
    """

    def __init__(self, total: int, report: Report | None = None, left: Callable[[], float] | None = None) -> None:
        self.total, self.report, self.left = total, report or no_report, left
        self.done = 0
        self.skipped: list[str] = []

    def begin(self, name: str, *, needed: bool = False) -> bool:
        """Whether there is time for a step, which is then reported; `needed` steps do not ask."""
        if not needed and self.left is not None and self.left() <= 0:
            self.skipped.append(name)
            return False
        self.report(self.done, self.total, name)
        self.done += 1
        return True

    def reach(self, done: int) -> None:
        """Count steps as done that turned out not to be needed."""
        self.done = max(done, self.done)

    def end(self) -> None:
        """Report the end."""
        self.report(self.total, self.total, "done")

    @property
    def note(self) -> str:
        """Sentence on the steps that were left out; empty if there are none."""
        if not self.skipped:
            return ""
        count = len(self.skipped)
        what = "1 candidate was" if count == 1 else f"{count} candidates were"
        return f"The time limit was reached: {what} not tried ({', '.join(self.skipped)})."
