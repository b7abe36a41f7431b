"""Logistic regression in a kernel: derivatives, optimality, and what the duality gap promises."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import entr

from mercer.exceptions import NotPositiveDefiniteError
from mercer.solvers import Status
from mercer.solvers.logistic import LogisticSolution, solve_logistic
from mercer.solvers.logistic_loss import LogisticLoss

CASES = list(product([2, 4], [False, True], ["full", "singular"], [100.0, 1.0, 1e-3]))


def problem(classes: int, rank: str, n: int = 30) -> tuple[np.ndarray, LogisticLoss]:
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(n, 3))
    label = (X @ rng.normal(size=(3, classes)) + 0.5 * rng.normal(size=(n, classes))).argmax(axis=1)
    label[:classes] = np.arange(classes)
    K = X @ X.T if rank == "singular" else np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    T = (label[:, None] == np.arange(classes)).astype(float)
    return K, LogisticLoss(T[:, 1:] if classes == 2 else T, rng.uniform(0.2, 3, size=n))


def objective(K: np.ndarray, loss: LogisticLoss, alpha: float, c: np.ndarray, b: np.ndarray) -> float:
    return loss.value(K @ c + b) + alpha / 2 * float(np.vdot(c, K @ c))


def dual(K: np.ndarray, loss: LogisticLoss, alpha: float, Q: np.ndarray) -> float:
    """Σ s H(q) − Σ gᵀKg/(2α)."""
    entropy = (entr(Q) + entr(1 - Q)) if Q.shape[1] == 1 else entr(Q)
    g = loss.weight[:, None] * (Q - loss.T)
    return float(loss.weight @ entropy.sum(axis=1) - np.vdot(g, K @ g) / (2 * alpha))


def solved(K: np.ndarray, loss: LogisticLoss, alpha: float, intercept: bool, **options: float) -> LogisticSolution:
    return solve_logistic(K.copy(), loss.T, alpha, weight=loss.weight, intercept=intercept, **options)


@pytest.mark.parametrize("classes", [2, 4])
def test_derivatives_agree_with_differences(classes: int) -> None:
    _, loss = problem(classes, "full")
    rng = np.random.default_rng(0)
    F, V = 2 * rng.normal(size=(2, *loss.T.shape))
    h = 1e-5
    slope = (loss.value(F + h * V) - loss.value(F - h * V)) / (2 * h)
    assert float(np.vdot(loss.gradient(F), V)) == pytest.approx(slope, rel=1e-8)
    turn = (loss.gradient(F + h * V) - loss.gradient(F - h * V)) / (2 * h)
    np.testing.assert_allclose(loss.curvature(loss.probabilities(F), V), turn, atol=1e-8)
    np.testing.assert_allclose(loss.gradient(F), loss.weight[:, None] * (loss.probabilities(F) - loss.T), atol=1e-14)


@pytest.mark.parametrize(("classes", "intercept", "rank", "alpha"), CASES)
def test_solution_is_optimal_and_its_gap_the_distance_to_the_dual(
    classes: int, intercept: bool, rank: str, alpha: float
) -> None:
    K, loss = problem(classes, rank)
    answer = solved(K, loss, alpha, intercept)
    found = answer.solution
    assert found.status is Status.CONVERGED
    F = K @ answer.coef + answer.intercept
    g = loss.gradient(F)
    scale = loss.weight.sum() * np.sqrt(K.diagonal().max())
    assert np.abs(K @ (g + alpha * answer.coef)).max() <= 1e-8 * scale * np.sqrt(K.diagonal().max())
    value = objective(K, loss, alpha, answer.coef, answer.intercept)
    assert value == pytest.approx(found.objective, rel=1e-9)
    below = dual(K, loss, alpha, loss.probabilities(F))
    assert value - below == pytest.approx(found.gap, abs=1e-8 * value)
    if intercept:
        np.testing.assert_allclose(g.sum(axis=0), 0, atol=1e-9)
    else:
        np.testing.assert_array_equal(answer.intercept, 0)


@pytest.mark.parametrize(("classes", "intercept"), list(product([2, 4], [False, True])))
def test_gap_bounds_the_distance_to_the_optimum_along_the_way(classes: int, intercept: bool) -> None:
    K, loss = problem(classes, "full")
    best = solved(K, loss, 0.01, intercept).solution.objective
    gaps = []
    for steps in range(1, 12):
        answer = solved(K, loss, 0.01, intercept, max_iter=steps)
        value = objective(K, loss, 0.01, answer.coef, answer.intercept)
        F = K @ answer.coef + answer.intercept
        assert value - best <= answer.solution.gap + 1e-12
        assert answer.solution.gap == pytest.approx(value - dual(K, loss, 0.01, loss.probabilities(F)), abs=1e-9)
        gaps.append(answer.solution.gap)
        assert answer.solution.converged == (answer.solution.violation <= 1e-8)
    assert gaps[0] > 0.1
    assert gaps[-1] < 1e-12


@pytest.mark.parametrize(("classes", "intercept"), list(product([2, 4], [False, True])))
def test_no_general_minimiser_does_better(classes: int, intercept: bool) -> None:
    K, loss = problem(classes, "full", n=8)
    shape, columns = loss.T.shape, loss.T.shape[1]

    def function(x: np.ndarray) -> float:
        return objective(K, loss, 0.1, x[columns:].reshape(shape), x[:columns] if intercept else np.zeros(columns))

    rival = minimize(function, np.zeros(columns + loss.T.size), method="BFGS", options={"gtol": 1e-6, "maxiter": 300})
    ours = solved(K, loss, 0.1, intercept).solution.objective
    assert ours <= rival.fun + 1e-10
    assert ours == pytest.approx(rival.fun, rel=1e-5)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("alpha", [1e-6, 1e-10])
def test_tiny_penalties_converge(classes: int, alpha: float) -> None:
    for rank, intercept in product(["full", "singular"], [False, True]):
        K, loss = problem(classes, rank)
        answer = solved(K, loss, alpha, intercept)
        assert answer.solution.status is Status.CONVERGED
        assert answer.solution.n_iter < 40
        assert np.isfinite(answer.coef).all()


@pytest.mark.parametrize("columns", [1, 3])
def test_zero_kernel_leaves_the_shares_of_the_classes(columns: int) -> None:
    T = np.zeros((6, columns))
    T[[0, 1, 2, 3, 4, 5], [0, 0, 0, -1, -1, columns // 2]] = 1
    if columns == 1:
        T[3:] = 0
    answer = solve_logistic(np.zeros((6, 6)), T, 1.0)
    loss = LogisticLoss(T, np.ones(6))
    P = loss.probabilities(np.broadcast_to(answer.intercept, T.shape))
    np.testing.assert_allclose(P, np.broadcast_to(T.mean(axis=0), T.shape), rtol=1e-12)
    assert answer.solution.status is Status.CONVERGED
    assert answer.solution.n_iter == answer.solution.gap == 0


def test_probabilities_far_out_are_exact() -> None:
    loss = LogisticLoss(np.array([[1.0], [0.0]]), np.ones(2))
    np.testing.assert_allclose(loss.gradient(np.array([[50.0], [-50.0]])), [[-np.exp(-50)], [np.exp(-50)]], rtol=1e-12)
    assert loss.value(np.array([[-800.0], [800.0]])) == 1600
    several = LogisticLoss(np.eye(3)[:2], np.ones(2))
    steep = several.gradient(np.array([[50.0, 0, 0], [-800.0, 0, -800]]))
    np.testing.assert_allclose(steep[0], [-2 * np.exp(-50), np.exp(-50), np.exp(-50)], rtol=1e-12)
    np.testing.assert_array_equal(steep[1], 0)


@pytest.mark.parametrize("classes", [2, 4])
def test_indefinite_matrix_is_refused(classes: int) -> None:
    K, loss = problem(classes, "full")
    with pytest.raises(NotPositiveDefiniteError, match=r"positive semidefinite kernel matrix.*mercer\.kernels\.repair"):
        solved(K - 3 * np.eye(len(K)), loss, 0.01, intercept=False)
