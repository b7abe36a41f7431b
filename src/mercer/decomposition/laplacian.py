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
from mercer.decomposition.neighborhood import near, near_graph
from mercer.solvers import embedding as geometry
from mercer.solvers.neighbors import squares

__all__ = ["LaplacianEigenmaps"]


class LaplacianEigenmaps(Embedding):
    """Coordinates that keep similar samples together.

    With affinities A_ij ≥ 0, A_ii = 0, and degrees d_i = Σ_j A_ij, coordinates u minimise Σ_ij A_ij (u_i − u_j)² for
    Σ_i d_i u_i² = 1 and Σ_i d_i u_i = 0: u = D^(−½)v for the eigenvectors v of L = I − D^(−½)AD^(−½) with the smallest
    eigenvalues λ but the trivial one. They are the principal components of the kernel A_ij/(d_i d_j), with the mean and
    the variance weighted by degrees. A new sample gets u(x) = Σ_j a(x, x_j) u_j / ((1 − λ) Σ_j a(x, x_j)).

    Parameters
    ----------
    n_components : int
        Number of coordinates.
    affinity : {"nearest_neighbors", "kernel"}
        "nearest_neighbors": A_ij = ½([j near i] + [i near j]), where the `n_neighbors` nearest samples are near, and
        all that equal the last of these. "kernel": A_ij = k(x_i, x_j), which must not be negative.
    n_neighbors : int or None
        Number of neighbours, each sample itself among them as in scikit-learn; None: n_samples // 10, at least 2.
    kernel, gamma, degree, coef0
        Whose distances or values are taken, as in `Isomap`: for ``affinity="kernel"`` take e.g. "rbf"; "precomputed" is
        then an affinity matrix.
        Names: docs/kernel-names.md. A function is called with two sets of samples.
    metric : {"kernel", "precomputed"}
        "precomputed": X holds distances (new samples by training samples in `transform`), from which neighbours are
        found; `kernel` does not count.
    eigen_solver : {"auto", "dense", "arpack"}
        LAPACK, or block Lanczos, with a sparse factor of L where A is sparse; "auto" is
        `mercer.solvers.choose_eigen_solver`.
    tol, max_iter, n_jobs, random_state
        As in `Isomap`.

    Attributes
    ----------
    embedding_ : array, shape (n_samples, n_components)
        The training samples.
    eigenvalues_ : array, shape (n_components,)
        λ of L, ascending.
    n_neighbors_ : int
        Number of neighbours, with ``affinity="nearest_neighbors"``.
    X_fit_, kernel_, solution_, n_features_in_, feature_names_in_
        As in `Isomap`.

    Notes
    -----
    O(n²) kernel values; then "dense" takes O(n³) and one n x n matrix, "arpack" a sparse factor. If there is a second
    eigenvalue 0, the graph falls into pieces and a warning says so: the first coordinates then only tell them apart.

    A training sample has no affinity to itself, and none is counted for a new sample that coincides with one; so
    `transform` of training samples gives `embedding_`. With ``kernel="precomputed"`` `transform` needs a matrix with
    constant diagonal, as in `Isomap`.

    References
    ----------
    Belkin and Niyogi, Laplacian eigenmaps for dimensionality reduction and data representation, 2003,
    doi:10.1162/089976603321780317.
    Bengio, Delalleau et al., Learning eigenfunctions links spectral embedding and kernel PCA, 2004,
    doi:10.1162/0899766041732396.

    Examples
    --------
    Neighbours on a circle: the two slowest waves, that is the circle itself.

    >>> import numpy as np
    >>> from mercer.decomposition import LaplacianEigenmaps
    >>> angle = 2 * np.pi * np.arange(40) / 40
    >>> circle = LaplacianEigenmaps(n_neighbors=3).fit(np.column_stack([np.cos(angle), np.sin(angle)]))
    >>> bool(np.allclose(circle.eigenvalues_, 1 - np.cos(2 * np.pi / 40)))
    True
    >>> radius = np.linalg.norm(circle.embedding_, axis=1)
    >>> bool(np.allclose(radius, radius[0]))
    True
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
        """Find affinities, and coordinates that keep similar samples together; y is ignored.

        Parameters
        ----------
        X : data of n samples, or the (n, n) Gram matrix or distances if they are precomputed
            Vectors, frames or objects, as the kernel reads them.
        y : ignored
            There for the sake of pipelines.
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
                "LaplacianEigenmaps: the graph of affinities falls into pieces, which the first coordinates tell apart "
                "and nothing else; raise n_neighbors, or widen the kernel.",
                UserWarning,
            )
        return self

    def _affinities(self, training: Training) -> Any:
        """Affinities: kernel values, or a CSR matrix of nearest neighbours."""
        if self.affinity == "kernel":
            return training.K
        n = training.n
        self.n_neighbors_ = min(n, max(n // 10, 2)) if self.n_neighbors is None else self.n_neighbors
        if self.n_neighbors_ > n:
            raise ValueError(
                f"LaplacianEigenmaps: n_neighbors={self.n_neighbors_} must be at most n_samples={n}: a sample is one "
                "of its neighbours."
            )
        graph, self._reach = near_graph(training.K, training.diagonal, self.n_neighbors_)
        A = (graph + graph.T) / 2
        A.setdiag(0)
        A.eliminate_zeros()
        return A

    @finite_values
    def transform(self, X: Data) -> DoubleArray:
        """Coordinates of samples, of shape (n_samples, n_components); training samples have those of `embedding_`.

        Parameters
        ----------
        X : data of m samples, or an (m, n) matrix of kernel values or distances to the training samples
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
                    "sample, and so no coordinates; leave it out, or widen the kernel."
                )
            result[rows] = (A @ self.embedding_ - own * self.embedding_[twin]) / total * scale
        return result

    def _mutual(self, D2: DoubleArray) -> DoubleArray:
        """½([j near x] + [x near j]) of new samples x and training samples j."""
        chosen, _ = near(D2, self.n_neighbors_)
        return np.asarray((chosen + (self._reach >= D2).astype(np.float64)) / 2)
