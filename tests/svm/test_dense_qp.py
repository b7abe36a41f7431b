"""Against dense programs: an interior point method that proves its answer, SciPy's SLSQP, and enumeration."""

from functools import partial
from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import minimize

from mercer.svm import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM
from tests.svm import oracles
from tests.svm.oracles import KERNELS, coefficients, data, dense_qp, hulls_may_meet, kernel_matrix, machines

N = 40
NAMES = ["wine", "diabetes", "moons", "duplicated", "wide", "grid"]
CASES = pytest.mark.parametrize(("name", "kernel"), list(product(NAMES, ["linear", "poly", "rbf"])))


def small(name, kernel):
    d = data(name)
    X, labels = d.X[:N], (d.labels[:N] > d.labels[:N].min()).astype(int)
    return X, labels, d.target[:N], kernel_matrix(X, **KERNELS[kernel])


def check(problem, *fitted):
    """Models and their β: between the proven bound and the optimum plus the gap that the certificate states."""
    best, bound = dense_qp(problem)
    optimum = problem.objective(best)
    slack = 1e-8 * max(1.0, abs(optimum))
    assert optimum - bound <= slack, "the dense program has not converged"
    for model, beta in fitted:
        ours = problem.objective(beta)
        assert ours >= bound - slack, model
        assert ours - bound <= model.solution_.gap + slack, model
        assert ours <= optimum + slack or model.polish is False, model


def both(make, *target):
    """Fitted as users have it, and so loosely that there is a gap to bound."""
    return [make(**settings).fit(*target) for settings in ({}, {"tol": 1e-2, "polish": False})]


@CASES
def test_optimum_and_gap(name, kernel):
    X, labels, y, K = small(name, kernel)
    kernel = KERNELS[kernel]
    sign = np.where(labels == 1, 1.0, -1.0)
    for C in (0.1, 1.0, 100.0):
        models = both(partial(SVC, C=C, **kernel), X, labels)
        check(oracles.svc(K, sign, C), *((model, coefficients(model, N)) for model in models))
    for C in (0.1, 1.0, 10.0):
        models = both(partial(SVR, C=C, **kernel), X, y)
        check(oracles.svr(K, y, C, 0.1), *((model, coefficients(model, N)) for model in models))
    for nu, (make, state) in product((0.1, 0.5, 0.9), ((OneClassSVM, oracles.one_class), (SVDD, oracles.svdd))):
        models = both(partial(make, nu=nu, **kernel), X)
        check(state(K, nu), *((model, coefficients(model, N)) for model in models))


@CASES
def test_nu_svc_is_its_program_divided_by_r(name, kernel):
    X, labels, _, K = small(name, kernel)
    counts = np.bincount(labels)
    for share in (0.5, 0.9):
        nu = share * 2 * counts.min() / N
        with hulls_may_meet():
            model = NuSVC(nu=nu, **KERNELS[kernel]).fit(X, labels)
        (machine,) = machines(model, labels)
        problem = oracles.nu_svc(K, machine.sign, nu)
        if not machine.coef.any():
            assert problem.objective(dense_qp(problem)[0]) <= 1e-8 * N
            continue
        r = machine.width(nu)
        check(problem, (model, r * machine.coef))
        if r > 1e-3:  # the reduced hulls stay apart; then it is the C-SVC with C = 1/r, primal = dual
            slack = np.maximum(1 - machine.sign * (K @ machine.coef + machine.intercept), 0.0)
            norm2 = machine.coef @ K @ machine.coef
            primal, dual = norm2 / 2 + slack.sum() / r, np.abs(machine.coef).sum() - norm2 / 2
            assert primal == pytest.approx(dual, rel=1e-7)


@CASES
def test_nu_svr_finds_the_epsilon_of_its_program(name, kernel):
    """ν-SVR minimises ½‖w‖² + Cνnε + CΣ(|y − f| − ε)₊ over ε too: at the ε found, the primal value equals the dual."""
    X, _, y, K = small(name, kernel)
    for C, nu in product((0.1, 1.0, 10.0), (0.2, 0.7)):
        model = NuSVR(C=C, nu=nu, **KERNELS[kernel]).fit(X, y)
        beta = coefficients(model, N)
        residual = np.abs(y - K @ beta - model.intercept_[0])
        epsilon = max(model.epsilon_, 0.0)
        norm2 = beta @ K @ beta
        primal = norm2 / 2 + C * nu * N * epsilon + C * np.maximum(residual - epsilon, 0.0).sum()
        assert primal == pytest.approx(y @ beta - norm2 / 2, rel=1e-6, abs=1e-8)
        assert (residual > epsilon + 1e-6).mean() <= nu + 1e-12  # ν bounds the share of errors from above
        assert epsilon < 1e-8 or len(model.support_) >= nu * N - 1e-9  # and that of support vectors from below


def test_the_oracle_agrees_with_slsqp():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 3))
    sign = np.where(X[:, 0] + 0.5 * rng.standard_normal(20) > 0, 1.0, -1.0)
    problem = oracles.svc(kernel_matrix(X, kernel="rbf"), sign, 2.0)
    answer = minimize(
        problem.objective,
        np.zeros(20),
        jac=lambda beta: problem.K @ beta + problem.linear,
        bounds=list(zip(problem.lower, problem.upper, strict=True)),
        constraints={"type": "eq", "fun": np.sum, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    best, bound = dense_qp(problem)
    assert answer.fun == pytest.approx(problem.objective(best), rel=1e-8)
    assert answer.fun >= bound - 1e-9
    model = SVC(C=2.0).fit(X, sign)
    assert model.solution_.objective == pytest.approx(answer.fun, rel=1e-8)


# ---- the smallest ball, by enumeration


def smallest_circle(points):
    """Radius and centre of the smallest circle around points of the plane: some two or three of them lie on it."""
    best = np.inf, None
    for size in (2, 3):
        for chosen in combinations(points, size):
            first, *others = np.array(chosen)
            edges = np.array(others) - first
            if size == 3 and abs(np.linalg.det(edges)) < 1e-12:
                continue
            centre = first + np.linalg.lstsq(2 * edges, (edges**2).sum(axis=1), rcond=None)[0]
            radius = np.linalg.norm(points - centre, axis=1).max()
            if radius < best[0]:
                best = radius, centre
    return best


@pytest.mark.parametrize("seed", range(8))
def test_hard_svdd_is_the_smallest_circle(seed):
    points = np.random.default_rng(seed).standard_normal((12, 2))
    model = SVDD(kernel="linear", nu=1 / 12).fit(points)
    radius, centre = smallest_circle(points)
    assert model.radius_ == pytest.approx(radius, rel=1e-9)
    np.testing.assert_allclose((model.dual_coef_ @ model.support_vectors_)[0], centre, atol=1e-8)
    distances = np.linalg.norm(points - centre, axis=1)
    np.testing.assert_allclose(model.decision_function(points), radius**2 - distances**2, atol=1e-8)


@pytest.mark.parametrize("nu", [0.1, 0.3, 0.8])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_soft_svdd_is_optimal_in_the_primal(kernel, nu):
    """min R² + Σ(‖φ(x) − a‖² − R²)₊/(νn): the primal value at the ball found equals the dual."""
    X, _, _, K = small("diabetes", kernel)
    model = SVDD(nu=nu, **KERNELS[kernel]).fit(X)
    alpha = coefficients(model, N)
    distance2 = np.diag(K) - 2 * K @ alpha + alpha @ K @ alpha
    radius2 = model.radius_**2
    primal = radius2 + np.maximum(distance2 - radius2, 0.0).sum() / (nu * N)
    assert primal == pytest.approx(alpha @ np.diag(K) - alpha @ K @ alpha, rel=1e-8)
    np.testing.assert_allclose(model.decision_function(X), radius2 - distance2, atol=1e-8 * np.diag(K).max())
    assert (distance2 > radius2 + 1e-7 * np.diag(K).max()).mean() <= nu
