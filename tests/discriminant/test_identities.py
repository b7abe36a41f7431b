"""What kernel discriminant analysis is equal to: textbooks, scikit-learn's LDA, LDA of explicit features, itself."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import StandardScaler

from mercer.discriminant import KernelDiscriminantAnalysis as KDA
from mercer.kernels import RBF, Linear, Polynomial
from tests.reference.discriminant import by_coefficients, by_factor, in_features

BOTH = pytest.mark.parametrize("n_classes", [2, 3])


def blobs(rng, n_classes, n=90, d=4):
    y = rng.permutation(np.arange(n) % n_classes)
    return rng.normal(size=(n, d)) + np.eye(n_classes, d)[y] * 1.5, y


def centred(decision):
    return decision - decision.mean(axis=1, keepdims=True)


def as_columns(decision):
    """Both values of two classes, up to a constant."""
    return decision if decision.ndim == 2 else np.column_stack([-decision / 2, decision / 2])


def same_up_to_sign(actual, expected, **tolerance):
    sign = np.sign((actual * expected).sum(axis=0))
    np.testing.assert_allclose(actual, sign * expected, **tolerance)


@BOTH
@pytest.mark.parametrize("solver", ["ridge", "eigen"])
def test_slow_twin(rng, n_classes, solver):
    X, y = blobs(rng, n_classes)
    model = KDA(kernel=RBF(gamma=0.2), reg=0.01, solver=solver).fit(X, y)
    twin, rows = by_factor(RBF(gamma=0.2)(X), y, 0.01)
    same_up_to_sign(model.transform(X), twin.project(rows), atol=1e-8)
    np.testing.assert_allclose(as_columns(model.decision_function(X)), centred_like(model, twin, rows), atol=1e-7)
    np.testing.assert_array_equal(model.predict(X), twin.decide(rows).argmax(axis=1))


def centred_like(model, twin, rows):
    """The twin's decisions, with ½‖z‖² added back, which is the same for all classes and left out by the model."""
    decision = twin.decide(rows) + (twin.project(rows) ** 2).sum(axis=1, keepdims=True) / 2
    return centred(decision) if len(model.classes_) == 2 else decision


@BOTH
def test_penalty_on_coefficients_is_that_of_mika(rng, n_classes):
    X, y = blobs(rng, n_classes)
    new = rng.normal(size=(20, 4))
    K, rows = RBF(gamma=0.2)(X), RBF(gamma=0.2)(new, X)
    model = KDA(kernel=RBF(gamma=0.2), reg=0.01, penalty="coefficients").fit(X, y)
    twin = by_coefficients(K, y, 0.01)
    same_up_to_sign(model.transform(new), twin.project(rows), atol=1e-8)
    np.testing.assert_array_equal(model.predict(new), twin.decide(rows).argmax(axis=1))


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("solver", ["ridge", "eigen"])
def test_linear_kernel_is_lda(load, solver):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    model = KDA(kernel="linear", reg=1e-7, solver=solver).fit(X, y)
    directions = X.T @ model.dual_coef_
    assert np.rad2deg(subspace_angles(directions, lda.scalings_)).max() < 1e-4
    same_up_to_sign(model.transform(X), lda.transform(X), atol=1e-4)
    np.testing.assert_array_equal(model.predict(X), lda.predict(X))
    np.testing.assert_allclose(model.predict_proba(X), lda.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(lda.predict_proba(X)), atol=1e-4)
    np.testing.assert_allclose(model.explained_variance_ratio_, lda.explained_variance_ratio_, atol=1e-7)


def test_two_classes_of_the_linear_kernel_are_those_of_lda(rng):
    X, y = blobs(rng, 2)
    for priors in (None, [0.9, 0.1]):
        lda = LinearDiscriminantAnalysis(priors=priors).fit(X, y)
        model = KDA(kernel="linear", reg=1e-7, priors=priors).fit(X, y)
        np.testing.assert_allclose(model.decision_function(X), lda.decision_function(X), atol=1e-6)
        np.testing.assert_allclose(model.predict_proba(X), lda.predict_proba(X), atol=1e-7)


@BOTH
def test_finite_feature_map(rng, n_classes):
    X, y = blobs(rng, n_classes)
    new = rng.normal(size=(30, 4))
    kernel = Polynomial(degree=2, gamma=0.5, coef0=1.0)
    model = KDA(kernel=kernel, reg=0.05).fit(X, y)
    features, images = kernel.feature_map(X), kernel.feature_map(new)
    twin = in_features(features, y, 0.05, n=len(X))
    same_up_to_sign(model.transform(new), twin.project(images), atol=1e-8)
    np.testing.assert_array_equal(model.predict(new), twin.decide(images).argmax(axis=1))
    linear = KDA(kernel=Linear(), reg=0.05).fit(features, y)
    np.testing.assert_allclose(linear.decision_function(images), model.decision_function(new), atol=1e-8)


@BOTH
@pytest.mark.parametrize(
    "options", [{"solver": "ridge"}, {"solver": "eigen"}, {"penalty": "coefficients"}, {"reg": "auto"}]
)
def test_scale_of_the_kernel_has_no_effect(rng, n_classes, options):
    X, y = blobs(rng, n_classes)
    plain, large = (KDA(kernel=kernel, **options).fit(X, y) for kernel in (RBF(gamma=0.2), 1e4 * RBF(gamma=0.2)))
    np.testing.assert_allclose(large.transform(X), plain.transform(X), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(large.decision_function(X), plain.decision_function(X), rtol=1e-6, atol=1e-6)
    assert large.reg_ == plain.reg_


@BOTH
@pytest.mark.parametrize("options", [{"solver": "ridge"}, {"solver": "eigen"}, {"penalty": "coefficients"}])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_weights_are_repetitions(rng, n_classes, options, kernel):
    X, y = blobs(rng, n_classes)
    weight = rng.integers(0, 4, size=len(y))
    weighted = KDA(kernel=kernel, **options).fit(X, y, sample_weight=weight)
    repeated = KDA(kernel=kernel, **options).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    scale = np.abs(repeated.decision_function(X)).max()
    np.testing.assert_allclose(weighted.transform(X), repeated.transform(X), atol=1e-7)
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-7 * scale)
    np.testing.assert_allclose(weighted.priors_, repeated.priors_)


def test_a_class_without_weight_is_absent(rng):
    X, y = blobs(rng, 3)
    absent = KDA().fit(X[y < 2], y[y < 2])
    weightless = KDA().fit(X, y, sample_weight=(y < 2).astype(float))
    np.testing.assert_array_equal(weightless.classes_, [0, 1])
    np.testing.assert_allclose(weightless.decision_function(X), absent.decision_function(X), rtol=1e-8, atol=1e-8)


def test_leave_one_out_is_a_refit_with_the_same_penalty(rng):
    """μ is fixed: `reg` of a refit is chosen so that its own scatter gives the same."""
    X, y = blobs(rng, 3, n=45)
    kernel = RBF(gamma=0.2)
    model = KDA(kernel=kernel, reg=0.5, loo=True).fit(X, y)

    def spread(rows):
        labels = y[rows]
        return sum(np.trace(K) - K.sum() / len(K) for K in (kernel(X[rows][labels == c]) for c in range(3))) / len(rows)

    wrong = 0
    for i in range(len(X)):
        rest = np.delete(np.arange(len(X)), i)
        reg = 0.5 * spread(np.arange(len(X))) / spread(rest)
        refit = KDA(kernel=kernel, reg=reg).fit(X[rest], y[rest])
        decision = refit.decision_function(X[[i]])
        np.testing.assert_allclose(centred(model.loo_decision_function_[[i]]), centred(decision), atol=1e-9)
        wrong += refit.predict(X[[i]])[0] != y[i]
    assert model.loo_error_ == pytest.approx(wrong / len(X))


@BOTH
def test_automatic_regularisation_minimises_the_leave_one_out_error(rng, n_classes):
    X, y = blobs(rng, n_classes)
    model = KDA(kernel=RBF(gamma=0.2), reg="auto").fit(X, y)
    results = model.cv_results_
    assert model.loo_error_ == results["loo_error"].min()
    ties = results["loo_error"] == model.loo_error_
    assert results["loo_loss"][results["reg"] == model.reg_] == results["loo_loss"][ties].min()
    for reg, error in list(zip(results["reg"], results["loo_error"], strict=True))[::6]:
        assert KDA(kernel=RBF(gamma=0.2), reg=reg, loo=True).fit(X, y).loo_error_ == pytest.approx(error)
    fixed = KDA(kernel=RBF(gamma=0.2), reg=model.reg_, loo=True).fit(X, y)
    np.testing.assert_allclose(fixed.decision_function(X), model.decision_function(X), rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(fixed.loo_decision_function_, model.loo_decision_function_, rtol=1e-6, atol=1e-7)
    reference = KDA(kernel=RBF(gamma=0.2), reg="auto", solver="eigen").fit(X, y)
    np.testing.assert_allclose(reference.decision_function(X), model.decision_function(X), rtol=1e-7, atol=1e-8)
