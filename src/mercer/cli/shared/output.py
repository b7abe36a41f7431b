"""Output of all commands: notes in a terminal, JSON and Python programs."""

import json as json_format
import math
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

__all__ = ["as_options", "print_code", "print_json", "tell", "terminal"]

_KINDS = re.compile(r"kinds=\{'([^']*)': '(\w+)'\}")
_WORDS = {
    "pass drop_missing=True": "use --drop-missing",
    "name one of the columns of": "use --target with one of the columns of",
}
_GIVEN = re.compile(r"\b(kinds|kernel|model)=(?=[\s,.;]|$)")


def terminal() -> Console:
    """The standard output, with no styles of rich's own choosing for numbers and paths."""
    return Console(highlight=False)


def print_json(data: Mapping[str, Any]) -> None:
    """One JSON object, the only thing on the standard output.

    NaN and infinities, which JSON does not have, become null.
    """
    ascii_only = not (sys.stdout.encoding or "ascii").lower().startswith("utf")
    print(json_format.dumps(_plain(data), ensure_ascii=ascii_only, indent=2, allow_nan=False))


def print_code(lines: Iterable[str], *, json: bool = False) -> None:
    """A program, a line each; ``{"code": …}`` where JSON is asked for."""
    text = "\n".join(lines)
    if json:
        print_json({"code": text})
    else:
        print(text)


def tell(console: Console, notes: Iterable[str]) -> None:
    """Decisions that were taken, one sentence each."""
    table = Table.grid(padding=(0, 1, 0, 0))
    for note in notes:
        table.add_row(Text("·", style="dim"), Text(as_options(note), style="dim"))
    if table.row_count:
        console.print(table)


def as_options(text: str) -> str:
    """A message with parameters of Python in the words of the command line."""
    text = _KINDS.sub(r"--kinds '\1=\2'", text)
    for python, option in _WORDS.items():
        text = text.replace(python, option)
    return _GIVEN.sub(r"--\1", text)


def _plain(value: Any) -> Any:
    """The value in types that JSON has; what it does not have, as text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return str(value)
