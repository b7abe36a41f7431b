"""Graphlets against every set of nodes, and against graph theory."""

import itertools
import os
import pathlib
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.data import Graphs
from mercer.kernels import Definiteness, kernel
from mercer.kernels.graphs import Graphlet
from mercer.testing import check_kernel
from tests.reference import graphlets as reference

SIZES = pytest.mark.parametrize("size", [2, 3, 4, 5])
ALL = pytest.mark.parametrize("connected", [True, False])


def complete(n):
    return n, list(itertools.combinations(range(n), 2))


def cycle(n):
    return n, [(i, (i + 1) % n) for i in range(n)]


def star(n):
    """One node with n others around it."""
    return n + 1, [(0, i) for i in range(1, n + 1)]


def path(n):
    return n, [(i, i + 1) for i in range(n - 1)]


# Outer cycle, spokes, inner star: girth 5, 3-regular, 12 cycles of 5.
PETERSEN = 10, [p for i in range(5) for p in ((i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5))]


def features(graph, size, **options):
    """Counts by name."""
    packed, k = Graphs([graph]), Graphlet(size, **options)
    rows = k.rows(packed)
    return dict(zip(k.names(packed, rows.columns), rows.matrix.toarray()[0].tolist(), strict=False))


@SIZES
@ALL
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_against_every_set(size, connected, data):
    samples = data.draw(st.lists(reference.graphs(7 if size == 5 else 8), min_size=1, max_size=3))
    mode = data.draw(st.sampled_from(["count", "frequency", "presence", "min"]))
    counts = [reference.counts(g, size, connected=connected) for g in samples]
    expected = [[reference.kernel(f, g, mode) for g in counts] for f in counts]
    k = Graphlet(size, connected=connected, mode=mode)
    packed = reference.pack(samples, loops=data.draw(st.booleans()))
    np.testing.assert_allclose(k(packed), expected, rtol=1e-14)
    F = k.feature_map(packed)
    np.testing.assert_allclose((F @ F.T).toarray(), expected, rtol=1e-14)


@SIZES
@ALL
@pytest.mark.parametrize("labels", ["nodes", "edges", "both"])
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_labels_against_every_set(size, connected, labels, data):
    samples = data.draw(st.lists(reference.graphs(6), min_size=1, max_size=3))
    options = {"connected": connected, "labeled": labels != "edges", "edge_labels": labels != "nodes"}
    mode = data.draw(st.sampled_from(["count", "frequency", "presence", "min"]))
    counts = [reference.counts(g, size, **options) for g in samples]
    expected = [[reference.kernel(f, g, mode) for g in counts] for f in counts]
    packed = reference.pack(samples, loops=data.draw(st.booleans()))
    k = Graphlet(size, mode=mode, **options)
    np.testing.assert_allclose(k(packed), expected, rtol=1e-14)
    rows = k.rows(packed)
    assert len(set(k.names(packed, rows.columns))) == len(rows.columns)


@SIZES
@pytest.mark.parametrize("labeled", [False, True])
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_numbering_of_nodes(size, labeled, data):
    graph = data.draw(reference.graphs(9))
    order = data.draw(st.permutations(range(graph[0])))
    other = reference.permuted(graph, order)
    rows = Graphlet(size, labeled=labeled, edge_labels=labeled).rows(reference.pack([graph, other]))
    middle = rows.indptr[1]
    assert np.array_equal(rows.keys[:middle], rows.keys[middle:])
    assert np.array_equal(rows.values[:middle], rows.values[middle:])


def test_counters_do_not_start_at_one():
    # GraKeL 0.1.11 gives [[16, 20, 44], [20, 25, 55], [44, 55, 121]]: a class is counted once too often in every graph
    # but the first that has it. The right values are products of 4, 4 and 10 triangles.
    K = Graphlet(3)([complete(4), complete(4), complete(5)])
    assert K.tolist() == [[16, 16, 40], [16, 16, 40], [40, 40, 100]]
    # Likewise its frozen values 211², 85², 8², 11² for these graphs at size 4.
    graphs = [complete(10), star(9), path(10), cycle(10)]
    assert Graphlet(4).diag(graphs).tolist() == [210**2, 84**2, 7**2, 10**2]


@pytest.mark.parametrize("n", [5, 6, 11, 30])
@SIZES
def test_families(n, size):
    # K_n has a clique for every set; of C_n and P_n every connected set is a path, one for each start; a star with n
    # leaves has a star for every choice of its other nodes.
    clique = {2: "edge", 3: "triangle"}.get(size, f"{size}-clique")
    chain = "edge" if size == 2 else f"path {size}"
    tree = {2: "edge", 3: "path 3", 4: "claw"}.get(size, f"star {size}")
    assert features(complete(n), size) == {clique: comb(n, size)}
    assert features(cycle(n), size) == ({"5-cycle": 1} if n == size else {chain: n})
    assert features(path(n), size) == {chain: n - size + 1}
    assert features(star(n), size) == {tree: comb(n, size - 1)}


def test_petersen():
    # 15 edges, Σ C(3, 2) = 30 wedges and no triangle; 10 claws, 15·4 = 60 paths on 4 nodes and no cycle of 4.
    assert features(PETERSEN, 3, connected=False) == {"3 nodes": 30, "edge + node": 60, "path 3": 30}
    four = features(PETERSEN, 4, connected=False)
    assert {name: four[name] for name in ("claw", "path 4")} == {"claw": 10, "path 4": 60}
    assert "4-cycle" not in four
    assert sum(four.values()) == comb(10, 4)
    # 12 cycles of 5; a fork is a claw and one of 6 further neighbours; 60 induced paths: 120 less 12·5.
    assert features(PETERSEN, 5) == {"5-cycle": 12, "fork": 60, "path 5": 60}


@SIZES
def test_sets_add_up(size):
    rng = np.random.default_rng(0)
    for n, p in ((20, 0.1), (30, 0.5), (12, 0.9)):
        A = np.triu(rng.random((n, n)) < p, 1)
        graphs = Graphs.from_adjacency([(A | A.T).astype(int)])
        k = Graphlet(size, connected=False)
        assert k.rows(graphs).values.sum() == comb(n, size)
        classes = dict(zip(k.rows(graphs).keys.tolist(), k.rows(graphs).values.tolist(), strict=True))
        alone = Graphlet(size).rows(graphs)
        assert all(classes[key] == value for key, value in zip(alone.keys.tolist(), alone.values, strict=True))


@pytest.mark.parametrize(
    ("size", "connected", "n"),
    [(3, True, 2), (4, True, 6), (5, True, 21), (3, False, 4), (4, False, 11), (5, False, 34)],
)
def test_numbers_of_classes_and_names(size, connected, n):
    pairs = list(itertools.combinations(range(size), 2))
    graphs = [(size, [p for b, p in enumerate(pairs) if code >> b & 1]) for code in range(1 << len(pairs))]
    packed = Graphs(graphs)
    k = Graphlet(size, connected=connected)
    names = k.names(packed, k.rows(packed).columns)
    assert len(names) == len(set(names)) == n


def test_graphs_without_subgraphs():
    graphs = Graphs([(0, []), (1, []), (2, [(0, 1)]), (9, []), complete(6)])
    for k in (Graphlet(3), Graphlet(4, mode="frequency"), Graphlet(5, mode="min"), Graphlet(4, n_samples=5)):
        K, N = k(graphs), k.normalized()(graphs)
        assert np.count_nonzero(K) == np.count_nonzero(N) == 1
        assert N[4, 4] == pytest.approx(1)
    assert Graphlet(3, connected=False).diag(graphs).tolist() == [0, 0, 0, comb(9, 3) ** 2, comb(6, 3) ** 2]
    assert not Graphlet(3)(graphs[:2]).any()


def test_directions_are_ignored():
    arcs = [(0, 1), (1, 0), (1, 2), (3, 2), (3, 3), (0, 3), (1, 3)]
    directed = Graphs([(4, arcs)], directed=True)
    assert directed.directed
    plain = Graphs([(4, [(0, 1), (1, 2), (2, 3), (0, 3), (1, 3)])])
    for size in (2, 3, 4):
        for connected in (True, False):
            k = Graphlet(size, connected=connected)
            assert np.array_equal(k.rows(directed).values, k.rows(plain).values)
            assert np.array_equal(k.rows(directed).keys, k.rows(plain).keys)


def test_large_counts_are_exact():
    # A star with a million leaves: C(10⁶, 3) claws, and more sets of 4 nodes than 64 bits can count.
    n = 1_000_000
    graph = Graphs.from_edges(np.column_stack([np.zeros(n, dtype=int), np.arange(1, n + 1)]))
    k = Graphlet(4, connected=False)
    rows = k.rows(graph)
    found = dict(zip(k.names(graph, rows.keys), rows.values.tolist(), strict=True))
    assert found == {"claw": float(comb(n, 3)), "4 nodes": float(comb(n, 4))}
    assert Graphlet(3).diag(graph) == float(comb(n, 2)) ** 2


def test_large_graphs_are_shared_by_threads():
    rng = np.random.default_rng(0)
    edges = rng.integers(0, 300, size=(1500, 2))
    graph = Graphs.from_edges(edges[edges[:, 0] != edges[:, 1]], n_nodes=300, node_labels=["C"] * 300)
    fives, one = Graphlet(5).rows(graph), Graphlet(5, labeled=True).rows(graph)
    # Two ways to count: by a histogram of the last node, and one by one.
    assert sorted(fives.values) == sorted(one.values)


def test_names_with_labels():
    graphs = Graphs.from_edges(
        [[0, 1], [1, 2], [3, 4], [4, 5], [3, 5]],
        [0, 0, 0, 1, 1, 1],
        node_labels=["C", "O", "N", "C", "C", "O"],
        edge_labels=["=", "-", "=", "=", "="],
    )

    def names(**options):
        k = Graphlet(3, **options)
        return set(k.names(graphs, k.rows(graphs).columns))

    # In which order the nodes of a class are named, hashes of their labels decide.
    triangle, path = sorted(names(labeled=True), key=len, reverse=True)
    assert triangle in {"triangle C C O", "triangle C O C", "triangle O C C"}
    assert path in {"C-O-N", "N-O-C"}
    assert names(labeled=True, edge_labels=True) & {"C-[=]-O-[-]-N", "N-[-]-O-[=]-C"}
    assert any(name.startswith("triangle (0-1:= 0-2:=") for name in names(edge_labels=True))


def test_unseen_labels_count_for_the_diagonal():
    graphs = Graphs.from_edges([[0, 1], [2, 3]], [0, 0, 1, 1], node_labels=["C", "C", "O", "N"])
    K = Graphlet(2, labeled=True)(graphs)
    assert K.tolist() == [[1, 0], [0, 1]]
    assert Graphlet(2, labeled=True)(graphs[:1], graphs[1:]).item() == 0


KERNELS = [
    Graphlet(),
    Graphlet(4, connected=False, mode="frequency"),
    Graphlet(5, mode="presence"),
    Graphlet(3, labeled=True, mode="min"),
    Graphlet(4, labeled=True, edge_labels=True),
    Graphlet(6, connected=False, n_samples=200, random_state=3),
]


@pytest.mark.parametrize("k", KERNELS, ids=str)
def test_all_laws(k):
    rng = np.random.default_rng(0)
    samples = []
    for _ in range(12):
        n = int(rng.integers(0, 12))
        pairs = [p for p in itertools.combinations(range(n), 2) if rng.random() < 0.4]
        samples.append((n, {p: str(rng.choice(list("st"))) for p in pairs}, rng.choice(list("abc"), n).tolist()))
    graphs = reference.pack([*samples, samples[-1]])
    check_kernel(k, graphs)
    check_kernel(k.normalized(), graphs)
    K = k(graphs)
    rows = rng.permutation(13)[:7]
    np.testing.assert_allclose(k(graphs[rows], graphs), K[rows], rtol=1e-13)
    assert kernel(str(k)) == k


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 1}, "parameter size must be an integer >= 2 and <= 8"),
        ({"size": 9, "n_samples": 10}, "parameter size"),
        ({"size": 6}, "subgraphs of size 6 can only be sampled; pass n_samples"),
        ({"mode": "counts"}, "parameter mode must be one of 'count', 'frequency', 'presence', 'min'"),
        ({"connected": 1}, "parameter connected must be True or False"),
        ({"n_samples": 0}, "parameter n_samples"),
        ({"n_samples": 10, "mode": "min"}, "mode 'min' needs exact counts"),
        ({"random_state": -1}, "parameter random_state"),
    ],
)
def test_refused(options, message):
    with pytest.raises((ValueError, TypeError), match=f"Graphlet: .*{message}"):
        Graphlet(**options)


def test_refused_graphs():
    graphs = Graphs([(0, []), complete(3)])
    with pytest.raises(ValueError, match="labeled=True, but graph 1 has no node labels"):
        Graphlet(labeled=True)(graphs)
    with pytest.raises(ValueError, match="edge_labels=True: needs edge labels, but the edges of graph 1 have none"):
        Graphlet(edge_labels=True)(graphs)
    with pytest.raises(ValueError, match="edge_labels=True needs undirected graphs"):
        Graphlet(edge_labels=True)(Graphs([[(0, 1)]], directed=True))
    with pytest.raises(ValueError, match=r"size 5 of graph 1 may take .* steps, .*sample them with n_samples"):
        Graphlet(5, connected=False)(Graphs([(4, []), (3000, [])]))
    with pytest.raises(ValueError, match="size 5 of graph 0 may take"):
        Graphlet(5)([star(20_000)])
    assert Graphlet(labeled=True)(Graphs([(0, [])])).item() == 0


def test_says_what_it_is():
    assert Graphlet(mode="min").definiteness is Definiteness.PSD
    assert str(Graphlet(4, connected=False)) == "graphlet(size=4, connected=False)"


@pytest.fixture
def folder():
    """Folder of the data sets, named by the environment variable MERCER_DATA."""
    path = os.environ.get("MERCER_DATA")
    if not path:
        pytest.skip("MERCER_DATA names no folder of data sets")
    return pathlib.Path(path) / "graphs"


def test_mutag(folder):
    # Counted by brute force elsewhere; GraKeL 0.1.11 has 27, 20, 20, 34, 16.
    graphs, _ = Graphs.read_tu(folder / "MUTAG")
    assert Graphlet(3).rows(graphs[:5]).values.tolist() == [27, 19, 19, 33, 15]


def test_proteins(folder):
    graphs, _ = Graphs.read_tu(folder / "PROTEINS")
    for size in (3, 4, 5):  # two ways to count: by formulas or a histogram, and one by one
        by_class, one_by_one = (
            Graphlet(size, labeled=labeled).rows(graphs).matrix.sum(axis=1) for labeled in (False, True)
        )
        assert np.array_equal(by_class, one_by_one)
