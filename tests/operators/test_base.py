"""Errors of every operator, and the algebra between them."""

import numpy as np
import pytest
import scipy.sparse as sp

from mercer.kernels import RBF, Linear
from mercer.operators import (
    BlockedOperator,
    CenteredOperator,
    DenseOperator,
    LowRankOperator,
    PrecomputedOperator,
    ProductOperator,
    ScaledOperator,
    SumOperator,
    gram,
)
from mercer.operators.tiles import product
from tests.operators.cases import BUDGET, Overlap

X = np.random.default_rng(0).standard_normal((12, 3))


@pytest.fixture
def K():
    return gram(RBF(gamma=0.5), X, X[:7], memory_budget=BUDGET)


@pytest.mark.parametrize("shape", [(12,), (12, 2), (), (7, 1, 1), (0,)])
def test_a_wrong_shape_names_both(K, shape):
    with pytest.raises(ValueError, match=r"operator is 12 x 7 and V has shape \("):
        K @ np.zeros(shape)
    with pytest.raises(ValueError, match="V must be a vector or a matrix with 12 rows"):
        K.rmatmul(np.zeros(7))


@pytest.mark.parametrize(
    ("V", "error", "message"),
    [
        (np.full(7, np.nan), ValueError, "V contains NaN"),
        (np.array([[np.inf]] * 7), ValueError, "V contains infinity"),
        (np.ones(7, dtype=complex), ValueError, "Complex data not supported, got V"),
        (["a"] * 7, TypeError, "expected real numbers"),
        ([[1.0, 2.0], *[[3.0]] * 6], ValueError, "V cannot be converted to an array"),
        (sp.csr_array(np.ones((7, 2))), TypeError, "needs a dense V"),
    ],
    ids=["nan", "inf", "complex", "text", "ragged", "sparse"],
)
def test_a_wrong_operand(K, V, error, message):
    with pytest.raises(error, match=message):
        K @ V


def test_operators_do_not_multiply_as_matrices(K):
    with pytest.raises(TypeError, match=r"K \* L is the entrywise product"):
        K @ K


@pytest.mark.parametrize("rows", [[7, 12], [-13], 12])
def test_rows_out_of_range(K, rows):
    with pytest.raises(IndexError, match=r"BlockedOperator: rows .* out of range for 12"):
        K.rows(rows)


def test_other_wrong_indices(K):
    with pytest.raises(IndexError, match="cols 7 is out of range for 7"):
        K.block([0], [7])
    with pytest.raises(IndexError, match="a mask for rows needs length 12"):
        K.rows(np.ones(7, dtype=bool))
    with pytest.raises(IndexError, match="must be integers, a mask or a slice"):
        K.rows([0.5])
    mask = np.ones(12, dtype=bool)
    with pytest.raises(IndexError, match="a mask for cols needs length 7"):
        K.block(mask, mask)


@pytest.mark.parametrize(
    "out",
    [
        np.empty((12, 6)),
        np.empty((12, 7), dtype=np.float32),
        np.empty((12, 7), order="F"),
        np.frombuffer(bytes(12 * 7 * 8)).reshape(12, 7),
        [[0.0]],
    ],
    ids=["shape", "dtype", "order", "read-only", "list"],
)
def test_a_wrong_out(K, out):
    with pytest.raises(ValueError, match=r"out must be a writable float64 array of shape \(12, 7\)"):
        K.dense(out=out)


def test_sums_and_products_flatten_by_class(K):
    total, hadamard = K + K + K, K * (K * K)
    assert isinstance(total, SumOperator)
    assert len(total.members) == 3
    assert isinstance(hadamard, ProductOperator)
    assert len(hadamard.members) == 3
    assert len((total * K).members) == 2
    assert repr(total * K).endswith("(rbf(gamma=0.5) + rbf(gamma=0.5) + rbf(gamma=0.5))*rbf(gamma=0.5)")


def test_the_builtin_sum(K):
    np.testing.assert_allclose(sum([K, K]).dense(), 2 * K.dense())


@pytest.mark.parametrize("scalar", [2, 2.0, np.float32(2), np.float64(2), np.int64(2)])
def test_scalars_from_both_sides(K, scalar):
    for scaled in (scalar * K, K * scalar):
        assert isinstance(scaled, ScaledOperator)
        assert scaled.scale == 2.0
    np.testing.assert_array_equal((-K).dense(), -K.dense())


@pytest.mark.parametrize("other", [1, "a", None, np.ones((12, 7))])
def test_what_cannot_be_added(K, other):
    with pytest.raises(TypeError):
        K + other
    with pytest.raises(TypeError):
        other + K
    with pytest.raises(TypeError):
        K - other


@pytest.mark.parametrize("other", ["a", None, True, np.ones((12, 7))])
def test_what_cannot_be_multiplied(K, other):
    with pytest.raises(TypeError):
        K * other


def test_members_are_checked(K):
    with pytest.raises(ValueError, match=r"SumOperator: operators of shape \(12, 7\) and \(12, 12\)"):
        K + gram(RBF(), X)
    with pytest.raises(ValueError, match=r"ProductOperator: operators of shape \(12, 7\)"):
        K * gram(RBF(), X)
    with pytest.raises(ValueError, match="at least two operators, got 1"):
        SumOperator([K])
    with pytest.raises(TypeError, match="wrap a matrix in PrecomputedOperator"):
        ProductOperator([K, np.ones((12, 7))])
    with pytest.raises(ValueError, match="scale must be a finite number"):
        np.nan * K
    with pytest.raises(TypeError, match="expected operators"):
        ScaledOperator(2.0, X)


def test_dense_and_blocked_check_what_they_get():
    with pytest.raises(TypeError, match="wrap a matrix of your own in PrecomputedOperator"):
        DenseOperator(X)
    with pytest.raises(TypeError, match=r"left must be prepared data.*use mercer\.operators\.gram"):
        BlockedOperator(X)
    with pytest.raises(ValueError, match="left has 0 samples"):
        BlockedOperator(RBF(gamma=1.0).prepare(X).take([]))
    with pytest.raises(ValueError, match="prepared for different kernels"):
        BlockedOperator(RBF(gamma=1.0).prepare(X), RBF(gamma=2.0).prepare(X))


def test_held_matrices_are_read_only():
    K = gram(Linear(), X, materialize=True)
    with pytest.raises(ValueError, match="read-only"):
        K.dense()[0, 0] = 1


def test_float32_takes_vectors_outside_the_range_of_float32():
    K = gram(RBF(gamma=0.5), X.astype(np.float32))
    V = np.random.default_rng(1).standard_normal((12, 3)) * [1e200, 1.0, 1e-200]
    np.testing.assert_allclose(K @ V, K.dense().astype(float) @ V, rtol=1e-4)


def test_lowrank_checks_its_factors():
    with pytest.raises(ValueError, match=r"F of shape \(12, 3\) and G of shape \(12, 2\)"):
        LowRankOperator(X, X[:, :2])
    with pytest.raises(ValueError, match="diagonal needs a square matrix, this one is 12 x 5"):
        LowRankOperator(X, X[:5], diagonal=np.ones(12))
    with pytest.raises(ValueError, match=r"diagonal must have shape \(12,\)"):
        LowRankOperator(X, diagonal=np.ones(5))
    with pytest.raises(TypeError, match="F must be a dense array"):
        LowRankOperator(sp.csr_array(X))
    with pytest.raises(ValueError, match="G contains NaN"):
        LowRankOperator(X, X * np.nan)
    assert LowRankOperator(X, X).symmetric
    assert LowRankOperator(X, X.astype(np.float32)).dtype == np.float64


def test_products_of_arrays_in_both_strides():
    A = np.arange(48.0).reshape(6, 8)[::2, ::-2]
    V = np.random.default_rng(1).standard_normal((4, 2))
    np.testing.assert_allclose(product(A, V, budget=1), A @ V)


def test_user_kernels_are_asked_once_per_pair():
    calls = []

    class Counting(Overlap):
        def pair(self, a, b):
            calls.append(1)
            return super().pair(a, b)

    n = len(X)
    K = gram(Counting(), X, memory_budget=16 * 3 * 8)  # tiles of 4 x 4
    K @ np.ones((n, 2))
    assert len(calls) < n * n
    calls.clear()
    gram(Counting(), X, X[:5], memory_budget=500).rmatmul(np.ones(n))
    assert len(calls) == n * 5


def test_precomputed_is_not_a_kernel_matrix_holder_of_sparse_data():
    with pytest.raises(TypeError, match=r"call K\.toarray\(\)"):
        PrecomputedOperator(sp.csr_array(np.eye(3)))


def test_centered_checks_its_operator():
    with pytest.raises(TypeError, match="CenteredOperator: expected an operator"):
        CenteredOperator(X)
    with pytest.raises(ValueError, match=r"needs a square operator, got 12 x 7; .*test\(operator\)"):
        gram(RBF(), X, X[:7]).centered()
    with pytest.raises(ValueError, match="the test operator is 12 x 7, but the training operator is 12 x 12"):
        gram(RBF(), X).centered().test(gram(RBF(), X, X[:7]))
