"""Propagated vectors in bins: against dense matrices."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from mercer.data import Graphs
from mercer.data.hashing.labels import hash_label
from mercer.kernels import Definiteness
from mercer.kernels.graphs import Propagation, VertexHistogram
from mercer.kernels.graphs.propagation import _combined
from mercer.kernels.vocabulary import Vocabularies
from mercer.testing import check_kernel
from tests.reference.graphs_paths import LABELS, packed, permuted, plain_graphs, propagated, random_graphs

KERNELS = [
    Propagation(),
    Propagation(3, 0.2, spread="attributes", metric="l2", weighted=True, random_state=5),
    Propagation(2, 0.5, spread="both", metric="l1"),
]
EACH = pytest.mark.parametrize("kernel", KERNELS, ids=str)


def bins(kernel, graph):
    """Counts of (round, bin, ...), from vectors that are propagated one by one."""
    counts, parts = Counter(), []
    for what in {"labels": [0], "attributes": [1], "both": [0, 1]}[kernel.spread]:
        start = graph.vectors if what else np.array([[a == b for b in LABELS] for a in graph.labels], dtype=float)
        names = np.arange(2) if what else [hash_label(label) for label in LABELS]
        start = start.reshape(graph.n, len(names))
        parts.append((what, start, np.array(names, dtype=np.uint64)))
    for level in range(kernel.n_iter + 1):
        columns = []
        for what, start, names in parts:
            vectors = propagated(graph, start, level, kernel.weighted) if graph.n else start
            shift = _combined(kernel.random_state, 2 + what, level) * 2.0**-64
            columns.append(np.floor(vectors @ kernel._draw(what, level, names) / kernel.width + shift).tolist())
        counts.update((level, *row) for row in zip(*columns, strict=True))
    return counts


@EACH
@given(graphs=plain_graphs(6))
def test_against_dense_matrices(kernel, graphs):
    counts = [bins(kernel, graph) for graph in graphs]
    slow = [[float(sum(n * b[key] for key, n in a.items())) for b in counts] for a in counts]
    assert kernel(packed(graphs)).tolist() == slow


@EACH
@given(graphs=plain_graphs(6), random=st.randoms())
def test_the_order_of_nodes_does_not_matter(kernel, graphs, random):
    other = [permuted(g, random.sample(range(g.n), g.n)) for g in graphs]
    assert np.array_equal(kernel(packed(other), packed(graphs)), kernel(packed(graphs)))


@given(plain_graphs(6), st.integers(0, 2**63 - 1))
def test_without_rounds_labels_are_counted(graphs, seed):
    container = packed(graphs)
    narrow = Propagation(0, 1e-9, random_state=seed)
    assert np.array_equal(narrow(container), VertexHistogram()(container))


def chance(metric, r):
    """Of one bin for two vectors at distance w/r: Datar, Immorlica, Indyk & Mirrokni 2004, section 3.2."""
    if metric == "l2":
        return 1 - 2 * norm.cdf(-r) - 2 / (np.sqrt(2 * np.pi) * r) * (1 - np.exp(-(r**2) / 2))
    return 2 * np.arctan(r) / np.pi - np.log(1 + r**2) / (np.pi * r)


@pytest.mark.parametrize(("metric", "step"), [("l1", [0.5, -0.5]), ("l2", [0.6, 0.8]), ("tv", [1.0, -1.0])])
def test_bins_respect_the_metric(metric, step):
    """Every round draws anew: nodes without edges stay where they are and are binned many times."""
    rounds = 2000
    for r in (10.0, 1.0, 0.3):
        vectors = np.array([[0.0, 0.0], step]) / r
        pair = Graphs.from_edges(np.empty((0, 2), dtype=int), [0, 1], node_attributes=vectors)
        K = Propagation(rounds - 1, 1.0, spread="attributes", metric=metric)(pair)
        assert K[0, 1] / rounds == pytest.approx(chance(metric, r), abs=4 * np.sqrt(0.25 / rounds))


def test_seeds():
    path = Graphs.from_edges([[0, 1], [1, 2]], node_labels=["C", "C", "O"])
    kernels = [Propagation(4, 0.3, random_state=s) for s in range(20)]
    assert len({k(path).item() for k in kernels}) > 1
    assert [k(path).item() for k in kernels] == [k(path).item() for k in kernels]


@EACH
def test_all_laws(kernel, rng):
    graphs = packed(random_graphs(rng, 14, 9))
    check_kernel(kernel, graphs)
    check_kernel(kernel.normalized(), graphs)


@EACH
def test_batches_and_threads(kernel, rng):
    graphs = packed(random_graphs(rng, 60, 12))
    K = kernel(graphs, n_jobs=1)
    assert np.array_equal(kernel(graphs, n_jobs=2), K)
    assert np.array_equal(kernel(graphs[[50, 3, 3]], graphs[5:31]), K[[50, 3, 3], 5:31])


def test_names():
    graphs = Graphs.from_edges([[0, 1]], node_labels=["C", "O"], node_attributes=[[0.5], [2.0]])
    for spread, commas in (("labels", 0), ("both", 1)):
        learned = Vocabularies()
        F = Propagation(1, 0.1, spread=spread).feature_map(graphs, vocabularies=learned)
        names = learned.learned[0].names
        assert len(set(names)) == len(names) == F.shape[1]
        assert sorted(name[:7] for name in names) == ["0: bin ", "0: bin ", "1: bin ", "1: bin "]
        assert all(name.count(",") == commas for name in names)


def test_graphs_without_nodes_labels_and_edges():
    K = Propagation().normalized()([(0, []), (2, []), [(0, 1)]])
    np.testing.assert_allclose(K, [[0, 0, 0], [0, 1, 1], [0, 1, 1]], rtol=1e-14)  # one common label


def test_refused():
    with pytest.raises(ValueError, match="Propagation: graph 0 has no node attributes"):
        Propagation(spread="attributes")([[(0, 1)]])
    with pytest.raises(ValueError, match="Propagation: graph 0 has an edge of weight -1"):
        Propagation(weighted=True)([[(0, 1, -1.0)]])
    for name, value in (("n_iter", -1), ("width", 0.0), ("spread", "x"), ("metric", "x"), ("random_state", -1)):
        with pytest.raises(ValueError, match=f"Propagation: parameter {name} must be"):
            Propagation(**{name: value})


def test_says_what_it_is():
    assert Propagation().definiteness is Definiteness.PSD
    assert str(Propagation(3, 0.5, random_state=2)) == "propagation(n_iter=3, width=0.5, random_state=2)"
