"""What users of scikit-learn's KernelRidge rely on."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.kernel_ridge
import sklearn.linear_model
from sklearn.base import clone
from sklearn.datasets import make_regression
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils._param_validation import InvalidParameterError

from mercer.kernels import RBF
from mercer.ridge import KernelRidge

X, y = make_regression(n_features=10, random_state=0)
Y = np.column_stack([y, y[::-1]])
NAMES = ["linear", "rbf", "poly", "polynomial", "sigmoid", "laplacian", "cosine"]


# ---- the behaviours of scikit-learn's own tests


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_array, sp.csr_matrix])
def test_linear_kernel_is_linear_ridge(container):
    expected = sklearn.linear_model.Ridge(alpha=1, fit_intercept=False).fit(X, y).predict(X)
    model = KernelRidge(kernel="linear", alpha=1).fit(container(X), y)
    np.testing.assert_allclose(model.predict(container(X)), expected, rtol=1e-9, atol=1e-9)


def test_singular_kernel_gives_the_least_squares_solution():
    model = KernelRidge(kernel="linear", alpha=0)
    with pytest.warns(UserWarning, match="Singular matrix in solving dual problem. Using least-squares solution"):
        model.fit(X, y)
    expected = sklearn.linear_model.Ridge(alpha=0, fit_intercept=False).fit(X, y).predict(X)
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-8)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:Singular matrix:UserWarning")  # scikit-learn's word for an indefinite one
def test_names_and_precomputed(name):
    options = {"kernel": name}
    ours, theirs = KernelRidge(**options).fit(X, y), sklearn.kernel_ridge.KernelRidge(**options).fit(X, y)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8, atol=1e-9)
    K = pairwise_kernels(X, metric=name)
    before = K.copy()
    given = KernelRidge(kernel="precomputed").fit(K, y)
    np.testing.assert_array_equal(K, before)
    np.testing.assert_allclose(given.predict(pairwise_kernels(X, metric=name)), theirs.predict(X), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["chi2", "additive_chi2"])
@pytest.mark.filterwarnings("ignore:Singular matrix")
def test_chi2_names(name):
    positive = np.abs(X)
    ours = KernelRidge(kernel=name, alpha=30.0, gamma=1.0).fit(positive, y)
    theirs = sklearn.kernel_ridge.KernelRidge(kernel=name, alpha=30.0, gamma=1.0).fit(positive, y)
    np.testing.assert_allclose(ours.predict(positive), theirs.predict(positive), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("alpha", [1.0, [0.5, 20.0], np.array([3.0])])
@pytest.mark.parametrize("weight", [None, 2.5, np.random.default_rng(0).random(len(X))])
def test_targets_penalties_and_weights(alpha, weight):
    ours = KernelRidge(alpha, kernel="rbf").fit(X, Y, sample_weight=weight)
    theirs = sklearn.kernel_ridge.KernelRidge(alpha, kernel="rbf").fit(X, Y, sample_weight=weight)
    assert ours.dual_coef_.shape == theirs.dual_coef_.shape == Y.shape
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.predict(X[:7]), theirs.predict(X[:7]), rtol=1e-8, atol=1e-8)


def test_a_function_takes_two_samples():
    def overlap(a, b, power=1.0):
        assert a.ndim == b.ndim == 1
        return float(np.minimum(a, b).sum() ** power)

    options = {"kernel": overlap, "kernel_params": {"power": 2.0}, "alpha": 5.0}
    small, target = np.abs(X[:30]), y[:30]
    ours = KernelRidge(**options).fit(small, target)
    theirs = sklearn.kernel_ridge.KernelRidge(**options).fit(small, target)
    np.testing.assert_allclose(ours.predict(small), theirs.predict(small), rtol=1e-7, atol=1e-7)


# ---- parameters, attributes, errors


def test_parameters_and_attributes():
    ours, theirs = KernelRidge(), sklearn.kernel_ridge.KernelRidge()
    mine = ours.get_params()
    assert {name: mine[name] for name in theirs.get_params()} == theirs.get_params()
    ours.fit(X, y)
    assert ours.X_fit_ is not None
    assert ours.dual_coef_.shape == (len(X),)
    assert ours.intercept_ == 0.0
    assert ours.n_features_in_ == 10
    assert ours.solution_.converged
    assert str(ours.kernel_).startswith("linear")
    assert KernelRidge(kernel="precomputed").fit(X @ X.T, y).kernel_ is None


@pytest.mark.parametrize(
    "options", [{"alpha": -1}, {"gamma": -1.0}, {"degree": -1}, {"solver": "svd"}, {"max_iter": 0}, {"kernel": 3}]
)
def test_invalid_parameters(options):
    with pytest.raises(InvalidParameterError, match=next(iter(options))):
        KernelRidge(**options).fit(X, y)


@pytest.mark.parametrize("alpha", [[1.0, 2.0, 3.0], [[1.0, 2.0]], [1.0, -1.0], [np.nan, 1.0]])
def test_invalid_penalties(alpha):
    with pytest.raises(ValueError, match="KernelRidge: alpha must be"):
        KernelRidge(alpha).fit(X, Y)


def test_other_errors():
    with pytest.raises(NotFittedError):
        KernelRidge().predict(X)
    with pytest.raises(ValueError, match="square"):
        KernelRidge(kernel="precomputed").fit(X, y)
    with pytest.raises(ValueError, match="symmetric"):
        KernelRidge(kernel="precomputed").fit(np.triu(np.ones((3, 3))), y[:3])
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        KernelRidge().fit(X, y, sample_weight=-np.ones(len(X)))
    with pytest.raises(ValueError, match="zero or negative weights"):
        KernelRidge().fit(X, y, sample_weight=np.zeros(len(X)))


def test_clone_and_nested_parameters():
    model = clone(KernelRidge(kernel=RBF(gamma=0.1) + 2 * RBF(gamma=1.0))).set_params(kernel__0__gamma=0.3)
    assert model.kernel.terms[0] == RBF(gamma=0.3)


def test_too_few_iterations_warn():
    with pytest.warns(ConvergenceWarning, match=r"KernelRidge: the relative residual is .*Increase max_iter"):
        KernelRidge(1e-6, kernel="rbf", solver="cg", max_iter=1).fit(X, y)
