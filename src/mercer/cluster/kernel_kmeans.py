"""Kernel k-means."""

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import constraints
from mercer._estimator.samples import check_weights
from mercer._typing import Data, DoubleArray
from mercer.cluster.blocks import BlockScore
from mercer.cluster.clusters_fit import ClustersFit
from mercer.data import BlockSource
from mercer.operators import GramOperator
from mercer.operators.finite import all_finite, quiet
from mercer.solvers.kmeans import Clustering
from mercer.solvers.neighbors import settle

__all__ = ["KernelKMeans"]


def _knows_norms(estimator: Any) -> bool:
    """Return whether k(x, x) of new samples is available; distances need it, the nearest centroid does not."""
    return not estimator._is_precomputed


class KernelKMeans(ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin, ClustersFit):  # type: ignore[misc]
    """Kernel k-means: k-means in the feature space of a kernel.

    Kernel k-means minimises the inertia Σ_i w_i ‖φ(x_i) − φ_c(i)‖² over the labels c(i), where φ_c = Σ_{j∈c} w_j φ(x_j)
    / W_c is the centroid of a cluster and W_c its weight. Centroids are never formed: with unit weights

        ‖φ(x) − φ_c‖² = k(x, x) − 2 mean_{j∈c} k(x, x_j) + mean_{j,l∈c} k(x_j, x_l).

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    kernel : str, Kernel or callable, default="rbf"
        Name of a kernel (with `gamma`, `degree` and `coef0`), a kernel object, its text form, a function, or
        "precomputed": X is then the Gram matrix.
        Names: :ref:`kernel-names`. A function is called with two sets of samples.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of a kernel given by name: 1 / (n_features · X.var()) for "scale", 1 / n_features for "auto".
    degree : float, default=3
        Degree of "poly". Ignored by other kernels.
    coef0 : float, default=0.0
        Constant term of "poly" and "sigmoid". Ignored by other kernels.
    init : {"k-means++", "random"} or array-like of int, default="k-means++"
        Initialisation. "k-means++" is scikit-learn's greedy k-means++ in feature space. "random" draws samples with
        probabilities proportional to their weights. An array holds the indices of `n_clusters` samples, or n_samples
        labels in 0..n_clusters − 1.
    n_init : int or "auto", default="auto"
        Number of initialisations, of which the one with the smallest inertia is kept. "auto" stands for 10 with
        "random" and 1 otherwise. An array as `init` is used once.
    max_iter : int, default=300
        Maximum number of iterations of each initialisation.
    tol : float, default=0.0
        Relative decrease of the inertia below which an initialisation stops. With 0 it stops when every sample is in
        the cluster of its nearest centroid. Late iterations are cheap, because they only read the rows of samples that
        moved.
    random_state : int, RandomState or None, default=None
        Seed of the initialisations.
    n_jobs : int, default=None
        Number of threads that compute kernel values; None uses all available ones.
    approximation : None, "auto", int or transformer, default=None
        Approximation of the kernel by explicit features. None: no approximation. An int m: Nyström features of m
        landmarks. A `mercer.kernel_approximation.Nystroem` or `RandomFourierFeatures` object: its features, with the
        kernel of this estimator. "auto": exact up to 10 000 samples, otherwise landmarks until the relative residual is
        at most 0.001 or their number reaches a limit, see :ref:`scaling`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training sample.
    inertia_ : float
        Inertia Σ_i w_i ‖φ(x_i) − φ_c(i)‖². With an approximation, that of its features.
    inertia_history_ : ndarray of shape (n_decreases + 1,)
        Inertia of the first labels of the best initialisation, then after every iteration that lowered it; strictly
        decreasing.
    dual_coef_ : ndarray of shape (n_samples, n_clusters)
        Coefficients of the centroids, φ_c = Σ_i ``dual_coef_[i, c]`` φ(x_i). Columns sum to 1, or 0 for an empty
        cluster. With an approximation, φ_c is a sum over its landmarks or random features, and columns need not sum to
        1.
    center_norms_ : ndarray of shape (n_clusters,)
        Squared norms ‖φ_c‖²; infinite for an empty cluster.
    solution_ : mercer.solvers.Solution
        Certificate, recomputed after the last iteration. ``objective`` is the inertia, ``violation`` the share of the
        weight that a further iteration would move. ``gap`` is NaN, because no bound on the global minimum is known.
        With an approximation by landmarks, ``exact_gap`` bounds the error of the inertia: that of the same labels with
        the exact kernel is between ``inertia_`` and ``inertia_ + exact_gap``. It is NaN for random features.
    n_iter_ : int
        Number of iterations of the best initialisation.
    kernel_ : Kernel or None
        Kernel with all parameters resolved to numbers; None for a precomputed matrix.
    X_fit_ : data of n_samples samples
        Training samples, or the Gram matrix for ``kernel="precomputed"``. With an approximation, its landmarks, to
        which the dual coefficients belong; None for random features.
    approximation_ : mercer.approximation.FittedApproximation or None
        Approximation that was used; None if the fit is exact.
    n_features_in_ : int
        Number of features of X; the number of samples for precomputed matrices. Only for data that has features.
    feature_names_in_ : ndarray of shape (``n_features_in_``,)
        Names of the columns. Only if X was a data frame whose column names are all strings.

    See Also
    --------
    KernelSpectralClustering : Normalised cuts with kernel values as affinities.
    mercer.decomposition.KernelPCA : Coordinates in feature space.
    sklearn.cluster.KMeans : The same algorithm for vectors.

    Notes
    -----
    The Gram matrix is held (8n² bytes) if it fits in memory. Otherwise kernel values are computed when needed, with the
    same result and memory for O(n · n_clusters · n_init) numbers. An iteration needs n kernel values per sample that
    moves.

    With an approximation, the features are held in single precision, 4 bytes for each sample and feature, and an
    iteration is a product of them with the centroids. Labels, centroids and inertia are those of k-means in these
    features. For any labels, the inertia with K exceeds that with K̂ by at most tr(K − K̂). `transform` and `score` are
    about distances of φ(x) from the centroids, to which the features miss a part: the score of the training samples is
    −(``inertia_ + exact_gap``).

    `transform` and `score` need k(x, x) of new samples, which a precomputed matrix does not contain. With
    ``kernel="precomputed"`` they do not exist; `predict` and `fit_transform` do.

    If there are fewer distinct samples than clusters, some clusters stay empty, at infinite distance, with a
    `ConvergenceWarning`. With an indefinite kernel, the labels are those of the last iteration that lowered the
    inertia, the status is ``NOT_PSD``, and distances raise an error.

    References
    ----------
    * Schölkopf, Smola and Müller, *Nonlinear component analysis as a kernel eigenvalue problem*, Neural Computation 10,
      1998, doi:10.1162/089976698300017467.
    * Dhillon, Guan and Kulis, *Kernel k-means: spectral clustering and normalized cuts*, KDD 2004,
      doi:10.1145/1014052.1014118.

    Examples
    --------
    A ring around a blob is not separable by centroids in the plane, but it is in feature space:

    >>> from sklearn.datasets import make_circles
    >>> from sklearn.metrics import adjusted_rand_score
    >>> from mercer.cluster import KernelKMeans
    >>> X, y = make_circles(200, factor=0.2, noise=0.05, random_state=0)
    >>> model = KernelKMeans(2, kernel="rbf", gamma=2.0, random_state=0).fit(X)
    >>> adjusted_rand_score(y, model.labels_), model.solution_.violation
    (1.0, 0.0)
    >>> model.inertia_history_.round(2)
    array([112.26, 110.9 , 109.86, 107.98, 105.78, 103.12,  96.71,  94.87])
    """

    _not_always_finite: ClassVar[tuple[str, ...]] = ("center_norms_",)  # infinite for an empty cluster
    _fits_blocks = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
        "approximation",
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
        approximation: Any = None,
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
        self.approximation = approximation

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Compute the clusters.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Training samples in any form the kernel accepts, or the Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
            With an approximation also a `mercer.data.BlockSource`, which is read in passes.
            `mercer.data.Checkpointed` around it continues the fit after an interruption.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights. Integer weights are equivalent to repeating the sample; samples of weight 0 are
            labelled but do not influence the clusters.

        Returns
        -------
        self
            Fitted estimator.
        """
        training, _ = self._training(X, None, sample_weight, targets=False)
        return self._fit_training(training, None)

    # ---- new samples

    def _relative(self, operator: GramOperator) -> DoubleArray:
        """Return ‖φ(x) − φ_c‖² − k(x, x) from k(X, ``X_fit_``); it does not need k(x, x)."""
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
        assert norms is not None  # transform and score do not exist for a precomputed matrix
        return _settled(self._relative(operator) + norms[:, None], norms[:, None], self.center_norms_)

    def predict(self, X: Data) -> Any:
        """Assign samples to the cluster with the nearest centroid.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts, or kernel values with the training samples, of shape (n_samples,
            n_samples_fit), for ``kernel="precomputed"``.

        Returns
        -------
        ndarray of shape (n_samples,)
            Cluster of each sample.
        """
        check_is_fitted(self)
        return np.asarray(self._relative(self._against(X)).argmin(axis=1), dtype=np.int32)

    def transform(self, X: Data) -> DoubleArray:
        """Compute the distances of samples from the centroids.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Distances ‖φ(x) − φ_c‖; infinite for empty clusters.
        """
        return np.sqrt(self._squares(X))

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_transform(self, X: Data, y: Any = None, sample_weight: Any = None) -> DoubleArray:  # noqa: ARG002
        """Compute the clusters and the distances of the training samples from the centroids.

        This method also exists with ``kernel="precomputed"``.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Training samples in any form the kernel accepts, or the Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights. Integer weights are equivalent to repeating the sample; samples of weight 0 are
            labelled but do not influence the clusters.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Distances ‖φ(x) − φ_c‖; infinite for empty clusters.
        """
        if isinstance(X, BlockSource):
            return np.asarray(self.fit(X, sample_weight=sample_weight).transform(X))
        training, _ = self._training(X, None, sample_weight, targets=False)
        found = self._cluster(training)
        if isinstance(found, Clustering):
            return np.sqrt(_settled(found.squares.T.copy(), training.diagonal[:, None], self.center_norms_))
        if training.kernel is not None:
            return np.sqrt(self._squares(X))
        norms = training.diagonal[:, None]
        return np.sqrt(_settled(self._relative(self._against(X)) + norms, norms, self.center_norms_))

    def fit_predict(self, X: Data, y: Any = None, sample_weight: Any = None) -> Any:
        """Compute the clusters and return the labels of the training samples.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Training samples in any form the kernel accepts, or the Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights. Integer weights are equivalent to repeating the sample; samples of weight 0 are
            labelled but do not influence the clusters.

        Returns
        -------
        ndarray of shape (n_samples,)
            The attribute ``labels_``.
        """
        return self.fit(X, y, sample_weight=sample_weight).labels_

    @available_if(_knows_norms)  # type: ignore[untyped-decorator]
    def score(self, X: Data, y: Any = None, sample_weight: Any = None) -> float:  # noqa: ARG002
        """Compute minus the inertia of samples.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.

        Returns
        -------
        float
            −Σ_i w_i min_c ‖φ(x_i) − φ_c‖².
        """
        check_is_fitted(self)
        if isinstance(X, BlockSource):
            return float(X.reduce(BlockScore(self)))
        return -float(check_weights(self, sample_weight, X) @ self._squares(X).min(axis=1))


# set_output wraps the method when the class is created; availability must be added afterwards.
KernelKMeans.transform = available_if(_knows_norms)(KernelKMeans.transform)  # type: ignore[method-assign]


def _settled(D2: DoubleArray, diagonal: DoubleArray, norms: DoubleArray) -> DoubleArray:
    full = np.isfinite(norms)
    squares = D2[:, full]
    settle(squares, diagonal + norms[full], float(np.finfo(np.float64).eps))
    D2[:, full] = squares
    return D2
