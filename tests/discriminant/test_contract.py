"""scikit-learn's own contract: vectors and Gram matrices, no expected failures."""

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer.discriminant import KernelDiscriminantAnalysis
from tests.contracts.precomputed import parametrize_with_checks_of_precomputed


@parametrize_with_checks([KernelDiscriminantAnalysis()])
def test_scikit_learn_check(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


@parametrize_with_checks_of_precomputed(KernelDiscriminantAnalysis(kernel="precomputed"))
def test_scikit_learn_check_of_precomputed(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)
