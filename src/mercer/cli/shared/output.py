"""Output of commands: notes, JSON and Python programs."""

import json as json_format
import math
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

__all__ = ["as_options", "print_code", "print_json", "print_notes", "terminal"]

_KINDS = re.compile(r"kinds=\{'([^']*)': '(\w+)'\}")
_WORDS = {
    "pass drop_missing=True": "use --drop-missing",
    "or unlabeled=True to keep them without label": "or --unlabeled to learn from them too",
    "name one of the columns of": "use --target with one of the columns of",
    "approximation='auto'": "--approximation auto",
    "approximation=None": "--approximation none",
    "got approximation=": "got --approximation ",
}
_GIVEN = re.compile(r"\b(kinds|kernel|model)=(?=[\s,.;]|$)")


def terminal() -> Console:
    """Console on the standard output, without rich's automatic highlighting."""
    return Console(highlight=False)


def print_json(data: Mapping[str, Any]) -> None:
    """Print one JSON object; NaN and infinities, which JSON cannot represent, become null."""
    ascii_only = not (sys.stdout.encoding or "ascii").lower().startswith("utf")
    print(json_format.dumps(_plain(data), ensure_ascii=ascii_only, indent=2, allow_nan=False))


def print_code(lines: Iterable[str], *, json: bool = False) -> None:
    """Print a program, as ``{"code": …}`` if `json` is True."""
    text = "\n".join(lines)
    if json:
        print_json({"code": text})
    else:
        print(text)


def print_notes(console: Console, notes: Iterable[str]) -> None:
    """Print notes on decisions as a list."""
    table = Table.grid(padding=(0, 1, 0, 0))
    for note in notes:
        table.add_row(Text("·", style="dim"), Text(as_options(note), style="dim"))
    if table.row_count:
        console.print(table)


def as_options(text: str) -> str:
    """Replace Python parameters in a message by command-line options."""
    text = _KINDS.sub(r"--kinds '\1=\2'", text)
    for python, option in _WORDS.items():
        text = text.replace(python, option)
    return _GIVEN.sub(r"--\1", text)


def _plain(value: Any) -> Any:
    """Convert a value to JSON-compatible types; other objects become text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # NumPy arrays and scalars
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return str(value)
