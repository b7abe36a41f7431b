"""scikit-learn's own contract, for vectors and for Gram matrices."""

from collections.abc import Iterator
from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from mercer.cluster import KernelKMeans, KernelSpectralClustering

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


def checks_of_precomputed() -> Iterator[Any]:
    """All but those that pass points where a Gram matrix belongs, whatever the tags of the estimator say."""
    for model in (KernelKMeans(kernel="precomputed"), KernelSpectralClustering(kernel="precomputed")):
        for estimator, check in estimator_checks_generator(model):
            name = getattr(check, "func", check).__name__
            if name != "check_clustering":
                yield pytest.param(estimator, check, id=f"{type(model).__name__}-{name}")


@pytest.mark.parametrize(("estimator", "check"), list(checks_of_precomputed()))
def test_scikit_learn_check_of_precomputed(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)
