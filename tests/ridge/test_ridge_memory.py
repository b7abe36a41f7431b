"""Kernel ridge without the matrix: what is chosen if memory is short, messages, outliers, progress."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mercer._runtime import limits
from mercer.exceptions import MemoryLimitError
from mercer.ridge import KernelRidge, KernelRidgeClassifier
from mercer.solvers import Status, choose_method, ridge_cg

N = 400
MATRIX = 8 * N**2  # bytes
_rng = np.random.default_rng(0)
X = _rng.normal(size=(N, 3))
X[:60] = _rng.uniform(-50, 50, size=(60, 3))  # outliers
Y = np.column_stack([np.sin(X[:, 0]), np.tanh(X[:, 1] - X[:, 2])])
LABEL = np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.5])
NEW = _rng.normal(size=(30, 3))
WEIGHT = _rng.integers(0, 4, N)
OPTIONS = {"kernel": "rbf", "gamma": 0.3, "fit_intercept": True}


def limit(monkeypatch, matrices):
    """Leave memory for a number of matrices."""
    monkeypatch.setattr(limits, "available_memory", lambda: int(matrices * MATRIX / limits.SHARE))


def test_choice_by_memory():
    assert choose_method(2000, 1e-3, memory=2 * 8 * 2000**2) == "mixed"
    assert choose_method(2000, 1e-3, memory=2 * 8 * 2000**2 - 1) == "cholesky"
    assert choose_method(2000, 1e-3, memory=8 * 2000**2 - 1) == "cg"
    assert choose_method(2000, 0.0, memory=8 * 2000**2 - 1) == "cg"
    assert choose_method(100, 1.0, memory=0) == "cg"


@pytest.mark.parametrize(("matrices", "solver"), [(2.1, "mixed"), (1.1, "cholesky"), (0.9, "cg")])
@pytest.mark.parametrize("model", [KernelRidge(0.1, **OPTIONS), KernelRidgeClassifier(0.1, gamma=0.3)])
def test_auto_takes_what_fits(monkeypatch, model, matrices, solver):
    monkeypatch.setattr("mercer.solvers.ridge._SMALL", 50)
    y = LABEL if isinstance(model, KernelRidgeClassifier) else Y
    exact = model.set_params(solver="cholesky").fit(X, y, sample_weight=WEIGHT).dual_coef_
    limit(monkeypatch, matrices)
    named = model.set_params(solver=solver).fit(X, y, sample_weight=WEIGHT).dual_coef_
    model.set_params(solver="auto").fit(X, y, sample_weight=WEIGHT)
    np.testing.assert_array_equal(model.dual_coef_, named)
    np.testing.assert_allclose(model.dual_coef_, exact, atol=1e-7)
    assert model.solution_.status is Status.CONVERGED
    assert model.solution_.violation <= 1e-10


def test_a_grid_of_penalties_without_the_matrix(monkeypatch):
    model = KernelRidge([0.1, 10.0], **OPTIONS, solver="auto")
    exact = model.fit(X, Y, sample_weight=WEIGHT).predict(NEW)
    limit(monkeypatch, 0.5)
    np.testing.assert_allclose(model.fit(X, Y, sample_weight=WEIGHT).predict(NEW), exact, atol=1e-8)
    assert len(model.solution_.machines) == 2


def test_precomputed_matrix_that_cannot_be_copied(monkeypatch):
    K = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2))
    exact = KernelRidge(0.1, kernel="precomputed").fit(K, Y).dual_coef_
    limit(monkeypatch, 0.9)
    np.testing.assert_allclose(KernelRidge(0.1, kernel="precomputed").fit(K, Y).dual_coef_, exact, atol=1e-8)


@pytest.mark.parametrize(("solver", "matrices"), [("cholesky", 0.9), ("mixed", 1.9)])
@pytest.mark.parametrize("cls", [KernelRidge, KernelRidgeClassifier])
def test_a_named_solver_is_not_replaced(monkeypatch, cls, solver, matrices):
    limit(monkeypatch, matrices)
    message = rf'{cls.__name__}: solver=\'{solver}\' with 400 samples needs .*solver="cg".*approximation='
    with pytest.raises(MemoryLimitError, match=message):
        cls(kernel="rbf", solver=solver).fit(X, LABEL)


def test_fits_are_repeatable(monkeypatch):
    limit(monkeypatch, 0.5)
    first, second = (KernelRidge(1e-2, **OPTIONS).fit(X, Y, sample_weight=WEIGHT) for _ in range(2))
    np.testing.assert_array_equal(first.dual_coef_, second.dual_coef_)
    assert first.n_iter_ == second.n_iter_


def test_indefinite_kernels_without_the_matrix_warn():
    model = KernelRidge(0.5, kernel="sigmoid", gamma=1.0, coef0=-1.0, solver="cg")
    with pytest.warns(ConvergenceWarning, match=r"the relative residual is .*not positive semidefinite"):
        model.fit(X, Y)
    assert model.solution_.status is Status.PRECISION
    assert np.isfinite(model.dual_coef_).all()


# ---- progress


@pytest.fixture
def fake(monkeypatch):
    """Records of callbacks, for fits that take some iterations."""
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")
    from tests._estimator.test_progress import Fake

    monkeypatch.setattr(ridge_cg, "_RANKS", (20, 20))
    return Fake


@pytest.mark.parametrize("model", [KernelRidge(0.1, kernel="rbf"), KernelRidgeClassifier(0.1)])
def test_iterations_are_reported(fake, model):
    record = fake()
    model.set_params(solver="cg").set_callbacks(record).fit(X, LABEL)
    *numbers, last = record.numbers
    assert last is None
    assert [n["done"] for n in numbers] == list(range(2, model.n_iter_ + 1))  # the first product is the starting point
    assert numbers[-1]["violation"] <= 1e-10 < numbers[0]["violation"]
    assert record.events[:3] == ["setup", "begin fit", "begin solve"]
    assert record.events[-2:] == ["end fit", "teardown"]


@pytest.mark.parametrize("solver", ["cholesky", "mixed"])
def test_factorisations_report_begin_and_end(fake, solver):
    record = fake()
    KernelRidge(0.1, solver=solver).set_callbacks(record).fit(X, Y)
    assert record.events == ["setup", "begin fit", "begin solve", "end solve", "end fit", "teardown"]


def test_a_callback_stops_the_fit(fake):
    model = KernelRidge(0.1, kernel="rbf", solver="cg").set_callbacks(fake(stop_after=3))
    with pytest.warns(ConvergenceWarning, match="KernelRidge: the relative residual is"):
        model.fit(X, Y)
    assert model.solution_.status is Status.MAX_ITER
    assert model.n_iter_ == 4
    K = np.asarray(model.kernel_(X))
    residual = Y - K @ model.dual_coef_ - 0.1 * model.dual_coef_
    violation = (np.linalg.norm(residual, axis=0) / np.linalg.norm(Y, axis=0)).max()
    assert model.solution_.violation == pytest.approx(violation)
