"""Pairs of nodes at the same distance: against Floyd and Warshall, networkx and GraKeL."""

import hashlib
import json
import os
import pathlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.data import Graphs
from mercer.kernels import Definiteness
from mercer.kernels.graphs import ShortestPath
from mercer.kernels.vocabulary import Vocabularies
from mercer.testing import check_kernel
from tests.reference.graphs_paths import packed, permuted, plain_graphs, random_graphs, shortest_path

GOLDENS = json.loads((pathlib.Path(__file__).parents[2] / "goldens" / "graphs_paths.json").read_text())
FLAGS = st.booleans()
KERNELS = [ShortestPath(), ShortestPath(labeled=False), ShortestPath(weighted=True)]
PATH, TRIANGLE = [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)]


def tu(name):
    folder = os.environ.get("MERCER_DATA")
    if not folder:
        pytest.skip("MERCER_DATA names no folder of data sets")
    return Graphs.read_tu(pathlib.Path(folder) / "graphs" / name)[0]


@given(plain_graphs(7), FLAGS, FLAGS)
def test_against_the_definition(graphs, labeled, weighted):
    slow = [[shortest_path(x, z, labeled, weighted) for z in graphs] for x in graphs]
    assert ShortestPath(labeled=labeled, weighted=weighted)(packed(graphs)).tolist() == slow


@given(plain_graphs(6), FLAGS, st.randoms())
def test_the_order_of_nodes_does_not_matter(graphs, weighted, random):
    other = [permuted(g, random.sample(range(g.n), g.n)) for g in graphs]
    kernel = ShortestPath(weighted=weighted)
    assert np.array_equal(kernel(packed(other), packed(graphs)), kernel(packed(graphs)))


@pytest.mark.parametrize("case", GOLDENS["shortest_path"])
def test_equal_to_grakel(case):
    name, how = case.split("-")
    expected = GOLDENS["shortest_path"][case]
    K = ShortestPath(labeled=how == "labeled")(tu(name))
    rows = expected["rows"]
    assert K[np.ix_(rows, rows)].tolist() == expected["block"]
    assert K.astype(object).sum() == int(expected["sum"])
    assert np.diagonal(K).sum() == int(expected["trace"])
    assert hashlib.sha256(K.astype("<i8").tobytes()).hexdigest() == expected["sha256"]


@pytest.mark.parametrize("labeled", [True, False])
def test_against_grakel(rng, labeled):
    kernels = pytest.importorskip("grakel.kernels")
    graphs = [g for g in random_graphs(rng, 40, 12) if g.n > 1]
    theirs = [(g.adjacency - np.diag(np.diag(g.adjacency)), dict(enumerate(g.labels))) for g in graphs]
    expected = kernels.ShortestPath(with_labels=labeled).fit_transform(theirs)
    assert np.array_equal(ShortestPath(labeled=labeled)(packed(graphs)), expected)


@pytest.mark.parametrize("directed", [False, True])
def test_against_networkx(rng, directed):
    networkx = pytest.importorskip("networkx")
    graphs = packed(random_graphs(rng, 12, 15, directed=directed))
    learned = Vocabularies()
    features = ShortestPath(weighted=True).feature_map(graphs, vocabularies=learned)
    names = learned.learned[0].names
    for graph, row in zip(graphs, features.toarray(), strict=True):
        counts = dict.fromkeys(names, 0)
        for u, lengths in networkx.all_pairs_dijkstra_path_length(graph.to_networkx()):
            for v, length in lengths.items():
                if u != v:
                    counts[f"{graph.node_labels[u]}-{length:g}-{graph.node_labels[v]}"] += 1
        assert counts == dict(zip(names, row, strict=True))


def test_known_values():
    # 4 ordered pairs at distance 1 and 2 at distance 2; 6 at distance 1
    assert ShortestPath(labeled=False)([PATH, TRIANGLE]).tolist() == [[20.0, 24.0], [24.0, 36.0]]
    arcs = Graphs.from_edges(PATH, directed=True)
    assert ShortestPath(labeled=False)(arcs).item() == 2**2 + 1


def names(kernel, graphs):
    learned = Vocabularies()
    kernel.feature_map(graphs, vocabularies=learned)
    return sorted(learned.learned[0].names)


def test_names():
    graphs = Graphs.from_edges([[0, 1], [1, 2]], node_labels=["C", "C", "O"], weights=[0.5, 2.0])
    assert names(ShortestPath(), graphs) == ["C-1-C", "C-1-O", "C-2-O", "O-1-C", "O-2-C"]
    assert names(ShortestPath(weighted=True), graphs) == ["C-0.5-C", "C-2-O", "C-2.5-O", "O-2-C", "O-2.5-C"]
    assert names(ShortestPath(labeled=False), graphs) == ["1", "2"]


def test_labels_that_are_numbers_stay_apart():
    # hashes of small whole numbers differ in few bits: every pair of them has to have keys of its own
    pairs = [(a, b) for a in range(60) for b in range(a)]
    edges = np.arange(2 * len(pairs)).reshape(-1, 2)
    graphs = Graphs.from_edges(edges, np.repeat(np.arange(len(pairs)), 2), node_labels=np.array(pairs).ravel())
    assert np.array_equal(ShortestPath()(graphs), 2 * np.eye(len(pairs)))


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_all_laws(kernel, rng):
    graphs = packed(random_graphs(rng, 14, 12))
    check_kernel(kernel, graphs)
    check_kernel(kernel.normalized(), graphs)


def test_threads_and_batches(rng):
    graphs = packed(random_graphs(rng, 90, 20))
    K = ShortestPath()(graphs, n_jobs=1)
    assert np.array_equal(ShortestPath()(graphs, n_jobs=2), K)
    assert np.array_equal(ShortestPath()(graphs[[70, 3, 3]], graphs[5:31]), K[[70, 3, 3], 5:31])


def test_graphs_without_pairs():
    graphs = Graphs([(0, []), (1, []), (3, []), (2, [(0, 0)]), PATH])
    K = ShortestPath(labeled=False).normalized()(graphs)
    np.testing.assert_allclose(K, np.diag([0.0, 0.0, 0.0, 0.0, 1.0]), rtol=1e-15)
    assert ShortestPath()([(0, [])]).tolist() == [[0.0]]  # no nodes, so none without a label


def test_a_long_path():
    n = 3000
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    path, twice = Graphs.from_edges(edges), Graphs.from_edges(edges, weights=np.full(n - 1, 2.0))
    kernel = ShortestPath(labeled=False, weighted=True)
    squares = 4.0 * (np.arange(1, n, dtype=float) ** 2).sum()
    assert kernel(path).item() == kernel(twice).item() == squares
    assert kernel(twice, path).item() == 4.0 * sum((n - 2 * d) * (n - d) for d in range(1, n // 2))


def test_refused():
    with pytest.raises(ValueError, match=r"ShortestPath: graph 1 has no node labels; .* labeled=False"):
        ShortestPath()([(0, []), PATH])
    with pytest.raises(ValueError, match=r"ShortestPath: graph 1 has an edge of weight -2, .* weighted=False"):
        ShortestPath(labeled=False, weighted=True)([PATH, [(0, 1, 3.0), (1, 2, -2.0)]])
    for name in ("labeled", "weighted"):
        with pytest.raises(TypeError, match=f"ShortestPath: parameter {name} must be True or False, got 1"):
            ShortestPath(**{name: 1})


def test_says_what_it_is():
    assert ShortestPath().definiteness is Definiteness.PSD
    assert str(ShortestPath()) == "shortest_path"
    assert str(ShortestPath(labeled=False)) == "shortest_path(labeled=False)"
