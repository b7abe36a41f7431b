"""MKL with ``approximation=``: features of common landmarks, weights near the exact ones, certified."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from mercer._runtime import limits
from mercer.approximation import nystroem
from mercer.exceptions import MemoryLimitError
from mercer.kernel_approximation import Nystroem, RandomFourierFeatures
from mercer.kernels import RBF, Columns, Linear, Overlap, Sigmoid
from mercer.multiple_kernel import MKLClassifier, MKLRegressor
from mercer.multiple_kernel.feature_stack import FeatureStack
from mercer.operators import LowRankOperator, OperatorStack, gram

KERNELS = [RBF(gamma=0.1), RBF(gamma=1.0), Linear(), Columns([0], RBF(gamma=1.0)), Columns([2], RBF(gamma=1.0))]


def problem(seed=0, n=250, classes=0):
    """Samples, targets or classes, and weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    if not classes:
        return X, np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.2 * rng.normal(size=n), rng.uniform(0.3, 2.0, size=n)
    score = np.sin(2 * X) @ rng.normal(size=(3, classes)) + 0.3 * rng.normal(size=(n, classes))
    return X, score.argmax(axis=1), rng.uniform(0.3, 2.0, size=n)


MODELS = {
    "regression": (MKLRegressor(KERNELS, alpha=0.5, tol=1e-5), 0),
    "two classes": (MKLClassifier(KERNELS, tol=1e-4), 2),
    "three classes": (MKLClassifier(KERNELS, tol=1e-4), 3),
}
NORMS = [1.0, 2.0, np.inf]


def values(model, X):
    return model.predict(X) if isinstance(model, MKLRegressor) else model.decision_function(X)


def approximated_matrices(model, X):
    """Nyström approximations of the Gram matrices of every normalised kernel, from the landmarks of the model."""
    found = []
    for k, c in zip(model.kernels_, model.scale_, strict=True):
        F = nystroem(gram(k, model.X_fit_)).features(gram(k, X, model.X_fit_))
        found.append(c * F @ F.T)
    return found


# ---- the approximated problem


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("task", MODELS)
def test_weights_are_those_of_the_approximated_gram_matrices(task, p):
    model, classes = MODELS[task]
    X, y, weight = problem(1, classes=classes)
    found = clone(model).set_params(p=p, approximation=25).fit(X, y, weight)
    matrices = approximated_matrices(found, X)
    known = clone(model).set_params(p=p, kernels="precomputed", normalize=None).fit(np.array(matrices), y, weight)
    assert found.solution_.objective == pytest.approx(known.solution_.objective, rel=2e-4)
    assert found.solution_.converged
    assert found.solution_.relative_gap <= 2e-4
    np.testing.assert_allclose(values(found, X), values(known, np.array(matrices)), atol=0.1)
    assert np.linalg.norm(found.weights_, p) == pytest.approx(1.0)


@pytest.mark.parametrize("task", MODELS)
@pytest.mark.parametrize("p", [1.0, 2.0])
def test_more_landmarks_approach_the_exact_fit(task, p):
    model, classes = MODELS[task]
    X, y, _ = problem(2, classes=classes)
    exact = clone(model).set_params(p=p).fit(X, y)
    errors, objectives = [], []
    for m in (10, 60, 250):
        found = clone(model).set_params(p=p, approximation=m).fit(X, y)
        errors.append(np.abs(values(found, X) - values(exact, X)).max())
        objectives.append(found.solution_.objective)
    assert errors[-1] < 2e-2 * np.abs(values(exact, X)).max()
    assert errors == sorted(errors, reverse=True)
    assert objectives == sorted(objectives, reverse=True)
    np.testing.assert_allclose(found.weights_, exact.weights_, atol=0.02)


@pytest.mark.parametrize("seed", range(9))
@pytest.mark.parametrize("task", MODELS)
def test_interval_contains_the_exact_optimum(task, seed):
    model, classes = MODELS[task]
    X, y, weight = problem(seed, classes=classes)
    weight = weight if seed % 2 else None
    model = clone(model).set_params(p=NORMS[seed % 3])
    exact = clone(model).fit(X, y, weight).solution_
    found = clone(model).set_params(approximation=(8, 20, 50)[seed // 3]).fit(X, y, weight).solution_
    lower, upper = found.exact_interval
    slack = 1e-6 * exact.objective
    assert found.primal
    assert exact.primal
    # The exact optimum is in [objective − gap, objective] of the exact fit.
    assert lower - slack <= exact.objective
    assert exact.objective - exact.gap <= upper + slack
    assert found.exact_gap >= 0
    assert found.confidence == 1.0


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("task", MODELS)
def test_bound_of_a_poor_approximation_is_not_below_that_of_no_coefficients(task, p):
    model, classes = MODELS[task]
    X, y, _ = problem(11, classes=classes)
    lower, upper = clone(model).set_params(p=p, approximation=2).fit(X, y).solution_.exact_interval
    assert -1e-3 * upper <= lower <= upper


@pytest.mark.parametrize("method", ["uniform", "align", "alignf"])
@pytest.mark.parametrize("task", MODELS)
def test_interval_of_the_machine_for_weights_that_do_not_minimise(task, method):
    model, classes = MODELS[task]
    X, y, weight = problem(3, classes=classes)
    found = clone(model).set_params(method=method, approximation=30).fit(X, y, weight)
    machine = found.estimator_.set_params(kernel=found.kernel_)
    exact = clone(machine).fit(X, y, weight).solution_
    lower, upper = found.solution_.exact_interval
    slack = 1e-6 * abs(exact.objective)
    assert not found.solution_.primal
    assert lower - slack <= exact.objective <= upper + slack


def test_easymkl_has_no_bound():
    X, y, _ = problem(4, classes=2)
    found = MKLClassifier(KERNELS, method="easymkl", approximation=200).fit(X, y)
    exact = MKLClassifier(KERNELS, method="easymkl").fit(X, y)
    assert np.isnan(found.solution_.exact_gap)
    np.testing.assert_allclose(found.weights_, exact.weights_, atol=0.05)


# ---- the stack of features


def test_alignments_in_feature_space_are_those_of_the_matrices():
    rng = np.random.default_rng(0)
    features = [rng.normal(size=(40, r)) + 1 for r in (3, 5, 1)] + [np.ones((40, 1))]
    mine, plain = FeatureStack(features), OperatorStack([LowRankOperator(F) for F in features])
    for weight in (None, rng.uniform(0.1, 2.0, size=40)):
        U = rng.normal(size=(40, 2))
        U -= np.average(U, axis=0, weights=weight)
        for a, b in zip(mine.agreement(U, weight), plain.agreement(U, weight), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-12)
    rows = np.arange(5, 20)
    np.testing.assert_allclose(
        mine.take(rows).weighted(np.ones(4)).dense(), plain.weighted(np.ones(4)).dense()[5:20, 5:20]
    )


def test_moments_of_all_weights_come_from_one_pass():
    rng = np.random.default_rng(1)
    stack = FeatureStack([rng.normal(size=(30, 2)).astype(np.float32), rng.normal(size=(30, 4))])
    Y, weight = rng.normal(size=(30, 2)), rng.uniform(size=30)
    for d in (np.array([0.25, 4.0]), np.array([0.0, 2.0])):
        F = stack.rows(slice(0, 30), d)
        found = stack.moments(Y, weight, d)
        np.testing.assert_allclose(found.outer, F.T @ (weight[:, None] * F), atol=1e-12)
        np.testing.assert_allclose(found.cross, F.T @ (weight[:, None] * Y), atol=1e-12)
        np.testing.assert_allclose(found.features, weight @ F, atol=1e-12)
    again = stack.moments(Y + 1, None, np.ones(2))  # other targets are not mistaken for the known ones
    np.testing.assert_allclose(again.targets, (Y + 1).sum(axis=0))


def test_many_features_do_not_replace_the_moments_of_all_weights(monkeypatch):
    X, y, _ = problem(12)
    expected = MKLRegressor(KERNELS, approximation=20).fit(X, y).predict(X)
    monkeypatch.setattr("mercer.ridge.approximated._MANY", 10)
    monkeypatch.setattr("mercer.ridge.approximated.iterate_ridge", None)
    np.testing.assert_array_equal(MKLRegressor(KERNELS, approximation=20).fit(X, y).predict(X), expected)


# ---- forms of samples


@pytest.mark.parametrize("task", MODELS)
def test_gram_matrices_are_approximated_by_their_columns(task):
    model, classes = MODELS[task]
    X, y, weight = problem(5, classes=classes)
    K = np.array([k(X) for k in KERNELS])
    samples = clone(model).set_params(approximation=30).fit(X, y, weight)
    matrices = clone(model).set_params(kernels="precomputed", approximation=30).fit(K, y, weight)
    assert matrices.X_fit_ is None
    np.testing.assert_array_equal(matrices.approximation_.indices, samples.approximation_.indices)
    np.testing.assert_allclose(values(matrices, K), values(samples, X), atol=1e-2)
    with pytest.raises(ValueError, match="was fitted to 5 kernels"):
        matrices.predict(K[:2])


def test_frames_with_categories():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=150), "kind": rng.choice(list("abc"), size=150)})
    y = np.where(frame["kind"] == "a", 1.0, 0.0) + 0.1 * rng.normal(size=150)
    found = MKLRegressor([Columns(["x"], RBF()), Columns(["kind"], Overlap())], approximation=20).fit(frame, y)
    assert len(found.X_fit_) == 20
    assert found.weights_[1] > 0.9
    assert np.abs(found.predict(frame) - y).mean() < 0.2


def test_cosine_normalisation():
    X, y, _ = problem(6)
    exact = MKLRegressor([Linear(), RBF(gamma=0.5)], normalize="cosine").fit(X, y)
    found = MKLRegressor([Linear(), RBF(gamma=0.5)], normalize="cosine", approximation=200).fit(X, y)
    np.testing.assert_allclose(found.predict(X), exact.predict(X), atol=0.02)


def test_landmarks_can_be_given():
    X, y, _ = problem(7, classes=2)
    found = MKLClassifier(KERNELS, approximation=Nystroem(landmarks=X[:20])).fit(X, y)
    np.testing.assert_array_equal(found.X_fit_, X[:20])
    assert found.approximation_.indices is None
    assert found.score(X, y) > 0.7
    chosen = MKLClassifier(KERNELS, approximation=Nystroem(n_components=15, random_state=3)).fit(X, y)
    assert chosen.X_fit_.shape == (15, 3)


def test_samples_of_weight_zero_are_absent():
    X, y, _ = problem(8)
    weight = np.ones(len(X))
    weight[150:] = 0.0
    options = {"alpha": 0.5, "tol": 1e-6, "approximation": 25}
    whole = MKLRegressor(KERNELS, **options).fit(X, y, weight)
    half = MKLRegressor(KERNELS, **options).fit(X[:150], y[:150])
    assert set(whole.approximation_.indices) <= set(range(150))
    np.testing.assert_allclose(whole.predict(X), half.predict(X), atol=1e-3)


def test_predictions_in_panels_are_those_of_single_rows(monkeypatch):
    X, y, _ = problem(9, classes=3)
    found = MKLClassifier(KERNELS, approximation=20).fit(X, y)
    expected = found.decision_function(X)
    monkeypatch.setattr("mercer.multiple_kernel.base.MEMORY_BUDGET", 16 * 100 * 7)
    np.testing.assert_allclose(found.decision_function(X), expected, rtol=1e-12, atol=1e-12)
    # The products of one row are another routine of BLAS; whitening multiplies its rounding errors.
    np.testing.assert_allclose(found.decision_function(X[:1]), expected[:1], rtol=1e-9, atol=1e-9)


# ---- refusals


def test_random_features_are_refused():
    X, y, _ = problem()
    with pytest.raises(ValueError, match=r"MKLRegressor: approximation=.*has no landmarks; expected an int"):
        MKLRegressor([RBF(gamma=1.0)], approximation=RandomFourierFeatures()).fit(X, y)


def test_indefinite_kernels_are_refused():
    X, y, _ = problem()
    K = np.array([np.eye(len(X)), -np.ones((len(X), len(X))) + 2 * np.eye(len(X))])
    with pytest.raises(ValueError, match=r"MKLRegressor: X\[1\] is not positive semidefinite on these samples"):
        MKLRegressor("precomputed", approximation=40).fit(K, y)
    with pytest.raises(ValueError, match="is not positive semidefinite"):
        MKLRegressor([RBF(), Sigmoid(gamma=2.0, coef0=-1.0)], approximation=40).fit(X, y)


def test_features_that_do_not_fit_are_refused(monkeypatch):
    X, y, _ = problem(n=2000)
    monkeypatch.setattr(limits, "available_memory", lambda: 4_000_000)
    monkeypatch.setattr("mercer.multiple_kernel.landmarks.available_memory", lambda: 4_000_000)
    with pytest.raises(MemoryLimitError, match="features of 2000 samples for 5 kernels"):
        MKLRegressor(KERNELS, approximation=150).fit(X, y)
