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
    """Coordinates whose distances are as near as a projection can have them to given ones (principal coordinates).

    Kernel PCA of K = −½HD²H with the distances D and H = I − 11ᵀ/n: coordinates v√λ of the largest eigenvalues λ and
    their vectors v. If D comes from a kernel, K is its centred Gram matrix: Euclidean distances give PCA. A new sample
    with the distances d_i gets the coordinates of Gower, −½Σ_i (d_i² − mean_j D_ij²) v_i/√λ.

    Parameters
    ----------
    n_components : int
        Number of coordinates.
    kernel : str, Kernel or callable
        Whose distances √(k(x,x) + k(z,z) − 2k(x,z)) are taken: "linear", the Euclidean ones, or any other kernel on
        any data; "precomputed": X is the Gram matrix.
        Names: docs/kernel-names.md. A function is called with two sets of samples.
    metric : {"kernel", "precomputed"}
        "precomputed": X holds distances (new samples by training samples in `transform`), and `kernel` does not count.
    gamma, degree, coef0, eigen_solver, tol, max_iter, n_jobs, random_state
        As in `Isomap`.

    Attributes
    ----------
    embedding_ : array, shape (n_samples, n_components)
        The training samples.
    eigenvalues_ : array, shape (n_components,)
        Of K, descending; coordinates of eigenvalues that are not positive are 0.
    X_fit_, kernel_, solution_, n_features_in_, feature_names_in_
        As in `Isomap`; `X_fit_` is the Gram matrix if X was precomputed, −½d² for distances.

    Notes
    -----
    One n x n matrix; O(n³), or O(n²) per step of Lanczos. `transform` of training samples gives `embedding_`. Unlike
    scikit-learn's estimator of this name, it takes new samples, and axes without a positive eigenvalue are 0, not NaN.

    References
    ----------
    Torgerson, Multidimensional scaling: I. Theory and method, 1952, doi:10.1007/BF02288916.
    Gower, Adding a point to vector diagrams in multivariate analysis, 1968, doi:10.1093/biomet/55.3.582.

    Examples
    --------
    A right-angled triangle from the lengths of its sides:

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
        """Find coordinates; y is ignored.

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
        self._check_size(training)
        found = geometry.principal_coordinates(training.K, self.n_components, **self._options())
        self._coef, self._offset = training.basis.fold(found.coef), found.offset
        self._remember(training)
        self._conclude(found.embedding, found.values, found.solution)
        return self

    @finite_values
    def transform(self, X: Data) -> DoubleArray:
        """Coordinates of samples, of shape (n_samples, n_components); training samples have those of `embedding_`.

        Parameters
        ----------
        X : data of m samples, or an (m, n) matrix of kernel values or distances to the training samples
        """
        check_is_fitted(self)
        return self._against(X) @ self._coef + self._offset

    def negative_mass(self) -> float:
        """Σ|λ₋| / Σ|λ| of K, from all its eigenvalues, O(n³): 0 if D are distances of points in a Euclidean space."""
        check_is_fitted(self)
        return geometry.negative_mass(self._gram())
