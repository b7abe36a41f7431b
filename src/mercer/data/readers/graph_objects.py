"""Graph objects of networkx, igraph, PyTorch-Geometric and GraKeL.

They are recognised by their methods and attributes; none of these libraries is imported.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mercer._validation import describe
from mercer.data.graphs.unpacked import UnpackedGraph
from mercer.data.readers.graph_attributes import WEIGHT, AttributeNames

__all__ = ["is_object", "read_object"]


def is_object(graph: Any) -> bool:
    """Whether a value is a graph object of one of these libraries."""
    return _reader(graph) is not None


def read_object(graph: Any, names: AttributeNames) -> UnpackedGraph | tuple[Any, ...] | None:
    """Read a graph object, one of GraKeL as a triple; return None for any other object."""
    reader = _reader(graph)
    return None if reader is None else reader(graph, names)


def _reader(graph: Any) -> Callable[[Any, AttributeNames], UnpackedGraph | tuple[Any, ...]] | None:
    if all(callable(getattr(graph, name, None)) for name in ("nodes", "edges", "is_directed")):
        return _networkx
    if all(callable(getattr(graph, name, None)) for name in ("vcount", "get_edgelist", "is_directed")):
        return _igraph
    if hasattr(graph, "edge_dictionary") and hasattr(graph, "adjacency_matrix"):
        return _grakel
    return _geometric if getattr(graph, "edge_index", None) is not None else None


def _grakel(graph: Any, _: AttributeNames) -> tuple[Any, ...]:
    if graph.edge_dictionary is not None:
        return graph.edge_dictionary, graph.node_labels, graph.edge_labels
    return graph.adjacency_matrix, graph.index_node_labels, graph.index_edge_labels


def _networkx(graph: Any, names: AttributeNames) -> UnpackedGraph:
    nodes, edges = dict(graph.nodes(data=True)), list(graph.edges(data=True))
    order = {node: i for i, node in enumerate(nodes)}
    pairs = np.array([(order[u], order[v]) for u, v, _ in edges], dtype=np.int64).reshape(-1, 2)
    records, data = list(nodes.values()), [entry for _, _, entry in edges]
    unpacked = _with_direction(len(nodes), pairs, graph.is_directed())
    unpacked = names.node_data(unpacked, lambda name: [record.get(name) for record in records])
    return names.edge_data(unpacked, lambda name: [entry.get(name) for entry in data])


def _igraph(graph: Any, names: AttributeNames) -> UnpackedGraph:
    pairs = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    unpacked = _with_direction(graph.vcount(), pairs, graph.is_directed())
    unpacked = names.node_data(unpacked, lambda name: graph.vs[name] if name in graph.vs.attributes() else None)
    return names.edge_data(unpacked, lambda name: graph.es[name] if name in graph.es.attributes() else None)


def _with_direction(n_nodes: int, pairs: npt.NDArray[np.int64], directed: bool) -> UnpackedGraph:
    # Undirected edges are listed once; sorting their nodes makes parallel edges equal.
    return UnpackedGraph(n_nodes, pairs if directed else np.sort(pairs, axis=1), bool(directed))


def _geometric(data: Any, names: AttributeNames) -> UnpackedGraph:
    """Arcs as given, so symmetry decides the direction; ``x`` and ``edge_attr`` are attributes unless labels."""
    pairs = _array(data.edge_index)
    if pairs.ndim != 2 or len(pairs) != 2 or (pairs.size and pairs.dtype.kind not in "iu"):
        raise ValueError(f"has edge_index {describe(pairs)}, expected integers of shape (2, m)")

    def columns(name: str) -> Any:
        value = getattr(data, name, None)
        return None if value is None else _array(value)

    def rest(name: str, label: str | None, given: tuple[str, ...]) -> tuple[str, ...]:
        return given or ((name,) if label != name and columns(name) is not None else ())

    n_nodes = getattr(data, "num_nodes", None)
    if n_nodes is None:
        n_nodes = len(columns("x")) if columns("x") is not None else int(pairs.max(initial=-1)) + 1
    names = replace(
        names,
        weight="edge_weight" if names.weight == WEIGHT else names.weight,
        node_attributes=rest("x", names.node_label, names.node_attributes),
        edge_attributes=rest("edge_attr", names.edge_label, names.edge_attributes),
    )
    unpacked = UnpackedGraph(int(n_nodes), pairs.T.astype(np.int64))
    return names.edge_data(names.node_data(unpacked, columns), columns)


def _array(tensor: Any) -> npt.NDArray[Any]:
    for method in ("detach", "cpu"):
        tensor = getattr(tensor, method)() if hasattr(tensor, method) else tensor
    if hasattr(tensor, "numpy"):
        return np.asarray(tensor.numpy())
    return np.asarray(tensor if hasattr(tensor, "__array__") or not hasattr(tensor, "tolist") else tensor.tolist())
