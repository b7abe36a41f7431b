"""Graphs with named nodes, in GraKeL's notation."""

import re

import pytest
import scipy.sparse as sp

from mercer.data import Graphs
from tests.data.readers.graph_cases import EDGE_LABELS, MOLECULE, NODE_LABELS, PATH, WEIGHTS

EDGES = set(WEIGHTS)


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
        ((PATH, {0: "a", 1: "b", 2: "c", 3: "d"}), "has a label for node 3, which does not exist"),
        ((EDGES, {"a": 1}), "has no label for node 'b', but other nodes have labels"),
        ((PATH, ["a", "b"]), "has 3 nodes, but 2 node labels"),
        (([(0, 5), (5, 0)], ["a", "b"]), "has the edge (0, 5), but 2 node labels in a list"),
        ((EDGES, None, {("a", "b"): 1}), "has no label for edge"),
        ((EDGES, None, {("a", "c"): 1}), "has a label for edge ('a', 'c'), which does not exist"),
        ((EDGES, None, [1, 2]), "has the edge labels [1, 2], expected a dict"),
        (({"a": 1},), "has edges that are neither pairs nor triples"),
        (({("a", "b", "c", "d")},), "has edges that are neither pairs nor triples"),
    ],
)
def test_wrong_triples_are_named(graph, message):
    with pytest.raises((ValueError, TypeError), match=re.escape(f"Graphs: graph 1 {message}")):
        Graphs([(EDGES,), graph])
