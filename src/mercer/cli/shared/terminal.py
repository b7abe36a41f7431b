r"""Text on a terminal: control characters of names and files are shown, and never executed.

A name in a table may hold escape sequences, which clear the screen, change the title or hide text, and characters that
reverse the direction of writing. `escaped` replaces them by ``\u001b`` and the like, which is also how JSON and Python
write them. All output passes through it: `shielded` wraps the standard streams, and rich, which writes sequences of its
own, is given the streams behind by `terminal`, which escapes every text before rich formats it.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

__all__ = ["STANDARD_OUTPUT", "escaped", "print_data", "shielded", "terminal"]

STANDARD_OUTPUT = "standard output"  # in place of a file name

# C0 without tab and newline, DEL and C1; marks, embeddings, overrides and isolates of the direction; separators of
# lines and paragraphs; halves of characters.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def escaped(text: str) -> str:
    r"""Replace control characters by their code.

    >>> escaped("a\x1b[31mb\tc")
    'a\\u001b[31mb\tc'
    """
    return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


class _Stream:
    """Standard stream whose errors name it, and which can escape what is written; otherwise like the one behind."""

    def __init__(self, behind: TextIO, name: str, *, escape: bool) -> None:
        self.behind, self.title, self.escape = behind, name, escape

    def write(self, text: str) -> int:
        with self._named():
            self.behind.write(escaped(text) if self.escape else text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        with self._named():
            self.behind.flush()

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.title) from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)


def _stream(*, stderr: bool, escape: bool) -> Any:
    stream: Any = sys.stderr if stderr else sys.stdout
    behind = stream.behind if isinstance(stream, _Stream) else stream
    return _Stream(behind, "standard error" if stderr else STANDARD_OUTPUT, escape=escape)


@contextmanager
def shielded() -> Iterator[None]:
    """Escape control characters in all that is written to the standard streams inside the block."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (_stream(stderr=stderr, escape=True) for stderr in (False, True))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


class _SafeConsole(Console):
    """Console that escapes the text that it is given, not the sequences that it writes."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        if isinstance(renderable, str):
            renderable = escaped(renderable)
        elif isinstance(renderable, Text):
            renderable = _escaped_text(renderable)
        for segment in super().render(renderable, options):  # of objects that make their text when they are rendered
            if segment.control is None and _CONTROL.search(segment.text):
                segment = Segment(escaped(segment.text), segment.style)  # noqa: PLW2901
            yield segment


def _escaped_text(text: Text) -> Text:
    """The same text with its styles; the text itself if there is nothing to escape."""
    plain = text.plain
    if not _CONTROL.search(plain):
        return text
    result, end = text.blank_copy(), 0
    for found in _CONTROL.finditer(plain):
        result.append_text(text[end : found.start()])
        result.append(escaped(found.group()))
        end = found.end()
    return result.append_text(text[end:])


def terminal(*, stderr: bool = False) -> Console:
    """Console on a standard stream, without rich's automatic highlighting."""
    return _SafeConsole(file=_stream(stderr=stderr, escape=False), highlight=False)


def print_data(text: str) -> None:
    """Write the content of a file to the standard output: unchanged to a pipe or file, escaped to a terminal."""
    stream = _stream(stderr=False, escape=sys.stdout.isatty())
    stream.write(text)
    stream.flush()
