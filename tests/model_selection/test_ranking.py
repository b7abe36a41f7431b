"""Rankings of kernels: alignment and leave-one-out of each, in order."""

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from mercer.kernels import RBF, Columns, Constant, Linear
from mercer.model_selection import KernelRanking, centered_alignment, rank_kernels
from mercer.model_selection.target import target_factor
from mercer.operators import PrecomputedOperator, gram
from mercer.ridge import KernelRidge


@pytest.fixture
def X(rng):
    return rng.normal(size=(40, 3))


@pytest.fixture
def kernels():
    return [Linear(), RBF(gamma=0.3), "rbf(gamma=3)", Columns(2, Linear()), Constant(1.0)]


@pytest.mark.parametrize("numbers", [True, False])
def test_rows_are_sorted_by_alignment(X, kernels, numbers):
    y = np.sin(X[:, 0]) if numbers else np.digitize(X[:, 0], [-0.5, 0.5])
    found = rank_kernels(kernels, X, y)
    assert [row.alignment for row in found] == sorted((row.alignment for row in found), reverse=True)
    for row in found:
        assert any(row.kernel is kernel for kernel in kernels)
        assert row.name == str(row.kernel)
        assert row.alignment == pytest.approx(centered_alignment(row.kernel, X, y), rel=1e-11, abs=1e-14)
        assert row.loo_r2 is None
    assert found.best is found[0].kernel
    assert (len(found), found.by) == (5, "alignment")


@pytest.mark.parametrize("classes", [False, True])
def test_leave_one_out_is_what_repeated_fits_find(X, classes):
    """By the definition: a fit without each sample, for every penalty; the best of all."""
    y = np.digitize(X[:, 0], [-0.5, 0.5]) if classes else np.sin(2 * X[:, 0])
    (row,) = rank_kernels([RBF(gamma=0.3)], X, y, by="loo")
    target = target_factor("test", y, "auto")
    K = RBF(gamma=0.3)(X)
    H = np.eye(40) - 1 / 40
    size = np.trace(H @ K @ H) / 40
    scores = []
    for alpha in size * np.logspace(-6, 2, 17):
        model = KernelRidge(alpha=alpha, kernel=RBF(gamma=0.3), fit_intercept=True, solver="cholesky")
        predicted = cross_val_predict(model, X, target, cv=LeaveOneOut())
        scores.append(1 - np.sum((predicted - target) ** 2) / np.sum(target**2))
    assert row.loo_r2 == pytest.approx(max(scores), rel=1e-6)


def test_the_two_criteria_may_disagree(rng):
    """A narrow kernel fits a wave better than its alignment says."""
    x = np.sort(rng.uniform(0, 1, size=(80, 1)), axis=0)
    y = x[:, 0] + np.sin(40 * x[:, 0])
    by_alignment = rank_kernels(["linear", "rbf(gamma=200)"], x, y)
    by_loo = rank_kernels(["linear", "rbf(gamma=200)"], x, y, by="loo")
    assert by_loo.best == "rbf(gamma=200)"
    assert by_loo[0].loo_r2 > 0.9 > by_loo[1].loo_r2
    assert {row.name for row in by_alignment} == {"linear", "rbf(gamma=200)"}


def test_names_and_forms(X):
    y = X[:, 0]
    K = RBF(gamma=0.3)(X)
    found = rank_kernels([K, PrecomputedOperator(K), gram(RBF(gamma=0.3), X), RBF(gamma=0.3)], X, y)
    assert [row.name for row in found] == ["matrix 0", "precomputed", "rbf(gamma=0.3)", "rbf(gamma=0.3)"]
    assert np.ptp([row.alignment for row in found]) < 1e-14
    named = rank_kernels({"narrow": RBF(gamma=30.0), "plane": "linear"}, X, y)
    assert [row.name for row in named] == ["plane", "narrow"]
    assert rank_kernels([K], None, y)[0].alignment == found[0].alignment


def test_kernels_that_are_equally_good_stay_in_order(X):
    found = rank_kernels({"b": Constant(1.0), "a": Constant(2.0), "c": "constant(3)"}, X, X[:, 0])
    assert [row.name for row in found] == ["b", "a", "c"]


def test_constant_and_indefinite_kernels(X):
    found = rank_kernels([Constant(1.0), "sigmoid(gamma=1, coef0=-1)", Linear()], X, X[:, 0], by="loo")
    assert found.best == Linear()
    assert all(np.isfinite(row.loo_r2) for row in found)


def test_the_table(X):
    table = str(rank_kernels({"a": Linear(), "longer name": Columns(0, Linear())}, X, X[:, 0], by="loo"))
    lines = table.splitlines()
    assert lines[0] == "kernel       alignment   LOO R²"
    assert lines[1] == "longer name     1.0000   1.0000"
    assert len({len(line) for line in lines}) == 1
    assert repr(KernelRanking(rank_kernels(["linear"], X, X[:, 0]).rows, "alignment")).startswith("kernel  alignment\n")


def test_mistakes(X):
    y = X[:, 0]
    with pytest.raises(ValueError, match="by must be one of 'alignment', 'loo'"):
        rank_kernels([Linear()], X, y, by="cv")
    for nothing in ([], {}, "linear"):
        with pytest.raises(TypeError, match="rank_kernels: kernels must be a list of at least one"):
            rank_kernels(nothing, X, y)
    with pytest.raises(ValueError, match="rank_kernels: y is constant"):
        rank_kernels([Linear()], X, np.ones(40))
    with pytest.raises(ValueError, match="40 samples"):
        rank_kernels([np.eye(3)], None, y)
