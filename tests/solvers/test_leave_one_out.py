"""The leave-one-out error equals refits without the samples, and its derivatives equal finite differences."""

import numpy as np
import pytest

from mercer.solvers.leave_one_out import LeaveOneOut

ALPHA = 0.3


def problem(rng, n=24, targets=2, *, weighted=True):
    X = rng.normal(size=(n, 3))
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1)) + 0.1 * X @ X.T
    return K, rng.normal(size=(n, targets)), rng.uniform(0.3, 3, n) if weighted else None


def refitted(K, Y, weight, alpha, left):
    """Residuals of the samples `left` of a fit to the others."""
    rest = np.setdiff1d(np.arange(len(K)), left)
    coef = np.linalg.solve(K[np.ix_(rest, rest)] + np.diag(alpha / weight[rest]), Y[rest])
    return Y[left] - K[np.ix_(left, rest)] @ coef


def error(K, Y, weight, groups, alpha):
    return LeaveOneOut(Y, weight, groups).fit(K, alpha).error


GROUPS = [None, np.arange(24) // 3, np.r_[np.zeros(10, int), np.arange(1, 15)], np.arange(24)]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("groups", GROUPS, ids=["none", "threes", "one large", "singles"])
def test_residuals_are_those_of_refits(rng, weighted, groups):
    K, Y, weight = problem(rng, weighted=weighted)
    fit = LeaveOneOut(Y, weight, groups).fit(K, ALPHA)
    s = np.ones(len(K)) if weight is None else weight
    label = np.arange(len(K)) if groups is None else groups
    expected = np.empty_like(Y)
    for group in np.unique(label):
        left = np.flatnonzero(label == group)
        expected[left] = refitted(K, Y, s, ALPHA, left)
    np.testing.assert_allclose(fit.residuals, expected, atol=1e-10)
    assert fit.error == pytest.approx(float((s[:, None] * expected**2).sum()))
    np.testing.assert_allclose((K + np.diag(ALPHA / s)) @ fit.coef, Y, atol=1e-10)


@pytest.mark.parametrize("groups", GROUPS, ids=["none", "threes", "one large", "singles"])
def test_derivatives_equal_finite_differences(rng, groups):
    K, Y, weight = problem(rng)
    loss = LeaveOneOut(Y, weight, groups)
    G, slope = loss.slopes(loss.fit(K, ALPHA))
    assert np.array_equal(G, G.T) or np.abs(G - G.T).max() < 1e-12 * np.abs(G).max()
    for _ in range(5):
        D = rng.normal(size=K.shape)
        D, step = D + D.T, 1e-6
        ahead, behind = (error(K + sign * step * D, Y, weight, groups, ALPHA) for sign in (1, -1))
        assert (G * D).sum() == pytest.approx((ahead - behind) / (2 * step), rel=1e-5)
    ahead, behind = (error(K, Y, weight, groups, ALPHA + sign * 1e-6) for sign in (1, -1))
    assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-5)


def test_many_groups_are_joined_to_blocks(rng):
    n = 700
    X = rng.normal(size=(n, 2))
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1))
    Y, groups = rng.normal(size=(n, 1)), rng.integers(0, 200, n)
    loss = LeaveOneOut(Y, None, groups)
    G, _ = loss.slopes(loss.fit(K, ALPHA))
    D = rng.normal(size=K.shape)
    D, step = D + D.T, 1e-7
    ahead, behind = (loss.fit(K + sign * step * D, ALPHA).error for sign in (1, -1))
    assert (G * D).sum() == pytest.approx((ahead - behind) / (2 * step), rel=1e-4)


def test_an_indefinite_matrix_has_no_fit(rng):
    K, Y, _ = problem(rng)
    assert LeaveOneOut(Y).fit(K - 50 * np.eye(len(K)), ALPHA) is None


def test_the_gram_matrix_is_not_changed(rng):
    K, Y, weight = problem(rng)
    before = K.copy()
    loss = LeaveOneOut(Y, weight)
    loss.slopes(loss.fit(K, ALPHA))
    assert np.array_equal(K, before)
