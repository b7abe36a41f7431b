"""Graphs as adjacency matrices, dense or sparse."""

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._validation import as_csr, describe
from mercer.data.graphs.unpacked import UnpackedGraph, numbered_errors, numbers_of

__all__ = ["read_adjacency", "read_matrices"]


def read_adjacency(adjacency: Any) -> UnpackedGraph:
    """Read the nonzero entries of a square matrix as weighted arcs; symmetry decides the direction."""
    if not sp.issparse(adjacency):
        adjacency = numbers_of("an adjacency matrix", adjacency)
    shape = adjacency.shape
    if len(shape) != 2 or shape[0] != shape[1]:
        if shape == (0,):
            return UnpackedGraph(0, np.empty((0, 2), dtype=np.int64))
        hint = "; pass edges as a list of pairs or as (n_nodes, edges)" if len(shape) == 2 and shape[1] == 2 else ""
        raise ValueError(f"has an adjacency matrix of shape {tuple(shape)}, expected a square one{hint}")
    if sp.issparse(adjacency):
        adjacency = as_csr("has an adjacency matrix", adjacency, name="A").tocoo()
        numbers_of("an adjacency matrix", adjacency.data)
        tails, heads, weights = adjacency.row, adjacency.col, adjacency.data
        present = weights != 0
        tails, heads, weights = tails[present], heads[present], weights[present]
    else:
        tails, heads = np.nonzero(adjacency)
        weights = adjacency[tails, heads]
    pairs = np.column_stack([tails, heads]).astype(np.int64)
    return UnpackedGraph(shape[0], pairs, weights=None if (weights == 1).all() else weights.astype(np.float64))


def read_matrices(who: str, matrices: Any, node_labels: Any, node_attributes: Any) -> list[UnpackedGraph]:
    """Read a list of matrices, with the labels and attributes of the nodes of each graph."""
    if sp.issparse(matrices) or (isinstance(matrices, np.ndarray) and matrices.ndim == 2):
        raise TypeError(f"{who}: expected a list of matrices, got {describe(matrices)}; put a single one in a list.")
    matrices = list(matrices)
    columns = {}
    for name, values in (("node_labels", node_labels), ("node_attributes", node_attributes)):
        columns[name] = [None] * len(matrices) if values is None else list(values)
        if len(columns[name]) != len(matrices):
            raise ValueError(
                f"{who}: parameter {name} must have an entry for each graph, {len(matrices)} in all, "
                f"got {len(columns[name])}."
            )
    graphs = []
    for i, (adjacency, labels, attributes) in enumerate(zip(matrices, *columns.values(), strict=True)):
        with numbered_errors(who, i):
            graph = replace(read_adjacency(adjacency), node_labels=labels, node_attributes=attributes)
            graphs.append(graph.checked())
    return graphs
