"""Walks in common: iterations and spectra against the dense matrix of the product graph."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mercer._core as _core
from mercer.data import Graphs
from mercer.kernels import Definiteness
from mercer.kernels.graphs import RandomWalk
from mercer.kernels.graphs.base import core_graphs
from mercer.testing import check_kernel
from tests.reference.graphs_paths import packed, permuted, plain_graphs, random_graphs, random_walk

FLAGS = st.booleans()
FORMS = st.sampled_from([{"form": "geometric"}, {"form": "exponential"}, {"form": "steps", "n_steps": 4}])
KERNELS = [
    RandomWalk(0.005),
    RandomWalk(0.005, labeled=False),
    RandomWalk(0.05, form="exponential", edge_labels=True),
    RandomWalk(0.05, form="exponential", labeled=False),
    RandomWalk(0.5, form="steps", n_steps=3, weighted=True),
    RandomWalk(1.0, form="steps", step_weights=(1.0, 0.5, 0.0, 2.0), labeled=False),
]
EACH = pytest.mark.parametrize("kernel", KERNELS, ids=str)
EDGE, PATH = [(0, 1)], [(0, 1), (1, 2)]


@given(plain_graphs(6), FORMS, FLAGS, FLAGS, FLAGS)
def test_against_the_dense_product(graphs, form, labeled, edge_labels, weighted):
    decay = 0.9 / 12.0**2 if form["form"] == "geometric" else 0.1  # radii are at most 6 nodes times weight 2
    options = {**form, "labeled": labeled, "edge_labels": edge_labels, "weighted": weighted}
    K = RandomWalk(decay, **options)(packed(graphs))
    slow = [[random_walk(x, z, decay, **options) for z in graphs] for x in graphs]
    np.testing.assert_allclose(K, slow, rtol=1e-11, atol=0)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("labeled", [False, True])
def test_near_the_radius_of_convergence(rng, directed, labeled):
    graphs = [
        g
        for g in random_graphs(rng, 12, 7, directed=directed)
        if abs(np.linalg.eigvals(g.adjacency)).max(initial=0) > 0
    ]
    for graph in graphs:
        decay = 0.999 / abs(np.linalg.eigvals(graph.adjacency)).max() ** 2
        value = RandomWalk(decay, labeled=labeled)(packed([graph])).item()
        assert value == pytest.approx(random_walk(graph, graph, decay, labeled=labeled), rel=1e-10)


@given(plain_graphs(6), FORMS, FLAGS, st.randoms())
def test_the_order_of_nodes_does_not_matter(graphs, form, labeled, random):
    other = [permuted(g, random.sample(range(g.n), g.n)) for g in graphs]
    kernel = RandomWalk(0.01, **form, labeled=labeled)
    np.testing.assert_allclose(kernel(packed(other), packed(graphs)), kernel(packed(graphs)), rtol=1e-12)


@given(plain_graphs(8), FLAGS)
def test_bounds_of_spectral_radii(graphs, weighted):
    container = packed(graphs)
    bounds = _core.spectral_radii(core_graphs(container), container.weights if weighted else None, 1)
    for graph, bound in zip(graphs, bounds, strict=True):
        radius = abs(np.linalg.eigvals(graph.weights if weighted else graph.adjacency)).max(initial=0.0)
        # an eigenvalue of multiplicity m is computed to the m-th root of rounding
        assert (
            radius - 0.02 <= bound <= radius * (1 + 1e-6) + 0.02
            if graph.directed
            else math.isclose(radius, bound, rel_tol=1e-6, abs_tol=1e-12)
        )


def test_radii_of_long_and_acyclic_graphs():
    n = 20_000
    chain = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    assert _core.spectral_radii(core_graphs(Graphs.from_edges(chain)), None, 1)[0] == pytest.approx(2.0, rel=1e-4)
    assert _core.spectral_radii(core_graphs(Graphs.from_edges(chain, directed=True)), None, 1)[0] == 0.0
    star = np.stack([np.zeros(n - 1, dtype=int), np.arange(1, n)], axis=1)
    assert _core.spectral_radii(core_graphs(Graphs.from_edges(star)), None, 1)[0] == pytest.approx(math.sqrt(n - 1))


def test_known_values():
    # one edge with itself: 4 pairs of nodes, 4 pairs of walks of every length
    for directed in (False, True):
        edge = Graphs([[(0, 1), (1, 0)]], directed=directed)
        assert RandomWalk(0.5, labeled=False)(edge).item() == pytest.approx(4 / (1 - 0.5), rel=1e-14)
        assert RandomWalk(0.5, form="exponential", labeled=False)(edge).item() == pytest.approx(
            4 * math.exp(0.5), rel=1e-14
        )
    K = RandomWalk(1.0, form="steps", n_steps=1, labeled=False)([EDGE, PATH])
    np.testing.assert_allclose(K, [[8.0, 14.0], [14.0, 25.0]], rtol=1e-14)
    halves = RandomWalk(0.5, form="steps", step_weights=[0, 0, 3], labeled=False)([EDGE])
    assert halves.item() == pytest.approx(3 * 0.25 * 4)


def test_walks_without_directions_meet_those_with(rng):
    graphs = [g for g in random_graphs(rng, 6, 6) if g.n]
    both_ways = packed(graphs)
    arcs = Graphs(list(both_ways), directed=True)
    for labeled in (False, True):
        kernel = RandomWalk(0.01, labeled=labeled)
        np.testing.assert_allclose(kernel(arcs, both_ways), kernel(both_ways), rtol=1e-12)


def test_divergence_is_named():
    graphs = Graphs([EDGE, PATH, [(i, j) for i in range(4) for j in range(i)], PATH])
    kernel = RandomWalk(0.2, labeled=False)
    with pytest.raises(
        ValueError, match=r"RandomWalk: decay=0.2 is too large for graphs 2 and 2, .* at most 0\.111099, or"
    ):
        kernel(graphs)
    with pytest.raises(ValueError, match="for graphs 2 and 2, "):
        kernel.diag(graphs)
    with pytest.raises(ValueError, match=r"for graph 3 of the left and 2 of the right data, .* at most 0\.2356"):
        RandomWalk(0.25, labeled=False)(graphs[[0, 1, 3, 1]][[0, 0, 0, 1]], graphs)
    assert np.isfinite(kernel(graphs[[0, 1, 3]], graphs)).all()  # pairs for which it converges do not hear of others
    assert np.isfinite(RandomWalk(0.111, labeled=False)(graphs)).all()
    assert np.isfinite(RandomWalk(5.0, labeled=False, form="exponential")(graphs)).all()


def test_acyclic_graphs_have_no_limit():
    chain = Graphs.from_edges([[0, 1], [1, 2]], directed=True)
    assert RandomWalk(10.0, labeled=False)(chain).item() == 9 + 10.0 * 4 + 100.0 * 1


@pytest.mark.parametrize("labeled", [True, False])
def test_overflow(labeled):
    n = 60
    clique = Graphs.from_edges([(i, j) for i in range(n) for j in range(i)], node_labels=[0] * n)
    with pytest.raises(OverflowError, match=r"random_walk\(decay=10, form='exponential'.*lower decay"):
        RandomWalk(10.0, form="exponential", labeled=labeled)(clique)


@EACH
def test_all_laws(kernel, rng):
    graphs = packed(random_graphs(rng, 12, 9))
    check_kernel(kernel, graphs)
    check_kernel(kernel.normalized(), graphs)


@EACH
def test_threads_batches_and_order(kernel, rng):
    graphs = packed(random_graphs(rng, 70, 9))
    K = kernel(graphs, n_jobs=1)
    assert np.array_equal(kernel(graphs, n_jobs=2), K)
    assert np.array_equal(kernel(graphs, graphs[:]), K)
    assert np.array_equal(kernel.diag(graphs), np.diagonal(K))
    rows, columns = rng.permutation(70)[:20], rng.permutation(70)[:33]
    assert np.array_equal(kernel(graphs[rows], graphs[columns]), K[np.ix_(rows, columns)])
    prepared = pickle.loads(pickle.dumps(kernel.prepare(graphs).take(rows)))
    assert np.array_equal(kernel.block(prepared, prepared), K[np.ix_(rows, rows)])


def test_graphs_without_nodes():
    K = RandomWalk(labeled=False).normalized()([(0, []), (2, []), EDGE])
    np.testing.assert_allclose(np.diagonal(K), [0.0, 1.0, 1.0])
    assert not K[0].any()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"decay": 0.0}, "parameter decay must be a finite number > 0"),
        ({"form": "linear"}, "parameter form must be one of 'geometric', 'exponential', 'steps'"),
        ({"n_steps": 3}, "other forms neither; got n_steps=3"),
        ({"form": "steps"}, "form 'steps' needs either n_steps or step_weights"),
        ({"form": "steps", "n_steps": -1}, "parameter n_steps must be an integer >= 0"),
        ({"form": "steps", "step_weights": [1.0, -1.0]}, r"parameter step_weights\[1\] must be a finite number >= 0"),
    ],
)
def test_refused_parameters(parameters, message):
    with pytest.raises(ValueError, match=f"RandomWalk: .*{message}"):
        RandomWalk(**parameters)


def test_refused_graphs():
    with pytest.raises(ValueError, match=r"RandomWalk: graph 0 has no node labels; .* labeled=False"):
        RandomWalk()([EDGE])
    with pytest.raises(ValueError, match="RandomWalk: needs edge labels"):
        RandomWalk(labeled=False, edge_labels=True)([EDGE])
    with pytest.raises(ValueError, match="RandomWalk: graph 0 has an edge of weight -1"):
        RandomWalk(labeled=False, weighted=True)([[(0, 1, -1.0)]])


def test_says_what_it_is():
    assert RandomWalk().definiteness is Definiteness.PSD
    assert str(RandomWalk(0.2, form="steps", n_steps=3)) == "random_walk(decay=0.2, form='steps', n_steps=3)"
