"""The solver on explicit features: the optimum of the exact solver, certificates, bounds, warm starts, interrupts."""

import signal
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.operators import LowRankOperator
from mercer.solvers import Dual, Status, solve_dual
from mercer.solvers.feature_svm import solve_on_features
from mercer.solvers.svm import classification, expansion, regression
from tests.svm.oracles import Problem


def stated(F, dual: Dual) -> Problem:
    """The same problem in the terms of the oracles."""
    n, rows = len(dual.members), np.asarray(F, dtype=np.float64)[dual.members]
    kink = np.zeros(n) if dual.kink is None else dual.kink
    group = np.zeros(n, dtype=np.int64)
    return Problem(rows @ rows.T, dual.linear, dual.lower, dual.upper, kink, group, np.array([dual.start.sum()]))


def check(F, dual, answer, tol):
    """Feasible, optimal to tol by an independent gap, and with a true certificate."""
    problem, beta, part = stated(F, dual), answer.beta, answer.solution
    worth = 1e-11 * problem.scale(beta) * (1 + np.abs(beta).sum() + np.abs(dual.start).sum())
    assert (beta >= dual.lower).all()
    assert (beta <= dual.upper).all()
    assert abs(beta.sum() - dual.start.sum()) <= 1e-12 * (1 + np.abs(beta).sum() + np.abs(dual.start).sum())
    rows = np.asarray(F, dtype=np.float64)[dual.members]
    np.testing.assert_allclose(answer.weights, rows.T @ beta, rtol=0, atol=worth)
    np.testing.assert_allclose(answer.gradient, rows @ answer.weights + dual.linear, rtol=0, atol=worth)
    assert part.objective == pytest.approx(problem.objective(beta), abs=worth)
    room = 1e-13 * problem.scale(beta) * (dual.upper - dual.lower).sum()  # rounding of slopes, times the box
    gap = problem.objective(beta) - problem.lower_bound(beta, answer.bias[:1])
    assert part.gap == pytest.approx(gap, abs=worth + room)
    assert part.violation == pytest.approx(max(0.0, problem.violation(beta)), abs=worth)
    assert part.status is Status.CONVERGED
    assert part.relative_gap <= tol
    return problem


def blobs(seed=0, n=300, r=12, balance=0.5, dtype=np.float64):
    """Two overlapping classes."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.uniform(size=n) < balance, 1.0, -1.0)
    y[:2] = 1, -1
    return (rng.standard_normal((n, r)) + 0.4 * y[:, None] + 1.0).astype(dtype), y


def exact(F, dual):
    return solve_dual(LowRankOperator(F.astype(np.float64)), [dual], tol=1e-8)[0]


def agree(F, dual, answer):
    """The optimum of the exact solver lies within the gap, and decision values are close."""
    want = exact(F, dual)
    best = want.solution.objective
    slack = 1e-9 * abs(best)
    assert best - slack <= answer.solution.objective <= best + answer.solution.gap + slack
    assert answer.solution.objective - answer.solution.gap <= best + slack
    # ½‖w − w*‖² is at most the distance of the primal value from the optimum.
    w = F[dual.members].astype(np.float64).T @ want.beta
    assert np.linalg.norm(answer.weights - w) <= np.sqrt(2 * answer.solution.gap) + 1e-6 * (1 + np.linalg.norm(w))
    return want


# ---- the optimum


@pytest.mark.parametrize(("C", "tol"), [(1e-4, 1e-6), (1e-2, 1e-6), (1.0, 1e-6), (100.0, 1e-2)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_classification_has_the_optimum_of_the_exact_solver(C, tol, dtype):
    F, y = blobs(dtype=dtype)
    dual = classification(np.arange(len(y)), y, np.full(len(y), C))
    (answer,) = solve_on_features(F, [dual], tol=tol)
    check(F, dual, answer, tol)
    want = agree(F, dual, answer)
    if C in (1e-2, 1.0):
        values = F.astype(np.float64) @ answer.weights + answer.bias[0]
        right = want.gradient - dual.linear + want.bias[0]
        np.testing.assert_allclose(values, right, atol=0.02)


def test_weights_and_unbalanced_classes():
    F, y = blobs(3, n=400, balance=0.03)
    rng = np.random.default_rng(1)
    bound = 2.0 * rng.uniform(0.1, 3, len(y)) * np.where(y > 0, 10.0, 1.0)
    dual = classification(np.arange(len(y)), y, bound)
    (answer,) = solve_on_features(F, [dual], tol=1e-5)
    check(F, dual, answer, 1e-5)
    agree(F, dual, answer)


def test_duplicated_rows_equal_weights():
    F, y = blobs(4, n=100)
    twice = np.repeat(np.arange(100), 2)
    many = classification(twice, y[twice], np.ones(200))
    heavy = classification(np.arange(100), y, np.full(100, 2.0))
    one, two = solve_on_features(F, [many, heavy], tol=1e-6)
    check(F, many, one, 1e-6)
    check(F, heavy, two, 1e-6)
    assert one.solution.objective == pytest.approx(two.solution.objective, rel=2e-6)


@pytest.mark.parametrize("r", [0, 1, 5])
def test_zero_features(r):
    y = np.array([1.0, 1.0, 1.0, -1.0, -1.0])
    F = np.zeros((5, r))
    dual = classification(np.arange(5), y, np.ones(5))
    (answer,) = solve_on_features(F, [dual], tol=1e-9)
    check(F, dual, answer, 1e-9)
    assert answer.solution.objective == pytest.approx(-4.0)  # two margin errors of 2
    assert answer.bias[0] == pytest.approx(1.0)


def test_some_rows_and_columns_are_zero():
    F, y = blobs(5)
    F[::3], F[:, 2] = 0, 0
    dual = classification(np.arange(len(y)), y, np.ones(len(y)))
    (answer,) = solve_on_features(F, [dual], tol=1e-6)
    check(F, dual, answer, 1e-6)
    agree(F, dual, answer)
    assert answer.weights[2] == 0


def test_huge_c_separates():
    F, y = blobs(6, n=80, r=2)
    F += 5 * y[:, None]
    dual = classification(np.arange(len(y)), y, np.full(len(y), 1e8))
    (answer,) = solve_on_features(F, [dual], tol=1e-4)
    check(F, dual, answer, 1e-4)
    assert (y * (F @ answer.weights + answer.bias[0])).min() >= 0.98


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 10.0])
def test_regression_has_the_optimum_of_the_exact_solver(epsilon):
    rng = np.random.default_rng(7)
    F = rng.standard_normal((200, 6))
    y = F @ rng.standard_normal(6) + 3 + 0.3 * rng.standard_normal(200)
    dual = regression(np.arange(200), y, rng.uniform(0.05, 1, 200), epsilon)
    (answer,) = solve_on_features(F, [dual], tol=1e-5)
    check(F, dual, answer, 1e-5)
    agree(F, dual, answer)
    if epsilon == 10.0:
        assert not answer.beta.any()


@given(seed=st.integers(0, 2**32 - 1), size=st.integers(2, 30), r=st.integers(0, 8), kinked=st.booleans())
def test_any_box_start_and_kink(seed, size, r, kinked):
    rng = np.random.default_rng(seed)
    F = rng.standard_normal((20, r)) * 10.0 ** rng.uniform(-1, 1)
    width = rng.choice([0.0, 0.3, 1.0, 5.0], size, p=[0.1, 0.3, 0.3, 0.3])
    width[:2] = 1.0
    share = rng.uniform(0, 1, size)
    shift = np.zeros(size) if kinked else rng.normal(0, 1, size)
    lower, upper = shift - share * width, shift + (1 - share) * width
    start = np.clip(lower + rng.uniform(0.1, 0.9, size) * (upper - lower), lower, upper)
    kink = rng.choice([0.0, 0.1, 1.0], size) if kinked else None
    dual = Dual(rng.integers(0, 20, size), rng.standard_normal(size), lower, upper, start, kink=kink)
    (answer,) = solve_on_features(F, [dual], tol=1e-4, max_iter=200_000)
    if answer.solution.status is Status.CONVERGED:
        problem = check(F, dual, answer, 1e-4)
        assert answer.solution.objective <= problem.objective(start) + 1e-9 * (1 + abs(problem.objective(start)))
    else:  # an optimum near zero leaves no room for a relative gap
        assert abs(answer.solution.objective) < 1e-4 * problem_size(dual)


def problem_size(dual: Dual) -> float:
    return 1 + float(np.abs(dual.start).sum() + np.abs(dual.linear).sum())


def test_expansion_reads_the_solution():
    F, y = blobs(8)
    dual = classification(np.arange(len(y)), y, np.ones(len(y)))
    (answer,) = solve_on_features(F, [dual], tol=1e-6)
    model = expansion(dual, answer)
    assert model.norm2 == pytest.approx(answer.weights @ answer.weights)
    assert model.intercept == answer.bias[0]


# ---- several machines, starts, seeds


def pairs(n_classes=4, seed=9):
    rng = np.random.default_rng(seed)
    label = np.arange(400) % n_classes
    F = rng.standard_normal((400, 10)) + 2 * rng.standard_normal((n_classes, 10))[label]
    duals = []
    for i in range(n_classes):
        for j in range(i):
            rows = np.flatnonzero((label == i) | (label == j))
            duals.append(classification(rows, np.where(label[rows] == i, 1.0, -1.0), np.ones(len(rows))))
    return F, duals


def test_machines_do_not_depend_on_threads():
    F, duals = pairs()
    one = solve_on_features(F, duals, tol=1e-5, n_jobs=1)
    two = solve_on_features(F, duals, tol=1e-5, n_jobs=2)
    for dual, a, b in zip(duals, one, two, strict=True):
        check(F, dual, a, 1e-5)
        np.testing.assert_array_equal(a.beta, b.beta)
        np.testing.assert_array_equal(a.weights, b.weights)


def test_seed_decides_the_order_of_steps():
    F, y = blobs(10)
    dual = classification(np.arange(len(y)), y, np.ones(len(y)))
    first, again, other = (solve_on_features(F, [dual], seed=seed)[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.beta, again.beta)
    assert (first.beta != other.beta).any()
    check(F, dual, other, 1e-3)


def test_threads_do_not_change_a_large_machine():
    F, y = blobs(11, n=4000, r=300, dtype=np.float32)
    dual = classification(np.arange(len(y)), y, np.full(len(y), 0.01))
    one, two = (solve_on_features(F, [dual], n_jobs=jobs)[0] for jobs in (1, 2))
    np.testing.assert_array_equal(one.beta, two.beta)


def test_warm_start_from_a_smaller_c():
    F, y = blobs(12, n=1000, r=30)
    rows = np.arange(len(y))
    (small,) = solve_on_features(F, [classification(rows, y, np.full(len(y), 1.0))], tol=1e-4)
    warm = classification(rows, y, np.full(len(y), 1.5), start=small.beta)
    cold = classification(rows, y, np.full(len(y), 1.5))
    a, b = (solve_on_features(F, [dual], tol=1e-4)[0] for dual in (warm, cold))
    check(F, warm, a, 1e-4)
    assert a.solution.objective == pytest.approx(b.solution.objective, rel=2e-4)
    (again,) = solve_on_features(F, [classification(rows, y, np.full(len(y), 1.5), start=a.beta)], tol=1e-4)
    assert again.solution.n_iter == 0
    np.testing.assert_array_equal(again.beta, a.beta)


def test_features_are_read_in_place_and_converted_where_needed():
    F, y = blobs(13)
    dual = classification(np.arange(len(y)), y, np.ones(len(y)))
    (want,) = solve_on_features(F, [dual])
    wide = np.zeros((len(F), F.shape[1] + 3))
    wide[:, : F.shape[1]] = F
    for given_ in (np.asfortranarray(F), wide[:, : F.shape[1]], F.tolist()):
        (answer,) = solve_on_features(given_, [dual])
        np.testing.assert_array_equal(answer.beta, want.beta)


def test_single_precision_features_are_the_rounded_problem():
    F, y = blobs(14)
    dual = classification(np.arange(len(y)), y, np.ones(len(y)))
    (single,) = solve_on_features(F.astype(np.float32), [dual], tol=1e-7)
    (double,) = solve_on_features(F.astype(np.float32).astype(np.float64), [dual], tol=1e-7)
    check(F.astype(np.float32), dual, single, 1e-7)
    assert single.solution.objective == pytest.approx(double.solution.objective, rel=2e-7)


# ---- how it ends


def test_max_iter_and_report_end_early():
    F, y = blobs(15, n=2000, r=20)
    dual = classification(np.arange(len(y)), y, np.full(len(y), 1e4))
    (answer,) = solve_on_features(F, [dual], tol=1e-12, max_iter=3)
    assert answer.solution.status is Status.MAX_ITER
    assert answer.solution.n_iter == 3
    assert abs(answer.beta.sum()) <= 1e-12 * np.abs(answer.beta).sum()
    calls = []

    def report(done, total, gap):
        calls.append((done, total, gap))
        return True

    (answer,) = solve_on_features(F, [dual], tol=1e-12, report=report)
    assert answer.solution.status is Status.MAX_ITER
    assert calls[0][:2] == (0, 1)
    assert answer.solution.gap >= 0


@pytest.mark.skipif(sys.platform == "win32", reason="no signals from timers")
@pytest.mark.parametrize("machines", [1, 3])
def test_interrupt(machines):
    F, y = blobs(16, n=3000, r=400)  # large enough for certificates with several threads
    dual = classification(np.arange(len(y)), y, np.full(len(y), 1e6))
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        start = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            solve_on_features(F, [dual] * machines, tol=0.0, max_iter=10**9)
        assert time.perf_counter() - start < 10
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_problems_that_are_refused():
    F, y = blobs(17, n=20)
    rows = np.arange(20)
    with pytest.raises(ValueError, match="both classes"):
        solve_on_features(F, [classification(rows, np.ones(20), np.ones(20))])
    with pytest.raises(ValueError, match="finite"):
        solve_on_features(F, [classification(rows, y, np.full(20, np.inf))])
    with pytest.raises(ValueError, match="rows of F between 0 and 19"):
        solve_on_features(F, [classification(rows + 1, y, np.ones(20))])
    with pytest.raises(ValueError, match="two groups"):
        solve_on_features(F, [Dual(rows, -y, -np.ones(20), np.ones(20), np.zeros(20), split=3)])
    with pytest.raises(ValueError, match="no variables"):
        solve_on_features(F, [classification(rows[:0], y[:0], y[:0])])
    mixed = [regression(rows, y, np.ones(20), 0.1), classification(rows, y, np.ones(20))]
    with pytest.raises(ValueError, match="two calls"):
        solve_on_features(F, mixed)
    with pytest.raises(ValueError, match="NaN"):
        solve_on_features(np.where(F > 1, np.nan, F), [classification(rows, y, np.ones(20))])
    with pytest.raises(ValueError, match="matrix"):
        solve_on_features(F[0], [classification(rows, y, np.ones(20))])
    with pytest.raises(ValueError, match="within its bounds"):
        solve_on_features(F, [Dual(rows, -y, -np.ones(20), np.ones(20), np.full(20, 2.0))])
    assert solve_on_features(F, []) == []
