"""scikit-learn's own contract."""

from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer.perceptron import KernelPerceptron, Perceptron

ESTIMATORS = [
    *(KernelPerceptron(kernel) for kernel in ("rbf", "precomputed")),
    KernelPerceptron(variant="voted"),
    KernelPerceptron(budget=50, removal="projectron"),
    *(Perceptron(form=form) for form in ("primal", "dual")),
]
# The data of some checks are not separable, or not in so few passes.
pytestmark = pytest.mark.filterwarnings("ignore:.*mistakes in the last:sklearn.exceptions.ConvergenceWarning")


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)
