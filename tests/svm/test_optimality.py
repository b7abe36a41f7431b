"""The conditions of optimality of every machine, computed anew in float64 from what the estimator shows."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.multiclass import OneVsRestClassifier

from mercer.solvers import Status
from mercer.svm import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM
from tests.svm import oracles
from tests.svm.oracles import KERNELS, coefficients, data, dense_qp, grams, hulls_may_meet, kernel_matrix, machines

pytestmark = pytest.mark.filterwarnings("ignore::mercer.exceptions.IndefiniteKernelWarning")  # "sigmoid"

# Dense fits stop at their tolerance, so that it is tested; sparse ones are as users have them, polished.
DENSE = {"tol": 1e-5, "polish": False}
FORMS = {"dense": (np.array, DENSE), "csr": (sp.csr_array, {})}
CASES = pytest.mark.parametrize(("name", "kernel", "form"), list(product(oracles.MAKERS, KERNELS, FORMS)))


def check(model, problem, beta, bias, part=None):
    """Feasible, optimal to tol with and without the intercept, and certified as what it is."""
    part = model.solution_ if part is None else part
    rounding = 1e-12 * problem.scale(beta)
    found = problem.violation(beta)
    assert problem.infeasibility(beta) <= 1e-12, model
    assert found <= model.tol, model
    assert problem.violation_at(beta, bias) <= model.tol, model
    assert part.violation == pytest.approx(found, abs=rounding), model
    assert part.objective == pytest.approx(problem.objective(beta), abs=rounding * np.abs(beta).sum()), model
    definite = model.kernel != "sigmoid"
    assert part.status in ((Status.CONVERGED,) if definite else (Status.CONVERGED, Status.NOT_PSD)), model
    assert model.fit_status_ == 0, model


def no_margin(problem):
    """Whether the reduced hulls of a ν-SVC meet: its optimum is zero up to rounding."""
    best, _ = dense_qp(problem)
    return problem.objective(best) <= 1e-10 * problem.K.max() * np.abs(best).sum() ** 2


def training(name, form):
    d = data(name)
    make, settings = FORMS[form]
    return make(d.X[: d.n]), d.labels[: d.n], d.target[: d.n], settings


def parts(solution):
    return solution.machines or (solution,)


@CASES
def test_svc(name, kernel, form):
    X, labels, _, settings = training(name, form)
    for C in (0.1, 1.0, 100.0):
        model = SVC(C=C, **KERNELS[kernel], **settings).fit(X, labels)
        for machine, part in zip(machines(model, labels), parts(model.solution_), strict=True):
            problem = oracles.svc(machine.block(grams(name, kernel)[0]), machine.sign, C)
            check(model, problem, machine.coef, machine.intercept, part)


@CASES
def test_nu_svc(name, kernel, form):
    X, labels, _, settings = training(name, form)
    for share in (0.5, 0.7, 0.9):
        nu = data(name).feasible_nu(share)
        with hulls_may_meet():
            model = NuSVC(nu=nu, **KERNELS[kernel], **settings).fit(X, labels)
        for machine, part in zip(machines(model, labels), parts(model.solution_), strict=True):
            problem = oracles.nu_svc(machine.block(grams(name, kernel)[0]), machine.sign, nu)
            if machine.coef.any():
                r, b = machine.width(nu), machine.intercept
                check(model, problem, r * machine.coef, [r * (b - 1), r * (b + 1)], part)
            elif kernel != "sigmoid":
                assert no_margin(problem), model


@CASES
def test_svr(name, kernel, form):
    X, _, y, settings = training(name, form)
    for C in (0.1, 1.0, 10.0):
        model = SVR(C=C, epsilon=0.1, **KERNELS[kernel], **settings).fit(X, y)
        problem = oracles.svr(grams(name, kernel)[0], y, C, 0.1)
        check(model, problem, coefficients(model, len(y)), model.intercept_)


@CASES
def test_nu_svr(name, kernel, form):
    """ε-SVR at the ε found, with Σ|β| = Cνn wherever ε > 0."""
    X, _, y, settings = training(name, form)
    nu, n = 0.4, len(y)
    for C in (0.1, 1.0, 10.0):
        model = NuSVR(C=C, nu=nu, **KERNELS[kernel], **settings).fit(X, y)
        beta, epsilon = coefficients(model, n), model.epsilon_
        problem = oracles.svr(grams(name, kernel)[0], y, C, max(epsilon, 0.0))
        assert problem.infeasibility(beta) <= 1e-12, model
        assert problem.violation_at(beta, model.intercept_) <= 2 * model.tol, model
        spent, budget = np.abs(beta).sum(), C * nu * n
        assert spent <= budget * (1 + 1e-12), model
        assert epsilon * (budget - spent) <= model.tol * budget, model
        if kernel != "sigmoid":
            assert epsilon >= -model.tol, model
            assert model.solution_.status is Status.CONVERGED, model


@CASES
@pytest.mark.parametrize(("make", "state"), [(OneClassSVM, oracles.one_class), (SVDD, oracles.svdd)])
def test_detectors(make, state, name, kernel, form):
    X, _, _, settings = training(name, form)
    for nu in (0.1, 0.5, 0.9):
        model = make(nu=nu, **KERNELS[kernel], **settings).fit(X)
        check(model, state(grams(name, kernel)[0], nu), coefficients(model, X.shape[0]), model.intercept_)


# ---- polish


@pytest.mark.parametrize("name", oracles.MAKERS)
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_polish_solves_the_conditions_to_rounding(name, kernel):
    d = data(name)
    X, y, labels = d.X[: d.n], d.target[: d.n], d.labels[: d.n]
    models = [SVC(C=10.0), SVR(C=10.0), NuSVC(nu=d.feasible_nu(0.9)), NuSVR(C=10.0), OneClassSVM(), SVDD()]
    for model in models:
        model.set_params(polish=True, **KERNELS[kernel])
        with hulls_may_meet():
            model.fit(X, y if isinstance(model, SVR | NuSVR) else labels)
        assert model.solution_.violation <= 1e-9, model
    K = grams(name, kernel)[0]
    for machine in machines(models[0], labels):
        assert oracles.svc(machine.block(K), machine.sign, 10.0).violation(machine.coef) <= 1e-9


# ---- many classes


@pytest.mark.parametrize("name", ["iris", "wine", "digits", "blobs"])
@pytest.mark.parametrize("make", [lambda **p: SVC(C=3.0, **p), lambda **p: NuSVC(nu=0.2, **p)], ids=["SVC", "NuSVC"])
def test_one_vs_one_is_its_pairs(name, make):
    d = data(name)
    X, labels, test = d.X[: d.n], d.labels[: d.n], d.X[d.n :]
    values = make(gamma=0.1, decision_function_shape="ovo").fit(X, labels).decision_function(test)
    classes = np.unique(labels)
    pairs = [(a, b) for i, a in enumerate(classes) for b in classes[i + 1 :]]
    assert values.shape == (len(test), len(pairs))
    for column, pair in zip(values.T, pairs, strict=True):
        members = np.isin(labels, pair)
        alone = make(gamma=0.1).fit(X[members], labels[members])
        np.testing.assert_allclose(column, -alone.decision_function(test), atol=1e-7)


@pytest.mark.parametrize("name", ["iris", "wine", "digits", "blobs"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_one_vs_rest_is_its_binary_machines(name, kernel):
    d = data(name)
    X, labels, test = d.X[: d.n], d.labels[: d.n], d.X[d.n :]
    model = SVC(C=3.0, kernel=kernel, multi_class="ovr").fit(X, labels)
    rivals = OneVsRestClassifier(SVC(C=3.0, kernel=kernel)).fit(X, labels)
    np.testing.assert_allclose(model.decision_function(test), rivals.decision_function(test), atol=1e-7)
    np.testing.assert_array_equal(model.predict(test), rivals.predict(test))
    for machine, part in zip(machines(model, labels), model.solution_.machines, strict=True):
        check(model, oracles.svc(grams(name, kernel)[0], machine.sign, 3.0), machine.coef, machine.intercept, part)


# ---- weights of classes and samples enter the bounds


def test_weighted_bounds(rng):
    d = data("moons")
    X, labels = d.X[: d.n], d.labels[: d.n]
    weight = rng.uniform(0.1, 3.0, len(X))
    model = SVC(C=2.0, class_weight={0: 0.5, 1: 4.0}, gamma=1.0, **DENSE).fit(X, labels, sample_weight=weight)
    (machine,) = machines(model, labels)
    bound = 2.0 * weight * np.where(labels == 1, 4.0, 0.5)
    problem = oracles.svc(kernel_matrix(X, kernel="rbf", gamma=1.0), machine.sign, bound)
    check(model, problem, machine.coef, machine.intercept)


# ---- float32


@pytest.mark.parametrize("name", ["wine", "moons", "text"])
def test_float32_samples_are_their_numbers(name):
    d = data(name)
    X = (d.X / 3).astype(np.float32)  # numbers that float32 rounds
    single = SVC(kernel="rbf").fit(X[: d.n], d.labels[: d.n])
    double = SVC(kernel="rbf").fit(X[: d.n].astype(np.float64), d.labels[: d.n])
    np.testing.assert_array_equal(single.support_, double.support_)
    np.testing.assert_allclose(
        single.decision_function(X[d.n :]), double.decision_function(X[d.n :].astype(np.float64)), rtol=0, atol=1e-9
    )


LARGE = 2400  # more samples than the size up to which rows are float64


def check_large(model, X, labels, bound, **kernel):
    (machine,) = machines(model, labels)
    check(model, oracles.svc(kernel_matrix(X, **kernel), machine.sign, bound), machine.coef, machine.intercept)


@pytest.mark.parametrize("form", FORMS)
def test_end_game_with_large_C_and_wide_scales(rng, form):
    """Coefficients of 1e4 times rows rounded to 1e-7 leave errors of 1e-3 · √n in the gradient; tol is 1e-6."""
    X = rng.standard_normal((LARGE, 6))
    labels = (X.sum(axis=1) + 0.7 * rng.standard_normal(LARGE) > 0).astype(int)
    X *= np.logspace(-2, 2, 6)
    model = SVC(C=1e4, tol=1e-6, polish=False).fit(FORMS[form][0](X), labels)
    check_large(model, X, labels, 1e4, kernel="rbf")


@pytest.mark.parametrize("tol", [1e-2, 1e-6])
@pytest.mark.parametrize("spread", ["normal", "uniform"])
def test_no_cycling_on_one_feature_and_a_steep_polynomial(rng, spread, tol):
    """The shape of https://github.com/cjlin1/libsvm/issues/225: a pair of rounded rows took turns for ever."""
    X = rng.standard_normal((LARGE, 1)) if spread == "normal" else rng.uniform(-1, 1, (LARGE, 1))
    labels = (np.abs(X[:, 0]) + 0.5 * rng.standard_normal(LARGE) > 0.7).astype(int)
    weight = {0: 1.05, 1: 0.96}
    kernel = {"kernel": "poly", "degree": 4, "gamma": 0.96}
    model = SVC(C=100.0, tol=tol, class_weight=weight, polish=False, max_iter=10**7, **kernel).fit(X, labels)
    check_large(model, X, labels, 100.0 * np.where(labels == 1, weight[1], weight[0]), **kernel)
