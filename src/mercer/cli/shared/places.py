"""Places in the user's file for errors that count rows of a part of it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer.datasets import Dataset

__all__ = ["place_in_file", "rows_of_file"]

_ROW = re.compile(r"\brow (\d+)\b(, from 0)?")


@contextmanager
def rows_of_file(data: "Dataset", X: Any, prepare: Any) -> Iterator[None]:
    """Replace errors about rows of a fold or of another part of X by errors about the file.

    Parameters
    ----------
    data : Dataset
        Data set as it was read, with the lines of its file.
    X : frame, array or container
        Samples that the block uses, or a part of them; its columns are those that are prepared.
    prepare : callable
        Prepares all samples of the file as the model does. It raises for the value that is in question, with its row in
        the file, or for the same reason as for a part. None: errors are not changed.

    Yields
    ------
    None
        Nothing.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        if prepare is None:
            raise
        found: Exception | None = None
        with suppress(KeyError, IndexError, AttributeError):
            try:
                prepare(_columns(data.X, X))
            except (TypeError, ValueError) as other:
                found = other
        if found is None:
            raise
        raise type(error)(place_in_file(str(found), data.lines)) from error


def place_in_file(text: str, lines: Any) -> str:
    """Replace a row, counted from 0, by the line of the file, or by the row counted from 1 if there are no lines.

    >>> place_in_file("column 'a' holds infinity in row 1, expected finite numbers.", [2, 3, 5])
    "column 'a' holds infinity in line 3 of the file, expected finite numbers."
    >>> place_in_file("column 'a' holds text, first in row 1, from 0: 'x'.", None)
    "column 'a' holds text, first in row 2 of the file: 'x'."
    """
    match = _ROW.search(text)
    if match is None:
        return text
    row = int(match[1])
    where = f"row {row + 1}" if lines is None else f"line {lines[row]}"
    return f"{text[: match.start()]}{where} of the file{text[match.end() :]}"


def _columns(whole: Any, used: Any) -> Any:
    """Columns of the samples in use, of all rows of the file."""
    from mercer.data.frames import as_frame

    frame = as_frame(used)
    return whole if frame is None else whole.select(list(frame.columns))
