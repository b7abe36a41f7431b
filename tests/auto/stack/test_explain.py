"""Shapley values of automatic models: efficiency, brute force over columns, regions, players of raw columns."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest

from mercer.auto import AutoClassifier, AutoRegressor
from mercer.explain import importances, partial_dependence, shapley_values


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
    np.testing.assert_allclose(found.interactions.sum(axis=2), found.values, atol=1e-10)
    np.testing.assert_allclose(found.interactions.sum(axis=(1, 2)), found.score - found.base, atol=1e-7)


def test_regions_are_a_player(small_limits):
    small_limits(ALL=50, DIRECT=60, LEAF=40, AGAIN=20, LEARNED=60, RANKED=30)
    X, y = table(160)
    model = AutoRegressor().fit(X, y)
    rows = some(X, slice(0, 12))
    found = shapley_values(model, rows, some(X, slice(50, 56)))
    assert found.names[-1] == "(region)"
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), model.predict(rows), atol=1e-6)


def in_place(X, name, value):
    return {**X, name: np.full(len(X["id"]), value)}


def test_partial_dependence_on_raw_columns():
    X, y = table(60)
    model = AutoRegressor().fit(X, y)
    rows = some(X, slice(0, 12))
    for name in ("size", "colour", "age"):
        found = partial_dependence(model, rows, name)
        expected = np.stack([model.predict(in_place(rows, name, value)) for value in found.values], axis=1)
        np.testing.assert_allclose(found.individual, expected, atol=1e-7)
        assert found.method == "expansion"
        slow = partial_dependence(model, rows, name, method="predict", individual=False)
        np.testing.assert_allclose(slow.average, found.average, atol=1e-7)
    with pytest.raises(ValueError, match=r"AutoRegressor does not use the column 'id'.*'size', 'colour', 'age'"):
        partial_dependence(model, rows, "id")


@pytest.mark.parametrize("cuts", [[0.0], [-0.5, 0.5]])
def test_partial_dependence_of_classifiers_is_that_of_the_explained_score(cuts):
    X, y = table(80)
    model = AutoClassifier().fit(X, np.digitize(y, cuts))
    rows = some(X, slice(0, 5))
    found = partial_dependence(model, rows, "colour")
    for i, value in enumerate(found.values):
        score = shapley_values(model, in_place(rows, "colour", value), rows).score
        np.testing.assert_allclose(found.individual[:, i], score, atol=1e-7)


def test_partial_dependence_keeps_the_region(small_limits):
    small_limits(ALL=50, DIRECT=60, LEAF=40, AGAIN=20, LEARNED=60, RANKED=30)
    X, y = table(160)
    model = AutoRegressor().fit(X, y)
    rows = some(X, slice(0, 12))
    found = partial_dependence(model, rows, "size")
    own = np.searchsorted(found.values, rows["size"])
    np.testing.assert_allclose(found.individual[np.arange(12), own], model.predict(rows), atol=1e-6)
    alone = partial_dependence(model, rows, "size", individual=False)
    np.testing.assert_allclose(alone.average, found.individual.mean(axis=0), atol=1e-10)


def test_importances_of_raw_columns():
    X, y = table(60)
    model = AutoRegressor().fit(X, y)
    rows, background = some(X, slice(0, 12)), some(X, slice(20, 30))
    found, values = importances(model, rows, background), shapley_values(model, rows, background)
    assert dict(found) == dict(zip(values.names, values.importance.tolist(), strict=True))
    assert set(found.names) == {"size", "colour", "age"}


def test_players_are_the_columns():
    X, y = table(40)
    model = AutoRegressor().fit(X, y)
    with pytest.raises(ValueError, match="the players of AutoRegressor are the columns of its table"):
        shapley_values(model, X, X, players=[["size"]])
