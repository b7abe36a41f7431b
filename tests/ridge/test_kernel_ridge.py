"""Kernel ridge regression by what it must satisfy: its equations, its twins, weights, any data, degenerate input."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score

from mercer.kernels import RBF, Columns, Linear, Overlap, user
from mercer.ridge import KernelRidge, Ridge
from mercer.solvers import Status

SOLVERS = ["cholesky", "mixed", "cg"]
_rng = np.random.default_rng(0)
X = _rng.normal(size=(120, 4)) + 2.0
y = np.sin(X[:, 0]) + X[:, 1] + 5.0
Y = np.column_stack([y, X[:, 2] ** 2])
NEW = _rng.normal(size=(30, 4)) + 2.0
WEIGHT = _rng.integers(0, 4, 120)
WORDS = ["".join(_rng.choice(list("abcxyz"), size=6)) for _ in range(40)]
SHARE = np.array([sum(c in "abc" for c in word) / 6 for word in WORDS])


def letters(a, b):
    return float(sum(a.count(c) * b.count(c) for c in set(a) & set(b)))


# ---- the equations


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("intercept", [False, True])
def test_equations_of_the_optimum(intercept, solver, weight):
    model = KernelRidge(0.1, kernel="rbf", gamma=0.3, fit_intercept=intercept, solver=solver)
    model.fit(X, Y, sample_weight=weight)
    s = np.ones(len(X)) if weight is None else weight.astype(float)
    K = np.asarray(RBF(gamma=0.3)(X))
    # s(y − f) = αc at every sample, and Σc = 0 if there is an intercept.
    f = K @ model.dual_coef_ + model.intercept_
    np.testing.assert_allclose(s[:, None] * (Y - f), 0.1 * model.dual_coef_, atol=1e-8)
    np.testing.assert_allclose(model.predict(X), f, atol=1e-10)
    if intercept:
        np.testing.assert_allclose(model.dual_coef_.sum(axis=0), 0.0, atol=1e-7)
    assert model.solution_.violation < 1e-9
    assert model.solution_.status is Status.CONVERGED


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("solver", SOLVERS)
def test_linear_kernel_is_linear_ridge(solver, weight, intercept):
    dual = KernelRidge(0.7, fit_intercept=intercept, solver=solver, tol=1e-13).fit(X, Y, sample_weight=weight)
    primal = Ridge(0.7, fit_intercept=intercept, form="primal").fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(dual.predict(NEW), primal.predict(NEW), atol=1e-10)
    np.testing.assert_allclose(X.T @ dual.dual_coef_, primal.coef_.T, atol=1e-9)
    np.testing.assert_allclose(dual.intercept_, primal.intercept_, atol=1e-9)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [1.0, 1e-4])
def test_solvers_are_twins(alpha, intercept):
    first, *others = (
        KernelRidge(alpha, kernel="rbf", fit_intercept=intercept, solver=solver).fit(X, Y, sample_weight=WEIGHT)
        for solver in SOLVERS
    )
    for other in others:
        np.testing.assert_allclose(other.predict(NEW), first.predict(NEW), atol=1e-7)
        assert other.solution_.objective == pytest.approx(first.solution_.objective, rel=1e-9)


def test_auto_is_mixed_for_many_samples(monkeypatch):
    monkeypatch.setattr("mercer.solvers.ridge._SMALL", 50)
    chosen, named = KernelRidge(kernel="rbf").fit(X, y), KernelRidge(kernel="rbf", solver="mixed").fit(X, y)
    np.testing.assert_array_equal(chosen.dual_coef_, named.dual_coef_)


def test_intercept_shifts_with_the_targets_and_costs_nothing():
    near, far = (KernelRidge(kernel="rbf", fit_intercept=True).fit(X, y + shift) for shift in (0.0, 1e6))
    np.testing.assert_allclose(far.predict(NEW) - 1e6, near.predict(NEW), atol=1e-7)
    constant = KernelRidge(1e8, kernel="rbf", fit_intercept=True).fit(X, y, sample_weight=WEIGHT)
    np.testing.assert_allclose(constant.predict(NEW), np.average(y, weights=WEIGHT), atol=1e-5)


def test_one_penalty_for_each_target():
    model = KernelRidge([0.1, 10.0], kernel="rbf", fit_intercept=True).fit(X, Y)
    for column, alpha in enumerate([0.1, 10.0]):
        alone = KernelRidge(alpha, kernel="rbf", fit_intercept=True).fit(X, Y[:, column])
        np.testing.assert_allclose(model.predict(NEW)[:, column], alone.predict(NEW), atol=1e-10)
        assert model.intercept_[column] == pytest.approx(alone.intercept_)


# ---- weights


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("gamma", ["scale", 0.3])
@pytest.mark.parametrize("solver", SOLVERS)
def test_weights_are_repetitions(solver, gamma, intercept):
    model = KernelRidge(0.1, kernel="rbf", gamma=gamma, fit_intercept=intercept, solver=solver)
    weighted = model.fit(X, y, sample_weight=WEIGHT).predict(NEW)
    assert not model.dual_coef_[WEIGHT == 0].any()
    repeated = model.fit(np.repeat(X, WEIGHT, axis=0), np.repeat(y, WEIGHT)).predict(NEW)
    np.testing.assert_allclose(weighted, repeated, atol=1e-7)


def test_weight_and_penalty_scale_together():
    weighted = KernelRidge(6.0, kernel="rbf", fit_intercept=True).fit(X, y, sample_weight=3.0)
    plain = KernelRidge(2.0, kernel="rbf", fit_intercept=True).fit(X, y)
    np.testing.assert_allclose(weighted.predict(NEW), plain.predict(NEW), atol=1e-10)


# ---- any data


def test_predictions_do_not_depend_on_the_batch():
    model = KernelRidge(kernel="rbf", fit_intercept=True).fit(X, Y)
    alone = np.vstack([model.predict(row[None]) for row in NEW])
    np.testing.assert_allclose(alone, model.predict(NEW), atol=1e-12)


@pytest.mark.parametrize("intercept", [False, True])
def test_precomputed(intercept):
    kernel = RBF(gamma=0.3)
    given = KernelRidge(kernel="precomputed", fit_intercept=intercept).fit(kernel(X), y, sample_weight=WEIGHT)
    own = KernelRidge(kernel=kernel, fit_intercept=intercept).fit(X, y, sample_weight=WEIGHT)
    np.testing.assert_allclose(given.predict(kernel(NEW, X)), own.predict(NEW), atol=1e-10)


def test_csr_and_frames():
    sparse = np.where(_rng.random(X.shape) < 0.5, X, 0.0)
    dense = KernelRidge(kernel="rbf").fit(sparse, y).predict(sparse)
    np.testing.assert_allclose(
        KernelRidge(kernel="rbf").fit(sp.csr_array(sparse), y).predict(sparse), dense, atol=1e-10
    )
    for frame in (pd.DataFrame, pl.DataFrame):
        table = frame(dict(zip("abcd", sparse.T, strict=True)))
        model = KernelRidge(kernel="rbf").fit(table, y)
        np.testing.assert_allclose(model.predict(table), dense, atol=1e-12)
        assert model.feature_names_in_.tolist() == list("abcd")
    mixed = pd.DataFrame({"size": X[:, 0], "colour": np.where(X[:, 1] > 2, "red", "blue")})
    kernel = Columns(["size"], RBF()) + Columns(["colour"], Overlap())
    assert KernelRidge(0.1, kernel=kernel).fit(mixed, y).score(mixed, y) > 0.5


def test_strings_under_cross_validation():
    model = KernelRidge(0.1, kernel=letters, fit_intercept=True)
    assert cross_val_score(model, WORDS, SHARE, cv=4).min() > 0.8
    kernel = user(pair=letters, definiteness="psd", name="letters")
    search = GridSearchCV(KernelRidge(kernel=kernel.normalized()), {"alpha": [0.01, 1.0]}, cv=3).fit(WORDS, SHARE)
    again = pickle.loads(pickle.dumps(KernelRidge(0.1, kernel="rbf").fit(X, y)))
    assert search.best_params_["alpha"] == 0.01
    np.testing.assert_array_equal(again.predict(NEW), KernelRidge(0.1, kernel="rbf").fit(X, y).predict(NEW))


def test_expressions_and_text():
    own = KernelRidge(kernel=0.5 * RBF(gamma=0.1) + Linear()).fit(X, y)
    text = KernelRidge(kernel="0.5*rbf(gamma=0.1) + linear").fit(X, y)
    np.testing.assert_array_equal(own.predict(NEW), text.predict(NEW))


# ---- degenerate input


@pytest.mark.parametrize("intercept", [False, True])
def test_no_penalty_and_a_singular_matrix(intercept):
    model = KernelRidge(0, kernel="linear", fit_intercept=intercept)
    with pytest.warns(ConvergenceWarning, match="Singular matrix in solving dual problem"):
        model.fit(X, y, sample_weight=WEIGHT)
    assert model.solution_.status is Status.SINGULAR
    least = sklearn.linear_model.LinearRegression(fit_intercept=intercept).fit(X, y, sample_weight=WEIGHT)
    np.testing.assert_allclose(model.predict(NEW), least.predict(NEW), atol=1e-8)


def test_no_penalty_interpolates():
    model = KernelRidge(0, kernel="rbf", gamma=5.0).fit(X, y)
    assert model.solution_.status is Status.CONVERGED
    np.testing.assert_allclose(model.predict(X), y, atol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
def test_constant_data(solver):
    flat = np.ones((10, 3))
    free = KernelRidge(kernel="rbf", gamma="scale", fit_intercept=True, solver=solver).fit(flat, y[:10])
    np.testing.assert_allclose(free.predict(flat), y[:10].mean(), atol=1e-10)
    bound = KernelRidge(kernel="rbf", gamma="scale", solver=solver).fit(flat, y[:10])  # 1/(n + α) times the sum
    np.testing.assert_allclose(bound.predict(flat), y[:10].sum() / 11, atol=1e-10)


@pytest.mark.parametrize("solver", SOLVERS)
def test_duplicated_rows_and_constant_targets(solver):
    twice = np.vstack([X, X])
    model = KernelRidge(1e-3, kernel="rbf", solver=solver).fit(twice, np.concatenate([y, y]))
    once = KernelRidge(1e-3, kernel="rbf").fit(X, y, sample_weight=2.0)
    np.testing.assert_allclose(model.predict(NEW), once.predict(NEW), atol=1e-6)
    level = KernelRidge(kernel="rbf", fit_intercept=True, solver=solver).fit(X, np.full(120, 7.0))
    np.testing.assert_allclose(level.predict(NEW), 7.0, atol=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
def test_zero_kernel_and_one_sample(solver):
    zero = KernelRidge(kernel="precomputed", solver=solver).fit(np.zeros((5, 5)), y[:5])
    np.testing.assert_array_equal(zero.predict(np.zeros((2, 5))), 0.0)
    one = KernelRidge(1.0, kernel="rbf", gamma=1.0, solver=solver).fit(X[:1], y[:1])
    np.testing.assert_allclose(one.predict(X[:1]), y[:1] / 2)
    free = KernelRidge(1.0, kernel="rbf", gamma=1.0, fit_intercept=True, solver=solver).fit(X[:1], y[:1])
    np.testing.assert_allclose(free.predict(NEW), y[0])


def test_indefinite_kernels_are_solved_without_a_word():
    model = KernelRidge(0.5, kernel="sigmoid", gamma=1.0, coef0=-1.0).fit(X - 2.0, y)
    assert model.solution_.status is Status.NOT_PSD
    assert model.solution_.violation < 1e-9
