"""k-means in the feature space of a kernel."""

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelEstimator, Training, constraints, finite_fit, warn, warn_unconverged
from mercer._estimator.samples import check_weights
from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import describe
from mercer.operators import GramOperator
from mercer.operators.finite import all_finite, quiet
from mercer.solvers.kmeans import Clustering, kernel_kmeans, plus_plus
from mercer.solvers.neighbors import settle

__all__ = ["KernelKMeans"]


def _knows_norms(estimator: Any) -> bool:
    """Whether k(x, x) of new samples can be had: distances need it, the nearest centroid does not."""
    return not estimator._is_precomputed


class KernelKMeans(ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin, KernelEstimator):  # type: ignore[misc]
    r"""k-means on φ(x): clusters that are apart in the feature space of a kernel.

    Minimises the inertia Σ_i w_i ‖φ(x_i) − φ_c(i)‖² over the labels c(i), where φ_c = Σ_{j∈c} w_j φ(x_j) / W_c is the
    mean of a cluster and W_c its weight. Centroids are never formed: with unit weights

        ‖φ(x) − φ_c‖² = k(x, x) − 2 mean_{j∈c} k(x, x_j) + mean_{j,l∈c} k(x_j, x_l).

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    kernel : str, Kernel or callable
        One of scikit-learn's names, the text form or an object of a mercer kernel, a function,
        or "precomputed": X is the Gram matrix.
        Names: docs/kernel-names.md. A function is called with two sets of samples.
    gamma, degree, coef0
        Parameters of a kernel that is given by its name.
    init : {"k-means++", "random"} or array-like of int
        How to start: samples far apart in feature space as first centroids (scikit-learn's greedy k-means++), samples
        drawn by weight, the `n_clusters` rows of samples to take, or n labels in 0..n_clusters − 1.
    n_init : "auto" or int
        Starts, of which the best is kept. "auto": 10 for "random", else 1. A given start is taken once.
    max_iter : int
        Most steps of each start.
    tol : float
        A start also ends when a step lowers the inertia by no more than this part of it. With 0 it ends where no sample
        is nearer to another centroid, which late steps, reading only the rows of the samples that moved, make cheap.
    random_state : int, RandomState or None
        For the starts.
    n_jobs : int or None
        Threads for kernel values; None means all that are allowed.

    Attributes
    ----------
    labels_ : array of int, shape (n,)
        The cluster of every training sample.
    inertia_ : float
        Σ_i w_i ‖φ(x_i) − φ_c(i)‖².
    inertia_history_ : array
        The inertia after every step of the best start; it falls strictly.
    dual_coef_ : array, shape (n, n_clusters)
        φ_c = Σ_i dual_coef_[i, c] φ(x_i); columns of sum 1, or 0 for an empty cluster.
    center_norms_ : array, shape (n_clusters,)
        ‖φ_c‖²; infinite for an empty cluster.
    solution_ : Solution
        `objective` is the inertia, `violation` the share of the weight that a further step would move, both computed
        afresh after the last step. No bound on the distance to the global minimum is known: `gap` is NaN.
    n_iter_ : int
        Steps of the best start.
    kernel_, X_fit_, n_features_in_, feature_names_in_
        The kernel with all its parameters, and what the fit has seen.

    Notes
    -----
    The Gram matrix is held (8n² bytes) if it fits in memory; else kernel values are made when they are needed, in
    memory O(n · n_clusters · n_init), with the same result. A step costs n kernel values per sample that moves.
    `transform` and `score` need k(x, x) of new samples, which a precomputed matrix does not hold: they do not exist
    with ``kernel="precomputed"``, where `predict` and `fit_transform` do.

    If there are fewer distinct samples than clusters some clusters stay empty, at an infinite distance, with a
    `ConvergenceWarning`. On an indefinite kernel labels are those of the last step that lowered the inertia, and the
    status is `NOT_PSD`; distances are refused.

    References
    ----------
    B. Schölkopf, A. Smola and K.-R. Müller, Nonlinear component analysis as a kernel eigenvalue problem, Neural
    Computation 10 (1998), doi:10.1162/089976698300017467. I. S. Dhillon, Y. Guan and B. Kulis, Kernel k-means: spectral
    clustering and normalized cuts, KDD 2004, doi:10.1145/1014052.1014118.

    Examples
    --------
    A ring around a blob has no centre of its own in the plane, but it has one in feature space:

    >>> from sklearn.datasets import make_circles
    >>> from sklearn.metrics import adjusted_rand_score
    >>> X, y = make_circles(200, factor=0.2, noise=0.05, random_state=0)
    >>> model = KernelKMeans(2, kernel="rbf", gamma=2.0, random_state=0).fit(X)
    >>> adjusted_rand_score(y, model.labels_), model.solution_.violation
    (1.0, 0.0)
    """

    _not_always_finite: ClassVar[tuple[str, ...]] = ("center_norms_",)  # of an empty cluster
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
        "max_iter",
        "tol",
        "random_state",
        "n_clusters",
        init=[StrOptions({"k-means++", "random"}), "array-like"],
        n_init=[StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
    )

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        init: Any = "k-means++",
        n_init: Any = "auto",
        max_iter: int = 300,
        tol: float = 0.0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Find the clusters; y is ignored.

        Parameters
        ----------
        X : data of n samples, or the (n, n) Gram matrix with ``kernel="precomputed"``
            Vectors, frames or objects, as the kernel reads them.
        y : ignored
            There for the sake of pipelines.
        sample_weight : array-like, shape (n,), optional
            Nonnegative; a sample of weight 2 counts as two, one of weight 0 is only labelled.
        """
        training, _ = self._training(X, None, sample_weight, targets=False)
        return self._fit_training(training, None)

    def _fit_training(self, training: Training, y: Any) -> Self:  # noqa: ARG002
        self._cluster(training)
        return self

    @finite_fit
    def _cluster(self, training: Training) -> Clustering:
        if len(training.kept) < self.n_clusters:
            raise ValueError(
                f"{type(self).__name__}: n_samples={len(training.kept)} (of positive weight) should be >= "
                f"n_clusters={self.n_clusters}."
            )
        operator = training.K.hold()
        starts = self._starts(training, operator)
        found = kernel_kmeans(
            operator,
            training.diagonal,
            training.weight,
            starts,
            self.n_clusters,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.labels_ = found.labels.astype(np.int32)
        self.solution_ = found.solution
        self.inertia_, self.n_iter_ = found.solution.objective, found.solution.n_iter
        self.inertia_history_, self.center_norms_ = found.history, found.norms
        member = found.labels[:, None] == np.arange(self.n_clusters)
        coef = member * training.weight[:, None] / np.where(found.mass > 0, found.mass, 1.0)
        self.dual_coef_ = training.basis.fold(coef)
        self._n_features_out = self.n_clusters
        self._remember(training)
        self._report(found)
        return found

    def _starts(self, training: Training, operator: GramOperator) -> IndexArray:
        """First centroids (n_init, n_clusters), or first labels (1, n)."""
        if not isinstance(self.init, str):
            return self._given_start(training)
        rng, k, weight = check_random_state(self.random_state), self.n_clusters, training.weight
        n_init = self.n_init if self.n_init != "auto" else 10 if self.init == "random" else 1
        if self.init == "random":
            share = weight / weight.sum()
            return np.stack([rng.choice(training.n, size=k, replace=False, p=share) for _ in range(n_init)])
        return np.stack([plus_plus(operator, training.diagonal, weight, k, rng) for _ in range(n_init)])

    def _given_start(self, training: Training) -> IndexArray:
        start, n, k = np.asarray(self.init), training.n, self.n_clusters
        labels = start.shape == (n,)
        high = k if labels else n
        if not (labels or start.shape == (k,)) or start.dtype.kind not in "iu":
            raise ValueError(
                f"{type(self).__name__}: init must be 'k-means++', 'random', {k} rows of samples or {n} labels, got "
                f"{describe(start)}."
            )
        if start.min() < 0 or start.max() >= high:
            raise ValueError(
                f"{type(self).__name__}: init holds {'labels' if labels else 'rows of samples'}, which must be in "
                f"0..{high - 1}, got {start.min()}..{start.max()}."
            )
        return start[None].astype(np.int64)

    def _report(self, found: Clustering) -> None:
        who, n_found = type(self).__name__, int((found.mass > 0).sum())
        if n_found < self.n_clusters:
            warn(
                f"{who}: number of distinct clusters ({n_found}) found smaller than n_clusters ({self.n_clusters}). "
                "Possibly due to duplicate points in X."
            )
        text = (
            f"{who}: after max_iter={self.max_iter} steps {found.solution.violation:.2%} of the weight would still "
            "move. Raise max_iter or tol."
        )
        warn_unconverged(self, text)

    # ---- new samples

    def _relative(self, operator: GramOperator) -> DoubleArray:
        """‖φ(x) − φ_c‖² − k(x, x), which needs no k(x, x), from k(X, X_fit_)."""
        with quiet():
            relative = np.asarray(self.center_norms_ - 2 * (operator @ self.dual_coef_))
            finite = all_finite(relative[:, np.isfinite(self.center_norms_)])
        if not finite:
            raise ValueError(
                f"{type(self).__name__}: squared distances from the centroids overflow; rescale the features."
            )
        return relative

    def _squares(self, X: Data) -> DoubleArray:
        operator, norms = self._compared(X)
        assert norms is not None  # `transform` and `score` do not exist for a precomputed matrix
        return _settled(self._relative(operator) + norms[:, None], norms[:, None], self.center_norms_)

    def predict(self, X: Data) -> Any:
        """The cluster whose centroid is nearest to each sample; rows of a Gram matrix if it was precomputed."""
        check_is_fitted(self)
        return np.asarray(self._relative(self._against(X)).argmin(axis=1), dtype=np.int32)

    def transform(self, X: Data) -> DoubleArray:
        """Distances ‖φ(x) − φ_c‖ of samples (rows) from centroids; infinite for empty clusters."""
        return np.sqrt(self._squares(X))

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_transform(self, X: Data, y: Any = None, sample_weight: Any = None) -> DoubleArray:  # noqa: ARG002
        """Fit, and the distances of the training samples from the centroids; also with a precomputed matrix."""
        training, _ = self._training(X, None, sample_weight, targets=False)
        found = self._cluster(training)
        return np.sqrt(_settled(found.squares.T.copy(), training.diagonal[:, None], self.center_norms_))

    def fit_predict(self, X: Data, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, and the labels of the training samples."""
        return self.fit(X, y, sample_weight=sample_weight).labels_

    @available_if(_knows_norms)  # type: ignore[untyped-decorator]
    def score(self, X: Data, y: Any = None, sample_weight: Any = None) -> float:  # noqa: ARG002
        """−Σ_i w_i min_c ‖φ(x_i) − φ_c‖², minus the inertia of the samples."""
        check_is_fitted(self)
        return -float(check_weights(self, sample_weight, X) @ self._squares(X).min(axis=1))


# `set_output` has wrapped the method when the class was made; only now can it depend on the kernel.
KernelKMeans.transform = available_if(_knows_norms)(KernelKMeans.transform)  # type: ignore[method-assign]


def _settled(D2: DoubleArray, diagonal: DoubleArray, norms: DoubleArray) -> DoubleArray:
    full = np.isfinite(norms)
    squares = D2[:, full]
    settle(squares, diagonal + norms[full], float(np.finfo(np.float64).eps))
    D2[:, full] = squares
    return D2
