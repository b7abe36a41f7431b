"""Validation of graphs: required labels, attributes and weights."""

import numpy as np

from mercer.data import Graphs

__all__ = ["require_attributes", "require_labels", "require_lengths"]


def _first(graphs: Graphs) -> int | None:
    """Number of the first graph that has nodes; None if there is none."""
    some = np.flatnonzero(graphs.lengths)
    return int(some[0]) if len(some) else None


def require_labels(graphs: Graphs, who: str, instead: str) -> None:
    """Raise ValueError if there are nodes without labels."""
    first = _first(graphs)
    if graphs.node_labels is None and first is not None:
        raise ValueError(
            f"{who}: graph {first} has no node labels; pass them to Graphs (node_label, node_labels), "
            f"or ignore labels with {instead}."
        )


def require_attributes(graphs: Graphs, who: str) -> None:
    """Raise ValueError if there are nodes without attributes."""
    first = _first(graphs)
    if graphs.node_attributes is None and first is not None:
        raise ValueError(
            f"{who}: graph {first} has no node attributes, which this kernel compares; pass them to Graphs "
            "(node_attributes), or use a kernel that compares labels, such as ShortestPath."
        )


def require_lengths(graphs: Graphs, who: str) -> None:
    """Raise ValueError if an edge has a negative weight."""
    if graphs.weights is None:
        return
    negative = np.flatnonzero(graphs.weights < 0)
    if len(negative):
        arc = int(negative[0])
        node = int(np.searchsorted(graphs.indptr, arc, side="right")) - 1
        graph = int(np.searchsorted(graphs.offsets, node, side="right")) - 1
        raise ValueError(
            f"{who}: graph {graph} has an edge of weight {graphs.weights[arc]:g}, expected weights >= 0; "
            "change or drop such edges, or ignore weights with weighted=False."
        )
