"""Fits of kernel k-means, exact and with an approximated kernel."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from mercer._estimator import (
    Approximable,
    Approximation,
    KernelEstimator,
    Training,
    finite_fit,
    warn,
    warn_unconverged,
)
from mercer._estimator.blocks.features import Blocks
from mercer._runtime.limits import require_memory
from mercer._typing import DoubleArray, IndexArray
from mercer._validation import as_dense, describe
from mercer.cluster.blocks import PassedSamples, refined
from mercer.solvers.kmeans import Clustering, Rows, kernel_kmeans, plus_plus
from mercer.solvers.kmeans_features import FeatureClustering, FeatureSamples, feature_kmeans

__all__ = ["ClustersFit"]


class ClustersFit(Approximable, KernelEstimator):
    """Base class of `KernelKMeans`: everything between the public `fit` and the solvers."""

    n_clusters: int
    init: Any
    n_init: Any
    max_iter: int
    tol: float
    random_state: Any

    def _fit_training(self, training: Training, y: Any) -> Self:  # noqa: ARG002
        self._cluster(training)
        return self

    @finite_fit
    def _cluster(self, training: Training) -> Clustering | FeatureClustering:
        if len(training.kept) < self.n_clusters:
            raise ValueError(
                f"{type(self).__name__}: n_samples={len(training.kept)} (of positive weight) should be >= "
                f"n_clusters={self.n_clusters}."
            )
        approximation = self._approximated(training)
        found: Clustering | FeatureClustering
        if approximation is None:
            found = self._exact(training)
            member = found.labels[:, None] == np.arange(self.n_clusters)
            coef = member * training.weight[:, None] / np.where(found.mass > 0, found.mass, 1.0)
            self.dual_coef_ = training.basis.fold(coef)
        else:
            found = self._in_features(approximation)
            self.dual_coef_ = approximation.coefficients(found.centers.T)
        self.labels_ = found.labels.astype(np.int32)
        self.solution_ = found.solution
        self.inertia_, self.n_iter_ = found.solution.objective, found.solution.n_iter
        self.inertia_history_, self.center_norms_ = found.history, found.norms
        self._n_features_out = self.n_clusters
        self._remember(training, approximation)
        self._report(found)
        return found

    def _exact(self, training: Training) -> Clustering:
        operator = training.K.hold()
        return kernel_kmeans(
            operator,
            training.diagonal,
            training.weight,
            self._starts(training, operator, training.diagonal),
            self.n_clusters,
            max_iter=self.max_iter,
            tol=self.tol,
        )

    def _in_features(self, approximation: Approximation) -> FeatureClustering:
        training = approximation.training
        samples: Any
        if isinstance(approximation, Blocks):
            samples = PassedSamples(approximation, training.weight)
        else:
            samples = FeatureSamples(approximation.array(np.float32), training.weight)
        starts = self._starts(training, self._attributed(samples.operator), samples.diag)
        found = feature_kmeans(samples, starts, self.n_clusters, max_iter=self.max_iter, tol=self.tol)
        explained = samples.explained
        if not isinstance(approximation, Blocks):
            found, explained = refined(found, approximation, samples.shift, training.weight)
        gap = approximation.residual_trace(explained)
        return replace(found, solution=replace(found.solution, exact_gap=gap))

    def _starts(self, training: Training, operator: Rows, diag: DoubleArray) -> IndexArray:
        """Return the first centroids, of shape (n_init, n_clusters), or the first labels, of shape (1, n)."""
        if not isinstance(self.init, str):
            return self._given_start(training)
        rng, k, weight = check_random_state(self.random_state), self.n_clusters, training.weight
        n_init = self.n_init if self.n_init != "auto" else 10 if self.init == "random" else 1
        require_memory(
            8 * training.n * k * n_init,
            what=f"{type(self).__name__}: {n_init} starts with {k} clusters of {training.n} samples",
            instead="Lower n_init.",
        )
        if self.init == "random":
            share = weight / weight.sum()
            return np.stack([rng.choice(training.n, size=k, replace=False, p=share) for _ in range(n_init)])
        return np.stack([plus_plus(operator, diag, weight, k, rng) for _ in range(n_init)])

    def _given_start(self, training: Training) -> IndexArray:
        start = as_dense(type(self).__name__, self.init, name="init")
        n, k = training.n, self.n_clusters
        labels = start.shape == (n,)
        high = k if labels else n
        if not (labels or start.shape == (k,)) or start.dtype.kind not in "iu":
            raise ValueError(
                f"{type(self).__name__}: init must be 'k-means++', 'random', {k} indices of samples or {n} labels, got "
                f"{describe(start)}."
            )
        if start.min() < 0 or start.max() >= high:
            raise ValueError(
                f"{type(self).__name__}: the {'labels' if labels else 'indices of samples'} in init must be in "
                f"0..{high - 1}, got {start.min()}..{start.max()}."
            )
        return np.asarray(start[None], dtype=np.int64)

    def _report(self, found: Clustering | FeatureClustering) -> None:
        who, n_found = type(self).__name__, int((found.mass > 0).sum())
        if n_found < self.n_clusters:
            warn(
                f"{who}: number of distinct clusters ({n_found}) found smaller than n_clusters ({self.n_clusters}). "
                "Possibly due to duplicate points in X."
            )
        text = (
            f"{who}: after max_iter={self.max_iter} iterations, {found.solution.violation:.2%} of the weight would "
            "still move. Raise max_iter or tol."
        )
        warn_unconverged(self, text)
