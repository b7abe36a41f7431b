"""Fisher's discriminant analysis in feature space."""

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import constraints, finite_values
from mercer._typing import Data, DoubleArray
from mercer.discriminant.directions_fit import difference
from mercer.discriminant.gaussian_rule import GaussianRule
from mercer.solvers.discriminant_eigen import ScatterMatrices, scatter_matrices

__all__ = ["KernelDiscriminantAnalysis"]


class KernelDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, GaussianRule):  # type: ignore[misc]
    """Kernel Fisher discriminant analysis (KFD, GDA, KLDA), a transformer and classifier.

    The directions v = Σ_i a_i φ̃(x_i) maximise vᵀS_b v / vᵀ(S_w + μI)v, the scatter between the class means over the
    scatter within the classes, with the penalty μ = reg · tr(S_w)/n, or μ = `mu`. A sample is assigned to the class
    whose mean is nearest in Mahalanobis distance between the projections, corrected by the priors: the rule of linear
    discriminant analysis. `scatter_matrices` returns the textbook matrices M and N of the same problem.

    Parameters
    ----------
    n_components : int, default=None
        Number of directions that `transform` keeps; None keeps all, at most n_classes − 1. Decisions use all
        directions.
    kernel : str, Kernel or callable, default="rbf"
        Name of a kernel (with `gamma`, `degree` and `coef0`), a kernel object, its text form, a function, or
        "precomputed": X is then the Gram matrix.
        Names: :ref:`kernel-names`. A function is called with two sets of samples.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of a kernel given by name: 1 / (n_features · X.var()) for "scale", 1 / n_features for "auto".
    degree : int, default=3
        Degree of "poly". Ignored by other kernels.
    coef0 : float, default=0.0
        Constant term of "poly" and "sigmoid". Ignored by other kernels.
    reg : float or "auto", default=1e-3
        Penalty relative to the mean scatter within classes, so that the scale of the kernel does not matter. "auto"
        tries 37 values between 10⁻⁶ and 10³ and takes the one with the smallest leave-one-out error, ties broken by the
        leave-one-out log loss. All values share one eigendecomposition.
    mu : float, default=None
        Absolute penalty μ, in the units of S_w (of N with ``penalty="coefficients"``). It replaces `reg`. None derives
        μ from `reg`.
    penalty : {"norm", "coefficients"}, default="norm"
        Penalised quantity. "norm" penalises ‖v‖², which gives M a = λ (N + μK) a. "coefficients" penalises ‖a‖², which
        gives the textbook problem M a = λ (N + μI) a with μ = reg · tr(N)/n unless `mu` is given. With an
        approximation, M and N are those of the columns of K that belong to the landmarks, so that ‖a‖² is a sum over
        landmarks; random features have no such problem.
    solver : {"auto", "ridge", "eigen"}, default="auto"
        "ridge" solves a ridge regression on class scores with one Cholesky factorisation. "eigen" solves the
        generalised eigenproblem, with the same directions and about ten times the cost. "auto" uses "ridge", or "eigen"
        if coefficients are penalised, which has no ridge form. With an approximation, the eigenproblem in its features
        is solved in any case.
    priors : array-like of shape (n_classes,), default=None
        Class probabilities; None uses the class shares of the sample weights. They change decisions, not directions.
    loo : bool, default=False
        Whether to compute leave-one-out decision values in closed form. ``reg="auto"`` always computes them.
    n_jobs : int, default=None
        Number of threads that compute kernel values; None uses all available ones.
    approximation : None, "auto", int or transformer, default=None
        Approximation of the kernel by explicit features. None: no approximation. An int m: Nyström features of m
        landmarks. A `mercer.kernel_approximation.Nystroem` or `RandomFourierFeatures` object: its features, with the
        kernel of this estimator. "auto": exact up to 10 000 samples, otherwise landmarks until the relative residual is
        at most 0.001 or their number reaches a limit, see :ref:`scaling`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    priors_ : ndarray of shape (n_classes,)
        Class probabilities.
    dual_coef_ : ndarray of shape (n_samples, rank)
        Coefficients a for the uncentred kernel: projections are k(X, ``X_fit_``) ``dual_coef_`` + ``offset_``. The rank
        is n_classes − 1, or less if the class means span a smaller space.
    offset_ : ndarray of shape (rank,)
        Constants of the projections; the mean of the training samples projects to zero.
    means_ : ndarray of shape (n_classes, rank)
        Projections of the class means.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of each direction in the sum of ``fisher_ratios_``.
    fisher_ratios_ : ndarray of shape (rank,)
        λ = J(a) of each direction: scatter between over scatter within classes, descending.
    mu_ : float
        Absolute penalty μ used.
    reg_ : float
        Penalty relative to the mean scatter within classes: `reg`, the choice of "auto", or the equivalent of `mu`.
    loo_decision_function_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Decision values of every sample by the model fitted to all others with the same μ. NaN for a sample that is
        alone in its class or has weight 0. Only with ``loo=True`` or ``reg="auto"``.
    loo_error_ : float
        Weighted share of samples that the leave-one-out models misclassify; a sample alone in its class counts as
        misclassified. Only with ``loo=True`` or ``reg="auto"``.
    cv_results_ : dict
        Arrays "reg", "loo_error" and "loo_loss" of shape (37,). Only with ``reg="auto"``.
    kernel_ : Kernel or None
        Kernel with all parameters resolved to numbers; None for a precomputed matrix.
    X_fit_ : data of n_samples samples
        Training samples, or the Gram matrix for ``kernel="precomputed"``. With an approximation, its landmarks, to
        which the dual coefficients belong; None for random features.
    approximation_ : mercer.approximation.FittedApproximation or None
        Approximation that was used; None if the fit is exact.
    solution_ : mercer.solvers.Solution
        Certificate. ``violation`` is the relative residual of the linear system or the eigenproblem. ``objective`` is
        the sum over the directions of the share of scatter that lies within classes. With an approximation by landmarks
        and ``penalty="norm"``, ``gap`` bounds its distance to the objective of the exact problem with the same
        ``mu_``, which is not larger, so that ``exact_interval`` contains the latter.
    n_features_in_ : int
        Number of features of X; the number of samples for precomputed matrices. Only for data that has features.
    feature_names_in_ : ndarray of shape (``n_features_in_``,)
        Names of the columns. Only if X was a data frame whose column names are all strings.

    See Also
    --------
    mercer.decomposition.KernelPCA : Directions of largest variance, without labels.
    mercer.svm.SVC : Large-margin classification.
    mercer.faces.KernelFisherface : This model in face recognition.
    sklearn.discriminant_analysis.LinearDiscriminantAnalysis : The limit of the linear kernel and small `reg`.

    Notes
    -----
    The cost is O(n³/3) for "ridge", about 9n³ for "eigen" and ``reg="auto"``, and 2n³/3 more for `loo`. One or two n ×
    n matrices are held.

    The sign of each direction is such that the last class lies on its positive side. If all samples of each class
    coincide, μ is relative to the total scatter and the rule is that of the nearest class mean. Leaving out a weighted
    sample removes its whole weight.

    With an approximation of r features, the fit takes O(nr²) in one pass over the samples, O(r³) for the eigenproblem
    and a second pass of O(nr) kernel values for the certificate. Leave-one-out decisions are those of the features, for
    another O(nr²).

    References
    ----------
    * Mika, Rätsch, Weston, Schölkopf and Müller, *Fisher discriminant analysis with kernels*, 1999,
      doi:10.1109/NNSP.1999.788121.
    * Baudat and Anouar, *Generalized discriminant analysis using a kernel approach*, 2000,
      doi:10.1162/089976600300014980.
    * Cai, He and Han, *Speed up kernel discriminant analysis*, 2011, doi:10.1007/s00778-010-0189-3.
    * Cawley and Talbot, *Efficient leave-one-out cross-validation of kernel Fisher discriminant classifiers*, 2003,
      doi:10.1016/S0031-3203(03)00136-5.

    Examples
    --------
    Three concentric circles differ in the radius alone; one direction separates them:

    >>> import numpy as np
    >>> from mercer.discriminant import KernelDiscriminantAnalysis
    >>> angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> X, y = np.vstack([circle, 2 * circle, 3 * circle]), np.repeat([1, 2, 3], 40)
    >>> model = KernelDiscriminantAnalysis(kernel="poly", degree=2, gamma=1.0).fit(X, y)
    >>> model.score(X, y), model.transform(X).shape
    (1.0, (120, 1))
    >>> model.means_.round(2)
    array([[-222.23],
           [ -40.41],
           [ 262.64]])

    The scale of the kernel has no effect:

    >>> from mercer.kernels import Polynomial
    >>> scaled = KernelDiscriminantAnalysis(kernel=100.0 * Polynomial(degree=2, gamma=1.0, coef0=0.0)).fit(X, y)
    >>> scaled.means_.round(2)
    array([[-222.23],
           [ -40.41],
           [ 262.64]])
    """

    _fits_blocks = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
        "approximation",
        "n_components",
        reg=[Interval(Real, 0.0, None, closed="neither"), StrOptions({"auto"})],
        mu=[Interval(Real, 0.0, None, closed="neither"), None],
        penalty=[StrOptions({"norm", "coefficients"})],
        solver=[StrOptions({"auto", "ridge", "eigen"})],
        priors=["array-like", None],
        loo=["boolean"],
    )

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        reg: Any = 1e-3,
        mu: float | None = None,
        penalty: str = "norm",
        solver: str = "auto",
        priors: Any = None,
        loo: bool = False,
        n_jobs: int | None = None,
        approximation: Any = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.reg = reg
        self.mu = mu
        self.penalty = penalty
        self.solver = solver
        self.priors = priors
        self.loo = loo
        self.n_jobs = n_jobs
        self.approximation = approximation

    _not_always_finite: ClassVar[tuple[str, ...]] = ("loo_decision_function_",)  # NaN for a sample alone in its class

    # ---- fit

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None, sample_weight: Any = None) -> Self:
        """Compute the discriminant directions.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Training samples in any form the kernel accepts, or the Gram matrix of shape (n_samples, n_samples) for
            ``kernel="precomputed"``.
            With an approximation also a `mercer.data.BlockSource`, which is read in passes.
            `mercer.data.Checkpointed` around it continues the fit after an interruption.
        y : array-like of shape (n_samples,), default=None
            Class labels. None: those of the blocks of X.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights. Integer weights are equivalent to repeating the sample. A class whose samples all have
            weight 0 is not among ``classes_``.

        Returns
        -------
        self
            Fitted estimator.
        """
        self._check_combination(type(self).__name__)
        training, y = self._training(X, y, sample_weight)
        check_classification_targets(y)
        return self._fit_training(training, y)

    # ---- use

    def transform(self, X: Data) -> DoubleArray:
        """Project samples onto the discriminant directions.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples
            Samples in any form the kernel accepts, or kernel values with the training samples, of shape (n_samples,
            n_samples_fit), for ``kernel="precomputed"``.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Projections, the most discriminative direction first. There are fewer columns than `n_components` if the
            class means span a smaller space.
        """
        return self._projected(X, getattr(self, "_n_features_out", None))

    def scatter_matrices(self) -> ScatterMatrices:
        r"""Compute the textbook matrices M and N of the training samples.

        Let K be the Gram matrix, K_j its columns of the l_j samples of class j, M_j their mean and M̄ the mean of all
        columns. Then

            M = Σ_j l_j (M_j − M̄)(M_j − M̄)ᵀ,      N = Σ_j K_j (I − 1_{l_j}) K_jᵀ,

        where every entry of 1_{l_j} is 1/l_j. The columns a of ``dual_coef_`` maximise J(a) = aᵀMa / aᵀN_μ a. They
        solve M a = λ N_μ a with λ = ``fisher_ratios_`` and μ = ``mu_``, where N_μ = N + μI with
        ``penalty="coefficients"`` and N_μ = N + μK with ``penalty="norm"``. They are scaled to aᵀN_μ a = n.

        Returns
        -------
        ScatterMatrices
            Named tuple (M, N) of ndarrays of shape (n_samples, n_samples).

        Raises
        ------
        MemoryLimitError
            If three matrices of this size do not fit in memory.
        ValueError
            If the model has only landmarks of an approximation, or was loaded from a file without the labels.

        Notes
        -----
        The cost is O(n³). For two classes M = (l₁l₂/n)(M₂ − M₁)(M₂ − M₁)ᵀ, a multiple of the matrix given in many
        textbooks. Sample weights act as repetitions; N_μ is then N + μ diag(1/w) with ``penalty="coefficients"``.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer.kernels import RBF
        >>> X, y = np.array([[0.0], [0.5], [2.0], [2.5], [3.0]]), [0, 0, 1, 1, 1]
        >>> model = KernelDiscriminantAnalysis(kernel=RBF(gamma=1.0), penalty="coefficients", mu=0.01).fit(X, y)
        >>> M, N = model.scatter_matrices()
        >>> a = model.dual_coef_[:, 0]
        >>> (M @ a / ((N + 0.01 * np.eye(5)) @ a)).round(4)  # λ, in every coordinate
        array([191.4886, 191.4886, 191.4886, 191.4886, 191.4886])
        >>> model.fisher_ratios_.round(4)
        array([191.4886])
        """
        check_is_fitted(self)
        if getattr(self, "approximation_", None) is not None:
            raise ValueError(
                f"{type(self).__name__}: scatter_matrices needs all training samples, of which an approximated fit "
                "stores none but the landmarks; fit the model with approximation=None."
            )
        if not hasattr(self, "_label"):
            raise ValueError(
                f"{type(self).__name__}: scatter_matrices needs the classes of the training samples, which the model "
                "file does not contain; fit the model again."
            )
        K = self._basis.gram(self.n_jobs)
        K.who = type(self).__name__
        return scatter_matrices(K, self._label, np.ones(len(self._label)) if self._weight is None else self._weight)

    @finite_values
    def _projected(self, X: Data, columns: int | None = None) -> DoubleArray:
        against = self._against(X)
        return np.asarray(against @ self.dual_coef_[:, :columns] + self.offset_[:columns])

    def _expansion(self) -> tuple[Data, DoubleArray, DoubleArray]:
        check_is_fitted(self)
        if self.X_fit_ is None:
            return super()._expansion()  # raises
        with np.errstate(divide="ignore"):
            constants = self.offset_ @ self.means_.T + self._constants() + np.log(self.priors_)
        coef = difference(self.dual_coef_ @ self.means_.T).reshape(len(self.dual_coef_), -1)
        return self.X_fit_, coef, difference(constants[None]).ravel()
