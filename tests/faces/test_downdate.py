"""Principal components without one sample."""

import numpy as np
import pytest

from mercer.faces.downdate import downdated
from mercer.solvers.principal import principal_components

KINDS = ["plain", "steep", "duplicates", "rounded", "equal eigenvalues", "a sample at the mean", "few features"]


def samples(kind, rng):
    n = int(rng.integers(5, 40))
    X = rng.normal(size=(n, 2 if kind == "few features" else 30))
    if kind == "steep":
        X *= np.exp(3 * rng.normal(size=30))
    if kind == "duplicates":
        X[n // 2 :] = X[: n - n // 2]
    if kind == "rounded":
        X = np.round(X)
    if kind == "equal eigenvalues":
        X = np.eye(n)
    if kind == "a sample at the mean":
        X[0] = X[1:].mean(axis=0)
    return X - X.mean(axis=0)


@pytest.mark.parametrize("kind", KINDS)
def test_agrees_with_the_decomposition_of_the_others(kind):
    rng = np.random.default_rng(0)
    for _ in range(10):
        X = samples(kind, rng)
        n = len(X)
        full = principal_components(X @ X.T, n, positive=True)
        Z = full.vectors * np.sqrt(full.values)
        for i in (0, n - 1):
            others = np.delete(X, i, axis=0)
            truth = np.linalg.eigvalsh(np.cov(others.T, bias=True) * (n - 1))[::-1]
            S = np.diag(full.values) - n / (n - 1) * np.outer(Z[i], Z[i])
            for k in {1, (len(full.values) + 1) // 2, min(len(full.values), n - 2)}:
                values, vectors = downdated(full.values, Z[i], n / (n - 1), k)
                np.testing.assert_allclose(values, truth[:k], rtol=0, atol=1e-12 * truth[0])
                np.testing.assert_allclose(S @ vectors, vectors * values, rtol=0, atol=1e-12 * truth[0])
                np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), rtol=0, atol=1e-9)


def test_eigenvalues_interlace(rng):
    values = np.sort(rng.uniform(1, 2, size=50))[::-1]
    z = 0.1 * rng.normal(size=50)
    mu, _ = downdated(values, z, 1.0, 49)
    assert (mu <= values[:49]).all()
    assert (mu >= values[1:]).all()


def test_vectors_that_are_not_orthogonal_are_found_from_the_matrix(rng, monkeypatch):
    values, z = np.sort(rng.uniform(1, 2, size=20))[::-1], 0.1 * rng.normal(size=20)
    mu, U = downdated(values, z, 1.0, 5)
    monkeypatch.setattr("mercer.faces.downdate._ORTHOGONAL", -1.0)
    again, V = downdated(values, z, 1.0, 5)
    np.testing.assert_allclose(again, mu)
    np.testing.assert_allclose(np.abs(U.T @ V), np.eye(5), atol=1e-9)
