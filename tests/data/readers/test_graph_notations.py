"""Graphs of other makers: networkx, igraph, PyTorch-Geometric and GraKeL, matrices, edge lists, SMILES."""

import re
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mercer.data import Graphs

MOLECULE = Graphs.from_edges(
    [[0, 1], [1, 2]], node_labels=["O", "C", "O"], edge_labels=["double", "single"], weights=[2.0, 1.5]
)
PATH = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])


class Networkx:
    """A graph as networkx has it."""

    def __init__(self, nodes, edges, directed=False):
        self._nodes, self._edges, self._directed = nodes, edges, directed

    def nodes(self, data):
        assert data
        return self._nodes

    def edges(self, data):
        assert data
        return self._edges

    def is_directed(self):
        return self._directed

    def __iter__(self):
        return iter(dict(self._nodes))


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


def fake(nodes="abc", **options):
    names = dict(zip(nodes, MOLECULE[0].node_labels, strict=True))
    edges = [
        (nodes[0], nodes[1], {"label": "double", "weight": 2.0}),
        (nodes[2], nodes[1], {"label": "single", "weight": 1.5}),
    ]
    return Networkx([(name, {"label": label}) for name, label in names.items()], edges, **options)


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
        ([(0, {})], [], {"node_attributes": "x"}, "has not the node attribute 'x' at every node"),
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


EDGES = {("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")}
NODE_LABELS = {"a": "O", "b": "C", "c": "O"}
EDGE_LABELS = {("a", "b"): "double", ("b", "a"): "double", ("b", "c"): "single", ("c", "b"): "single"}
WEIGHTS = {("a", "b"): 2.0, ("b", "a"): 2.0, ("b", "c"): 1.5, ("c", "b"): 1.5}


@pytest.mark.parametrize(
    "edges",
    [
        WEIGHTS,
        {(u, v, w) for (u, v), w in WEIGHTS.items()},
        [(u, v, w) for (u, v), w in WEIGHTS.items()],
        {"a": {"b": 2.0}, "b": {"a": 2.0, "c": 1.5}, "c": {"b": 1.5}},
    ],
)
def test_triples(edges):
    assert Graphs([(edges, NODE_LABELS, EDGE_LABELS)]) == MOLECULE
    assert Graphs([[edges, NODE_LABELS, EDGE_LABELS]]) == MOLECULE


def test_triples_with_matrices_and_without_labels():
    half = {("a", "b"): "double", ("c", "b"): "single"}
    unweighted = Graphs.from_edges([[0, 1], [1, 2]], node_labels=["O", "C", "O"], edge_labels=["double", "single"])
    assert Graphs([(EDGES, NODE_LABELS, half)]) == unweighted
    by_number = dict(enumerate(["O", "C", "O"]))
    matrix = (PATH, by_number, {(0, 1): "double", (1, 2): "single"})
    assert Graphs([matrix]) == Graphs([(PATH.tolist(), *matrix[1:])]) == Graphs([(sp.csr_array(PATH), *matrix[1:])])
    assert Graphs([matrix]) == unweighted
    bare = Graphs([[(0, 1), (1, 2)]])
    assert Graphs([(EDGES,)]) == Graphs([(EDGES, {}, {})]) == Graphs([(EDGES, None)]) == Graphs([EDGES]) == bare
    assert Graphs([({"a": ["b"], "b": ["a", "c"], "c": ["b"]},)]) == bare
    assert Graphs([([(0, 1), (1, 0)], ["x", "y", "z"])])[0].node_labels == ["x", "y", "z"]
    assert Graphs([({(1, 2), (2, 1)}, {1: "x", 2: "y", 7: "z"})]).n_nodes.tolist() == [3]  # 7 has no edges
    assert Graphs([([], {}, {})]).n_nodes.tolist() == [0]
    assert Graphs([({("a", 1)},)])[0].n_nodes == 2
    assert Graphs([([(0, 1), (0, 1), (1, 0)], None)]) == Graphs([[(0, 1)]])


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ((PATH, {0: "a", 1: "b", 2: "c", 3: "d"}), "has a label for the node 3, which it does not have"),
        ((EDGES, {"a": 1}), "has no label for the node 'b', but for others"),
        ((PATH, ["a", "b"]), "has 3 nodes, but 2 node labels"),
        (([(0, 5), (5, 0)], ["a", "b"]), "has the edge (0, 5), but 2 node labels in a list"),
        ((EDGES, None, {("a", "b"): 1}), "has no label for the edge"),
        ((EDGES, None, {("a", "c"): 1}), "has a label for the edge ('a', 'c'), which it does not have"),
        ((EDGES, None, [1, 2]), "has the edge labels [1, 2], expected a dict"),
        (({"a": 1},), "has edges that are neither pairs nor triples"),
        (({("a", "b", "c", "d")},), "has edges that are neither pairs nor triples"),
    ],
)
def test_wrong_triples_are_named(graph, message):
    with pytest.raises((ValueError, TypeError), match=re.escape(f"Graphs: graph 1 {message}")):
        Graphs([(EDGES,), graph])


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


# ---- matrices


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
        ((3, [((0, 1), 2)]), TypeError, "graph 1 has nodes that are no numbers in its edges"),
        ([[0, 1], [1, 0]], ValueError, "which may be edges or an adjacency matrix"),
        ((2, 3), TypeError, "graph 1 has the edge 2, expected pairs of nodes"),
        ((2, "ab"), TypeError, "graph 1 has the edges 'ab', expected a list of pairs"),
        (None, ValueError, "record 1 is missing, expected a graph"),
        (float("nan"), ValueError, "record 1 is missing, expected a graph"),
        (7, TypeError, "graph 1 is 7, expected a networkx, igraph"),
        ("CCO", TypeError, "graph 1 is 'CCO', expected a networkx, igraph"),
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


# ---- SMILES


def test_smiles():
    pytest.importorskip("rdkit")
    graphs = Graphs.from_smiles(pd.Series(["CCO", "c1ccccc1", "", "[Na+].[Cl-]", "C=O"]))
    assert graphs.n_nodes.tolist() == [3, 6, 0, 2, 2]
    assert graphs.n_edges.tolist() == [2, 6, 0, 0, 1]
    assert graphs[0].node_labels == ["C", "C", "O"]
    assert set(graphs[1].edge_labels) == {"AROMATIC"}
    assert graphs[4].edge_labels == ["DOUBLE"]
    assert Graphs.from_smiles(["C"], hydrogens=True)[0].node_labels == ["C", "H", "H", "H", "H"]


def test_wrong_smiles_are_named(capfd):
    pytest.importorskip("rdkit")
    with pytest.raises(ValueError, match=r"record 1 is no valid SMILES: 'C\(C'"):
        Graphs.from_smiles(["C", "C(C"])
    with pytest.raises(ValueError, match="record 1 is missing"):
        Graphs.from_smiles(["C", None])
    assert capfd.readouterr() == ("", "")


def test_rdkit_that_is_missing_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit", None)
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(
        ImportError, match=r"Graphs.from_smiles: needs rdkit; install it with: pip install mercer\[chem\]"
    ):
        Graphs.from_smiles(["C"])
