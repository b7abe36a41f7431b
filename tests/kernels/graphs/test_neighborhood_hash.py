"""The neighbourhood hash kernel against sets that stand for sums of bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.data import Graphs
from mercer.kernels.graphs import NeighborhoodHash
from mercer.testing import check_kernel
from tests.kernels.graphs.test_weisfeiler_lehman import samples
from tests.reference.graphs_wl import common, hashes, packed


def expected(A, n_iter, **options):
    sizes = np.array([len(nodes) for nodes, _ in A], dtype=float)
    total = np.zeros((len(A), len(A)))
    for counts in hashes(A, n_iter, **options):
        shared = common(counts, counts)
        union = sizes[:, None] + sizes - shared
        total += np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    return total / n_iter


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@given(data=st.data(), n_iter=st.integers(1, 4))
def test_labels_in_common(counted, directed, data, n_iter):
    A = data.draw(st.lists(samples(directed=directed), min_size=1, max_size=4))
    K = NeighborhoodHash(n_iter, count_sensitive=counted)(packed(A, directed=directed))
    np.testing.assert_allclose(K, expected(A, n_iter, counted=counted, directed=directed), rtol=1e-14)


def test_two_equal_neighbours_cancel_unless_counted():
    pair, alone = packed([(["C", "O", "O"], {(0, 1): 1, (0, 2): 1})]), packed([(["C"], {})])
    assert NeighborhoodHash(1, count_sensitive=False)(pair, alone)[0, 0] == 1 / 3
    assert NeighborhoodHash(1)(pair, alone)[0, 0] == 0


def test_few_bits_collide(molecules):
    exact, rough = (NeighborhoodHash(2, bits)(molecules) for bits in (64, 2))
    assert rough.sum() > exact.sum()
    assert (np.diagonal(rough) == 1).all()


def test_laws(molecules):
    kernel = NeighborhoodHash()
    check_kernel(kernel, molecules[:8])
    assert kernel.definiteness.value == "psd"
    K = kernel(molecules)
    np.testing.assert_array_equal(kernel(molecules[3:7], molecules[::5]), K[3:7, ::5])
    assert str(NeighborhoodHash(2, 8, False)) == "neighborhood_hash(n_iter=2, bits=8, count_sensitive=False)"


def test_empty_graphs():
    assert NeighborhoodHash()(Graphs([(0, []), (1, []), (0, [])])).tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]


def test_refusals():
    for options, message in (
        ({"n_iter": 0}, "n_iter"),
        ({"bits": 65}, "bits"),
    ):
        with pytest.raises(ValueError, match=f"NeighborhoodHash: parameter {message}"):
            NeighborhoodHash(**options)
    with pytest.raises(TypeError, match="count_sensitive must be True or False"):
        NeighborhoodHash(count_sensitive=1)
