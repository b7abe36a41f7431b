"""Weighted nearest-neighbour graph of samples in the metric of a kernel."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._estimator import Training
from mercer._typing import DoubleArray, IndexArray
from mercer.decomposition.neighborhood import components, mutual_graph
from mercer.operators import GramOperator
from mercer.solvers.neighbors import squares

__all__ = ["SampleGraph", "sample_graph"]


@dataclass(frozen=True, eq=False)
class SampleGraph:
    """Graph whose vertices are the distinct samples of positive weight.

    Attributes
    ----------
    vertices : ndarray of int of shape (m,)
        First sample of each vertex.
    affinity : CSR matrix of shape (m, m)
        Weights of the edges, symmetric, zero on the diagonal.
    n_neighbors : int
        Number of neighbours of each vertex: the requested number, at most m − 1.
    piece : ndarray of int of shape (n,)
        Connected component of each sample; -1 for samples without weight.
    """

    vertices: IndexArray
    affinity: Any
    n_neighbors: int
    piece: IndexArray


def sample_graph(training: Training, n_neighbors: int, weights: str) -> SampleGraph:
    """Build the graph that joins every sample to its nearest neighbours in the distance √(k(x,x) + k(z,z) − 2k(x,z)).

    Samples at distance zero are one vertex, whose mass is the sum of their weights. The weight of an edge between i and
    j is ½([j near i] + [i near j]) times both masses, so that integer weights are equivalent to repeating samples.
    Samples that are as near as the last neighbour are neighbours, too.

    Parameters
    ----------
    training : Training
        Samples with weights.
    n_neighbors : int
        Number of neighbours of each vertex, not counting itself; less than the number of samples.
    weights : {"binary", "heat"}
        "heat": edges have the additional factor exp(−d²/(2s²)), where s² is the mean of d² over the edges, weighted by
        the masses of their ends.

    Returns
    -------
    SampleGraph
        Graph.

    Examples
    --------
    >>> from mercer._estimator import operator_training
    >>> from mercer.operators import PrecomputedOperator
    >>> x = np.array([[0.0], [1.0], [1.0], [3.0], [9.0]])
    >>> graph = sample_graph(operator_training("example", PrecomputedOperator(x @ x.T)), 1, "binary")
    >>> graph.vertices
    array([0, 1, 3, 4])
    >>> graph.affinity.toarray()  # the vertex at 1 has mass 2
    array([[0. , 2. , 0. , 0. ],
           [2. , 0. , 1. , 0. ],
           [0. , 1. , 0. , 0.5],
           [0. , 0. , 0.5, 0. ]])
    """
    kept, diagonal = training.kept, training.diagonal
    K = training.K if len(kept) == training.n else training.K.take(kept)
    first = _first_equal(K, diagonal[kept])
    places, vertex = np.unique(first, return_inverse=True)
    mass = np.bincount(vertex, weights=training.weight[kept])
    K = K if len(places) == len(kept) else K.take(places)
    vertices = kept[places]
    k = min(n_neighbors, len(vertices) - 1)
    if k:
        A, _ = mutual_graph(K, diagonal[vertices], k + 1)
    else:
        A = sp.csr_array((1, 1))
    A = sp.csr_array(A * mass[:, None] * mass)
    A.eliminate_zeros()  # products of tiny weights underflow
    if weights == "heat" and A.nnz:
        A.data *= _heat(K, diagonal[vertices], A)
    piece = np.full(training.n, -1, dtype=np.int64)
    piece[kept] = components(A)[1][vertex]
    return SampleGraph(vertices, A, k, piece)


def _first_equal(K: GramOperator, diagonal: DoubleArray) -> IndexArray:
    """Return, for each sample, the first sample at distance zero."""
    first = np.empty(len(diagonal), dtype=np.int64)
    for rows, D2 in squares(K, diagonal, diagonal):
        np.fill_diagonal(D2[:, rows], 0.0)
        first[rows] = np.argmax(D2 == 0, axis=1)
    while not np.array_equal(first, nearer := first[first]):  # equality up to rounding is not transitive
        first = nearer
    return first


def _heat(K: GramOperator, diagonal: DoubleArray, A: Any) -> DoubleArray:
    """Return exp(−d²/(2s²)) for the entries of A."""
    D2 = np.empty(A.nnz)
    for rows, panel in squares(K, diagonal, diagonal):
        entries = slice(A.indptr[rows.start], A.indptr[rows.stop])
        counts = np.diff(A.indptr[rows.start : rows.stop + 1])
        D2[entries] = panel[np.repeat(np.arange(len(counts)), counts), A.indices[entries]]
    return np.asarray(np.exp(-D2 / (2 * np.average(D2, weights=A.data))))
