"""Stored results: a JSON file with one line per fit, so that a run can be interrupted, continued and repeated in part.

A fit is identified by mode, table, seed and method; its result is valid for one version and one set of parameters of
the method. The file is read again, merged and replaced as a whole at every change, under a lock on its folder: several
processes may add to the same file.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mercer._runtime.files import write_whole

Row = dict[str, Any]
Key = tuple[str, str, int, str]
RESULTS = Path(__file__).parents[1] / "results" / "accuracy_tables.json"
TITLE = "Automatic models on tables"


def key(row: Row) -> Key:
    """What is measured: mode, table, seed and method."""
    return row["mode"], row["table"], row["seed"], row["method"]


class Store:
    """Rows of a file, by key. `header` is written above them: date, machine."""

    def __init__(self, path: Path, header: Row) -> None:
        self.path, self.header = path, header
        self.rows = self._read()

    def valid(self, asked: Key, version: str, params: Row) -> bool:
        """Whether there is a result of this version and these parameters."""
        row = self.rows.get(asked)
        return row is not None and (row["version"], row["params"]) == (version, params)

    def add(self, row: Row) -> None:
        """Add a row, or replace the one with its key, and write the file."""
        self._change(lambda rows: rows.update({key(row): row}))

    def drop(self, unwanted: Callable[[Row], bool]) -> int:
        """Remove rows and write the file; their number."""
        gone = {asked for asked, row in self._read().items() if unwanted(row)}
        if gone:
            self._change(lambda rows: [rows.pop(asked, None) for asked in gone])
        return len(gone)

    def _read(self) -> dict[Key, Row]:
        if not self.path.exists():
            return {}
        return {key(row): row for row in json.loads(self.path.read_text(encoding="utf-8"))["results"]}

    def _change(self, change: Callable[[dict[Key, Row]], Any]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(self.path.parent):
            self.rows = self._read()
            change(self.rows)
            rows = [self.rows[asked] for asked in sorted(self.rows)]
            versions = {row["package"]: row["version"] for row in rows if row["package"] != "prototype"}
            text = json.dumps({"title": TITLE, **self.header, "versions": versions}, indent=1, ensure_ascii=False)
            lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
            whole = f'{text.removesuffix("}").rstrip()},\n "results": [\n{lines}\n ]\n}}\n'
            write_whole(self.path, lambda file: file.write(whole.encode()))


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Exclude other processes that change files of the folder."""
    try:
        import fcntl
    except ImportError:  # not on Windows, where one process at a time has to be enough
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
