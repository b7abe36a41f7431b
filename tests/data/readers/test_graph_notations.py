"""Errors about graphs in every notation, and graphs of several notations in one container."""

import re

import numpy as np
import pytest
import scipy.sparse as sp

from mercer.data import Graphs
from tests.data.readers.graph_cases import MOLECULE, PATH, fake


@pytest.mark.parametrize(
    ("graph", "error", "message"),
    [
        (np.triu(PATH), ValueError, "edge (0, 1) of graph 1 has no reverse, so the graph is directed"),
        (PATH * [[1], [2], [1]], ValueError, "edge (0, 1) of graph 1 and its reverse have different weights"),
        (np.ones((2, 3)), ValueError, "graph 1 has an adjacency matrix of shape (2, 3), expected a square one"),
        (np.ones((5, 2)), ValueError, "expected a square one; pass edges as a list of pairs"),
        (sp.csr_array(np.ones((2, 3))), ValueError, "graph 1 has an adjacency matrix of shape (2, 3)"),
        (np.ones(3), ValueError, "graph 1 has an adjacency matrix of shape (3,)"),
        (np.full((1, 1), np.nan), ValueError, "edge (0, 0) of graph 1 has weight nan"),
        (np.full((1, 1), "x"), TypeError, "graph 1 has an adjacency matrix of dtype <U1, expected real numbers"),
        ((3, [(0, 3)]), ValueError, "graph 1 has the edge (0, 3), expected nodes from 0 to 2"),
        ((0, [(0, 0)]), ValueError, "graph 1 has the edge (0, 0), expected no edges, since it has no nodes"),
        ((-2, []), ValueError, "graph 1 has -2 nodes, expected 0 or more"),
        ([(-1, 0)], ValueError, "graph 1 has the edge (-1, 0)"),
        ([(0, 1), (1, 2, 3.0)], TypeError, "graph 1 has the edge (1, 2, 3.0), expected pairs of nodes, or triples"),
        ([(0, 1, "x")], TypeError, "graph 1 has edges whose third entry is neither a weight nor a dict"),
        ([("a", "b")], TypeError, "graph 1 has edges of shape (1, 2) and dtype <U1, expected pairs of integers"),
        ((3, [((0, 1), 2)]), TypeError, "graph 1 has edges whose nodes are not numbers"),
        ([[0, 1], [1, 0]], ValueError, "which may be edges or an adjacency matrix"),
        ((2, 3), TypeError, "graph 1 has the edge 2, expected pairs of nodes"),
        ((2, "ab"), TypeError, "graph 1 has the edges 'ab', expected a list of pairs"),
        (None, ValueError, "record 1 is missing, expected a graph"),
        (float("nan"), ValueError, "record 1 is missing, expected a graph"),
        (7, TypeError, "graph 1 is 7, expected a networkx, igraph"),
    ],
)
def test_wrong_graphs_are_named(graph, error, message):
    with pytest.raises(error, match=re.escape(message)):
        Graphs([PATH, graph], directed=False)


def test_graphs_of_one_kind_are_packed_together():
    with pytest.raises(ValueError, match="graph 1 is directed and graph 0 is not; pass directed=True"):
        Graphs([fake(), fake(directed=True)])
    assert Graphs([fake(), fake(directed=True)], directed=True).n_edges.tolist() == [4, 2]
    assert Graphs([PATH, np.triu(PATH)]).directed
    with pytest.raises(ValueError, match=r"edge \(0, 1\) of graph 1 has no reverse"):
        Graphs([[(0, 1)], np.triu(PATH)])
    with pytest.raises(ValueError, match="graph 1 has no node labels, but graph 0 has"):
        Graphs([fake(), PATH])
    with pytest.raises(ValueError, match="graph 1 has 2 columns of node attributes, but graph 0 has 1"):
        Graphs.from_adjacency([PATH, PATH], node_attributes=[np.ones((3, 1)), np.ones((3, 2))])
    assert Graphs([fake(), (0, [])])[0] == MOLECULE[0]
    assert Graphs([MOLECULE[0], fake()]) == MOLECULE + MOLECULE
    mixed = [np.array([1, 2, 3]), ["a", "b", "c"], np.array([[1, 2]] * 3), np.array([[1]] * 3)]
    labels = [graph.node_labels for graph in Graphs.from_adjacency([PATH] * 4, node_labels=mixed)]
    assert labels == [[1, 2, 3], ["a", "b", "c"], [(1, 2)] * 3, [1, 1, 1]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"node_label": 3}, "node_label must be the name of an attribute or None, got 3"),
        ({"node_attributes": [1]}, "node_attributes must be a name, a list of names or None"),
        ({"directed": 1}, "directed must be True, False or None, got 1"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(TypeError, match=message):
        Graphs([], **options)


@pytest.mark.parametrize("single", [sp.csr_array(PATH), fake(), MOLECULE[0]])
def test_one_graph_is_not_a_list_of_graphs(single):
    with pytest.raises(TypeError, match=r"expected a list of graphs, got .*; put a single graph in a list"):
        Graphs(single)
