"""The passes of the core against plain loops: the same mistakes, one by one."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.kernels import RBF, Linear, user
from mercer.operators import row_source
from mercer.solvers.mistakes import BudgetMemory, MistakeList
from mercer.solvers.perceptron import budget_passes, kernel_passes, novikoff_bound, primal_passes, votes
from tests.reference import perceptron as twin


def integers(n=150, d=5, seed=0, noise=0.0):
    """Vectors of integers, with the feature 1, and labels of a plane, some of them wrong."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(n, d)).astype(float)
    X[:, 0] = 1.0
    y = np.where(X @ rng.integers(-3, 4, size=d) > 0, 1.0, -1.0)
    return X, np.where(rng.random(n) < noise, -y, y)


def same_order(n, passes):
    return [np.arange(n)] * passes


@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_matrix])
def test_primal_dual_and_kernel_forms_make_the_same_mistakes(noise, storage):
    X, y = integers(noise=noise)
    want, counts, w = twin.primal(X, y, 12)
    orders = same_order(len(X), 12)
    (primal,), weights = primal_passes(storage(X), y[None], orders)
    sources = [row_source(Linear().prepare(storage(X))), row_source(X @ X.T)]
    for history in [primal, *(kernel_passes(s, y[None], orders, max_iter=12)[0][0] for s in sources)]:
        np.testing.assert_array_equal(history.sample, want)
        np.testing.assert_array_equal(history.counts, counts)
        assert history.visits == len(X) * len(counts)
    np.testing.assert_array_equal(weights[0, :-1], w)
    np.testing.assert_array_equal(MistakeList().after(primal, y).coef(len(X)) @ X, w)


def test_the_bias_is_a_feature_of_ones():
    X, y = integers()
    orders = same_order(len(X), 50)
    (with_ones,), w = primal_passes(X, y[None], orders)
    (with_bias,), v = primal_passes(np.ascontiguousarray(X[:, 1:]), y[None], orders, bias=1.0)
    (in_kernel,), _ = kernel_passes(row_source(X[:, 1:] @ X[:, 1:].T), y[None], orders, max_iter=50, bias=1.0)
    np.testing.assert_array_equal(with_ones.sample, with_bias.sample)
    np.testing.assert_array_equal(with_ones.sample, in_kernel.sample)
    np.testing.assert_array_equal(w[0, 0], v[0, -1])


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(1, 300),
    machines=st.integers(1, 3),
    passes=st.integers(1, 4),
    cache=st.sampled_from([0.0, 0.05, 100.0]),
    seed=st.integers(0, 10**6),
)
def test_blocks_caches_and_machines_change_nothing(n, machines, passes, cache, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, 4)).astype(float)
    label = rng.choice([-1.0, 1.0], size=(machines, n))
    orders = [rng.permutation(n) for _ in range(passes)]
    source = row_source(Linear().prepare(X))
    histories, f = kernel_passes(source, label, orders, max_iter=passes, cache_size=cache)
    for y, history, values in zip(label, histories, f, strict=True):
        want, counts, times = twin.kernel(X @ X.T, y, passes, orders)
        np.testing.assert_array_equal(history.sample, want)
        np.testing.assert_array_equal(history.counts, counts)
        np.testing.assert_array_equal(history.time, times)
        if history.clean:
            np.testing.assert_array_equal(values, X @ X.T @ MistakeList().after(history, y).coef(n))
            assert (y * values > 0).all()


@pytest.mark.parametrize("make", ["matrix", "native", "callback", "single"])
def test_any_source(make):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3))
    y = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)
    kernel = RBF(gamma=1.0)
    K = kernel(X)
    source = {
        "matrix": lambda: row_source(K),
        "native": lambda: row_source(kernel.prepare(X)),
        "callback": lambda: row_source(user(block=kernel).prepare(X), cache_size=0),
        "single": lambda: row_source(K.astype(np.float32)),
    }[make]()
    (history,), _ = kernel_passes(source, y[None], same_order(200, 30), max_iter=30, bias=1.0)
    assert history.sample.tolist() == twin.kernel(K + 1.0, y, 30)[0]


def test_a_start_continues():
    X, y = integers(noise=0.1)
    K, n = X @ X.T, len(X)
    (whole,), _ = kernel_passes(row_source(K), y[None], [np.arange(n)], max_iter=1)
    (first,), _ = kernel_passes(row_source(K), y[None], [np.arange(70)], max_iter=1)
    start = (K @ MistakeList().after(first, y).coef(n))[None]
    (second,), _ = kernel_passes(row_source(K), y[None], [np.arange(70, n)], max_iter=1, start=start)
    np.testing.assert_array_equal(np.concatenate([first.sample, second.sample]), whole.sample)
    np.testing.assert_array_equal(start, (K @ MistakeList().after(first, y).coef(n))[None])


BUDGETS = [1, 7, 40, 1000]


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("removal", ["forgetron", "random", "projectron"])
@pytest.mark.parametrize("bias", [0.0, 1.0])
def test_budgets_against_the_papers(removal, budget, bias):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 2))
    y = np.where(X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=150) > 0, 1.0, -1.0)
    K = 3.0 * np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    want, mistakes = {
        "forgetron": lambda: twin.forgetron(K + bias, y, 3, budget),
        "random": lambda: twin.random_removal(K + bias, y, 3, budget, 11),
        "projectron": lambda: twin.projectron(K + bias, y, 3, budget, 0.3),
    }[removal]()
    machine = BudgetMemory(removal, budget, 0.3, state=11)
    (history,), (memory,) = budget_passes(row_source(K), y[None], same_order(150, 3), [machine], bias=bias)
    assert history.sample.tolist() == mistakes
    assert memory.sample.tolist() == [j for j, _ in want]
    assert len(memory.sample) <= budget
    np.testing.assert_allclose(memory.weight, [c for _, c in want], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("removal", ["forgetron", "random", "projectron"])
def test_a_memory_goes_on_where_it_stopped(removal):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3))
    y = rng.choice([-1.0, 1.0], size=120)
    source = row_source(RBF(gamma=0.5).prepare(X))
    machine = BudgetMemory(removal, 15, state=5)
    (whole,), (want,) = budget_passes(source, y[None], [np.arange(120)], [machine])
    (first,), memory = budget_passes(source, y[None], [np.arange(50)], [machine])
    (second,), (got,) = budget_passes(source, y[None], [np.arange(50, 120)], memory)
    np.testing.assert_array_equal(np.concatenate([first.sample, second.sample]), whole.sample)
    np.testing.assert_array_equal(got.sample, want.sample)
    np.testing.assert_allclose(got.weight, want.weight, rtol=1e-9)


def test_the_forgetron_keeps_its_damage_in_bounds():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(400, 2)), rng.choice([-1.0, 1.0], size=400)
    source = row_source(RBF(gamma=1.0).prepare(X))
    _, (memory,) = budget_passes(source, y[None], same_order(400, 2), [BudgetMemory("forgetron", 20)])
    assert memory.damage <= 15 / 32 * memory.mistakes + 1e-9
    assert (np.abs(memory.weight) <= 1).all()


def test_votes_and_averages_are_those_of_all_states():
    rng = np.random.default_rng(5)
    X, new = rng.normal(size=(80, 2)), rng.normal(size=(30, 2))
    y = np.where(X[:, 0] ** 2 > 0.5, 1.0, -1.0)
    kernel = RBF(gamma=2.0)
    (history,), _ = kernel_passes(row_source(kernel(X)), y[None], same_order(80, 5), max_iter=5)
    machine = MistakeList().after(history, y)
    assert machine.survival.sum() == machine.visits
    K = kernel(new, X)
    np.testing.assert_allclose(K @ machine.coef(80, averaged=True), twin.averaged(kernel(X), K, y, 5), atol=1e-12)
    np.testing.assert_allclose(votes(K[:, machine.sample], machine), twin.voted(kernel(X), K, y, 5), atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_novikoff(seed):
    X, y = integers(seed=seed)
    X = X[np.abs(y) > 0]
    (history,), f = kernel_passes(row_source(X @ X.T), y[None], same_order(len(X), 10_000), max_iter=10_000)
    assert history.clean
    w = MistakeList().after(history, y).coef(len(X)) @ X
    margin = (y * (X @ w)).min() / np.linalg.norm(w)
    bound = novikoff_bound(f[0], y, MistakeList().after(history, y).coef(len(X)), (X * X).sum(axis=1).max())
    np.testing.assert_allclose(bound, (X * X).sum(axis=1).max() / margin**2)
    assert len(history.sample) <= bound


def test_no_bound_without_a_separator():
    assert np.isnan(novikoff_bound(np.array([1.0, -1.0]), np.ones(2), np.array([1.0, 0.0]), 1.0))
