"""Flat arrays of `mercer.data.Graphs` from unpacked graphs."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from mercer._typing import DoubleArray, IndexArray
from mercer._validation import describe
from mercer.data.graphs.edges import Edges, Places
from mercer.data.graphs.unpacked import UnpackedGraph
from mercer.data.hashing.labels import hash_labels
from mercer.data.packed import offsets_of

__all__ = ["assemble", "build", "direction"]


def assemble(who: str, graphs: Sequence[UnpackedGraph], directed: bool | None) -> dict[str, Any]:
    """Fields of `Graphs` that hold all unpacked graphs, in order."""
    n_nodes, n_pairs = [graph.n_nodes for graph in graphs], [len(graph.pairs) for graph in graphs]
    offsets = offsets_of(n_nodes, len(graphs))
    pairs = np.concatenate([np.empty((0, 2), dtype=np.int64), *(graph.pairs for graph in graphs)])
    pairs += np.repeat(offsets[:-1], n_pairs)[:, None]
    weighted = np.array([graph.weights is not None for graph in graphs], dtype=bool)
    if weighted.any():  # without weights, repeated edges count once
        parts = [np.ones(len(graph.pairs)) if graph.weights is None else graph.weights for graph in graphs]
    return build(
        who,
        offsets,
        pairs,
        directed=_common_direction(who, graphs, directed),
        incomplete=np.array([graph.directed is False for graph in graphs], dtype=bool),
        weighted=weighted,
        weights=np.concatenate(parts) if weighted.any() else None,
        node_labels=_joined(who, "node labels", [graph.node_labels for graph in graphs], n_nodes),
        edge_labels=_joined(who, "edge labels", [graph.edge_labels for graph in graphs], n_pairs),
        node_attributes=_stacked(who, "node attributes", [graph.node_attributes for graph in graphs], n_nodes),
        edge_attributes=_stacked(who, "edge attributes", [graph.edge_attributes for graph in graphs], n_pairs),
    )


def direction(who: str, directed: Any) -> bool | None:
    """Check the parameter `directed`."""
    if directed is not None and not isinstance(directed, (bool, np.bool_)):
        raise TypeError(f"{who}: parameter directed must be True, False or None, got {describe(directed)}.")
    return None if directed is None else bool(directed)


def _common_direction(who: str, graphs: Sequence[UnpackedGraph], directed: bool | None) -> bool | None:
    if directed is not None or not graphs:
        return bool(directed)
    kinds = [graph.directed for graph in graphs]
    if True in kinds and False in kinds:
        raise ValueError(
            f"{who}: graph {kinds.index(True)} is directed and graph {kinds.index(False)} is not; pass directed=True "
            "to convert every undirected edge to two arcs, or pack them separately."
        )
    return next((kind for kind in kinds if kind is not None), None)


def _joined(who: str, what: str, parts: list[Any], sizes: list[int]) -> Any:
    parts = _all_or_none(who, what, parts, sizes)
    arrays = [part for part in parts if isinstance(part, np.ndarray)]
    if not parts or (len(arrays) == len(parts) and len({(part.dtype, part.shape[1:]) for part in parts}) == 1):
        return np.concatenate(parts) if parts else None
    return list(chain.from_iterable(_listed(part) for part in parts))


def _listed(labels: Any) -> list[Any]:
    if not isinstance(labels, np.ndarray):
        return list(labels)
    if labels.ndim == 1 or labels.shape[1] == 1:
        return list(labels.ravel().tolist())
    return list(map(tuple, labels.tolist()))


def _stacked(who: str, what: str, parts: list[Any], sizes: list[int]) -> DoubleArray | None:
    parts = _all_or_none(who, what, parts, sizes)
    if len({part.shape[1] for part in parts}) > 1:
        graphs = [i for i, size in enumerate(sizes) if size]
        odd = next(i for i, part in enumerate(parts) if part.shape[1] != parts[0].shape[1])
        raise ValueError(
            f"{who}: graph {graphs[odd]} has {parts[odd].shape[1]} columns of {what}, but graph {graphs[0]} has "
            f"{parts[0].shape[1]}; all graphs need the same number."
        )
    return np.concatenate(parts) if parts else None


def _all_or_none(who: str, what: str, parts: list[Any], sizes: list[int]) -> list[Any]:
    """Parts of the graphs that have nodes or edges; empty if no graph has labels or attributes."""
    with_: list[int] = []
    without: list[int] = []
    for i, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        if size:
            (without if part is None else with_).append(i)
    if with_ and without:
        raise ValueError(
            f"{who}: graph {without[0]} has no {what}, but graph {with_[0]} has; pass them for all graphs or none."
        )
    return [parts[i] for i in with_]


def build(
    who: str,
    offsets: IndexArray,
    pairs: IndexArray,
    *,
    directed: bool | None,
    incomplete: npt.NDArray[np.bool_],
    weighted: npt.NDArray[np.bool_] | None = None,
    weights: DoubleArray | None = None,
    node_labels: Any = None,
    edge_labels: Any = None,
    node_attributes: DoubleArray | None = None,
    edge_attributes: DoubleArray | None = None,
) -> dict[str, Any]:
    """Fields of `Graphs` from flat arrays; `pairs` holds valid node numbers over all graphs.

    `incomplete` marks the graphs whose edges may be given in one direction, `weighted` those whose weights were given;
    with ``directed=None`` the graphs are directed if any is not symmetric.
    """
    lengths = np.diff(offsets)
    if lengths.max(initial=0) > np.iinfo(np.int32).max:
        raise ValueError(f"{who}: graph {np.argmax(lengths)} has {lengths.max()} nodes, expected less than 2^31.")
    places = Places(who, offsets)
    edges = Edges(places, pairs[:, 0], pairs[:, 1], weights=weights, attributes=edge_attributes)
    _require_finite(who, "attributes", node_attributes, places.node)
    _require_finite(who, "attributes", edge_attributes, edges.where)
    _require_finite(who, "weight", weights, edges.where)
    nodes, node_values = (None, {}) if node_labels is None else hash_labels(who, node_labels, places.node)
    if edge_labels is not None:
        labels, values = hash_labels(who, edge_labels, edges.where)
        edges = replace(edges, labels=labels, values=values)
    edges, directed = _directed(edges, directed, incomplete, weighted)
    counts = np.bincount(edges.tails, minlength=int(offsets[-1]))
    weights = edges.weights
    return {
        "offsets": offsets,
        "indptr": offsets_of(counts, len(counts)),
        "neighbors": (edges.heads - np.repeat(offsets[:-1], lengths)[edges.tails]).astype(np.int32),
        "directed": directed,
        "node_labels": nodes,
        "edge_labels": edges.labels,
        "weights": None if weights is None or (weights == 1.0).all() else weights,
        "node_attributes": node_attributes,
        "edge_attributes": edges.attributes,
        "node_values": node_values,
        "edge_values": edges.values,
    }


def _directed(
    edges: Edges, directed: bool | None, incomplete: npt.NDArray[np.bool_], weighted: npt.NDArray[np.bool_] | None
) -> tuple[Edges, bool]:
    """Sorted arcs, and whether the graphs are directed."""
    if not (edges.is_bare and incomplete.any()):  # completion sorts bare edges anyway
        edges = edges.merged()
    if edges.weights is not None and weighted is not None and not weighted.all():
        of_node = np.repeat(weighted, np.diff(edges.places.offsets))
        edges = replace(edges, weights=np.where(of_node[edges.tails], edges.weights, 1.0))
    if incomplete.any():
        edges = edges.completed(incomplete)
    if directed is None:
        directed = not edges.is_symmetric
    elif not directed and not incomplete.all():
        edges.require_symmetric()
    return edges, directed


def _require_finite(who: str, what: str, values: DoubleArray | None, place: Callable[[int], str]) -> None:
    if values is not None and not np.isfinite(values).all():
        bad = ~np.isfinite(values.reshape(len(values), -1))
        at, column = (int(i) for i in np.argwhere(bad)[0])
        number = values.reshape(len(values), -1)[at, column]
        raise ValueError(
            f"{who}: {place(at)} has {what} {number}, expected finite numbers; fill it in or drop the graph."
        )
