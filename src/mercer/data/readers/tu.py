"""Graph data sets in the TU Dortmund format: a folder of text files with comma-separated numbers.

``NAME_A.txt`` holds the arcs as pairs of node numbers, counted from 1 over all graphs. Line v of
``NAME_graph_indicator.txt`` is the graph number of node v. The other files have one line per node, arc or graph.
"""

import os
import pathlib
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from mercer._runtime.budget import require_budget
from mercer.data.graphs.arrays import from_arrays
from mercer.data.readers.lines import Path, all_lines, file_error

__all__ = ["read_tu"]

GRAPH = 64  # bytes of memory per graph, for offsets and targets
_NODE, _ARC, _GRAPH = "node", "arc", "graph"


def read_tu(folder: Path, name: str | None, directed: bool | None) -> tuple[dict[str, Any], Any]:
    """Fields of `mercer.data.Graphs` and the targets of a data set."""
    folder, name = _locate(pathlib.Path(folder), name)

    def path(part: str) -> pathlib.Path | None:
        files = (folder / f"{name}_{part}.txt{end}" for end in ("", ".gz"))
        return next((file for file in files if file.is_file()), None)

    arcs_path, nodes_path = path("A"), path("graph_indicator")
    if arcs_path is None or nodes_path is None:
        missing = "A" if arcs_path is None else "graph_indicator"
        raise FileNotFoundError(f"Graphs.read_tu: {folder} has no {name}_{missing}.txt or {name}_{missing}.txt.gz.")
    indicator = _numbers(nodes_path, np.int64, columns=1)[:, 0]
    if indicator.min(initial=1) < 1:
        raise file_error(
            nodes_path, _line(nodes_path, int(np.argmax(indicator < 1))), None, "expected the number of a graph, from 1"
        )
    n_graphs = int(indicator.max(initial=0))
    require_budget(nodes_path, GRAPH * n_graphs, f"numbers a graph {n_graphs}, and {n_graphs} graphs")
    arcs = _numbers(arcs_path, np.int64, columns=2)
    sizes = {_NODE: len(indicator), _ARC: len(arcs)}
    carried = {}
    for part, what in (("node_labels", _NODE), ("edge_labels", _ARC)):
        carried[part] = _lines_for(path(part), what, sizes, whole=True)
    for part, what in (("node_attributes", _NODE), ("edge_attributes", _ARC)):
        carried[part] = _lines_for(path(part), what, sizes, whole=False)
    targets = path("graph_labels") or path("graph_attributes")
    y = _targets(targets, n_graphs)
    fields = from_arrays(
        f"Graphs.read_tu({os.fspath(folder)!r})",
        arcs - 1,
        indicator - 1,
        n_graphs=n_graphs if y is None else len(y),
        directed=directed,
        complete=False,
        refuse=lambda row, what: file_error(arcs_path, _line(arcs_path, row), None, f"{what} (from 0)"),
        **carried,
    )
    return fields, y


def _locate(folder: pathlib.Path, name: str | None) -> tuple[pathlib.Path, str]:
    """Folder with the files, and the name they begin with."""
    if name is not None:
        return (folder / name if (folder / name).is_dir() else folder), name
    if not folder.is_dir():
        raise FileNotFoundError(f"Graphs.read_tu: the folder {folder} does not exist.")
    ends = ("_A.txt", "_A.txt.gz")
    names = {file.name.removesuffix(end) for end in ends for file in folder.glob(f"*{end}")}
    if not names:
        raise FileNotFoundError(f"Graphs.read_tu: {folder} has no file NAME_A.txt or NAME_A.txt.gz.")
    if len(names) > 1:
        found = ", ".join(map(repr, sorted(names)))
        raise ValueError(
            f"Graphs.read_tu: {folder} holds several data sets ({found}); choose one with the parameter name."
        )
    return folder, names.pop()


def _targets(path: pathlib.Path | None, n_graphs: int) -> Any:
    if path is None:
        return None
    labels = path.name.removesuffix(".gz").endswith("_graph_labels.txt")
    y = _whole(_numbers(path, np.float64)) if labels else _numbers(path, np.float64)
    if len(y) < n_graphs:
        raise file_error(
            path, _line(path, len(y)), None, f"expected {n_graphs} lines, one for each graph, got {len(y)}"
        )
    return y[:, 0] if y.shape[1] == 1 else y


def _lines_for(path: pathlib.Path | None, what: str, sizes: dict[str, int], *, whole: bool) -> Any:
    """Numbers with a line for each node or arc; None if there is no such file."""
    if path is None:
        return None
    values = _numbers(path, np.float64)
    if len(values) != sizes[what]:
        raise file_error(
            path,
            _line(path, min(len(values), sizes[what])),
            None,
            f"expected {sizes[what]} lines, one for each {what}, got {len(values)}",
        )
    return _whole(values) if whole else values


def _whole(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same values as integers, if all are integral."""
    exact = np.abs(values) <= 2.0**53  # False for NaN
    return values.astype(np.int64) if exact.all() and (values == np.floor(values)).all() else values


def _numbers(path: pathlib.Path, dtype: type, columns: int | None = None) -> npt.NDArray[Any]:
    """Numbers of a file, a row for each line that is not blank."""
    lines = [line for line in all_lines(path) if line.strip()]
    if not lines:
        return np.empty((0, columns or 1), dtype=dtype)
    values: npt.NDArray[Any] = np.empty((0, 0), dtype=dtype)
    if all(line.isascii() for line in lines):  # other characters can end the process in NumPy
        with suppress(ValueError):
            values = np.loadtxt(lines, dtype=dtype, delimiter=",", comments=None, ndmin=2)
    if not len(values) or (columns is not None and values.shape[1] != columns):
        raise _line_error(path, dtype, columns)
    return values


def _line_error(path: pathlib.Path, dtype: type, columns: int | None) -> ValueError:
    """Error for the first line that cannot be read."""
    kind = "integer" if dtype is np.int64 else "number"
    for number, line in enumerate(all_lines(path), start=1):
        entries = line.split(",") if line.strip() else []
        columns = len(entries) if columns is None and entries else columns
        try:
            np.array([int(entry) if dtype is np.int64 else float(entry) for entry in entries], dtype=dtype)
            readable = len(entries) in (0, columns) and line.isascii()
        except (ValueError, OverflowError):
            readable = False
        if not readable:
            plural = "" if columns == 1 else "s between commas"
            return file_error(path, number, None, f"expected {columns} {kind}{plural}, got {line[:40]!r}")
    return file_error(path, 1, None, f"expected {kind}s between commas")


def _line(path: pathlib.Path, row: int) -> int:
    """Line number of a row."""
    numbers = [number for number, line in enumerate(all_lines(path), start=1) if line.strip()]
    return numbers[row] if row < len(numbers) else (numbers[-1] if numbers else 0) + 1
