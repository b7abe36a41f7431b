"""The multiclass machine of Crammer and Singer: liblinear's optimum, its certificate, weights and Gram matrices."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.svm import LinearSVC

from mercer.kernels import RBF
from mercer.svm import SVC

X, y = load_iris(return_X_y=True)
X = X - X.mean(axis=0)  # there is no intercept


@pytest.mark.parametrize("C", [0.1, 1.0])
def test_linear_kernel_gives_the_optimum_of_liblinear(C):
    ours = SVC(kernel="linear", multi_class="crammer_singer", C=C).fit(X, y)
    options = {"fit_intercept": False, "tol": 1e-10, "max_iter": 100_000, "random_state": 0}
    theirs = LinearSVC(multi_class="crammer_singer", C=C, **options).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-7)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_the_certificate_is_the_distance_of_primal_and_dual():
    model = SVC(kernel="linear", multi_class="crammer_singer", C=0.5).fit(X, y)
    values = X @ model.coef_.T
    loss = (values + (np.arange(3) != y[:, None])).max(axis=1) - values[np.arange(len(y)), y]
    primal = 0.5 * np.square(model.coef_).sum() + 0.5 * loss.sum()
    assert model.solution_.converged
    assert primal + model.solution_.objective == pytest.approx(model.solution_.gap, abs=1e-9 * primal)
    assert 0 <= model.solution_.gap < 1e-6 * primal


def test_weights_are_repetitions_and_a_gram_matrix_is_its_kernel():
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    options = {"multi_class": "crammer_singer", "C": 0.5}
    weighted = SVC(kernel=RBF(gamma=0.5), **options).fit(X, y, sample_weight=weight)
    expected = weighted.decision_function(X)
    repeated = SVC(kernel=RBF(gamma=0.5), **options).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(repeated.decision_function(X), expected, atol=1e-7)
    K = RBF(gamma=0.5)(X)
    given = SVC(kernel="precomputed", **options).fit(K, y, sample_weight=weight)
    np.testing.assert_allclose(given.decision_function(K), expected, atol=1e-7)
