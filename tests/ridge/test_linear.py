"""Linear ridge regression: both forms, both coefficients, scikit-learn's answers."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.exceptions import ConvergenceWarning

from mercer._runtime import limits
from mercer.exceptions import MemoryLimitError
from mercer.kernels import Linear
from mercer.ridge import Ridge
from mercer.solvers import Status

FORMS = ["primal", "dual"]
SHAPES = {"tall": (60, 7), "wide": (9, 25)}
_rng = np.random.default_rng(0)


def test_the_kernel_of_the_dual_form():
    assert Ridge().fit([[0.0], [1.0]], [0.0, 1.0]).kernel_ == Linear()


def problem(shape, sparse=False):
    n, d = SHAPES[shape]
    X = _rng.normal(size=(n, d)) + 1.0
    X[_rng.random(X.shape) < 0.6] = 0.0
    Y = X[:, :2] + _rng.normal(size=(n, 2)) + 10.0
    return (sp.csr_array(X) if sparse else X), Y, _rng.integers(0, 4, n).astype(float)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_primal_is_dual_is_scikit_learn(shape, intercept, weighted, sparse):
    X, Y, weight = problem(shape, sparse)
    weight = weight if weighted else None
    theirs = sklearn.linear_model.Ridge(0.7, fit_intercept=intercept, solver="cholesky")
    theirs.fit(X.toarray() if sparse else X, Y, sample_weight=weight)
    s = np.ones(len(Y)) if weight is None else weight
    for form in FORMS:
        ours = Ridge(0.7, fit_intercept=intercept, form=form).fit(X, Y, sample_weight=weight)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-10)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-10)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-10)
        np.testing.assert_allclose(ours.dual_coef_, s[:, None] * (Y - ours.predict(X)) / 0.7, atol=1e-10)
        np.testing.assert_allclose((X.T @ ours.dual_coef_).T, ours.coef_, atol=1e-10)
        assert ours.solution_.violation < 1e-10


@pytest.mark.parametrize("form", FORMS)
def test_shapes_and_one_penalty_for_each_target(form):
    X, Y, _ = problem("tall")
    single, both = Ridge(form=form).fit(X, Y[:, 0]), Ridge([1.0, 50.0], form=form).fit(X, Y)
    assert single.coef_.shape == (7,)
    assert single.dual_coef_.shape == (60,)
    assert isinstance(single.intercept_, float)
    assert both.coef_.shape == (2, 7)
    np.testing.assert_allclose(both.coef_[0], single.coef_, atol=1e-12)
    np.testing.assert_allclose(both.coef_[1], Ridge(50.0, form=form).fit(X, Y[:, 1]).coef_, atol=1e-12)


def test_auto_solves_the_smaller_system():
    for shape, form in (("tall", "primal"), ("wide", "dual")):
        X, Y, _ = problem(shape)
        np.testing.assert_array_equal(Ridge().fit(X, Y).coef_, Ridge(form=form).fit(X, Y).coef_)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_weights_are_repetitions(form, intercept, sparse):
    X, Y, weight = problem("tall", sparse)
    weighted = Ridge(0.3, form=form, fit_intercept=intercept).fit(X, Y, sample_weight=weight)
    rows = np.repeat(np.arange(len(Y)), weight.astype(int))
    repeated = Ridge(0.3, form=form, fit_intercept=intercept).fit(X[rows], Y[rows])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-10)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, atol=1e-10)
    assert not weighted.dual_coef_[weight == 0].any()


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.filterwarnings("ignore:Singular matrix:sklearn.exceptions.ConvergenceWarning")
def test_no_penalty_is_least_squares_of_least_norm(shape, form, intercept):
    X, Y, _ = problem(shape)
    ours = Ridge(0.0, form=form, fit_intercept=intercept).fit(X, Y)
    least = sklearn.linear_model.LinearRegression(fit_intercept=intercept).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, least.coef_, atol=1e-9)
    np.testing.assert_allclose((X - X.mean(axis=0) * intercept).T @ ours.dual_coef_, ours.coef_.T, atol=1e-9)


def test_singular_systems_warn():
    X, Y, _ = problem("wide")
    with pytest.warns(ConvergenceWarning, match="Singular matrix"):
        model = Ridge(0.0, form="primal").fit(X, Y)
    assert model.solution_.status is Status.SINGULAR


def test_constant_features_and_one_sample():
    model = Ridge().fit(np.ones((5, 2)), np.arange(5.0))
    np.testing.assert_allclose(model.coef_, 0.0, atol=1e-12)
    assert model.intercept_ == pytest.approx(2.0)
    assert Ridge().fit([[1.0, 2.0]], [3.0]).predict([[9.0, 9.0]]) == pytest.approx(3.0)


@pytest.mark.parametrize("form", FORMS)
def test_a_sparse_matrix_stays_sparse(form, monkeypatch):
    X, Y, _ = problem("wide", sparse=True)

    def refuse(self, *args, **options):
        raise AssertionError("densified")

    monkeypatch.setattr(type(X), "toarray", refuse)
    assert Ridge(form=form).fit(X, Y).predict(X).shape == Y.shape


@pytest.mark.parametrize(("form", "size"), [("primal", 600), ("dual", 500)])
def test_memory_is_refused_beforehand(form, size, monkeypatch):
    monkeypatch.setattr(limits, "available_memory", lambda: 1_000_000)
    with pytest.raises(MemoryLimitError, match=f"{size} x {size}.*other form"):
        Ridge(form=form).fit(np.zeros((500, 600)), np.zeros(500))


def test_errors():
    X, Y, weight = problem("tall")
    with pytest.raises(ValueError, match="Ridge: alpha must be"):
        Ridge([1.0, 2.0, 3.0]).fit(X, Y)
    with pytest.raises(ValueError, match="Ridge: sample_weight"):
        Ridge().fit(X, Y, sample_weight=0 * weight)
    with pytest.raises(ValueError, match="form"):
        Ridge(form="both").fit(X, Y)
