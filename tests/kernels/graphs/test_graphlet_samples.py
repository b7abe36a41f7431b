"""Sampled graphlets: without bias, with honest errors, the same in every batch."""

import itertools

import numpy as np
import pytest

from mercer.data import Graphs
from mercer.kernels.graphs import Graphlet


@pytest.fixture
def graphs():
    rng = np.random.default_rng(0)
    return Graphs([(n, [p for p in itertools.combinations(range(n), 2) if rng.random() < 0.3]) for n in (20, 30, 25)])


def dense(k, graphs, columns):
    rows = k.rows(graphs)
    table = np.zeros((len(graphs), len(columns)))
    at = np.searchsorted(columns, rows.columns)
    table[:, at] = rows.matrix.toarray()
    return table


@pytest.mark.parametrize("connected", [True, False])
@pytest.mark.parametrize("mode", ["count", "frequency"])
def test_errors_cover(graphs, connected, mode):
    exact = Graphlet(4, connected=connected, mode=mode)
    columns = exact.rows(graphs).columns
    truth, inside, total = exact.rows(graphs).matrix.toarray(), 0, 0
    for seed in range(100):
        k = Graphlet(4, connected=connected, mode=mode, n_samples=2000, random_state=seed)
        rows = k.rows(graphs)
        assert np.isin(rows.columns, columns).all()
        at = np.searchsorted(columns, rows.columns)
        error, estimate = k.standard_error(graphs).toarray(), rows.matrix.toarray()
        common = truth[:, at] > (0.02 if mode == "frequency" else 0.02 * truth.sum(axis=1, keepdims=True))
        inside += np.count_nonzero((abs(estimate - truth[:, at]) < 1.96 * error) & common)
        total += np.count_nonzero(common)
    assert total > 500
    assert 0.93 < inside / total < 0.97


def test_estimates_have_no_bias(graphs):
    exact = Graphlet(3, connected=False)
    columns = exact.rows(graphs).columns
    kernels = [Graphlet(3, connected=False, n_samples=500, random_state=s) for s in range(300)]
    runs = np.array([dense(kernel, graphs, columns) for kernel in kernels])
    spread = runs.std(axis=0) / np.sqrt(300)
    assert (abs(runs.mean(axis=0) - exact.rows(graphs).matrix.toarray()) < 4 * spread).all()


def test_samples_depend_on_graph_and_seed_only(graphs):
    k = Graphlet(5, n_samples=1000, random_state=7)
    K = k(graphs)
    assert np.array_equal(k(graphs[[2, 0]]), K[np.ix_([2, 0], [2, 0])])
    assert np.array_equal(k(graphs, n_jobs=1), K)
    assert not np.array_equal(Graphlet(5, n_samples=1000, random_state=8)(graphs), K)
    many, again = Graphlet(5, n_samples=900_000), Graphlet(5, n_samples=900_000)
    assert np.array_equal(many(graphs[:1], n_jobs=1), again(graphs[:1], n_jobs=2))


@pytest.mark.parametrize("size", [3, 5, 6, 8])
@pytest.mark.parametrize("labeled", [False, True])
def test_few_sets_are_counted(size, labeled):
    rng = np.random.default_rng(1)
    pairs = [p for p in itertools.combinations(range(10), 2) if rng.random() < 0.5]
    graph = Graphs.from_edges(pairs, n_nodes=10, node_labels=rng.choice(list("ab"), 10).tolist())
    k = Graphlet(size, connected=False, labeled=labeled, n_samples=252)
    assert k.rows(graph).values.sum() == {3: 120, 5: 252, 6: 210, 8: 45}[size]
    assert not k.standard_error(graph).toarray().any()
    if size <= 5:
        exact = Graphlet(size, connected=False, labeled=labeled).rows(graph)
        assert np.array_equal(exact.keys, k.rows(graph).keys)
        assert np.array_equal(exact.values, k.rows(graph).values)


@pytest.mark.parametrize("size", [6, 7, 8])
def test_large_classes_do_not_depend_on_the_numbering(size):
    nx = pytest.importorskip("networkx")
    rng = np.random.default_rng(2)
    pairs = np.array([p for p in itertools.combinations(range(9), 2) if rng.random() < 0.4])
    graphs = [pairs, *(rng.permutation(9)[pairs] for _ in range(3))]
    packed = Graphs.concatenate([Graphs.from_edges(edges, n_nodes=9) for edges in graphs])
    k = Graphlet(size, connected=False, n_samples=100)  # more than there are sets
    rows = k.rows(packed)
    assert (rows.matrix.toarray() == rows.matrix.toarray()[0]).all()
    whole = nx.Graph(pairs.tolist())
    whole.add_nodes_from(range(9))
    classes = []
    for nodes in itertools.combinations(range(9), size):
        part = whole.subgraph(nodes)
        if not any(nx.is_isomorphic(part, other) for other in classes):
            classes.append(part)
    assert len(rows.columns) == len(classes)
    assert len(set(k.names(packed, rows.columns))) == len(classes)


def test_regular_graphs_are_told_apart():
    # 3-regular graphs on 6 nodes look alike to colours: the prism and K3,3; on 8, the cube and the Wagner graph.
    prism = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]
    bipartite = [(i, j) for i in range(3) for j in range(3, 6)]
    cube = [(a, a ^ b) for a in range(8) for b in (1, 2, 4) if a < a ^ b]
    wagner = [(i, (i + 1) % 8) for i in range(8)] + [(i, i + 4) for i in range(4)]
    rng = np.random.default_rng(3)
    for size, one, two in ((6, prism, bipartite), (8, cube, wagner)):
        shuffled = rng.permutation(size)[np.array(one)]
        packed = Graphs.concatenate([Graphs.from_edges(e, n_nodes=size) for e in (one, two, shuffled)])
        assert Graphlet(size, n_samples=1)(packed).tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]


def test_errors_need_samples(graphs):
    with pytest.raises(ValueError, match="standard_error needs sampled counts or frequencies"):
        Graphlet(3).standard_error(graphs)
    with pytest.raises(ValueError, match="mode 'presence'"):
        Graphlet(3, n_samples=10, mode="presence").standard_error(graphs)
