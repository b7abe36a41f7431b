"""The textbook's matrices M and N, and the absolute penalty, against their definitions."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from mercer import _runtime
from mercer.discriminant import KernelDiscriminantAnalysis as KDA
from mercer.exceptions import MemoryLimitError
from mercer.kernels import RBF, Spectrum

KERNEL = RBF(gamma=0.3)


@pytest.fixture
def data(rng):
    y = np.repeat(["a", "b", "c"], [12, 9, 15])
    return rng.standard_normal((36, 3)) + (y == "b")[:, None] + 2.0 * (y == "c")[:, None] * [0, 1, 0], y


def by_definition(K, y):
    """M and N with a loop over classes, as they are printed."""
    mean, M, N = K.mean(axis=1), 0.0, 0.0
    for label in np.unique(y):
        part = K[:, y == label]
        size = part.shape[1]
        away = part.mean(axis=1) - mean
        M = M + size * np.outer(away, away)
        N = N + part @ (np.eye(size) - np.full((size, size), 1 / size)) @ part.T
    return M, N


def residual(M, N, alpha, values):
    """Largest relative residual of M a = λ N a over the columns."""
    right = N @ alpha * values
    return float((np.linalg.norm(M @ alpha - right, axis=0) / np.linalg.norm(right, axis=0)).max())


def test_matrices_are_those_of_the_definition(data):
    X, y = data
    M, N = KDA(kernel=KERNEL).fit(X, y).scatter_matrices()
    expected = by_definition(KERNEL(X), y)
    np.testing.assert_allclose(M, expected[0], atol=1e-12)
    np.testing.assert_allclose(N, expected[1], atol=1e-12)


def test_names(data):
    found = KDA(kernel=KERNEL).fit(*data).scatter_matrices()
    assert found._fields == ("M", "N")


@pytest.mark.parametrize("mu", [1e-3, 0.5])
def test_the_textbook_eigenproblem(data, mu):
    model = KDA(kernel=KERNEL, penalty="coefficients", mu=mu).fit(*data)
    M, N = model.scatter_matrices()
    assert model.mu_ == mu
    assert model.dual_coef_.shape == (36, 2)
    assert residual(M, N + mu * np.eye(36), model.dual_coef_, model.fisher_ratios_) < 1e-8
    np.testing.assert_allclose(model.dual_coef_.T @ (N + mu * np.eye(36)) @ model.dual_coef_, 36 * np.eye(2), atol=1e-7)


@pytest.mark.parametrize("solver", ["ridge", "eigen"])
@pytest.mark.parametrize("given", [{"mu": 0.2}, {"reg": 0.1}, {"reg": "auto"}])
def test_the_eigenproblem_with_a_penalty_on_the_norm(data, solver, given):
    model = KDA(kernel=KERNEL, solver=solver, **given).fit(*data)
    M, N = model.scatter_matrices()
    assert residual(M, N + model.mu_ * KERNEL(data[0]), model.dual_coef_, model.fisher_ratios_) < 1e-8


def test_two_classes_are_a_multiple_of_the_printed_matrix(data):
    X, y = data[0][:21], data[1][:21]
    model = KDA(kernel=KERNEL, penalty="coefficients", mu=0.1).fit(X, y)
    M, N = model.scatter_matrices()
    K = KERNEL(X)
    away = K[:, y == "b"].mean(axis=1) - K[:, y == "a"].mean(axis=1)
    np.testing.assert_allclose(M, 12 * 9 / 21 * np.outer(away, away), atol=1e-12)
    direction = np.linalg.solve(N + 0.1 * np.eye(21), away)
    found = model.dual_coef_[:, 0]
    np.testing.assert_allclose(found / np.linalg.norm(found), direction / np.linalg.norm(direction), atol=1e-9)


@pytest.mark.parametrize("penalty", ["norm", "coefficients"])
def test_weights_count_repetitions(data, penalty):
    X, y = data
    weight = np.arange(36) % 3
    weighted = KDA(kernel=KERNEL, penalty=penalty, mu=0.1).fit(X, y, sample_weight=weight)
    repeated = KDA(kernel=KERNEL, penalty=penalty, mu=0.1).fit(X.repeat(weight, axis=0), y.repeat(weight))
    where = np.repeat(np.arange(36), weight)
    for ours, theirs in zip(weighted.scatter_matrices(), repeated.scatter_matrices(), strict=True):
        np.testing.assert_allclose(ours[np.ix_(where, where)], theirs, atol=1e-10)
    np.testing.assert_allclose(weighted.transform(X), repeated.transform(X), atol=1e-8)
    assert weighted.mu_ == repeated.mu_ == 0.1


# ---- the absolute penalty


@pytest.mark.parametrize("penalty", ["norm", "coefficients"])
def test_absolute_and_relative_penalties_agree(data, penalty):
    X, y = data
    relative = KDA(kernel=KERNEL, penalty=penalty, reg=0.05).fit(X, y)
    absolute = KDA(kernel=KERNEL, penalty=penalty, mu=relative.mu_).fit(X, y)
    assert absolute.reg_ == pytest.approx(0.05)
    np.testing.assert_allclose(absolute.decision_function(X), relative.decision_function(X), rtol=1e-10)


def test_a_scaled_kernel_changes_the_effect_of_an_absolute_penalty(data):
    X, y = data
    plain, scaled = (KDA(kernel=c * KERNEL, mu=0.5).fit(X, y) for c in (1.0, 100.0))
    assert scaled.reg_ == pytest.approx(plain.reg_ / 100)
    assert not np.allclose(plain.decision_function(X), scaled.decision_function(X), rtol=1e-2)


def test_leave_one_out_at_an_absolute_penalty(data):
    X, y = data
    model = KDA(kernel=KERNEL, mu=0.5, loo=True).fit(X, y)
    for i in (0, 20, 35):
        rest = np.arange(36) != i
        other = KDA(kernel=KERNEL, mu=0.5).fit(X[rest], y[rest]).decision_function(X[[i]])[0]
        ours = model.loo_decision_function_[i]
        np.testing.assert_allclose(ours - ours.mean(), other - other.mean(), atol=1e-7)


@pytest.mark.parametrize("mu", [0.0, -1.0, "auto", np.nan])
def test_penalties_that_are_refused(data, mu):
    with pytest.raises(ValueError, match="The 'mu' parameter of KernelDiscriminantAnalysis must be"):
        KDA(mu=mu).fit(*data)


def test_two_choices_of_the_penalty(data):
    with pytest.raises(ValueError, match=r"mu=0\.1 and reg='auto' both set the penalty; pass only one of them"):
        KDA(mu=0.1, reg="auto").fit(*data)


# ---- where the matrices come from


def test_a_gram_matrix_and_strings_have_them_too(data):
    X, y = data
    model = KDA(kernel="precomputed", mu=0.1).fit(KERNEL(X), y)
    np.testing.assert_allclose(model.scatter_matrices().N, by_definition(KERNEL(X), y)[1], atol=1e-12)
    words = ["GATTA", "TAGA", "CCG", "GCC", "CGCG"]
    model = KDA(kernel=Spectrum(2), mu=1.0).fit(words, [0, 0, 1, 1, 1])
    np.testing.assert_allclose(
        model.scatter_matrices().M, by_definition(Spectrum(2)(words), np.array([0, 0, 1, 1, 1]))[0]
    )


def test_the_model_is_not_changed(data):
    X, y = data
    K = KERNEL(X)
    before = K.copy()
    model = KDA(kernel="precomputed", penalty="coefficients", mu=0.1).fit(K, y)
    answers = model.decision_function(K)
    model.scatter_matrices()
    np.testing.assert_array_equal(K, before)
    np.testing.assert_array_equal(model.decision_function(K), answers)


def test_no_matrices_before_a_fit():
    with pytest.raises(NotFittedError):
        KDA().scatter_matrices()
    assert clone(KDA(mu=2.0)).mu == 2.0


def test_they_stay_within_memory(data, monkeypatch):
    model = KDA(kernel=KERNEL).fit(*data)
    monkeypatch.setattr(_runtime.limits, "NEGLIGIBLE", 0)
    monkeypatch.setattr(_runtime.limits, "available_memory", lambda: 3 * 8 * 36**2)
    with pytest.raises(MemoryLimitError, match="KernelDiscriminantAnalysis"):
        model.scatter_matrices()


def test_a_model_without_labels_says_so(data):
    """As files of models that were written before the labels were kept."""
    model = KDA(kernel=KERNEL).fit(*data)
    del model._label
    with pytest.raises(ValueError, match=r"needs the classes of the training samples.*fit the model again"):
        model.scatter_matrices()
