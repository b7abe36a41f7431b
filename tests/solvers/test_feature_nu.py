"""ν-SVC on explicit features: feasible, optimal by an independent gap, and equal to the exact solver."""

import numpy as np
import pytest

from mercer.operators import LowRankOperator
from mercer.solvers import Status, solve_dual
from mercer.solvers.feature_nu import solve_nu_on_features
from mercer.solvers.svm import nu_classification, nu_expansion
from tests.svm.oracles import Problem


def blobs(seed=0, n=200, r=8, dtype=np.float64, apart=0.6):
    rng = np.random.default_rng(seed)
    n_positive = int(n * rng.uniform(0.35, 0.65))
    sign = np.where(np.arange(n) < n_positive, 1.0, -1.0)
    return (rng.standard_normal((n, r)) + apart * sign[:, None] + 0.5).astype(dtype), n_positive


def check(F, dual, answer, tol):
    """Feasible, with a true certificate and the optimum of the exact solver."""
    rows, n = np.asarray(F, dtype=np.float64)[dual.members], len(dual.members)
    beta, part = answer.beta, answer.solution
    assert (beta >= dual.lower).all()
    assert (beta <= dual.upper).all()
    for group in (slice(None, dual.split), slice(dual.split, None)):
        assert beta[group].sum() == pytest.approx(dual.start[group].sum(), rel=1e-9)
    scale = np.abs(beta).sum() * np.abs(rows).max() ** 2 * F.shape[1]
    np.testing.assert_allclose(answer.weights, rows.T @ beta, atol=1e-9 * scale)
    np.testing.assert_allclose(answer.gradient, rows @ answer.weights, atol=1e-9 * scale)
    assert part.objective == pytest.approx(answer.weights @ answer.weights / 2)
    group = (np.arange(n) >= dual.split).astype(np.int64)
    sums = np.array([dual.start[: dual.split].sum(), dual.start[dual.split :].sum()])
    stated = Problem(rows @ rows.T, dual.linear, dual.lower, dual.upper, np.zeros(n), group, sums)
    gap = stated.objective(beta) - stated.lower_bound(beta, np.array(answer.bias))
    assert part.gap == pytest.approx(min(gap, part.objective), abs=1e-9 * scale)
    assert part.violation == pytest.approx(max(0.0, stated.violation(beta)), abs=1e-9 * scale)
    assert part.n_free == np.count_nonzero((beta > dual.lower) & (beta < dual.upper))
    (exact,) = solve_dual(LowRankOperator(np.asarray(F, dtype=np.float64)), [dual], tol=1e-9)
    best = exact.solution.objective
    assert best * (1 - 1e-9) <= part.objective <= best + part.gap + 1e-9 * scale
    assert part.gap <= tol * part.objective
    assert part.status is Status.CONVERGED
    return exact


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("nu", [0.15, 0.4, 0.65])
@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_of_the_exact_solver(seed, nu, dtype):
    F, n_positive = blobs(seed, dtype=dtype)
    dual = nu_classification(np.arange(len(F)), n_positive, np.ones(len(F)), nu)
    (answer,) = solve_nu_on_features(F, [dual], tol=1e-5)
    exact = check(F, dual, answer, 1e-5)
    mine, known = nu_expansion(dual, answer), nu_expansion(dual, exact)
    values = [F.astype(np.float64) @ (F.astype(np.float64).T @ e.coef) + e.intercept for e in (mine, known)]
    np.testing.assert_allclose(values[0], values[1], atol=0.02 * np.abs(values[1]).max())


def test_weights_members_and_several_problems():
    F, n_positive = blobs(5, n=300)
    rng = np.random.default_rng(0)
    duals = []
    for nu in (0.2, 0.5):
        first = rng.choice(n_positive, 60, replace=False)
        second = n_positive + rng.choice(300 - n_positive, 70, replace=False)
        duals.append(nu_classification(np.concatenate([first, second]), 60, rng.uniform(0.2, 3, 130), nu))
    together = solve_nu_on_features(F, duals, tol=1e-4)
    for dual, answer in zip(duals, together, strict=True):
        check(F, dual, answer, 1e-4)


def test_the_largest_feasible_nu():
    F, n_positive = blobs(2, n=120)
    for half in (n_positive, 60):  # one class, or both, entirely at the bounds
        members = np.concatenate([np.arange(half), np.arange(len(F) - half, len(F))])
        dual = nu_classification(members, half, np.ones(2 * half), 1.0)
        (answer,) = solve_nu_on_features(F, [dual], tol=1e-6)
        np.testing.assert_allclose(np.abs(answer.beta), 1.0, rtol=1e-9)
        assert answer.solution.gap <= 1e-6 * answer.solution.objective
    nu = 2 * min(n_positive, 120 - n_positive) / 120
    dual = nu_classification(np.arange(120), n_positive, np.ones(120), nu)
    (answer,) = solve_nu_on_features(F, [dual], tol=1e-5)
    check(F, dual, answer, 1e-5)


def test_hulls_that_intersect():
    rng = np.random.default_rng(0)
    F = rng.standard_normal((200, 3))
    dual = nu_classification(np.arange(200), 100, np.ones(200), 0.2)
    (answer,) = solve_nu_on_features(F, [dual], tol=1e-3)
    assert answer.solution.status is Status.CONVERGED
    assert answer.solution.objective <= 1e-7 * 3 * 40**2  # squared distance below 1e-7 of the mean squared norm, 3
    assert answer.solution.gap == answer.solution.objective  # nothing proves a margin


def test_features_of_zero():
    dual = nu_classification(np.arange(6), 3, np.ones(6), 0.5)
    (answer,) = solve_nu_on_features(np.zeros((6, 2)), [dual])
    assert answer.solution.objective == 0
    assert answer.solution.status is Status.CONVERGED


def test_few_passes_end_the_search():
    F, n_positive = blobs(1, n=400)
    dual = nu_classification(np.arange(400), n_positive, np.ones(400), 0.3)
    (answer,) = solve_nu_on_features(F, [dual], tol=1e-12, max_iter=2)
    assert answer.solution.status is Status.MAX_ITER
    assert answer.solution.n_iter <= 20


def test_a_report_can_end_the_search():
    F, n_positive = blobs(1)
    dual = nu_classification(np.arange(200), n_positive, np.ones(200), 0.4)
    seen = []

    def report(done, total, gap):
        seen.append((done, total, gap))
        return True

    answers = solve_nu_on_features(F, [dual, dual], tol=1e-13, report=report)
    for answer in answers:  # feasible, with a valid gap
        assert answer.solution.status is Status.MAX_ITER
        assert answer.beta[:n_positive].sum() == pytest.approx(dual.start[:n_positive].sum())
        assert answer.solution.gap <= answer.solution.objective
    assert len(seen) == 1
    assert seen[0][:2] == (0, 2)
