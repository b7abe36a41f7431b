"""The entry point: which operator comes back, and what is refused."""

import numpy as np
import pytest

from mercer.exceptions import MemoryLimitError
from mercer.kernels import RBF, Linear
from mercer.operators import BlockedOperator, DenseOperator, PrecomputedOperator, gram

X = np.random.default_rng(0).standard_normal((30, 4))


def test_lazy_by_default():
    assert isinstance(gram(RBF(), X), BlockedOperator)


def test_materialize():
    K = gram(RBF(gamma=0.1), X, materialize=True)
    assert isinstance(K, DenseOperator)
    np.testing.assert_array_equal(K.dense(), RBF(gamma=0.1)(X))


@pytest.mark.parametrize(("budget", "kind"), [(30 * 30 * 8, DenseOperator), (30 * 30 * 8 - 1, BlockedOperator)])
def test_auto_materializes_what_the_budget_holds(budget, kind):
    assert isinstance(gram(RBF(), X, materialize="auto", memory_budget=budget), kind)


def test_data_dependent_parameters_are_resolved_on_x_for_both_sides():
    K = gram(RBF(gamma="scale"), X, 3 * X)
    np.testing.assert_allclose(K.dense(), RBF().resolve(X)(X, 3 * X), rtol=1e-13)


def test_the_same_object_twice_is_symmetric():
    assert gram(RBF(), X, X).symmetric
    assert not gram(RBF(), X, X.copy()).symmetric


def test_text():
    pytest.importorskip("mercer.kernels.text")
    assert repr(gram("rbf(gamma=0.5)", X)) == "BlockedOperator: 30 x 30, float64, rbf(gamma=0.5)"


def test_precomputed():
    K = gram("precomputed", Linear()(X))
    assert isinstance(K, PrecomputedOperator)
    with pytest.raises(ValueError, match="Y must be None with kernel='precomputed'"):
        gram("precomputed", Linear()(X), X)


def test_n_jobs_changes_nothing():
    V = np.ones((30, 2))
    np.testing.assert_allclose(gram(RBF(), X, n_jobs=1) @ V, gram(RBF(), X) @ V, rtol=1e-13)


@pytest.mark.parametrize("budget", [0, -5, 2.5, np.nan])
def test_a_wrong_budget(budget):
    with pytest.raises(ValueError, match="memory_budget must be an integer >= 1"):
        gram(RBF(), X, memory_budget=budget)


@pytest.mark.parametrize("budget", ["64 MB", None, True])
def test_a_budget_of_the_wrong_type(budget):
    with pytest.raises((TypeError, ValueError), match="memory_budget must be an integer >= 1"):
        gram(RBF(), X, memory_budget=budget)


@pytest.mark.parametrize("value", ["yes", None, 1, X])
def test_a_wrong_materialize(value):
    with pytest.raises(ValueError, match="materialize must be True, False or 'auto'"):
        gram(RBF(), X, materialize=value)


@pytest.mark.parametrize("kernel", [None, 3, np.dot, X])
def test_a_wrong_kernel(kernel):
    with pytest.raises(TypeError, match="gram: kernel must be a kernel, a text"):
        gram(kernel, X)


def test_a_wrong_n_jobs_fails_early():
    with pytest.raises(ValueError, match="n_jobs"):
        gram(RBF(), X, n_jobs=0)


def test_different_features_fail_early():
    with pytest.raises(ValueError, match="X has 4 features but Y has 2"):
        gram(RBF(gamma=1.0), X, X[:, :2])


def test_the_refusal_comes_before_the_allocation(monkeypatch):
    monkeypatch.setattr("mercer._runtime.limits.available_memory", lambda: 1_000_000)
    n = 1_000_000  # the matrix would be 8 TB: an attempt to allocate it could not succeed
    K = gram(Linear(), np.ones((n, 1)))
    match = r"1000000 x 1000000 64-bit numbers needs 8.0 TB, but only 1.0 MB .* Use matmul or "
    with pytest.raises(MemoryLimitError, match=match):
        K.dense()
    with pytest.raises(MemoryLimitError, match="LowRankOperator"):
        K.rows(slice(None))
    with pytest.raises(MemoryLimitError, match="a low-rank approximation"):
        gram(Linear(), np.ones((n, 1)), materialize=True)
    with pytest.raises(MemoryLimitError, match=r"SumOperator.* 8.0 TB"):
        (K + K).dense()


def test_small_blocks_do_not_ask_the_system(monkeypatch):
    K = gram(RBF(), X)

    def fail():
        raise AssertionError("the free memory was read for a small block")

    monkeypatch.setattr("mercer._runtime.limits.available_memory", fail)
    assert K.rows([0, 1]).shape == (2, 30)
