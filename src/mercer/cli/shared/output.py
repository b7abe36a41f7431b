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

from mercer.cli.shared.terminal import print_data, terminal

__all__ = ["as_options", "in_words_of_files", "print_code", "print_data", "print_json", "print_notes", "terminal"]

_KINDS = re.compile(r"kinds=\{'([^']*)': '(\w+)'\}")
_WORDS = {
    "pass drop_missing=True": "use --drop-missing",
    "or unlabeled=True to keep them without label": "or --unlabeled to learn from them too",
    "name one of the columns of": "use --target with one of the columns of",
    "groups='auto'": "--groups auto",
    "positive='": "--positive '",
    "approximation='auto'": "--approximation auto",
    "approximation=None": "--approximation none",
    "got approximation=": "got --approximation ",
    "pass public=True if they may use the model": "use --public if they may use the model",
    "parameter max_memory": "--max-memory",
    "with max_memory=": "with --max-memory",
}
_NAMES = (  # functions and classes that users of the command did not call
    *("Dataset.split", "mercer.datasets.read", "evaluate", "search", "choose_threshold", "rare_classes"),
    *("TablePreparer", "AutoClassifier", "AutoRegressor", "Columns"),
)
_INTERNAL = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, _NAMES))}): ")
_FROM_ZERO = (  # rows that are counted from 0, as the functions of mercer count them
    (re.compile(r"the first is row (\d+), from 0"), "the first is row {}"),
    (re.compile(r"first row (\d+)\b"), "first in row {}"),
    (re.compile(r"first in row (\d+)\b(?! of the file)(, from 0)?"), "first in row {}"),
    (re.compile(r"\brow (\d+) \(from 0\)"), "row {}"),
)
_RECORD = re.compile(r"(?<=\d), record \d+ \(from 0\)")  # behind the line of the file
_GIVEN = re.compile(r"\b(kinds|kernel|model|scoring|positive)=(?=[\s,.;]|$)")


def print_json(data: Mapping[str, Any]) -> None:
    """Print one JSON object; NaN and infinities, which JSON cannot represent, become null.

    Control characters that the output escapes have the form of JSON, so the object remains the same.
    """
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
        table.add_row(Text("·", style="dim"), Text(in_words_of_files(as_options(note)), style="dim"))
    if table.row_count:
        console.print(table)


def as_options(text: str) -> str:
    """Replace Python parameters in a message by command-line options."""
    text = _KINDS.sub(r"--kinds '\1=\2'", text)
    for python, option in _WORDS.items():
        text = text.replace(python, option)
    return _GIVEN.sub(r"--\1", text)


def in_words_of_files(text: str) -> str:
    """Remove names of functions and classes from a message, and count rows from 1, as people count rows of a file.

    >>> in_words_of_files("evaluate: Input y contains infinity (first in row 0); drop such rows.")
    'the target contains infinity (first in row 1); drop such rows.'
    """
    text = _RECORD.sub("", _INTERNAL.sub("", text)).replace("Input y contains", "the target contains")
    text = re.sub(r"\bX has no column ('[^']*'); it has\b", r"there is no column \1; the columns are", text)
    text = re.sub(r"\bX has no column\b", "there is no column", text)
    for pattern, words in _FROM_ZERO:
        match = pattern.search(text)
        if match is not None:
            return text[: match.start()] + words.format(int(match[1]) + 1) + text[match.end() :]
    return text


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
