"""Groups that are left out together, and few alphas by Cholesky factors, against one fit per alpha and group."""

import numpy as np
import pytest

from mercer.solvers import Status, ridge_system
from mercer.solvers.ridge_path import RidgePath
from tests.solvers.test_ridge_path import SETTINGS, direct, problem

ALPHAS = np.array([1e-3, 0.1, 10.0])
LABELS = np.array(list("abacbbdaceeade"))  # a sample alone, and groups of up to four


def without_each(K, Y, s, intercept, codes):
    """Predictions of every sample by the fit without its group, for all alphas."""
    weight, found = np.ones(len(K)) if s is None else s, np.empty((*Y.shape, len(ALPHAS)))
    for code in np.unique(codes):
        inside = codes == code
        for j, alpha in enumerate(ALPHAS):
            a, b = direct(K, Y, alpha, np.where(inside, 0.0, weight), intercept)
            found[inside, :, j] = K[inside] @ a + b
    return found


@pytest.fixture(params=[None, 3], ids=["eigenvalues", "factors"])
def n_alphas(request):
    return request.param


@pytest.mark.parametrize(("intercept", "weights", "rank"), SETTINGS)
def test_groups_equal_refits(intercept, weights, rank, n_alphas):
    K, Y, s = problem(weights, rank)
    path = RidgePath(K.copy(), Y, s, intercept=intercept, n_alphas=n_alphas)
    expected = without_each(K, Y, s, intercept, LABELS)
    np.testing.assert_allclose(path.loo(ALPHAS, LABELS), expected, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(
        path.loo(ALPHAS, np.arange(14) // 7), without_each(K, Y, s, intercept, np.arange(14) // 7)
    )


@pytest.mark.parametrize(("intercept", "weights", "rank"), SETTINGS)
def test_factors_equal_eigenvalues(intercept, weights, rank):
    K, Y, s = problem(weights, rank)
    few, many = (RidgePath(K.copy(), Y, s, intercept=intercept, n_alphas=n) for n in (3, None))
    if weights != "zeros":  # samples of weight zero leave too few others
        assert few._inverse is not None
    np.testing.assert_allclose(few.loo(ALPHAS), many.loo(ALPHAS), rtol=1e-9, atol=1e-9)
    for one, other in zip(few.coefs(ALPHAS), many.coefs(ALPHAS), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)
    for one, other in zip(few.coef([0.1, 10.0]), many.coef([0.1, 10.0]), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)
    a, b = few.solution(0.1), many.solution(0.1)
    assert a.status is b.status is Status.CONVERGED
    assert a.objective == pytest.approx(b.objective, rel=1e-10)
    assert a.violation < 1e-11
    assert (few._inverse is None) == (weights == "zeros")  # no eigendecomposition was needed
    np.testing.assert_allclose(few.gcv(ALPHAS), many.gcv(ALPHAS))  # and now it is there
    np.testing.assert_allclose(few.loo(ALPHAS), many.loo(ALPHAS), rtol=1e-9, atol=1e-9)


def test_groups_of_one_sample_are_leave_one_out(n_alphas):
    K, Y, s = problem("some", "full")
    path = RidgePath(K.copy(), Y, s, intercept=True, n_alphas=n_alphas)
    np.testing.assert_allclose(path.loo(ALPHAS, np.arange(14)[::-1]), path.loo(ALPHAS), rtol=1e-10)


def test_many_samples_in_panels(n_alphas, monkeypatch):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(300, 2)), rng.normal(size=(300, 1))
    K, codes = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2)), rng.integers(0, 5, size=300)
    monkeypatch.setattr(ridge_system, "_PANEL", 64)
    found = RidgePath(K.copy(), Y, intercept=True, n_alphas=n_alphas).loo(ALPHAS, codes)
    np.testing.assert_allclose(found, without_each(K, Y, None, True, codes), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", ["indefinite", "tiny alpha", "many targets"])
def test_factors_give_way_to_eigenvalues(kind):
    K, Y, _ = problem("none", "full")
    alphas = np.array([1e-12]) if kind == "tiny alpha" else ALPHAS
    if kind == "indefinite":
        K = K - 0.5 * np.eye(14)
    if kind == "many targets":
        Y = np.tile(Y, 5)
    few, many = (RidgePath(K.copy(), Y, n_alphas=n) for n in (3, None))
    np.testing.assert_array_equal(few.loo(alphas), many.loo(alphas))
    np.testing.assert_array_equal(few.loo(alphas, LABELS), many.loo(alphas, LABELS))
    np.testing.assert_array_equal(few.coefs(alphas)[0], many.coefs(alphas)[0])
    assert few._inverse is None


def test_all_the_weight_in_one_group():
    K, Y, _ = problem("none", "full")
    s = (LABELS == "a").astype(float)
    with pytest.raises(ValueError, match="at least two groups with positive weight"):
        RidgePath(K.copy(), Y, s, intercept=True).loo(ALPHAS, LABELS)
    found = RidgePath(K.copy(), Y, s).loo(ALPHAS, LABELS)
    np.testing.assert_allclose(found[LABELS == "a"], 0.0, atol=1e-9)  # nothing is left to fit
