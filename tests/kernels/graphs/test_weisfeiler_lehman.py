"""Weisfeiler-Lehman kernels against dictionaries, and their laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score

from mercer.data import Graphs, Table
from mercer.kernels import Columns
from mercer.kernels.graphs import EdgeHistogram, VertexHistogram, WeisfeilerLehman, WLOptimalAssignment
from mercer.operators import gram
from mercer.preprocessing import FeatureMap
from mercer.svm import SVC
from mercer.testing import check_kernel
from tests.reference.graphs_wl import colors, common, packed, permuted, products

KERNELS = [WeisfeilerLehman, WLOptimalAssignment]
CYCLE = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]


@st.composite
def samples(draw, directed=False, max_nodes=7):
    """A graph, maybe empty, with isolated nodes and loops: labels of nodes, and a label for each edge."""
    labels = draw(st.lists(st.sampled_from(["C", "O", "N", 1, ("a", 2)]), max_size=max_nodes))
    nodes = st.integers(0, max(0, len(labels) - 1))
    edges = draw(st.lists(st.tuples(nodes, nodes), max_size=12 if labels else 0))
    arcs = edges if directed else [tuple(sorted(edge)) for edge in edges]
    return labels, {edge: draw(st.sampled_from([1, 2])) for edge in dict.fromkeys(arcs)}


def expected(left, right, n_iter, kind, **options):
    counts = colors([*left, *right], n_iter, **options)
    return (products if kind is WeisfeilerLehman else common)(counts[: len(left)], counts[len(left) :])


def test_cycle_and_path():
    # Values of GraKeL 0.1.11 and graphkit-learn 0.2.1 for a cycle and a path of five nodes, two rounds.
    assert WeisfeilerLehman(2)([CYCLE, CYCLE[:4]]).tolist() == [[75, 45], [45, 47]]


@pytest.mark.parametrize("kind", KERNELS)
@given(
    A=st.lists(samples(), min_size=1, max_size=4), B=st.lists(samples(), min_size=1, max_size=3), n=st.integers(0, 4)
)
def test_neighbourhoods_in_common(kind, A, B, n):
    for bonds in (False, True):
        kernel, want = kind(n, edge_labels=bonds), expected(A, B, n, kind, bonds=bonds)
        np.testing.assert_array_equal(kernel(packed(A), packed(B)), want)
        np.testing.assert_array_equal(kernel.diag(packed(A)), np.diagonal(expected(A, A, n, kind, bonds=bonds)))


@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("directed", ["both", "out", "in"])
@given(A=st.lists(samples(directed=True), min_size=1, max_size=4), n=st.integers(1, 3), bonds=st.booleans())
def test_directions(kind, directed, A, n, bonds):
    kernel = kind(n, edge_labels=bonds, directed=directed)
    want = expected(A, A, n, kind, directed=directed, bonds=bonds)
    np.testing.assert_array_equal(kernel(packed(A, directed=True)), want)


@given(A=st.lists(samples(), min_size=1, max_size=4))
def test_undirected_graphs_ignore_directed(A):
    graphs = packed(A)
    K = WeisfeilerLehman(2)(graphs)
    for directed in ("out", "in"):
        np.testing.assert_array_equal(WeisfeilerLehman(2, directed=directed)(graphs), K)


@given(A=st.lists(samples(), min_size=1, max_size=4))
def test_without_labels(A):
    got = WeisfeilerLehman(3)(packed(A, labels=False))
    np.testing.assert_array_equal(got, expected(A, A, 3, WeisfeilerLehman, labels=False))


@pytest.mark.parametrize("kind", KERNELS)
@given(sample=samples(), data=st.data())
def test_order_of_nodes_does_not_matter(kind, sample, data):
    order = data.draw(st.permutations(range(len(sample[0]))))
    K = kind(3, edge_labels=True)(packed([sample, permuted(sample, order)]))
    assert K[0, 0] == K[0, 1] == K[1, 1]


@pytest.mark.parametrize("base", [VertexHistogram(), EdgeHistogram()])
@given(A=st.lists(samples(), min_size=1, max_size=3), B=st.lists(samples(), min_size=1, max_size=3))
def test_base_on_relabelled_graphs(base, A, B):
    kernel, left, right = WeisfeilerLehman(2, base), packed(A), packed(B)
    a, b = kernel.colors(left), kernel.colors(right)
    want = sum(base(a.relabelled(i), b.relabelled(i)) for i in range(3))
    np.testing.assert_array_equal(kernel(left, right), want)


def test_rounds_of_the_base_are_kept_apart():
    # A plain base takes the short way through the core, one inside another kernel does not.
    graphs = packed([(["C", "C", "O"], {(0, 1): 1, (1, 2): 2}), (["O", "C"], {(0, 1): 1})])
    nested = WeisfeilerLehman(2, WeisfeilerLehman(0))
    np.testing.assert_array_equal(nested(graphs), WeisfeilerLehman(2)(graphs))
    np.testing.assert_array_equal(WeisfeilerLehman(2, EdgeHistogram())(graphs), 3 * EdgeHistogram()(graphs))
    assert WeisfeilerLehman(2, WeisfeilerLehman(0)).with_params(base__n_iter=1) == WeisfeilerLehman(
        2, WeisfeilerLehman(1)
    )


@pytest.mark.parametrize("kind", KERNELS)
def test_unseen_labels_count_on_the_diagonal(kind):
    known, new = packed([(["C", "O"], {(0, 1): 1})]), packed([(["S", "P"], {(0, 1): 1}), (["C", "P"], {(0, 1): 1})])
    kernel = kind(2)
    np.testing.assert_array_equal(kernel(known, new), [[0, 1]])
    np.testing.assert_array_equal(kernel.diag(new), kernel.diag(known)[[0, 0]])


@pytest.mark.parametrize("kind", KERNELS)
def test_a_part_of_the_data_gives_a_part_of_the_matrix(kind, molecules):
    graphs, rows = molecules, np.array([7, 3, 3, 19])
    K = kind(3)(graphs)
    np.testing.assert_array_equal(kind(3)(graphs[rows]), K[np.ix_(rows, rows)])
    np.testing.assert_array_equal(kind(3)(graphs[5:9], graphs[::4]), K[5:9, ::4])
    np.testing.assert_array_equal(kind(3)(graphs, n_jobs=1), K)
    v = np.linspace(-1, 1, len(graphs))
    np.testing.assert_allclose(gram(kind(3), graphs) @ v, K @ v, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("kind", KERNELS)
def test_laws(kind, molecules):
    check_kernel(kind(2), molecules[:8])
    check_kernel(kind(2).normalized(), molecules[:8])
    assert kind().definiteness.value == "psd"


def test_empty_graphs():
    graphs = Graphs([(0, []), (2, []), (1, [(0, 0)])])
    assert WeisfeilerLehman(2)(graphs).tolist() == [[0, 0, 0], [0, 12, 2], [0, 2, 3]]
    assert WLOptimalAssignment(2)(graphs).tolist() == [[0, 0, 0], [0, 6, 1], [0, 1, 3]]
    assert WeisfeilerLehman(2).normalized()(graphs)[0].tolist() == [0, 0, 0]


def test_long_paths_and_large_stars():
    n = 100_000
    path = Graphs.from_edges(np.column_stack([np.arange(n - 1), np.arange(1, n)]))
    assert WeisfeilerLehman(2)(path).tolist() == [[n**2 + 2**2 + (n - 2) ** 2 + 2 * 2**2 + (n - 4) ** 2]]
    star = Graphs.from_edges(np.column_stack([np.zeros(n, dtype=int), np.arange(1, n + 1)]))
    assert WLOptimalAssignment(3)(star, star).tolist() == [[4 * (n + 1)]]


def test_features_have_columns_and_names():
    graphs = packed([(["C", "O", "O", "C"], {(0, 1): 1, (0, 2): 2, (0, 3): 1}), (["C", "O"], {(0, 1): 1})])
    features = FeatureMap(WeisfeilerLehman(2))
    F = features.fit_transform(graphs)
    np.testing.assert_array_equal((F @ F.T).toarray(), WeisfeilerLehman(2)(graphs))
    columns = dict(zip(features.get_feature_names_out().tolist(), F.toarray()[0].tolist(), strict=True))
    shown = ["C", "O", "1: C(C)", "1: C(C,O,O)", "1: O(C)", "2: C(C(C,O,O))", "2: C(C(C),O(C),O(C))", "2: O(C(C,O,O))"]
    assert {name: columns[name] for name in shown} == dict(zip(shown, [2, 2, 1, 1, 2, 1, 1, 2], strict=True))
    assert sum(columns.values()) == 12
    new = packed([(["C", "O", "S"], {(0, 1): 1, (1, 2): 1})])
    assert features.transform(new).sum() == 3  # C, O and C(O)


def test_names_of_edges_and_directions():
    sample = (["C", "O", "N"], {(0, 1): "double", (1, 2): "single"})
    names = FeatureMap(WeisfeilerLehman(1, edge_labels=True)).fit(packed([sample])).get_feature_names_out()
    assert {"1: C(double:O)", "1: O(double:C,single:N)", "1: N(single:O)"} < set(names)
    names = FeatureMap(WeisfeilerLehman(1)).fit(packed([sample], directed=True)).get_feature_names_out()
    assert {"1: C(→O)", "1: O(←C,→N)", "1: N(←O)"} < set(names)
    names = FeatureMap(WeisfeilerLehman(1, directed="in")).fit(packed([sample], directed=True)).get_feature_names_out()
    assert {"1: C()", "1: O(←C)", "1: N(←O)"} < set(names)
    names = FeatureMap(WeisfeilerLehman(1, EdgeHistogram())).fit(packed([sample])).get_feature_names_out()
    assert set(names) == {"double", "single", "1: double", "1: single"}
    names = FeatureMap(WLOptimalAssignment(0)).fit(packed([(["C", "C"], {})])).get_feature_names_out()
    assert set(names) == {"C #1", "C #2"}


def test_names_are_different_and_short(molecules):
    features = FeatureMap(WeisfeilerLehman(4)).fit(molecules)
    names = features.get_feature_names_out()
    assert len(set(names)) == len(names) == features.transform(molecules[:1]).shape[1]
    assert max(map(len, names)) < 75


@pytest.mark.parametrize("kind", KERNELS)
def test_in_an_estimator(kind, molecules):
    y = [graph.node_labels.count("C") > graph.n_nodes / 2 for graph in molecules]
    scores = cross_val_score(SVC(kernel=kind(1).normalized(), C=10.0), molecules, y, cv=3)
    assert scores.mean() > 0.7


def test_columns_of_tables():
    graphs = packed([(["C", "O"], {(0, 1): 1}), (["C"], {})])
    table = Table.from_frame({"age": [1.0, 2.0], "molecule": list(graphs)})
    kernel = Columns(["molecule"], WeisfeilerLehman(1))
    np.testing.assert_array_equal(kernel(table), WeisfeilerLehman(1)(graphs))
    column = np.empty((2, 1), dtype=object)
    column[:, 0] = list(graphs)
    np.testing.assert_array_equal(WeisfeilerLehman(1)(column), WeisfeilerLehman(1)(graphs))


def test_text():
    assert str(WeisfeilerLehman()) == "weisfeiler_lehman"
    kernel = WeisfeilerLehman(3, EdgeHistogram(), directed="in")
    assert str(kernel) == "weisfeiler_lehman(n_iter=3, base=edge_histogram, directed='in')"
    assert str(WLOptimalAssignment(2, edge_labels=True)) == "wl_optimal_assignment(n_iter=2, edge_labels=True)"
    assert eval(repr(kernel)) == kernel


def test_refusals():
    with pytest.raises(ValueError, match="WeisfeilerLehman: parameter n_iter"):
        WeisfeilerLehman(-1)
    with pytest.raises(TypeError, match="base must be a graph kernel"):
        WeisfeilerLehman(base="vertex_histogram")
    with pytest.raises(ValueError, match="directed must be one of 'both', 'out', 'in'"):
        WLOptimalAssignment(directed="up")
    with pytest.raises(TypeError, match="edge_labels must be True or False"):
        WLOptimalAssignment(edge_labels="yes")
    with pytest.raises(ValueError, match="WeisfeilerLehman: needs edge labels, but the edges of graph 1 have none"):
        WeisfeilerLehman(edge_labels=True)([(2, []), CYCLE])
    with pytest.raises(ValueError, match="WLOptimalAssignment: needs edge labels"):
        WLOptimalAssignment(edge_labels=True)([CYCLE])
    with pytest.raises(ValueError, match="WeisfeilerLehman: expected one graph per sample, got 2 columns"):
        WeisfeilerLehman()(np.empty((3, 2), dtype=object))


def test_small_numbers_as_labels_do_not_collide():
    # Their codes differ in a few bits only: 16 labels of edges times 16 of nodes, around a node labelled 100.
    pairs = [(bond, atom) for bond in range(16) for atom in range(16)]
    graphs = Graphs.from_edges(
        np.arange(512).reshape(-1, 2),
        np.repeat(np.arange(256), 2),
        node_labels=[label for _, atom in pairs for label in (100, atom)],
        edge_labels=[bond for bond, _ in pairs],
    )
    kernel = WeisfeilerLehman(1, edge_labels=True)
    assert kernel.feature_map(graphs).shape[1] == 17 + 2 * 256
    np.testing.assert_array_equal(np.diagonal(kernel(graphs)), np.full(256, 4.0))
