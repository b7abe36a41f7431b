"""Against LIBSVM at the tolerance 1e-10: objectives not worse by 1e-7, decision values to 1e-5.

LIBSVM gets the Gram matrix, so that conventions of kernels do not matter; mercer gets the samples. Values are compared
at C ≤ 1 only, because LIBSVM keeps its rows in float32. The sigmoid kernel, with many stationary points, is left out.
"""

from itertools import product

import numpy as np
import pytest

from mercer.svm import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM
from tests.svm import oracles
from tests.svm.oracles import KERNELS, coefficients, data, grams, hulls_may_meet, libsvm, machines

CASES = pytest.mark.parametrize(("name", "kernel"), list(product(oracles.MAKERS, ["linear", "poly", "rbf"])))
CYCLES = {("digits", "linear"), ("grid", "poly")}  # where LIBSVM creeps to its limit of steps if C ≥ 1


def not_worse(problem, beta, other):
    """The objective at β is at most the other one, up to 1e-7 of it and a violation of 1e-9 of the kernel's size."""
    ours, theirs = problem.objective(beta), problem.objective(other)
    return ours - theirs <= 1e-7 * abs(theirs) + 1e-9 * np.abs(beta).sum() * np.sqrt(np.diag(problem.K).max())


def chosen(model, labels, values):
    """The first, the middle and the last machine, with their decision values on the test samples."""
    every = list(zip(machines(model, labels), values.reshape(len(values), -1).T, strict=True))
    return [every[k] for k in sorted({0, len(every) // 2, len(every) - 1})]


def split(name):
    d = data(name)
    return d.X[: d.n], d.X[d.n :], d.labels[: d.n], d.target[: d.n]


@CASES
def test_svc(name, kernel):
    X, test, labels, _ = split(name)
    K, across = grams(name, kernel)
    for C in (0.1, 1.0, 100.0):
        if C >= 1 and (name, kernel) in CYCLES:
            continue
        model = SVC(C=C, decision_function_shape="ovo", **KERNELS[kernel]).fit(X, labels)
        for machine, values in chosen(model, labels, model.decision_function(test)):
            beta, b = libsvm(machine.block(K), machine.sign, f"-s 0 -c {C}")
            assert not_worse(oracles.svc(machine.block(K), machine.sign, C), machine.coef, beta), model
            if C <= 1:
                np.testing.assert_allclose(values, across[:, machine.members] @ beta + b, atol=1e-5)


@CASES
def test_nu_svc(name, kernel):
    """Coefficients are divided by r after Σα = νn, which makes it the C-SVC with C = 1/r."""
    X, test, labels, _ = split(name)
    K, across = grams(name, kernel)
    for share in (0.5, 0.7, 0.9):
        nu = data(name).feasible_nu(share)
        with hulls_may_meet():
            model = NuSVC(nu=nu, decision_function_shape="ovo", **KERNELS[kernel]).fit(X, labels)
        for machine, values in chosen(model, labels, model.decision_function(test)):
            if not machine.coef.any() or machine.width(nu) < 0.01 or (name, kernel) in CYCLES:  # hardly a margin
                continue
            r = machine.width(nu)
            beta, b = libsvm(machine.block(K), machine.sign, f"-s 1 -n {nu}")
            other = nu * len(beta) / (machine.sign @ beta) * beta
            assert not_worse(oracles.nu_svc(machine.block(K), machine.sign, nu), r * machine.coef, other), model
            if r >= 1:
                np.testing.assert_allclose(values, across[:, machine.members] @ beta + b, atol=1e-5)
                same = SVC(C=1 / r, gamma=_gamma(X), **KERNELS[kernel]).fit(X[machine.members], machine.sign)
                np.testing.assert_allclose(same.decision_function(test), values, atol=1e-6)


def _gamma(X):
    return 1 / (X.shape[1] * X.var())


@CASES
def test_svr(name, kernel):
    X, test, _, y = split(name)
    K, across = grams(name, kernel)
    for C in (0.1, 1.0, 10.0):
        if C >= 1 and (name, kernel) in CYCLES:
            continue
        model = SVR(C=C, epsilon=0.1, **KERNELS[kernel]).fit(X, y)
        beta, b = libsvm(K, y, f"-s 3 -c {C} -p 0.1")
        assert not_worse(oracles.svr(K, y, C, 0.1), coefficients(model, len(y)), beta), model
        if C <= 1:
            np.testing.assert_allclose(model.predict(test), across @ beta + b, atol=1e-5)


@CASES
def test_nu_svr(name, kernel):
    X, test, _, y = split(name)
    K, across = grams(name, kernel)
    for C in (0.1, 1.0, 10.0):
        if C >= 1 and (name, kernel) in CYCLES:
            continue
        model = NuSVR(C=C, nu=0.4, **KERNELS[kernel]).fit(X, y)
        beta, b = libsvm(K, y, f"-s 4 -c {C} -n 0.4")
        assert not_worse(oracles.svr(K, y, C, 0.0), coefficients(model, len(y)), beta), model
        if C <= 1:
            np.testing.assert_allclose(model.predict(test), across @ beta + b, atol=1e-5)


@pytest.mark.parametrize(("name", "kernel"), list(product(oracles.MAKERS, ["poly", "rbf"])))
def test_one_class(name, kernel):
    """Without the linear kernel: around centred data its optimum is w = 0."""
    X, test, _, y = split(name)
    K, across = grams(name, kernel)
    for nu in (0.1, 0.5, 0.9):
        model = OneClassSVM(nu=nu, **KERNELS[kernel]).fit(X)
        beta, b = libsvm(K, y, f"-s 2 -n {nu}")
        assert not_worse(oracles.one_class(K, nu), coefficients(model, len(y)), beta), model
        # Coefficients sum to νn here, to 1 in the textbooks: the scale of f is that of K νn.
        np.testing.assert_allclose(model.decision_function(test), across @ beta + b, atol=1e-5, rtol=1e-6)


@pytest.mark.parametrize("name", oracles.MAKERS)
def test_svdd_bounds_the_region_of_one_class(name):
    """For constant k(x, x) both are the same problem, with coefficients νn times smaller."""
    X, test, _, y = split(name)
    K, across = grams(name, "rbf")
    for nu in (0.1, 0.5, 0.9):
        model = SVDD(nu=nu).fit(X)
        beta, b = libsvm(K, y, f"-s 2 -n {nu}")
        scale = nu * len(y)
        np.testing.assert_allclose(model.decision_function(test), 2 * (across @ beta + b) / scale, atol=1e-5)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("make", [SVC, NuSVC, SVR, NuSVR, OneClassSVM])
def test_precomputed_is_the_kernel(make, kernel):
    X, test, labels, y = split("wine")
    K, across = grams("wine", kernel)
    regresses = make in (SVR, NuSVR)
    method = "predict" if regresses else "decision_function"
    target = y if regresses else labels
    by_kernel = getattr(make(**KERNELS[kernel]).fit(X, target), method)(test)
    by_matrix = getattr(make(kernel="precomputed").fit(K, target), method)(across)
    np.testing.assert_allclose(by_matrix, by_kernel, atol=1e-8)
