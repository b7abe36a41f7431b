"""Files of numbers and texts that the command line reads, with lines that are not as they should be."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from mercer.data import Graphs, Strings, Trees, read_kelp
from mercer.datasets import read
from tests.border.case import Case
from tests.border.odd import pick

__all__ = ["texts"]

SVMLIGHT = ["1 1:0.5 3:2", "-1 2:1", "1 1:1 2:1 3:1"]
BAD_SVMLIGHT = [
    "1 0:1", "1 -3:1", "1 3:1 1:1", "1 1:1 1:2", "1 99999999999999999999:1", "1 1:nan", "1 1:x", "x 1:1", "1 1:",
    "1 :1", "1 1 2", ":", "\0", "1 4294967297:1", "1 1:1e999", "1 1:0x10", "nan 1:1",
]  # fmt: skip
CSV = ["age,word,y", "1.5,ox,1", "2,cow,0", "3,owl,1"]
BAD_CSV = [
    "4",
    "4,ox,1,2,3",
    '"4,ox,1',
    "nan,ox,1",
    "1e999,ox,0",
    ",,",
    "\0,\0,\0",
    "\ufeff1,ox,1",
    "4;ox;1",
    "1+2j,ox,1",
]
FASTA = [">a", "GATTACA", ">b", "TTA"]
BAD_FASTA = [">", "GATTACA>", "G A", "\0", ">a", "日本"]
BRACKETS = ["(S (NP ox) (VP eats))", "(S (NP cow))"]
BAD_BRACKETS = ["(S", ")", "()", "(S (NP ox)", "ox", "((S x) (T y))", "(S\0 x)", "(" * 50]
KELP = ["1 |BT| (S (NP ox)) |ET|", "0 |BT| (S (NP cow)) |ET|"]
BAD_KELP = ["1 |BT| (S", "|BT| |ET|", "x |BV| 1:1 |EV|", "1 |BV| a:b |EV|", "1", "|", "1 |BT| (S x)"]
READERS: dict[str, tuple[str, list[str], list[str], Any]] = {
    "svmlight": (".svmlight", SVMLIGHT, BAD_SVMLIGHT, lambda path: _plain(read(path))),
    "csv": (".csv", CSV, BAD_CSV, lambda path: _plain(read(path))),
    "fasta": (".fasta", FASTA, BAD_FASTA, Strings.read_fasta),
    "brackets": (".txt", BRACKETS, BAD_BRACKETS, Trees.read_brackets),
    "kelp": (".kelp", KELP, BAD_KELP, lambda path: repr(read_kelp(path))),
}
TU = {
    "A": ["1, 2", "2, 1", "3, 4", "4, 3"],
    "graph_indicator": ["1", "1", "2", "2"],
    "graph_labels": ["1", "-1"],
    "node_labels": ["1", "2", "1", "1"],
}
BAD_TU = ["0, 1", "-1, 2", "1, 99", "1", "x", "1, 2, 3", "", "nan", "99999999999999999999, 1", "1.5, 2", "3", "\0"]


def _plain(dataset: Any) -> Any:
    return repr(dataset)


def texts(rng: np.random.Generator, i: int) -> Case:
    """A file with one line replaced, added or cut."""
    names = [*READERS, "TU"]
    name = names[i % len(names)]
    if name == "TU":
        return _tu(rng)
    suffix, good, bad, reader = READERS[name]
    lines = _changed(rng, good, bad)

    def called() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"data{suffix}"
            path.write_text("\n".join(lines) + "\n")
            return reader(path)

    return Case(f"{name} file {lines!r:.80}", "its reader", called, finite=False)


def _tu(rng: np.random.Generator) -> Case:
    part = pick(rng, list(TU))
    files = {**TU, part: _changed(rng, TU[part], BAD_TU)}

    def called() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            for name, lines in files.items():
                (Path(folder) / f"X_{name}.txt").write_text("\n".join(lines) + "\n")
            return Graphs.read_tu(folder)

    return Case(f"TU file {part} {files[part]!r:.60}", "Graphs.read_tu", called, finite=False)


def _changed(rng: np.random.Generator, good: list[str], bad: list[str]) -> list[str]:
    lines = list(good)
    at = int(rng.integers(len(lines)))
    match int(rng.integers(4)):
        case 0:
            lines[at] = pick(rng, bad)
        case 1:
            lines.insert(at, pick(rng, bad))
        case 2:
            lines[at] = lines[at][: int(rng.integers(len(lines[at])))]
        case 3:
            lines = lines[:at]
    return lines
