"""Values of GraKeL: stored ones, and its own where it is installed."""

import json
import os
import pathlib

import numpy as np
import pytest

from mercer.data import Graphs
from mercer.kernels.graphs import (
    EdgeHistogram,
    NeighborhoodHash,
    VertexHistogram,
    WeisfeilerLehman,
    WLOptimalAssignment,
)

GOLDENS = json.loads((pathlib.Path(__file__).parents[2] / "goldens" / "graphs.json").read_text())["values"]
KERNELS = {
    str(kernel): kernel
    for kernel in (
        VertexHistogram(),
        EdgeHistogram(),
        *(WeisfeilerLehman(n_iter) for n_iter in (1, 3)),
        WLOptimalAssignment(3),
    )
} | {"weisfeiler_lehman(n_iter=5)": WeisfeilerLehman(5)}


def read(name):
    """A data set below the folder that the environment variable MERCER_DATA names."""
    path = os.environ.get("MERCER_DATA")
    if not path:
        pytest.skip("MERCER_DATA names no folder of data sets")
    return Graphs.read_tu(pathlib.Path(path) / "graphs" / name)[0]


def triples(graphs):
    """Graphs as GraKeL takes them; as matrices, for of sets of edges its optimal assignment drops isolated nodes."""
    return [
        [
            graph.adjacency().toarray(),
            dict(enumerate(graph.node_labels)),
            {
                pair: label
                for (u, v), label in zip(graph.edges(), graph.edge_labels or [], strict=False)
                for pair in ((u, v), (v, u))
            },
        ]
        for graph in graphs
    ]


@pytest.mark.parametrize(("data", "kernel"), [(data, kernel) for data in GOLDENS for kernel in GOLDENS[data]])
def test_stored_values(data, kernel):
    golden, K = GOLDENS[data][kernel], KERNELS[kernel](read(data))
    i = np.arange(len(K))
    assert K.sum() == golden["sum"]
    assert (K * ((7 * i[:, None] + 13 * i) % 101)).sum() == golden["weighted"]
    assert K[:4, :4].tolist() == golden["corner"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("data", ["MUTAG", "PTC_MR"])
def test_values_at_hand(data):
    grakel = pytest.importorskip("grakel")
    graphs = read(data)
    given = triples(graphs)
    for ours, theirs in (
        (VertexHistogram(), grakel.VertexHistogram()),
        (EdgeHistogram(), grakel.EdgeHistogram()),
        (WeisfeilerLehman(3), grakel.WeisfeilerLehman(n_iter=3, base_graph_kernel=grakel.VertexHistogram)),
        (WLOptimalAssignment(2), grakel.WeisfeilerLehmanOptimalAssignment(n_iter=2)),
    ):
        np.testing.assert_array_equal(ours(graphs), theirs.fit_transform(given), err_msg=str(ours))
        np.testing.assert_array_equal(ours(graphs[::7], graphs), theirs.transform(given[::7]), err_msg=str(ours))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("counted", [False, True])
def test_neighbourhood_hash_of_many_bits(counted):
    # GraKeL draws its labels at random; of 23 bits they hardly collide.
    grakel = pytest.importorskip("grakel")
    graphs = read("MUTAG")[:60]
    kind = "count_sensitive" if counted else "simple"
    theirs = grakel.NeighborhoodHash(R=3, nh_type=kind, bits=23, random_state=0)
    ours = NeighborhoodHash(3, count_sensitive=counted)
    np.testing.assert_allclose(ours(graphs), theirs.fit_transform(triples(graphs)), rtol=1e-14)
