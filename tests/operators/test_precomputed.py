import numpy as np
import pytest

from mercer.operators import PrecomputedOperator


def gram_matrix(n=40):
    A = np.random.default_rng(0).standard_normal((n, n))
    return (A + A.T) / 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_are_read_in_place(dtype, order):
    K = np.array(gram_matrix(), dtype=dtype, order=order)
    K.flags.writeable = False
    assert np.shares_memory(PrecomputedOperator(K).dense(), K)


def test_memory_maps_are_read_in_place(tmp_path):
    K = gram_matrix()
    np.save(tmp_path / "K.npy", K)
    mapped = np.load(tmp_path / "K.npy", mmap_mode="r")
    operator = PrecomputedOperator(mapped)
    assert np.shares_memory(operator.dense(), mapped)
    np.testing.assert_allclose(operator @ np.ones(40), K.sum(axis=1))


def test_the_users_array_stays_writable():
    K = gram_matrix()
    PrecomputedOperator(K)
    assert K.flags.writeable


def test_integers_become_float64():
    K = PrecomputedOperator([[2, 1], [1, 2]])
    assert K.dtype == np.float64
    np.testing.assert_array_equal(K.dense(), [[2, 1], [1, 2]])


@pytest.mark.parametrize("budget", [100, 64_000_000])
def test_symmetry_is_detected(budget):
    K = gram_matrix()
    assert PrecomputedOperator(K, memory_budget=budget).symmetric
    K[39, 0] += 1e-6
    assert not PrecomputedOperator(K, memory_budget=budget).symmetric
    assert not PrecomputedOperator(gram_matrix(), symmetric=False).symmetric


def test_asymmetry_of_rounding_is_mirrored_in_the_dense_matrix():
    K = gram_matrix()
    K[39, 0] *= 1 + 1e-15
    operator = PrecomputedOperator(K, memory_budget=100)
    assert operator.symmetric
    dense = operator.dense()
    np.testing.assert_array_equal(dense, dense.T)
    np.testing.assert_allclose(dense, K, rtol=1e-14)
    assert not np.shares_memory(dense, K)


def test_a_false_declaration():
    with pytest.raises(ValueError, match=r"declared symmetric, but .* pass \(K \+ K\.T\)/2"):
        PrecomputedOperator([[1.0, 2.0], [3.0, 1.0]], symmetric=True)
    assert not PrecomputedOperator([[1.0, 2.0], [3.0, 1.0]]).symmetric
    assert PrecomputedOperator(np.zeros((2, 2)), symmetric=True).symmetric


@pytest.mark.parametrize("symmetric", [None, True])
def test_rectangles_must_be_asked_for(symmetric):
    with pytest.raises(ValueError, match=r"K must be square, got shape \(2, 3\); pass symmetric=False"):
        PrecomputedOperator(np.ones((2, 3)), symmetric=symmetric)
    assert PrecomputedOperator(np.ones((2, 3)), symmetric=False).shape == (2, 3)


@pytest.mark.parametrize(
    ("K", "error", "message"),
    [
        (np.ones(4), ValueError, "K must be a 2-D array"),
        (np.ones((0, 0)), ValueError, "0 samples"),
        (np.diag([1.0, np.nan]), ValueError, "K contains NaN"),
        (np.eye(2, dtype=complex), ValueError, "Complex data not supported, got K"),
        ([["a"]], TypeError, "expected real numbers"),
        ([[1.0, 2.0], [3.0]], ValueError, "K cannot be converted to an array"),
    ],
    ids=["vector", "empty", "nan", "complex", "text", "ragged"],
)
def test_wrong_matrices(K, error, message):
    with pytest.raises(error, match=message):
        PrecomputedOperator(K)


def test_wrong_parameters():
    with pytest.raises(TypeError, match="symmetric must be None, True or False"):
        PrecomputedOperator(np.eye(2), symmetric="yes")
    with pytest.raises(ValueError, match="memory_budget must be an integer >= 1"):
        PrecomputedOperator(np.eye(2), memory_budget=0)
