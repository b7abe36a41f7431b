"""Laplacian eigenmaps."""

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import Training, finite_fit, finite_values, warn
from mercer._typing import Data, DoubleArray
from mercer.decomposition.manifold import Embedding
from mercer.decomposition.neighborhood import mutual_graph, near
from mercer.solvers import embedding as geometry
from mercer.solvers.neighbors import squares

__all__ = ["LaplacianEigenmaps"]


class LaplacianEigenmaps(Embedding):
    """Laplacian eigenmaps: spectral embedding that preserves neighbourhoods.

    With affinities A_ij ≥ 0, A_ii = 0, and degrees d_i = Σ_j A_ij, each coordinate u minimises Σ_ij A_ij (u_i − u_j)²
    subject to Σ_i d_i u_i² = 1 and Σ_i d_i u_i = 0. The solutions are u = D^(−½)v for the eigenvectors v of L = I −
    D^(−½)AD^(−½) with the smallest eigenvalues λ apart from the trivial one. They are the principal components of the
    kernel A_ij/(d_i d_j) with mean and variance weighted by the degrees. A new sample has the coordinates u(x) = Σ_j
    a(x, x_j) u_j / ((1 − λ) Σ_j a(x, x_j)).

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates; less than n_samples.
    affinity : {"nearest_neighbors", "kernel"}, default="nearest_neighbors"
        With "nearest_neighbors", A_ij = ½([j near i] + [i near j]), where j is near i if it is among the `n_neighbors`
        nearest samples of i or as near as the last of them. With "kernel", A_ij = k(x_i, x_j), which must be
        non-negative.
    n_neighbors : int, default=None
        Number of neighbours, counting the sample itself as scikit-learn does. None uses max(n_samples // 10, 2).
    kernel : str, Kernel or callable, default="linear"
        Kernel that defines the distances √(k(x, x) + k(z, z) − 2k(x, z)), or with ``affinity="kernel"`` the
        affinities; choose e.g. "rbf" for the latter. With "precomputed", X is the Gram matrix or affinity matrix.
        Names: :ref:`kernel-names`. A function is called with two sets of samples.
    metric : {"kernel", "precomputed"}, default="kernel"
        With "precomputed", X holds distances and `kernel` is ignored: a square matrix in `fit`, new samples by
        training samples in `transform`.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of a kernel given by name: 1 / (n_features · X.var()) for "scale", 1 / n_features for "auto".
    degree : int, default=3
        Degree of "poly". Ignored by other kernels.
    coef0 : float, default=0.0
        Constant term of "poly" and "sigmoid". Ignored by other kernels.
    eigen_solver : {"auto", "dense", "arpack"}, default="auto"
        "dense" is LAPACK, "arpack" is block Lanczos (on a sparse factor of L if A is sparse). "auto" chooses by
        `mercer.solvers.choose_eigen_solver` and falls back to LAPACK if Lanczos does not converge.
    tol : float, default=0.0
        Relative residual at which Lanczos stops; 0 stands for rounding accuracy.
    max_iter : int, default=None
        Maximum number of Lanczos steps; None sets a limit that depends on the size of the matrix.
    n_jobs : int, default=None
        Number of threads that compute kernel values; None uses all available ones.
    random_state : int, RandomState or None, default=None
        Seed of the first Lanczos block; None uses a fixed seed.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the training samples.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues λ of L, ascending, without the trivial one.
    n_neighbors_ : int
        Number of neighbours used. Only with ``affinity="nearest_neighbors"``.
    kernel_ : Kernel or None
        Kernel with all parameters resolved to numbers; None for a precomputed matrix.
    X_fit_ : data of n_samples samples
        Training samples. For precomputed input the matrix passed to `fit`, which becomes −½d² for distances d.
    solution_ : mercer.solvers.Solution
        Certificate of the eigenvectors; ``violation`` is their relative residual.
    n_iter_ : int
        Number of iterations of the eigenvalue solver; 1 for LAPACK.
    n_features_in_ : int
        Number of features of X; the number of samples for precomputed matrices. Only for data that has features.
    feature_names_in_ : ndarray of shape (``n_features_in_``,)
        Names of the columns. Only if X was a data frame whose column names are all strings.

    See Also
    --------
    LocallyLinearEmbedding : Preserves the local linear structure.
    Isomap : Preserves geodesic distances.
    mercer.cluster.KernelSpectralClustering : Clusters found in such an embedding.
    sklearn.manifold.SpectralEmbedding : The same coordinates for vectors, without `transform`.

    Notes
    -----
    The cost is O(n²) kernel values, and O(n³) time and one n × n matrix with LAPACK or a sparse factorisation with
    Lanczos. If L has a second eigenvalue 0, the graph is not connected: `fit` warns, because the first coordinates only
    separate the connected components.

    A training sample has no affinity to itself. The affinity of a new sample to a training sample that coincides with
    it is ignored too, so that `transform` of the training samples returns ``embedding_``. With
    ``kernel="precomputed"``, `transform` requires a matrix with a constant diagonal.

    References
    ----------
    * Belkin and Niyogi, *Laplacian eigenmaps for dimensionality reduction and data representation*, 2003,
      doi:10.1162/089976603321780317.
    * Bengio, Delalleau et al., *Learning eigenfunctions links spectral embedding and kernel PCA*, 2004,
      doi:10.1162/0899766041732396.

    Examples
    --------
    On a circle of 40 points with two neighbours each, the coordinates are again a circle, with the eigenvalue
    1 − cos(2π/40):

    >>> import numpy as np
    >>> from mercer.decomposition import LaplacianEigenmaps
    >>> angle = 2 * np.pi * np.arange(40) / 40
    >>> circle = LaplacianEigenmaps(n_neighbors=3).fit(np.column_stack([np.cos(angle), np.sin(angle)]))
    >>> circle.eigenvalues_.round(6), round(1 - np.cos(2 * np.pi / 40), 6)
    (array([0.012312, 0.012312]), np.float64(0.012312))
    >>> np.linalg.norm(circle.embedding_[:4], axis=1).round(6)
    array([0.158114, 0.158114, 0.158114, 0.158114])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Embedding._parameter_constraints,
        "affinity": [StrOptions({"nearest_neighbors", "kernel"})],
        "n_neighbors": [Interval(Integral, 2, None, closed="left"), None],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        affinity: str = "nearest_neighbors",
        n_neighbors: int | None = None,
        kernel: Any = "linear",
        metric: str = "kernel",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        eigen_solver: str = "auto",
        tol: float = 0.0,
        max_iter: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.metric = metric
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None) -> Self:  # noqa: ARG002
        """Compute the affinities and the coordinates.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Training samples in any form the kernel accepts. For precomputed input, the Gram matrix or the distances, of
            shape (n_samples, n_samples).
        y : None, default=None
            Ignored. Present for compatibility with pipelines.

        Returns
        -------
        self
            Fitted estimator.
        """
        return self._fit_training(self._read(X), None)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:  # noqa: ARG002
        self._check_size(training)
        L, degrees = geometry.normalized_laplacian(self._affinities(training))
        root = np.sqrt(degrees)
        null = root / np.linalg.norm(root)
        found = geometry.bottom_eigenpairs(L, null, self.n_components, bound=2.0, **self._options())
        self._keep(training)
        self._conclude(found.vectors / root[:, None], found.values, found.solution)
        if found.values[0] <= 10 * training.n * np.finfo(np.float64).eps:
            warn(
                "LaplacianEigenmaps: the graph of affinities is not connected, so the first coordinates only separate "
                "its connected components; raise n_neighbors or use a wider kernel.",
                UserWarning,
            )
        return self

    def _affinities(self, training: Training) -> Any:
        """Return the affinities: an operator of kernel values, or a CSR matrix of nearest neighbours."""
        if self.affinity == "kernel":
            return training.K
        n = training.n
        self.n_neighbors_ = min(n, max(n // 10, 2)) if self.n_neighbors is None else self.n_neighbors
        if self.n_neighbors_ > n:
            raise ValueError(
                f"LaplacianEigenmaps: n_neighbors={self.n_neighbors_} must be at most n_samples={n}; a sample counts "
                "as one of its own neighbours."
            )
        A, self._reach = mutual_graph(training.K, training.diagonal, self.n_neighbors_)
        return A

    @finite_values
    def transform(self, X: Data) -> DoubleArray:
        """Project samples onto the coordinates.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts. For precomputed input, kernel values or distances between new and
            training samples, of shape (n_samples, n_samples_fit).

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Coordinates; those of training samples are the rows of ``embedding_``.

        Raises
        ------
        ValueError
            If a sample has no affinity to any training sample.
        """
        check_is_fitted(self)
        operator, norms = self._distinct(X)
        kept = 1 - self.eigenvalues_
        scale = np.divide(1.0, kept, out=np.zeros_like(kept), where=np.abs(kept) > 1e-10)
        result = np.empty((len(norms), self.n_components))
        for rows, D2 in squares(operator, norms, self._diag):
            A = operator.rows(rows) if self.affinity == "kernel" else self._mutual(D2)
            twin, alone = D2.argmin(axis=1), D2.min(axis=1, keepdims=True) > 0
            own = np.where(alone, 0.0, np.take_along_axis(A, twin[:, None], axis=1))
            total = A.sum(axis=1, keepdims=True) - own
            if total.min() <= 0:
                raise ValueError(
                    f"LaplacianEigenmaps: sample {rows.start + int(total.argmin())} has no affinity to any training "
                    "sample, so its coordinates are undefined; remove it or use a wider kernel."
                )
            result[rows] = (A @ self.embedding_ - own * self.embedding_[twin]) / total * scale
        return result

    def _mutual(self, D2: DoubleArray) -> DoubleArray:
        """Return ½([j near x] + [x near j]) for new samples x and training samples j."""
        chosen, _ = near(D2, self.n_neighbors_)
        return np.asarray((chosen + (self._reach >= D2).astype(np.float64)) / 2)
