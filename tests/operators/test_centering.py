"""Centring in memory against the features themselves."""

import numpy as np
import pytest

from mercer.kernels import RBF
from mercer.operators import Centering, PrecomputedOperator, center_gram, gram
from mercer.operators.centering import center_in_place


@pytest.fixture
def features(rng):
    return rng.standard_normal((30, 4)) + 3, rng.standard_normal((7, 4)), rng.integers(0, 4, 30).astype(float)


@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_those_of_centred_features(features, weighted, rng):
    F, G, weight = features
    w = weight if weighted else np.ones(len(F))
    mean = w @ F / w.sum()
    K, plain = F @ F.T, F @ F.T
    centering = center_in_place(K, weight if weighted else None)
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
    assert center_in_place(K, weight).mean == pytest.approx(center_in_place(twin).mean)
    np.testing.assert_allclose(np.repeat(np.repeat(K, weight.astype(int), 0), weight.astype(int), 1), twin, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_operator_does_the_same(features, weighted, rng):
    F, G, weight = features
    weight = weight if weighted else None
    K = F @ F.T
    operator = PrecomputedOperator(K.copy()).centered(weight)
    centering = center_in_place(K, weight)
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
    with pytest.raises(ValueError, match="CenteredOperator: weight needs 30 non-negative numbers with a positive sum"):
        K.centered(weight)


# ---- center_gram: a matrix in, a matrix out


def test_a_new_matrix_and_the_old_one_unchanged(features):
    F, _, weight = features
    K = F @ F.T
    before = K.copy()
    for w in (None, weight):
        mean = np.average(F, axis=0, weights=w)
        centred = center_gram(K, weight=w)
        assert isinstance(centred, np.ndarray)
        np.testing.assert_allclose(centred, (F - mean) @ (F - mean).T, atol=1e-12)
        np.testing.assert_array_equal(centred, centred.T)
    np.testing.assert_array_equal(K, before)


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_of_new_samples_take_the_means_of_the_training_samples(features, weighted):
    F, G, weight = features
    weight = weight if weighted else None
    mean = np.average(F, axis=0, weights=weight)
    K, rows = F @ F.T, G @ F.T
    np.testing.assert_allclose(center_gram(rows, K, weight=weight), (G - mean) @ (F - mean).T, atol=1e-12)
    np.testing.assert_allclose(center_gram(K, K, weight=weight), center_gram(K, weight=weight), atol=1e-12)


def test_the_textbook_formula(features):
    """K̃ᵗ = Kᵗ − 1′K − Kᵗ1_n + 1′K1_n."""
    F, G, _ = features
    K, Kt, n, m = F @ F.T, G @ F.T, len(F), len(G)
    ones, few = np.full((n, n), 1 / n), np.full((m, n), 1 / n)
    np.testing.assert_allclose(center_gram(K), K - ones @ K - K @ ones + ones @ K @ ones, atol=1e-11)
    np.testing.assert_allclose(center_gram(Kt, K), Kt - few @ K - Kt @ ones + few @ K @ ones, atol=1e-11)


def test_lists_and_single_precision():
    assert center_gram([[2, 0], [0, 4]]).tolist() == [[1.5, -1.5], [-1.5, 1.5]]
    K = RBF(gamma=0.5)(np.arange(6.0).reshape(-1, 1).astype(np.float32))
    assert K.dtype == np.float32
    assert center_gram(K).dtype == np.float64


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((np.ones((2, 3)),), ValueError, r"K of shape \(2, 3\) is not square.*center_gram\(K, training\)"),
        ((np.array([[1.0, 2.0], [0.0, 1.0]]),), ValueError, "is not symmetric"),
        ((np.ones((2, 3)), np.eye(2)), ValueError, "K has 3 columns, but training has 2 samples"),
        ((np.eye(2), np.ones((2, 3))), ValueError, "training of shape"),
        ((np.array([[np.nan]]),), ValueError, "K contains NaN"),
        ((gram(RBF(gamma=1.0), np.eye(2)),), TypeError, r"got .*operator\.centered\(\)"),
    ],
)
def test_what_cannot_be_centred(arguments, error, message):
    with pytest.raises(error, match="center_gram: .*" + message):
        center_gram(*arguments)


def test_means_alone_leave_the_matrix(features):
    F, _, weight = features
    K = F @ F.T
    before, centering = K.copy(), Centering.of(K, weight)
    np.testing.assert_array_equal(K, before)
    assert centering.mean == pytest.approx(center_in_place(K, weight).mean)
