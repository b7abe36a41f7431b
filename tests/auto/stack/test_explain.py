"""Shapley values of automatic models: efficiency, brute force over columns, regions, players of raw columns."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest

from mercer.auto import AutoClassifier, AutoRegressor
from mercer.auto.stack import stack as stack_module
from mercer.explain import shapley_values


def table(n, seed=0):
    rng = np.random.default_rng(seed)
    size, colour = rng.normal(size=n), rng.choice(["red", "blue", "green"], n)
    age = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
    value = np.sin(2 * size) + (colour == "red") * np.nan_to_num(age, nan=1.0)
    return {"size": size, "id": np.arange(n), "colour": colour, "age": age}, value


def some(X, rows):
    return {name: np.asarray(column)[rows] for name, column in X.items()}


def brute_force(score, X, row, background):
    """Mean over background rows of the Shapley values of the hybrid rows of raw columns."""
    names = ["size", "colour", "age"]
    n = len(background["id"])

    def worth(chosen):
        hybrid = {name: np.repeat(X[name][row], n) if name in chosen else background[name] for name in X}
        return score(hybrid).mean(axis=0)

    found = []
    for name in names:
        rest = [other for other in names if other != name]
        total = 0.0
        for k in range(len(rest) + 1):
            for chosen in combinations(rest, k):
                weight = factorial(k) * factorial(len(rest) - k) / factorial(len(names))
                total = total + weight * (worth({*chosen, name}) - worth(chosen))
        found.append(total)
    return np.array(found)


def test_values_of_a_regressor_equal_brute_force():
    X, y = table(60)
    model = AutoRegressor().fit(X, y)
    background, rows = some(X, slice(0, 7)), some(X, slice(20, 23))
    found = shapley_values(model, rows, background)
    assert found.names == ["size", "colour", "age"]
    np.testing.assert_allclose(found.score, model.predict(rows), atol=1e-8)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), model.predict(rows), atol=1e-7)
    assert found.base == pytest.approx(model.predict(background).mean())
    for i in range(3):
        np.testing.assert_allclose(found.values[i], brute_force(model.predict, rows, i, background), atol=1e-6)
    np.testing.assert_array_equal(found.data[:, 0], rows["size"])
    assert np.isnan(found.data[:, 1]).all()


@pytest.mark.parametrize("cuts", [[0.0], [-0.5, 0.5]])
def test_scores_of_a_classifier_are_those_of_its_members(cuts):
    X, y = table(80)
    model = AutoClassifier().fit(X, np.digitize(y, cuts))
    rows, background = some(X, slice(0, 4)), some(X, slice(10, 16))
    found = shapley_values(model, rows, background)

    def score(samples):
        matrix, total = model.prepare(samples), 0.0
        k = len(model.classes_)
        for m in model.model_.members_:
            values = m.scores(matrix, k)
            if m.model == "svm" and k > 2:  # the sum of a class against all others in place of votes
                values = m.machine.set_params(decision_function_shape="ovo").decision_function(matrix[:, m.columns])
                values = values @ [[1, -1, 0], [1, 0, -1], [0, 1, -1]]
            total = total + m.weight * (m.scale * values + m.offset)
        return total if k > 2 else (total[:, 1] - total[:, 0])[:, None]

    np.testing.assert_allclose(found.score.reshape(4, -1), score(rows), atol=1e-7)
    np.testing.assert_allclose(found.values[1].reshape(3, -1), brute_force(score, rows, 1, background), atol=1e-6)


def test_interactions_add_up():
    X, y = table(50)
    model = AutoRegressor().fit(X, y)
    rows = some(X, slice(0, 2))
    found = shapley_values(model, rows, some(X, slice(5, 9)), interactions=True)
    upper = np.triu(np.ones((3, 3))).astype(bool)
    np.testing.assert_allclose(found.interactions[:, upper].sum(axis=1), found.score - found.base, atol=1e-7)


def test_regions_are_a_player(monkeypatch):
    for name, value in {"ALL": 50, "DIRECT": 60, "LEAF": 40, "AGAIN": 20, "LEARNED": 60, "RANKED": 30}.items():
        monkeypatch.setattr(stack_module, name, value)
    X, y = table(160)
    model = AutoRegressor().fit(X, y)
    rows = some(X, slice(0, 12))
    found = shapley_values(model, rows, some(X, slice(50, 56)))
    assert found.names[-1] == "(region)"
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), model.predict(rows), atol=1e-6)


def test_players_are_the_columns():
    X, y = table(40)
    model = AutoRegressor().fit(X, y)
    with pytest.raises(ValueError, match="the players of AutoRegressor are the columns of its table"):
        shapley_values(model, X, X, players=[["size"]])
    simple = AutoRegressor(simple=True).fit({"size": X["size"]}, y)
    with pytest.raises(TypeError, match="expected a fitted kernel machine"):
        shapley_values(simple, {"size": X["size"]}, {"size": X["size"]})
