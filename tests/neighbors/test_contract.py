"""scikit-learn's own contract, for vectors and for Gram matrices."""

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer.neighbors import KernelKNeighborsClassifier, KernelKNeighborsRegressor

ESTIMATORS = [
    *(KernelKNeighborsClassifier(kernel=kernel) for kernel in ("rbf", "precomputed")),
    *(KernelKNeighborsRegressor(kernel=kernel) for kernel in ("rbf", "precomputed")),
    KernelKNeighborsClassifier(weights="distance"),
    KernelKNeighborsRegressor(kernel="linear", weights="distance"),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)
