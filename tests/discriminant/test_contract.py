"""scikit-learn's own contract: vectors and Gram matrices, no expected failures."""

from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from mercer.discriminant import KernelDiscriminantAnalysis


@parametrize_with_checks([KernelDiscriminantAnalysis()])
def test_scikit_learn_check(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


def checks_of_precomputed() -> Any:
    """All but the one that passes points where a Gram matrix belongs, whatever the tags of the estimator say."""
    for estimator, check in estimator_checks_generator(KernelDiscriminantAnalysis(kernel="precomputed")):
        name = getattr(check, "func", check).__name__
        if name != "check_decision_proba_consistency":
            yield pytest.param(estimator, check, id=name)


@pytest.mark.parametrize(("estimator", "check"), list(checks_of_precomputed()))
def test_scikit_learn_check_of_precomputed(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)
