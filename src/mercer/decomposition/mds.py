"""Classical multidimensional scaling."""

from typing import Any, Self

from sklearn.base import _fit_context
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import Training, finite_fit, finite_values
from mercer._typing import Data, DoubleArray
from mercer.decomposition.manifold import Embedding
from mercer.solvers import embedding as geometry

__all__ = ["ClassicalMDS"]


class ClassicalMDS(Embedding):
    """Classical multidimensional scaling (principal coordinates analysis).

    Classical scaling is kernel PCA of K = −½HD²H, where D holds the distances, D² is squared entry by entry, and
    H = I − 11ᵀ/n. The coordinates are v√λ for the largest eigenvalues λ of K and their unit eigenvectors v. If the
    distances are those of a kernel, K is its centred Gram matrix; Euclidean distances give PCA. A new sample with the
    distances d_i has the coordinates −½Σ_i (d_i² − mean_j D_ij²) v_i/√λ (Gower 1968).

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates; less than n_samples.
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
    Isomap : Scaling of geodesic distances.
    KernelPCA : Principal components in feature space, with more options.
    sklearn.manifold.ClassicalMDS : The same coordinates for vectors, without `transform`.

    Notes
    -----
    One n × n matrix is held. The cost is O(n³) with LAPACK and O(n²) per Lanczos step. `transform` of the training
    samples returns ``embedding_``. Coordinates without a positive eigenvalue are 0, where scikit-learn returns NaN.

    References
    ----------
    * Torgerson, *Multidimensional scaling: I. Theory and method*, 1952, doi:10.1007/BF02288916.
    * Gower, *Adding a point to vector diagrams in multivariate analysis*, 1968, doi:10.1093/biomet/55.3.582.

    Examples
    --------
    A right triangle from the lengths of its sides:

    >>> import numpy as np
    >>> from mercer.decomposition import ClassicalMDS
    >>> sides = np.array([[0.0, 3.0, 5.0], [3.0, 0.0, 4.0], [5.0, 4.0, 0.0]])
    >>> corners = ClassicalMDS(metric="precomputed").fit_transform(sides)
    >>> np.linalg.norm(corners[0] - corners[2]).round(12)
    np.float64(5.0)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
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
        """Compute the coordinates.

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
        found = geometry.principal_coordinates(training.K, self.n_components, **self._options())
        self._coef, self._offset = training.basis.fold(found.coef), found.offset
        self._remember(training)
        self._conclude(found.embedding, found.values, found.solution)
        return self

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
        return self._against(X) @ self._coef + self._offset

    def negative_mass(self) -> float:
        """Compute the share of negative eigenvalues of K.

        Returns
        -------
        float
            Σ|λ₋| / Σ|λ| over all eigenvalues of K; 0 if the distances are Euclidean. The cost is O(n³).
        """
        check_is_fitted(self)
        return geometry.negative_mass(self._gram())
