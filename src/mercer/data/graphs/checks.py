"""Validation of the flat arrays of many graphs."""

from typing import Any

import numpy as np
import numpy.typing as npt

from mercer._typing import IndexArray
from mercer._validation import check_array, check_flag, check_indices, check_offsets
from mercer.data.graphs.edges import Edges, Places
from mercer.data.hashing.checks import check_values

__all__ = ["check_graphs"]

LARGEST = 2**31  # upper limit of the number of nodes of a graph


def check_graphs(
    who: str,
    *,
    offsets: Any,
    indptr: Any,
    neighbors: Any,
    directed: Any,
    node_labels: Any,
    edge_labels: Any,
    weights: Any,
    node_attributes: Any,
    edge_attributes: Any,
    node_values: Any,
    edge_values: Any,
) -> dict[str, Any]:
    """Private copies of the fields of `Graphs`; ValueError if they do not describe graphs.

    O(nodes + arcs): rows are sorted, so that a counting sort finds the reverse of every arc of undirected graphs.
    """
    directed = check_flag(who, "directed", directed)
    indptr = check_offsets(who, "indptr", indptr, len(neighbors))
    offsets = check_offsets(who, "offsets", offsets, len(indptr) - 1)
    neighbors = check_indices(who, "neighbors", neighbors, LARGEST).astype(np.int32, copy=False)
    nodes, arcs = len(indptr) - 1, len(neighbors)
    _require_rows(who, offsets, indptr, neighbors)
    held = {
        name: None if values is None else check_array(who, name, values, dtype, shape)
        for name, values, dtype, shape in (
            ("node_labels", node_labels, np.uint64, (nodes,)),
            ("edge_labels", edge_labels, np.uint64, (arcs,)),
            ("weights", weights, np.float64, (arcs,)),
            ("node_attributes", node_attributes, np.float64, (nodes, None)),
            ("edge_attributes", edge_attributes, np.float64, (arcs, None)),
        )
    }
    for what, values in (("node", node_values), ("edge", edge_values)):
        labels = held[f"{what}_labels"]
        hashes = np.empty(0, dtype=np.uint64) if labels is None else labels
        held[f"{what}_values"] = check_values(who, f"{what}_values", values, hashes)
    if not directed:
        starts = np.repeat(offsets[:-1], np.diff(offsets))
        degrees = np.diff(indptr)
        Edges(
            Places(who, offsets),
            np.repeat(np.arange(nodes), degrees),
            neighbors + np.repeat(starts, degrees),
            labels=held["edge_labels"],
            weights=held["weights"],
            attributes=held["edge_attributes"],
        ).require_symmetric()
    return {"offsets": offsets, "indptr": indptr, "neighbors": neighbors, "directed": directed, **held}


def _require_rows(who: str, offsets: IndexArray, indptr: IndexArray, neighbors: npt.NDArray[np.int32]) -> None:
    """Raise unless the neighbours of every node ascend and belong to its graph."""
    if not len(neighbors):
        return
    rising = np.ones(len(neighbors), dtype=bool)  # whether the head of each arc exceeds the one before
    np.greater(neighbors[1:], neighbors[:-1], out=rising[1:])
    rising[indptr[:-1][np.diff(indptr) > 0]] = True
    bounds = indptr[offsets]
    filled = np.flatnonzero(np.diff(bounds))
    inside = np.maximum.reduceat(neighbors, bounds[filled]) < np.diff(offsets)[filled]
    if rising.all() and inside.all():
        return
    if inside.all():
        at, what = int(np.argmin(rising)), "ascend for every node, each once"
    else:
        graph = int(filled[np.argmin(inside)])
        size = int(offsets[graph + 1] - offsets[graph])
        at = int(bounds[graph]) + int(np.argmax(neighbors[bounds[graph] : bounds[graph + 1]] >= size))
        what = f"be nodes of their own graph, 0 to {size - 1}"
    node = int(np.searchsorted(indptr, at, side="right")) - 1
    raise ValueError(f"{who}: neighbors must {what}, got {neighbors[at]} for {Places(who, offsets).node(node)}.")
