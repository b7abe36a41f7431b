"""Raw values of samples as table cells."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data
from mercer._validation import as_csr
from mercer.auto.columns import RawColumn, raw_columns
from mercer.data import Graph, Graphs, Strings, Trees
from mercer.report.blocks import Cell, cell
from mercer.report.text import cut, day, listed, number, plain

__all__ = ["raw_values"]

COLUMNS = 16  # largest number of columns that are shown
CODE = ("sequence", "molecule", "tree")  # kinds set in a monospaced font
ENTRIES = 6  # largest number of entries of a sparse row, and of labels of a graph


def raw_values(X: Data, kinds: Mapping[str, str], *, images: bool = False) -> tuple[list[str], list[list[Cell]], int]:
    """Names of columns, cells of each sample, and the number of columns not shown; no columns for images.

    Columns of the kinds sequence, molecule and tree are set as code.

    >>> names, rows, left = raw_values({"age": [31.5, None], "city": ["Rome", "Oslo"]}, {})
    >>> names, [cell.text for cell in rows[1]], left
    (['age', 'city'], ['–', 'Oslo'], 0)
    """
    if images:
        return [], [[] for _ in range(len(X))], 0
    if isinstance(X, Graphs):
        return ["nodes", "edges", "node labels"], [_graph(graph) for graph in X], 0
    if isinstance(X, (Strings, Trees)):
        return [type(X).__name__.lower()[:-1]], [[cell(_item(x), code=True)] for x in X], 0
    if sp.issparse(X):
        return ["entries"], [[cell(_entries(row))] for row in as_csr("render_report", X)], 0
    found = list(raw_columns("render_report", X).values())
    columns = [_cells(column, kinds.get(column.name) in CODE) for column in found[:COLUMNS]]
    rows = [list(row) for row in zip(*columns, strict=True)]
    return [column.name for column in found[:COLUMNS]], rows, max(0, len(found) - COLUMNS)


def _cells(column: RawColumn, code: bool) -> list[Cell]:
    dates = column.type == "date"
    return [cell(day(value) if dates and value == value else value, code=code) for value in column.values]


def _graph(graph: Graph) -> list[Cell]:
    labels = Counter(plain(label) for label in graph.node_labels or [])
    counts = [f"{cut(label, 12)} × {n}" for label, n in sorted(labels.items())]
    more = [f"{len(counts) - ENTRIES} more"] if len(counts) > ENTRIES else []
    return [cell(graph.n_nodes), cell(graph.n_edges), cell(listed(counts[:ENTRIES] + more) or "–")]


def _item(item: Any) -> str:
    return item if isinstance(item, str) else " ".join(map(str, item)) if isinstance(item, (list, tuple)) else str(item)


def _entries(row: Any) -> str:
    """Largest entries of a sparse row, with their positions."""
    largest = np.sort(np.argsort(-np.abs(row.data), kind="stable")[:ENTRIES])
    shown = [f"{int(row.indices[i])}: {number(float(row.data[i]), 3)}" for i in largest]
    return ", ".join(shown) + (f" and {number(row.nnz - ENTRIES)} more" if row.nnz > ENTRIES else "")
