"""Weights of kernels against exact references: grids, quadratic programmes, closed forms."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from mercer.kernels import RBF, Columns, Linear, Overlap, Sigmoid, Sum
from mercer.model_selection import alignment_weights, centered_alignment
from mercer.multiple_kernel import MKLClassifier, MKLRegressor
from mercer.operators import gram
from mercer.ridge import KernelRidge
from mercer.svm import SVC


def scaled(data, n=None):
    X, y = data(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(X))[:n]
    return StandardScaler().fit_transform(X[rows]), y[rows]


X2, Y2 = scaled(load_breast_cancer, 120)
X3, Y3 = scaled(load_wine)
XR, YR = scaled(load_diabetes, 150)
PAIR = [Columns([0, 1, 2], RBF(gamma=0.3)), Columns([3, 7], RBF(gamma=0.5))]


def normed(K):
    return K * len(K) / np.trace(K)


def objective(kernels, d, X, y, C=1.0):
    K = sum(w * normed(k(X)) for w, k in zip(d, kernels, strict=True))
    return -SVC(kernel="precomputed", C=C, tol=1e-8).fit(K, y).solution_.objective


@pytest.mark.parametrize("data", [(X2, Y2), (X3, Y3)], ids=["two", "three"])
def test_one_kernel_is_the_plain_machine(data):
    X, y = data
    model = MKLClassifier([RBF(gamma=0.1)], C=3.0, normalize=None, tol=1e-6).fit(X, y)
    plain = SVC(kernel=RBF(gamma=0.1), C=3.0, tol=1e-7).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-5)
    assert model.weights_.tolist() == [1.0]
    assert model.kernel_ == RBF(gamma=0.1)


@pytest.mark.parametrize("Y", [YR, np.column_stack([YR, XR[:, 0]])], ids=["one target", "two targets"])
def test_one_kernel_is_plain_ridge(Y):
    model = MKLRegressor([RBF(gamma=0.1)], alpha=0.3, normalize=None).fit(XR, Y)
    plain = KernelRidge(kernel=RBF(gamma=0.1), alpha=0.3, fit_intercept=True).fit(XR, Y)
    np.testing.assert_allclose(model.predict(XR), plain.predict(XR), rtol=1e-9)
    np.testing.assert_allclose(model.estimator_.dual_coef_, plain.dual_coef_, rtol=1e-6, atol=1e-8)
    assert model.weights_.tolist() == [1.0]


def test_the_optimum_of_two_kernels_is_that_of_a_grid():
    model = MKLClassifier(PAIR, C=2.0, tol=1e-6).fit(X2, Y2)
    grid = [objective(PAIR, (t, 1 - t), X2, Y2, C=2.0) for t in np.linspace(0, 1, 101)]
    assert model.solution_.objective <= min(grid) * (1 + 1e-6)
    assert model.solution_.objective >= min(grid) * (1 - 1e-3)
    assert 0.01 < model.weights_[0] < 0.99


@pytest.mark.parametrize("kernels", [PAIR, [*PAIR, Linear(), RBF(gamma=0.01)]], ids=["two kernels", "four kernels"])
@pytest.mark.parametrize("C", [0.3, 5.0])
def test_the_quadratically_constrained_programme(kernels, C):
    X, y = X2[:30], Y2[:30]
    sign = np.where(y == y.max(), 1.0, -1.0)
    grams = [normed(k(X)) for k in kernels]

    def value(z):
        return 0.5 * z[-1] - z[:-1].sum()

    limits = [{"type": "eq", "fun": lambda z: sign @ z[:-1]}]
    limits += [{"type": "ineq", "fun": lambda z, K=K: z[-1] - (sign * z[:-1]) @ K @ (sign * z[:-1])} for K in grams]
    start = np.append(np.full(30, 1e-3), 1.0)
    found = minimize(
        value, start, constraints=limits, bounds=[(0, C)] * 30 + [(0, None)], options={"maxiter": 500, "ftol": 1e-12}
    )
    model = MKLClassifier(kernels, C=C, tol=1e-6).fit(X, y)
    assert model.solution_.objective == pytest.approx(-found.fun, rel=1e-4)


MANY = [RBF(gamma=g) for g in (0.001, 0.01, 0.1, 1.0)] + [Columns([j], RBF()) for j in range(6)]
NORMS = [1.0, 1.2, 2.0, 4.0, np.inf]
TASKS = {
    "two classes": (MKLClassifier(MANY, C=10.0), X2, Y2),
    "three classes": (MKLClassifier(MANY, C=10.0), X3, Y3),
    "one target": (MKLRegressor(MANY, alpha=0.3), XR, YR),
    "three targets": (MKLRegressor(MANY, alpha=0.3), XR, np.column_stack([YR, XR[:, 0] * XR[:, 1], np.sin(XR[:, 2])])),
}


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("task", TASKS)
def test_gaps_of_all_norms(task, p):
    model, X, y = TASKS[task]
    model = clone(model).set_params(p=p).fit(X, y)
    assert model.solution_.converged
    assert 0 <= model.solution_.relative_gap < 1e-3
    assert np.linalg.norm(model.weights_, p) == pytest.approx(1.0)
    upper, lower = model.history_.T
    assert (np.diff(upper) <= 0).all()
    assert (np.diff(lower) >= 0).all()
    assert len(upper) == model.n_iter_


OTHERS = [(task, method) for task in TASKS for method in ("easymkl", "alignf", "align", "uniform")]


@pytest.mark.parametrize(("task", "method"), [(t, m) for t, m in OTHERS if m != "easymkl" or "classes" in t])
def test_gaps_of_other_methods(task, method):
    model, X, y = TASKS[task]
    model = clone(model).set_params(method=method).fit(X, y)
    for solution in (model.solution_, model.estimator_.solution_):
        assert solution.converged
        assert abs(solution.gap) <= 1e-3 * abs(solution.objective)
    assert model.weights_.sum() == pytest.approx(1.0)
    assert (model.weights_ >= 0).all()
    assert model.history_.shape == (0, 2)


@pytest.mark.parametrize("task", TASKS)
def test_the_certificate_holds_against_a_better_solution(task):
    model, X, y = TASKS[task]
    rough = clone(model).set_params(tol=1e-2).fit(X, y).solution_
    exact = clone(model).set_params(tol=1e-7).fit(X, y).solution_
    assert rough.objective - rough.gap <= exact.objective * (1 + 1e-9)
    assert exact.objective <= rough.objective * (1 + 1e-7)


# ---- copies, noise, scale


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_a_copy_shares_the_weight(p):
    single = MKLClassifier(PAIR, p=p, tol=1e-7, max_iter=1000).fit(X2, Y2)
    double = MKLClassifier([*PAIR, PAIR[0]], p=p, tol=1e-7, max_iter=1000).fit(X2, Y2)
    if p == 1:
        assert double.weights_[[0, 2]].sum() == pytest.approx(single.weights_[0], abs=1e-3)
        assert double.solution_.objective == pytest.approx(single.solution_.objective, rel=1e-6)
        np.testing.assert_allclose(double.decision_function(X2), single.decision_function(X2), atol=1e-2)
    else:  # the copies are equal, and a ball with one more dimension is larger
        assert double.weights_[0] == pytest.approx(double.weights_[2], rel=1e-9)
        assert double.solution_.objective < single.solution_.objective


def forms(model, kernels, X):
    """cᵀK_m c of the machine."""
    c = np.zeros(len(X))
    c[model.estimator_.support_] = model.estimator_.dual_coef_[0]
    return np.array([c @ normed(k(X)) @ c for k in kernels])


def test_weights_are_complementary_to_the_forms():
    kernels = [*PAIR, *(Columns([j], RBF()) for j in range(10, 20))]
    model = MKLClassifier(kernels, tol=1e-7).fit(X2, Y2)
    q = forms(model, kernels, X2)
    # At the optimum q_m = max q wherever d_m > 0; the gap is half of Σ d_m (max q − q_m) plus that of the machine.
    assert model.weights_ @ (q.max() - q) <= 20 * 1e-7 * model.solution_.objective
    assert (model.weights_ < 1e-6).any()
    assert (model.weights_ > 0.05).sum() > 1
    np.testing.assert_allclose(q[model.weights_ > 0.05], q.max(), rtol=1e-4)


def test_noise_gets_no_weight_where_a_kernel_explains_the_classes():
    rng = np.random.default_rng(0)
    X = np.hstack([Y2[:, None] + 0.1 * rng.normal(size=(len(Y2), 1)), rng.normal(size=(len(Y2), 3))])
    kernels = [Columns([0], RBF(gamma=1.0)), *(Columns([j], RBF(gamma=1.0)) for j in (1, 2, 3))]
    model = MKLClassifier(kernels, tol=1e-6).fit(X, Y2)
    q = forms(model, kernels, X)
    assert (q[1:] < 0.95 * q[0]).all()
    assert (model.weights_[1:] <= 20 * 1e-6 * model.solution_.objective / (q.max() - q[1:])).all()
    assert model.weights_[0] > 1 - 1e-4


@pytest.mark.parametrize("method", ["lp", "easymkl", "uniform"])
def test_scaled_kernels_change_nothing(method):
    plain = MKLClassifier(PAIR, method=method, tol=1e-5).fit(X2, Y2)
    rescaled = MKLClassifier([1e6 * PAIR[0], 1e-6 * PAIR[1]], method=method, tol=1e-5).fit(X2, Y2)
    np.testing.assert_allclose(rescaled.weights_, plain.weights_, rtol=1e-6)
    np.testing.assert_allclose(rescaled.decision_function(X2), plain.decision_function(X2), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(rescaled.scale_ * [1e6, 1e-6], plain.scale_)


# ---- EasyMKL and alignment


def test_easymkl_against_its_quadratic_programme():
    X, y = X2[:40], Y2[:40]
    sign = np.where(y == y.max(), 1.0, -1.0)
    grams = [normed(k(X)) for k in PAIR]
    reg = 0.3

    def value(g):
        v = sign * g
        return (1 - reg) * v @ sum(grams) @ v + reg * g @ g

    limits = [{"type": "eq", "fun": lambda g, s=s: g[sign == s].sum() - 1} for s in (1.0, -1.0)]
    start = np.where(sign > 0, 1 / (sign > 0).sum(), 1 / (sign < 0).sum())
    found = minimize(value, start, constraints=limits, bounds=[(0, 1)] * 40, options={"maxiter": 1000, "ftol": 1e-14})
    forms = np.array([(sign * found.x) @ K @ (sign * found.x) for K in grams])
    model = MKLClassifier(PAIR, method="easymkl", reg=reg, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(model.weights_, forms / forms.sum(), atol=1e-4)


def test_alignment_is_that_of_model_selection():
    model = MKLClassifier(PAIR, method="alignf", normalize=None).fit(X3, Y3)
    np.testing.assert_allclose(model.weights_, alignment_weights(PAIR, X3, Y3), rtol=1e-9)


@pytest.mark.parametrize("normalize", ["trace", None])
def test_alignf_of_two_kernels_is_its_closed_form(normalize):
    H = np.eye(len(X2)) - 1 / len(X2)
    sign = np.where(Y2 == 1, 1.0, -1.0)
    for kernels in (PAIR, [PAIR[0], Columns([10], RBF(gamma=0.01))]):
        grams = [H @ (normed(k(X2)) if normalize else k(X2)) @ H for k in kernels]
        M = np.array([[np.vdot(A, B) for A in grams] for B in grams])
        a = np.array([sign @ A @ sign for A in grams])
        v = np.linalg.solve(M, a)
        if v.min() < 0:  # on the border of the quadrant: the better single kernel
            v = np.eye(2)[np.argmax(a / np.sqrt(M.diagonal()))]
        model = MKLClassifier(kernels, method="alignf", normalize=normalize).fit(X2, Y2)
        np.testing.assert_allclose(model.weights_, v / v.sum(), atol=1e-9)


def test_align_weights_are_alignments():
    model = MKLClassifier(PAIR, method="align").fit(X3, Y3)
    each = np.array([centered_alignment(k, X3, Y3) for k in PAIR])
    H = np.eye(len(X3)) - 1 / len(X3)
    norms = np.array([np.linalg.norm(H @ normed(k(X3)) @ H) for k in PAIR])
    np.testing.assert_allclose(model.weights_, each / norms / (each / norms).sum(), rtol=1e-9)


# ---- regression


def test_ridge_against_a_grid():
    kernels = [Columns([2, 3], RBF(gamma=0.3)), Columns([8], RBF(gamma=0.5))]
    model = MKLRegressor(kernels, alpha=0.5, tol=1e-7).fit(XR, YR)

    def risk(t):
        K = t * normed(kernels[0](XR)) + (1 - t) * normed(kernels[1](XR))
        return -KernelRidge(alpha=0.5, kernel="precomputed", fit_intercept=True).fit(K, YR).solution_.objective

    grid = [risk(t) for t in np.linspace(0, 1, 31)]
    assert min(grid) * (1 - 1e-3) <= model.solution_.objective <= min(grid) * (1 + 1e-7)


def test_ridge_of_two_targets_against_a_grid():
    Y = np.column_stack([YR / YR.std(), XR[:, 8]])
    kernels = [Columns([2, 3], RBF(gamma=0.3)), Columns([8], RBF(gamma=0.5))]
    model = MKLRegressor(kernels, alpha=0.5, tol=1e-7).fit(XR, Y)

    def risk(t):
        K = t * normed(kernels[0](XR)) + (1 - t) * normed(kernels[1](XR))
        fits = (KernelRidge(alpha=0.5, kernel="precomputed", fit_intercept=True).fit(K, y) for y in Y.T)
        return -sum(fit.solution_.objective for fit in fits)

    grid = [risk(t) for t in np.linspace(0, 1, 31)]
    assert min(grid) * (1 - 1e-3) <= model.solution_.objective <= min(grid) * (1 + 1e-7)


# ---- weights of samples


COUNTS = np.random.default_rng(1).integers(0, 3, len(X2))


@pytest.mark.parametrize("normalize", ["trace", None])
@pytest.mark.parametrize("method", ["lp", "easymkl", "alignf", "align"])
@pytest.mark.parametrize("data", [(X2, Y2), (X3[:120], Y3[:120])], ids=["two", "three"])
def test_weights_of_classified_samples_are_repetitions(data, method, normalize):
    X, y = data
    model = MKLClassifier(PAIR, method=method, normalize=normalize, tol=1e-7)
    weighted = clone(model).fit(X, y, sample_weight=COUNTS)
    repeated = clone(model).fit(np.repeat(X, COUNTS, 0), np.repeat(y, COUNTS))
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, atol=1e-3 if method == "lp" else 1e-6)
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-2)
    np.testing.assert_allclose(weighted.scale_, repeated.scale_)


@pytest.mark.parametrize("method", ["lp", "alignf", "align"])
def test_weights_of_targets_are_repetitions(method):
    Y = np.column_stack([YR, XR[:, 0] * XR[:, 1]])
    repeats = np.random.default_rng(1).integers(0, 3, len(Y))
    kernels = [Columns([0, 1], RBF(gamma=0.3)), Columns([2, 8], RBF(gamma=0.3))]
    model = MKLRegressor(kernels, method=method, tol=1e-8)
    weighted = clone(model).fit(XR, Y, sample_weight=repeats)
    repeated = clone(model).fit(np.repeat(XR, repeats, 0), np.repeat(Y, repeats, 0))
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, atol=1e-4)
    np.testing.assert_allclose(weighted.predict(XR), repeated.predict(XR), rtol=1e-3, atol=1e-1)


# ---- what is left behind


@pytest.mark.parametrize("model", [MKLClassifier, MKLRegressor])
def test_the_learned_kernel_serves_elsewhere(model):
    y = Y2 if model is MKLClassifier else X2[:, 0]
    fitted = model(PAIR).fit(X2, y)
    direct = (
        SVC(kernel=fitted.kernel_, tol=1e-4)
        if model is MKLClassifier
        else KernelRidge(kernel=fitted.kernel_, fit_intercept=True)
    ).fit(X2, y)
    np.testing.assert_allclose(fitted.predict(X2), direct.predict(X2), rtol=1e-6)
    matrices = np.stack([k(X2) for k in PAIR])
    precomputed = model("precomputed").fit(matrices, y)
    assert precomputed.kernel_ is None
    np.testing.assert_allclose(precomputed.weights_, fitted.weights_, atol=1e-6)
    np.testing.assert_allclose(precomputed.predict(matrices), fitted.predict(X2), rtol=1e-5, atol=1e-8)


def test_refusals():
    with pytest.raises(ValueError, match=r"kernels\[1\], .*sigmoid.*, is not positive semidefinite"):
        MKLClassifier([RBF(), Sigmoid()]).fit(X2, Y2)
    with pytest.raises(TypeError, match="kernels must be a list of kernels"):
        MKLClassifier([]).fit(X2, Y2)
    with pytest.raises(TypeError, match=r"kernels\[0\] must be a kernel or its text form, got 3"):
        MKLClassifier([3]).fit(X2, Y2)
    with pytest.raises(ValueError, match="method='easymkl' is for classification only"):
        MKLRegressor(PAIR, method="easymkl").fit(XR, YR)
    model = MKLClassifier("precomputed").fit(np.stack([k(X2) for k in PAIR]), Y2)
    with pytest.raises(ValueError, match="was fitted to 2 kernels, but X has 1 matrices"):
        model.predict([PAIR[0](X2)])


@pytest.mark.parametrize("seed", range(6))
def test_samples_that_become_active_do_not_stop_the_weights(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + 0.3 * X[:, 1] ** 2 > 0
    kernels = [Columns([j], RBF(gamma=0.3)) for j in range(3)] + [Linear(), RBF(gamma=5.0)]
    counts = np.bincount(rng.integers(0, 60, 60), minlength=60)
    model = MKLClassifier(kernels, C=float(10.0 ** rng.integers(-1, 4)), tol=1e-6).fit(X, y, sample_weight=counts)
    assert model.solution_.converged
    assert model.n_iter_ < 40


@pytest.mark.parametrize("seed", range(6))
def test_kernels_of_low_rank_whose_machines_have_many_solutions(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(60, 4)).astype(float)
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=60) > 2
    counts = np.bincount(rng.integers(0, 60, 60), minlength=60)
    kernels = [Columns([j], Overlap()) for j in range(4)]
    model = MKLClassifier(kernels, C=float(10.0 ** rng.integers(-1, 3)), tol=1e-5).fit(X, y, sample_weight=counts)
    assert model.solution_.converged


def test_without_second_derivatives_planes_and_the_closed_form_are_enough(monkeypatch):
    monkeypatch.setattr("mercer.solvers.kernel_weights._MOST_ACTIVE", 0)
    model, X, y = TASKS["two classes"]
    first = clone(model).set_params(tol=1e-4, max_iter=500).fit(X, y)
    monkeypatch.undo()
    assert first.solution_.converged
    assert first.solution_.objective == pytest.approx(
        clone(model).set_params(tol=1e-6).fit(X, y).solution_.objective, rel=1e-4
    )


def test_a_fit_that_stops_early_warns_with_its_gap():
    with pytest.warns(ConvergenceWarning, match=r"relative gap of \S+ after 1 iterations, more than tol=1e-07"):
        model = MKLClassifier(MANY, max_iter=1, tol=1e-7).fit(X2, Y2)
    assert not model.solution_.converged


def test_a_sum_is_a_list_of_its_terms():
    whole = MKLClassifier(Sum((RBF(gamma=0.1), Linear()))).fit(X2, Y2)
    listed = MKLClassifier(["rbf(gamma=0.1)", "linear"]).fit(X2, Y2)
    np.testing.assert_array_equal(whole.weights_, listed.weights_)
    assert gram(whole.kernel_, X2).shape == (120, 120)
