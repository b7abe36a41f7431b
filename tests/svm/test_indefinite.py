"""Kernels that are proved not to be positive semidefinite: one warning per fit, with advice."""

import warnings

import numpy as np
import pytest

from mercer.exceptions import IndefiniteKernelWarning
from mercer.kernels import RBF, NegativeChi2, Sigmoid
from mercer.preprocessing import KernelRepair
from mercer.solvers import Status
from mercer.svm import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM, c_path

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 3))
Y = (X[:, 0] + 0.1 * rng.standard_normal(60) > 0).astype(int)


@pytest.mark.parametrize("cls", [SVC, NuSVC, SVR, NuSVR, OneClassSVM, SVDD])
@pytest.mark.parametrize("kernel", ["sigmoid", Sigmoid(gamma=1.0, coef0=-1.0), -1 * RBF(gamma=0.5)])
def test_one_warning_names_kernel_proof_and_advice(cls, kernel):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cls(kernel=kernel, max_iter=1000).fit(X, Y)
    (found,) = [str(w.message) for w in caught if issubclass(w.category, IndefiniteKernelWarning)]
    assert found.startswith(f"{cls.__name__}: the kernel ")
    assert "is not positive semidefinite: " in found
    assert "KernelRepair" in found
    assert not [w for w in caught if "positive semidefinite" in str(w.message) and str(w.message) != found]


@pytest.mark.parametrize(
    "kernel", ["rbf", "linear", NegativeChi2(), Sigmoid(gamma=0.0, coef0=1.0), RBF() - 0.5 * RBF()]
)
def test_valid_conditional_and_unknown_kernels_do_not_warn(kernel):
    SVC(kernel=kernel).fit(np.abs(X), Y)


def test_a_gram_matrix_has_its_verdict_in_the_status():
    K = Sigmoid(gamma=1.0, coef0=-1.0)(X)
    assert SVC(kernel="precomputed").fit(K, Y).solution_.status is Status.NOT_PSD
    repaired = KernelRepair(method="clip").fit_transform(K)
    assert SVC(kernel="precomputed").fit(repaired, Y).solution_.status is Status.CONVERGED


def test_a_path_warns_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        c_path(SVC(kernel="sigmoid"), X, Y, C=[0.1, 1.0, 10.0])
    assert sum(issubclass(w.category, IndefiniteKernelWarning) for w in caught) == 1
