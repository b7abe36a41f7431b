"""Kernels of graphs with attributes: against lists of all pairs and of all shortest paths."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.data import Graphs
from mercer.exceptions import NoFeatureMapError
from mercer.kernels import RBF, Constant, Definiteness, Linear, Polynomial, Sigmoid
from mercer.kernels.graphs import AttributedShortestPath, GraphHopper, ShortestPath
from mercer.testing import check_kernel
from tests.reference.graphs_paths import (
    attributed_shortest_path,
    graph_hopper,
    packed,
    permuted,
    plain_graphs,
    random_graphs,
    shortest_paths,
)

FLAGS = st.booleans()
KERNELS = [
    GraphHopper(RBF(gamma=0.5)),
    GraphHopper(Linear() + 1),
    AttributedShortestPath(RBF(gamma=0.5)),
    AttributedShortestPath(Polynomial(degree=2), labeled=True, weighted=True),
]
EACH = pytest.mark.parametrize("kernel", KERNELS, ids=str)
EDGE = [(0, 1)]


def rbf(a, b):
    return float(np.exp(-0.5 * ((a - b) ** 2).sum()))


@given(plain_graphs(5), FLAGS, FLAGS)
def test_pairs_of_pairs(graphs, labeled, weighted):
    kernel = AttributedShortestPath(RBF(gamma=0.5), labeled=labeled, weighted=weighted)
    slow = [[attributed_shortest_path(x, z, rbf, labeled, weighted) for z in graphs] for x in graphs]
    np.testing.assert_allclose(kernel(packed(graphs)), slow, rtol=1e-12, atol=1e-13)


@given(plain_graphs(6))
def test_pairs_of_paths(graphs):
    slow = [[graph_hopper(x, z, rbf) for z in graphs] for x in graphs]
    np.testing.assert_allclose(GraphHopper(RBF(gamma=0.5))(packed(graphs)), slow, rtol=1e-12)


def test_shortest_paths_of_networkx(rng):
    networkx = pytest.importorskip("networkx")
    for plain in random_graphs(rng, 20, 8):
        graph = packed([plain])[0].to_networkx()
        found = [
            p for _, each in networkx.all_pairs_all_shortest_paths(graph) for paths in each.values() for p in paths
        ]
        assert sorted(map(tuple, found)) == sorted(shortest_paths(plain))


@given(plain_graphs(7), FLAGS)
def test_constant_attributes(graphs, labeled):
    """With κ = 1 attributes do not count: what is left is the shortest path kernel."""
    container = packed(graphs)
    kernel = AttributedShortestPath(Constant(), labeled=labeled)
    assert np.array_equal(kernel(container), ShortestPath(labeled=labeled)(container))


@EACH
@given(graphs=plain_graphs(6), random=st.randoms())
def test_the_order_of_nodes_does_not_matter(kernel, graphs, random):
    other = [permuted(g, random.sample(range(g.n), g.n)) for g in graphs]
    K = kernel(packed(graphs))
    np.testing.assert_allclose(kernel(packed(other), packed(graphs)), K, rtol=1e-11, atol=1e-12 * abs(K).max())


@EACH
def test_all_laws(kernel, rng):
    graphs = packed(random_graphs(rng, 12, 9))
    check_kernel(kernel, graphs)
    check_kernel(kernel.normalized(), graphs)


@EACH
def test_threads_batches_and_order(kernel, rng):
    graphs = packed(random_graphs(rng, 70, 14))
    K = kernel(graphs, n_jobs=1)
    assert np.array_equal(K, K.T)
    assert np.array_equal(kernel(graphs, n_jobs=2), K)
    assert np.array_equal(kernel(graphs, graphs[:]), K)
    assert np.array_equal(kernel.diag(graphs), np.diagonal(K))
    rows, columns = rng.permutation(70)[:20], rng.permutation(70)[:33]
    assert np.array_equal(kernel(graphs[rows], graphs[columns]), K[np.ix_(rows, columns)])
    prepared = pickle.loads(pickle.dumps(kernel.prepare(graphs).take(rows)))
    assert np.array_equal(kernel.block(prepared, prepared), K[np.ix_(rows, rows)])


def test_known_values():
    path = Graphs.from_edges([[0, 1], [1, 2]], node_attributes=[[1.0], [2.0], [3.0]])
    assert GraphHopper(Constant())(path).item() == 3**2 * 1 + 4**2 * 2 + 2**2 * 3
    assert AttributedShortestPath(Linear())(path).item() == (2 * 2 + 2 * 6) ** 2 + (2 * 3) ** 2
    cycle = Graphs.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]], node_attributes=np.ones((4, 1)))
    assert GraphHopper(Constant())(cycle).item() == 4**2 * 1 + 8**2 * 2 + 8**2 * 3  # two ways across


def test_width_of_the_kernel_of_nodes(rng):
    graphs = packed(random_graphs(rng, 6, 6))
    kernel = GraphHopper(RBF(gamma="scale"))
    assert not kernel.is_resolved
    fixed = kernel.resolve(graphs)
    assert fixed.node_kernel == RBF(gamma="scale").resolve(graphs.node_attributes)
    assert np.array_equal(kernel(graphs), fixed(graphs))
    assert kernel.with_params(node_kernel__gamma=2.0) == GraphHopper(RBF(gamma=2.0))


def test_graphs_without_paths():
    vectors = np.ones((3, 2))
    graphs = Graphs.from_edges(np.empty((0, 2), dtype=int), [1, 1, 2], n_graphs=4, node_attributes=vectors)
    assert AttributedShortestPath(Linear()).normalized()(graphs).tolist() == np.zeros((4, 4)).tolist()
    np.testing.assert_allclose(np.diagonal(GraphHopper(Linear()).normalized()(graphs)), [0.0, 1.0, 1.0, 0.0])
    assert GraphHopper(Linear())(graphs[[0, 3]]).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def diamonds(n):
    """2ⁿ shortest paths from one end to the other."""
    edges = [e for i in range(0, 3 * n, 3) for e in [(i, i + 1), (i, i + 2), (i + 1, i + 3), (i + 2, i + 3)]]
    return Graphs.from_edges(edges, node_attributes=np.ones((3 * n + 1, 1)))


def test_too_many_paths(monkeypatch):
    chain = diamonds(60)
    # whole paths alone: 2^60 each way with 121 nodes, compared with each other
    assert GraphHopper(Constant())(chain).item() > (2.0 * 2.0**60) ** 2 * 121
    with pytest.raises(OverflowError, match=r"graph_hopper\(node_kernel=.*\): .* smaller values"):
        GraphHopper(Linear() * 1e300)(chain)
    monkeypatch.setattr("mercer._runtime.limits.available_memory", lambda: 1_000_000)
    with pytest.raises(MemoryError, match=r"GraphHopper: counts of paths .* up to 121 nodes .* AttributedShort"):
        GraphHopper(Constant())(chain)


def test_refused():
    for kernel in (GraphHopper(), AttributedShortestPath()):
        who = type(kernel).__name__
        with pytest.raises(ValueError, match=rf"{who}: graph 1 has no node attributes, .* ShortestPath"):
            kernel([(0, []), EDGE])
        with pytest.raises(TypeError, match=f"{who}: node_kernel must be a kernel, got 'rbf'"):
            type(kernel)("rbf")
        with pytest.raises(NoFeatureMapError):
            kernel.feature_map(Graphs.from_edges([*EDGE, (1, 2)], node_attributes=[[0.0], [1.0], [3.0]]))
    graphs = [Graphs.from_edges(EDGE, node_attributes=np.ones((2, d))) for d in (1, 2)]
    with pytest.raises(ValueError, match="X has 1 features but Y has 2"):
        GraphHopper(RBF(gamma=1.0))(*graphs)
    with pytest.raises(ValueError, match="AttributedShortestPath: graph 0 has no node labels"):
        AttributedShortestPath(labeled=True)(graphs[0])
    with pytest.raises(TypeError, match="AttributedShortestPath: parameter weighted must be True or False"):
        AttributedShortestPath(weighted=1)


def test_says_what_it_is():
    assert GraphHopper(RBF(gamma=2.0)).definiteness is Definiteness.PSD
    assert GraphHopper(Sigmoid()).definiteness is Definiteness.UNKNOWN
    assert AttributedShortestPath(Linear()).definiteness is Definiteness.PSD
    assert str(GraphHopper(RBF(gamma=2.0))) == "graph_hopper(node_kernel=rbf(gamma=2))"
