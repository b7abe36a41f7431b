"""Explanations of kernels that combine columns: brute force, sampling, curves."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest

from mercer.exceptions import NotSeparableError
from mercer.explain import KernelExpansion, hybrids, importances, partial_dependence, shapley_values
from mercer.kernels import RBF, Columns, Linear, LinearMap, WeightedColumns


@pytest.fixture
def expansion(rng):
    """Expansion on five columns, the last of which are codes, and its function."""
    kernel = LinearMap(WeightedColumns((1.0, 2.0, 0.5), (2,), 2.0, 0.7), 0.5 * rng.normal(size=(4, 2))) + 0.1 * Linear()
    points, coef = np.column_stack([rng.normal(size=(20, 4)), rng.integers(0, 2, 20)]), rng.normal(size=(20, 2))
    f = KernelExpansion(kernel, points, coef, [1.0, 2.0])
    return f, lambda X: kernel(X, points) @ coef + [1.0, 2.0], points


def worth(f, row, background, chosen):
    hybrid = background.copy()
    hybrid[:, list(chosen)] = row[list(chosen)]
    return f(hybrid).mean(axis=0)


def test_values_and_interactions_equal_brute_force(expansion):
    model, f, points = expansion
    rows, background = points[:2], points[10:16]
    found = shapley_values(model, rows, background, interactions=True)
    assert found.error == 0
    assert not found.sampled
    d, players = 5, set(range(5))
    for j in players:
        total = 0.0
        for size in range(d):
            for chosen in combinations(players - {j}, size):
                gain = worth(f, rows[1], background, {*chosen, j}) - worth(f, rows[1], background, chosen)
                total = total + factorial(size) * factorial(d - size - 1) / factorial(d) * gain
        np.testing.assert_allclose(found.values[1, j], total, atol=1e-12)
    total = 0.0
    for size in range(d - 1):
        for chosen in combinations(players - {0, 3}, size):
            ends = [worth(f, rows[1], background, {*chosen, *more}) for more in ({0, 3}, {0}, {3}, ())]
            second = ends[0] - ends[1] - ends[2] + ends[3]
            total = total + factorial(size) * factorial(d - size - 2) / factorial(d - 1) * second
    np.testing.assert_allclose(found.interactions[1, 0, 3], total / 2, atol=1e-12)
    np.testing.assert_allclose(found.interactions.sum(axis=2), found.values, atol=1e-12)


def test_tiles_of_background_rows_give_the_same_values(expansion, monkeypatch):
    model, _, points = expansion
    for most in (8, 3):
        monkeypatch.setattr(hybrids, "ALL_SUBSETS", most)
        whole = shapley_values(model, points[:2], points[4:])
        with monkeypatch.context() as patch:
            patch.setattr(hybrids, "MEMORY_BUDGET", 16 * 5 * 70)
            found = shapley_values(model, points[:2], points[4:])
        np.testing.assert_allclose(found.values, whole.values, atol=1e-13)


def test_groups_and_columns_that_are_not_read(expansion):
    model, f, points = expansion
    wide = np.column_stack([points, np.arange(20.0)])
    inner = KernelExpansion(Columns(tuple(range(5)), model.kernel), wide, model.coef, model.intercept)
    found = shapley_values(inner, wide[:3], wide[10:16], players={"pair": [0, 4]})
    assert found.names == ["pair", "x1", "x2", "x3", "x5"]
    np.testing.assert_array_equal(found.values[:, 4], 0)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), f(points[:3]), atol=1e-12)


def test_random_orders_add_up_and_their_error_is_honest(expansion, monkeypatch):
    model, _, points = expansion
    rows, background = points[:4], points[4:]
    exact = shapley_values(model, rows, background)
    monkeypatch.setattr(hybrids, "ALL_SUBSETS", 3)
    found = shapley_values(model, rows, background)
    assert found.sampled
    assert found.row(0).of_output(1).sampled
    assert str(found).endswith(f"error about {found.error:.2g}")
    assert 0 < np.abs(found.values - exact.values).max() < found.error
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), found.score, atol=1e-12)
    np.testing.assert_array_equal(found.values, shapley_values(model, rows, background).values)
    assert importances(model, rows, background).sampled
    with pytest.raises(NotSeparableError, match="interactions are computed for at most 3 such players"):
        shapley_values(model, rows, background, interactions=True)


def test_curves_are_scores_of_replaced_rows(expansion):
    model, f, points = expansion
    found = partial_dependence(model, points[:6], 1, n_values=4)
    assert (found.method, found.error) == ("expansion", 0)
    for i, value in enumerate(found.values):
        hybrid = points[:6].copy()
        hybrid[:, 1] = value
        np.testing.assert_allclose(found.individual[:, i], f(hybrid), atol=1e-12)
    alone = partial_dependence(model, points[:6], 1, n_values=4, individual=False)
    np.testing.assert_allclose(alone.average, found.average, atol=1e-12)


def test_combinations_of_one_player_are_exact_factors(rng):
    X = rng.normal(size=(20, 12))
    kernel = Columns((0, 1), LinearMap(RBF(gamma=1.0), [[1.0], [2.0]])) * Columns(tuple(range(2, 12)), RBF(gamma=0.1))
    found = shapley_values(KernelExpansion(kernel, X, np.ones(20)), X[:2], X[5:9], players=[[0, 1]])
    assert (found.error, found.sampled) == (0, False)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), found.score, atol=1e-12)
