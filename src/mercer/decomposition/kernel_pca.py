"""Kernel principal component analysis."""

from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelEstimator, Training, constraints, finite_fit, finite_values, warn_unconverged
from mercer._typing import Data, DoubleArray, FloatArray
from mercer.decomposition.from_coordinates import FromCoordinates, as_precise_as
from mercer.decomposition.inverse_map import fit_ridge_map
from mercer.solvers.principal import principal_components
from mercer.solvers.solution import Solution

__all__ = ["KernelPCA"]


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, FromCoordinates, KernelEstimator):  # type: ignore[misc]
    r"""Principal component analysis in the feature space of a kernel.

    With the centred Gram matrix K̃ = HKH, H = I − 1_n, its eigenvectors K̃v_j = λ_j v_j of norm 1 and α_j = v_j/√λ_j, so
    that λ_j⟨α_j, α_j⟩ = 1, coordinate j of a sample x is

        z_j(x) = Σ_i α_ij k̃(x_i, x),

    the projection of φ(x) − φ̄ onto a unit vector of feature space. α is the attribute `scalings_`: `transform` returns
    the centred k(X, X_fit_) times ``scalings_``.

    Parameters
    ----------
    n_components : int or float, default=None
        Number of components. A number between 0 and 1: as many as it takes for that share of the variance. None: all
        of nonzero eigenvalue. Beyond the rank of K̃ coordinates are 0.
    kernel : str, Kernel or callable, default="linear"
        A name with the parameters below, a kernel or its text form, "precomputed", or a function.
        Names: docs/kernel-names.md. A function is called with two samples.
    gamma : float, default=None
        Of the kernels that have it; None: 1/n_features.
    degree : float, default=3
        Of "poly".
    coef0 : float, default=1
        Of "poly" and "sigmoid".
    kernel_params : dict, default=None
        Keyword arguments of a function.
    alpha : float, default=1.0
        Ridge penalty of ``inverse_map="ridge"``. It is not the α of the formula, which is `scalings_`.
    fit_inverse_transform : bool, default=False
        Whether `inverse_transform` will be used.
    eigen_solver : {"auto", "dense", "arpack", "randomized"}, default="auto"
        LAPACK; block Lanczos, to the residual `tol`; a fixed number of its steps. "auto" is LAPACK for few samples or
        many components, else Lanczos, see `mercer.solvers.choose_eigen_solver`. The solver used is stored in
        `eigen_solver_`.
    tol : float, default=0
        Relative residual for "arpack"; 0: rounding.
    max_iter : int, default=None
        Most steps of "arpack".
    iterated_power : int or "auto", default="auto"
        Steps of "randomized" after the first.
    remove_zero_eig : bool, default=False
        Whether components of eigenvalue 0 are left out, also if `n_components` is a number.
    random_state : int, RandomState or None, default=None
        Start of "arpack" and "randomized"; None: always the same.
    copy_X : bool, default=True
        Whether `X_fit_` is a copy of vectors, which the caller may then change. The fit itself changes nothing.
    n_jobs : int, default=None
        Threads; None: all.
    center : bool, default=True
        Whether the mean of the features is subtracted; without, λ and v are those of K.
    inverse_map : {"ridge", "fixed_point", "distance", "nearest"}, default="ridge"
        How `inverse_transform` finds its samples. "ridge": kernel ridge regression from coordinates to samples, with
        the kernel of the samples, as in scikit-learn. The others minimise the distance in feature space, see
        `mercer.decomposition.preimages`; "nearest" takes training samples and works for data of any kind.
    allow_indefinite : bool, default=False
        Whether negative eigenvalues are ignored rather than an error. All eigenvalues are computed.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        λ, descending.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        v, of norm 1; the coordinate of largest modulus among the samples is positive.
    scalings_ : ndarray of shape (n_samples, n_components)
        α = v/√λ, the coefficients of the expansion above; 0 where λ = 0. With sample weights W^½ v/√λ. Computed on
        access.
    explained_variance_ : ndarray of shape (n_components,)
        λ/(n − 1), the variance of the coordinates.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        λ/tr K̃, which needs no other eigenvalues.
    negative_mass_ : float
        Σ|λ₋| / Σ|λ|; NaN unless `allow_indefinite`.
    solution_ : Solution
        `violation` = max_j ‖K̃v_j − λ_j v_j‖ / λ_1, computed after the fact in float64.
    eigen_solver_ : str
        The eigenvalue solver used.
    kernel_ : Kernel or None
        The kernel with numbers for all parameters; None for "precomputed".
    X_fit_ : data
        The training samples.
    gamma_ : float
        `gamma`, or 1/n_features.
    dual_coef_ : ndarray of shape (n_samples, n_features)
        As in scikit-learn, coefficients of the ridge map from coordinates back to samples, not those of the
        components. Only with ``fit_inverse_transform=True`` and ``inverse_map="ridge"``.
    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        Coordinates of the training samples, between which the ridge map interpolates. Only with `dual_coef_`.

    Notes
    -----
    One n × n matrix, two if all eigenvalues are computed; `transform` holds tiles of k(x, x_i). O(n³) for "dense", else
    O(n²) per component and step.

    Weights count samples: a weight of 2 gives the components of a sample that occurs twice, and the mean is weighted.
    λ and v are then those of W^½ K̃ W^½, α = W^½ v/√λ and ``explained_variance_`` = λ/(Σw − 1), or λ/Σw where Σw ≤ 1.

    References
    ----------
    Schölkopf, Smola, Müller, Nonlinear component analysis as a kernel eigenvalue problem, 1998,
    doi:10.1162/089976698300017467.

    Examples
    --------
    The linear kernel gives principal component analysis:

    >>> import numpy as np
    >>> from sklearn.decomposition import PCA
    >>> X = np.random.default_rng(0).normal(size=(50, 5))
    >>> kernel, linear = KernelPCA(3).fit(X), PCA(3).fit(X)
    >>> bool(np.allclose(np.abs(kernel.transform(X)), np.abs(linear.transform(X))))
    True
    >>> bool(np.allclose(kernel.explained_variance_ratio_, linear.explained_variance_ratio_))
    True

    Coordinates are products of the centred kernel values with α:

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
    """

    _functions: ClassVar[Literal["pair", "block"]] = "pair"
    _gram_dtypes = (np.float64, np.float32)  # eigenvalues of float32 matrices have other tolerances
    _not_always_finite: ClassVar[tuple[str, ...]] = ("negative_mass_",)  # unless all eigenvalues are computed
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
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

    # ---- fit

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Find the components.

        Parameters
        ----------
        X : data of n samples
            Vectors, CSR, a frame, a list of whatever the kernel takes, or a Gram matrix.
        y : ignored
        sample_weight : array-like of shape (n,), optional
            Nonnegative.
        """
        if self.fit_inverse_transform and self._is_precomputed and self.inverse_map != "nearest":
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel, unless inverse_map='nearest'.")
        training, _ = self._training(X, sample_weight=sample_weight, targets=False)
        return self._fit_training(training, None)

    def _own(self, X: Data, given: Data) -> Data:
        return _copied(X, given) if self.copy_X else X

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:  # noqa: ARG002
        self._components(training)
        self._remember(training)
        self.gamma_ = getattr(self.kernel_, "gamma", self.gamma)
        if self.gamma_ is None and hasattr(self, "n_features_in_"):
            self.gamma_ = 1 / self.n_features_in_
        if self.fit_inverse_transform and self.inverse_map == "ridge" and self.kernel_ is not None:
            self.X_transformed_fit_ = self._training_scores(weighted=training.weighted)
            self.dual_coef_ = fit_ridge_map(
                self.kernel_, self.X_transformed_fit_, training.X, self.alpha, n_jobs=self.n_jobs
            )
        who = type(self).__name__
        text = (
            f"{who}: the eigenvectors have a relative residual of {self.solution_.violation:.2g} after "
            f"{self.solution_.n_iter} steps. Raise max_iter, loosen tol, or use eigen_solver='dense'."
        )
        warn_unconverged(self, text)
        return self

    def _components(self, training: Training) -> None:
        n, weight = training.n, training.optional_weight
        count = n if self.n_components is None else self.n_components
        if not isinstance(count, float):
            count = min(int(count), n)
        found = principal_components(
            training.K,
            count,
            weight=weight,
            center=self.center,
            indefinite=self.allow_indefinite,
            positive=self.remove_zero_eig or self.n_components is None,
            single=training.K.dtype == np.float32,
            method=self.eigen_solver,
            tol=self.tol,
            max_iter=self.max_iter,
            iterated_power=self.iterated_power,
            random_state=0 if self.random_state is None else check_random_state(self.random_state).randint(2**31),
            n_jobs=self.n_jobs,
        )
        self.eigenvalues_, self.eigenvectors_ = found.values, found.vectors
        self._coef, self._mean = training.basis.fold(found.coef), training.basis.fold(found.mean)
        self._offset = found.offset
        self._weight = weight
        count_all = float(training.weight.sum())
        self.explained_variance_ = found.values / (count_all - 1 if count_all > 1 else count_all)
        self.explained_variance_ratio_ = found.values / found.total if found.total > 0 else np.zeros_like(found.values)
        self.negative_mass_ = found.negative_mass
        self.solution_: Solution = found.solution
        self.eigen_solver_ = found.method

    @property
    def scalings_(self) -> DoubleArray:
        """α = v/√λ, ndarray of shape (n_samples, n_components); 0 where λ = 0. With sample weights W^½ v/√λ."""
        check_is_fitted(self)
        root = np.sqrt(np.where(self.eigenvalues_ > 0, self.eigenvalues_, np.inf))
        scalings: DoubleArray = self.eigenvectors_ / root
        return scalings if self._weight is None else np.sqrt(self._weight)[:, None] * scalings

    def fit_transform(self, X: Data, y: Any = None, sample_weight: Any = None) -> FloatArray:
        """Find the components; coordinates of the samples, shape (n, n_components). As `fit`, then `transform`."""
        self.fit(X, y, sample_weight)
        return as_precise_as(X, self._training_scores(weighted=sample_weight is not None))

    def _training_scores(self, *, weighted: bool) -> DoubleArray:
        if weighted:  # some may be zero, and eigenvectors say nothing about those samples
            return np.asarray(self._against(self.X_fit_) @ self._coef + self._offset)
        return np.asarray(self.eigenvectors_ * np.sqrt(self.eigenvalues_))

    # ---- new samples

    @finite_values
    def transform(self, X: Data) -> FloatArray:
        """Coordinates of new samples, shape (m, n_components); with a Gram matrix, from rows k(x, x_i)."""
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


def _copied(X: Data, given: Data) -> Data:
    """X, or a copy if it is the caller's array."""
    values, others = (getattr(data, "data", data) if sp.issparse(data) else data for data in (X, given))
    shared = isinstance(values, np.ndarray) and isinstance(others, np.ndarray) and np.may_share_memory(values, others)
    return X.copy() if shared else X
