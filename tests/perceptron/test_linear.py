"""The linear perceptron: primal = dual = kernel, mistake by mistake."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from mercer.perceptron import KernelPerceptron, Perceptron
from tests.reference import perceptron as twin


def separable(n=200, d=6, classes=2, seed=0):
    """Integers and the classes of the largest of some linear functions with a margin."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, size=(4 * n, d)).astype(float)
    scores = X @ rng.integers(-3, 4, size=(d, classes))
    ranked = np.sort(scores, axis=1)
    kept = np.flatnonzero(ranked[:, -1] - ranked[:, -2] > 1)[:n]
    return X[kept], scores[kept].argmax(axis=1)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.filterwarnings("ignore:.*mistakes in the last:sklearn.exceptions.ConvergenceWarning")
def test_primal_dual_and_kernel_make_the_same_mistakes(classes, fit_intercept, shuffle):
    X, y = separable(classes=classes)
    options = {"fit_intercept": fit_intercept, "shuffle": shuffle, "random_state": 0, "max_iter": 40}
    primal = Perceptron(form="primal", **options).fit(X, y)
    for other in (
        Perceptron(form="dual", **options).fit(X, y),
        Perceptron(form="primal", **options).fit(sp.csr_matrix(X), y),
        Perceptron(form="dual", **options).fit(sp.csr_matrix(X), y),
        KernelPerceptron("linear", **options).fit(X, y),
    ):
        np.testing.assert_array_equal(other.mistakes_, primal.mistakes_)
        for ours, theirs in zip(other.mistake_indices_, primal.mistake_indices_, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(other.intercept_, primal.intercept_)
        np.testing.assert_array_equal(other.predict(X), primal.predict(X))
        np.testing.assert_array_equal(other.support_, primal.support_)
        np.testing.assert_array_equal(other.dual_coef_, primal.dual_coef_)
    np.testing.assert_array_equal(primal.support_vectors_, X[primal.support_])
    np.testing.assert_array_equal(primal.dual_coef_ @ primal.support_vectors_, primal.coef_)
    assert primal.dual_coef_.shape == (1 if classes == 2 else classes, len(primal.support_))


def test_against_the_plain_loop():
    X, y = separable()
    model = Perceptron().fit(X, y)
    mistakes, counts, w = twin.primal(np.column_stack([X, np.ones(len(X))]), np.where(y, 1.0, -1.0), 1000)
    assert model.mistake_indices_[0].tolist() == mistakes
    assert model.mistakes_[0].tolist() == counts
    np.testing.assert_array_equal(np.append(model.coef_[0], model.intercept_), w)
    assert model.solution_.converged
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize("form", ["primal", "dual"])
def test_eta_scales_and_changes_no_mistake(form):
    X, y = separable()
    X = X + np.random.default_rng(0).normal(scale=1e-3, size=X.shape)
    one, other = Perceptron(form=form).fit(X, y), Perceptron(form=form, eta0=0.37).fit(X, y)
    np.testing.assert_array_equal(one.mistake_indices_[0], other.mistake_indices_[0])
    np.testing.assert_allclose(other.coef_, 0.37 * one.coef_, rtol=1e-15)
    np.testing.assert_allclose(other.intercept_, 0.37 * one.intercept_, rtol=1e-15)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


@pytest.mark.parametrize("seed", range(4))
def test_mistakes_obey_the_bound(seed):
    X, y = separable(seed=seed)
    for shuffle in (False, True):
        model = Perceptron(shuffle=shuffle, random_state=seed).fit(X, y)
        assert (model.mistakes_.sum(axis=1) <= model.novikoff_bound_).all()
    w = np.append(model.coef_[0], model.intercept_)
    Z = np.column_stack([X, np.ones(len(X))])
    margin = (np.where(y, 1, -1) * (Z @ w)).min() / np.linalg.norm(w)
    np.testing.assert_allclose(model.novikoff_bound_[0], (Z * Z).sum(axis=1).max() / margin**2)


def test_what_cannot_be_separated_ends_with_a_warning():
    X, y = np.array([[1.0], [1.0], [2.0]]), [0, 1, 1]
    with pytest.warns(ConvergenceWarning, match=r"Perceptron: \d mistakes in the last of max_iter=25 passes"):
        model = Perceptron(max_iter=25).fit(X, y)
    assert model.mistakes_.shape == (1, 25)
    assert np.isnan(model.novikoff_bound_).all()
    assert not model.solution_.converged
    assert model.solution_.violation == pytest.approx(model.mistakes_[0, -1] / 3)
