"""Explanations of automatic models with one machine: columns of the raw table are the players, texts included."""

import numpy as np
import pytest

from mercer.auto import AutoClassifier, AutoRegressor
from mercer.data import Strings
from mercer.explain import importances, partial_dependence, shapley_values


def table(n, *, text=False):
    rng = np.random.default_rng(0)
    size, colour = rng.normal(size=n), rng.choice(["red", "blue", "green"], n)
    age = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
    good = rng.random(n) < 0.5
    X = {"size": size, "id": np.arange(n), "colour": colour, "age": age}
    if text:
        said = np.where(good, "good tea, really", "bad tea, not again")
        X["review"] = np.array([f"{words}, table {i}" for i, words in enumerate(said)])
    return X, np.sin(2 * size) + (colour == "red") * np.nan_to_num(age, nan=1.0) + good * text


def some(X, rows):
    return {name: np.asarray(column)[rows] for name, column in X.items()}


@pytest.mark.parametrize("text", [False, True])
def test_a_machine_is_explained_by_columns_of_the_table(text):
    X, y = table(80, text=text)
    model = AutoRegressor(simple=True).fit(X, y)
    rows, background = some(X, slice(0, 4)), some(X, slice(10, 16))
    found = shapley_values(model, rows, background)
    assert found.names == ["size", "colour", "age", "review"][: 3 + text]  # value and missing flag of age together
    np.testing.assert_allclose(found.score, model.predict(rows), atol=1e-8)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), model.predict(rows), atol=1e-8)
    np.testing.assert_array_equal(found.data[:, 0], rows["size"])
    assert set(importances(model, rows, background).names) == set(found.names)


def test_curves_of_a_machine_are_its_predictions():
    X, y = table(60, text=True)
    model = AutoRegressor(simple=True).fit(X, y)
    rows = some(X, slice(0, 5))
    for name in ("size", "age", "colour", "review"):
        curves = partial_dependence(model, rows, name, n_values=3)
        slow = partial_dependence(model, rows, name, n_values=3, method="predict")
        assert curves.method == "expansion"
        np.testing.assert_allclose(curves.individual, slow.individual, atol=1e-8)


@pytest.mark.parametrize("cuts", [[0.0], [-0.5, 0.5]])
def test_scores_of_a_classifier_are_decision_values(cuts):
    X, y = table(80)
    model = AutoClassifier(model="ridge").fit(X, np.digitize(y, cuts))
    rows = some(X, slice(0, 4))
    found = shapley_values(model, rows, rows)
    np.testing.assert_allclose(found.score, model.decision_function(rows), atol=1e-8)
    assert found.outputs == ([1] if len(cuts) == 1 else [0, 1, 2])


def test_columns_that_the_kernel_does_not_read_are_no_players():
    X, y = table(60)
    model = AutoRegressor("rbf[size, age]", "ridge").fit(X, y)
    found = shapley_values(model, some(X, slice(0, 3)), X)
    assert found.names == ["size", "age"]
    with pytest.raises(ValueError, match=r"does not use the column 'colour'.*'size', 'age'"):
        partial_dependence(model, X, "colour")


def test_columns_of_an_array():
    X = np.random.default_rng(0).normal(size=(50, 3))
    model = AutoRegressor(simple=True).fit(X, X[:, 0] * X[:, 1])
    found = shapley_values(model, X[:3], X[10:20])
    assert found.names == ["x0", "x1", "x2"]
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), model.predict(X[:3]), atol=1e-8)


def test_a_model_that_is_not_an_expansion_is_predicted():
    X, y = table(60)
    model = AutoRegressor("rbf[size, age]", "knn").fit(X, y)
    assert partial_dependence(model, some(X, slice(0, 3)), "size", n_values=3).method == "predict"
    with pytest.raises(TypeError, match="not a kernel expansion"):
        shapley_values(model, X, X)
    with pytest.raises(TypeError, match="not a kernel expansion"):
        partial_dependence(model, X, "size", method="expansion")


def test_samples_without_columns():
    words = Strings(["ab", "ba", "aab", "abb"] * 10)
    model = AutoClassifier("spectrum(2)", "ridge").fit(words, ["x", "y", "x", "y"] * 10)
    with pytest.raises(TypeError, match="use top_features"):
        shapley_values(model, words[:3], words[:5])
