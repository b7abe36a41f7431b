"""Graphs of networkx, igraph, PyTorch-Geometric and GraKeL, told by what they can do; none of these is imported."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mercer._validation import describe
from mercer.data.graphs.unpacked import UnpackedGraph, numbers_of

__all__ = ["Names", "is_object", "read_object"]

Columns: TypeAlias = Callable[[str], Any]  # values of an attribute by its name, None where there is none

_LABEL, _WEIGHT = "label", "weight"  # read if they are there; other names have to be


@dataclass(frozen=True)
class Names:
    """Names of the attributes that labels, weights and vectors are read from."""

    node_label: str | None = _LABEL
    edge_label: str | None = _LABEL
    weight: str | None = _WEIGHT
    node_attributes: tuple[str, ...] = ()
    edge_attributes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, who: str, node_label: Any, edge_label: Any, weight: Any, node_attributes: Any, edge_attributes: Any
    ) -> "Names":
        """Check what a user gave."""
        single = {"node_label": node_label, "edge_label": edge_label, "weight": weight}
        for name, value in single.items():
            if value is not None and not isinstance(value, str):
                raise TypeError(
                    f"{who}: parameter {name} must be the name of an attribute or None, got {describe(value)}."
                )
        several: dict[str, Any] = {}
        for name, value in {"node_attributes": node_attributes, "edge_attributes": edge_attributes}.items():
            values = () if value is None else (value,) if isinstance(value, str) else value
            if not isinstance(values, Sequence) or not all(isinstance(entry, str) for entry in values):
                raise TypeError(
                    f"{who}: parameter {name} must be a name, a list of names or None, got {describe(value)}."
                )
            several[name] = tuple(values)
        return cls(**single, **several)

    def node_data(self, source: UnpackedGraph, columns: Columns) -> UnpackedGraph:
        """The graph with labels and vectors of its nodes."""
        labels = _labels("node", source.n_nodes, self.node_label, columns)
        return replace(source, node_labels=labels, node_attributes=_vectors("node", self.node_attributes, columns))

    def edge_data(self, source: UnpackedGraph, columns: Columns) -> UnpackedGraph:
        """The graph with labels, weights and vectors of its edges."""
        m = len(source.pairs)
        return replace(
            source,
            edge_labels=_labels("edge", m, self.edge_label, columns),
            weights=_weights(m, self.weight, columns),
            edge_attributes=_vectors("edge", self.edge_attributes, columns),
        )


def _labels(what: str, n: int, name: str | None, columns: Columns) -> Any:
    values = None if name is None or not n else columns(name)
    if name is None or values is None or isinstance(values, np.ndarray):
        if values is None and name not in (None, _LABEL) and n:
            raise ValueError(f"has no {what} attribute {name!r}")
        return values
    missing = [i for i, value in enumerate(values) if value is None]
    if missing and (len(missing) < n or name != _LABEL):
        raise ValueError(f"has no {name!r} at its {what} {missing[0]} (from 0); label all {what}s or none")
    return None if missing else values


def _weights(m: int, name: str | None, columns: Columns) -> Any:
    values = None if name is None or not m else columns(name)
    if values is None or isinstance(values, np.ndarray):
        return values
    missing = [i for i, value in enumerate(values) if value is None]
    if missing and name != _WEIGHT:
        raise ValueError(f"has no {name!r} at its edge {missing[0]} (from 0), expected a weight at every edge")
    return None if len(missing) == m else [1.0 if value is None else value for value in values]


def _vectors(what: str, names: tuple[str, ...], columns: Columns) -> Any:
    blocks = []
    for name in names:
        values = columns(name)
        if values is None or any(value is None for value in values):
            raise ValueError(f"has not the {what} attribute {name!r} at every {what}")
        block = numbers_of(f"{what} attributes {name!r}", values)
        blocks.append(block.reshape(len(block), -1 if block.size else 1))
    return np.concatenate(blocks, axis=1) if blocks else None


def is_object(graph: Any) -> bool:
    """Whether a value is a graph of a package that is known."""
    return _reader(graph) is not None


def read_object(graph: Any, names: Names) -> UnpackedGraph | tuple[Any, ...] | None:
    """A graph of another package, of GraKeL as a triple; None if it is of none that is known."""
    reader = _reader(graph)
    return None if reader is None else reader(graph, names)


def _reader(graph: Any) -> Callable[[Any, Names], UnpackedGraph | tuple[Any, ...]] | None:
    if all(callable(getattr(graph, name, None)) for name in ("nodes", "edges", "is_directed")):
        return _networkx
    if all(callable(getattr(graph, name, None)) for name in ("vcount", "get_edgelist", "is_directed")):
        return _igraph
    if hasattr(graph, "edge_dictionary") and hasattr(graph, "adjacency_matrix"):
        return _grakel
    return _geometric if getattr(graph, "edge_index", None) is not None else None


def _grakel(graph: Any, _: Names) -> tuple[Any, ...]:
    if graph.edge_dictionary is not None:
        return graph.edge_dictionary, graph.node_labels, graph.edge_labels
    return graph.adjacency_matrix, graph.index_node_labels, graph.index_edge_labels


def _networkx(graph: Any, names: Names) -> UnpackedGraph:
    nodes, edges = dict(graph.nodes(data=True)), list(graph.edges(data=True))
    order = {node: i for i, node in enumerate(nodes)}
    pairs = np.array([(order[u], order[v]) for u, v, _ in edges], dtype=np.int64).reshape(-1, 2)
    records, data = list(nodes.values()), [entry for _, _, entry in edges]
    source = _with_direction(len(nodes), pairs, graph.is_directed())
    source = names.node_data(source, lambda name: [record.get(name) for record in records])
    return names.edge_data(source, lambda name: [entry.get(name) for entry in data])


def _igraph(graph: Any, names: Names) -> UnpackedGraph:
    pairs = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    source = _with_direction(graph.vcount(), pairs, graph.is_directed())
    source = names.node_data(source, lambda name: graph.vs[name] if name in graph.vs.attributes() else None)
    return names.edge_data(source, lambda name: graph.es[name] if name in graph.es.attributes() else None)


def _with_direction(n_nodes: int, pairs: npt.NDArray[np.int64], directed: bool) -> UnpackedGraph:
    # Each edge of an undirected graph comes once; in one order of its nodes, parallel edges are seen as such.
    return UnpackedGraph(n_nodes, pairs if directed else np.sort(pairs, axis=1), bool(directed))


def _geometric(data: Any, names: Names) -> UnpackedGraph:
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
        weight="edge_weight" if names.weight == _WEIGHT else names.weight,
        node_attributes=rest("x", names.node_label, names.node_attributes),
        edge_attributes=rest("edge_attr", names.edge_label, names.edge_attributes),
    )
    source = UnpackedGraph(int(n_nodes), pairs.T.astype(np.int64))
    return names.edge_data(names.node_data(source, columns), columns)


def _array(tensor: Any) -> npt.NDArray[Any]:
    for method in ("detach", "cpu"):
        tensor = getattr(tensor, method)() if hasattr(tensor, method) else tensor
    if hasattr(tensor, "numpy"):
        return np.asarray(tensor.numpy())
    return np.asarray(tensor if hasattr(tensor, "__array__") or not hasattr(tensor, "tolist") else tensor.tolist())
