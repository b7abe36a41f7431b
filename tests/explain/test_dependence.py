"""Partial dependence: curves from kernel expansions equal predictions for rows whose column was replaced."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import partial_dependence as of_sklearn
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer.data import Table
from mercer.exceptions import NotSeparableError
from mercer.explain import KernelExpansion, PartialDependence, partial_dependence
from mercer.kernels import (
    ANOVA,
    RBF,
    Columns,
    Cosine,
    Exponential,
    Interactions,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Sigmoid,
    WeightedColumns,
)
from mercer.multiple_kernel import MKLClassifier
from mercer.ridge import KernelLogisticRegression, KernelRidge, KernelRidgeClassifier
from mercer.svm import SVC, SVDD, SVR, OneClassSVM

EXACT = [
    RBF(0.2),
    Laplacian(0.3),
    WeightedColumns((0.3, 0.1, 1.0, 0.5), categorical=(2,)),
    Linear(1.5),
    Polynomial(3, 0.5, 1.0),
    ANOVA(2),
    0.5 * RBF(0.1) + 2 * Linear() + 3,
    Columns([0, 1], RBF(0.3)) * Columns([3], Sigmoid(0.1)),
    Columns([3], Cosine()) + Columns([0, 2], RBF(0.3)),
]
MIXTURES = [
    Interactions((0.5, 1.0, 0.7), (0.3, 0.1, 1.0, 0.5), 0.4, (2,)),
    WeightedColumns(0.2, g=0.5),
    Exponential(0.4),
    Matern(1.5, 0.4),
]


@pytest.fixture
def data(rng):
    """Points, coefficients and rows with few distinct values in column 2."""
    points, X = rng.exponential(size=(25, 4)), rng.exponential(size=(9, 4))
    points[:, 2], X[:, 2] = rng.integers(0, 3, 25), rng.integers(0, 3, 9)
    return points, rng.normal(size=(25, 2)), X


def twin(f, X, column, values):
    """Curves by prediction, of shape (n_rows, n_values, ...)."""
    found = []
    for value in values:
        hybrid = X.copy()
        hybrid[:, column] = value
        found.append(f(hybrid))
    return np.stack(found, axis=1)


@pytest.mark.parametrize("kernel", [*EXACT, *MIXTURES], ids=str)
def test_one_pass_equals_prediction(kernel, data):
    points, coef, X = data
    f = KernelExpansion(kernel, points, coef, [0.5, 2.0])
    atol = 1e-12 * max(1.0, np.abs(kernel(X, points)).max()) if kernel in EXACT else 1e-8
    for column in range(4):
        found = partial_dependence(f, X, column)
        np.testing.assert_array_equal(found.values, np.unique(X[:, column]))
        expected = twin(lambda H: kernel(H, points) @ coef + [0.5, 2.0], X, column, found.values)
        np.testing.assert_allclose(found.individual, expected, rtol=0, atol=atol)
        np.testing.assert_allclose(found.average, expected.mean(axis=0), rtol=0, atol=atol)
        assert np.abs(found.individual - expected).max() <= max(found.error, 1e-12 * np.abs(expected).max())
        assert (found.error == 0) == (kernel in EXACT)
        assert found.method == "expansion"
        alone = partial_dependence(f, X, column, individual=False)
        assert alone.individual is None
        np.testing.assert_allclose(alone.average, found.average, rtol=0, atol=atol)


def test_tiles_do_not_matter(data, monkeypatch):
    points, coef, X = data
    f = KernelExpansion(RBF(0.2) + Exponential(0.3), points, coef)
    whole = partial_dependence(f, X, 1)
    monkeypatch.setattr("mercer.explain.curves.MEMORY_BUDGET", 32 * 60)
    for individual in (True, False):
        tiled = partial_dependence(f, X, 1, individual=individual)
        np.testing.assert_allclose(tiled.average, whole.average, rtol=0, atol=1e-12)


def test_averages_are_those_of_sklearn(rng):
    X = rng.normal(size=(80, 3))
    model = SVR(gamma=0.3).fit(X, X[:, 0] * X[:, 1])
    found = partial_dependence(model, X, 1, n_values=7)
    expected = of_sklearn(model, X, [1], custom_values={1: found.values}, method="brute", kind="both")
    np.testing.assert_allclose(found.average, expected["average"][0], atol=1e-12)
    np.testing.assert_allclose(found.individual, expected["individual"][0], atol=1e-12)


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (SVC(gamma=0.3), "expansion"),
        (SVC(gamma=0.3, approximation=20), "expansion"),
        (SVC(kernel="cosine"), "predict"),
        (SVC(kernel=RBF(0.1).normalized() + Linear()), "expansion"),
        (SVC(kernel=RBF(0.1) + Linear(1.0).normalized()), "predict"),
        (KernelRidge(kernel="rbf", gamma=0.3), "expansion"),
        (KernelLogisticRegression(kernel="rbf", gamma=0.3), "expansion"),
        (MKLClassifier(kernels=[RBF(0.1), Linear()]), "expansion"),
        (OneClassSVM(gamma=0.3), "expansion"),
        (SVDD(gamma=0.3), "predict"),
        (make_pipeline(StandardScaler(), SVC(gamma=0.3)), "expansion"),
        (RandomForestRegressor(5, random_state=0), "predict"),
    ],
    ids=str,
)
def test_any_estimator(model, method, rng):
    X = rng.normal(size=(60, 4))
    model.fit(X, (X[:, 0] * X[:, 1] > 0).astype(int))
    found = partial_dependence(model, X[:7], 0, n_values=4)
    assert found.method == method
    score = model.decision_function if hasattr(model, "decision_function") else model.predict
    np.testing.assert_allclose(found.individual, twin(score, X[:7], 0, found.values), atol=1e-8)
    slow = partial_dependence(model, X[:7], 0, n_values=4, method="predict")
    np.testing.assert_allclose(slow.average, found.average, atol=1e-8)
    assert slow.method == "predict"
    assert slow.outputs == found.outputs


def test_several_classes(rng):
    X = rng.normal(size=(60, 4))
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.4, 0.4])]
    model = KernelRidgeClassifier(kernel="rbf", gamma=0.3).fit(X, y)
    fast, slow = (partial_dependence(model, X, 0, n_values=6, method=how) for how in ("expansion", "predict"))
    assert fast.outputs == slow.outputs == ["a", "b", "c"]
    assert fast.individual.shape == (60, 6, 3)
    np.testing.assert_allclose(fast.individual, slow.individual, atol=1e-10)
    one = fast.of_output("b")
    np.testing.assert_array_equal(one.average, fast.average[:, 1])
    np.testing.assert_array_equal(one.individual, fast.individual[:, :, 1])
    with pytest.raises(ValueError, match=r"output must be one of \['a', 'b', 'c'\], got None"):
        fast.of_output()


def frame(rng, n=50):
    return {
        "age": rng.integers(20, 60, n).astype(float),
        "city": rng.choice(["Rome", "Oslo", "Bern"], n),
        "size": rng.normal(size=n),
    }


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, Table.from_frame], ids=["pandas", "polars", "Table"])
def test_frames_and_tables(make, rng):
    given = frame(rng)
    X = make(given)
    y = given["age"] / 10 + (given["city"] == "Rome")
    model = KernelRidge(kernel="rbf(gamma=0.01)[age] * (overlap[city] + 1) + linear[size]", alpha=0.1).fit(X, y)
    for column in ("age", "city"):
        fast, slow = (partial_dependence(model, X, column, method=how) for how in ("expansion", "predict"))
        np.testing.assert_allclose(fast.individual, slow.individual, atol=1e-10)
        assert fast.name == column
        assert fast.values.tolist() == sorted(set(given[column].tolist()))
    assert fast.n_distinct == 3
    assert fast.average[fast.values == "Rome"] > fast.average[fast.values == "Oslo"]


def test_structured_arrays_and_lists(rng):
    X = rng.normal(size=(20, 3))
    model = SVR(gamma=0.3).fit(X, X[:, 0])
    whole = partial_dependence(model, X, 0)
    listed = partial_dependence(model, X.tolist(), 0, method="predict")
    np.testing.assert_allclose(listed.individual, whole.individual, atol=1e-12)


def test_chosen_values(data):
    points, coef, X = data
    f = KernelExpansion(RBF(0.2), points, coef[:, 0])
    grid = np.zeros((3, 4))
    grid[:, 1] = [2.0, 0.5, 1.0]
    found = partial_dependence(f, X, "x1", at=grid)
    np.testing.assert_array_equal(found.values, [2.0, 0.5, 1.0])
    expected = twin(lambda H: RBF(0.2)(H, points) @ coef[:, 0], X, 1, grid[:, 1])
    np.testing.assert_allclose(found.individual, expected, atol=1e-13)


def test_values_of_long_columns(rng):
    X = rng.normal(size=(500, 2))
    X[:400, 1] = 0.0
    f = KernelExpansion("linear", [[1.0, 1.0]], [1.0])
    found = partial_dependence(f, X, 0, n_values=13)
    assert found.n_distinct == 500
    quantiles = np.quantile(X[:, 0], np.linspace(0, 1, 7), method="nearest")
    equidistant = np.linspace(X[:, 0].min(), X[:, 0].max(), 8)[1:-1]
    nearest = X[np.abs(X[:, 0] - equidistant[:, None]).argmin(axis=1), 0]
    np.testing.assert_array_equal(found.values, np.union1d(quantiles, nearest))
    often = partial_dependence(f, X, 1, n_values=11)  # most quantiles are 0
    assert (np.diff(often.values) > 0).all()
    assert len(often.values) < 11
    letters = np.array(["a"] * 3 + ["b"] * 5 + ["c"] + ["d"] * 2)
    table = {"size": np.arange(11.0), "letter": letters}
    model = KernelRidge(kernel="linear[size] + overlap[letter]").fit(pd.DataFrame(table), np.arange(11.0))
    frequent = partial_dependence(model, pd.DataFrame(table), "letter", n_values=2)
    assert frequent.values.tolist() == ["a", "b"]
    assert frequent.n_distinct == 4


def test_text(data):
    points, coef, X = data
    f = KernelExpansion("rbf(gamma=0.2)", points, coef)
    found = partial_dependence(f, np.vstack([X, X + 0.5]), 0)
    lines = str(found).splitlines()
    assert lines[0].split() == ["x0", "0", "1"]
    assert lines[-1] == "and 6 more values"
    assert repr(found) == str(found)


def test_refusals(data):
    points, coef, X = data
    f = KernelExpansion(RBF(0.2), points, coef)
    with pytest.raises(ValueError, match="no column 'age'"):
        partial_dependence(f, X, "age")
    with pytest.raises(ValueError, match="column 7 is selected but X has 4 features"):
        partial_dependence(f, X, 7)
    with pytest.raises(ValueError, match="X has 0 rows"):
        partial_dependence(f, X[:0], 0)
    with pytest.raises(ValueError, match="must be one of 'auto', 'expansion', 'predict', got 'slow'"):
        partial_dependence(f, X, 0, method="slow")
    with pytest.raises(NotSeparableError):
        partial_dependence(KernelExpansion(Sigmoid(0.1), points, coef), X, 0)
    machine = SVC(kernel="cosine").fit(points, coef[:, 0] > 0)
    with pytest.raises(NotSeparableError):
        partial_dependence(machine, X, 0, method="expansion")
    with pytest.raises(TypeError, match="expected a fitted kernel machine"):
        partial_dependence(StandardScaler(), X, 0)
    for form in (sp.csr_matrix, sp.dok_matrix):
        with pytest.raises(TypeError, match="got a sparse matrix"):
            partial_dependence(SVC(gamma=1.0).fit(sp.csr_matrix(points), coef[:, 0] > 0), form(X), 0)
    with pytest.raises(ValueError, match="has missing values only"):
        partial_dependence(f, np.where(np.arange(4) == 1, np.nan, X), 1)


def test_dates_are_ordered():
    from mercer.explain.replaced import column_values, places

    days = [dt.date(2024, 5, 1), dt.date(2023, 1, 1), None, dt.date(2024, 5, 1)]
    for X in (pl.DataFrame({"day": days}), pd.DataFrame({"day": pd.to_datetime(days)})):
        values = column_values("test", X, 0)
        assert places(values, 5)[0].tolist() == [1, 0]


def test_dates_are_printed_without_midnight():
    for moment, shown in (("2024-05-01", "2024-05-01"), ("2024-05-01T10:30", "2024-05-01T10:30")):
        values = np.array([moment], dtype="datetime64[us]")
        found = PartialDependence("day", values, np.ones(1), None, values, [0], 0.0, "predict", 1)
        assert str(found).splitlines()[1].split() == [shown, "+1"]


def test_kernels_that_separate_some_columns(data):
    points, coef, X = data
    kernel = Columns([0, 1], RBF(0.3)) * Columns([2, 3], Cosine())
    found = partial_dependence(KernelExpansion(kernel, points, coef), X, 0)
    expected = twin(lambda H: kernel(H, points) @ coef, X, 0, found.values)
    np.testing.assert_allclose(found.individual, expected, atol=1e-12)
    with pytest.raises(NotSeparableError, match="the column 'x2' and one of the other columns"):
        partial_dependence(KernelExpansion(kernel, points, coef), X, 2)
