"""Graph objects of networkx, igraph, PyTorch-Geometric and GraKeL."""

import re
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from mercer.data import Graphs
from tests.data.readers.graph_cases import EDGE_LABELS, MOLECULE, NODE_LABELS, PATH, WEIGHTS, Networkx, fake


class Sequence(dict):
    """Vertices or edges of igraph: attributes by name."""

    def attributes(self):
        return list(self)


class Igraph:
    """A graph as igraph has it."""

    def __init__(self, n, edges, directed, vs, es):
        self.vs, self.es = Sequence(vs), Sequence(es)
        self._n, self._edges, self._directed = n, edges, directed

    def vcount(self):
        return self._n

    def get_edgelist(self):
        return self._edges

    def is_directed(self):
        return self._directed


class Tensor:
    """An array behind the methods of a tensor of torch."""

    def __init__(self, values):
        self._values = np.asarray(values)

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return self._values


# ---- networkx


def test_networkx():
    assert Graphs([fake()]) == MOLECULE
    assert Graphs(pd.Series([fake(), fake("xyz")])) == MOLECULE + MOLECULE
    assert Graphs(iter([fake()])) == MOLECULE
    directed = Graphs([fake(directed=True)])
    assert directed.directed
    assert directed[0].edges() == [(0, 1), (2, 1)]
    bare = Graphs([fake()], node_label=None, edge_label=None, weight=None)
    assert bare == Graphs([[(0, 1), (1, 2)]])
    assert Graphs([fake()], directed=True).n_edges.tolist() == [4]


def test_networkx_attributes():
    nodes = [(0, {"charge": 1, "place": [0.5, 2.0]}), (1, {"charge": -1, "place": (1, 0)})]
    graph = Networkx(nodes, [(0, 1, {"length": 3, "kind": "s"})])
    graphs = Graphs([graph], node_attributes=["charge", "place"], edge_attributes="length", edge_label="kind")
    assert graphs.node_attributes.tolist() == [[1.0, 0.5, 2.0], [-1.0, 1.0, 0.0]]
    assert graphs.edge_attributes.tolist() == [[3.0], [3.0]]
    assert graphs[0].edge_labels == ["s"]
    assert Graphs([graph], weight="length").weights.tolist() == [3.0, 3.0]
    assert Graphs([Networkx([(0, {}), (1, {})], [(0, 1, {"weight": 2}), (0, 1, {})])]).weights.tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("nodes", "edges", "options", "message"),
    [
        ([(0, {"label": "a"}), (1, {})], [], {}, "has no 'label' at its node 1 (from 0); label all nodes or none"),
        ([(0, {}), (1, {})], [(0, 1, {"label": 1}), (1, 1, {})], {}, "has no 'label' at its edge 1 (from 0)"),
        ([(0, {})], [], {"node_label": "kind"}, "has no 'kind' at its node 0 (from 0)"),
        ([(0, {})], [(0, 0, {})], {"weight": "length"}, "has no 'length' at its edge 0 (from 0)"),
        ([(0, {})], [], {"node_attributes": "x"}, "does not have the node attribute 'x' at every node"),
        (
            [(0, {"x": [1, 2]}), (1, {"x": [1]})],
            [],
            {"node_attributes": "x"},
            "has node attributes 'x' of different lengths",
        ),
        ([(0, {"x": "far"})], [], {"node_attributes": "x"}, "has node attributes 'x' of dtype <U3, expected real"),
    ],
)
def test_incomplete_graphs_are_named(nodes, edges, options, message):
    full = Networkx([], [])
    with pytest.raises((ValueError, TypeError), match=re.escape(f"Graphs: graph 1 {message}")):
        Graphs([full, Networkx(nodes, edges)], **options)


def test_real_networkx():
    networkx = pytest.importorskip("networkx")
    graph = MOLECULE[0].to_networkx()
    assert isinstance(graph, networkx.Graph)
    assert Graphs([graph]) == MOLECULE
    assert graph.nodes[0] == {"label": "O"}
    multi = networkx.MultiGraph([(1, 0, {"weight": 2}), (0, 1, {"weight": 3}), (1, 1, {"weight": 1})])
    assert Graphs([multi])[0].weights.tolist() == [1.0, 5.0]
    both = Graphs.from_edges(
        [[0, 1]], n_nodes=3, node_attributes=np.eye(3), edge_attributes=[[1.0, 2.0]], directed=True
    )
    copy = both[0].to_networkx()
    assert copy.is_directed()
    assert Graphs([copy], node_attributes="attributes", edge_attributes="attributes") == both
    barbell = Graphs([networkx.barbell_graph(4, 2), networkx.empty_graph(3), networkx.Graph()])
    assert barbell.n_edges.tolist() == [15, 0, 0]
    with pytest.raises(TypeError, match=r"expected a list of graphs, got .*; put a single graph in a list"):
        Graphs(graph)


def test_networkx_that_is_missing_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match="needs networkx; install it with: pip install networkx"):
        MOLECULE[0].to_networkx()


# ---- igraph, PyTorch-Geometric, GraKeL


def test_igraph():
    graph = Igraph(
        3, [(0, 1), (1, 2)], False, {"label": ["O", "C", "O"]}, {"label": ["double", "single"], "weight": [2, 1.5]}
    )
    assert Graphs([graph]) == MOLECULE
    assert Graphs([Igraph(2, [(1, 0)], True, {}, {})])[0].edges() == [(1, 0)]
    named = Graphs(
        [Igraph(2, [], False, {"x": [1.0, 2.0], "name": ["a", "b"]}, {})], node_label="name", node_attributes="x"
    )
    assert named[0].node_labels == ["a", "b"]
    assert named.node_attributes.tolist() == [[1.0], [2.0]]
    with pytest.raises(ValueError, match="graph 0 has no node attribute 'kind'"):
        Graphs([graph], node_label="kind")


def test_real_igraph():
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph(3, [(1, 0), (2, 1), (0, 1)])
    graph.vs["label"] = ["O", "C", "O"]
    graph.es["weight"] = [1.0, 1.5, 1.0]
    graph.es["label"] = ["double", "single", "double"]
    assert Graphs([graph]) == MOLECULE


@pytest.mark.parametrize("tensor", [Tensor, np.asarray, lambda values: np.asarray(values).tolist()])
def test_geometric(tensor):
    data = SimpleNamespace(
        edge_index=tensor([[0, 1, 1, 2], [1, 0, 2, 1]]),
        x=tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]),
        edge_attr=tensor([1.0, 1.0, 3.0, 3.0]),
        z=tensor([8, 6, 8]),
        num_nodes=3,
    )
    graphs = Graphs([data])
    assert not graphs.directed
    assert graphs.node_attributes.tolist() == [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    assert graphs.edge_attributes.tolist() == [[1.0], [1.0], [3.0], [3.0]]
    labelled = Graphs([data], node_label="z", edge_label="edge_attr")
    assert labelled[0].node_labels == [8, 6, 8]
    assert labelled[0].edge_labels == [1.0, 3.0]
    assert labelled.edge_attributes is None
    assert Graphs([data], node_label="x")[0].node_labels == [(1.0, 0.0), (0.0, 1.0), (1.0, 0.0)]
    other = SimpleNamespace(edge_index=tensor([[0], [1]]), edge_weight=tensor([2.0]), num_nodes=None)
    assert Graphs([other])[0].edges() == [(0, 1)]
    assert Graphs([other]).directed
    assert Graphs([other]).weights.tolist() == [2.0]
    with pytest.raises(ValueError, match=r"edge \(0, 1\) of graph 1 has no reverse"):
        Graphs([[(0, 1)], other])


def test_geometric_needs_two_rows():
    with pytest.raises(ValueError, match="graph 0 has edge_index ndarray of shape"):
        Graphs([SimpleNamespace(edge_index=np.zeros((3, 3), dtype=int))])


def test_grakel_objects():
    graph = SimpleNamespace(
        edge_dictionary=None, adjacency_matrix=PATH, index_node_labels={0: "a", 1: "b", 2: "c"}, index_edge_labels=None
    )
    assert Graphs([graph])[0].node_labels == ["a", "b", "c"]
    graph = SimpleNamespace(
        edge_dictionary={"a": {"b": 1.0}, "b": {"a": 1.0}}, node_labels=None, edge_labels=None, adjacency_matrix=None
    )
    assert Graphs([graph]) == Graphs([[(0, 1)]])


def test_real_grakel():
    grakel = pytest.importorskip("grakel")
    for options in ({}, {"graph_format": "adjacency"}, {"graph_format": "dictionary"}):
        graph = grakel.Graph(PATH.tolist(), {0: "O", 1: "C", 2: "O"}, **options)
        assert Graphs([graph]) == Graphs.from_edges([[0, 1], [1, 2]], node_labels=["O", "C", "O"])
    graph = grakel.Graph(WEIGHTS, NODE_LABELS, EDGE_LABELS)
    assert sorted(Graphs([graph])[0].edge_labels) == ["double", "single"]
