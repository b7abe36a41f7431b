"""Data and parameters at the edge: every fit ends, says how, and what it says is true.

The conditions of optimality are checked from scratch, up to the rounding of the sums they consist of.
"""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from mercer.kernels import RBF, Linear
from mercer.solvers import Status
from mercer.svm import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM
from tests.svm import oracles
from tests.svm.family import FAMILY, SHARED
from tests.svm.verdicts import bound_by_the_primal, check, check_fit, fitted, gram_of

pytestmark = pytest.mark.filterwarnings("ignore::mercer.exceptions.IndefiniteKernelWarning")  # "sigmoid"

N = 120


_rng = np.random.default_rng(0)
X = _rng.standard_normal((N, 5))
LABELS = (X[:, 0] + 0.8 * _rng.standard_normal(N) > 0).astype(int)
EVEN = np.arange(N) % 2  # as many of either class: NuSVC takes any nu
Y = np.sin(X[:, 0]) + 0.1 * _rng.standard_normal(N)
K = gram_of("rbf", X, gamma=0.2)
WEIGHT = 10.0 ** _rng.uniform(-6, 6, N)


# ---- data


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("C", [1.0, 1e6, 1e10])
def test_duplicates_with_opposite_labels(kernel, C):
    doubled, labels = np.repeat(X[:40], 2, axis=0), np.tile([0, 1], 40)
    model = fitted(SVC(kernel=kernel, C=C, coef0=1.0), doubled, labels)
    solution = check_fit(model, gram_of(kernel, doubled), labels)
    # Every pair takes its part of C in full: w = 0 is the best there is.
    assert solution.status is Status.CONVERGED
    np.testing.assert_allclose(solution.objective, -80 * C, rtol=1e-9)
    np.testing.assert_allclose(model.decision_function(X), model.intercept_[0], atol=1e-6 * C)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid"])
@pytest.mark.parametrize("value", [0.0, 1.0, -1e3])
def test_identical_points(kernel, value):
    same, labels = np.full((30, 3), value), np.arange(30) % 3 == 0
    model = fitted(SVC(kernel=kernel), same, labels)
    assert model.solution_.converged or abs(model.kernel_(same)).max() > 1e12  # where ±1 drowns in rounding
    if model.solution_.converged:
        np.testing.assert_allclose(model.solution_.objective, -20.0, rtol=1e-9)  # −2 C min(n₊, n₋)
        assert (model.predict(same) == 0).all()
    regression = fitted(SVR(kernel=kernel, epsilon=0.5), same, np.arange(30.0))
    assert np.isfinite(regression.predict(same)).all()
    if regression.solution_.converged:  # the median, up to the tube
        np.testing.assert_allclose(regression.predict(same), 14.5, atol=1.0 + regression.tol)
    for detector in (OneClassSVM(kernel=kernel, nu=0.2), SVDD(kernel=kernel, nu=0.2)):
        values = fitted(detector, same).decision_function(same)
        np.testing.assert_allclose(values, 0, atol=1e-6 * max(1, abs(detector.kernel_(same)).max()))


@pytest.mark.parametrize("nu", [0.01, 0.5, 1.0])
def test_nu_svc_on_identical_points_says_that_there_is_no_margin(nu):
    same = np.ones((20, 3))
    with pytest.warns(ConvergenceWarning, match="NuSVC: at nu=.* there is no margin"):
        model = NuSVC(nu=nu).fit(same, EVEN[:20])
    np.testing.assert_array_equal(model.decision_function(same), 0.0)


def test_constant_features_change_nothing():
    wider = np.hstack([X, np.full((N, 3), 7.0)])
    model, plain = fitted(SVC(gamma=0.2), wider, LABELS), fitted(SVC(gamma=0.2), X, LABELS)
    assert check_fit(model, K, LABELS).status is Status.CONVERGED
    np.testing.assert_allclose(model.decision_function(wider), plain.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_two_samples(kernel):
    model = fitted(SVC(kernel=kernel, gamma=1.0, C=100.0), [[0.0], [2.0]], ["a", "b"])
    assert model.solution_.status is Status.CONVERGED
    np.testing.assert_allclose(model.decision_function([[0.0], [1.0], [2.0]]), [-1, 0, 1], atol=1e-12)
    regression = fitted(SVR(kernel=kernel, gamma=1.0, C=100.0, epsilon=0.25), [[0.0], [2.0]], [0.0, 1.0])
    np.testing.assert_allclose(regression.predict([[0.0], [2.0]]), [0.25, 0.75], atol=1e-12)


@pytest.mark.parametrize("make", [SVC, NuSVC])
def test_one_class_only_is_refused_in_the_words_of_scikit_learn(make):
    with pytest.raises(ValueError, match="The number of classes has to be greater than one; got 1 class"):
        make().fit(X, np.zeros(N))


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_two_hundred_classes(multi_class):
    points, labels = make_blobs(400, n_features=3, centers=200, cluster_std=0.05, random_state=0)
    model = fitted(SVC(C=10.0, multi_class=multi_class), points, labels)
    n_machines = {"ovo": 200 * 199 // 2, "ovr": 200}[multi_class]
    assert len(model.solution_.machines) == len(model.intercept_) == len(model.n_iter_) == n_machines
    assert model.solution_.status is Status.CONVERGED
    gram = gram_of("rbf", points)
    machines = oracles.machines(model, labels)
    for m in range(0, n_machines, n_machines // 20):
        machine = machines[m]
        problem = oracles.svc(gram[np.ix_(machine.members, machine.members)], machine.sign, 10.0)
        check(problem, machine.coef, model.solution_.machines[m])
    assert model.decision_function(points[:3]).shape == (3, 200)
    assert (model.predict(points) == labels).mean() > 0.5


def test_fewer_samples_than_features():
    wide, labels = _rng.standard_normal((10, 500)), np.arange(10) % 2
    model = fitted(SVC(kernel="linear"), wide, labels)
    assert check_fit(model, wide @ wide.T, labels).status is Status.CONVERGED
    assert (model.predict(wide) == labels).all()


@pytest.mark.parametrize("offset", [1e4, 1e8, 1e12])
def test_rbf_does_not_feel_an_offset(offset):
    moved = X * 2.0**20 // 1 / 2.0**10 + offset  # multiples of 2⁻¹⁰, so that moving them rounds nothing up to 10¹²
    back = moved - offset
    model = fitted(SVC(gamma=1e-7), moved, LABELS)
    assert check_fit(model, gram_of("rbf", back, gamma=1e-7), LABELS).status is Status.CONVERGED
    plain = fitted(SVC(gamma=1e-7), back, LABELS)
    np.testing.assert_allclose(model.decision_function(moved), plain.decision_function(back), atol=1e-9)


@pytest.mark.parametrize(("kernel", "offset"), [("linear", 1e4), ("linear", 1e8), ("poly", 1e4), ("poly", 1e12)])
def test_dot_products_far_from_the_origin_end(kernel, offset):
    """Rounding of ⟨x, z⟩ ≈ offset² may be larger than all that tells the samples apart: then the status says so."""
    moved = X + offset
    model = fitted(SVC(kernel=kernel, coef0=1.0), moved, LABELS)
    gram = gram_of(kernel, moved)
    solution = check_fit(model, gram, LABELS)
    assert np.isfinite(model.decision_function(moved)).all()
    if solution.status is Status.CONVERGED:  # a lower objective is not possible with a PSD kernel
        assert -N <= solution.objective <= 0


# ---- parameters


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_enormous_C(kernel):
    model = fitted(SVC(C=1e10, kernel=kernel, coef0=1.0), X, LABELS)
    gram = gram_of(kernel, X)
    solution = check_fit(model, gram, LABELS)
    assert solution.status in (Status.CONVERGED, Status.PRECISION)
    bound_by_the_primal(model, np.where(LABELS, 1.0, -1.0), gram)


def test_enormous_C_in_regression():
    model = fitted(SVR(C=1e10, kernel="linear"), X, Y)
    assert check_fit(model, X @ X.T, Y).status in (Status.CONVERGED, Status.PRECISION)


@pytest.mark.parametrize("C", [1e-10, 1e-300])
def test_tiny_C(C):
    model = fitted(SVC(C=C), X, EVEN)
    assert check_fit(model, gram_of("rbf", X), EVEN).status is Status.CONVERGED
    np.testing.assert_allclose(np.abs(model.dual_coef_), C)


@pytest.mark.parametrize("gamma", [1e6, 1e-12])
@pytest.mark.parametrize("C", [1.0, 1e10])
def test_extreme_gamma(gamma, C):
    model = fitted(SVC(gamma=gamma, C=C), X, LABELS)
    gram = gram_of("rbf", X, gamma=gamma)
    solution = check_fit(model, gram, LABELS)
    assert solution.status in (Status.CONVERGED, Status.PRECISION)
    if gamma == 1e6:  # K = I: α is known
        assert solution.status is Status.CONVERGED
        share = min(C, 2 * LABELS.mean()), min(C, 2 * (1 - LABELS.mean()))
        if C > 2:
            np.testing.assert_allclose(np.abs(model.dual_coef_[0][model.n_support_[0] :]), share[1], rtol=1e-6)
        assert (model.predict(X) == LABELS).all()


def test_gamma_zero_is_a_constant_kernel():
    model = fitted(SVC(gamma=0.0), X, LABELS)
    assert check_fit(model, np.ones((N, N)), LABELS).status is Status.CONVERGED
    assert len(set(model.predict(X))) == 1


@pytest.mark.parametrize("make", FAMILY)
@pytest.mark.parametrize("max_iter", [0, 1, 7])
def test_few_steps(make, max_iter):
    model = make(max_iter=max_iter)
    with pytest.warns(ConvergenceWarning, match=f"max_iter={max_iter}"):
        model.fit(X, EVEN)
    assert model.solution_.status is Status.MAX_ITER
    assert model.solution_.n_iter <= max_iter
    assert model.fit_status_ == 1
    assert np.isfinite(model.predict(X)).all()
    if make is not SVDD:
        check_fit(model, gram_of("rbf", X), EVEN)


@pytest.mark.parametrize("make", [SVC, SVR])
def test_few_steps_on_many_samples_count(make):
    """Whatever the solver starts from, the steps allowed go into the answer, and warm starts go on from there."""
    rng = np.random.default_rng(0)
    points = rng.standard_normal((13_000, 3))
    labels = (points[:, 0] + 0.5 * rng.standard_normal(13_000) > 0).astype(int)
    model = make(max_iter=500, warm_start=True)
    objectives = [0.0, *(fitted(model, points, labels).solution_.objective for _ in range(4))]
    assert model.solution_.status is Status.MAX_ITER
    assert all(after < before for before, after in pairwise(objectives))


def test_weights_over_twelve_powers_of_ten():
    gram = gram_of("rbf", X, gamma=0.2)
    for model, target in [
        (SVC(gamma=0.2), LABELS),
        (SVR(gamma=0.2), Y),
        (OneClassSVM(gamma=0.2), None),
        (NuSVR(gamma=0.2), Y),
        (NuSVC(gamma=0.2, nu=0.01), LABELS),
    ]:
        fitted(model, X, target, sample_weight=WEIGHT)
        solution = check_fit(model, gram, np.zeros(N) if target is None else target, WEIGHT)
        assert solution.status is Status.CONVERGED
    bound_by_the_primal(SVC(gamma=0.2).fit(X, LABELS, WEIGHT), np.where(LABELS, 1.0, -1.0), gram, WEIGHT)


@pytest.mark.parametrize("make", SHARED)
@pytest.mark.parametrize("scale", [1e-30, 1e-10, 1e10, 1e30])
def test_kernel_values_of_any_size(make, scale):
    """The tolerance is absolute: tiny kernels are converged at once, huge ones may be beyond what rounding allows."""
    model = fitted(make(kernel="precomputed"), scale * K, EVEN)
    solution = check_fit(model, scale * K, EVEN)
    assert solution.status in (Status.CONVERGED, Status.PRECISION)
    if scale < 1:
        assert solution.status is Status.CONVERGED
    assert np.isfinite(model.predict(scale * K)).all()


# ---- kernels that are not positive semidefinite


@pytest.mark.parametrize("C", [1.0, 100.0, 1e6])
@pytest.mark.parametrize("kernel", ["sigmoid", "indefinite", "negative"])
def test_indefinite_kernels_end_at_a_stationary_point(kernel, C):
    A = np.random.default_rng(1).standard_normal((N, N))
    gram = {"sigmoid": np.tanh(10.0 * (X @ X.T) - 1.0), "indefinite": A + A.T, "negative": -np.eye(N)}[kernel]
    by_name = SVC(kernel="sigmoid", gamma=10.0, coef0=-1.0, C=C)
    model = fitted(by_name, X, LABELS) if kernel == "sigmoid" else fitted(SVC(kernel="precomputed", C=C), gram, LABELS)
    solution = check_fit(model, gram, LABELS)
    assert solution.status in (Status.NOT_PSD, Status.CONVERGED)
    assert solution.objective < 0
    # A PSD kernel could not get so low: whoever says CONVERGED must not have.
    assert solution.status is Status.NOT_PSD or solution.objective >= -2 * C * LABELS.sum()


@pytest.mark.parametrize("make", [SVR, NuSVR, NuSVC, OneClassSVM])
def test_indefinite_matrices_in_the_whole_family(make):
    A = np.random.default_rng(1).standard_normal((N, N))
    model = fitted(make(kernel="precomputed"), A + A.T, EVEN)
    assert check_fit(model, A + A.T, EVEN).status in (Status.NOT_PSD, Status.CONVERGED)
    assert np.isfinite(model.predict(A)).all()


# ---- regression


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_a_constant_target_needs_no_support_vectors(kernel, epsilon):
    model = fitted(SVR(kernel=kernel, epsilon=epsilon), X, np.full(N, 3.0))
    assert model.solution_.status is Status.CONVERGED
    assert len(model.support_) == 0
    np.testing.assert_allclose(model.predict(X), 3.0, atol=1e-12)


def test_nu_regression_of_a_constant():
    model = fitted(NuSVR(), X, np.full(N, 3.0))
    np.testing.assert_allclose(model.predict(X), 3.0, atol=1e-9)
    assert abs(model.epsilon_) <= 1e-9


@pytest.mark.parametrize("C", [1.0, 1e6])
def test_epsilon_zero(C):
    model = fitted(SVR(epsilon=0.0, C=C, gamma=0.2), X, Y)
    assert check_fit(model, K, Y).status is Status.CONVERGED


@pytest.mark.parametrize("C", [1.0, 1e10])
def test_a_tube_wider_than_the_targets(C):
    model = fitted(SVR(epsilon=10.0, C=C), X, Y)
    assert check_fit(model, gram_of("rbf", X), Y).status is Status.CONVERGED
    assert model.support_.shape == (0,)
    assert model.dual_coef_.shape == (1, 0)
    assert model.support_vectors_.shape == (0, 5)
    assert model.solution_.objective == 0
    prediction = model.predict(X)
    assert (prediction == prediction[0]).all()
    assert np.abs(prediction - Y).max() <= 10.0


@pytest.mark.parametrize("nu", [1e-9, 1e-3, 1.0])
def test_extreme_nu_of_regression(nu):
    model = fitted(NuSVR(nu=nu, gamma=0.2), X, Y)
    assert check_fit(model, K, Y).status is Status.CONVERGED
    if nu == 1.0:  # every sample may be outside: the tube closes
        assert model.epsilon_ <= 1e-3


# ---- one class


@pytest.mark.parametrize("nu", [1e-9, 1e-3, 1.0])
def test_extreme_nu_of_one_class(nu):
    model = fitted(OneClassSVM(nu=nu, gamma=0.2), X)
    assert check_fit(model, K, np.zeros(N)).status is Status.CONVERGED
    if nu == 1.0:
        np.testing.assert_allclose(model.dual_coef_, np.ones((1, N)))
    ball = fitted(SVDD(nu=nu, gamma=0.2), X)
    check(oracles.svdd(K, nu), oracles.coefficients(ball, N), ball.solution_)
    np.testing.assert_allclose(ball.dual_coef_.sum(), 1.0, rtol=1e-12)


@pytest.mark.parametrize("nu", [1e-9, 0.3, 1.0])
@pytest.mark.parametrize("kernel", [Linear(), RBF(gamma=1.0)], ids=str)
def test_the_ball_around_one_point(nu, kernel):
    same = np.ones((20, 3))
    model = fitted(SVDD(kernel=kernel, nu=nu), same)
    assert model.solution_.status is Status.CONVERGED
    np.testing.assert_allclose(model.radius_, 0, atol=1e-6)
    np.testing.assert_allclose((model.dual_coef_ @ model.support_vectors_), np.ones((1, 3)), rtol=1e-12)
    np.testing.assert_allclose(
        model.decision_function(np.zeros((1, 3))), -(kernel.distance(same[:1], [[0.0] * 3])[0] ** 2)
    )


def test_the_ball_around_repeated_points():
    doubled = np.repeat(X[:30], 4, axis=0)
    model, plain = fitted(SVDD(nu=0.3, gamma=0.2), doubled), fitted(SVDD(nu=0.3, gamma=0.2), X[:30])
    check(oracles.svdd(np.kron(K[:30, :30], np.ones((4, 4))), 0.3), oracles.coefficients(model, N), model.solution_)
    np.testing.assert_allclose(model.radius_, plain.radius_, atol=1e-6)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-6)


# ---- memory


@pytest.mark.parametrize("n", [500, 3000])
def test_a_cache_smaller_than_a_row(n):
    rng = np.random.default_rng(0)
    points = rng.standard_normal((n, 4))
    labels = (points[:, 0] + 0.3 * rng.standard_normal(n) > 0).astype(int)
    tiny, large = (fitted(SVC(C=0.5, cache_size=size), points, labels) for size in (0.01, 500))
    gram = gram_of("rbf", points)
    for model in (tiny, large):
        assert check_fit(model, gram, labels).status is Status.CONVERGED
    np.testing.assert_allclose(tiny.solution_.objective, large.solution_.objective, rtol=1e-9)
    np.testing.assert_allclose(tiny.decision_function(points), large.decision_function(points), atol=1e-5)


def test_a_tiny_cache_in_regression_and_many_classes():
    tiny, large = (fitted(SVR(gamma=0.2, cache_size=size), X, Y) for size in (0.001, 500))
    np.testing.assert_allclose(tiny.predict(X), large.predict(X), atol=1e-6)
    labels = np.digitize(X[:, 0], [-0.5, 0.5])
    tiny, large = (fitted(SVC(gamma=0.2, cache_size=size), X, labels) for size in (0.001, 500))
    np.testing.assert_allclose(tiny.decision_function(X), large.decision_function(X), atol=1e-6)
