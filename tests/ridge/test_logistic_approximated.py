"""KernelLogisticRegression with ``approximation=``: optimal on its features, near the exact fit, certified."""

import numpy as np
import pytest

from mercer.approximation import FittedApproximation
from mercer.kernel_approximation import Nystroem, RandomFourierFeatures
from mercer.kernels import RBF
from mercer.ridge import KernelLogisticRegression
from mercer.solvers import Status
from mercer.solvers.logistic import solve_logistic
from mercer.solvers.logistic_features import solve_feature_logistic


def problem(seed, n=300, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    score = np.sin(2 * X) @ rng.normal(size=(3, classes)) + 0.5 * rng.normal(size=(n, classes))
    y = score.argmax(axis=1)
    y[:classes] = np.arange(classes)
    return X, y, rng.uniform(0.2, 3.0, size=n)


def indicators(y):
    T = (y[:, None] == np.unique(y)).astype(float)
    return T[:, 1:] if T.shape[1] == 2 else T


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [100.0, 1.0, 1e-3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_feature_solver_finds_the_optimum_of_the_linear_kernel(classes, intercept, alpha, dtype):
    _, y, weight = problem(classes, n=60, classes=classes)
    F = (np.random.default_rng(1).normal(size=(60, 7)) + 3.0).astype(dtype)  # features with a mean
    T, wide = indicators(y), F.astype(np.float64)
    known = solve_logistic(wide @ wide.T, T, alpha, weight=weight, intercept=intercept)
    found = solve_feature_logistic(F, T, alpha, weight=weight, intercept=intercept)
    assert found.solution.status is Status.CONVERGED
    assert found.solution.objective == pytest.approx(known.solution.objective, rel=1e-9)
    assert found.solution.violation <= 1e-8
    assert found.solution.gap <= 1e-8 * found.solution.objective
    values = wide @ found.weights + found.intercept
    np.testing.assert_allclose(values, wide @ (wide.T @ known.coef) + known.intercept, atol=1e-5)
    np.testing.assert_allclose(wide.T @ found.coef, found.projected, atol=1e-8 * max(1.0, 1 / alpha))
    np.testing.assert_allclose(found.projected, found.weights, atol=1e-5)
    if intercept:
        np.testing.assert_allclose(found.coef.sum(axis=0), 0.0, atol=1e-9 / alpha)
    else:
        assert not found.intercept.any()


@pytest.mark.parametrize("classes", [2, 3])
def test_fit_is_that_of_the_linear_kernel_of_its_features(classes):
    X, y, weight = problem(7, classes=classes)
    options = {"alpha": 0.3, "class_weight": "balanced"}
    found = KernelLogisticRegression(kernel="rbf", gamma=0.5, approximation=25, **options).fit(X, y, weight)
    F = Nystroem(RBF(gamma=0.5), n_components=25, landmarks=found.X_fit_).fit_transform(X)
    linear = KernelLogisticRegression(kernel="linear", **options).fit(F, y, weight)
    assert found.solution_.objective == pytest.approx(linear.solution_.objective, rel=1e-9)
    np.testing.assert_allclose(found.predict_proba(X), linear.predict_proba(F), atol=1e-6)
    assert found.dual_coef_.shape[0] == 25


@pytest.mark.parametrize("classes", [2, 3])
def test_more_landmarks_approach_the_exact_fit(classes):
    X, y, weight = problem(3, classes=classes)
    exact = KernelLogisticRegression(kernel="rbf", gamma=0.3, alpha=0.5).fit(X, y, weight)
    probabilities = exact.predict_proba(X)
    errors, objectives = [], []
    for m in (10, 40, 120, 300):
        found = KernelLogisticRegression(kernel="rbf", gamma=0.3, alpha=0.5, approximation=m).fit(X, y, weight)
        errors.append(np.abs(found.predict_proba(X) - probabilities).max())
        objectives.append(found.solution_.objective)
    assert errors[-1] < 1e-6
    assert errors == sorted(errors, reverse=True)
    assert all(value >= exact.solution_.objective - 1e-9 for value in objectives)
    assert objectives[-1] == pytest.approx(exact.solution_.objective, rel=1e-9)


@pytest.mark.parametrize("seed", range(24))
def test_interval_contains_the_exact_optimum(seed):
    classes, m = (2, 3)[seed % 2], (10, 30, 80)[seed % 3]
    X, y, weight = problem(seed, n=300 + 10 * seed, classes=classes)
    options = {
        "kernel": "rbf",
        "gamma": (0.1, 0.5)[seed // 2 % 2],
        "alpha": (0.01, 0.3, 10.0)[seed // 4 % 3],
        "fit_intercept": seed // 3 % 2 == 0,
        "class_weight": "balanced" if seed % 5 == 0 else None,
    }
    weight = None if seed % 4 == 3 else weight
    exact = KernelLogisticRegression(**options).fit(X, y, weight).solution_
    found = KernelLogisticRegression(**options, approximation=m).fit(X, y, weight).solution_
    assert found.primal
    lower, upper = found.exact_interval
    slack = 1e-9 * exact.objective
    assert lower - slack <= exact.objective <= upper + slack
    assert found.exact_gap > 0
    assert found.converged


def test_exact_gap_is_the_growth_of_the_dual_objective():
    X, y, weight = problem(5, n=200)
    K, T, alpha = RBF(gamma=0.4)(X), indicators(y), 0.2
    F = Nystroem(RBF(gamma=0.4), n_components=15, random_state=0).fit_transform(X)
    answer = solve_feature_logistic(F, T, alpha, weight=weight)
    found = KernelLogisticRegression(
        alpha, kernel="rbf", gamma=0.4, approximation=Nystroem(n_components=15, random_state=0)
    ).fit(X, y, weight)
    growth = alpha / 2 * float(np.vdot(answer.coef, (K - F @ F.T) @ answer.coef))
    assert found.solution_.confidence == 1.0  # all rows were used
    assert found.solution_.exact_gap == pytest.approx(growth, rel=1e-6)


def test_samples_of_weight_zero_are_absent():
    X, y, _ = problem(2, n=120)
    weight = np.ones(120)
    weight[60:] = 0.0
    options = {"kernel": "rbf", "gamma": 0.5, "approximation": 20}
    whole = KernelLogisticRegression(**options).fit(X, y, weight)
    half = KernelLogisticRegression(**options).fit(X[:60], y[:60])
    assert set(whole.approximation_.indices) <= set(range(60))
    assert whole.solution_.objective == pytest.approx(half.solution_.objective, rel=1e-9)
    np.testing.assert_allclose(whole.decision_function(X), half.decision_function(X), atol=1e-6)


def test_gram_matrices_are_approximated_by_their_columns():
    X, y, _ = problem(4)
    K = RBF(gamma=0.5)(X)
    from_samples = KernelLogisticRegression(kernel="rbf", gamma=0.5, approximation=30).fit(X, y)
    from_matrix = KernelLogisticRegression(kernel="precomputed", approximation=30).fit(K, y)
    assert isinstance(from_matrix.approximation_, FittedApproximation)
    np.testing.assert_allclose(from_matrix.decision_function(K), from_samples.decision_function(X), atol=1e-8)


def test_random_features_have_no_bound():
    X, y, _ = problem(6)
    drawn = RandomFourierFeatures(n_components=400, random_state=0)
    found = KernelLogisticRegression(kernel="rbf", gamma=0.3, approximation=drawn).fit(X, y)
    exact = KernelLogisticRegression(kernel="rbf", gamma=0.3).fit(X, y)
    assert found.X_fit_ is None
    assert np.isnan(found.solution_.exact_gap)
    assert np.isnan(found.solution_.exact_interval).all()
    assert np.abs(found.predict_proba(X) - exact.predict_proba(X)).max() < 0.15
