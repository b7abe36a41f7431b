"""Graphs with named nodes in GraKeL's notation: edges as a dict, collection or matrix, and dicts of labels."""

from collections.abc import Mapping, Set
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import IndexArray
from mercer._validation import describe
from mercer.data.graphs.unpacked import UnpackedGraph
from mercer.data.readers.adjacency import read_adjacency

__all__ = ["read_triple"]


def read_triple(edges: Any, node_labels: Any = None, edge_labels: Any = None) -> UnpackedGraph:
    """Read edges as a matrix, dict or collection of pairs, and dicts of node and edge labels.

    Nodes without edges are those that only the labels name. Arcs are as given, so symmetry decides the direction.
    """
    node_labels = node_labels if node_labels is not None and len(node_labels) else None
    edge_labels = edge_labels if edge_labels is not None and len(edge_labels) else None
    if isinstance(edges, list) and edges and all(isinstance(row, list) for row in edges):
        edges = np.array(edges)
    if isinstance(edges, np.ndarray) or sp.issparse(edges):
        unpacked = read_adjacency(edges)
        order: dict[Any, int] = {node: node for node in range(unpacked.n_nodes)}
        pairs, weights = unpacked.pairs, unpacked.weights
    else:
        arcs = _arcs(edges)
        order = _numbered(edges, arcs, node_labels)
        pairs = np.array([(order[u], order[v]) for u, v, _ in arcs], dtype=np.int64).reshape(-1, 2)
        weighted = any(weight is not None for _, _, weight in arcs)
        weights = [1.0 if weight is None else weight for _, _, weight in arcs] if weighted else None
    if isinstance(node_labels, Mapping):
        node_labels = _by_node(order, node_labels)
    if edge_labels is not None:
        edge_labels = _by_edge(list(order), pairs, edge_labels)
    return UnpackedGraph(len(order), pairs, None, node_labels, edge_labels, weights)


def _arcs(edges: Any) -> list[tuple[Any, Any, Any]]:
    """Two nodes and a weight, or None, for each arc."""
    if isinstance(edges, Mapping):
        values = list(edges.values())
        if all(isinstance(value, Mapping) for value in values):
            return [(u, v, weight) for u, row in edges.items() for v, weight in row.items()]
        if all(isinstance(value, (list, tuple, Set)) for value in values):
            return [(u, v, None) for u, row in edges.items() for v in row]
        edges = [(*pair, weight) if isinstance(pair, tuple) else () for pair, weight in edges.items()]
    arcs = [(*edge, None) if len(edge) == 2 else tuple(edge) for edge in edges if isinstance(edge, (tuple, list))]
    if len(arcs) != len(edges) or any(len(arc) != 3 for arc in arcs):
        raise TypeError("has edges that are neither pairs nor triples of two nodes and a weight")
    return arcs


def _numbered(edges: Any, arcs: list[tuple[Any, Any, Any]], node_labels: Any) -> dict[Any, int]:
    """Number of each node: in the order of labels and dicts; nodes of sets are sorted."""
    if node_labels is not None and not isinstance(node_labels, Mapping):
        names = dict.fromkeys(range(len(node_labels)))
        for arc in arcs:
            if arc[0] not in names or arc[1] not in names:
                raise ValueError(
                    f"has the edge ({arc[0]!r}, {arc[1]!r}), but {len(names)} node labels in a list; "
                    "pass as many labels as nodes, or a dict of labels"
                )
        return {name: i for i, name in enumerate(names)}
    known = dict.fromkeys(node_labels or ())
    if isinstance(edges, Mapping) and all(isinstance(value, (Mapping, list, tuple, Set)) for value in edges.values()):
        known |= dict.fromkeys(edges)
    rest = dict.fromkeys(node for arc in arcs for node in arc[:2] if node not in known)
    if isinstance(edges, Set):
        try:
            rest = dict.fromkeys(sorted(rest))
        except TypeError:
            rest = dict.fromkeys(sorted(rest, key=repr))
    return {name: i for i, name in enumerate([*known, *rest])}


def _by_node(order: Mapping[Any, int], labels: Mapping[Any, Any]) -> list[Any]:
    for node in labels:
        if node not in order:
            raise ValueError(f"has a label for node {node!r}, which does not exist")
    for node in order:
        if node not in labels:
            raise ValueError(f"has no label for node {node!r}, but other nodes have labels; label all nodes or none")
    return [labels[node] for node in order]


def _by_edge(nodes: list[Any], pairs: IndexArray, labels: Any) -> list[Any]:
    if not isinstance(labels, Mapping):
        raise TypeError(f"has the edge labels {describe(labels)}, expected a dict by pairs of nodes")
    arcs = [(nodes[tail], nodes[head]) for tail, head in pairs.tolist()]
    known = {*arcs, *((head, tail) for tail, head in arcs)}
    for arc in labels:
        if arc not in known:
            raise ValueError(f"has a label for edge {arc!r}, which does not exist")
    for arc in arcs:
        if arc not in labels and arc[::-1] not in labels:
            raise ValueError(f"has no label for edge {arc!r}, but other edges have labels; label all edges or none")
    return [labels[arc] if arc in labels else labels[arc[::-1]] for arc in arcs]
