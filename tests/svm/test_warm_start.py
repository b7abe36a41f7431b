"""warm_start=True: go on where the last fit stopped, and arrive where a cold one would."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

from mercer.solvers import Status
from mercer.svm import SVC, SVR
from tests.svm.family import values_of


def moons(n=100):
    return make_moons(n, noise=0.3, random_state=0)


def iris():
    return load_iris(return_X_y=True)


def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return scale(X)[:120], scale(y)[:120]


CASES = {
    "two classes": (SVC, {}, moons),
    "pairs of classes": (SVC, {}, iris),
    "one against rest": (SVC, {"multi_class": "ovr"}, iris),
    "regression": (SVR, {}, diabetes),
}
every_case = pytest.mark.parametrize(("make", "params", "load"), CASES.values(), ids=CASES.keys())


def assert_same_solution(warm, cold, X):
    assert warm.solution_.converged
    np.testing.assert_allclose(warm.solution_.objective, cold.solution_.objective, rtol=1e-9)
    np.testing.assert_allclose(values_of(warm, X), values_of(cold, X), atol=1e-7)


@every_case
def test_fits_of_ten_steps_reach_the_solution(make, params, load):
    X, y = load()
    cold = make(**params).fit(X, y)
    model = make(**params, max_iter=10, warm_start=True)
    objectives = []
    for _ in range(500):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, y)
        objectives.append(model.solution_.objective)
        assert [w.category for w in caught] == [ConvergenceWarning] * (not model.solution_.converged)
        if model.solution_.converged:
            break
        assert model.solution_.status is Status.MAX_ITER
        assert model.fit_status_ == 1
    assert len(objectives) > 2
    assert (np.diff(objectives) <= 1e-9 * np.abs(objectives[-1])).all()  # never back
    assert objectives[-1] - cold.solution_.objective <= model.solution_.gap + 1e-9
    np.testing.assert_allclose(values_of(model, X), values_of(cold, X), atol=10 * model.tol)
    model.set_params(max_iter=-1).fit(X, y)  # with steps to spare, polished
    assert_same_solution(model, cold, X)


@every_case
def test_without_it_every_fit_starts_anew(make, params, load):
    X, y = load()
    model = make(**params, max_iter=10)
    found = []
    for _ in range(2):
        with pytest.warns(ConvergenceWarning):
            model.fit(X, y)
        found.append(model.solution_.objective)
    assert found[0] == found[1]


@every_case
def test_a_solution_is_recognised(make, params, load):
    X, y = load()
    model = make(**params, warm_start=True).fit(X, y)
    before = values_of(model, X)
    model.fit(X, y)
    assert model.solution_.n_iter == 0
    np.testing.assert_allclose(values_of(model, X), before, atol=1e-9)


@every_case
@pytest.mark.parametrize("C", [0.1, 20.0])
def test_another_C(make, params, load, C):
    X, y = load()
    warm = make(**params, warm_start=True, polish=True).fit(X, y).set_params(C=C).fit(X, y)
    assert_same_solution(warm, make(**params, C=C, polish=True).fit(X, y), X)


@every_case
def test_another_kernel(make, params, load):
    X, y = load()
    warm = make(**params, warm_start=True).fit(X, y).set_params(gamma=0.7).fit(X, y)
    assert_same_solution(warm, make(**params, gamma=0.7).fit(X, y), X)


@every_case
def test_other_weights(make, params, load, rng):
    X, y = load()
    weights = rng.integers(0, 3, (2, len(y))).astype(float)
    model = make(**params, warm_start=True)
    for weight in [weights[0], weights[1], None]:
        model.fit(X, y, sample_weight=weight)
        assert_same_solution(model, make(**params).fit(X, y, sample_weight=weight), X)


@every_case
def test_another_number_of_samples_starts_cold(make, params, load):
    X, y = load()
    model = make(**params, warm_start=True).fit(X, y)
    for rows in (slice(None, None, 2), slice(None)):
        cold = make(**params).fit(X[rows], y[rows])
        model.fit(X[rows], y[rows])
        assert model.solution_.n_iter == cold.solution_.n_iter
        assert_same_solution(model, cold, X[rows])


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_other_classes_start_cold(multi_class):
    X, y = iris()
    model = SVC(multi_class=multi_class, warm_start=True).fit(X, y)
    for labels in (y == 1, y, np.where(np.arange(150) % 50 < 10, 3, y), y):
        cold = SVC(multi_class=multi_class).fit(X, labels)
        model.fit(X, labels)
        assert model.solution_.n_iter == cold.solution_.n_iter
        assert_same_solution(model, cold, X)


@every_case
def test_other_targets_of_the_same_samples(make, params, load, rng):
    X, y = load()
    other = rng.permutation(y)
    warm = make(**params, warm_start=True).fit(X, y).fit(X, other)
    assert_same_solution(warm, make(**params).fit(X, other), X)


@pytest.mark.parametrize(("first", "second"), [("ovo", "ovr"), ("ovr", "ovo")])
def test_another_reduction_of_classes(first, second):
    X, y = iris()
    warm = SVC(multi_class=first, warm_start=True).fit(X, y).set_params(multi_class=second).fit(X, y)
    assert_same_solution(warm, SVC(multi_class=second).fit(X, y), X)


def test_after_a_hard_margin():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    y = [0, 0, 1, 1]
    warm = SVC(kernel="linear", C=np.inf, warm_start=True).fit(X, y).set_params(C=0.1).fit(X, y)
    assert_same_solution(warm, SVC(kernel="linear", C=0.1).fit(X, y), X)
