"""Histograms of labels."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.data import Graphs
from mercer.kernels.graphs import EdgeHistogram, VertexHistogram
from mercer.preprocessing import FeatureMap
from mercer.testing import check_kernel
from tests.reference.graphs_wl import packed, products

LABELS = st.lists(st.one_of(st.integers(-2, 2), st.sampled_from(["C", "O", ("a", 1)])), max_size=6)


@given(A=st.lists(LABELS, min_size=1, max_size=4), B=st.lists(LABELS, min_size=1, max_size=4))
def test_counts_of_nodes(A, B):
    left, right = (packed([(labels, {}) for labels in part], bonds=False) for part in (A, B))
    want = products([Counter(a) for a in A], [Counter(b) for b in B])
    np.testing.assert_array_equal(VertexHistogram()(left, right), want)


@pytest.mark.parametrize("directed", [False, True])
@given(A=st.lists(LABELS, min_size=1, max_size=4))
def test_counts_of_edges(directed, A):
    # A path and a loop: of undirected graphs the loop is one arc, an edge is two.
    samples = [([0] * (len(a) + 1), {(v, min(v + 1, len(a) - 1)): label for v, label in enumerate(a)}) for a in A]
    times = 1 if directed else 2
    counts = [Counter() for a in A]
    for count, a in zip(counts, A, strict=True):
        for v, label in enumerate(a):
            count[label] += 1 if v == len(a) - 1 else times
    got = EdgeHistogram()(packed(samples, directed=directed))
    np.testing.assert_array_equal(got, products(counts, counts))


def test_laws(molecules):
    for kernel in (VertexHistogram(), EdgeHistogram()):
        check_kernel(kernel, molecules[:8])
        assert kernel.definiteness.value == "psd"
    assert (str(VertexHistogram()), str(EdgeHistogram())) == ("vertex_histogram", "edge_histogram")


def test_features_have_names():
    graphs = packed([(["C", 1, "C"], {(0, 1): "double"}), (["O"], {})])
    for kernel, shown in ((VertexHistogram(), {"C": 2, "1": 1, "O": 0}), (EdgeHistogram(), {"double": 2})):
        features = FeatureMap(kernel).fit(graphs)
        values = features.transform(graphs).toarray()[0].tolist()
        assert dict(zip(features.get_feature_names_out().tolist(), values, strict=True)) == shown


def test_graphs_without_labels():
    graphs = Graphs([(3, [(0, 1)]), (2, []), (0, [])])
    assert VertexHistogram()(graphs).tolist() == [[9, 6, 0], [6, 4, 0], [0, 0, 0]]
    assert FeatureMap(VertexHistogram()).fit(graphs).get_feature_names_out().tolist() == ["node"]
    assert EdgeHistogram()(graphs[1:]).tolist() == [[0, 0], [0, 0]]
    with pytest.raises(ValueError, match="EdgeHistogram: needs edge labels, but the edges of graph 1 have none"):
        EdgeHistogram()(graphs[[1, 0]])
