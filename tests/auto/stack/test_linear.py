"""The linear member of stacks: its kernel, its twin in scikit-learn, few samples of a class, files, explanations."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from mercer.auto import AutoClassifier
from mercer.auto.stack import Layout, LeafRidge, StackedClassifier
from mercer.auto.stack.linear import LinearKernel
from mercer.auto.stack.machines import STRAIGHT
from mercer.explain import shapley_values
from mercer.persistence import load, save


def one_hot(X, numbers):
    """Numbers, and an indicator of every code of the other columns."""
    codes = [np.equal.outer(column, np.unique(column)) for column in X.T[numbers:]]
    return np.hstack([X[:, :numbers], *codes]).astype(float)


def samples(rng, n, numbers, codes):
    return np.hstack([rng.normal(size=(n, numbers)), rng.integers(0, 3, (n, codes))])


@pytest.mark.parametrize(("numbers", "codes"), [(3, 2), (3, 1), (3, 0), (0, 2), (0, 1)])
def test_the_kernel_is_the_inner_product_of_numbers_and_indicators(rng, numbers, codes):
    X = samples(rng, 30, numbers, codes)
    layout = Layout(tuple(range(numbers)), tuple(range(numbers)), tuple(range(numbers, numbers + codes)))
    Z = one_hot(X, numbers)
    np.testing.assert_allclose(LinearKernel.of(layout).kernel(X), Z @ Z.T, atol=1e-12)


def test_the_machine_is_logistic_regression_on_indicators(rng):
    X = samples(rng, 120, 3, 2)
    y = (X[:, 0] + (X[:, 3] == 1) + 0.5 * rng.normal(size=120) > 0.5).astype(int)
    kernel = LinearKernel.of(Layout((0, 1, 2), (0, 1, 2), (3, 4))).kernel
    for alpha in (1.0, 10.0):
        own = STRAIGHT.build({"alpha": alpha}, kernel=kernel).set_params(tol=1e-10).fit(X, y)
        twin = LogisticRegression(C=1 / alpha, tol=1e-10, max_iter=1000).fit(one_hot(X, 3), y)
        found = twin.decision_function(one_hot(X, 3))
        np.testing.assert_allclose(own.decision_function(X), found, atol=1e-4)


def test_many_rows_have_landmarks_and_two_classes():
    assert STRAIGHT.takes(500, 10)
    assert STRAIGHT.takes(100_000, 2)
    assert not STRAIGHT.takes(501, 3)  # Newton's method on many features of many classes


def test_landmarks_lose_nothing(rng):
    X = samples(rng, 120, 3, 2)
    y = (X[:, 0] + (X[:, 3] == 1) + 0.5 * rng.normal(size=120) > 0.5).astype(int)
    kernel = LinearKernel.of(Layout((0, 1, 2), (0, 1, 2), (3, 4))).kernel  # of rank 8
    exact = STRAIGHT.final(kernel, X, y, {"alpha": 1.0}, None)
    few = replace(STRAIGHT, most=100, landmarks=40).final(kernel, X, y, {"alpha": 1.0}, None)
    assert few.approximation_.n_components <= 40
    np.testing.assert_allclose(few.decision_function(X), exact.decision_function(X), atol=0.05)


def rare(n, positives, seed):
    """Eight numbers and a category; positive samples have larger numbers, and one category more often."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) < positives
    X = {f"x{j}": column for j, column in enumerate(rng.normal(size=(8, n)) + 0.7 * y)}
    return X | {"kind": np.where(rng.random(n) < np.where(y, 0.6, 0.3), "a", "b")}, y


def test_few_positive_samples_keep_the_linear_member(tmp_path):
    X, y = rare(300, 5, 0)
    model = AutoClassifier().fit(X, y)
    straight = [m for m in model.model_.members_ if m.name == "linear kernel of all columns"]
    assert [m.model for m in straight] == ["logistic"]
    assert straight[0].weight > 0.15  # although there are twelve ridge regressions and one linear machine
    assert straight[0].machine.kernel_ == LinearKernel.of(model.model_.layout).kernel  # not learned again
    new, truth = rare(2000, 1000, 1)
    assert roc_auc_score(truth, model.predict_proba(new)[:, 1]) > 0.8

    save(model, tmp_path / "model.mercer")
    assert np.array_equal(load(tmp_path / "model.mercer").predict_proba(new), model.predict_proba(new))
    rows, background = ({name: column[:n] for name, column in part.items()} for part, n in ((new, 3), (X, 30)))
    found = shapley_values(model, rows, background)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), found.score, atol=1e-6)


def test_calibrations_fit_the_scores_of_the_final_machines(monkeypatch):
    fits, fit, again = [], LeafRidge.fit, StackedClassifier._taught_again

    def followed(self, X, Y, alphas, *more):
        fits.append(list(alphas))
        return fit(self, X, Y, alphas, *more)

    def followed_again(self, *args):
        fits.clear()
        return again(self, *args)

    monkeypatch.setattr(LeafRidge, "fit", followed)
    monkeypatch.setattr(StackedClassifier, "_taught_again", followed_again)
    X, y = rare(150, 60, 0)
    model = AutoClassifier(n_jobs=1).fit(X, y)
    assert fits
    assert all(len(alphas) == 1 for alphas in fits)  # another penalty would change the size of the scores
    new, truth = rare(1500, 600, 1)
    assert abs(model.predict_proba(new)[:, 1].mean() - truth.mean()) < 0.05

    def refused(*args):
        raise AssertionError

    monkeypatch.setattr(StackedClassifier, "_taught_again", refused)
    assert AutoClassifier(n_jobs=1).fit(*rare(150, 6, 0)).model_.n_judged_ == 50  # of which two are positive


def test_linear_classes_are_left_to_the_linear_member():
    rng = np.random.default_rng(0)
    X, direction = rng.normal(size=(800, 40)), rng.normal(size=40)
    y = X @ direction + 2 * rng.normal(size=800) > 0
    model = AutoClassifier().fit(X[:200], y[:200])
    assert any(m.name.startswith("linear") and m.weight > 0.1 for m in model.model_.members_)
    assert model.score(X[200:], y[200:]) > 0.7
