"""scikit-learn's checks for estimators that take Gram matrices."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import estimator_checks_generator

# They pass points where a Gram matrix belongs, whatever the tags of the estimator say.
OF_POINTS = {
    "check_clustering",
    "check_decision_proba_consistency",
    "check_outliers_fit_predict",
    "check_outliers_train",
}


def parametrize_with_checks_of_precomputed(*estimators: BaseEstimator) -> Any:
    """As scikit-learn's decorator, with all checks that know what a Gram matrix is."""
    return pytest.mark.parametrize(("estimator", "check"), list(_checks(estimators)))


def _checks(estimators: Iterable[BaseEstimator]) -> Iterator[Any]:
    for given in estimators:
        for estimator, check in estimator_checks_generator(given):
            name = getattr(check, "func", check).__name__
            if name not in OF_POINTS:
                yield pytest.param(estimator, check, id=f"{type(given).__name__}-{name}")
