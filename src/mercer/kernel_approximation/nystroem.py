"""Nyström features as a transformer."""

from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelEstimator, Training, constraints, finite_fit, finite_values
from mercer._estimator.basis import Basis, Kept, basis_of
from mercer._estimator.landmark_features import LandmarkFeatures
from mercer._estimator.landmarks import landmark_features
from mercer._runtime.factors import invert_triangle
from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer.approximation import NystroemFactor
from mercer.data import BlockSource

__all__ = ["Nystroem"]


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):  # type: ignore[misc]
    """Nyström features: an approximate feature map for any kernel, from landmarks among the training samples.

    With landmarks Z and the Cholesky factor K_ZZ = LLᵀ, the features of a sample x are φ̂(x) = L⁻¹k(Z, x). Their inner
    products k̂(x, z) = ⟨φ̂(x), φ̂(z)⟩ equal k(x, z) if x or z is a landmark. A linear model on these features is a kernel
    machine restricted to functions Σ_j c_j k(z_j, ·), at a cost linear in the number of samples.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        Name of a kernel (with the parameters below), a kernel object, its text form, "precomputed" for a Gram matrix,
        or a function. Names: :ref:`kernel-names`. A function is called with two samples.
    gamma : float, default=None
        Coefficient of a kernel given by name; None stands for 1 / n_features.
    coef0 : float, default=None
        Constant term of "poly" and "sigmoid"; None stands for 1. Ignored by other kernels.
    degree : float, default=None
        Degree of "poly"; None stands for 3. Ignored by other kernels.
    kernel_params : dict, default=None
        Keyword arguments of a function passed as `kernel`.
    n_components : int, default=100
        Largest number of landmarks, and of features. It is lowered to the number of samples if there are fewer. Not
        used if the landmarks are given.
    random_state : int, RandomState or None, default=None
        Seed of the selection of landmarks.
    n_jobs : int, default=None
        Number of threads; None uses all available ones.
    landmarks : {"rpcholesky", "uniform", "kmeans++"} or data, default="rpcholesky"
        Method of `mercer.approximation.select_landmarks`, or the landmarks themselves as samples.

    Attributes
    ----------
    kernel_ : Kernel or None
        Kernel with all parameters resolved to numbers; None for "precomputed".
    components_ : data of n_components samples
        Landmarks in the order of selection; of shape (n_components, n_features) for vectors. Rows of the Gram matrix
        for "precomputed".
    component_indices_ : ndarray of shape (n_components,), or None
        Indices of the landmarks among the training samples; None if the landmarks were given.
    normalization_ : ndarray of shape (n_components, n_components)
        L⁻¹. `transform` returns k(X, ``components_``) times its transpose.
    residual_curve_ : ndarray of shape (n_components + 1,)
        Relative traces tr(K − K̂_j)/tr K of the residual for the first j = 0, … landmarks, where K is the Gram matrix of
        the candidates.
    residual_trace_ : float
        Last entry of ``residual_curve_``, the relative error of the approximation.
    n_candidates_ : int
        Number of training samples from which the landmarks were selected: all samples, or a random subset if there are
        more than 20 000 or than 4·10¹⁰ / n_components². The subset has at least 5 samples per landmark.
    n_features_in_ : int
        Number of features of X. Only for data that has features.
    feature_names_in_ : ndarray of shape (``n_features_in_``,)
        Names of the columns. Only if X was a data frame whose column names are all strings.

    See Also
    --------
    RandomFourierFeatures : Features that do not depend on the data, for shift-invariant kernels.
    mercer.preprocessing.FeatureMap : Exact features, for kernels with a finite-dimensional φ.
    mercer.approximation.select_landmarks : Selection of landmarks as a function.
    mercer.approximation.nystroem : Nyström features as a function.

    Notes
    -----
    The features are nested: the first j columns are the features of the first j landmarks. There are fewer than
    `n_components` features if the residual of fewer landmarks is rounding error. Landmarks that depend on others up to
    rounding are left out, with a warning if they were given or not selected by "rpcholesky".

    For n samples, m landmarks and n' candidates, `fit` takes n'm kernel values and O(n'm²) operations, and `transform`
    nm kernel values and O(nm²) operations in blocks of rows. Kernels that are not positive semidefinite raise an error.

    References
    ----------
    * Williams and Seeger, *Using the Nyström method to speed up kernel machines*, NIPS 2000.
    * Chen, Epperly, Tropp and Webber, *Randomly pivoted Cholesky: practical approximation of a kernel matrix with few
      entry evaluations*, Communications on Pure and Applied Mathematics, 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernel_approximation import Nystroem
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> features = Nystroem(gamma=0.5, n_components=30, random_state=0)
    >>> F = features.fit_transform(X)
    >>> F.shape, features.residual_curve_[[0, 10, 20, 30]].round(4)
    ((200, 30), array([1.    , 0.1587, 0.0358, 0.0059]))
    >>> float(np.abs(F @ F.T - features.kernel_(X)).mean().round(5))
    0.0004
    """

    _functions = "pair"
    _fits_blocks = True
    _dtypes = (np.float64, np.float32)
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
        "kernel_params",
        "random_state",
        n_components=[Interval(Integral, 1, None, closed="left")],
        coef0=[Interval(Real, None, None, closed="neither"), None],
        degree=[Interval(Real, 1, None, closed="left"), None],
        landmarks=[object],
    )

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: dict[str, Any] | None = None,
        n_components: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        landmarks: Literal["rpcholesky", "uniform", "kmeans++"] | Any = "rpcholesky",
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.landmarks = landmarks

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None) -> Self:  # noqa: ARG002
        """Select the landmarks.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Training samples in any form the kernel accepts, or the Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
            Also a `mercer.data.BlockSource`, which is read in passes.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.

        Returns
        -------
        self
            Fitted estimator.
        """
        return self._fit_training(self._training(X, targets=False)[0], None)

    @finite_values
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_transform(self, X: Data, y: Any = None, **fit_params: Any) -> FloatArray:  # noqa: ARG002
        """Select the landmarks and compute the features of the training samples.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Training samples in any form the kernel accepts, or the Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
        y : None, default=None
            Ignored. Present for compatibility with pipelines.
        **fit_params : dict
            Ignored. Present for compatibility with pipelines.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            Features, equal to those of `fit` followed by `transform` up to rounding.
        """
        if isinstance(X, BlockSource):
            return np.asarray(self.fit(X).transform(X))
        training = self._training(X, targets=False)[0]
        return np.array(self._learn(training).array(training.K.dtype), order="C")

    def _fit_training(self, training: Training, y: Any) -> Self:  # noqa: ARG002
        self._learn(training)
        return self

    @finite_fit
    def _learn(self, training: Training) -> LandmarkFeatures:
        """Set the fitted attributes; return the features of the training samples."""
        found = self._approximate(self, training)
        self.kernel_ = training.kernel
        self.n_candidates_ = found.fitted.n_candidates
        self.residual_curve_ = np.asarray(found.fitted.residual_curve)
        self.residual_trace_ = found.fitted.residual_trace
        self.component_indices_: IndexArray | None = found.fitted.indices
        self.components_ = found.X
        self._cholesky = found.factor.cholesky
        self._kept = Kept.of(found.basis)
        return found

    def _approximate(self, estimator: Any, training: Training) -> LandmarkFeatures:
        """Features for the parameter ``approximation=`` of an estimator, with the kernel of the estimator."""
        return landmark_features(
            estimator,
            training,
            self.n_components,
            self.landmarks,
            self.random_state,
            reason=f"approximation={self!r}",
        )

    def _rebuilt_basis(self) -> Basis:
        return basis_of(self.kernel_, self.components_, self.component_indices_)

    @finite_values
    def transform(self, X: Data) -> FloatArray:
        """Compute the features of samples in blocks of rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts, or kernel values with the training samples, of shape (n_samples,
            n_samples_fit), for ``kernel="precomputed"``.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            Features; of type float32 if the kernel values are.
        """
        K, r = self._against(X), self._n_features_out
        return NystroemFactor(self._cholesky, np.arange(r), r).features(K, dtype=K.dtype)

    @property
    def normalization_(self) -> DoubleArray:
        """Matrix L⁻¹ that maps kernel values with the landmarks to features.

        Returns
        -------
        ndarray of shape (n_components, n_components)
            Lower triangular matrix.
        """
        check_is_fitted(self)
        return invert_triangle(self._cholesky.copy(order="F"))

    @property
    def _n_features_out(self) -> int:
        return len(self._cholesky)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if not self._is_precomputed:
            tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
