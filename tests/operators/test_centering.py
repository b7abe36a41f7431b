"""Centring in memory against the features themselves."""

import numpy as np
import pytest

from mercer.operators import CenteredOperator, PrecomputedOperator, center_gram


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


def test_the_operator_does_the_same(features):
    F, G, _ = features
    K = F @ F.T
    operator = CenteredOperator(PrecomputedOperator(K.copy()))
    centering = center_gram(K)
    np.testing.assert_allclose(operator.dense(), K, atol=1e-12)
    test = CenteredOperator(PrecomputedOperator(G @ F.T, symmetric=False), training=operator)
    np.testing.assert_allclose(test.dense(), centering.apply(G @ F.T), atol=1e-12)
