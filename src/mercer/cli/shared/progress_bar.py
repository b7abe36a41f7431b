"""Progress bar on the standard error, shown only in a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

__all__ = ["Step", "progress_bar"]

Step = Callable[[int, int, str], None]


@contextmanager
def progress_bar(title: str) -> Iterator[Step]:
    """Yield a function ``step(done, total, text)`` that updates the bar; the bar is removed at the end."""
    bar = Progress(
        TextColumn("{task.description}", style="dim"),
        BarColumn(bar_width=24, complete_style="cyan", finished_style="cyan", pulse_style="cyan"),
        TextColumn("{task.completed} of {task.total}", style="dim"),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),  # rich would also show the bar if FORCE_COLOR is set
    )
    with bar:
        task = bar.add_task(title, total=1)

        def step(done: int, total: int, text: str) -> None:
            bar.update(task, completed=done, total=total, description=text or title)

        yield step
