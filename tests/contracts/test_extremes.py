"""No fit reports `converged` with numbers that are not finite, and no prediction returns any.

Every estimator at the limits of floating point numbers: parameters, features, targets and weights up to 1e300, constant
and identical samples, one to three of them, kernels that overflow, are indefinite or return NaN. Such a fit is finite,
or has a status that is not converged and a warning, or raises ValueError with a sentence.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mercer.kernels import Kernel, Linear, Polynomial, user
from mercer.neighbors import KernelKNeighborsClassifier
from mercer.ridge import KernelRidge, KernelRidgeCV
from mercer.solvers import Status
from mercer.svm import SVC
from tests.contracts.estimators import ESTIMATORS
from tests.contracts.extremes import KERNELS, POINTS, TARGET, Case, N, cases, faults

GRID = [*cases(every=False)]


def test_every_estimator_takes_part():
    assert {case.name for case in GRID} == set(ESTIMATORS) - {"TablePreparer"}  # which has no parameters and no numbers


@pytest.mark.parametrize("name", sorted({case.name for case in GRID}))
def test_extremes(name):
    found = {str(case): faults(case) for case in GRID if case.name == name}
    assert not {case: what for case, what in found.items() if what}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", sorted({case.name for case in GRID}))
def test_all_extremes(name):
    found = {str(case): faults(case) for case in cases(every=True) if case.name == name}
    assert not {case: what for case, what in found.items() if what}


# One case for each fault that was found: before, these fits or predictions returned NaN or infinity, most of them as
# converged, or ended with an error of NumPy.
FOUND = [
    Case("ClassicalMDS", data="1e149"),
    Case("Isomap", data="1e149"),
    Case("Isomap", {"kernel": KERNELS["poly, degree 50"]}),
    Case("KernelDiscriminantAnalysis", {"kernel": KERNELS["linear"], "loo": True}, "1e149", weight="1e300"),
    Case("KernelDiscriminantAnalysis", {"kernel": KERNELS["poly, gamma 1e100"]}, "new samples 1e100"),
    Case("KernelDiscriminantAnalysis", {"kernel": KERNELS["linear"], "penalty": "coefficients"}, "1e149"),
    Case("KernelKMeans", {"kernel": KERNELS["linear"]}, "1e149", weight="1e300"),
    Case("KernelKMeans", weight="1e300"),
    Case("KernelKMeans", {"approximation": 3, "kernel": KERNELS["linear"]}, "1e149", weight="0 and 1"),
    Case("KernelKNeighborsClassifier", {"kernel": KERNELS["poly, degree 50"]}),
    Case("KernelKNeighborsClassifier", {"radius": 1e300}),
    Case("KernelKNeighborsRegressor", {"kernel": KERNELS["poly, coef0 1e300"]}),
    Case("KernelKNeighborsRegressor", {"kernel": KERNELS["poly, degree 300"], "weights": "distance"}),
    Case("KernelLogisticRegression", {"alpha": 1e-300, "kernel": KERNELS["linear"]}, "one huge feature"),
    Case("KernelLogisticRegression", {"kernel": KERNELS["linear"]}, "1e149", weight="1e300 and 0"),
    Case("KernelPCA", data="1e149"),
    Case("KernelPCA", weight="1e300"),
    Case("KernelPCA", {"approximation": 3}, "1e70"),
    Case("KernelPerceptron", {"kernel": KERNELS["poly, degree 300"]}),
    Case("KernelRidge", target=1e160),
    Case("KernelRidge", {"solver": "cg", "kernel": KERNELS["linear"]}, "1e149"),
    Case("KernelRidge", {"kernel": KERNELS["poly, coef0 1e300"], "fit_intercept": True}),
    Case("KernelRidgeCV", target=1e300),
    Case("KernelRidgeClassifier", {"kernel": KERNELS["poly, degree 300"]}),
    Case("KernelRows", {"kernel": KERNELS["poly, degree 300"]}),
    Case("KernelSpectralClustering", {"kernel": "poly", "coef0": 1e150}),
    Case("LaplacianEigenmaps", {"affinity": "kernel", "kernel": "poly", "coef0": 1e150}),
    Case("MKLRegressor", {"approximation": 3}, target=1e160),
    Case("NuSVC", {"kernel": KERNELS["1e160 linear"]}),
    Case("NuSVR", {"kernel": KERNELS["poly, degree 300"]}),
    Case("OneClassSVM", weight="1e300"),
    Case("OneClassSVM", {"approximation": 3, "kernel": KERNELS["linear"]}, "1e149", weight="1e300 and 0"),
    Case("Perceptron", {"eta0": 1e300}, "1e70"),
    Case("Ridge", data="1e300"),
    Case("Ridge", weight="1e300"),
    Case("SVC", {"C": 1e300}),
    Case("SVC", {"kernel": KERNELS["poly, degree 300"]}),
    Case("SVDD", {"kernel": KERNELS["poly, degree 300"]}),
    Case("SVR", {"kernel": "poly", "gamma": 1e150}),
]


@pytest.mark.parametrize("case", FOUND, ids=str)
def test_a_fault_that_was_found(case):
    assert faults(case) == []


# ---- what the errors and warnings say

X, Z, LABEL = POINTS[:N], POINTS[N:], np.resize([0, 1], N)


def test_a_kernel_that_overflows_is_named_with_the_pair_and_the_parameters():
    kernel = Polynomial(degree=50, gamma=1e300)
    message = (
        r"SVC: the kernel poly\(degree=50, gamma=1e\+300\) gives infinity for samples 0 and 0; expected finite values. "
        r"Lower gamma=1e\+300 or degree=50, or rescale the features."
    )
    with pytest.raises(ValueError, match=message):
        SVC(kernel=kernel).fit(X, LABEL)


def test_a_function_that_returns_nan_is_named_with_the_pair():
    def wrong(a, b):
        return float("nan") if {a[0], b[0]} == {X[5, 0], X[2, 0]} else float(a @ b)

    with pytest.raises(ValueError, match=r"wrong>\): the function returned nan for samples 2 and 5"):
        KernelKNeighborsClassifier(3, kernel=user(wrong)).fit(X, LABEL).kneighbors()


@dataclass(frozen=True)
class Wrong(Kernel):
    """A kernel of a user's own class, NaN between two samples."""

    def pair(self, a, b):
        return float("nan") if {a[0], b[0]} == {X[5, 0], X[2, 0]} else float(a @ b)


@pytest.mark.parametrize("part", [Wrong(), 0.5 * Wrong() + 1])
@pytest.mark.parametrize("model", [SVC(), KernelRidge(solver="cg"), KernelKNeighborsClassifier(3)], ids=str)
def test_a_kernel_class_that_returns_nan_is_named_with_the_pair(model, part):
    message = rf"{type(model).__name__}: the kernel .*rong.* gives NaN for samples 2 and 5; expected finite values. "
    with pytest.raises(ValueError, match=message + "Correct the function"):
        model.set_params(kernel=part).fit(X, LABEL).predict(X if isinstance(model, SVC) else None)


def test_new_samples_whose_kernel_values_overflow_are_refused():
    model = KernelRidge(kernel=Polynomial(degree=3, gamma=1.0, coef0=1.0)).fit(X, TARGET)
    message = r"KernelRidge: the kernel poly.* gives -?infinity for sample 0 \(row\) and sample \d+ \(column\)"
    with pytest.raises(ValueError, match=message):
        model.predict(1e120 * Z)
    assert np.isfinite(model.predict(Z)).all()


def test_neighbours_of_new_samples_whose_kernel_values_overflow_are_refused():
    model = KernelKNeighborsClassifier(3, kernel=Polynomial(degree=3, gamma=1.0, coef0=1.0)).fit(X, LABEL)
    for method in (model.predict, model.predict_proba, model.kneighbors):
        with pytest.raises(ValueError, match="KernelKNeighborsClassifier: the kernel poly"):
            method(1e120 * Z)


def test_coefficients_that_overflow_raise_and_name_the_parameters():
    message = "KernelRidge: the fit overflows, dual_coef_ would contain .*alpha=1e-300.* rescale the data"
    with pytest.raises(ValueError, match=message):
        KernelRidge(alpha=1e-300, kernel=1e-300 * Linear()).fit(X, 1e20 * TARGET)


def test_steps_that_overflow_raise():
    with pytest.raises(ValueError, match=r"KernelRidge: the fit overflows \(steps of conjugate gradients"):
        KernelRidge(alpha=1e-300, kernel=1e-300 * Linear(), solver="cg").fit(X, 1e20 * TARGET)


def test_an_objective_that_overflows_is_a_warning():
    model = KernelRidge()
    with pytest.warns(Warning, match="KernelRidge: The objective or its conditions of optimality exceed the range"):
        model.fit(X, 1e200 * TARGET)
    assert model.solution_.status is Status.OVERFLOW
    assert not model.solution_.converged
    assert np.isfinite(model.predict(Z)).all()


def test_scores_that_overflow_are_a_warning():
    with (
        pytest.warns(ConvergenceWarning, match="nothing certifies the solution"),
        pytest.warns(UserWarning, match="no alpha has a finite score, so the first alpha, 0.1, is used"),
    ):
        KernelRidgeCV(cv=2).fit(X, 1e200 * TARGET)
