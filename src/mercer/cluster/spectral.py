"""Spectral clustering with kernel values as affinities."""

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import qr, svd
from sklearn.base import ClusterMixin, _fit_context
from sklearn.cluster import k_means
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelEstimator, Training, constraints, finite_fit, warn_unconverged
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.solvers.eigen import top_eigenpairs

__all__ = ["KernelSpectralClustering"]

_SMALL = 1e-10  # relative to the largest eigenvalue: eigenvectors below it cannot be extended to new samples
_SQUARED_ROUNDING = 1e-22  # of a difference of two coordinates, relative to their squares


class KernelSpectralClustering(ClusterMixin, KernelEstimator):  # type: ignore[misc]
    """Spectral clustering with kernel values as affinities.

    A, the Gram matrix with zero diagonal, is the weighted graph of the samples, and d_i = Σ_j A_ij are their degrees.
    The eigenvectors u of D^{−1/2} A D^{−1/2} with the largest eigenvalues relax the normalised cut. Samples are
    embedded by f = D^{−1/2} u, the eigenvectors of the random walk D⁻¹A, and the embedded rows are clustered. The
    labels are those of scikit-learn's ``SpectralClustering(affinity="precomputed")`` on the same matrix, up to a
    permutation.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    kernel : str, Kernel or callable, default="rbf"
        Name of a kernel (with `gamma`, `degree` and `coef0`), a kernel object, its text form, a function, or
        "precomputed": X is then the affinity matrix. Kernel values must be non-negative.
        Names: :ref:`kernel-names`. A function is called with two sets of samples.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of a kernel given by name: 1 / (n_features · X.var()) for "scale", 1 / n_features for "auto".
    degree : float, default=3
        Degree of "poly". Ignored by other kernels.
    coef0 : float, default=0.0
        Constant term of "poly" and "sigmoid". Ignored by other kernels.
    n_components : int, default=None
        Number of eigenvectors of the embedding; None uses `n_clusters`.
    assign_labels : {"kmeans", "cluster_qr"}, default="kmeans"
        How embedded rows are clustered: by k-means, or by a pivoted QR decomposition, which has no initialisation and
        no parameters.
    n_init : int, default=10
        Number of initialisations of k-means, at most 100 000.
    random_state : int, RandomState or None, default=None
        Seed of k-means.
    n_jobs : int, default=None
        Number of threads that compute kernel values; None uses all available ones.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training sample.
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding f of the training samples.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the random walk, descending, at most 1. The multiplicity of 1 is the number of connected
        components.
    cut_ : float
        Normalised cut Σ_c cut(c, rest)/vol(c) of the labels. It is at least `n_clusters` minus the sum of the
        `n_clusters` largest eigenvalues.
    solution_ : mercer.solvers.Solution
        Certificate of the eigenvectors; ``violation`` is their relative residual.
    kernel_ : Kernel or None
        Kernel with all parameters resolved to numbers; None for a precomputed matrix.
    X_fit_ : data of n_samples samples
        Training samples, or the affinity matrix for ``kernel="precomputed"``.
    n_features_in_ : int
        Number of features of X; the number of samples for precomputed matrices. Only for data that has features.
    feature_names_in_ : ndarray of shape (``n_features_in_``,)
        Names of the columns. Only if X was a data frame whose column names are all strings.

    See Also
    --------
    KernelKMeans : Minimises the inertia in feature space.
    mercer.decomposition.LaplacianEigenmaps : The embedding alone.
    sklearn.cluster.SpectralClustering : The same labels, without `predict`.

    Notes
    -----
    One n × n matrix is held; if it does not fit in memory, `fit` raises an error. `predict` extends the eigenvectors to
    new samples by the Nyström formula f(x) = Σ_j k(x, x_j) f_j / (λ d(x)) and takes the cluster with the nearest mean.
    It counts the affinity of a training sample to itself, which `fit` does not, so `predict` may differ from
    ``labels_`` for some training samples.

    References
    ----------
    * Shi and Malik, *Normalized cuts and image segmentation*, IEEE Transactions on Pattern Analysis and Machine
      Intelligence 22, 2000, doi:10.1109/34.868688.
    * Damle, Minden and Ying, *Simple, direct and efficient multi-way spectral clustering*, Information and Inference 8,
      2019, doi:10.1093/imaiai/iay008.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.metrics import adjusted_rand_score
    >>> from mercer.cluster import KernelSpectralClustering
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> model = KernelSpectralClustering(2, gamma=20.0, random_state=0).fit(X)
    >>> adjusted_rand_score(y, model.labels_), round(model.cut_, 4)
    (1.0, 0.0025)
    """

    _not_always_finite: ClassVar[tuple[str, ...]] = ("_means",)  # infinite for an empty cluster
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
        "random_state",
        "n_clusters",
        "n_components",
        assign_labels=[StrOptions({"kmeans", "cluster_qr"})],
        n_init=[Interval(Integral, 1, 100_000, closed="both")],
    )

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        n_components: int | None = None,
        assign_labels: str = "kmeans",
        n_init: int = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_components = n_components
        self.assign_labels = assign_labels
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None) -> Self:  # noqa: ARG002
        """Compute the clusters.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Training samples in any form the kernel accepts, or the affinity matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.

        Returns
        -------
        self
            Fitted estimator.
        """
        training, _ = self._training(X, targets=False)
        return self._fit_training(training, None)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:  # noqa: ARG002
        who, n_components = type(self).__name__, self.n_components or self.n_clusters
        if training.n < max(self.n_clusters, n_components):
            raise ValueError(
                f"{who}: n_samples={training.n} should be >= n_clusters={self.n_clusters} and "
                f"n_components={n_components}."
            )
        if self.assign_labels == "cluster_qr" and n_components != self.n_clusters:
            raise ValueError(
                f"{who}: assign_labels='cluster_qr' finds one cluster per eigenvector; n_components must be None or "
                f"n_clusters={self.n_clusters}, got {n_components}."
            )
        A = training.K.array()
        root = _normalize(who, A)
        found = top_eigenpairs(A, n_components)
        self.eigenvalues_, self.solution_ = found.values, found.solution
        self.embedding_ = found.vectors / root[:, None]
        self.labels_ = self._labels(self.embedding_)
        self.cut_ = _normalized_cut(A, root, self.labels_)
        self._means = np.full((self.n_clusters, n_components), np.inf)
        for label in np.unique(self.labels_):
            self._means[label] = self.embedding_[self.labels_ == label].mean(axis=0)
        self._remember(training)
        warn_unconverged(self, f"{who}: {self.solution_.status.advice}")
        return self

    def _labels(self, embedding: DoubleArray) -> Any:
        if self.assign_labels == "cluster_qr":
            return _cluster_qr(embedding)
        rng = check_random_state(self.random_state)
        return np.asarray(k_means(embedding, self.n_clusters, n_init=self.n_init, random_state=rng)[1])

    def predict(self, X: Data) -> Any:
        """Assign samples to clusters by extending the eigenvectors.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts, or affinities to the training samples, of shape (n_samples,
            n_samples_fit), for ``kernel="precomputed"``.

        Returns
        -------
        ndarray of shape (n_samples,)
            Cluster of each sample.
        """
        check_is_fitted(self)
        n_components = self.embedding_.shape[1]
        kept = self.eigenvalues_ > _SMALL * np.abs(self.eigenvalues_).max()
        values = self._against(X) @ np.column_stack([self.embedding_, np.ones(len(self.embedding_))])
        degrees = values[:, n_components:]
        factor = np.divide(1.0, self.eigenvalues_, out=np.zeros(n_components), where=kept)
        new = values[:, :n_components] / np.where(degrees > 0, degrees, 1.0) * factor
        means = np.where(kept, self._means, 0.0)
        D2 = ((new[:, None] - means) ** 2).sum(axis=2)
        # If no remaining eigenvector separates the clusters, their means differ by rounding; take the first.
        rounding = _SQUARED_ROUNDING * (np.where(np.isfinite(means), means, 0.0) ** 2).sum(axis=1).max()
        return np.argmax(D2.min(axis=1, keepdims=True) + rounding >= D2, axis=1).astype(np.int32)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self._is_precomputed:
            tags.input_tags.positive_only = True
        return tags


def _normalize(who: str, A: DoubleArray) -> DoubleArray:
    """Set A to D^{−1/2} A D^{−1/2} without diagonal, in place; return the root degrees, 1 where the degree is 0."""
    least, largest = float(A.min()), float(A.max())
    largest = max(largest, -least)
    if least < -1e-12 * largest:
        raise ValueError(
            f"Negative values in data passed to {who}: kernel values are affinities and must be non-negative, got "
            f"{least:g}; use a non-negative kernel such as 'rbf' or 'laplacian'."
        )
    np.maximum(A, 0.0, out=A)
    np.fill_diagonal(A, 0.0)
    degrees = A.sum(axis=1)
    if len(A) > 1 and not degrees.any():
        raise ValueError(
            f"{who}: the kernel is zero between all samples, so the graph has no edges; use a wider kernel."
        )
    root: DoubleArray = np.sqrt(np.where(degrees > 0, degrees, 1.0))
    A /= root
    A /= root[:, None]
    return root


def _normalized_cut(A: DoubleArray, root: DoubleArray, labels: IndexArray) -> float:
    """Return Σ_c 1 − sᵀAs/sᵀs over the clusters c, where s holds the root degrees of the samples of c."""
    S = (labels[:, None] == np.unique(labels)) * root[:, None]
    return float((1 - (S * (A @ S)).sum(axis=0) / (S**2).sum(axis=0)).sum())


def _cluster_qr(embedding: DoubleArray) -> IndexArray:
    """Return labels by the rotation that brings the rows closest to indicators of the clusters."""
    k = embedding.shape[1]
    pivots = qr(embedding.T, mode="r", pivoting=True)[1]
    U, _, Vt = svd(embedding[pivots[:k]].T)
    return np.asarray(np.abs(embedding @ (U @ Vt)).argmax(axis=1).astype(np.int32))
