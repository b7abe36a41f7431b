"""Parameters: nested names, changes that build new kernels, scikit-learn's tools on top."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer.kernels import (
    RBF,
    Columns,
    ExpOf,
    Linear,
    Matern,
    Polynomial,
    PolynomialOf,
    Power,
    Scaled,
    Sum,
    Weighted,
)
from tests.strategies import expressions, total

K = 0.5 * RBF(gamma=0.1) + Polynomial(degree=2) * Columns([0, 1], RBF(gamma=3.0))


def test_nested_names():
    assert K.get_params(deep=False) == {"terms": K.terms}
    params = K.get_params()
    assert params["0__scale"] == 0.5
    assert params["0__kernel__gamma"] == 0.1
    assert params["1__0"] == Polynomial(degree=2)
    assert params["1__0__degree"] == 2
    assert params["1__1__columns"] == (0, 1)
    assert params["1__1__kernel__gamma"] == 3.0


def test_with_params_builds_a_new_kernel():
    text = repr(K)
    changed = K.with_params(**{"0__kernel__gamma": 7.0, "1__1__kernel__gamma": 8.0, "0__scale": 2.0})
    assert changed == 2.0 * RBF(gamma=7.0) + Polynomial(degree=2) * Columns([0, 1], RBF(gamma=8.0))
    assert repr(K) == text


def test_whole_parts_come_before_their_details():
    changed = K.with_params(**{"0__kernel__nu": 2.5, "0__kernel": Matern(gamma=1.0)})
    assert changed.terms[0] == 0.5 * Matern(nu=2.5, gamma=1.0)
    assert K.with_params(**{"1": Linear()}) == 0.5 * RBF(gamma=0.1) + Linear()
    assert K.with_params(terms=(Linear(), RBF())) == Linear() + RBF()
    assert K.with_params(**{"terms": (Linear(), RBF()), "1__gamma": 5.0}) == Linear() + RBF(gamma=5.0)


def test_a_part_that_is_a_sum_joins_the_sum():
    assert (RBF() + Linear()).with_params(**{"0": RBF() + Power()}) == Sum((RBF(), Power(), Linear()))


@pytest.mark.parametrize(
    ("kernel", "name", "known"),
    [
        (RBF(), "gama", "gamma"),
        (RBF(), "gamma__x", "gamma"),
        (K, "2", "0, 1, terms"),
        (K, "0__kernel__nu", "gamma"),
        (K, "7__gamma", "0, 1, terms"),
        (ExpOf(Linear()), "coef0", "kernel"),
    ],
)
def test_unknown_names_are_refused_with_the_known_ones(kernel, name, known):
    with pytest.raises(ValueError, match=f"has no parameter '.*'; it has {known}"):
        kernel.with_params(**{name: 1.0})


def test_a_detail_of_a_part_that_is_gone():
    with pytest.raises(ValueError, match=r"no part|no parameter"):
        (RBF() + Linear() + Power()).with_params(**{"terms": (RBF(), Linear()), "2__degree": 1.0})


def test_values_are_checked_on_the_way():
    with pytest.raises(ValueError, match="RBF: parameter gamma"):
        K.with_params(**{"0__kernel__gamma": -1.0})
    with pytest.raises(TypeError, match="kernel must be a kernel, got 'rbf'"):
        (2 * RBF()).with_params(kernel="rbf")


@given(expressions())
def test_clone_and_pickle_of_expressions(kernel):
    assert clone(kernel) is kernel
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert kernel.with_params(**kernel.get_params(deep=False)) == kernel


def test_vectors_are_stored_hashable():
    for kernel in (RBF(gamma=[1, 2]), RBF(gamma=np.array([1.0, 2.0]))):
        assert kernel.gamma == (1.0, 2.0)
        assert all(type(g) is float for g in kernel.gamma)
    assert PolynomialOf(Linear(), np.array([1, 2])).coefficients == (1.0, 2.0)
    assert Columns(np.array([2, 0]), RBF()).columns == (2, 0)


class KernelClassifier(ClassifierMixin, BaseEstimator):
    """Nearest class mean in feature space; replaces its kernel, never changes it in place."""

    def __init__(self, kernel=None):
        self.kernel = kernel

    def set_params(self, **params):
        nested = {
            name.removeprefix("kernel__"): params.pop(name) for name in list(params) if name.startswith("kernel__")
        }
        super().set_params(**params)
        if nested:
            self.kernel = self.kernel.with_params(**nested)
        return self

    def fit(self, X, y):
        self.kernel_ = self.kernel.resolve(X)
        self.X_, self.y_, self.classes_ = X, y, np.unique(y)
        return self

    def predict(self, X):
        C = self.kernel_(X, self.X_)
        own = self.kernel_(self.X_)
        scores = [
            C[:, self.y_ == c].mean(axis=1) - own[np.ix_(self.y_ == c, self.y_ == c)].mean() / 2 for c in self.classes_
        ]
        return self.classes_[np.argmax(scores, axis=0)]


def test_grid_search_reaches_nested_parameters(rng):
    X = rng.normal(size=(60, 2))
    y = (np.linalg.norm(X, axis=1) > 1.1).astype(int)
    model = make_pipeline(StandardScaler(), KernelClassifier(RBF(gamma=1e-6) + 1e-3 * Linear()))
    grid = {
        "kernelclassifier__kernel__0__gamma": [1e-6, 1.0],
        "kernelclassifier__kernel__1__scale": [1e-3, 1e-2],
    }
    search = GridSearchCV(model, grid, cv=3).fit(X, y)
    assert search.best_params_["kernelclassifier__kernel__0__gamma"] == 1.0
    assert search.best_score_ > 0.8
    assert model[-1].kernel == RBF(gamma=1e-6) + 1e-3 * Linear()
    best = search.best_estimator_[-1]
    assert best.kernel.terms[0] == RBF(gamma=1.0)
    assert best.kernel_ == best.kernel


def test_grid_over_whole_kernels(rng):
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(int)
    grid = {"kernel": [RBF(gamma=1.0), Linear(), Scaled(2.0, Polynomial())]}
    search = GridSearchCV(KernelClassifier(Linear()), grid, cv=2).fit(X, y)
    assert search.best_params_["kernel"] in grid["kernel"]
    assert clone(search.best_estimator_).kernel is search.best_estimator_.kernel


def test_resolution_reaches_every_part_and_its_columns(rng):
    X = rng.normal(size=(20, 3)) * [1.0, 10.0, 100.0]
    kernel = RBF() + Columns([0], RBF()) * Weighted(total, RBF(gamma="auto"))
    fixed = kernel.resolve(X)
    assert fixed.is_resolved
    assert not kernel.is_resolved
    assert fixed.terms[0] == RBF(gamma=1 / (3 * X.var()))
    assert fixed.terms[1].factors[0].kernel == RBF(gamma=1 / X[:, 0].var())
    assert fixed.terms[1].factors[1].kernel == RBF(gamma=1 / 3)
