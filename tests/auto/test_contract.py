"""scikit-learn's contract for the estimators of raw tables."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer.auto import AutoClassifier, AutoRegressor, TablePreparer

ONE_SAMPLE = "the check has a class of one sample, for which there is no cross-validation: an error says which"
EXPECTED = {
    "check_dict_unchanged": ONE_SAMPLE,
    "check_dont_overwrite_parameters": ONE_SAMPLE,
    "check_f_contiguous_array_estimator": ONE_SAMPLE,
    "check_fit2d_predict1d": ONE_SAMPLE,
    "check_methods_sample_order_invariance": ONE_SAMPLE,
    "check_methods_subset_invariance": ONE_SAMPLE,
}


def expected(estimator: BaseEstimator) -> dict[str, str]:
    return EXPECTED if isinstance(estimator, AutoClassifier) else {}


# Two folds instead of five take less than half the time, and change nothing else.
@parametrize_with_checks([AutoClassifier(cv=2), AutoRegressor(cv=2), TablePreparer()], expected_failed_checks=expected)
def test_scikit_learn_check(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


class Merging(AutoClassifier):
    """Counts classes of one sample to the largest."""

    def fit(self, X: Any, y: Any, groups: Any = None) -> Any:
        labels, sizes = np.unique(y, return_counts=True)
        return super().fit(X, np.where(np.isin(y, labels[sizes < 2]), labels[sizes.argmax()], y), groups)


@pytest.mark.parametrize("check", sorted(EXPECTED))
def test_nothing_else_fails_where_failures_are_expected(check: str) -> None:
    getattr(estimator_checks, check)("Merging", Merging(cv=2, kernel="rbf", model="ridge"))
