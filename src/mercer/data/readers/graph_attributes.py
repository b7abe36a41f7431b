"""Names of the attributes that hold labels, weights and vectors of nodes and edges."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from mercer._validation import describe
from mercer.data.graphs.unpacked import UnpackedGraph, numbers_of

__all__ = ["WEIGHT", "AttributeNames"]

Columns: TypeAlias = Callable[[str], Any]  # values of an attribute by its name, None if absent

_LABEL, WEIGHT = "label", "weight"  # optional attributes; other names must be present


@dataclass(frozen=True)
class AttributeNames:
    """Names of the attributes that labels, weights and vectors are read from."""

    node_label: str | None = _LABEL
    edge_label: str | None = _LABEL
    weight: str | None = WEIGHT
    node_attributes: tuple[str, ...] = ()
    edge_attributes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, who: str, node_label: Any, edge_label: Any, weight: Any, node_attributes: Any, edge_attributes: Any
    ) -> "AttributeNames":
        """Validate names given by the user; TypeError if one is not a str."""
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

    def node_data(self, graph: UnpackedGraph, columns: Columns) -> UnpackedGraph:
        """Return the graph with node labels and node attributes."""
        labels = _labels("node", graph.n_nodes, self.node_label, columns)
        return replace(graph, node_labels=labels, node_attributes=_vectors("node", self.node_attributes, columns))

    def edge_data(self, graph: UnpackedGraph, columns: Columns) -> UnpackedGraph:
        """Return the graph with edge labels, weights and edge attributes."""
        m = len(graph.pairs)
        return replace(
            graph,
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
    if missing and name != WEIGHT:
        raise ValueError(f"has no {name!r} at its edge {missing[0]} (from 0), expected a weight at every edge")
    return None if len(missing) == m else [1.0 if value is None else value for value in values]


def _vectors(what: str, names: tuple[str, ...], columns: Columns) -> Any:
    blocks = []
    for name in names:
        values = columns(name)
        if values is None or any(value is None for value in values):
            raise ValueError(f"does not have the {what} attribute {name!r} at every {what}")
        block = numbers_of(f"{what} attributes {name!r}", values)
        blocks.append(block.reshape(len(block), -1 if block.size else 1))
    return np.concatenate(blocks, axis=1) if blocks else None
