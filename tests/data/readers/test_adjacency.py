"""Graphs of adjacency matrices, dense and sparse."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mercer.data import Graphs
from tests.data.readers.graph_cases import PATH

MATRICES = st.integers(0, 5).flatmap(lambda n: hnp.arrays(np.int64, (n, n), elements=st.integers(-1, 2)))


@given(st.lists(MATRICES, max_size=4), st.booleans())
def test_matrices_come_back(matrices, symmetric):
    matrices = [A + A.T if symmetric else A for A in matrices]
    graphs = Graphs(matrices)
    assert graphs.directed == any((A != A.T).any() for A in matrices)
    assert [graph.adjacency().toarray().tolist() for graph in graphs] == [A.astype(float).tolist() for A in matrices]
    assert Graphs.from_adjacency([A.tolist() for A in matrices]) == graphs
    for kind in (sp.csr_array, sp.coo_array, sp.csc_matrix, sp.lil_array):
        assert Graphs([kind(A) for A in matrices]) == graphs
    assert Graphs([np.where(A == 0, 0, 1) for A in matrices]).weights is None


def test_sparse_matrices_add_repeats_and_know_no_explicit_zeros():
    repeats = sp.coo_array(([1.0, 1.0, 2.0, 0.0], ([0, 0, 1, 1], [1, 1, 0, 1])), shape=(2, 2))
    assert Graphs([repeats])[0].edges() == [(0, 1)]
    assert Graphs([repeats])[0].weights.tolist() == [2.0]
    assert repeats.nnz == 4


def test_from_adjacency():
    graphs = Graphs.from_adjacency(np.stack([PATH, PATH]), node_labels=["abc", "xyz"], node_attributes=[np.eye(3)] * 2)
    assert graphs[1].node_labels == ["x", "y", "z"]
    assert graphs.node_attributes.shape == (6, 3)
    assert Graphs.from_adjacency([]) == Graphs([])
    assert Graphs.from_adjacency([[]]).n_nodes.tolist() == [0]
    for single in (PATH, sp.csr_array(PATH)):
        with pytest.raises(TypeError, match=r"expected a list of matrices, got .*; put a single one in a list"):
            Graphs.from_adjacency(single)
    with pytest.raises(ValueError, match="node_labels must have an entry for each graph, 1 in all, got 2"):
        Graphs.from_adjacency([PATH], node_labels=["abc", "abc"])
    with pytest.raises(ValueError, match="graph 1 has 3 nodes, but 2 node labels"):
        Graphs.from_adjacency([PATH, PATH], node_labels=["abc", "ab"])
    with pytest.raises(ValueError, match=r"graph 1 has node attributes of shape \(2, 2\), expected 3 rows"):
        Graphs.from_adjacency([PATH, PATH], node_attributes=[np.eye(3), np.eye(2)])
