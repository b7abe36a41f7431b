import numpy as np
import pytest
from scipy.sparse.linalg import cg, eigsh

from mercer.kernels import RBF, Linear
from mercer.operators import LowRankOperator, gram
from tests.operators.cases import centred

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 4))
Z = rng.standard_normal((9, 4))


def test_linear_kernel_centres_the_data():
    K = gram(Linear(), X + 5).centered()
    C = X - X.mean(axis=0)
    np.testing.assert_allclose(K.dense(), C @ C.T, atol=1e-12)
    T = K.test(gram(Linear(), Z + 5, X + 5))
    np.testing.assert_allclose(T.dense(), (Z - X.mean(axis=0)) @ C.T, atol=1e-12)


def test_rows_and_columns_sum_to_zero():
    K = gram(RBF(gamma=0.1), X).centered()
    np.testing.assert_allclose(K.dense().sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(K @ np.ones(60), 0, atol=1e-12)


def test_test_data_that_are_training_data():
    K = gram(RBF(gamma=0.1), X)
    again = K.centered().test(gram(RBF(gamma=0.1), X[:9], X))
    np.testing.assert_allclose(again.dense(), K.centered().rows(slice(9)), atol=1e-13)


def test_means_are_kept():
    K = gram(RBF(gamma=0.1), X).centered()
    exact = RBF(gamma=0.1)(X)
    np.testing.assert_allclose(K.row_means, exact.mean(axis=1), rtol=1e-13)
    np.testing.assert_allclose(K.column_means, exact.mean(axis=0), rtol=1e-13)
    assert K.mean == pytest.approx(exact.mean(), rel=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_of_one_choice_are_symmetric(dtype):
    K = gram(RBF(gamma=0.1), X.astype(dtype)).centered()
    block = K.block([3, 50, 7], [3, 50, 7])
    np.testing.assert_array_equal(block, block.T)


def test_eigsh():
    K = gram(RBF(gamma=0.1), X).centered()
    values, vectors = eigsh(K.as_linear_operator(), k=3, v0=rng.standard_normal(60))
    exact = np.linalg.eigvalsh(centred(RBF(gamma=0.1)(X)))[-3:]
    np.testing.assert_allclose(values, exact, rtol=1e-10)
    np.testing.assert_allclose(K @ vectors, vectors * values, atol=1e-10)


def test_conjugate_gradients():
    ridge = gram(RBF(gamma=0.1), X) + LowRankOperator(np.zeros((60, 1)), diagonal=np.ones(60))
    y = rng.standard_normal(60)
    solution, status = cg(ridge.as_linear_operator(), y, rtol=1e-12)
    assert status == 0
    np.testing.assert_allclose(ridge @ solution, y, atol=1e-10)
