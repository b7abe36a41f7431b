"""Isomap: classical scaling of distances along the data."""

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

_PANEL = 8_000_000  # numbers of a panel of geodesic distances


class Isomap(Embedding):
    """Coordinates whose distances are those along the data, on paths from neighbour to neighbour.

    Kernel PCA of K = −½HD²H, where D holds the lengths of shortest paths in the graph of `n_neighbors` nearest
    neighbours, and H = I − 11ᵀ/n. A new sample is linked to its nearest training samples: its distances are
    d(x, x_i) = min_j ‖φ(x) − φ(x_j)‖ + D_ji over these, and it is projected as in kernel PCA (Bengio et al. 2004).

    Parameters
    ----------
    n_components : int
        Number of coordinates.
    n_neighbors : int
        Neighbours of each sample, itself not among them; less than n_samples.
    kernel : str, Kernel or callable
        Whose distances √(k(x,x) + k(z,z) − 2k(x,z)) are taken: "linear", the Euclidean ones, or any other kernel on
        any data; "precomputed": X is the Gram matrix.
        Names: docs/kernel-names.md. A function is called with two sets of samples.
    metric : {"kernel", "precomputed"}
        "precomputed": X holds distances (new samples by training samples in `transform`), and `kernel` does not count.
    gamma, degree, coef0
        Of a kernel that is given by name, as in `mercer.svm.SVC`.
    eigen_solver : {"auto", "dense", "arpack"}
        LAPACK, or block Lanczos; "auto" is `mercer.solvers.choose_eigen_solver`.
    tol : float
        Relative residual at which Lanczos stops; 0: rounding.
    max_iter : int or None
        Most steps of Lanczos; None: as many as are worth it.
    n_jobs : int or None
        Threads for kernel values; None: all that are allowed.
    random_state : int, RandomState or None
        For the first block of Lanczos; None: a fixed one.

    Attributes
    ----------
    embedding_ : array, shape (n_samples, n_components)
        The training samples.
    eigenvalues_ : array, shape (n_components,)
        Of K, descending; coordinates of eigenvalues that are not positive are 0.
    dist_matrix_ : array, shape (n_samples, n_samples)
        D.
    kernel_ : Kernel or None
        With numbers for all parameters; None if X was precomputed.
    solution_ : Solution
        Certificate of the eigenvectors: `violation` is their relative residual.
    n_features_in_, feature_names_in_
        As scikit-learn's.

    Notes
    -----
    If the graph falls into pieces, a warning says so, and every two of them are linked by their nearest samples, as in
    scikit-learn. O(n²) kernel values, O(n² log n) for the paths, and two n x n matrices, of which `dist_matrix_` stays.
    `transform` of training samples gives `embedding_`. With ``kernel="precomputed"`` it needs a matrix with constant
    diagonal: k(x, x) of new samples is not known otherwise.

    References
    ----------
    Tenenbaum, de Silva and Langford, A global geometric framework for nonlinear dimensionality reduction, 2000,
    doi:10.1126/science.290.5500.2319.
    Bengio, Paiement et al., Out-of-sample extensions for LLE, Isomap, MDS, eigenmaps and spectral clustering, 2004.

    Examples
    --------
    A half circle, unrolled:

    >>> import numpy as np
    >>> from mercer.decomposition import Isomap
    >>> angle = np.linspace(0, np.pi, 200)
    >>> line = Isomap(1, n_neighbors=2).fit(np.column_stack([np.cos(angle), np.sin(angle)]))
    >>> round(float(np.ptp(line.embedding_)), 3)  # π
    3.142
    >>> bool(np.allclose(line.transform(line.X_fit_), line.embedding_))
    True
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
        """Measure distances along the data and find coordinates; y is ignored.

        Parameters
        ----------
        X : data of n samples; the (n, n) Gram matrix or distances if they are precomputed
            Vectors, frames or objects, as the kernel reads them.
        y : ignored
            There for the sake of pipelines.
        """
        return self._fit_training(self._read(X), None)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:  # noqa: ARG002
        graph, n_pieces = self._graph(training)
        if n_pieces > 1:
            warn(
                f"Isomap: the graph of {self.n_neighbors} nearest neighbours falls into {n_pieces} pieces, which are "
                "linked by their nearest samples. Distances between pieces mean little; raise n_neighbors to avoid it.",
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
        """The neighbourhood graph in one piece, and the number of pieces it had before."""
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
            self.X_fit_, self._kept = None, Kept()  # new samples come with their kernel values or distances
        return graph, n_pieces

    @finite_values
    def transform(self, X: Data) -> DoubleArray:
        """Coordinates of samples, of shape (n_samples, n_components); training samples have those of `embedding_`.

        Parameters
        ----------
        X : data of m samples, or an (m, n) matrix of kernel values or distances to the training samples
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
        """‖K − K_embedding‖ / n in the Frobenius norm: √(Σ λ² of the axes left out) / n."""
        check_is_fitted(self)
        axes = np.maximum(self.eigenvalues_, 0.0)
        return float(np.sqrt(max(0.0, self._square - float(axes @ axes)))) / len(self._diag)

    def negative_mass(self) -> float:
        """Σ|λ₋| / Σ|λ| of K, from all its eigenvalues, O(n³): how far D is from distances of points in any space."""
        check_is_fitted(self)
        K = np.square(self.dist_matrix_)
        K *= -0.5
        return geometry.negative_mass(K)
