"""Discriminant analysis in feature space."""

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import log_softmax
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelEstimator, Training, constraints, finite_fit, finite_values, warn_unconverged
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.discriminant.classes import checked_priors, numbered
from mercer.solvers.discriminant import Directions, Scatter, class_scatter, ridge_directions
from mercer.solvers.discriminant_eigen import (
    ScatterMatrices,
    coefficient_directions,
    eigen_directions,
    scatter_matrices,
    scatter_spectrum,
    spectral_directions,
)
from mercer.solvers.discriminant_loo import LeaveOneOut, leave_one_out, leave_one_out_path

__all__ = ["KernelDiscriminantAnalysis"]

REGS = np.logspace(-6, 3, 37)  # what reg="auto" tries


class KernelDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, ClassifierMixin, TransformerMixin, KernelEstimator):  # type: ignore[misc]
    r"""Fisher's discriminant analysis in the feature space of a kernel (KFD, GDA, KLDA).

    Directions v = Σ_i a_i φ̃(x_i) that maximise vᵀS_b v / vᵀ(S_w + μI)v, the scatter between the class means over that
    within the classes, with μ = reg · tr(S_w)/n, or with μ = `mu` as given. New samples get the class whose mean is
    nearest in the projections, where distances are those of Mahalanobis, corrected by the priors: the rule of linear
    discriminant analysis. `scatter_matrices` returns the same problem in the textbook's matrices M and N.

    Parameters
    ----------
    n_components : int, default=None
        Directions that `transform` keeps; at most n_classes − 1, which None means. Decisions use all.
    kernel : Kernel, str or callable, default="rbf"
        A kernel of `mercer.kernels`, its text form, one of "linear", "poly", "rbf", "sigmoid" (then `gamma`, `degree`,
        `coef0` count), "precomputed", or a function.
        Names: docs/kernel-names.md. A function is called with two sets of samples.
    gamma, degree, coef0
        Parameters of the named kernels, as in `sklearn.svm.SVC`.
    reg : float or "auto", default=1e-3
        Penalty relative to the mean scatter within classes, so that the scale of the kernel does not matter. "auto":
        of 37 values between 10⁻⁶ and 10³ the one of least leave-one-out error, and of those the one of least
        leave-one-out log loss; one eigendecomposition for all.
    mu : float, default=None
        Absolute penalty μ, in the units of S_w (or of N with ``penalty="coefficients"``), in place of the relative
        `reg`. None: μ follows from `reg`.
    penalty : {"norm", "coefficients"}, default="norm"
        What is penalised. "norm": ‖v‖², which gives M a = λ (N + μK) a. "coefficients": ‖a‖², the textbook's
        M a = λ (N + μI) a, with μ = reg · tr(N)/n unless `mu` is given. `scatter_matrices` returns M and N.
    solver : {"auto", "ridge", "eigen"}, default="auto"
        "ridge": one Cholesky factorisation, by regression on scores of the classes. "eigen": the generalised
        eigenproblem; the same directions, some ten times slower. "auto": "ridge", or "eigen" if coefficients are
        penalised, for which there is no other.
    priors : array-like of shape (n_classes,), default=None
        Probabilities of the classes; None: their shares of the weights. They change decisions, not directions.
    loo : bool, default=False
        Whether to compute the leave-one-out decisions, in closed form; with reg="auto" they are always there.
    n_jobs : int, default=None
        Threads for the kernel matrix; None means all that are allowed.

    Attributes
    ----------
    classes_ : array, shape (n_classes,)
        Labels.
    priors_ : array, shape (n_classes,)
        Probabilities of the classes.
    dual_coef_ : array, shape (n_samples, rank)
        a, for the kernel itself (not centred): projections are k(X, X_fit_) ``dual_coef_`` + ``offset_``. The rank is
        n_classes − 1, or less if the class means span less.
    offset_ : array, shape (rank,)
        Constants of the projections: the mean of the training samples projects to zero.
    means_ : array, shape (n_classes, rank)
        Projections of the class means.
    explained_variance_ratio_ : array, shape (n_components,)
        Share of each direction in the scatter between over within classes.
    fisher_ratios_ : ndarray of shape (rank,)
        λ = J(a) of the directions: the scatter between the classes over that within them, descending.
    mu_ : float
        The penalty μ that was used, absolute.
    reg_ : float
        The same relative to the mean scatter within classes: `reg`, what "auto" chose, or what `mu` amounts to.
    loo_decision_function_ : array, shape (n_samples, n_classes) or (n_samples,)
        Decision values of every sample by the rule fitted to all others with the same μ; NaN for a sample alone in its
        class or without weight.
    loo_error_ : float
        The weighted share of samples which that rule gets wrong; one alone in its class always is.
    cv_results_ : dict
        With reg="auto" the arrays "reg", "loo_error" and "loo_loss".
    kernel_ : Kernel
        The kernel with all parameters as numbers; None for "precomputed".
    X_fit_ : data
        The training samples.
    solution_ : mercer.solvers.Solution
        `violation` is the relative residual of the linear system or the eigenproblem, `objective` the sum over
        directions of the share of scatter that is within classes.

    Notes
    -----
    O(n³/3) for the ridge, about 9n³ for "eigen" and reg="auto", 2n³/3 more for `loo`; one n × n matrix, or two. The
    sign of a direction is such that the last class lies on its positive side. If the samples of each class coincide, μ
    is relative to the total scatter, and the rule is that of the nearest class mean. With weights, a sample is left out
    with its whole weight.

    References
    ----------
    S. Mika, G. Rätsch, J. Weston, B. Schölkopf, K.-R. Müller, Fisher discriminant analysis with kernels, 1999,
    doi:10.1109/NNSP.1999.788121. G. Baudat, F. Anouar, Generalized discriminant analysis using a kernel approach, 2000,
    doi:10.1162/089976600300014980. D. Cai, X. He, J. Han, Speed up kernel discriminant analysis, 2011,
    doi:10.1007/s00778-010-0189-3. G. C. Cawley, N. L. C. Talbot, Efficient leave-one-out cross-validation of kernel
    Fisher discriminant classifiers, 2003, doi:10.1016/S0031-3203(03)00136-5.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.discriminant import KernelDiscriminantAnalysis
    >>> angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> X, y = np.vstack([circle, 2 * circle, 3 * circle]), np.repeat([1, 2, 3], 40)
    >>> model = KernelDiscriminantAnalysis(kernel="poly", degree=2, gamma=1.0).fit(X, y)
    >>> model.score(X, y), model.transform(X).shape  # the means of the classes differ in the radius alone
    (1.0, (120, 1))

    The scale of the kernel has no effect:

    >>> from mercer.kernels import Polynomial
    >>> scaled = KernelDiscriminantAnalysis(kernel=100.0 * Polynomial(degree=2, gamma=1.0, coef0=0.0)).fit(X, y)
    >>> bool(np.allclose(scaled.transform(X), model.transform(X)))
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
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

    _not_always_finite: ClassVar[tuple[str, ...]] = ("loo_decision_function_",)  # of a sample alone in its class

    # ---- fit

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any, sample_weight: Any = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : data
            Samples, or their Gram matrix if kernel="precomputed".
        y : array-like, shape (n_samples,)
            Labels.
        sample_weight : array-like, shape (n_samples,), optional
            An integer weight equals so many repetitions, zero absence: a class without weight is not among `classes_`.

        Returns
        -------
        self
        """
        self._check_combination(type(self).__name__)
        training, y = self._training(X, y, sample_weight)
        check_classification_targets(y)
        return self._fit_training(training, y)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:
        who = type(self).__name__
        self.classes_, label = numbered(who, y, training.kept)
        most = len(self.classes_) - 1
        if self.n_components is not None and self.n_components > most:
            raise ValueError(
                f"{who}: n_components cannot be larger than n_classes - 1 = {most}, got {self.n_components}."
            )
        priors = checked_priors(who, self.priors, most + 1)
        size = np.bincount(label, training.weight)
        self.priors_ = size / size.sum() if priors is None else priors
        found = self._directions(training, label, priors)
        self._n_features_out = min(self.n_components or most, len(found.ratio))
        self.dual_coef_, self.offset_ = training.basis.fold(found.coef), found.offset
        self.means_ = found.means
        self.fisher_ratios_ = found.ratio
        self.explained_variance_ratio_ = (found.ratio / found.ratio.sum())[: self._n_features_out]
        self.solution_ = found.solution
        self._remember(training)
        self._label, self._weight = label, training.optional_weight  # for scatter_matrices
        residual = f"the directions have a relative residual of {self.solution_.violation:.2g}"
        text = f"{who}: {residual}. Rounding of the kernel values does not allow more: raise reg or mu."
        warn_unconverged(self, text)
        return self

    def _check_combination(self, who: str) -> None:
        if self.mu is not None and isinstance(self.reg, str):
            raise ValueError(f"{who}: mu={self.mu!r} and reg={self.reg!r} both choose the penalty; pass one of them.")
        if self.penalty == "norm":
            return
        for name, value in (("reg", "auto"), ("solver", "ridge"), ("loo", True)):
            given = getattr(self, name)
            if isinstance(given, type(value)) and given == value:
                raise ValueError(
                    f"{who}: {name}={value!r} needs penalty='norm', got penalty='coefficients': with that penalty the "
                    "directions are not a ridge regression in feature space."
                )

    def _directions(self, training: Training, label: IndexArray, priors: DoubleArray | None) -> Directions:
        """By the solver and penalty that were asked for; sets `reg_` and what leave-one-out says."""
        for name in ("cv_results_", "loo_decision_function_", "loo_error_"):
            self.__dict__.pop(name, None)  # of another fit
        if self.reg == "auto":
            return self._chosen(self._scatter(training, label), priors)
        if self.penalty == "coefficients":
            return coefficient_directions(training.K, label, training.weight, self._penalty)
        if self.loo:
            scatter = self._scatter(training, label)  # overwritten; to compute K twice is cheaper than to copy it
            self._set_loo(leave_one_out(scatter, self._penalty(scatter.spread), priors))
            del scatter
        scatter = self._scatter(training, label)
        mu = self._penalty(scatter.spread)
        if self.solver == "eigen":
            return eigen_directions(scatter, scatter_spectrum(scatter), mu)
        return ridge_directions(scatter, mu)

    def _penalty(self, unit: float) -> float:
        """μ for scatter of this mean size, stored in both units."""
        self.mu_ = float(self.reg) * unit if self.mu is None else float(self.mu)
        self.reg_ = float(self.reg) if self.mu is None else self.mu_ / unit
        return self.mu_

    def _chosen(self, scatter: Scatter, priors: DoubleArray | None) -> Directions:
        """Directions for the `reg` that leave-one-out chooses."""
        spectrum = scatter_spectrum(scatter)
        path = leave_one_out_path(scatter, spectrum, REGS * scatter.spread, priors)
        error, loss = (np.array([getattr(one, name) for one in path]) for name in ("error", "loss"))
        best = int(np.lexsort((loss, error))[0])
        self.reg_ = float(REGS[best])
        self.mu_ = self.reg_ * scatter.spread
        self.cv_results_ = {"reg": REGS.copy(), "loo_error": error, "loo_loss": loss}
        self._set_loo(path[best])
        solve = eigen_directions if self.solver == "eigen" else spectral_directions
        return solve(scatter, spectrum, self.mu_)

    def _scatter(self, training: Training, label: IndexArray) -> Scatter:
        return class_scatter(training.K, label, training.weight)

    def _set_loo(self, found: LeaveOneOut) -> None:
        self.loo_decision_function_ = _difference(found.decision)
        self.loo_error_ = found.error

    # ---- use

    def transform(self, X: Data) -> DoubleArray:
        """Projections on the directions, of shape (n_samples, n_components), the best separating first.

        There are fewer columns than `n_components` if the class means span less.
        """
        return self._projected(X, getattr(self, "_n_features_out", None))

    def scatter_matrices(self) -> ScatterMatrices:
        r"""The textbook's matrices M and N of the training samples, computed when called.

        With the Gram matrix K, the columns K_j of the l_j samples of class j, their mean M_j and the mean M̄ of all,

            M = Σ_j l_j (M_j − M̄)(M_j − M̄)ᵀ,      N = Σ_j K_j (I − 1_{l_j}) K_jᵀ,

        where every entry of 1_{l_j} is 1/l_j. The columns a of `dual_coef_` maximise J(a) = aᵀMa / aᵀN_μ a: they solve
        M a = λ N_μ a with λ = `fisher_ratios_` and μ = `mu_`, where N_μ = N + μI with ``penalty="coefficients"`` and
        N_μ = N + μK with ``penalty="norm"``. They are scaled to aᵀN_μ a = n.

        Returns
        -------
        ScatterMatrices
            Named tuple (M, N) of ndarrays of shape (n_samples, n_samples).

        Raises
        ------
        MemoryLimitError
            If three matrices of this size do not fit in memory.

        Notes
        -----
        O(n³). For two classes M = (l₁l₂/n)(M₂ − M₁)(M₂ − M₁)ᵀ, a multiple of the matrix that many textbooks print.
        Sample weights count repetitions; N_μ is then N + μ diag(1/w) with ``penalty="coefficients"``.

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
        if not hasattr(self, "_label"):
            raise ValueError(
                f"{type(self).__name__}: scatter_matrices needs the classes of the training samples, which the file of "
                "this model does not hold; fit the model again."
            )
        K = self._basis.gram(self.n_jobs)
        K.who = type(self).__name__
        return scatter_matrices(K, self._label, np.ones(len(self._label)) if self._weight is None else self._weight)

    def decision_function(self, X: Data) -> DoubleArray:
        """Discriminant functions log π_j + ⟨m_j, z⟩ − ½‖m_j‖² of samples with projections z.

        Two classes: the second minus the first, of shape (n_samples,): the log odds of ``classes_[1]``. More: shape
        (n_samples, n_classes), log probabilities up to a constant of each sample.
        """
        return _difference(self._values(X))

    def predict(self, X: Data) -> Any:
        """Classes of samples."""
        values = self._values(X)
        return self.classes_[values.argmax(axis=1)]

    def predict_proba(self, X: Data) -> DoubleArray:
        """Probabilities of the classes, if each is Gaussian with the same spread along the directions."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict_log_proba(self, X: Data) -> DoubleArray:
        """Logarithms of `predict_proba`."""
        return np.asarray(log_softmax(self._values(X), axis=1))

    @finite_values
    def _projected(self, X: Data, columns: int | None = None) -> DoubleArray:
        against = self._against(X)
        return np.asarray(against @ self.dual_coef_[:, :columns] + self.offset_[:columns])

    def _values(self, X: Data) -> DoubleArray:
        """Discriminant functions, of shape (n_samples, n_classes)."""
        with np.errstate(divide="ignore"):
            return self._likelihoods(X) + np.log(self.priors_)

    @finite_values
    def _likelihoods(self, X: Data) -> DoubleArray:
        """⟨m_j, z⟩ − ½‖m_j‖² of samples with projections z, of shape (n_samples, n_classes)."""
        return np.asarray(self._projected(X) @ self.means_.T - (self.means_**2).sum(axis=1) / 2)


def _difference(values: DoubleArray) -> DoubleArray:
    """The second minus the first of two columns, all of more."""
    return values[:, 1] - values[:, 0] if values.shape[1] == 2 else values
