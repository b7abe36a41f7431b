"""Progress on the standard error: a bar in a terminal, else lines at most every five seconds."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TextColumn

from mercer.cli.shared.terminal import terminal

__all__ = ["Step", "progress"]

Step = Callable[[float, float, str], None]
SILENT = 5.0  # seconds after which a line is written where there is no terminal
PAUSE = 0.2  # seconds between two updates of the bar
KNOWN = 0.02  # share of the work from which the time that is left is estimated
MOST = 0.99  # share that is shown until the end: the last steps can take longer than expected


class _State:
    """Steps that are done, the share of the present step, and the time."""

    def __init__(self, title: str) -> None:
        self.start = self.written = self.changed = time.monotonic()
        self.done, self.total, self.inner, self.text, self.detail = 0.0, 1.0, 0.0, title, ""

    def step(self, done: float, total: float, text: str) -> None:
        """Begin a step."""
        self.inner = self.inner if done == self.done and total == self.total else 0.0  # a part of the same step
        self.done, self.total, self.text, self.detail = done, max(total, 1), text, ""
        self.changed = time.monotonic()

    def report(self, share: float, text: str) -> None:
        """Report which share of the present step is done, and what comes next."""
        self.inner, self.detail, self.changed = share, text, time.monotonic()

    @property
    def share(self) -> float:
        """Share of all work that is done."""
        return min(MOST, (self.done + self.inner) / self.total)

    @property
    def what(self) -> str:
        """Present step and its part."""
        return f"{self.text}, {self.detail}" if self.detail and self.detail != "done" else self.text

    @property
    def left(self) -> str:
        """Estimate of the time that is left, from the last report; empty at the beginning and if it has passed."""
        share = self.share
        if not KNOWN <= share < MOST:
            return ""
        seconds = (self.changed - self.start) * (1 - share) / share - (time.monotonic() - self.changed)
        return f"about {seconds:.0f} s left" if seconds >= 0.5 else ""

    def line(self) -> str:
        """One line for people who read a log."""
        seconds = time.monotonic() - self.start
        left = f", {self.left}" if self.left else ""
        share = f"{self.share:.0%} " if self.total > 1 or self.inner > 0 else ""  # unknown for commands of one step
        return f"mercer: {share}after {seconds:.0f} s{left}: {self.what}"


@contextmanager
def progress(title: str) -> Iterator[Step]:
    """Yield a function ``step(done, total, text)`` to be called before each step.

    Fits of automatic models inside the block report their own steps. In a terminal there is a bar, which is removed at
    the end. Elsewhere a line is written when nothing was written for five seconds, so short commands write nothing.
    """
    from mercer.auto.clock import followed

    state, end = _State(title), threading.Event()
    shown = sys.stderr.isatty()  # rich would also show the bar if FORCE_COLOR is set
    bar = Progress(
        TextColumn("{task.description}", style="dim", markup=False),
        BarColumn(bar_width=24, complete_style="cyan", finished_style="cyan", pulse_style="cyan"),
        TextColumn("{task.percentage:3.0f} %", style="dim"),
        TextColumn("{task.fields[left]}", style="dim", markup=False),
        console=terminal(stderr=True),
        transient=True,
        disable=not shown,
    )
    task = bar.add_task(title, total=1.0, left="")

    def watch() -> None:
        while not end.wait(PAUSE):
            if shown:
                bar.update(task, completed=state.share, description=state.what, left=state.left)
            elif time.monotonic() - state.written >= SILENT:
                state.written = time.monotonic()
                print(state.line(), file=sys.stderr, flush=True)

    watcher = threading.Thread(target=watch, daemon=True)
    with bar, followed(state.report):
        watcher.start()
        try:
            yield state.step
        finally:
            end.set()
            watcher.join()
