"""Classification by ridge regression: targets, classes, weights, labels."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.datasets import load_iris, make_moons
from sklearn.model_selection import cross_val_score

from mercer.ridge import KernelRidge, KernelRidgeClassifier

IRIS = load_iris()
X, y = make_moons(120, noise=0.25, random_state=0)
_rng = np.random.default_rng(0)
WEIGHT = _rng.integers(0, 4, len(y))


def test_two_classes_are_one_regression():
    model = KernelRidgeClassifier(0.5).fit(X, y)
    side = KernelRidge(0.5, kernel="rbf", gamma="scale", fit_intercept=True).fit(X, np.where(y == 1, 1.0, -1.0))
    np.testing.assert_allclose(model.decision_function(X), side.predict(X), atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), (side.predict(X) > 0).astype(int))
    assert model.dual_coef_.shape == (120,)
    assert isinstance(model.intercept_, float)
    assert model.score(X, y) > 0.9


def test_more_classes_are_one_regression_each():
    names = IRIS.target_names[IRIS.target]
    model = KernelRidgeClassifier(0.1).fit(IRIS.data, names)
    values = model.decision_function(IRIS.data)
    assert model.classes_.tolist() == sorted(set(names))
    assert values.shape == (150, 3)
    assert model.intercept_.shape == (3,)
    for column, name in enumerate(model.classes_):
        side = KernelRidge(0.1, kernel="rbf", gamma="scale", fit_intercept=True)
        side.fit(IRIS.data, np.where(names == name, 1.0, -1.0))
        np.testing.assert_allclose(values[:, column], side.predict(IRIS.data), atol=1e-10)
    np.testing.assert_array_equal(model.predict(IRIS.data), model.classes_[values.argmax(axis=1)])
    assert model.score(IRIS.data, names) > 0.95


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 1.0, 1: 5.0, 2: 0.5}])
@pytest.mark.parametrize("classes", [2, 3])
def test_linear_kernel_is_scikit_learns_ridge_classifier(classes, class_weight):
    if isinstance(class_weight, dict):
        class_weight = {c: w for c, w in class_weight.items() if c < classes}
    used = IRIS.target < classes
    data, label = IRIS.data[used], IRIS.target[used]
    ours = KernelRidgeClassifier(2.0, kernel="linear", class_weight=class_weight).fit(data, label)
    theirs = sklearn.linear_model.RidgeClassifier(2.0, class_weight=class_weight).fit(data, label)
    np.testing.assert_allclose(ours.decision_function(data), theirs.decision_function(data), atol=1e-8)


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 3.0}])
@pytest.mark.parametrize("solver", ["cholesky", "mixed", "cg"])
def test_weights_are_repetitions(solver, class_weight):
    model = KernelRidgeClassifier(0.1, class_weight=class_weight, solver=solver)
    weighted = model.fit(X, y, sample_weight=WEIGHT).decision_function(X)
    repeated = model.fit(np.repeat(X, WEIGHT, axis=0), np.repeat(y, WEIGHT)).decision_function(X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-7)


def test_weights_of_classes_multiply_weights_of_samples():
    by_class = KernelRidgeClassifier(class_weight={0: 3.0, 1: 0.5}).fit(X, y, sample_weight=WEIGHT)
    by_sample = KernelRidgeClassifier(gamma=by_class.kernel_.gamma).fit(
        X, y, sample_weight=WEIGHT * np.where(y, 0.5, 3.0)
    )
    np.testing.assert_allclose(by_class.decision_function(X), by_sample.decision_function(X), atol=1e-9)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="two classes"):
        KernelRidgeClassifier().fit(X, np.ones(120))
    with pytest.raises(ValueError, match=r"got 1 class: \[1\]"):
        KernelRidgeClassifier().fit(X, y, sample_weight=y)
    with pytest.raises(ValueError, match=r"got 1 class: \[0\]"):
        KernelRidgeClassifier(class_weight={1: 0.0}).fit(X, y)


def test_a_class_without_weight_is_never_predicted():
    model = KernelRidgeClassifier().fit(IRIS.data, IRIS.target, sample_weight=IRIS.target != 1)
    assert model.classes_.tolist() == [0, 1, 2]
    assert set(model.predict(IRIS.data)) == {0, 2}
    np.testing.assert_allclose(model.decision_function(IRIS.data)[:, 1], -1.0, atol=1e-9)


def test_csr_precomputed_and_strings():
    model = KernelRidgeClassifier(kernel="linear").fit(X, y)
    np.testing.assert_allclose(
        KernelRidgeClassifier(kernel="linear").fit(sp.csr_array(X), y).decision_function(X),
        model.decision_function(X),
        atol=1e-10,
    )
    given = KernelRidgeClassifier(kernel="precomputed").fit(X @ X.T, y)
    np.testing.assert_allclose(given.decision_function(X[:5] @ X.T), model.decision_function(X[:5]), atol=1e-10)
    words = ["oak", "alder", "maple", "poplar", "lime", "cod", "tuna", "pike", "trout", "bass"] * 2
    kind = (["tree"] * 5 + ["fish"] * 5) * 2
    trees = KernelRidgeClassifier(0.1, kernel=lambda a, b: float(len(set(a) & set(b))))
    assert trees.fit(words, kind).score(words, kind) > 0.8
    assert cross_val_score(trees, words, kind, cv=2).shape == (2,)
