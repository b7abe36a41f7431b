"""Graphs in every notation: which one it is, and edge lists."""

import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mercer._typing import IndexArray
from mercer._validation import describe
from mercer.data.graphs.graph import Graph
from mercer.data.graphs.unpacked import UnpackedGraph
from mercer.data.hashing.categories import is_missing
from mercer.data.packed import record_error
from mercer.data.readers.adjacency import read_adjacency
from mercer.data.readers.grakel_triples import read_triple
from mercer.data.readers.graph_objects import Names, is_object, read_object

__all__ = ["is_graph", "read_graph", "read_matrices"]

_EXPECTED = (
    "expected a networkx, igraph, PyTorch-Geometric or GraKeL graph, a square adjacency matrix, a list of edges, "
    "a pair (n_nodes, edges) or a triple (edges, node labels, edge labels)"
)


def is_graph(value: Any) -> bool:
    """Whether a value is one graph, where a list of them was expected."""
    return sp.issparse(value) or isinstance(value, Graph) or is_object(value)


def read_graph(who: str, i: int, graph: Any, names: Names, directed: bool | None) -> UnpackedGraph:
    """One graph in any notation; a ValueError or TypeError names it by its number."""
    if is_missing(graph):
        raise record_error(who, i, graph, "a graph")
    with _named(who, i):
        return _read(graph, names, directed).checked()


@contextmanager
def _named(who: str, i: int) -> Iterator[None]:
    """Errors inside say what is wrong with a graph; outside also with which."""
    try:
        yield
    except (ValueError, TypeError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{who}: graph {i} {error}.") from None


def _read(graph: Any, names: Names, directed: bool | None) -> UnpackedGraph:
    if isinstance(graph, Graph):
        return _again(graph)
    if sp.issparse(graph) or isinstance(graph, np.ndarray):
        return read_adjacency(graph)
    if isinstance(graph, (list, tuple)):
        if len(graph) == 2 and _is_integer(graph[0]) and not _is_integer(graph[1]):
            return _pairs(graph[1], names, directed, n_nodes=int(graph[0]))
        if 1 <= len(graph) <= 3 and _has_edges(graph[0]):
            return read_triple(*graph)
        return _pairs(graph, names, directed)
    if isinstance(graph, (Mapping, Set)):
        return read_triple(graph)
    source = read_object(graph, names)
    if isinstance(source, tuple):
        return read_triple(*source)
    if source is None:
        raise TypeError(f"is {describe(graph)}, {_EXPECTED}")
    return source


def _again(graph: Graph) -> UnpackedGraph:
    return UnpackedGraph(
        graph.n_nodes,
        np.array(graph.edges(), dtype=np.int64).reshape(-1, 2),
        graph.directed,
        graph.node_labels,
        graph.edge_labels,
        graph.weights,
        graph.node_attributes,
        graph.edge_attributes,
    )


def _is_integer(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))


def _has_edges(value: Any) -> bool:
    """Whether the first entry of a sequence is a whole structure, as in a triple, and not an edge."""
    if isinstance(value, np.ndarray):
        return value.ndim == 2
    if isinstance(value, (list, tuple)):
        return not value or isinstance(value[0], (list, tuple))
    return sp.issparse(value) or isinstance(value, (Mapping, Set))


def read_matrices(who: str, matrices: Any, node_labels: Any, node_attributes: Any) -> list[UnpackedGraph]:
    """A graph for each matrix, with labels and attributes of its nodes."""
    if sp.issparse(matrices) or (isinstance(matrices, np.ndarray) and matrices.ndim == 2):
        raise TypeError(f"{who}: expected a list of matrices, got {describe(matrices)}; put a single one in a list.")
    matrices = list(matrices)
    columns = {}
    for name, values in (("node_labels", node_labels), ("node_attributes", node_attributes)):
        columns[name] = [None] * len(matrices) if values is None else list(values)
        if len(columns[name]) != len(matrices):
            raise ValueError(
                f"{who}: parameter {name} must have an entry for each graph, {len(matrices)} in all, "
                f"got {len(columns[name])}."
            )
    sources = []
    for i, (adjacency, labels, attributes) in enumerate(zip(matrices, *columns.values(), strict=True)):
        with _named(who, i):
            source = replace(read_adjacency(adjacency), node_labels=labels, node_attributes=attributes)
            sources.append(source.checked())
    return sources


# ---- edge lists


def _pairs(edges: Any, names: Names, directed: bool | None, n_nodes: int | None = None) -> UnpackedGraph:
    """Edges between numbered nodes: pairs, or triples whose third entry is a weight or a dict."""
    if not isinstance(edges, np.ndarray):
        if not isinstance(edges, Iterable) or isinstance(edges, (str, bytes, Mapping)):
            raise TypeError(f"has the edges {describe(edges)}, expected a list of pairs or an array of shape (m, 2)")
        edges = list(edges)
        if n_nodes is None and _is_square(edges):
            raise ValueError(
                f"is a list of {len(edges)} lists of {len(edges)} numbers, which may be edges or an adjacency matrix; "
                "write edges as tuples, or the matrix as an array"
            )
    pairs, third = _split(edges)
    if n_nodes is None:
        n_nodes = int(pairs.max(initial=-1)) + 1
    source = UnpackedGraph(n_nodes, pairs, bool(directed))
    if not third:
        return source
    if all(isinstance(entry, numbers.Real) for entry in third):
        return UnpackedGraph(n_nodes, pairs, bool(directed), weights=third)
    if all(isinstance(entry, Mapping) for entry in third):
        return names.edge_data(source, lambda name: [entry.get(name) for entry in third])
    raise TypeError("has edges whose third entry is neither a weight nor a dict, or not always the same")


def _is_square(edges: list[Any]) -> bool:
    return len(edges) > 0 and all(isinstance(edge, list) and len(edge) == len(edges) for edge in edges)


def _split(edges: Any) -> tuple[IndexArray, list[Any]]:
    """Pairs of node numbers, and the third entries of triples."""
    third: list[Any] = []
    if not isinstance(edges, np.ndarray):
        sizes = {len(edge) if isinstance(edge, (Sequence, np.ndarray)) else 0 for edge in edges}
        if len(sizes) > 1 or not sizes <= {2, 3}:
            odd = next(edge for edge in edges if not isinstance(edge, (Sequence, np.ndarray)) or len(edge) != 2)
            raise TypeError(f"has the edge {describe(odd)}, expected pairs of nodes, or triples throughout")
        if sizes == {3}:
            third = [edge[2] for edge in edges]
            edges = [tuple(edge[:2]) for edge in edges]
    try:
        pairs: npt.NDArray[Any] = np.asarray(edges)
    except ValueError:  # nodes that are themselves sequences
        raise TypeError("has nodes that are no numbers in its edges, expected pairs of integers") from None
    if not pairs.size:
        return np.empty((0, 2), dtype=np.int64), third
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise TypeError(
            f"has edges of shape {pairs.shape} and dtype {pairs.dtype}, expected pairs of integers, numbers of nodes"
        )
    return pairs.astype(np.int64), third
