"""Conjugate gradients with randomly pivoted Cholesky: solutions, iterations, weights, limits, progress."""

import numpy as np
import pytest

from mercer._runtime import limits
from mercer.approximation.samplers import CholeskySampler
from mercer.kernels import RBF
from mercer.operators import PrecomputedOperator, gram
from mercer.solvers import Status, ridge_cg
from mercer.solvers.ridge import solve_ridge
from mercer.solvers.ridge_cg import LowRank, conjugate_gradients, random_cholesky

N, OUTLIERS, RANK = 600, 150, 150
_rng = np.random.default_rng(0)
X = _rng.normal(size=(N, 2))
X[:OUTLIERS, 0] = 10.0 * np.arange(1, OUTLIERS + 1)
OPERATOR = gram(RBF(gamma=1.0), X, n_jobs=1)
K = OPERATOR.dense()
Y = np.column_stack([np.sin(X[:, 0]), np.tanh(X[:, 1]), _rng.normal(size=N)])
WEIGHT = _rng.integers(0, 4, N).astype(float)


@pytest.fixture
def small_rank(monkeypatch):
    """A preconditioner with as many columns as there are outliers, as in data sets of many thousand samples."""
    monkeypatch.setattr(ridge_cg, "_RANKS", (RANK, RANK))


def greedy_cholesky(K, rank):
    """Pivoted Cholesky factorisation that takes the largest remaining diagonal entry."""
    left, F = K.diagonal().copy(), np.zeros((len(K), rank))
    for j in range(rank):
        pivot = int(left.argmax())
        F[:, j] = (K[pivot] - F @ F[pivot]) / np.sqrt(left[pivot])
        left = np.maximum(left - F[:, j] ** 2, 0.0)
        left[pivot] = 0.0
    return F


def iterations(F, alpha):
    """Number of products until the relative residual is 10⁻¹⁰."""
    precondition = LowRank(F).inverse(alpha)
    goal = 1e-10 * np.linalg.norm(Y, axis=0)
    X, R, n_iter = conjugate_gradients(
        lambda V: K @ V + alpha * V,
        precondition,
        Y,
        precondition(Y),
        goal=lambda _, columns: goal[columns],
        max_iter=2000,
    )
    np.testing.assert_allclose(R, Y - K @ X - alpha * X, atol=1e-12)
    assert (np.linalg.norm(R, axis=0) <= goal).all()
    return n_iter


# ---- solutions and iterations


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("alpha", [1.0, 1e-2, [1.0, 1e-2, 1e-3]], ids=str)
def test_the_solution_is_that_of_cholesky_on_data_with_outliers(small_rank, alpha, weight):
    direct = solve_ridge(K, Y, alpha, weight=weight, method="cholesky")
    answer = solve_ridge(OPERATOR, Y, alpha, weight=weight, method="cg")
    assert answer.solution.status is Status.CONVERGED
    assert answer.solution.violation <= 1e-10
    error = np.linalg.norm(answer.coef - direct.coef, axis=0) / np.linalg.norm(direct.coef, axis=0)
    assert error.max() < 1e-7  # 10⁻¹⁰ times the condition number of the preconditioned system
    assert answer.solution.objective == pytest.approx(direct.solution.objective, rel=1e-9)


def test_outliers_cost_few_iterations(small_rank):
    F = random_cholesky(OPERATOR, np.ones(N), 0.0)
    assert F.shape == (N, RANK)
    greedy = greedy_cholesky(K, RANK)
    assert np.abs(greedy[OUTLIERS:]).max() < 1e-10  # all pivots are outliers
    assert 5 * iterations(F, 1e-2) < iterations(greedy, 1e-2)


def test_without_outliers_the_factor_is_about_as_good_as_with_greedy_pivots():
    plain = gram(RBF(gamma=0.3), X[OUTLIERS:], n_jobs=1)
    dense = plain.dense()
    left = np.trace(dense - greedy_cholesky(dense, 60) @ greedy_cholesky(dense, 60).T)
    assert random_cholesky(plain, np.ones(len(dense)), left).shape[1] < 80


def test_fits_are_repeatable(small_rank):
    first, second = (solve_ridge(OPERATOR, Y, 1e-2, weight=WEIGHT, method="cg") for _ in range(2))
    np.testing.assert_array_equal(first.coef, second.coef)
    assert first.solution == second.solution


# ---- the factor


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_pivots_are_drawn_from_the_weighted_matrix(small_rank, dtype):
    scale = np.sqrt(WEIGHT)
    operator = PrecomputedOperator(K.astype(dtype))
    F = random_cholesky(operator, scale, 0.0)
    unit = (scale / scale.max()).astype(dtype)
    twin = PrecomputedOperator(operator.dense() * np.outer(unit, unit))
    sampler = CholeskySampler(twin, np.random.default_rng(0))
    sampler.extend(twin, RANK, 0.0)
    np.testing.assert_allclose(F, scale.max() * sampler.cholesky.F, atol=1e-12)
    assert not F[scale == 0].any()
    assert (WEIGHT[sampler.indices] > 0).all()
    rest = scale[:, None] * K * scale - F @ F.T
    assert np.linalg.eigvalsh(rest)[0] > -1e-5  # positive semidefinite up to the rounding of float32


@pytest.mark.parametrize("enough", [300.0, 10.0])
def test_the_factor_ends_when_the_trace_is_small_enough(enough):
    scale = np.sqrt(WEIGHT)
    A = scale[:, None] * K * scale
    F = random_cholesky(OPERATOR, scale, enough)
    assert np.trace(A - F @ F.T) <= enough * (1 + 1e-9)
    assert np.trace(A - F[:, :-1] @ F[:, :-1].T) > enough
    assert random_cholesky(OPERATOR, scale, 2 * np.trace(A)).shape == (N, 0)


def test_weights_of_zero_only():
    assert random_cholesky(OPERATOR, np.zeros(N), 0.0).shape == (N, 0)


def test_number_of_columns(monkeypatch):
    monkeypatch.setattr(limits, "available_memory", lambda: None)
    assert [ridge_cg._rank(n) for n in (100, 2000, 10_000, 10**6)] == [100, 500, 1000, 2000]
    monkeypatch.setattr(limits, "available_memory", lambda: 10**9)
    assert ridge_cg._rank(10_000) == 1000
    assert ridge_cg._rank(10**6) == 50  # 0.4 GB
    monkeypatch.setattr(limits, "available_memory", lambda: 0)
    assert ridge_cg._rank(10**6) == 0


def test_without_memory_for_columns(monkeypatch):
    monkeypatch.setattr(ridge_cg, "_rank", lambda n: 0)
    answer = solve_ridge(OPERATOR, Y, 1.0, method="cg")
    assert answer.solution.status is Status.CONVERGED
    np.testing.assert_allclose(answer.coef, solve_ridge(K, Y, 1.0).coef, atol=1e-8)


# ---- the preconditioner


@pytest.mark.parametrize("alpha", [10.0, 1e-2, 1e-6])
def test_woodbury(alpha):
    F = _rng.normal(size=(50, 7))
    found = LowRank(F).inverse(alpha)(Y[:50])
    expected = np.linalg.solve(F @ F.T + alpha * np.eye(50), Y[:50])
    np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())


def test_preconditioner_without_columns_or_penalty():
    np.testing.assert_array_equal(LowRank(np.empty((N, 0))).inverse(2.0)(Y), Y / 2)
    np.testing.assert_array_equal(LowRank(_rng.normal(size=(N, 3))).inverse(0.0)(Y), Y)


def test_tiny_penalties_have_a_positive_definite_preconditioner(monkeypatch):
    F = np.repeat(_rng.normal(size=(40, 3)), 2, axis=1)  # FᵀF is singular
    P = LowRank(F).inverse(1e-300)(np.eye(40))
    assert np.linalg.eigvalsh(P + P.T)[0] > 0
    monkeypatch.setattr(ridge_cg, "try_cholesky", lambda _: 1)  # rounding could still make FᵀF + αI indefinite
    np.testing.assert_array_equal(LowRank(F).inverse(2.0)(Y[:40]), Y[:40] / 2)


def test_preconditioner_that_overflows():
    with (
        np.errstate(all="ignore"),
        pytest.raises(OverflowError, match=r"preconditioner .* is not finite"),
    ):
        LowRank(np.full((3, 1), 1e200))


# ---- matrices that are not positive semidefinite


def test_indefinite_matrix_whose_system_is_positive_definite():
    U = np.linalg.qr(_rng.normal(size=(80, 80)))[0]
    A = U * np.append(np.linspace(0.1, 20, 79), -0.5) @ U.T
    A = (A + A.T) / 2
    answer = solve_ridge(A, Y[:80], 1.0, method="cg")
    assert answer.solution.status is Status.CONVERGED
    np.testing.assert_allclose(answer.coef, np.linalg.solve(A + np.eye(80), Y[:80]), atol=1e-8)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_indefinite_systems_do_not_converge_and_say_so(sign):
    A = _rng.normal(size=(80, 80))
    A += A.T
    A[np.diag_indices(80)] = sign
    answer = solve_ridge(A, Y[:80], 0.5, method="cg", max_iter=50)
    assert np.isfinite(answer.coef).all()
    assert not answer.solution.converged
    R = Y[:80] - A @ answer.coef - 0.5 * answer.coef
    violation = (np.linalg.norm(R, axis=0) / np.linalg.norm(Y[:80], axis=0)).max()
    assert answer.solution.violation == pytest.approx(violation)


def test_a_diagonal_below_zero_by_rounding():
    A = K.copy()
    A[0] = A[:, 0] = 0.0
    A[0, 0] = -1e-16  # as the centred kernel has at a sample that is the mean
    assert random_cholesky(PrecomputedOperator(A), np.ones(N), 1e-3).shape[1] > 100


# ---- progress


def test_progress_is_reported(small_rank):
    seen = []
    answer = solve_ridge(
        OPERATOR, Y, [1.0, 1e-2, 1e-3], method="cg", report=lambda *numbers: bool(seen.append(numbers))
    )
    done, total, violation = zip(*seen, strict=True)
    assert list(done) == sorted(set(done))
    assert done[-1] == answer.solution.n_iter
    assert set(total) == {None}
    assert violation[-1] <= 1e-10 < violation[0]


def test_a_report_may_stop_the_iteration(small_rank):
    answer = solve_ridge(OPERATOR, Y, [1.0, 1e-2, 1e-3], method="cg", report=lambda done, total, violation: done >= 4)
    assert answer.solution.status is Status.MAX_ITER
    assert [part.n_iter for part in answer.solution.machines] == [4, 1, 1]
    R = Y - K @ answer.coef - np.array([1.0, 1e-2, 1e-3]) * answer.coef
    violation = (np.linalg.norm(R, axis=0) / np.linalg.norm(Y, axis=0)).max()
    assert answer.solution.violation == pytest.approx(violation)


def test_a_report_that_comes_too_late_changes_nothing(small_rank):
    plain = solve_ridge(OPERATOR, Y[:, 0:1], 1.0, method="cg")
    last = plain.solution.n_iter
    stopped = solve_ridge(OPERATOR, Y[:, 0:1], 1.0, method="cg", report=lambda done, total, violation: done >= last)
    assert stopped.solution == plain.solution
    np.testing.assert_array_equal(stopped.coef, plain.coef)
