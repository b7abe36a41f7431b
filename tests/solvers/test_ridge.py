"""Linear systems of ridge regression: residuals, gaps, and the ways that lead to them."""

import numpy as np
import pytest
import scipy.linalg

from mercer._runtime import limits
from mercer.exceptions import MemoryLimitError
from mercer.kernels import RBF
from mercer.operators import gram
from mercer.solvers import Status, ridge_cg
from mercer.solvers import ridge as solver
from mercer.solvers.ridge import choose_method, solve_ridge
from mercer.solvers.ridge_matrix import SymmetricMatrix

METHODS = ["cholesky", "mixed", "cg"]
_rng = np.random.default_rng(0)
X = _rng.normal(size=(300, 4))
K = np.asarray(gram(RBF(gamma=0.2), X).dense())
Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2], _rng.normal(size=300)])
WEIGHT = _rng.integers(0, 4, 300).astype(float)


def system(alpha, weight=None):
    """√s K √s + α and √s, of the samples that count."""
    root = np.sqrt(np.ones(len(K)) if weight is None else weight)
    used = root > 0
    A = (root[:, None] * K * root)[np.ix_(used, used)]
    return A + alpha * np.eye(used.sum()), root, used


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("alpha", [10.0, 1.0, 1e-3, 1e-5])
@pytest.mark.parametrize("method", METHODS)
def test_certificate_is_true(method, alpha, weight):
    before = K.copy()
    answer = solve_ridge(K, Y, alpha, weight=weight, method=method)
    np.testing.assert_array_equal(K, before)
    A, root, used = system(alpha, weight)
    B = (root[:, None] * Y)[used]
    C = answer.coef[used] / root[used, None]
    assert not answer.coef[~used].any()
    R = B - A @ C
    violation = (np.linalg.norm(R, axis=0) / np.linalg.norm(B, axis=0)).max()
    rounding = 1e-15 * np.trace(A) * (np.linalg.norm(C, axis=0) / np.linalg.norm(B, axis=0)).max()
    assert answer.solution.status is Status.CONVERGED
    assert answer.solution.violation == pytest.approx(violation, rel=0.1, abs=rounding)
    assert answer.solution.violation <= max(1e-10, rounding)
    best = scipy.linalg.solve(A, B, assume_a="pos")
    least = -0.5 * np.einsum("ij,ij->", B, best)
    assert answer.solution.objective == pytest.approx(np.einsum("ij,ij->", C, 0.5 * A @ C - B), rel=1e-9)
    assert answer.solution.objective - least <= answer.solution.gap + 1e-10 * abs(least)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("method", METHODS)
def test_one_penalty_for_each_target(method, weight):
    alphas = np.array([1.0, 1e-3, 1.0])
    together = solve_ridge(K, Y, alphas, weight=weight, method=method)
    for column, alpha in enumerate(alphas):
        alone = solve_ridge(K, Y[:, [column]], alpha, weight=weight, method="cholesky")
        np.testing.assert_allclose(together.coef[:, [column]], alone.coef, atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_many_targets(method):
    Z = _rng.normal(size=(300, 40))
    expected = scipy.linalg.solve(K + np.eye(300), Z, assume_a="pos")
    np.testing.assert_allclose(solve_ridge(K, Z, 1.0, method=method).coef, expected, atol=1e-8)


def test_operators_need_no_matrix():
    operator = gram(RBF(gamma=0.2), X)
    iterative, direct = solve_ridge(operator, Y, 1e-3), solve_ridge(K, Y, 1e-3)
    np.testing.assert_allclose(iterative.coef, direct.coef, rtol=1e-6, atol=1e-6)
    for method in ("mixed", "cholesky"):
        np.testing.assert_allclose(
            solve_ridge(operator, Y, 1e-3, method=method).coef, direct.coef, rtol=1e-6, atol=1e-6
        )


def test_overwriting_uses_the_memory_of_the_matrix(monkeypatch):
    copies = [K.copy(), np.asfortranarray(K)]
    held = []
    monkeypatch.setattr(solver, "SymmetricMatrix", lambda A, scale: held.append(A) or SymmetricMatrix(A, scale))
    for copy in copies:
        overwritten = solve_ridge(copy, Y, [1.0, 1e-3, 1.0], weight=WEIGHT, method="cholesky", overwrite=True)
        assert np.shares_memory(held[-1], copy)
        np.testing.assert_array_equal(overwritten.coef, solve_ridge(K, Y, [1, 1e-3, 1], weight=WEIGHT).coef)


def test_mixed_precision_falls_back_to_double():
    alpha = 1e-9  # far below the rounding of float32
    matrix = SymmetricMatrix(K.copy(), np.ones(300))
    matrix.shift_by(alpha)
    assert matrix.rounded() is None
    mixed, double = (solve_ridge(K, Y, alpha, method=method) for method in ("mixed", "cholesky"))
    np.testing.assert_array_equal(mixed.coef, double.coef)
    assert mixed.solution.status is Status.CONVERGED


def test_mixed_precision_gives_up_after_a_few_dozen_steps(monkeypatch):
    monkeypatch.setitem(solver._REFINE, "mixed", 2)
    mixed, double = (solve_ridge(K, Y, 1e-5, method=method) for method in ("mixed", "cholesky"))
    np.testing.assert_array_equal(mixed.coef, double.coef)


@pytest.mark.parametrize("size", [1e-30, 1e30])
@pytest.mark.parametrize("method", METHODS)
def test_scale_of_the_kernel_does_not_matter(method, size):
    scaled = solve_ridge(size * K, Y, size * 1e-2, method=method)
    np.testing.assert_allclose(scaled.coef * size, solve_ridge(K, Y, 1e-2).coef, rtol=1e-6, atol=1e-7)


def test_singular_systems_have_the_solution_of_least_norm():
    F = _rng.normal(size=(60, 5))
    answer = solve_ridge(F @ F.T, Y[:60], 0.0)
    assert answer.solution.status is Status.SINGULAR
    np.testing.assert_allclose(answer.coef, np.linalg.pinv(F @ F.T, hermitian=True) @ Y[:60], atol=1e-8)
    residual = Y[:60] - F @ F.T @ answer.coef
    relative = np.linalg.norm(residual, axis=0) / np.linalg.norm(Y[:60], axis=0)
    assert answer.solution.violation == pytest.approx(relative.max())
    assert np.isnan(answer.solution.gap)


def test_indefinite_systems_are_solved_and_say_so():
    A = _rng.normal(size=(50, 50))
    A += A.T
    answer = solve_ridge(A, Y[:50], 0.5)
    assert answer.solution.status is Status.NOT_PSD
    assert answer.solution.violation < 1e-10
    assert np.isnan(answer.solution.gap)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_zero_kernel(alpha):
    answer = solve_ridge(np.zeros((4, 4)), Y[:4], alpha)
    np.testing.assert_array_equal(answer.coef, Y[:4] if alpha else 0 * Y[:4])
    assert answer.solution.status is (Status.CONVERGED if alpha else Status.SINGULAR)


@pytest.mark.parametrize("method", METHODS)
def test_zero_targets_and_one_sample(method):
    answer = solve_ridge(K, np.zeros((300, 2)), 1.0, method=method)
    assert not answer.coef.any()
    assert answer.solution.violation == answer.solution.gap == answer.solution.objective == 0
    np.testing.assert_allclose(solve_ridge(np.array([[3.0]]), np.array([[8.0]]), 1.0, method=method).coef, [[2.0]])


def test_nonsingular_without_penalty():
    A = K + np.eye(300)
    answer = solve_ridge(A, Y, 0.0, weight=WEIGHT)
    used = WEIGHT > 0
    assert answer.solution.status is Status.CONVERGED
    np.testing.assert_allclose(A[np.ix_(used, used)] @ answer.coef[used], Y[used], atol=1e-9)


def test_iterations_are_bounded(monkeypatch):
    monkeypatch.setattr(ridge_cg, "_RANKS", (5, 5))  # a poor preconditioner
    answer = solve_ridge(gram(RBF(gamma=5.0), X), Y, 1e-8, method="cg", max_iter=3)
    assert answer.solution.status is Status.MAX_ITER
    assert answer.solution.n_iter <= 4


def test_choice():
    assert choose_method(100, 1.0) == "cholesky"
    assert choose_method(20_000, 1.0) == "mixed"
    assert choose_method(20_000, [1.0, 0.0]) == "cholesky"
    assert choose_method(20_000, 1e-3, diagonal=1e6) == "cholesky"
    with pytest.raises(ValueError, match="method must be one of"):
        solve_ridge(K, Y, 1.0, method="qr")


def test_eigenvectors_are_refused_if_they_do_not_fit(monkeypatch):
    monkeypatch.setattr(limits, "available_memory", lambda: 1000)
    with pytest.raises(MemoryLimitError, match="Raise alpha"):
        solve_ridge(np.zeros((400, 400)), np.ones((400, 1)), 0.0, method="cholesky")
