"""Identical samples: equal rows, strings and trees, and graphs that colour refinement cannot distinguish."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, IndexArray
from mercer.auto.columns import RawColumn, raw_columns
from mercer.auto.kinds import infer_kind
from mercer.auto.shapes import as_samples
from mercer.data import Graphs, Strings, Trees
from mercer.data.hashing.texts import HashArray

__all__ = ["graph_hashes", "graph_ids", "hash_rows", "identical", "mixed", "segment_sums"]

ROUNDS = 4  # of colour refinement


def identical(X: Data, kinds: Mapping[str, Any] | None = None) -> tuple[str, IndexArray, dict[str, list[str]]]:
    """Numbers that are equal for identical samples.

    Parameters
    ----------
    X : frame, dict of columns, Table, array, list of rows, sparse matrix, Graphs, Strings or Trees
        Samples.
    kinds : dict of str to str, default=None
        Kinds of some columns. Columns that are dropped, such as identifiers, are not compared.

    Returns
    -------
    what : {"rows", "strings", "trees", "graphs"}
        What was compared.
    ids : ndarray of int64 of shape (n_samples,)
        Numbers from 0.
    sequences : dict of str to list of str
        Columns of sequences by name; strings that are sequences have the name "".

    Examples
    --------
    >>> identical({"id": [1, 2, 3], "x": [0.5, 0.5, 2.0], "y": ["a", "a", "b"]})
    ('rows', array([0, 0, 1]), {})
    """
    form, X = as_samples(X, named=False)
    if isinstance(X, Graphs):
        return "graphs", graph_ids(X), {}
    if isinstance(X, Strings):
        pieces = (X.codes[a:b].tobytes() for a, b in zip(X.offsets[:-1], X.offsets[1:], strict=True))
        return "strings", _numbered(pieces), {"": X.to_list()} if X.granularity == "character" else {}
    if isinstance(X, Trees):
        parts = zip(X.offsets[:-1], X.offsets[1:], strict=True)
        return "trees", _numbered((X.labels[a:b].tobytes(), X.sizes[a:b].tobytes()) for a, b in parts), {}
    if form == "sparse":
        return "rows", _sparse_ids(X), {}
    if form == "matrix":
        return "rows", _row_ids(np.asarray(X, dtype=np.float64)), {}
    return _table_ids(raw_columns("evaluate", X), dict(kinds or {}))


def _table_ids(columns: dict[str, RawColumn], kinds: dict[str, Any]) -> tuple[str, IndexArray, dict[str, list[str]]]:
    found, sequences = [], {}
    for name, column in columns.items():
        kind = kinds[name] if name in kinds else infer_kind(column).kind
        if kind == "drop":
            continue
        if kind == "sequence":
            sequences[name] = ["" if value is None else str(value).strip() for value in column.values]
        if isinstance(column.values, np.ndarray):
            found.append(np.unique(column.values, return_inverse=True)[1])
        else:
            found.append(_numbered(column.values))
    if not found:
        return "rows", np.arange(len(next(iter(columns.values())).values)), {}
    return "rows", _row_ids(np.column_stack(found)), sequences


def _row_ids(X: Any) -> IndexArray:
    rows = np.ascontiguousarray(X + 0.0 if X.dtype.kind == "f" else X)  # -0.0 becomes 0.0
    return _numbered(row.tobytes() for row in rows)


def _sparse_ids(X: Any) -> IndexArray:
    rows = sp.csr_array(X).copy()
    rows.sum_duplicates()
    rows.eliminate_zeros()
    ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    return _numbered((rows.indices[a:b].tobytes(), rows.data[a:b].tobytes()) for a, b in ends)


def _numbered(values: Iterable[Any]) -> IndexArray:
    """Numbers of values in the order in which they first occur."""
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(value, len(seen)) for value in values], dtype=np.int64)


def graph_ids(graphs: Graphs) -> IndexArray:
    """Numbers that are equal for isomorphic graphs, by colour refinement in linear time.

    Labels, attributes and weights of nodes and edges are compared. Graphs that the refinement of Weisfeiler and Leman
    cannot distinguish have equal numbers, too: regular graphs of equal size and degree without labels, for instance.

    Examples
    --------
    >>> path, renamed, star = [(0, 1), (1, 2), (2, 3)], [(2, 0), (0, 3), (3, 1)], [(0, 1), (0, 2), (0, 3)]
    >>> graph_ids(Graphs([path, renamed, star]))
    array([0, 0, 1])
    """
    return _row_ids(graph_hashes(graphs)[:, None])


def graph_hashes(graphs: Graphs) -> HashArray:
    """Hashes of graphs that are equal for isomorphic graphs, the same in every process; see `graph_ids`."""
    n, arcs = len(graphs.neighbors), np.diff(graphs.indptr)
    graph_of_node = np.repeat(np.arange(len(graphs)), graphs.n_nodes)
    heads = graphs.neighbors + np.repeat(graphs.offsets[:-1][graph_of_node], arcs)
    nodes = len(graph_of_node)
    colours = np.ones(nodes, dtype=np.uint64) if graphs.node_labels is None else mixed(graphs.node_labels)
    edges = np.ones(n, dtype=np.uint64) if graphs.edge_labels is None else mixed(graphs.edge_labels)
    if graphs.weights is not None:
        edges = mixed(edges ^ np.ascontiguousarray(graphs.weights + 0.0).view(np.uint64))
    for values, which in ((graphs.node_attributes, "nodes"), (graphs.edge_attributes, "edges")):
        if values is None:
            continue
        codes = hash_rows((np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64))
        if which == "nodes":
            colours = mixed(colours + mixed(codes + np.uint64(7)))
        else:
            edges = mixed(edges + mixed(codes + np.uint64(11)))
    for _ in range(ROUNDS):
        colours = mixed(colours * np.uint64(3) + segment_sums(mixed(colours[heads] ^ edges), graphs.indptr))
    totals = segment_sums(mixed(colours), graphs.offsets)
    return hash_rows(np.column_stack([totals, graphs.n_nodes, graphs.n_edges]))


def hash_rows(X: Any) -> HashArray:
    """Hash of every row of a matrix of integers."""
    found = np.zeros(len(X), dtype=np.uint64)
    for j, column in enumerate(X.T):
        found = mixed(found ^ mixed(column.astype(np.uint64) + np.uint64(j)))
    return found


def segment_sums(values: HashArray, offsets: Any) -> HashArray:
    """Sums over consecutive parts, modulo 2⁶⁴."""
    total = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(values, dtype=np.uint64)])
    sums: HashArray = total[offsets[1:]] - total[offsets[:-1]]
    return sums


def mixed(values: Any) -> HashArray:
    """Spread the bits of 64-bit numbers (the finaliser of SplitMix64)."""
    x: HashArray = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
