"""Graphs: packing flat arrays, what edges mean, choosing, joining and comparing graphs."""

import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, train_test_split
from sklearn.utils import _safe_indexing

from mercer.data import Graphs, as_items, joined, n_samples, take
from mercer.data.hashing.labels import hash_label, joint_label
from mercer.kernels import user
from tests.reference.graphs import arcs_of, unpack

LABELS = st.sampled_from(["C", "O", 1, 1.5, ("a", 2), b"x"])


@st.composite
def edge_lists(draw, max_nodes=6):
    """Number of nodes and edges, loops and parallel ones among them; graphs without nodes and without edges too."""
    n = draw(st.integers(0, max_nodes))
    node = st.integers(0, n - 1)
    return n, draw(st.lists(st.tuples(node, node), max_size=10)) if n else []


@st.composite
def containers(draw, directed=None):
    """Graphs that carry some of labels, weights and attributes."""
    directed = draw(st.booleans()) if directed is None else directed
    sizes = draw(st.lists(edge_lists(), max_size=5))
    node_label, edge_label, weight, vector = draw(st.tuples(*[st.booleans()] * 4))
    indicator = [i for i, (n, _) in enumerate(sizes) for _ in range(n)]
    edges = {}  # parallel edges would have to carry the same attributes
    start = 0
    for n, pairs in sizes:
        edges |= {(start + u, start + v): None for u, v in (pair if directed else sorted(pair) for pair in pairs)}
        start += n
    m, total = len(edges), len(indicator)
    entries = lambda values, size: draw(st.lists(values, min_size=size, max_size=size))  # noqa: E731
    return Graphs.from_edges(
        list(edges),
        indicator,
        n_graphs=len(sizes),
        directed=directed,
        node_labels=entries(LABELS, total) if node_label else None,
        edge_labels=entries(LABELS, m) if edge_label else None,
        weights=entries(st.integers(-2, 3), m) if weight else None,
        node_attributes=np.arange(2.0 * total).reshape(total, 2) if vector else None,
        edge_attributes=np.arange(3.0 * m).reshape(m, 3) if vector else None,
    )


# ---- edges


@given(st.lists(edge_lists(), max_size=5), st.booleans())
def test_edges_are_packed_as_promised(lists, directed):
    graphs = Graphs(lists, directed=directed)
    assert unpack(graphs) == [(n, arcs_of(edges, directed=directed)) for n, edges in lists]
    assert graphs.n_nodes.tolist() == [n for n, _ in lists]
    assert graphs.n_edges.tolist() == [len(graph.edges()) for graph in graphs]
    assert graphs.degrees.sum() == len(graphs.neighbors)
    assert graphs.weights is None
    assert (graphs.offsets.dtype, graphs.indptr.dtype, graphs.neighbors.dtype) == (np.int64, np.int64, np.int32)
    assert Graphs([(graph.n_nodes, graph.edges()) for graph in graphs], directed=directed) == graphs


@given(edge_lists(), st.booleans(), st.data())
def test_parallel_edges_add_their_weights_and_join_their_labels(graph, directed, data):
    n, edges = graph
    edges = edges if directed else [tuple(sorted(edge)) for edge in edges]
    weights = data.draw(st.lists(st.integers(-3, 4), min_size=len(edges), max_size=len(edges)))
    labels = data.draw(st.lists(st.sampled_from("ab"), min_size=len(edges), max_size=len(edges)))
    packed = Graphs.from_edges(edges, n_nodes=n, directed=directed, weights=weights, edge_labels=labels)
    expected = arcs_of(edges, directed=directed, weights=weights, labels=labels)
    assert unpack(packed) == [(n, expected)]
    triples = [(u, v, {"weight": w, "label": c}) for (u, v), w, c in zip(edges, weights, labels, strict=True)]
    assert Graphs([(n, triples)], directed=directed) == packed


def test_an_undirected_edge_may_be_listed_once_or_in_both_directions():
    once, both = [(0, 1), (2, 1)], [(1, 0), (0, 1), (1, 2), (2, 1)]
    assert Graphs([once]) == Graphs([both])
    weights = [2.0, 2.0, 3.0, 3.0]
    assert Graphs.from_edges(both, weights=weights) == Graphs.from_edges(once, weights=[2.0, 3.0])
    assert Graphs.from_edges(both, weights=weights).weights.tolist() == weights
    with pytest.raises(ValueError, match=r"edge \(0, 1\) of graph 0 and its reverse have different weights"):
        Graphs.from_edges(both, weights=[1.0, 2.0, 3.0, 3.0])
    with pytest.raises(ValueError, match=r"edge \(1, 2\) of graph 0 and its reverse have different labels"):
        Graphs.from_edges(both, edge_labels=["a", "a", "b", "c"])


def test_loops_isolated_nodes_and_empty_graphs_are_kept():
    graphs = Graphs([(0, []), (3, [(1, 1)]), [], (2, [])])
    assert graphs.n_nodes.tolist() == [0, 3, 0, 2]
    assert graphs.n_edges.tolist() == [0, 1, 0, 0]
    assert graphs.degrees.tolist() == [0, 1, 0, 0, 0]
    assert graphs[1].edges() == [(1, 1)]
    assert len(Graphs([])) == 0


def test_parallel_edges_merge():
    assert Graphs([[(0, 1), (0, 1)]]) == Graphs([[(0, 1)]])
    assert Graphs([[(0, 1, 1.0), (0, 1, 1.0)]]).weights.tolist() == [2.0, 2.0]
    graph = Graphs([[(0, 1, {"label": "b"}), (0, 1, {"label": "a"}), (0, 1, {"label": "b"})]])[0]
    assert graph.edge_labels == [("a", "b")]
    mixed = Graphs.from_edges([[0, 1], [0, 1]], edge_labels=["a", 1])[0]
    assert set(mixed.edge_labels[0]) == {"a", 1}
    assert mixed.edge_labels == [joint_label([1, "a"])]
    with pytest.raises(
        ValueError, match=r"edge \(0, 1\) of graph 0 is given more than once, with different attributes"
    ):
        Graphs.from_edges([[0, 1], [0, 1]], edge_attributes=[1.0, 2.0])
    assert Graphs.from_edges([[0, 1], [0, 1]], edge_attributes=[2.0, 2.0]).edge_attributes.tolist() == [[2.0], [2.0]]


def test_a_graph_without_weights_is_the_same_in_any_company():
    """Its parallel edges count once, also beside graphs with weights."""
    parallel = [(0, 1), (0, 1)]
    graphs = Graphs([parallel, [(0, 1, 3.0)]])
    assert graphs.weights.tolist() == [1.0, 1.0, 3.0, 3.0]
    assert graphs[0] == Graphs([parallel])[0]


# ---- labels


@pytest.mark.parametrize("number", [1, 1.0, True, np.int8(1), np.float32(1.0)])
def test_equal_labels_have_equal_hashes_in_every_container(number):
    graphs = Graphs.from_edges([], n_nodes=1, node_labels=[number])
    assert graphs.node_labels.tolist() == [hash_label(1)]
    assert graphs.node_labels.tolist() == Graphs.from_edges([], node_labels=np.array([1])).node_labels.tolist()
    assert graphs.node_labels != Graphs.from_edges([], n_nodes=1, node_labels=["1"]).node_labels
    assert graphs[0].node_labels == [1]
    assert hash_label(-0.0) == hash_label(0)


def test_edges_of_several_graphs_are_not_taken_for_one_array():
    with pytest.raises(TypeError, match=r"must be one flat array.*graph_indicator"):
        Graphs.from_edges([[(0, 1)], [(0, 1), (1, 2)]])


@given(st.lists(LABELS | st.integers() | st.floats(allow_nan=False), max_size=8))
def test_labels_come_back(labels):
    graphs = Graphs.from_edges([], n_nodes=len(labels), node_labels=labels)
    assert graphs[0].node_labels == labels
    assert len(np.unique(graphs.node_labels)) == len(set(labels))


def test_arrays_of_labels_are_as_lists():
    numbers = np.array([3, -1, 2**60, 2**60 + 1, 0])
    for labels in (numbers, numbers.astype(str), numbers[:2].astype(float), numbers.astype(object)):
        n = len(labels)
        assert Graphs.from_edges([], n_nodes=n, node_labels=labels) == Graphs.from_edges(
            [], n_nodes=n, node_labels=labels.tolist()
        )
    rows = Graphs.from_edges([], n_nodes=2, node_labels=np.array([[1, 2], [3, 4]]))
    assert rows[0].node_labels == [(1, 2), (3, 4)]
    assert Graphs.from_edges([], node_labels=np.array([[1], [3]]))[0].node_labels == [1, 3]


@pytest.mark.parametrize(
    ("label", "error", "what"),
    [
        (None, ValueError, "it is missing"),
        (float("nan"), ValueError, "it is missing"),
        ([1], TypeError, "it is not hashable"),
        (object(), TypeError, "its repr is a memory address"),
    ],
)
def test_labels_that_are_none_are_named(label, error, what):
    with pytest.raises(error, match=f"node 1 of graph 1 has no usable label: got .*, and {what}"):
        Graphs.from_edges([], [0, 1, 1], node_labels=["a", "b", label])
    with pytest.raises(error, match=rf"edge \(0, 1\) of graph 1 has no usable label: got .*, and {what}"):
        Graphs.from_edges([[0, 0], [1, 2]], [0, 1, 1], edge_labels=["a", label])


def test_missing_numbers_are_named():
    with pytest.raises(ValueError, match="node 0 of graph 1 has no usable label: got nan, and it is missing"):
        Graphs.from_edges([], [0, 1], node_labels=np.array([1.0, np.nan]))


# ---- arrays


def test_nodes_may_come_in_any_order_of_graphs():
    sorted_ = Graphs.from_edges([[0, 1], [2, 3]], [0, 0, 1, 1], node_labels=list("abcd"))
    mixed = Graphs.from_edges([[1, 3], [0, 2]], [1, 0, 1, 0], node_labels=list("cadb"))
    arrays = Graphs.from_edges([[1, 3], [0, 2]], [1, 0, 1, 0], node_labels=np.array(list("cadb")))
    assert mixed == arrays == sorted_


def test_the_number_of_nodes_and_graphs_follows_or_is_given():
    assert Graphs.from_edges([[0, 4]]).n_nodes.tolist() == [5]
    assert Graphs.from_edges([[0, 1]], n_nodes=3).n_nodes.tolist() == [3]
    assert Graphs.from_edges([[0, 1]], node_attributes=np.zeros((4, 1))).n_nodes.tolist() == [4]
    assert Graphs.from_edges([], [0, 2]).n_nodes.tolist() == [1, 0, 1]
    assert Graphs.from_edges([], [0], n_graphs=3).n_nodes.tolist() == [1, 0, 0]
    assert Graphs.from_edges(np.empty((0, 2)), []).n_nodes.tolist() == []


def test_direction_may_follow_from_symmetry():
    assert not Graphs.from_edges([[0, 1], [1, 0]], directed=None).directed
    assert Graphs.from_edges([[0, 1]], directed=None).directed
    assert Graphs.from_edges([[0, 1], [1, 0]], directed=None, weights=[1.0, 2.0]).directed
    assert Graphs.from_edges([[0, 1], [1, 0]], directed=None, edge_attributes=[1.0, 2.0]).directed
    assert Graphs.from_edges([[0, 1]], directed=True).n_edges.tolist() == [1]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"edges": [[0, 3]], "graph_indicator": [0, 0, 0]}, ValueError, "edge 0 joins nodes 0 and 3, expected numbers"),
        ({"edges": [[-1, 0]]}, ValueError, "edge 0 joins nodes -1 and 0"),
        (
            {"edges": [[0, 1], [1, 2]], "graph_indicator": [0, 0, 1]},
            ValueError,
            "edge 1 joins node 1 of graph 0 and node 2 of graph 1",
        ),
        ({"edges": [], "graph_indicator": [0, -1]}, ValueError, "node 1 has graph number -1"),
        ({"edges": [], "graph_indicator": [0, 3], "n_graphs": 2}, ValueError, "node 1 has graph number 3"),
        ({"edges": [], "n_nodes": -1}, ValueError, "n_nodes must be 0 or more, got -1"),
        ({"edges": [[0, 1, 2]]}, TypeError, "parameter edges must be integers, pairs of nodes"),
        ({"edges": [[0.5, 1]]}, TypeError, "parameter edges must be integers"),
        ({"edges": [], "graph_indicator": ["a"]}, TypeError, "graph_indicator must be integers"),
        ({"edges": [[0, 1]], "n_nodes": 2, "node_labels": ["a"]}, ValueError, "node_labels must have 2 labels"),
        ({"edges": [[0, 1]], "edge_labels": ["a", "b"]}, ValueError, "edge_labels must have 1 labels"),
        ({"edges": [[0, 1]], "weights": [1, 2]}, ValueError, r"weights of shape \(2,\), expected 1 rows"),
        ({"edges": [[0, 1]], "weights": ["x"]}, TypeError, "weights of dtype <U1, expected real numbers"),
        ({"edges": [[0, 1]], "weights": [np.nan]}, ValueError, r"edge \(0, 1\) of graph 0 has weight nan"),
        (
            {"edges": [], "graph_indicator": [0, 1, 1], "node_attributes": [[0, 0], [0, 0], [0, np.inf]]},
            ValueError,
            "node 1 of graph 1 has attributes inf",
        ),
        (
            {"edges": [[0, 0], [1, 2]], "graph_indicator": [0, 1, 1], "edge_attributes": [0, np.nan]},
            ValueError,
            r"edge \(0, 1\) of graph 1 has attributes nan",
        ),
        ({"edges": [], "directed": "yes"}, TypeError, "directed must be True, False or None, got 'yes'"),
    ],
)
def test_wrong_arrays_are_named(arguments, error, message):
    with pytest.raises(error, match=f"Graphs.from_edges: .*{message}"):
        Graphs.from_edges(**arguments)


def test_a_million_edges(rng):
    edges = rng.integers(0, 50_000, (1_000_000, 2))
    graphs = Graphs.from_edges(edges, n_nodes=50_000)
    distinct = np.unique(np.sort(edges, axis=1), axis=0)
    assert graphs.n_edges.tolist() == [len(distinct)]
    assert np.array_equal(np.array(graphs[0].edges()), distinct)


# ---- graphs as rows


@given(containers(), st.data())
def test_rows_are_chosen_as_from_an_array(graphs, data):
    n, items = len(graphs), list(graphs)
    rows = data.draw(st.lists(st.integers(-n, n - 1), max_size=6) if n else st.just([]))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool)
    part = data.draw(st.slices(n))
    pack = lambda items: Graphs(items, directed=graphs.directed)  # noqa: E731
    assert pack(items) == graphs
    assert Graphs(graphs) == graphs
    assert graphs[rows] == graphs[np.array(rows, dtype=int), ...] == pack([items[i] for i in rows])
    assert graphs[mask] == pack([items[i] for i in np.flatnonzero(mask)])
    assert graphs[part] == pack(items[part])
    assert graphs[part] + graphs == Graphs.concatenate([graphs[part], graphs]) == pack(items[part] + items)
    assert unpack(graphs[rows]) == [unpack(graphs)[i] for i in rows]
    assert joined(graphs, graphs[rows]) == graphs + graphs[rows]


@given(containers(), st.data())
def test_chosen_graphs_keep_what_they_carry(graphs, data):
    n = len(graphs)
    rows = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=6) if n else st.just([]))
    chosen = graphs[rows]
    nodes = [np.arange(graphs.offsets[i], graphs.offsets[i + 1]) for i in rows]
    nodes = np.concatenate([np.empty(0, dtype=int), *nodes])
    arcs = [np.arange(graphs.indptr[node], graphs.indptr[node + 1]) for node in nodes]
    arcs = np.concatenate([np.empty(0, dtype=int), *arcs])
    for name, index in (("node_labels", nodes), ("node_attributes", nodes), ("degrees", nodes)):
        if getattr(graphs, name) is not None:
            assert np.array_equal(getattr(chosen, name), getattr(graphs, name)[index])
    for name in ("neighbors", "edge_labels", "weights", "edge_attributes"):
        if getattr(graphs, name) is not None:
            assert np.array_equal(getattr(chosen, name), getattr(graphs, name)[arcs])
            assert getattr(chosen, name).dtype == getattr(graphs, name).dtype
    assert chosen.n_edges.tolist() == graphs.n_edges[rows].tolist()


@given(containers())
def test_graphs_pickle(graphs):
    assert pickle.loads(pickle.dumps(graphs)) == graphs
    for graph in graphs:
        copy = pickle.loads(pickle.dumps(graph))
        assert copy == graph
        assert hash(copy) == hash(graph)
        assert repr(copy) == repr(graph)


def test_graphs_pickle_small_and_stay_immutable():
    graphs = Graphs.from_edges([], range(100), node_labels=[f"S{i}" for i in range(100)])
    other = pickle.loads(pickle.dumps(graphs[[3, 5]]))
    assert sorted(other.node_values.values()) == ["S3", "S5"]
    with pytest.raises(ValueError, match="read-only"):
        other.node_labels[0] = 0
    with pytest.raises(AttributeError, match="immutable"):
        other.weights = None
    with pytest.raises(TypeError, match="unhashable"):
        hash(other)


def test_graphs_are_equal_by_content():
    path = Graphs([[(0, 1), (1, 2)]])
    assert path != Graphs([[(0, 1), (0, 2)]])  # isomorphic, numbered otherwise
    assert path != Graphs([[(0, 1), (1, 2)]], directed=True)
    assert path != Graphs.from_edges([[0, 1], [1, 2]], node_labels="abc")
    assert path != Graphs.from_edges([[0, 1], [1, 2]], weights=[1, 2])
    assert path == Graphs.from_edges([[0, 1], [1, 2]], weights=[1, 1])
    assert path != [path[0]]
    weighted = Graphs([[(0, 1, 2.0)], [(0, 1)]])
    assert weighted[1:].weights.tolist() == [1.0, 1.0]
    assert weighted[1:] == Graphs([[(0, 1)]])


def test_only_graphs_of_one_kind_are_concatenated():
    plain, labelled = Graphs([[(0, 1)]]), Graphs.from_edges([[0, 1]], node_labels="ab")
    with pytest.raises(ValueError, match="cannot concatenate graphs with and without node labels"):
        plain + labelled
    with pytest.raises(ValueError, match="cannot concatenate directed and undirected graphs"):
        plain + Graphs([[(0, 1)]], directed=True)
    vectors = [Graphs.from_edges([[0, 1]], node_attributes=np.ones((2, d))) for d in (1, 2)]
    with pytest.raises(ValueError, match="cannot concatenate graphs with different numbers of node attributes"):
        Graphs.concatenate(vectors)
    assert (labelled + Graphs([[]])).n_nodes.tolist() == [2, 0]
    assert (Graphs([[]]) + labelled)[1] == labelled[0]
    weighted = plain + Graphs([[(0, 1, 2.0)]])
    assert weighted.weights.tolist() == [1.0, 1.0, 2.0, 2.0]


@pytest.mark.parametrize("key", [2, [0, 2], 1.0, "S", (0, 1)])
def test_wrong_rows_raise_index_errors(key):
    with pytest.raises(IndexError, match="Graphs"):
        Graphs([[], []])[key]


def test_repr_is_short():
    carried = {"node_labels": ["a", "b"], "edge_labels": ["s"], "weights": [2.0]}
    graphs = Graphs.from_edges([[0, 1]], **carried, node_attributes=np.ones((2, 3)), edge_attributes=[1.0])
    assert repr(graphs) == (
        "Graphs(1 of 2 nodes, 2 node labels, 3 node attributes, 1 edge label, 1 edge attribute, weights)"
    )
    assert repr(Graphs([[], [(0, 1)]], directed=True)) == "Graphs(2 of 0 to 2 nodes, directed)"
    assert repr(Graphs([])) == "Graphs(0 of 0 nodes)"
    assert repr(graphs[0]) == "Graph(2 nodes, 1 edge)"


def test_scikit_learn_splits_graphs():
    graphs = Graphs([(n % 4, []) for n in range(20)])
    train, test, y, _ = train_test_split(graphs, graphs.n_nodes, random_state=0)
    assert isinstance(train, Graphs)
    assert np.array_equal(train.n_nodes, y)
    assert len(train) + len(test) == 20
    for rows, _ in KFold(4).split(graphs):
        assert _safe_indexing(graphs, rows) == graphs[rows]


def test_conversions_and_kernels_written_in_python_know_graphs():
    graphs = Graphs([[(0, 1)], [(0, 1), (1, 2)], []])
    assert n_samples(graphs) == 3
    assert take(graphs, [-1, 0]) == graphs[[2, 0]]
    assert as_items(graphs) == list(graphs)
    kernel = user(pair=lambda a, b: float(a.n_edges * b.n_edges))
    assert kernel(graphs)[:, 1].tolist() == [2.0, 4.0, 0.0]


def test_a_container_may_change_its_direction():
    path = Graphs([[(0, 1), (1, 2)]])
    arcs = Graphs(path, directed=True)
    assert arcs.n_edges.tolist() == [4]
    assert Graphs(arcs, directed=False) == path
    with pytest.raises(ValueError, match=re.escape("edge (0, 1) of graph 1 has no reverse")):
        Graphs(Graphs([[], [(0, 1)]], directed=True), directed=False)
