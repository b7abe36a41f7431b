"""Centring in memory against the features themselves."""

import numpy as np
import pytest

from mercer.operators import PrecomputedOperator, center_gram


@pytest.fixture
def features(rng):
    return rng.standard_normal((30, 4)) + 3, rng.standard_normal((7, 4)), rng.integers(0, 4, 30).astype(float)


@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_those_of_centred_features(features, weighted, rng):
    F, G, weight = features
    w = weight if weighted else np.ones(len(F))
    mean = w @ F / w.sum()
    K, plain = F @ F.T, F @ F.T
    centering = center_gram(K, weight if weighted else None)
    np.testing.assert_allclose(K, (F - mean) @ (F - mean).T, atol=1e-12)
    np.testing.assert_array_equal(K, K.T)
    new = G @ F.T
    np.testing.assert_allclose(centering.apply(new), (G - mean) @ (F - mean).T, atol=1e-12)
    np.testing.assert_allclose(centering.norms(new, (G * G).sum(axis=1)), ((G - mean) ** 2).sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(centering.apply(plain), K, atol=1e-12)
    a = rng.standard_normal((30, 3))
    coef, offset = centering.fold(a)
    np.testing.assert_allclose(new @ coef + offset, centering.apply(new) @ a, atol=1e-12)


def test_weights_are_repetitions(features):
    F, _, weight = features
    repeated = np.repeat(F, weight.astype(int), axis=0)
    K = F @ F.T
    twin = repeated @ repeated.T
    assert center_gram(K, weight).mean == pytest.approx(center_gram(twin).mean)
    np.testing.assert_allclose(np.repeat(np.repeat(K, weight.astype(int), 0), weight.astype(int), 1), twin, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_operator_does_the_same(features, weighted, rng):
    F, G, weight = features
    weight = weight if weighted else None
    K = F @ F.T
    operator = PrecomputedOperator(K.copy()).centered(weight)
    centering = center_gram(K, weight)
    np.testing.assert_allclose(operator.dense(), K, atol=1e-12)
    np.testing.assert_allclose(operator.diag(), np.diagonal(K), atol=1e-12)
    V = rng.standard_normal((30, 2))
    np.testing.assert_allclose(operator @ V, K @ V, atol=1e-11)
    test = operator.test(PrecomputedOperator(G @ F.T, symmetric=False))
    np.testing.assert_allclose(test.dense(), centering.apply(G @ F.T), atol=1e-12)
    np.testing.assert_allclose(test @ V, centering.apply(G @ F.T) @ V, atol=1e-11)
    np.testing.assert_allclose(test.rmatmul(G), centering.apply(G @ F.T).T @ G, atol=1e-11)
    coef, offset = operator.centering.fold(V)
    np.testing.assert_allclose((G @ F.T) @ coef + offset, test @ V, atol=1e-11)


@pytest.mark.parametrize("weight", [np.ones(3), -np.ones(30), np.zeros(30), np.full(30, np.nan)])
def test_weights_that_are_none(features, weight):
    K = PrecomputedOperator(features[0] @ features[0].T)
    with pytest.raises(ValueError, match="CenteredOperator: weight needs 30 nonnegative numbers of a positive sum"):
        K.centered(weight)
