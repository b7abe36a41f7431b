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
    """Locally linear embedding: preserves the weights that reconstruct each sample from its neighbours.

    W holds the weights, with rows of sum 1, that minimise Σ_i ‖φ(x_i) − Σ_j W_ij φ(x_j)‖² over the neighbours j of i,
    with regularisation. The coordinates are the eigenvectors of M = (I − W)ᵀ(I − W) with the smallest eigenvalues apart
    from the constant one. Equivalently, they are the kernel PCA of K = λmax I − M, where centring removes the constant.
    A new sample has the coordinates Σ_j w_j y_j, where w are its weights on its nearest training samples and y_j their
    coordinates.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates; less than n_samples.
    n_neighbors : int, default=5
        Number of neighbours of each sample, not counting the sample itself; less than n_samples.
    reg : float, default=1e-3
        Regularisation of the weights: reg · tr(G) is added to the diagonal of the local Gram matrix G of the
        neighbours, centred on the sample.
    kernel : str, Kernel or callable, default="linear"
        Kernel that defines the distances and inner products. "linear" uses those of the vectors. With "precomputed", X
        is the Gram matrix.
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
        "dense" is LAPACK, "arpack" is block Lanczos on a sparse factor of M. "auto" chooses by
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
        Coordinates of the training samples: orthonormal columns with mean 0.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of M, ascending: Σ_i (y_i − Σ_j W_ij y_j)² of each coordinate y.
    reconstruction_error_ : float
        Sum of ``eigenvalues_``.
    kernel_ : Kernel or None
        Kernel with all parameters resolved to numbers; None for a precomputed matrix.
    X_fit_ : data of n_samples samples
        Training samples. For precomputed input the Gram matrix, which is −½d² for distances d.
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
    Isomap : Preserves geodesic distances.
    LaplacianEigenmaps : Preserves neighbourhoods.
    sklearn.manifold.LocallyLinearEmbedding : The same coordinates for vectors, with ``method="standard"``.

    Notes
    -----
    The cost is O(n²) kernel values for the neighbours and O(n k³) for the weights of k neighbours per sample. "dense"
    takes O(n³) and one n × n matrix; "arpack" needs none. If the graph of neighbours is not connected, `fit` warns,
    because the first coordinates only separate the connected components.

    A sample that coincides with a training sample receives its coordinates, so `transform` of distinct training samples
    returns ``embedding_``. Without this rule, as in scikit-learn, `reg` moves it towards its neighbours. With
    ``kernel="precomputed"``, `transform` requires a matrix with a constant diagonal.

    References
    ----------
    * Roweis and Saul, *Nonlinear dimensionality reduction by locally linear embedding*, 2000,
      doi:10.1126/science.290.5500.2323.

    Examples
    --------
    Points on a line are recovered up to scale; the coordinate is perfectly correlated with the position:

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
        """Compute the reconstruction weights and the coordinates.

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
        operator, diagonal = training.K, training.diagonal
        D2, indices = nearest(operator, diagonal, diagonal, self._n_neighbors(training.n), skip_self=True)
        W = neighbor_graph(geometry.barycentric_weights(operator, diagonal, D2, indices, self.reg), indices)
        n_pieces, _ = components(W)
        if n_pieces > 1:
            warn(
                f"LocallyLinearEmbedding: the graph of {self.n_neighbors} nearest neighbours has {n_pieces} connected "
                "components, and the first coordinates only separate these; raise n_neighbors.",
                UserWarning,
            )
        R = sp.csr_array(sp.eye_array(training.n) - W)
        bound = float(abs(R).sum(axis=0).max() * abs(R).sum(axis=1).max())  # ‖R‖₁‖R‖∞ ≥ ‖R‖₂² = λmax(M)
        constant = np.full(training.n, training.n**-0.5)
        found = geometry.bottom_eigenpairs(R.T @ R, constant, self.n_components, bound=bound, **self._options())
        self._keep(training)
        self._conclude(found.vectors, np.square(R @ found.vectors).sum(axis=0), found.solution)
        self.reconstruction_error_ = float(self.eigenvalues_.sum())
        return self

    @finite_values
    def transform(self, X: Data) -> DoubleArray:
        """Project samples: weighted means of the coordinates of their nearest training samples.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts. For precomputed input, kernel values or distances between new and
            training samples, of shape (n_samples, n_samples_fit).

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Coordinates.
        """
        check_is_fitted(self)
        operator, norms = self._distinct(X)
        D2, indices = nearest(operator, norms, self._diag, self.n_neighbors)
        weights = geometry.barycentric_weights(self._gram(), self._diag, D2, indices, self.reg)
        weights[D2[:, 0] == 0] = np.eye(1, self.n_neighbors)  # coincides with a training sample
        return np.asarray(np.einsum("mk,mkd->md", weights, self.embedding_[indices]))
