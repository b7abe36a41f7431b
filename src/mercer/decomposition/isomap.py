"""Isomap: classical scaling of geodesic distances."""

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import Training, finite_fit, finite_values, warn
from mercer._estimator.basis import Kept
from mercer._runtime.limits import require_memory
from mercer._typing import Data, DoubleArray
from mercer.decomposition.manifold import Embedding
from mercer.decomposition.neighborhood import components, geodesics, linked, neighbor_graph
from mercer.operators.tiles import panels
from mercer.solvers import embedding as geometry
from mercer.solvers.neighbors import nearest

__all__ = ["Isomap"]

_PANEL = 8_000_000  # size of a panel of geodesic distances


class Isomap(Embedding):
    """Isomap: embedding that preserves geodesic distances along the data.

    Isomap is kernel PCA of K = −½HD²H, where D_ij is the length of the shortest path from sample i to sample j in the
    graph of `n_neighbors` nearest neighbours, D² is squared entry by entry, and H = I − 11ᵀ/n. A new sample x is linked
    to its nearest training samples. Its geodesic distances are d(x, x_i) = min_j ‖φ(x) − φ(x_j)‖ + D_ji over these
    neighbours j, and it is projected as in kernel PCA (Bengio et al. 2004).

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates; less than n_samples.
    n_neighbors : int, default=5
        Number of neighbours of each sample, not counting the sample itself; less than n_samples.
    kernel : str, Kernel or callable, default="linear"
        Kernel that defines the distances √(k(x, x) + k(z, z) − 2k(x, z)). "linear" gives Euclidean distances. With
        "precomputed", X is the Gram matrix.
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
        "dense" is LAPACK, "arpack" is block Lanczos. "auto" chooses by `mercer.solvers.choose_eigen_solver`
        and falls back to LAPACK if Lanczos does not converge.
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
        Largest eigenvalues of K, descending. Coordinates that belong to eigenvalues ≤ 0 are 0.
    dist_matrix_ : ndarray of shape (n_samples, n_samples)
        Geodesic distances D.
    kernel_ : Kernel or None
        Kernel with all parameters resolved to numbers; None for a precomputed matrix.
    X_fit_ : data of n_samples samples, or None
        Training samples; None for precomputed input.
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
    ClassicalMDS : Scaling of the distances themselves, without a graph.
    LocallyLinearEmbedding : Preserves the local linear structure.
    LaplacianEigenmaps : Preserves the neighbourhoods.
    KernelPCA : Principal components in feature space.
    sklearn.manifold.Isomap : The same coordinates for vectors.

    Notes
    -----
    If the graph is not connected, `fit` warns and links every two connected components by their nearest samples, as
    scikit-learn does. The cost is O(n²) kernel values and O(n² log n) for the shortest paths. Two n × n matrices are
    held during the fit, of which ``dist_matrix_`` remains.

    `transform` of the training samples returns ``embedding_``. With ``kernel="precomputed"``, `transform` requires a
    Gram matrix with a constant diagonal, because k(x, x) of new samples is unknown otherwise.

    References
    ----------
    * Tenenbaum, de Silva and Langford, *A global geometric framework for nonlinear dimensionality reduction*, 2000,
      doi:10.1126/science.290.5500.2319.
    * Bengio, Paiement et al., *Out-of-sample extensions for LLE, Isomap, MDS, eigenmaps and spectral clustering*, 2004.

    Examples
    --------
    A half circle of radius 1 unrolls to a segment of length π:

    >>> import numpy as np
    >>> from mercer.decomposition import Isomap
    >>> angle = np.linspace(0, np.pi, 200)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> model = Isomap(1, n_neighbors=2).fit(X)
    >>> round(float(np.ptp(model.embedding_)), 3)
    3.142
    >>> model.embedding_[::50].ravel().round(3)
    array([ 1.571,  0.781, -0.008, -0.797])
    >>> model.transform(X[::50]).ravel().round(3)
    array([ 1.571,  0.781, -0.008, -0.797])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Embedding._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
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
        """Compute the geodesic distances and the coordinates.

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
        graph, n_pieces = self._graph(training)
        if n_pieces > 1:
            warn(
                f"Isomap: the graph of {self.n_neighbors} nearest neighbours has {n_pieces} connected components, "
                "which are linked by their nearest samples. Distances between components are unreliable; raise "
                "n_neighbors.",
                UserWarning,
            )
        self.dist_matrix_ = geodesics(graph)
        K = np.square(self.dist_matrix_)
        K *= -0.5
        found = geometry.principal_coordinates(K, self.n_components, **self._options())
        self._coef, self._offset, self._square = found.coef, found.offset, found.square
        self._conclude(found.embedding, found.values, found.solution)
        return self

    def _graph(self, training: Training) -> tuple[Any, int]:
        """Return the connected neighbourhood graph and the number of components before linking."""
        self._check_size(training)
        n, operator, diagonal = training.n, training.K, training.diagonal
        require_memory(
            16 * n**2,
            what=f"Isomap: 2 dense {n} x {n} matrices of 64-bit numbers",
            instead="Fit on fewer samples and transform the others.",
        )
        D2, indices = nearest(operator, diagonal, diagonal, self._n_neighbors(n), skip_self=True)
        graph = neighbor_graph(np.sqrt(D2), indices)
        n_pieces, labels = components(graph)
        if n_pieces > 1:
            graph = linked(graph, labels, operator, diagonal)
        self._keep(training)
        if training.kernel is None:
            self.X_fit_, self._kept = None, Kept()  # transform receives kernel values or distances
        return graph, n_pieces

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
        """
        check_is_fitted(self)
        operator, norms = self._distinct(X)
        D2, indices = nearest(operator, norms, self._diag, self.n_neighbors)
        links, n = np.sqrt(D2), len(self._diag)
        result = np.empty((len(links), self.n_components))
        for rows in panels(len(links), max(1, _PANEL // n)):
            paths = np.full((rows.stop - rows.start, n), np.inf)
            for link, neighbor in zip(links[rows].T, indices[rows].T, strict=True):
                np.minimum(paths, self.dist_matrix_[neighbor] + link[:, None], out=paths)
            np.square(paths, out=paths)
            paths *= -0.5
            result[rows] = paths @ self._coef + self._offset
        return result

    def reconstruction_error(self) -> float:
        """Compute the reconstruction error of the embedding.

        Returns
        -------
        float
            ‖K − K_embedding‖ / n in the Frobenius norm, that is √(Σ λ²)/n over the eigenvalues that were left out.
        """
        check_is_fitted(self)
        axes = np.maximum(self.eigenvalues_, 0.0)
        return float(np.sqrt(max(0.0, self._square - float(axes @ axes)))) / len(self._diag)

    def negative_mass(self) -> float:
        """Compute the share of negative eigenvalues of K.

        Returns
        -------
        float
            Σ|λ₋| / Σ|λ| over all eigenvalues of K; 0 if the geodesic distances are Euclidean. The cost is O(n³).
        """
        check_is_fitted(self)
        K = np.square(self.dist_matrix_)
        K *= -0.5
        return geometry.negative_mass(K)
