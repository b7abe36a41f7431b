"""Locally linear embedding."""

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import Training, finite_fit, finite_values, warn
from mercer._typing import Data, DoubleArray
from mercer.decomposition.manifold import Embedding
from mercer.decomposition.neighborhood import components, neighbor_graph
from mercer.solvers import embedding as geometry
from mercer.solvers.neighbors import nearest

__all__ = ["LocallyLinearEmbedding"]


class LocallyLinearEmbedding(Embedding):
    """Coordinates in which every sample is the same mean of its neighbours as in the data.

    W holds the weights, of sum 1 for every sample, that minimise Σ_i ‖φ(x_i) − Σ_j W_ij φ(x_j)‖² over the neighbours
    j of i, regularised. Coordinates are the eigenvectors of M = (I − W)ᵀ(I − W) with the smallest eigenvalues but the
    constant one, or the kernel PCA of K = λmax I − M: centring removes the constant. A new sample has the coordinates
    Σ_j w_j y_j, where w are its weights on its nearest training samples.

    Parameters
    ----------
    n_components : int
        Number of coordinates.
    n_neighbors : int
        Neighbours of each sample, itself not among them; less than n_samples.
    reg : float
        Regularisation of the weights: reg · tr(G) is added to the diagonal of the neighbours' Gram matrix G around the
        sample.
    kernel, gamma, degree, coef0
        Whose distances and inner products are taken, as in `Isomap`; "linear" are those of the vectors themselves.
        Names: docs/kernel-names.md. A function is called with two sets of samples.
    metric : {"kernel", "precomputed"}
        "precomputed": X holds distances (new samples by training samples in `transform`), and `kernel` does not count.
    eigen_solver : {"auto", "dense", "arpack"}
        LAPACK, or block Lanczos with a sparse factor of M; "auto" is `mercer.solvers.choose_eigen_solver`.
    tol, max_iter, n_jobs, random_state
        As in `Isomap`.

    Attributes
    ----------
    embedding_ : array, shape (n_samples, n_components)
        The training samples; orthonormal columns of mean zero.
    eigenvalues_ : array, shape (n_components,)
        Of M, ascending: Σ_i (y_i − Σ_j W_ij y_j)² of each coordinate.
    reconstruction_error_ : float
        Their sum.
    X_fit_, kernel_, solution_, n_features_in_, feature_names_in_
        As in `Isomap`.

    Notes
    -----
    O(n²) kernel values for the neighbours and n k² for the weights. "dense" takes O(n³) and one n x n matrix; "arpack"
    needs none. If the graph of neighbours falls into pieces, a warning says so: the first coordinates then only tell
    the pieces apart.

    A sample that coincides with a training sample gets the coordinates of that one, so `transform` of (distinct)
    training samples gives `embedding_`; without this rule, and in scikit-learn, `reg` moves it towards its neighbours.
    With ``kernel="precomputed"`` `transform` needs a matrix with constant diagonal, as in `Isomap`.

    References
    ----------
    Roweis and Saul, Nonlinear dimensionality reduction by locally linear embedding, 2000,
    doi:10.1126/science.290.5500.2323.

    Examples
    --------
    On a line every point is a mean of its neighbours, and its place on the line a coordinate:

    >>> import numpy as np
    >>> from mercer.decomposition import LocallyLinearEmbedding
    >>> t = np.linspace(0, 1, 50)
    >>> model = LocallyLinearEmbedding(1, n_neighbors=4, reg=1e-9).fit(np.column_stack([t, 2 * t]))
    >>> abs(np.corrcoef(model.embedding_[:, 0], t)[0, 1]).round(6)
    np.float64(1.0)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Embedding._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "reg": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        reg: float = 1e-3,
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
        self.reg = reg
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
        """Find the weights of neighbours, and coordinates that they fit; y is ignored.

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
        operator, diagonal = training.K, training.diagonal
        D2, indices = nearest(operator, diagonal, diagonal, self._n_neighbors(training.n), skip_self=True)
        W = neighbor_graph(geometry.barycentric_weights(operator, diagonal, D2, indices, self.reg), indices)
        n_pieces, _ = components(W)
        if n_pieces > 1:
            warn(
                f"LocallyLinearEmbedding: the graph of {self.n_neighbors} nearest neighbours falls into {n_pieces} "
                "pieces, which the first coordinates tell apart and nothing else; raise n_neighbors.",
                UserWarning,
            )
        R = sp.csr_array(sp.eye_array(training.n) - W)
        bound = float(abs(R).sum(axis=0).max() * abs(R).sum(axis=1).max())  # ‖R‖₁‖R‖∞ ≥ ‖R‖₂², the largest of M
        constant = np.full(training.n, training.n**-0.5)
        found = geometry.bottom_eigenpairs(R.T @ R, constant, self.n_components, bound=bound, **self._options())
        self._keep(training)
        self._conclude(found.vectors, np.square(R @ found.vectors).sum(axis=0), found.solution)
        self.reconstruction_error_ = float(self.eigenvalues_.sum())
        return self

    @finite_values
    def transform(self, X: Data) -> DoubleArray:
        """Coordinates of samples, of shape (n_samples, n_components): means of those of their nearest training samples.

        Parameters
        ----------
        X : data of m samples, or an (m, n) matrix of kernel values or distances to the training samples
        """
        check_is_fitted(self)
        operator, norms = self._distinct(X)
        D2, indices = nearest(operator, norms, self._diag, self.n_neighbors)
        weights = geometry.barycentric_weights(self._gram(), self._diag, D2, indices, self.reg)
        weights[D2[:, 0] == 0] = np.eye(1, self.n_neighbors)  # a training sample is its own mean
        return np.asarray(np.einsum("mk,mkd->md", weights, self.embedding_[indices]))
