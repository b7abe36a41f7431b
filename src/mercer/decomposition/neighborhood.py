"""Nearest-neighbour graphs in the metric of a kernel, as sparse matrices."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, dijkstra

from mercer._runtime.interrupt import pieces
from mercer._typing import DoubleArray, IndexArray
from mercer.operators import GramOperator
from mercer.solvers.neighbors import squares

__all__ = ["components", "geodesics", "linked", "mutual_graph", "near", "near_graph", "neighbor_graph"]

_STEPS = 500.0  # operations of Dijkstra's algorithm per edge and vertex
_PANEL = 512  # rows and columns at a time
_SAME = 1 + 1e-9  # factor on squared distances, so that rounding does not break ties


def neighbor_graph(weights: DoubleArray, indices: IndexArray) -> Any:
    """Return the CSR matrix with `weights` (n, k) in the columns `indices` (n, k); zero weights stay explicit edges."""
    n, k = indices.shape
    return sp.csr_array((weights.ravel(), indices.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))


def components(graph: Any) -> tuple[int, IndexArray]:
    """Return the number of connected components of an undirected graph and the component of each vertex."""
    n_pieces, labels = connected_components(graph, directed=False)
    return int(n_pieces), labels


def linked(graph: Any, labels: IndexArray, operator: GramOperator, diagonal: DoubleArray) -> Any:
    """Return the graph with one more edge for every two connected components, between their nearest samples."""
    n_pieces = int(labels.max()) + 1
    members = [np.flatnonzero(labels == piece) for piece in range(n_pieces)]
    best = np.full((n_pieces, n_pieces), np.inf)
    ends = np.zeros((n_pieces, n_pieces, 2), dtype=np.int64)
    for rows, D2 in squares(operator, diagonal, diagonal):
        own = labels[rows]
        for piece, columns in enumerate(members):
            near = D2[:, columns].argmin(axis=1)
            gaps = D2[np.arange(len(own)), columns[near]]
            for i in np.flatnonzero(gaps < best[own, piece]):
                if own[i] < piece and gaps[i] < best[own[i], piece]:
                    best[own[i], piece] = gaps[i]
                    ends[own[i], piece] = rows.start + i, columns[near[i]]
    left, right = np.triu_indices(n_pieces, 1)
    start, stop = ends[left, right].T
    old = graph.tocoo()
    data = np.concatenate([old.data, np.sqrt(best[left, right])])
    where = np.concatenate([old.row, start]), np.concatenate([old.col, stop])
    return sp.coo_array((data, where), shape=graph.shape).tocsr()


def geodesics(graph: Any) -> DoubleArray:
    """Return the lengths of all shortest paths of an undirected graph, by Dijkstra: O(n (edges + n log n))."""
    n = graph.shape[0]
    D = np.empty((n, n))
    for start, stop in pieces(0, n, _STEPS * (graph.nnz + n), least=1):
        D[start:stop] = dijkstra(graph, directed=False, indices=np.arange(start, stop))
    for start in range(0, n, _PANEL):  # the two directions of a path differ by rounding
        own = slice(start, start + _PANEL)
        smaller = np.minimum(D[own, start:], D[start:, own].T)
        D[own, start:], D[start:, own] = smaller, smaller.T
    return D


def near(D2: DoubleArray, k: int) -> tuple[Any, DoubleArray]:
    """Return a mask of the columns among the k smallest of each row, ties included, and the squared radius of each row.

    Examples
    --------
    >>> near(np.array([[0.0, 1.0, 4.0, 1.0]]), 2)
    (array([[ True,  True, False,  True]]), array([1.]))
    """
    reach = np.partition(D2, k - 1, axis=1)[:, k - 1] * _SAME
    return reach[:, None] >= D2, reach


def near_graph(operator: GramOperator, diagonal: DoubleArray, k: int) -> tuple[Any, DoubleArray]:
    """Return the CSR matrix of ones where j is `near` i, i included, and the squared radius of each i."""
    reach, columns, counts = np.empty(len(diagonal)), [], [np.zeros(1, dtype=np.int64)]
    for rows, D2 in squares(operator, diagonal, diagonal):
        chosen, reach[rows] = near(D2, k)
        columns.append(np.nonzero(chosen)[1])
        counts.append(chosen.sum(axis=1))
    indices, indptr = np.concatenate(columns), np.concatenate(counts).cumsum()
    return sp.csr_array((np.ones(len(indices)), indices, indptr), shape=operator.shape), reach


def mutual_graph(operator: GramOperator, diagonal: DoubleArray, k: int) -> tuple[Any, DoubleArray]:
    """Return the CSR matrix ½([j near i] + [i near j]) without its diagonal, and the squared radius of each i."""
    graph, reach = near_graph(operator, diagonal, k)
    A = (graph + graph.T) / 2
    A.setdiag(0)
    A.eliminate_zeros()
    return A, reach
