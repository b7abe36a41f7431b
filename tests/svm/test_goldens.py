"""Machines whose answers are known in closed form; each says where its numbers come from."""

import numpy as np
import pytest

from mercer.kernels import Polynomial
from mercer.svm import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM

# The worked example of the lecture notes on kernel methods: three points of the plane under (1 + ⟨x, z⟩)²,
# α = (1/8, 1/8, 0), b = 0. The third point lies on the margin with α = 0.
POINTS = np.array([[1.0, 1.0], [-1.0, -1.0], [-2.0, 0.0]])
GRAM = np.array([[9.0, 1.0, 1.0], [1.0, 9.0, 9.0], [1.0, 9.0, 25.0]])
SIGN = np.array([-1, 1, 1])
SQUARE = {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0}


@pytest.mark.parametrize("C", [np.inf, 1e10, 1e6, 1000.0, 1.0, 0.125])
@pytest.mark.parametrize("polish", ["auto", True, False])
@pytest.mark.parametrize(
    ("params", "X"),
    [
        ({"kernel": "precomputed"}, GRAM),
        (SQUARE, POINTS),
        ({"kernel": Polynomial(degree=2, gamma=1.0, coef0=1.0)}, POINTS),
    ],
    ids=["gram", "points", "kernel"],
)
def test_worked_example(params, X, C, polish):
    model = SVC(C=C, tol=1e-10, polish=polish, **params).fit(X, SIGN)
    np.testing.assert_array_equal(model.support_, [0, 1])
    np.testing.assert_array_equal(model.n_support_, [1, 1])
    np.testing.assert_allclose(model.dual_coef_, [[-0.125, 0.125]], rtol=0, atol=1e-15)
    np.testing.assert_allclose(model.intercept_, [0.0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(model.decision_function(X), [-1.0, 1.0, 1.0], rtol=0, atol=1e-14)
    np.testing.assert_array_equal(model.predict(X), SIGN)
    assert model.solution_.objective == pytest.approx(-1 / 8, abs=1e-15)  # the dual is minimised here
    assert model.solution_.violation <= 1e-12
    assert model.solution_.gap <= 1e-12
    assert model.margin_width_[0] == pytest.approx(4.0, rel=1e-14)  # ‖w‖² = αᵀQα = 1/4


def test_worked_example_in_either_order():
    """The third point must not become a support vector by coming first."""
    for order in ([2, 1, 0], [1, 2, 0], [2, 0, 1], [0, 2, 1]):
        model = SVC(C=np.inf, kernel="precomputed").fit(GRAM[np.ix_(order, order)], SIGN[order])
        assert 2 not in np.array(order)[model.support_]


@pytest.mark.parametrize("C", [np.inf, 10.0])
def test_exclusive_or(C):
    """Cherkassky and Mulier, Learning from Data (1998): (1 + ⟨x, z⟩)², all α = 1/8, f(x) = x₁x₂, margin √2."""
    X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    y = np.array([1, -1, -1, 1])
    model = SVC(C=C, **SQUARE).fit(X, y)
    coef = np.zeros(4)
    coef[model.support_] = model.dual_coef_[0]
    np.testing.assert_allclose(coef, y / 8, atol=1e-14)
    grid = np.array([[0.5, 3.0], [-2.0, 0.25], [0.0, 7.0]])
    np.testing.assert_allclose(model.decision_function(grid), grid.prod(axis=1), atol=1e-13)
    assert model.margin_width_[0] / 2 == pytest.approx(np.sqrt(2))


def test_two_points():
    """By hand: α = 2/‖x − z‖² up to C; beyond, both stand at C and b is in the middle of its interval."""
    X, y = np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([0, 1])
    free = SVC(C=1.0, kernel="linear").fit(X, y)
    np.testing.assert_allclose(free.dual_coef_, [[-0.08, 0.08]], atol=1e-15)
    np.testing.assert_allclose(free.decision_function(X), [-1.0, 1.0], atol=1e-14)
    bounded = SVC(C=0.02, kernel="linear").fit(X, y)
    np.testing.assert_array_equal(bounded.dual_coef_, [[-0.02, 0.02]])
    assert bounded.intercept_[0] == pytest.approx(-0.25)  # f(x) = b ≥ −1 and f(z) = b + 1/2 ≤ 1


def test_regression_through_two_points():
    """By hand: β = ±(|y₁ − y₂| − 2ε)/‖x − z‖², and the line passes ε below the upper and above the lower target."""
    X, y = np.array([[0.0], [2.0]]), np.array([1.0, 5.0])
    model = SVR(kernel="linear", C=10.0, epsilon=0.5).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_, [[-0.75, 0.75]], atol=1e-14)
    np.testing.assert_allclose(model.predict(X), [1.5, 4.5], atol=1e-13)
    found = NuSVR(kernel="linear", C=10.0, nu=0.075).fit(X, y)  # Σ|β| = Cνn = 1.5: the same β, hence the same ε
    np.testing.assert_allclose(found.predict(X), [1.5, 4.5], atol=1e-12)
    assert found.epsilon_ == pytest.approx(0.5)


def test_nu_of_one_takes_every_sample():
    """By definition: ν = 1 leaves one feasible point, α = 1 for one-class and 1/r for balanced ν-SVC."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 2)), np.repeat([0, 1], 10)
    one = OneClassSVM(nu=1.0).fit(X)
    np.testing.assert_array_equal(one.dual_coef_, np.ones((1, 20)))
    two = NuSVC(nu=1.0).fit(X + 3 * y[:, None], y)
    np.testing.assert_allclose(np.abs(two.dual_coef_), np.abs(two.dual_coef_[0, 0]), rtol=1e-12)
    ball = SVDD(kernel="linear", nu=1.0).fit(X)
    np.testing.assert_allclose((ball.dual_coef_ @ ball.support_vectors_)[0], X.mean(axis=0), atol=1e-14)


def test_nu_svc_of_two_points():
    """By hand: Σα = νn = 2, α = (1, 1), ‖w‖² = d² and r = d²/2, so that α/r = 2/d²: the hard margin."""
    X, y = np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([0, 1])
    model = NuSVC(nu=1.0, kernel="linear").fit(X, y)
    np.testing.assert_allclose(model.dual_coef_, [[-0.08, 0.08]], rtol=1e-14)
    np.testing.assert_allclose(model.decision_function(X), [-1.0, 1.0], atol=1e-14)


def test_smallest_ball_around_a_simplex():
    """By symmetry: the corners e_1 … e_d have their centre at the mean, R² = 1 − 1/d."""
    model = SVDD(kernel="linear", nu=0.01).fit(np.eye(5))
    np.testing.assert_allclose(model.dual_coef_, np.full((1, 5), 0.2), atol=1e-12)
    assert model.radius_**2 == pytest.approx(0.8)
