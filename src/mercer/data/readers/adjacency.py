"""Graphs as adjacency matrices."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.data.graphs.unpacked import UnpackedGraph, numbers_of

__all__ = ["read_adjacency"]


def read_adjacency(adjacency: Any) -> UnpackedGraph:
    """Arcs where a square matrix is not zero, with its values as weights; symmetry decides the direction."""
    if not sp.issparse(adjacency):
        adjacency = numbers_of("an adjacency matrix", adjacency)
    shape = adjacency.shape
    if len(shape) != 2 or shape[0] != shape[1]:
        if shape == (0,):
            return UnpackedGraph(0, np.empty((0, 2), dtype=np.int64))
        hint = "; pass edges as a list of pairs or as (n_nodes, edges)" if len(shape) == 2 and shape[1] == 2 else ""
        raise ValueError(f"has an adjacency matrix of shape {tuple(shape)}, expected a square one{hint}")
    if sp.issparse(adjacency):
        adjacency = adjacency.tocsr(copy=True)
        numbers_of("an adjacency matrix", adjacency.data)
        adjacency.sum_duplicates()
        adjacency = adjacency.tocoo()
        tails, heads, weights = adjacency.row, adjacency.col, adjacency.data
        present = weights != 0
        tails, heads, weights = tails[present], heads[present], weights[present]
    else:
        tails, heads = np.nonzero(adjacency)
        weights = adjacency[tails, heads]
    pairs = np.column_stack([tails, heads]).astype(np.int64)
    return UnpackedGraph(shape[0], pairs, weights=None if (weights == 1).all() else weights.astype(np.float64))
