"""What every estimator with a kernel inherits, seen through a small one."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import RegressorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

import mercer._runtime.limits as limits
from mercer._estimator import KernelEstimator
from mercer.exceptions import MemoryLimitError
from mercer.kernels import RBF, Chi2, Constant, Laplacian, Linear, NegativeChi2, Polynomial, Sigmoid, user


class Ridge(RegressorMixin, KernelEstimator):
    """coef = (K + I)⁻¹y."""

    def __init__(self, kernel="rbf", *, gamma="scale", degree=3, coef0=0.0):
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0

    def fit(self, X, y, sample_weight=None):
        return self._fit_training(*self._training(X, y, sample_weight, numeric=True))

    def _fit_training(self, training, y):
        self.training = training
        K = training.K.array()
        self.dual_coef_ = np.linalg.solve(K + np.eye(len(K)), y)
        self._remember(self.training)
        return self

    def predict(self, X):
        return self._against(X) @ self.dual_coef_


class PairRidge(Ridge):
    """With scikit-learn's other conventions: functions of two samples, `kernel_params`, gamma=None."""

    _functions = "pair"

    def __init__(self, kernel="linear", *, gamma=None, degree=3, coef0=1, kernel_params=None):
        super().__init__(kernel, gamma=gamma, degree=degree, coef0=coef0)
        self.kernel_params = kernel_params


@pytest.fixture
def data(rng):
    X = rng.random((40, 3))
    return X, np.sin(3 * X[:, 0])


@pytest.mark.parametrize(
    ("estimator", "kernel"),
    [
        (Ridge(), RBF(gamma="scale")),
        (Ridge(gamma=0.0), Constant(1.0)),
        (Ridge("poly", degree=2), Polynomial(degree=2, gamma="scale", coef0=0.0)),
        (Ridge("poly", degree=0), Constant(1.0)),
        (Ridge("linear"), Linear()),
        (Ridge("sigmoid", coef0=-1.0), Sigmoid(gamma="scale", coef0=-1.0)),
        (Ridge("rbf(gamma=2) + linear"), RBF(gamma=2.0) + Linear()),
        (Ridge(RBF(gamma=2.0)), RBF(gamma=2.0)),
        (Ridge("additive_chi2"), NegativeChi2()),
        (PairRidge("rbf"), RBF(gamma="auto")),
        (PairRidge("polynomial"), Polynomial(degree=3, gamma="auto", coef0=1)),
        (PairRidge("laplacian", gamma=0.5), Laplacian(gamma=0.5)),
        (PairRidge("chi2"), Chi2(gamma=1.0)),
        (PairRidge("chi2", gamma=0.5), Chi2(gamma=0.5)),
        (PairRidge("additive_chi2"), NegativeChi2()),
        (Ridge("precomputed"), None),
    ],
    ids=str,
)
def test_the_kernel_that_is_meant(estimator, kernel):
    assert estimator._kernel() == kernel


def test_the_width_of_scikit_learns_laplacian(data):
    X, y = data
    assert PairRidge("laplacian").fit(X, y).kernel_ == Laplacian(gamma=1 / 3)
    assert PairRidge("laplacian(gamma='auto')").fit(X, y).kernel_ == Laplacian(gamma="auto").resolve(X)


def test_functions_by_block_and_by_pair(data):
    X, y = data
    expected = Ridge("linear").fit(X, y).predict(X)
    np.testing.assert_allclose(Ridge(lambda A, B: A @ B.T).fit(X, y).predict(X), expected)
    np.testing.assert_allclose(PairRidge(np.dot).fit(X, y).predict(X), expected)
    scaled = PairRidge(lambda a, b, factor: factor * (a @ b), kernel_params={"factor": 2.0}).fit(X, y)
    np.testing.assert_allclose(scaled.predict(X), Ridge(2 * Linear()).fit(X, y).predict(X))


def test_every_storage_gives_the_same(data):
    X, y = data
    expected = Ridge(gamma=1.0).fit(X, y).predict(X)
    gram = RBF(gamma=1.0)(X)
    for other in (sp.csr_matrix(X), sp.csr_array(X), pd.DataFrame(X, columns=list("abc")), X.tolist()):
        np.testing.assert_allclose(Ridge(gamma=1.0).fit(other, y).predict(other), expected)
    np.testing.assert_allclose(Ridge("precomputed").fit(gram, y).predict(gram), expected)
    single = Ridge(gamma=1.0).fit(X.astype(np.float32), y)
    assert single.X_fit_.dtype == np.float64
    np.testing.assert_allclose(single.predict(X), expected, atol=1e-5)


def test_strings_under_cross_validation():
    words = ["abba", "baba", "abab", "xyxy", "yxyx", "yyxx"] * 4
    kernel = user(pair=lambda a, b: float(len(set(a) & set(b))))
    scores = cross_val_score(Ridge(kernel), words, [1.0, 1, 1, 0, 0, 0] * 4, cv=3)
    assert scores.min() > 0.9


def test_weights(data):
    X, y = data
    weight = np.arange(40) % 3.0
    model = Ridge().fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(model.training.kept, np.flatnonzero(weight))
    assert model.training.weighted
    repeated = np.repeat(X, weight.astype(int), axis=0)
    assert model.kernel_.gamma == pytest.approx(RBF(gamma="scale").resolve(repeated).gamma)
    for wrong, message in [
        (-weight, "Ridge: sample_weight must not be negative, got a minimum of -2"),
        (weight[:5], r"incompatible shapes: \(5,\) vs \(40, 3\)"),
        (0 * weight, "all samples have zero or negative weights"),
        (np.where(weight > 1, np.nan, 1), "sample_weight contains NaN"),
    ]:
        with pytest.raises(ValueError, match=message):
            Ridge().fit(X, y, sample_weight=wrong)


def test_matrices_of_the_user_are_checked(data):
    X, y = data
    gram = X @ X.T
    with pytest.raises(ValueError, match="must be a square matrix"):
        Ridge("precomputed").fit(X, y)
    with pytest.raises(ValueError, match=r"Ridge: kernel='precomputed' needs a symmetric matrix"):
        Ridge("precomputed").fit(gram + np.triu(np.ones((40, 40))), y)
    with pytest.raises(TypeError, match="Sparse precomputed"):
        Ridge("precomputed").fit(sp.csr_matrix(gram), y)
    model = Ridge("precomputed").fit(gram, y)
    assert model.kernel_ is None
    assert model._compared(gram)[1] is None
    operator, norms = Ridge("linear").fit(X, y)._compared(X[:5])
    np.testing.assert_allclose(norms, (X[:5] ** 2).sum(axis=1))
    np.testing.assert_allclose(operator.dense(), X[:5] @ X.T)


def test_the_matrix_is_the_callers(data):
    X, y = data
    gram = X @ X.T
    training, _ = Ridge("precomputed")._training(gram, y)
    K = training.K.array()
    K[:] = 0
    assert gram.any()
    np.testing.assert_allclose(training.diagonal, np.diagonal(gram))


def test_too_large_is_refused_before_it_is_made(data, monkeypatch):
    training, _ = Ridge()._training(np.random.default_rng(0).random((600, 2)), np.zeros(600))
    monkeypatch.setattr(limits, "available_memory", lambda: 5_000_000)
    training.K.array()
    with pytest.raises(MemoryLimitError, match="Ridge: 2 dense 600 x 600 matrices"):
        training.K.array(buffers=2)


def test_unfitted_cloned_and_tagged(data):
    with pytest.raises(NotFittedError):
        Ridge().predict(data[0])
    model = clone(Ridge(RBF(gamma=1.0) + Linear())).set_params(kernel__0__gamma=2.0)
    assert model.kernel == RBF(gamma=2.0) + Linear()
    assert Ridge("precomputed").__sklearn_tags__().input_tags.pairwise
    assert Ridge("chi2").__sklearn_tags__().input_tags.positive_only
