"""KernelLogisticRegression: the laws of its optimum, scikit-learn's linear model, degenerate data."""

import copy
import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from mercer.exceptions import NotPositiveDefiniteError
from mercer.kernels import RBF
from mercer.ridge.logistic import KernelLogisticRegression
from mercer.solvers import Status


def blobs(classes: int, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(n, 4))
    y = (X @ rng.normal(size=(4, classes)) + 0.8 * rng.normal(size=(n, classes))).argmax(axis=1)
    return X, np.array(["ant", "bee", "cat", "dog"])[y]


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [0.1, 1.0, 10.0])
def test_linear_kernel_is_scikit_learns_model(classes: int, intercept: bool, alpha: float) -> None:
    X, y = blobs(classes)
    s = np.random.default_rng(0).uniform(0.5, 2, size=len(y))
    ours = KernelLogisticRegression(alpha, fit_intercept=intercept).fit(X, y, sample_weight=s)
    theirs = LogisticRegression(C=1 / alpha, fit_intercept=intercept, solver="newton-cg", tol=1e-12, max_iter=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its line search ends where rounding begins
        theirs.fit(X, y, sample_weight=s)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_probabilities(classes: int, kernel: str) -> None:
    X, y = blobs(classes)
    model = KernelLogisticRegression(0.1, kernel=kernel, gamma=0.3).fit(X, y)
    P, f = model.predict_proba(X), model.decision_function(X)
    assert P.shape == (len(X), classes)
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(np.log(P), model.predict_log_proba(X), rtol=1e-9, atol=1e-14)
    np.testing.assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))
    if classes == 2:
        np.testing.assert_array_equal(np.argsort(P[:, 1], kind="stable"), np.argsort(f, kind="stable"))
        np.testing.assert_allclose(f, np.log(P[:, 1] / P[:, 0]), rtol=1e-7)
    else:
        np.testing.assert_array_equal(np.argsort(P, axis=1), np.argsort(f, axis=1))
    shares = [np.mean(y == label) for label in model.classes_]
    np.testing.assert_allclose(P.mean(axis=0), shares, rtol=1e-10)  # with an intercept, at the optimum
    assert model.solution_.gap <= 1e-12 * model.solution_.objective


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("class_weight", [None, "balanced", {"ant": 3.0, "bee": 0.5}])
def test_weights_are_repetitions(classes: int, class_weight: Any) -> None:
    X, y = blobs(classes)
    s = np.random.default_rng(1).integers(0, 4, size=len(y))
    rows = np.repeat(np.arange(len(y)), s)
    options: dict[str, Any] = {"kernel": "rbf", "gamma": "scale", "alpha": 0.01, "class_weight": class_weight}
    weighted = KernelLogisticRegression(**options).fit(X, y, sample_weight=s)
    repeated = KernelLogisticRegression(**options).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-7, atol=1e-7)
    assert weighted.solution_.objective == pytest.approx(repeated.solution_.objective, rel=1e-10)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_class_without_weight_is_absent(classes: int) -> None:
    X, y = blobs(classes)
    X, y = np.vstack([X, np.zeros((3, 4))]), np.append(y, ["zebra"] * 3)
    model = KernelLogisticRegression(kernel="rbf").fit(X, y, sample_weight=(y != "zebra").astype(float))
    fewer = KernelLogisticRegression(kernel="rbf").fit(X[y != "zebra"], y[y != "zebra"])
    np.testing.assert_array_equal(model.classes_, fewer.classes_)
    np.testing.assert_allclose(model.predict_proba(X), fewer.predict_proba(X), rtol=1e-9)


def test_balanced_classes_have_equal_say() -> None:
    X, y = blobs(3)
    model = KernelLogisticRegression(kernel="rbf", class_weight="balanced").fit(X, y)
    count = np.array([np.sum(y == label) for label in model.classes_])
    weight = (len(y) / (3 * count))[np.searchsorted(model.classes_, y)]
    np.testing.assert_allclose(weight @ model.predict_proba(X) / weight.sum(), 1 / 3, rtol=1e-10)


@pytest.mark.parametrize("classes", [2, 3])
def test_coefficients_are_errors_of_probability(classes: int) -> None:
    X, y = blobs(classes)
    model = KernelLogisticRegression(0.5, kernel="rbf").fit(X, y)
    errors = ((y[:, None] == model.classes_) - model.predict_proba(X)) / 0.5
    np.testing.assert_allclose(model.dual_coef_, errors[:, 1] if classes == 2 else errors, atol=1e-8)


@pytest.mark.parametrize("classes", [2, 3])
def test_separable_data_end(classes: int) -> None:
    centres = 10 * np.eye(3)[:classes]
    X = np.repeat(centres, 10, axis=0) + np.random.default_rng(0).normal(size=(10 * classes, 3))
    y = np.repeat(np.arange(classes), 10)
    sizes = []
    for alpha in (1.0, 1e-4, 1e-8):
        model = KernelLogisticRegression(alpha).fit(X, y)
        assert model.solution_.status is Status.CONVERGED
        assert model.score(X, y) == 1
        sizes.append(np.abs(model.decision_function(X)).max())
    assert sizes[0] < sizes[1] < sizes[2] < 100


def test_strings_with_a_function() -> None:
    words = ["aaab", "aab", "aaaa", "abab", "bbba", "bba", "bbbb", "bbab"]
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1])

    def common(u: str, v: str, power: int = 1) -> float:
        return float(u.count("a") * v.count("a") + u.count("b") * v.count("b")) ** power

    model = KernelLogisticRegression(0.01, kernel=common).fit(words, y)
    assert model.predict(["aaaaab", "abbbbb"]).tolist() == [0, 1]
    K = np.array([[common(u, v) for v in words] for u in words])
    gram = KernelLogisticRegression(0.01, kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(gram.predict_proba(K), model.predict_proba(words), rtol=1e-9)
    squared = KernelLogisticRegression(0.01, kernel=common, kernel_params={"power": 2}).fit(words, y)
    assert squared.solution_.objective != model.solution_.objective


def test_degenerate_data_have_a_documented_result() -> None:
    X, y = blobs(3)
    for kernel, data in (("rbf", np.ones_like(X)), ("linear", np.zeros_like(X))):
        model = KernelLogisticRegression(kernel=kernel).fit(data, y)  # constant kernel, zero kernel: the shares
        shares = [np.mean(y == label) for label in model.classes_]
        np.testing.assert_allclose(model.predict_proba(data[:1])[0], shares, rtol=1e-9)
    twice = KernelLogisticRegression(0.1, kernel="rbf").fit(np.vstack([X, X]), np.append(y, y))
    once = KernelLogisticRegression(0.05, kernel="rbf").fit(X, y)
    np.testing.assert_allclose(twice.predict_proba(X), once.predict_proba(X), atol=1e-7)
    flat = KernelLogisticRegression(kernel="linear", fit_intercept=False).fit(np.zeros((4, 1)), [0, 0, 0, 1])
    np.testing.assert_array_equal(flat.predict_proba([[1.0]]), 0.5)
    assert flat.intercept_ == 0.0


def test_one_class_is_refused() -> None:
    message = "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
    with pytest.raises(ValueError, match=message):
        KernelLogisticRegression().fit([[0.0], [1.0]], ["a", "a"])
    with pytest.raises(ValueError, match=message):
        KernelLogisticRegression().fit([[0.0], [1.0]], ["a", "b"], sample_weight=[1, 0])


def test_parameters_that_cannot_be_meant() -> None:
    X, y = blobs(2)
    with pytest.raises(ValueError, match="class_weight must be positive for every class"):
        KernelLogisticRegression(class_weight={"ant": 0.0}).fit(X, y)
    with pytest.raises(ValueError, match="'alpha' parameter of KernelLogisticRegression"):
        KernelLogisticRegression(alpha=0.0).fit(X, y)
    with pytest.raises(NotPositiveDefiniteError, match="positive semidefinite"):
        KernelLogisticRegression(1e-3, kernel="precomputed").fit(-np.eye(len(y)), y)


@pytest.mark.parametrize("classes", [2, 3])
def test_too_few_steps_warn_with_advice(classes: int) -> None:
    X, y = blobs(classes)
    with pytest.warns(
        ConvergenceWarning, match=r"after 2 Newton steps \(max_iter=2\), more than tol.*increase max_iter"
    ) as caught:
        model = KernelLogisticRegression(1e-3, kernel="rbf", max_iter=2).fit(X, y)
    assert caught[0].filename == __file__
    assert model.solution_.status is Status.MAX_ITER
    assert model.n_iter_ == 2
    best = KernelLogisticRegression(1e-3, kernel="rbf").fit(X, y).solution_
    assert 0 < model.solution_.objective - best.objective <= model.solution_.gap


def test_predictions_do_not_depend_on_the_batch_or_the_copy() -> None:
    X, y = blobs(3)
    model = KernelLogisticRegression(0.1, kernel=RBF(gamma=0.3)).fit(X, y)
    P = model.predict_proba(X)
    np.testing.assert_allclose([model.predict_proba(x[None])[0] for x in X], P, rtol=1e-12)
    np.testing.assert_array_equal(copy.deepcopy(model).predict_proba(X), P)


@pytest.mark.parametrize("classes", [2, 3])
def test_two_matrices_are_alive_at_most(classes: int) -> None:
    X, y = blobs(classes, n=400)
    model = KernelLogisticRegression(0.1, kernel="rbf")
    tracemalloc.start()
    try:
        model.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * len(y) * (2 * len(y) + 2 * 256)  # and panels of 256 rows
