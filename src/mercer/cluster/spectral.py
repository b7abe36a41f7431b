"""Normalised cuts of the graph whose edges are kernel values."""

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

_SMALL = 1e-10  # of the largest eigenvalue: an eigenvector that new samples cannot be extended to
_SQUARED_ROUNDING = 1e-22  # of a difference of two coordinates, relative to their squares


class KernelSpectralClustering(ClusterMixin, KernelEstimator):  # type: ignore[misc]
    r"""Spectral clustering with kernel values as affinities.

    A = K without its diagonal is the weighted graph of the samples, d_i = Σ_j A_ij their degrees. The eigenvectors u of
    D^{−1/2} A D^{−1/2} with the largest eigenvalues relax the normalised cut; samples are embedded by f = D^{−1/2} u,
    eigenvectors of the random walk D⁻¹A, and the embedded rows are clustered. Labels are those of scikit-learn's
    ``SpectralClustering(affinity="precomputed")`` on the same matrix, up to their names.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    kernel : str, Kernel or callable
        As in `KernelKMeans`; its values must not be negative.
        Names: docs/kernel-names.md. A function is called with two sets of samples.
    gamma, degree, coef0
        Parameters of a kernel that is given by its name.
    n_components : int or None
        Eigenvectors of the embedding; None means `n_clusters`.
    assign_labels : {"kmeans", "cluster_qr"}
        How embedded rows become labels: k-means, or a pivoted QR decomposition, which has no start and no parameter.
    n_init : int
        Starts of k-means.
    random_state : int, RandomState or None
        For k-means.
    n_jobs : int or None
        Threads for kernel values; None means all that are allowed.

    Attributes
    ----------
    labels_ : array of int, shape (n,)
        The cluster of every training sample.
    embedding_ : array, shape (n, n_components)
        f of every training sample.
    eigenvalues_ : array, shape (n_components,)
        Of the random walk, at most 1, descending; as many ones as the graph has parts.
    cut_ : float
        The normalised cut Σ_c cut(c, rest)/vol(c) of the labels. It is at least `n_clusters` minus the sum of the
        `n_clusters` largest eigenvalues.
    solution_ : Solution
        The certificate of the eigenvectors.
    kernel_, X_fit_, n_features_in_, feature_names_in_
        The kernel with all its parameters, and what the fit has seen.

    Notes
    -----
    One n × n matrix of memory, refused with advice if it does not fit. `predict` extends the eigenvectors to new
    samples, f(x) = Σ_j k(x, x_j) f_j / (λ d(x)) (Nyström), and takes the cluster whose mean is nearest. A training
    sample is then its own neighbour, which it was not in the fit: `predict` may disagree with `labels_` on some.

    References
    ----------
    J. Shi and J. Malik, Normalized cuts and image segmentation, IEEE TPAMI 22 (2000), doi:10.1109/34.868688. A. Damle,
    V. Minden and L. Ying, Simple, direct and efficient multi-way spectral clustering, Information and Inference 8
    (2019), doi:10.1093/imaiai/iay008.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.metrics import adjusted_rand_score
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> model = KernelSpectralClustering(2, gamma=20.0, random_state=0).fit(X)
    >>> adjusted_rand_score(y, model.labels_)
    1.0
    """

    _not_always_finite: ClassVar[tuple[str, ...]] = ("_means",)  # of an empty cluster
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
        "random_state",
        "n_clusters",
        "n_components",
        assign_labels=[StrOptions({"kmeans", "cluster_qr"})],
        n_init=[Interval(Integral, 1, None, closed="left")],
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
        """Cut the graph of the samples; y is ignored.

        Parameters
        ----------
        X : data of n samples, or the (n, n) matrix of affinities with ``kernel="precomputed"``
            Vectors, frames or objects, as the kernel reads them.
        y : ignored
            There for the sake of pipelines.
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
        """The cluster of new samples, by extension of the eigenvectors; rows of affinities if they were precomputed."""
        check_is_fitted(self)
        n_components = self.embedding_.shape[1]
        kept = self.eigenvalues_ > _SMALL * np.abs(self.eigenvalues_).max()
        values = self._against(X) @ np.column_stack([self.embedding_, np.ones(len(self.embedding_))])
        degrees = values[:, n_components:]
        factor = np.divide(1.0, self.eigenvalues_, out=np.zeros(n_components), where=kept)
        new = values[:, :n_components] / np.where(degrees > 0, degrees, 1.0) * factor
        means = np.where(kept, self._means, 0.0)
        D2 = ((new[:, None] - means) ** 2).sum(axis=2)
        # Where no eigenvector is left that tells clusters apart, their means differ by rounding: the first of equals.
        rounding = _SQUARED_ROUNDING * (np.where(np.isfinite(means), means, 0.0) ** 2).sum(axis=1).max()
        return np.argmax(D2.min(axis=1, keepdims=True) + rounding >= D2, axis=1).astype(np.int32)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self._is_precomputed:
            tags.input_tags.positive_only = True
        return tags


def _normalize(who: str, A: DoubleArray) -> DoubleArray:
    """D^{−1/2} A D^{−1/2} in place, without loops; returns the roots of the degrees, 1 for a sample without edges."""
    least, largest = float(A.min()), float(A.max())
    largest = max(largest, -least)
    if least < -1e-12 * largest:
        raise ValueError(
            f"Negative values in data passed to {who}: kernel values are affinities and must not be negative, but one "
            f"is {least:g}; take a kernel of nonnegative values, such as 'rbf' or 'laplacian'."
        )
    np.maximum(A, 0.0, out=A)
    np.fill_diagonal(A, 0.0)
    degrees = A.sum(axis=1)
    if len(A) > 1 and not degrees.any():
        raise ValueError(f"{who}: the kernel is zero between all samples, a graph without edges; take a wider kernel.")
    root: DoubleArray = np.sqrt(np.where(degrees > 0, degrees, 1.0))
    A /= root
    A /= root[:, None]
    return root


def _normalized_cut(A: DoubleArray, root: DoubleArray, labels: IndexArray) -> float:
    """Σ_c 1 − sᵀAs/sᵀs over the clusters c, where s holds the root degrees of the samples of c."""
    S = (labels[:, None] == np.unique(labels)) * root[:, None]
    return float((1 - (S * (A @ S)).sum(axis=0) / (S**2).sum(axis=0)).sum())


def _cluster_qr(embedding: DoubleArray) -> IndexArray:
    """Labels by the rotation that turns rows, as far as it can, into indicators of the clusters."""
    k = embedding.shape[1]
    pivots = qr(embedding.T, mode="r", pivoting=True)[1]
    U, _, Vt = svd(embedding[pivots[:k]].T)
    return np.asarray(np.abs(embedding @ (U @ Vt)).argmax(axis=1).astype(np.int32))
