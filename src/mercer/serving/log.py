"""One line for each event, without control characters."""

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

__all__ = ["Log", "print_event", "write_line"]

Log = Callable[[dict[str, Any]], None]


def print_event(event: dict[str, Any]) -> None:
    r"""Print an event on the standard error as ``name=value`` pairs; texts from outside are written as JSON does.

    >>> import contextlib, sys
    >>> with contextlib.redirect_stderr(sys.stdout):
    ...     print_event({"time": "2026-01-01T00:00:00Z", "event": "request", "path": "/\x1b[2J"})
    time=2026-01-01T00:00:00Z event=request path="/\u001b[2J"
    """
    pairs = {"time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), **event}
    write_line(" ".join(f"{name}={_value(value)}" for name, value in pairs.items()))


def write_line(line: str) -> None:
    """Write a line to the standard error at once, so that threads do not mix theirs."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _value(value: Any) -> str:
    text = str(value)
    simple = text.isascii() and text.isprintable() and text and not set(' "=') & set(text)
    return text if simple else json.dumps(text)
