"""Kernel principal component analysis."""

from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import constraints, finite_values
from mercer._typing import Data, DoubleArray, FloatArray
from mercer.decomposition.from_coordinates import FromCoordinates, as_precise_as
from mercer.decomposition.incremental import IncrementalComponents

__all__ = ["KernelPCA"]


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, FromCoordinates, IncrementalComponents):  # type: ignore[misc]
    """Kernel principal component analysis.

    KernelPCA finds the directions of largest variance in the feature space of a kernel. Let K̃ = HKH with H = I − 1_n
    be the centred Gram matrix, and v_j its unit eigenvectors, K̃v_j = λ_j v_j. With α_j = v_j/√λ_j, so that λ_j⟨α_j,
    α_j⟩ = 1, coordinate j of a sample x is

        z_j(x) = Σ_i α_ij k̃(x_i, x),

    the projection of φ(x) − φ̄ onto a unit vector of feature space. The attribute `scalings_` holds α: `transform`
    returns the centred kernel values k(X, ``X_fit_``) times ``scalings_``.

    Parameters
    ----------
    n_components : int or float, default=None
        Number of components. A number in (0, 1) selects as many as are needed for that share of the variance. None
        keeps all components with a nonzero eigenvalue. Coordinates beyond the rank of K̃ are 0.
    kernel : str, Kernel or callable, default="linear"
        Name of a kernel (with the parameters below), a kernel object, its text form, "precomputed" for a Gram matrix,
        or a function. Names: :ref:`kernel-names`. A function is called with two samples.
    gamma : float, default=None
        Coefficient of a kernel given by name; None stands for 1 / n_features.
    degree : float, default=3
        Degree of "poly". Ignored by other kernels.
    coef0 : float, default=1
        Constant term of "poly" and "sigmoid". Ignored by other kernels.
    kernel_params : dict, default=None
        Keyword arguments of a function passed as `kernel`.
    alpha : float, default=1.0
        Ridge penalty of ``inverse_map="ridge"``. It is unrelated to the α above, which is stored in `scalings_`.
    fit_inverse_transform : bool, default=False
        Whether to prepare `inverse_transform`.
    eigen_solver : {"auto", "dense", "arpack", "randomized"}, default="auto"
        "dense" is LAPACK, "arpack" is block Lanczos until the residual is below `tol`, "randomized" is a fixed number
        of Lanczos steps. "auto" uses LAPACK for few samples or many components and Lanczos otherwise, see
        `mercer.solvers.choose_eigen_solver`. If the kernel has few explicit features, as the linear kernel on vectors,
        "auto" solves the smaller eigenproblem in these features. The solver used is stored in ``eigen_solver_``. An
        approximation is always solved in its features by LAPACK, without `eigen_solver`, `tol`, `max_iter`,
        `iterated_power` and `random_state`.
    tol : float, default=0
        Relative residual at which "arpack" stops; 0 stands for rounding accuracy.
    max_iter : int, default=None
        Maximum number of steps of "arpack"; None sets a limit that depends on the size of the matrix.
    iterated_power : int or "auto", default="auto"
        Number of steps of "randomized" after the first. "auto" takes 7 if n_components < n_samples / 10 and 4
        otherwise.
    remove_zero_eig : bool, default=False
        Whether to remove components with eigenvalue 0. They are always removed if `n_components` is None.
    random_state : int, RandomState or None, default=None
        Seed of "arpack" and "randomized"; None uses a fixed seed.
    copy_X : bool, default=True
        Whether ``X_fit_`` is a copy of the vectors, so that the caller may modify them. The fit itself never modifies
        X.
    n_jobs : int, default=None
        Number of threads; None uses all available ones.
    center : bool, default=True
        Whether to centre the data in feature space. Otherwise λ and v are those of K.
    inverse_map : {"ridge", "fixed_point", "distance", "nearest"}, default="ridge"
        Method of `inverse_transform`. "ridge" is kernel ridge regression from coordinates to samples with the kernel of
        the samples, as in scikit-learn. The others minimise the distance in feature space, see
        `mercer.decomposition.preimages`; "nearest" returns training samples and works for any kind of data.
    allow_indefinite : bool, default=False
        Whether to ignore negative eigenvalues instead of raising an error. All eigenvalues are then computed, which
        needs an exact fit.
    approximation : None, "auto", int or transformer, default=None
        Approximation of the kernel by explicit features. None: no approximation. An int m: Nyström features of m
        landmarks. A `mercer.kernel_approximation.Nystroem` or `RandomFourierFeatures` object: its features, with the
        kernel of this estimator. "auto": exact up to 10 000 samples, otherwise landmarks until the relative residual is
        at most 0.001 or their number reaches a limit, see :ref:`scaling`.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues λ, descending.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Unit eigenvectors v. Signs are such that the training coordinate of largest modulus is positive. Only if the fit
        is exact.
    scalings_ : ndarray of shape (n_samples, n_components)
        α = v/√λ, the coefficients of the expansion above; 0 where λ = 0. With sample weights W^½ v/√λ. With an
        approximation, the coefficients over its landmarks or random features. Computed on access.
    explained_variance_ : ndarray of shape (n_components,)
        λ/(n − 1), the variance of the coordinates.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        λ/tr K̃, the share of each component in the total variance. With an approximation, a lower bound: the variance
        that the features do not have is part of the total.
    eigenvalue_bound_ : float
        Upper bound on the error of eigenvalues by the approximation, tr(K − K̂) with sample weights: the i-th eigenvalue
        of the exact problem is between ``eigenvalues_[i]`` and ``eigenvalues_[i] + eigenvalue_bound_``, and the same
        bound holds for their sum. 0 if the fit is exact, NaN for random features.
    explained_variance_ratio_bound_ : float
        Upper bound on the amount by which the exact share of each component in the total variance, and the sum of these
        shares, exceed those of ``explained_variance_ratio_``. 0 if the fit is exact, NaN for random features.
    negative_mass_ : float
        Σ|λ₋| / Σ|λ| over all eigenvalues; NaN unless `allow_indefinite` is True.
    solution_ : mercer.solvers.Solution
        Certificate of the eigenvectors; ``violation`` is max_j ‖K̃v_j − λ_j v_j‖ / λ_1, computed in float64, and
        ``objective`` is Σλ, which is maximised. With an approximation, ``exact_gap`` is ``eigenvalue_bound_``, so that
        ``exact_interval`` contains the sum of as many eigenvalues of the exact problem.
    eigen_solver_ : str
        Eigenvalue solver used: "dense", "arpack", "randomized", or "factor" for the eigenproblem in explicit features.
    kernel_ : Kernel or None
        Kernel with all parameters resolved to numbers; None for a precomputed matrix.
    X_fit_ : data of n_samples samples
        Training samples, or the Gram matrix for ``kernel="precomputed"``. With an approximation, its landmarks, to
        which ``scalings_`` belong; None for random features.
    approximation_ : mercer.approximation.FittedApproximation or None
        Approximation that was used; None if the fit is exact.
    gamma_ : float or None
        The ``gamma`` of ``kernel_`` if it has one, else `gamma`, or 1 / n_features where that is None.
    dual_coef_ : ndarray of shape (n_samples, n_features)
        Coefficients of the ridge map from coordinates to samples, as in scikit-learn; not the coefficients of the
        components. Only with ``fit_inverse_transform=True`` and ``inverse_map="ridge"``.
    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        Coordinates of the training samples, the inputs of the ridge map; with an approximation, of its landmarks, to
        which ``dual_coef_`` belong then. Only if ``dual_coef_`` exists.
    n_features_in_ : int
        Number of features of X; the number of samples for precomputed matrices. Only for data that has features.
    feature_names_in_ : ndarray of shape (``n_features_in_``,)
        Names of the columns. Only if X was a data frame whose column names are all strings.

    See Also
    --------
    preimages : Samples for points of feature space.
    ClassicalMDS : The same coordinates from distances.
    mercer.discriminant.KernelDiscriminantAnalysis : Directions that separate classes.
    sklearn.decomposition.KernelPCA : The estimator whose interface this class extends.

    Notes
    -----
    One n × n matrix is held, two if all eigenvalues are computed. `transform` computes k(x, x_i) in tiles. The cost is
    O(n³) for "dense" and O(n²) per component and step otherwise.

    Integer sample weights are equivalent to repeating the samples, and the mean is weighted. λ and v are then those of
    W^½ K̃ W^½, α = W^½ v/√λ, and ``explained_variance_`` is λ/(Σw − 1), or λ/Σw if Σw ≤ 1.

    With an approximation of r features, the fit takes O(nr²) in one pass over the samples, O(r³) for the eigenproblem
    and a second pass of O(nr) kernel values for the signs, in blocks of samples. K − K̂ ⪰ 0 for landmarks, from which
    the bounds follow. `inverse_transform` uses the landmarks in place of the training samples, and the ridge map
    is fitted to all samples in the span of the landmarks. Random features have no `inverse_transform`.

    References
    ----------
    * Schölkopf, Smola and Müller, *Nonlinear component analysis as a kernel eigenvalue problem*, Neural Computation 10,
      1998, doi:10.1162/089976698300017467.

    Examples
    --------
    The linear kernel gives principal component analysis:

    >>> import numpy as np
    >>> from sklearn.decomposition import PCA
    >>> from mercer.decomposition import KernelPCA
    >>> X = np.random.default_rng(0).normal(size=(50, 5))
    >>> KernelPCA(3).fit(X).explained_variance_ratio_.round(4)
    array([0.2926, 0.2294, 0.1979])
    >>> PCA(3).fit(X).explained_variance_ratio_.round(4)
    array([0.2926, 0.2294, 0.1979])

    Coordinates are the centred kernel values times α:

    >>> from mercer.kernels import RBF
    >>> from mercer.operators import center_gram
    >>> kernel, Z = RBF(gamma=0.1), X[:2] + 0.5
    >>> pca = KernelPCA(2, kernel=kernel).fit(X)
    >>> centred = center_gram(kernel(Z, X), kernel(X))
    >>> (centred @ pca.scalings_).round(3)
    array([[-0.006,  0.195],
           [ 0.096,  0.581]])
    >>> pca.transform(Z).round(3)
    array([[-0.006,  0.195],
           [ 0.096,  0.581]])

    An approximation by landmarks states how far its eigenvalues can be from the exact ones:

    >>> fast = KernelPCA(2, kernel=kernel, approximation=30).fit(X)
    >>> fast.eigenvalues_.round(3), round(fast.eigenvalue_bound_, 3)
    (array([4.838, 3.967]), 1.166)
    >>> pca.eigenvalues_.round(3)
    array([4.866, 4.02 ])
    """

    _functions: ClassVar[Literal["pair", "block"]] = "pair"
    _gram_dtypes = (np.float64, np.float32)  # eigenvalues of float32 matrices need other tolerances
    _not_always_finite: ClassVar[tuple[str, ...]] = (
        "negative_mass_",  # NaN unless all eigenvalues are computed
        "eigenvalue_bound_",  # NaN for random features
        "explained_variance_ratio_bound_",
    )
    _fits_blocks = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
        "approximation",
        "kernel_params",
        "tol",
        "random_state",
        n_components=[
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="neither"),
            None,
        ],
        alpha=[Interval(Real, 0, None, closed="left")],
        fit_inverse_transform=["boolean"],
        eigen_solver=[StrOptions({"auto", "dense", "arpack", "randomized"})],
        max_iter=[Interval(Integral, 1, None, closed="left"), None],
        iterated_power=[Interval(Integral, 0, None, closed="left"), StrOptions({"auto"})],
        remove_zero_eig=["boolean"],
        copy_X=["boolean"],
        center=["boolean"],
        inverse_map=[StrOptions({"ridge", "fixed_point", "distance", "nearest"})],
        allow_indefinite=["boolean"],
    )

    def __init__(
        self,
        n_components: float | None = None,
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: Literal["auto", "dense", "arpack", "randomized"] = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        iterated_power: int | Literal["auto"] = "auto",
        remove_zero_eig: bool = False,
        random_state: Any = None,
        copy_X: bool = True,
        n_jobs: int | None = None,
        center: bool = True,
        inverse_map: Literal["ridge", "fixed_point", "distance", "nearest"] = "ridge",
        allow_indefinite: bool = False,
        approximation: Any = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.center = center
        self.inverse_map = inverse_map
        self.allow_indefinite = allow_indefinite
        self.approximation = approximation

    # ---- fit

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Compute the principal components.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Training samples in any form the kernel accepts, or the Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
            With an approximation also a `mercer.data.BlockSource`, which is read in passes.
            `mercer.data.Checkpointed` around it continues the fit after an interruption.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights. Integer weights are equivalent to repeating the sample; None weights all samples by 1.

        Returns
        -------
        self
            Fitted estimator.
        """
        training = self._prepared(X, sample_weight)
        return self._fit_training(training, None)

    @property
    def scalings_(self) -> DoubleArray:
        """Coefficients α of the components in terms of the centred kernel values.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            v/√λ, and 0 where λ = 0. With sample weights W^½ v/√λ. With an approximation, the coefficients over its
            landmarks or random features.
        """
        check_is_fitted(self)
        if not hasattr(self, "eigenvectors_"):
            return self._coef.copy()
        root = np.sqrt(np.where(self.eigenvalues_ > 0, self.eigenvalues_, np.inf))
        scalings: DoubleArray = self.eigenvectors_ / root
        return scalings if self._weight is None else np.sqrt(self._weight)[:, None] * scalings

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_transform(self, X: Data, y: Any = None, sample_weight: Any = None) -> FloatArray:  # noqa: ARG002
        """Compute the principal components and the coordinates of the training samples.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Training samples in any form the kernel accepts, or the Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights. Integer weights are equivalent to repeating the sample; None weights all samples by 1.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Coordinates, equal to those of `fit` followed by `transform`.
        """
        scores = self._decompose(self._prepared(X, sample_weight), scored=True)
        assert scores is not None
        return as_precise_as(X, scores)

    # ---- new samples

    @finite_values
    def transform(self, X: Data) -> FloatArray:
        """Project samples onto the components.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts, or kernel values with the training samples, of shape (n_samples,
            n_samples_fit), for ``kernel="precomputed"``.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Coordinates; of type float32 if X is.
        """
        check_is_fitted(self)
        return as_precise_as(X, self._against(X) @ self._coef + self._offset)

    # ---- scikit-learn

    @property
    def _n_features_out(self) -> int:
        return len(self.eigenvalues_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
