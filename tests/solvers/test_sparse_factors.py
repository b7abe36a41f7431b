"""Sparse and dense factors of neighbour graphs: which one is taken, and that both give the same eigenpairs."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_swiss_roll
from sklearn.neighbors import kneighbors_graph

from mercer.solvers import embedding
from mercer.solvers.embedding import bottom_eigenpairs, normalized_laplacian


def laplacian(X):
    W = kneighbors_graph(X, 10)
    return normalized_laplacian(sp.csr_array(W.maximum(W.T)))


def noise(n, d):
    return np.random.default_rng(0).normal(size=(n, d))


def test_factors_of_noise_in_many_dimensions_are_dense():
    """SuperLU, which Ctrl-C cannot interrupt, would take about two seconds."""
    assert embedding._fills(laplacian(noise(6000, 20))[0])


@pytest.mark.parametrize("X", [noise(2000, 20), make_swiss_roll(6000, random_state=0)[0]], ids=["few", "manifold"])
def test_quick_factors_are_sparse(X):
    assert not embedding._fills(laplacian(X)[0])


def test_dense_factors_need_memory(monkeypatch):
    L = laplacian(noise(6000, 20))[0]
    monkeypatch.setattr(embedding, "available_memory", lambda: 10**8)
    assert not embedding._fills(L)


@pytest.mark.parametrize("X", [noise(400, 8), make_swiss_roll(400, random_state=0)[0]], ids=["noise", "manifold"])
def test_both_factors_give_the_eigenpairs(X, monkeypatch):
    L, degrees = laplacian(X)
    null = np.sqrt(degrees / degrees.sum())
    expected = np.linalg.eigvalsh(L.toarray())[1:4]
    for dense in (False, True):
        monkeypatch.setattr(embedding, "_fills", lambda _, dense=dense: dense)
        found = bottom_eigenpairs(L, null, 3, bound=2.0, method="arpack")
        np.testing.assert_allclose(found.values, expected, atol=1e-9)
        np.testing.assert_allclose(L @ found.vectors, found.vectors * found.values, atol=1e-7)
