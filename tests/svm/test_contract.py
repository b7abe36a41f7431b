"""scikit-learn's own contract, for every machine: vectors, and Gram matrices where they make sense."""

from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer.svm import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM
from tests.contracts.precomputed import parametrize_with_checks_of_precomputed

ESTIMATORS = [
    *(machine(kernel=kernel) for machine in (SVC, SVR, NuSVR) for kernel in ("rbf", "precomputed")),
    *(NuSVC(nu=0.3, kernel=kernel) for kernel in ("rbf", "precomputed")),  # 0.5 is infeasible for small classes
    *(
        SVC(multi_class=multi_class, kernel=kernel)
        for multi_class in ("ovr", "crammer_singer")
        for kernel in ("rbf", "precomputed")
    ),
    OneClassSVM(),
    SVDD(),  # needs k(x, x) of new samples: no Gram matrix
]
# The data of some checks overlap, and NuSVC says so.
pytestmark = pytest.mark.filterwarnings("ignore:NuSVC.* there is no margin:sklearn.exceptions.ConvergenceWarning")


def expected_failures(estimator: BaseEstimator) -> dict[str, str]:
    if isinstance(estimator, NuSVC):
        return {"check_class_weight_classifiers": "weights of 1000 and 1e-4 for the classes leave no feasible nu"}
    if getattr(estimator, "multi_class", "") == "crammer_singer" and estimator.kernel == "precomputed":
        # Its Gram matrix is that of a linear kernel, and the machine has no intercept.
        return {
            "check_class_weight_classifiers": "no planes through the origin give all of a plane to one of 3 classes"
        }
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


@parametrize_with_checks_of_precomputed(OneClassSVM(kernel="precomputed"))
def test_scikit_learn_check_of_precomputed_one_class(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)
