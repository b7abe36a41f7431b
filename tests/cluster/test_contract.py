"""scikit-learn's own contract, for vectors and for Gram matrices."""

from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer.cluster import KernelKMeans, KernelSpectralClustering
from tests.contracts.precomputed import parametrize_with_checks_of_precomputed

RANDOM_START = "other rows draw other random starts; with the same start weights equal repetitions (test_kernel_kmeans)"
# Some checks have fewer distinct samples than clusters, and KernelKMeans says so.
pytestmark = pytest.mark.filterwarnings("ignore:KernelKMeans. number of distinct clusters")


def expected_failures(estimator: BaseEstimator) -> dict[str, str]:
    if isinstance(estimator, KernelKMeans):
        return {
            "check_sample_weight_equivalence_on_dense_data": RANDOM_START,
            "check_sample_weight_equivalence_on_sparse_data": RANDOM_START,
        }
    return {}


@parametrize_with_checks([KernelKMeans(), KernelSpectralClustering()], expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


@parametrize_with_checks_of_precomputed(
    KernelKMeans(kernel="precomputed"), KernelSpectralClustering(kernel="precomputed")
)
def test_scikit_learn_check_of_precomputed(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)
