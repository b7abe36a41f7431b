"""TransductiveSVC with ``approximation=``: machines on features, near the exact fit, certified for its labels."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from mercer.kernel_approximation import Nystroem, RandomFourierFeatures
from mercer.kernels import RBF
from mercer.operators import LowRankOperator, gram
from mercer.semi_supervised import TransductiveSVC
from mercer.semi_supervised.machines import BalancedMachines, FreeMachines, signs
from mercer.semi_supervised.spread import spread_from_some, spread_labels
from mercer.solvers import solve_dual
from mercer.solvers.feature_svm import solve_on_features
from mercer.svm import SVC

METHODS = ["switch", "cccp"]


def moons(n=300, labels=3, seed=0):
    X, truth = make_moons(n, noise=0.08, random_state=seed)
    y = np.full(n, -1)
    for k in (0, 1):
        y[np.flatnonzero(truth == k)[:labels]] = k
    return X, y, truth


def clusters(n=240, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    X = rng.normal(size=(n, 2)) + 2 * np.column_stack([np.cos(2 * truth), np.sin(2 * truth)])
    return X, np.where(np.arange(n) < 15, truth, -1), truth


def on_rows(source, problems, *, polish):
    return solve_dual(source, problems, tol=1e-8, polish=polish)


def on_features(source, problems, *, polish):
    return solve_on_features(source, problems, tol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("balanced", [False, True])
def test_machines_on_features_are_those_on_rows(balanced, n_classes):
    rng = np.random.default_rng(n_classes)
    F, label = rng.normal(size=(90, 6)) + 1.0, np.arange(90) % n_classes
    bound = rng.uniform(0.1, 2.0, size=90)
    bound[:5] = 0.0
    unlabeled = np.arange(30, 90)
    mean = np.linspace(-0.3, 0.2, 1 if n_classes == 2 else n_classes)
    options = {"unlabeled": unlabeled, "mean": mean} if balanced else {}
    cls = BalancedMachines if balanced else FreeMachines
    known = cls(LowRankOperator(F), n_classes, on_rows, 200.0, **options).solve(label, bound)
    found = cls(F, n_classes, on_features, 200.0, **options).solve(label, bound)
    assert found.objective == pytest.approx(known.objective, rel=1e-6)
    np.testing.assert_allclose(found.values, known.values, atol=5e-3)  # a relative gap of 1e-9
    for part, values in zip(found.parts, found.values.T, strict=True):
        np.testing.assert_allclose(F @ (F.T @ part.coef) + part.intercept, values, atol=1e-6)
        assert part.norm2 == pytest.approx(float(np.square(F.T @ part.coef).sum()), rel=1e-6)
    if balanced:
        np.testing.assert_allclose(found.values[unlabeled].mean(axis=0), mean, atol=1e-9)
    else:
        assert all(abs(beta.sum()) < 1e-9 for beta in found.beta)


@pytest.mark.parametrize("data", [moons, clusters], ids=["two classes", "three classes"])
@pytest.mark.parametrize("method", METHODS)
def test_fit_is_that_of_the_linear_kernel_of_its_features(method, data):
    X, y, _ = data()
    options = {"method": method, "C": 2.0, "D": 0.5, "tol": 1e-4}
    found = TransductiveSVC(kernel="rbf", gamma=2.0, approximation=40, **options).fit(X, y)
    F = Nystroem(RBF(gamma=2.0), landmarks=found.support_vectors_).fit_transform(X)
    linear = TransductiveSVC(kernel="linear", **options).fit(F, y)
    assert found.objective_ == pytest.approx(linear.objective_, rel=1e-2)  # both are local optima
    assert (found.transduction_ == linear.transduction_).mean() > 0.95
    # For its own labels the machines are optimal.
    bound = np.where(y < 0, 0.5, 2.0)
    sign = signs(np.searchsorted(found.classes_, found.transduction_), len(found.classes_))
    values = found._machine_values(X)
    norms = np.square(2 / found.margin_width_).sum()
    value = norms / 2 + float(bound @ np.maximum(0, 1 - sign * values).sum(axis=1))
    assert value == pytest.approx(found.objective_, rel=1e-4)
    assert found.solution_.converged
    assert found.solution_.relative_gap <= 1e-6
    if method == "switch":
        machine = SVC(C=1.0, kernel="linear", multi_class="ovr", tol=1e-6).fit(F, found.transduction_, bound)
        assert found.solution_.objective == pytest.approx(machine.solution_.objective, rel=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_more_landmarks_approach_the_exact_fit(method):
    X, y, truth = moons()
    exact = TransductiveSVC(gamma=3.0, method=method).fit(X, y)
    errors = []
    for m in (15, 60, 250):
        found = TransductiveSVC(gamma=3.0, method=method, approximation=m).fit(X, y)
        errors.append(np.abs(found.decision_function(X) - exact.decision_function(X)).max())
    assert errors[-1] < 1e-2
    assert errors == sorted(errors, reverse=True)
    np.testing.assert_array_equal(found.transduction_, exact.transduction_)
    assert found.objective_ == pytest.approx(exact.objective_, rel=1e-4)
    assert (found.transduction_ == truth).mean() > 0.95


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("method", METHODS)
def test_interval_contains_the_exact_optimum_for_its_labels(method, seed):
    X, y, _ = clusters(seed=seed) if seed % 2 else moons(seed=seed)
    weight = np.random.default_rng(seed).uniform(0.3, 2.0, size=len(X))
    found = TransductiveSVC(gamma=1.0, method=method, approximation=(10, 25, 60)[seed % 3]).fit(X, y, weight)
    label = np.searchsorted(found.classes_, found.transduction_)
    cls, n_classes, options = FreeMachines, len(found.classes_), {}
    if method == "cccp":
        mean = 2 * found.class_fractions_ - 1
        options = {"unlabeled": np.flatnonzero(y < 0), "mean": mean[1:] if n_classes == 2 else mean}
        cls = BalancedMachines
    exact = cls(gram(RBF(gamma=1.0), X), n_classes, on_rows, 200.0, **options).solve(label, weight)
    optimum = sum(solution.objective for solution in exact.solutions)
    lower, upper = found.solution_.exact_interval
    slack = 1e-6 * abs(optimum)
    assert lower - slack <= optimum <= upper + slack
    assert found.solution_.exact_gap > 0


def test_objective_path_falls_for_every_price():
    X, y, _ = clusters()
    path = TransductiveSVC(gamma=0.5, approximation=30).fit(X, y).objective_path_
    for price in np.unique(path[:, 0]):
        assert (np.diff(path[path[:, 0] == price, 1]) <= 0).all()


@pytest.mark.parametrize("method", METHODS)
def test_samples_of_weight_zero_are_absent_but_labelled(method):
    X, y, truth = moons()
    weight = np.ones(len(X))
    weight[200:] = 0.0
    options = {"gamma": 3.0, "method": method, "approximation": 40}
    whole = TransductiveSVC(**options).fit(X, y, weight)
    part = TransductiveSVC(**options).fit(X[:200], y[:200])
    assert set(whole.support_) <= set(range(200))
    np.testing.assert_allclose(whole.decision_function(X), part.decision_function(X), atol=1e-4)
    np.testing.assert_array_equal(whole.transduction_[200:], whole.predict(X[200:]))
    assert (whole.transduction_ == truth).mean() > 0.95


def test_gram_matrices_are_approximated_by_their_columns():
    X, y, _ = moons()
    K = RBF(gamma=3.0)(X)
    samples = TransductiveSVC(gamma=3.0, approximation=40).fit(X, y)
    matrix = TransductiveSVC(kernel="precomputed", approximation=40).fit(K, y)
    np.testing.assert_array_equal(matrix.support_, samples.support_)
    np.testing.assert_allclose(matrix.decision_function(K), samples.decision_function(X), atol=1e-4)


def test_random_features_have_no_bound():
    X, y, truth = moons()
    drawn = RandomFourierFeatures(n_components=300, random_state=0)
    found = TransductiveSVC(gamma=3.0, approximation=drawn).fit(X, y)
    assert found.support_vectors_ is None
    assert np.isnan(found.solution_.exact_gap)
    assert (found.transduction_ == truth).mean() > 0.95


def test_labels_spread_from_some_samples():
    X, y, truth = moons(1000)
    K = gram(RBF(gamma=5.0), X)
    np.testing.assert_array_equal(spread_from_some(K, y, 2), spread_labels(K, y, 2))
    shares = spread_from_some(K, y, 2, most=300)
    assert shares.shape == (1000, 2)
    assert (shares.argmax(axis=1) == truth).mean() > 0.98
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    many = spread_from_some(K, np.where(np.arange(1000) < 900, truth, -1), 2, most=300)  # more labels than the graph
    assert (many.argmax(axis=1) == truth).mean() > 0.9


@pytest.mark.parametrize("method", METHODS)
def test_automatic_approximation_if_the_method_holds_a_matrix_that_does_not_fit(method, monkeypatch):
    X, y, _ = moons()
    monkeypatch.setattr("mercer._estimator.approximate.available_memory", lambda: 10_000)
    found = TransductiveSVC(gamma=3.0, method=method, approximation="auto").fit(X, y)
    assert (found.approximation_ is None) == (method == "switch")
