"""One eigendecomposition against one fit per alpha and per sample that is left out."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from mercer.solvers import Status
from mercer.solvers.ridge_path import RidgePath

ALPHAS = np.logspace(-4, 2, 7)
SETTINGS = list(product([False, True], ["none", "some", "zeros"], ["full", "singular"]))


def direct(K: np.ndarray, Y: np.ndarray, alpha: float, s: np.ndarray, intercept: bool) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and intercept from the bordered system, over the samples that have a weight."""
    rows = np.flatnonzero(s)
    n, a = len(rows), np.zeros_like(Y)
    A = np.zeros((n + 1, n + 1))
    A[:n, :n] = K[np.ix_(rows, rows)] + alpha * np.diag(1 / s[rows])
    A[:n, n] = A[n, :n] = intercept
    A[n, n] = not intercept
    found = np.linalg.solve(A, np.vstack([Y[rows], np.zeros((1, Y.shape[1]))]))
    a[rows] = found[:n]
    return a, found[n]


def problem(weights: str, rank: str, n: int = 14) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    K = X @ X.T if rank == "singular" else np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    s = {"none": None, "some": rng.uniform(0.1, 3, size=n), "zeros": rng.integers(0, 3, size=n).astype(float)}[weights]
    return K, rng.normal(size=(n, 2)) + 5, s


def left_out(K: np.ndarray, Y: np.ndarray, s: np.ndarray | None, intercept: bool) -> Iterator[np.ndarray]:
    """Predictions of every sample by a fit without it, for all alphas."""
    weight = np.ones(len(K)) if s is None else s
    for i in range(len(K)):
        without = weight.copy()
        without[i] = 0
        fits = (direct(K, Y, alpha, without, intercept) for alpha in ALPHAS)
        yield np.stack([K[i] @ a + b for a, b in fits], axis=-1)


@pytest.mark.parametrize(("intercept", "weights", "rank"), SETTINGS)
def test_leave_one_out_equals_refits(intercept: bool, weights: str, rank: str) -> None:
    K, Y, s = problem(weights, rank)
    loo = RidgePath(K.copy(), Y, s, intercept=intercept).loo(ALPHAS)
    np.testing.assert_allclose(loo, list(left_out(K, Y, s, intercept)), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(("intercept", "weights", "rank"), SETTINGS)
def test_coefficients_equal_single_solves(intercept: bool, weights: str, rank: str) -> None:
    K, Y, s = problem(weights, rank)
    path = RidgePath(K.copy(), Y, s, intercept=intercept)
    many, intercepts = path.coefs(ALPHAS)
    for j, alpha in enumerate(ALPHAS):
        a, b = direct(K, Y, alpha, np.ones(len(K)) if s is None else s, intercept)
        scale = np.abs(a).max()
        for coef, offset in (path.coef(alpha), (many[:, :, j], intercepts[:, j])):
            np.testing.assert_allclose(coef / scale, a / scale, atol=1e-10)
            np.testing.assert_allclose(offset, b, atol=1e-8)
        assert path.solution(alpha).status is Status.CONVERGED


def test_an_alpha_for_each_target() -> None:
    K, Y, s = problem("some", "full")
    path = RidgePath(K.copy(), Y, s, intercept=True)
    coef, intercept = path.coef([0.1, 10.0])
    for j, alpha in enumerate((0.1, 10.0)):
        one, offset = path.coef(alpha)
        np.testing.assert_allclose(coef[:, j], one[:, j], rtol=1e-12)
        assert intercept[j] == pytest.approx(offset[j])


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weights", ["none", "some", "zeros"])
def test_gcv_equals_its_definition(intercept: bool, weights: str) -> None:
    K, Y, s = problem(weights, "full")
    gcv = RidgePath(K.copy(), Y, s, intercept=intercept).gcv(ALPHAS)
    weight = np.ones(len(K)) if s is None else s
    rows, n = np.flatnonzero(weight), len(K)
    for j, alpha in enumerate(ALPHAS):
        a, b = direct(K, np.hstack([Y, np.eye(n)]), alpha, weight, intercept)
        fitted = K @ a + b
        trace = np.trace(fitted[:, 2:][np.ix_(rows, rows)])
        loss = weight @ (Y - fitted[:, :2]) ** 2 / weight.sum()
        np.testing.assert_allclose(gcv[:, j], loss / (1 - trace / len(rows)) ** 2, rtol=1e-8)


def test_gcv_is_leave_one_out_where_all_leverages_are_equal() -> None:
    distance = np.abs(np.subtract.outer(np.arange(12), np.arange(12)))
    K = np.exp(-np.minimum(distance, 12 - distance).astype(float))  # a circle: no sample is special
    Y = np.random.default_rng(0).normal(size=(12, 1))
    path = RidgePath(K, Y, intercept=True)
    loo = ((Y[:, :, None] - path.loo(ALPHAS)) ** 2).mean(axis=0)
    np.testing.assert_allclose(path.gcv(ALPHAS), loo, rtol=1e-10)


def test_certificate_bounds_the_distance_to_the_optimum() -> None:
    K, Y, s = problem("some", "full")
    assert s is not None
    path = RidgePath(K.copy(), Y, s)
    certificate = path.solution(0.3)
    a, _ = direct(K, Y, 0.3, s, intercept=False)
    best = float((a * (K @ a / 2 + 0.15 * a / s[:, None] - Y)).sum())
    assert certificate.objective == pytest.approx(best, rel=1e-12)
    assert 0 <= certificate.gap < 1e-20
    assert certificate.violation < 1e-13
    path._spectrum.z[:] *= 1.01  # as if the eigenvectors were wrong by one in a hundred
    certificate = path.solution(0.3)
    assert certificate.objective - best <= certificate.gap
    assert certificate.violation == pytest.approx(0.01)
    assert certificate.status is Status.PRECISION


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [1e-300, 1e-30, 1e-14])
def test_tiny_alpha_gives_the_limit(alpha: float, intercept: bool) -> None:
    K, Y, _ = problem("none", "full")
    path = RidgePath(K.copy(), Y, intercept=intercept)
    loo = path.loo([alpha])[:, :, 0]  # interpolation of the others
    np.testing.assert_allclose(loo, path.loo([1e-11])[:, :, 0], rtol=1e-6)
    coef, offset = path.coef(alpha)
    np.testing.assert_allclose(K @ coef + offset, Y, rtol=1e-8)


@pytest.mark.parametrize("intercept", [False, True])
def test_alpha_below_rounding_of_a_singular_matrix_takes_the_least_norm(intercept: bool) -> None:
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 3)), rng.normal(size=(30, 1))
    K = X @ X.T
    path = RidgePath(K.copy(), Y, intercept=intercept)
    solution = path.solution(1e-20)
    assert solution.status is Status.SINGULAR
    assert np.isnan(solution.gap)
    assert solution.violation < 1e-12
    coef, offset = path.coef(1e-20)
    A = np.column_stack([X, np.ones(30)]) if intercept else X
    np.testing.assert_allclose(K @ coef + offset, A @ np.linalg.lstsq(A, Y)[0], atol=1e-10)
    hat = A @ np.linalg.pinv(A)
    errors = (Y - hat @ Y)[:, 0] / (1 - np.diag(hat))
    np.testing.assert_allclose(Y[:, 0] - path.loo([1e-20])[:, 0, 0], errors, rtol=1e-8)


def test_zero_kernel_leaves_the_mean_of_the_others() -> None:
    Y, s = np.array([[1.0], [2.0], [6.0]]), np.array([1.0, 2.0, 1.0])
    path = RidgePath(np.zeros((3, 3)), Y, s, intercept=True)
    np.testing.assert_allclose(path.loo([1.0])[:, 0, 0], [10 / 3, 3.5, 5 / 3])
    assert path.solution(1.0).status is Status.CONVERGED
    np.testing.assert_array_equal(RidgePath(np.zeros((3, 3)), Y).loo([1e-9, 1e9]), 0.0)


def test_one_sample_with_an_intercept_cannot_be_left_out() -> None:
    for n, s in ((1, None), (3, np.array([0.0, 2.0, 0.0])), (2, np.array([1.0, 1e18]))):
        path = RidgePath(np.eye(n), np.ones((n, 1)), s, intercept=True)
        for method in (path.loo, path.gcv):
            with pytest.raises(ValueError, match="at least two samples with positive weight, but sample"):
                method([1.0])
        coef, offset = path.coef(1.0)
        assert np.isfinite(coef).all()
        assert offset == pytest.approx(1.0)


def test_indefinite_matrix_is_solved_and_said() -> None:
    rng = np.random.default_rng(0)
    K = rng.normal(size=(8, 8))
    K, Y = K + K.T, rng.normal(size=(8, 1))
    path = RidgePath(K.copy(), Y)
    assert path.solution(0.1).status is Status.NOT_PSD
    assert np.isnan(path.solution(0.1).gap)
    np.testing.assert_allclose(path.coef(0.1)[0], np.linalg.solve(K + 0.1 * np.eye(8), Y), rtol=1e-9)
    without = np.linalg.solve(K[1:, 1:] + 0.1 * np.eye(7), Y[1:])
    np.testing.assert_allclose(path.loo([0.1])[0, 0], K[0, 1:] @ without, rtol=1e-9)
    cancelled = -float(np.linalg.eigvalsh(K)[0])  # K + αI is singular
    assert np.isfinite(path.loo([cancelled])).all()
    assert np.isfinite(path.coef(cancelled)[0]).all()
