"""Graphs as edge lists between numbered nodes."""

import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mercer._typing import IndexArray
from mercer._validation import describe
from mercer.data.graphs.unpacked import UnpackedGraph
from mercer.data.readers.graph_attributes import AttributeNames

__all__ = ["read_edge_list"]


def read_edge_list(
    edges: Any, names: AttributeNames, directed: bool | None, n_nodes: int | None = None
) -> UnpackedGraph:
    """Read pairs of node numbers, or triples whose third entry is a weight or a dict of attributes."""
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
    unpacked = UnpackedGraph(n_nodes, pairs, bool(directed))
    if not third:
        return unpacked
    if all(isinstance(entry, numbers.Real) for entry in third):
        return UnpackedGraph(n_nodes, pairs, bool(directed), weights=third)
    if all(isinstance(entry, Mapping) for entry in third):
        return names.edge_data(unpacked, lambda name: [entry.get(name) for entry in third])
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
        raise TypeError("has edges whose nodes are not numbers, expected pairs of integers") from None
    if not pairs.size:
        return np.empty((0, 2), dtype=np.int64), third
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise TypeError(
            f"has edges of shape {pairs.shape} and dtype {pairs.dtype}, expected pairs of integers, numbers of nodes"
        )
    return pairs.astype(np.int64), third
