"""What is left out together: identical samples, groups; weights as repetitions."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from mercer.feature_learning import LeaveOneOutWeights
from mercer.feature_learning.problem import identical
from mercer.kernels import RBF
from tests.contracts.behaviour import same
from tests.feature_learning.learners import LEARNERS, everything


@pytest.mark.parametrize("model", LEARNERS, ids=str)
@pytest.mark.parametrize("task", ["regression", "classification"])
@pytest.mark.parametrize("max_samples", [None, 60])
def test_integer_weights_are_repeated_samples_left_out_together(table, model, task, max_samples):
    X, y = table
    y = y if task == "regression" else np.digitize(y, [0.0, 1.0])
    weight = np.random.default_rng(3).integers(0, 4, len(y))
    copies = np.random.default_rng(4).permutation(np.repeat(np.arange(len(y)), weight))
    balanced = {"class_weight": "balanced"} if task == "classification" else {}
    model = clone(model).set_params(max_samples=max_samples, **balanced)
    weighted = clone(model).fit(X, y, sample_weight=weight)
    repeated = clone(model).fit(X[copies], y[copies])
    np.testing.assert_allclose(weighted.transform(X), repeated.transform(X), rtol=1e-4)
    assert weighted.loo_score_ == pytest.approx(repeated.loo_score_, rel=1e-6)
    assert set(copies[repeated.rows_]) == set(weighted.rows_)


def test_identical_samples_do_not_predict_each_other(table):
    X, _ = table
    y = np.random.default_rng(0).normal(size=len(X))  # noise
    model = LeaveOneOutWeights().fit(np.vstack([X, X]), np.concatenate([y, y]))
    assert model.loo_score_ < 0.2
    assert len(model.rows_) == 2 * len(X)


def test_targets_of_identical_samples_may_differ():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(200, 2)).astype(float)
    y = X[:, 0] + rng.normal(size=200)
    model = LeaveOneOutWeights(task="regression").fit(X, y)
    cells = identical(X)
    means = np.array([y[cells == c].mean() for c in cells])
    assert model.loo_score_ < 1 - ((y - means) ** 2).sum() / ((y - y.mean()) ** 2).sum()  # the best of all functions


@pytest.mark.parametrize("model", LEARNERS, ids=str)
def test_groups_are_left_out_together(table, model):
    X, _ = table
    rng = np.random.default_rng(5)
    group = np.arange(len(X)) % 20
    X = X[group] + 0.01 * X  # members of a group are near each other
    y = rng.normal(size=20)[group]  # and have the same target, which nothing explains
    assert clone(model).fit(X, y).loo_score_ > 0.8
    assert clone(model).fit(X, y, groups=[f"group {g}" for g in group]).loo_score_ < 0.3


def test_groups_with_a_common_sample_are_joined(table):
    X, y = table[0][:40], table[1][:40]
    X, y = np.vstack([X, X[:1]]), np.append(y, y[0])
    groups = np.append(np.arange(40) // 4, 9)  # the copy of sample 0 is in group 9
    joined = np.where(groups == 9, 0, groups)
    one, other = (LeaveOneOutWeights().fit(X, y, groups=g) for g in (groups, joined))
    assert same(everything(one), everything(other))


def test_identical_rows_of_sparse_matrices():
    dense = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    stored = sp.csr_array((np.array([1.0, 2.0, 0.0, 1.0]), np.array([1, 0, 0, 1]), np.array([0, 1, 2, 4, 4])))
    found = identical(stored)
    assert found[0] == found[2]
    assert len(set(found)) == len(set(identical(dense))) == 3
    assert stored.nnz == 4  # not changed


def test_sparse_matrices_give_the_result_of_dense_ones(table):
    X, y = np.where(np.abs(table[0]) > 0.7, table[0], 0.0), table[1]
    kernel = RBF(gamma=(0.3,) * 6)
    dense, sparse = LeaveOneOutWeights(kernel).fit(X, y), LeaveOneOutWeights(kernel).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(sparse.weights_, dense.weights_, rtol=1e-2)
    np.testing.assert_allclose(sparse.shares_.sum(), 1)
    np.testing.assert_allclose(sparse.transform(sp.csr_array(X)).toarray(), X * np.sqrt(sparse.weights_))
