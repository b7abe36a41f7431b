"""Graphs in any notation: recognised and passed to the reader of that notation."""

import numbers
from collections.abc import Mapping, Set
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._validation import describe
from mercer.data.graphs.graph import Graph
from mercer.data.graphs.unpacked import UnpackedGraph, numbered_errors
from mercer.data.hashing.categories import is_missing
from mercer.data.packed import record_error
from mercer.data.readers.adjacency import read_adjacency
from mercer.data.readers.edge_lists import read_edge_list
from mercer.data.readers.grakel_triples import read_triple
from mercer.data.readers.graph_attributes import AttributeNames
from mercer.data.readers.graph_objects import is_object, read_object
from mercer.data.readers.smiles import read_molecule

__all__ = ["is_graph", "read_graph"]

_EXPECTED = (
    "expected a networkx, igraph, PyTorch-Geometric or GraKeL graph, a square adjacency matrix, a list of edges, "
    "a pair (n_nodes, edges), a triple (edges, node labels, edge labels) or a SMILES"
)


def is_graph(value: Any) -> bool:
    """Whether a value is a single graph instead of a list of graphs."""
    return sp.issparse(value) or isinstance(value, Graph) or is_object(value)


def read_graph(who: str, i: int, graph: Any, names: AttributeNames, directed: bool | None) -> UnpackedGraph:
    """Read one graph in any notation; ValueError and TypeError name it by its number."""
    if is_missing(graph):
        raise record_error(who, i, graph, "a graph")
    with numbered_errors(who, i):
        return _read(graph, names, directed).checked()


def _read(graph: Any, names: AttributeNames, directed: bool | None) -> UnpackedGraph:
    if isinstance(graph, Graph):
        return _again(graph)
    if sp.issparse(graph) or isinstance(graph, np.ndarray):
        return read_adjacency(graph)
    if isinstance(graph, str):
        return read_molecule(graph)
    if isinstance(graph, (list, tuple)):
        if len(graph) == 2 and _is_integer(graph[0]) and not _is_integer(graph[1]):
            return read_edge_list(graph[1], names, directed, n_nodes=int(graph[0]))
        if 1 <= len(graph) <= 3 and _has_edges(graph[0]):
            return read_triple(*graph)
        return read_edge_list(graph, names, directed)
    if isinstance(graph, (Mapping, Set)):
        return read_triple(graph)
    unpacked = read_object(graph, names)
    if isinstance(unpacked, tuple):
        return read_triple(*unpacked)
    if unpacked is None:
        raise TypeError(f"is {describe(graph)}, {_EXPECTED}")
    return unpacked


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
