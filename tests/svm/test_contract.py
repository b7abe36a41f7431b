"""scikit-learn's own contract, for every machine: vectors, and Gram matrices where they make sense."""

from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer.svm import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM

ESTIMATORS = [
    *(machine(kernel=kernel) for machine in (SVC, NuSVC, SVR, NuSVR, OneClassSVM) for kernel in ("rbf", "precomputed")),
    SVC(multi_class="ovr"),
    SVC(multi_class="ovr", kernel="precomputed"),
    SVDD(),
]


def expected_failures(estimator: BaseEstimator) -> dict[str, str]:
    if isinstance(estimator, NuSVC):
        return {"check_class_weight_classifiers": "weights of 1000 and 1e-4 for the classes leave no feasible nu"}
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)
