"""The dual solver by itself: any q, box, kinks and groups, every source of rows, and what the certificate claims."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from mercer.kernels import RBF, Linear, user
from mercer.operators import row_source
from mercer.solvers import Dual, Status, solve_dual
from tests.svm.oracles import Problem, dense_qp


def stated(K, dual: Dual) -> Problem:
    """The same problem in the terms of the oracles, with the groups that are not empty."""
    n = len(dual.members)
    _, group = np.unique(np.arange(n) >= (n if dual.split is None else dual.split), return_inverse=True)
    kink = np.zeros(n) if dual.kink is None else dual.kink
    block = K[np.ix_(dual.members, dual.members)]
    return Problem(block, dual.linear, dual.lower, dual.upper, kink, group, np.bincount(group, dual.start))


def check(K, dual, answer, tol, *, single=False):
    """Feasible, optimal to tol, not above the start, and with a true certificate."""
    problem, beta, part = stated(K, dual), answer.beta, answer.solution
    bias = answer.bias[1:] if dual.split == 0 else answer.bias[: len(problem.sums)]
    rounding = 1e-12 * problem.scale(beta)
    worth = rounding * (1 + np.abs(beta).sum() + np.abs(dual.start).sum())
    assert (beta >= dual.lower).all()
    assert (beta <= dual.upper).all()
    off = np.bincount(problem.group, beta) - problem.sums
    assert np.abs(off).max() <= 1e-12 * (1 + np.abs(beta).sum() + np.abs(dual.start).sum())
    found = problem.violation(beta)
    assert found <= tol
    assert problem.violation_at(beta, bias) <= tol + rounding
    assert part.violation == pytest.approx(found, abs=rounding)
    # Float rows leave the gradient rounded where it decides nothing.
    blur = 1e-7 * problem.scale(beta) if single else rounding
    np.testing.assert_allclose(answer.gradient, problem.K @ beta + problem.linear, rtol=0, atol=blur)
    assert part.objective == pytest.approx(problem.objective(beta), abs=worth)
    assert part.objective <= problem.objective(dual.start) + worth
    assert part.gap == pytest.approx(problem.objective(beta) - problem.lower_bound(beta, bias), abs=worth)


def random_dual(rng, n, size, *, kinked=False, grouped=False) -> Dual:
    """A feasible problem on rows drawn with repetition; some variables are fixed, some have a wide range."""
    width = rng.choice([0.0, 0.3, 1.0, 20.0], size, p=[0.1, 0.3, 0.3, 0.3])
    share = rng.uniform(0, 1, size)
    shift = np.zeros(size) if kinked else rng.normal(0, 1, size)
    lower, upper = shift - share * width, shift + (1 - share) * width
    start = np.clip(lower + rng.uniform(0, 1, size) * (upper - lower), lower, upper)
    return Dual(
        rng.integers(0, n, size),
        rng.standard_normal(size),
        lower,
        upper,
        start,
        kink=rng.choice([0.0, 0.1, 1.0], size) if kinked else None,
        split=int(rng.integers(0, size + 1)) if grouped else None,
    )


def random_gram(rng, n, rank):
    X = rng.standard_normal((n, rank)) * 10.0 ** rng.uniform(-1, 1)
    return X @ X.T


# ---- any problem


@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.integers(1, 40),
    rank=st.integers(1, 30),
    kinked=st.booleans(),
    grouped=st.booleans(),
    polish=st.sampled_from(["auto", True, False]),
    shrinking=st.booleans(),
)
def test_any_problem(seed, size, rank, kinked, grouped, polish, shrinking):
    rng = np.random.default_rng(seed)
    K = random_gram(rng, 25, rank)
    dual = random_dual(rng, 25, size, kinked=kinked, grouped=grouped)
    (answer,) = solve_dual(row_source(K), [dual], tol=1e-6, polish=polish, shrinking=shrinking)
    assert answer.solution.status is Status.CONVERGED
    check(K, dual, answer, 1e-6)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kinked", [False, True])
@pytest.mark.parametrize("tol", [1e-2, 1e-8])
def test_gap_bounds_the_distance_to_the_optimum(seed, kinked, tol):
    rng = np.random.default_rng(seed)
    K = random_gram(rng, 30, 10)
    dual = random_dual(rng, 30, 40, kinked=kinked, grouped=seed % 2 == 0)
    room = 0.1 * (dual.upper == dual.lower)  # the dense program needs an inside
    dual = replace(dual, lower=dual.lower - room, upper=dual.upper + room)
    (answer,) = solve_dual(row_source(K), [dual], tol=tol, polish=False)
    problem = stated(K, dual)
    best, bound = dense_qp(problem)
    slack = 1e-7 * max(1.0, abs(bound))
    assert problem.objective(best) - bound <= slack, "the dense program has not converged"
    assert answer.solution.objective - bound <= answer.solution.gap + slack
    assert answer.solution.objective >= bound - slack


def test_nothing_to_move():
    """A single variable, a full box, and an optimal start."""
    K = np.array([[2.0, 0.5], [0.5, 1.0]])
    alone = Dual(np.array([1]), np.array([3.0]), np.array([-1.0]), np.array([1.0]), np.array([0.25]))
    full = Dual(np.arange(2), np.ones(2), np.zeros(2), np.ones(2), np.ones(2))
    for dual in (alone, full):
        (answer,) = solve_dual(row_source(K), [dual])
        np.testing.assert_array_equal(answer.beta, dual.start)
        check(K, dual, answer, 1e-12)
    free = Dual(np.arange(2), np.array([-1.0, 0.0]), np.zeros(2), np.ones(2), np.array([0.5, 0.5]))
    (first,) = solve_dual(row_source(K), [free])
    (again,) = solve_dual(row_source(K), [replace(free, start=first.beta)])
    np.testing.assert_array_equal(again.beta, first.beta)
    assert again.solution.n_iter == 0


# ---- sources


KERNEL = RBF(gamma=0.3)
FOREIGN = user(block=lambda A, B: KERNEL(np.asarray(A), np.asarray(B)), definiteness="psd")
SOURCES = {
    "matrix": lambda X: row_source(KERNEL(X)),
    "fortran": lambda X: row_source(np.asfortranarray(KERNEL(X))),
    "single": lambda X: row_source(KERNEL(X).astype(np.float32)),
    "native": lambda X: row_source(KERNEL.prepare(X)),
    "csr": lambda X: row_source(KERNEL.prepare(sp.csr_array(X))),
    "foreign": lambda X: row_source(FOREIGN.prepare(X)),
    "callback": lambda X: row_source(FOREIGN.prepare(X), cache_size=0.01),
}


def classification(rng, X, C):
    sign = np.where(X[:, 0] + 0.3 * rng.standard_normal(len(X)) > 0, 1.0, -1.0)
    n = len(X)
    return Dual(np.arange(n), -sign, np.minimum(C * sign, 0), np.maximum(C * sign, 0), np.zeros(n))


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("cache_size", [200.0, 0.02])
def test_every_source_of_rows(rng, name, cache_size):
    X = rng.standard_normal((150, 4))
    K = KERNEL(X)
    dual = classification(rng, X, 10.0)
    (answer,) = solve_dual(SOURCES[name](X), [dual], tol=1e-9, cache_size=cache_size)
    assert answer.solution.status is Status.CONVERGED
    single = name == "single"
    check(K.astype(np.float32).astype(np.float64) if single else K, dual, answer, 1e-9, single=single)


@pytest.mark.parametrize("shrinking", [True, False])
@pytest.mark.parametrize("polish", ["auto", False])
@pytest.mark.parametrize("cache_size", [0.05, 1.0, 200.0])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_options_do_not_change_the_optimum(rng, shrinking, polish, cache_size, n_jobs):
    X = rng.standard_normal((400, 3))
    dual = classification(rng, X, 100.0)
    source = row_source(Linear().prepare(X))
    options = {"polish": polish, "shrinking": shrinking, "cache_size": cache_size, "n_jobs": n_jobs}
    (answer,) = solve_dual(source, [dual], tol=1e-7, **options)
    assert answer.solution.status is Status.CONVERGED
    check(X @ X.T, dual, answer, 1e-7)


# ---- many problems


@pytest.mark.parametrize("kinked", [False, True])
@pytest.mark.parametrize("cache_size", [200.0, 0.05])
def test_together_as_alone(rng, kinked, cache_size):
    X = rng.standard_normal((120, 3))
    K = RBF(gamma=0.5)(X)
    source = row_source(RBF(gamma=0.5).prepare(X))
    duals = [random_dual(rng, 120, size, kinked=kinked, grouped=size % 2 == 0) for size in (5, 30, 100, 1, 64)]
    answers = solve_dual(source, duals, tol=1e-8, cache_size=cache_size)
    assert len(answers) == len(duals)
    for dual, answer in zip(duals, answers, strict=True):
        check(K, dual, answer, 1e-8)
        (alone,) = solve_dual(source, [dual], tol=1e-8)
        assert answer.solution.objective == pytest.approx(alone.solution.objective, abs=1e-6)


# ---- early ends


def test_max_iter_leaves_a_feasible_point_to_go_on_from(rng):
    X = rng.standard_normal((200, 5))
    K = X @ X.T
    dual = classification(rng, X, 50.0)
    source = row_source(K)
    (full,) = solve_dual(source, [dual], tol=1e-8)
    objective, start = 0.0, dual
    for _ in range(5):
        (part,) = solve_dual(source, [start], tol=1e-8, max_iter=20)
        assert part.solution.status is Status.MAX_ITER
        assert part.solution.n_iter <= 20
        problem = stated(K, start)
        assert problem.infeasibility(part.beta) <= 1e-12
        assert part.solution.violation == pytest.approx(problem.violation(part.beta), abs=1e-9)
        assert part.solution.objective < objective
        assert part.solution.objective - full.solution.objective <= part.solution.gap
        objective, start = part.solution.objective, replace(dual, start=part.beta)
    (resumed,) = solve_dual(source, [start], tol=1e-8)
    assert resumed.solution.status is Status.CONVERGED
    assert resumed.solution.objective == pytest.approx(full.solution.objective, rel=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_indefinite_matrices_end_at_a_stationary_point(seed):
    rng = np.random.default_rng(seed)
    K = rng.standard_normal((60, 60))
    K = K + K.T
    dual = classification(rng, rng.standard_normal((60, 2)), 5.0)
    (answer,) = solve_dual(row_source(K), [dual], tol=1e-6)
    assert answer.solution.status is Status.NOT_PSD
    problem = stated(K, dual)
    assert problem.violation(answer.beta) <= 1e-6
    assert problem.objective(answer.beta) < 0.0


@pytest.mark.parametrize("scale", [1e-8, 1e-3, 1e3, 1e8])
def test_scale_of_the_matrix(rng, scale):
    """K → sK with the box divided by s is the same problem with the objective divided by s."""
    X = rng.standard_normal((80, 4))
    dual = classification(rng, X, 10.0)
    other = replace(dual, lower=dual.lower / scale, upper=dual.upper / scale)
    (answer,) = solve_dual(row_source(X @ X.T), [dual], tol=1e-8)
    (scaled,) = solve_dual(row_source(scale * (X @ X.T)), [other], tol=1e-8)
    assert scaled.solution.status is Status.CONVERGED
    assert scale * scaled.solution.objective == pytest.approx(answer.solution.objective, rel=1e-8)
