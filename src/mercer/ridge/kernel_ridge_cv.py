"""Kernel ridge regression with built-in choice of the regularisation strength."""

from collections.abc import Callable, Mapping
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import MultiOutputMixin, _fit_context
from sklearn.metrics import check_scoring, get_scorer, get_scorer_names
from sklearn.model_selection import check_cv
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import (
    Approximable,
    KernelEstimator,
    Training,
    constraints,
    finite_fit,
    finite_values,
    warn,
    warn_unconverged,
)
from mercer._estimator.score import ScoredRegressor
from mercer._estimator.scorers import GivenValues
from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import as_doubles, group_codes
from mercer.ridge.approximated import RidgeExpansion
from mercer.ridge.sources import Path, Source, source_of

__all__ = ["KernelRidgeCV"]

Loo: TypeAlias = Callable[[DoubleArray], DoubleArray]


class KernelRidgeCV(MultiOutputMixin, ScoredRegressor, Approximable, KernelEstimator):  # type: ignore[misc]
    """Kernel ridge regression with built-in choice of alpha by exact leave-one-out.

    For each α the function f = Σ_i a_i k(x_i, ·) + b minimises Σ_i s_i (y_i − f(x_i))² + α‖f − b‖². One
    eigendecomposition of the kernel matrix, or one Cholesky factor for each of a few alphas, gives the fits for all
    alphas and, for each α, the error of every sample under the fit to all others::

        e_i = (y_i − f(x_i)) / (1 − h_i)

    where h_i is the leverage of sample i. With ``groups`` in `fit`, whole groups of samples are left out together.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,), default=(0.1, 1.0, 10.0)
        Positive values of the regularisation strength α to choose from.
    kernel : str, callable or Kernel, default="linear"
        Kernel function. A name such as "linear", "poly" or "rbf", completed by `gamma`, `degree` and `coef0`; a kernel
        of `mercer.kernels` or its text form, such as "0.5*rbf(gamma=0.1) + linear", with parameters of its own; a
        callable; or "precomputed", in which case X is the Gram matrix.
        Names: :ref:`kernel-names`. A function is called with two samples.
    gamma : float, {"scale", "auto"} or None, default=None
        Coefficient of the kernels "rbf", "laplacian", "poly", "sigmoid" and "chi2". None uses scikit-learn's default
        for the name: 1 for "chi2", otherwise 1 / n_features. "auto" uses 1 / n_features, "scale" 1 / (n_features ·
        X.var()) with the variance weighted by `sample_weight`.
    degree : float, default=3
        Degree of the polynomial kernel "poly". Ignored by other kernels.
    coef0 : float, default=1
        Independent term of the kernels "poly" and "sigmoid".
    kernel_params : dict, default=None
        Keyword arguments of a kernel that is passed as a callable.
    fit_intercept : bool, default=False
        Whether to fit an intercept b, which is not penalised. Otherwise b = 0.
    scoring : str or callable, default=None
        Scorer, such as "r2". Without `cv` it is applied once to the leave-one-out predictions of all samples: as in
        scikit-learn's `RidgeCV` it is called with an estimator that returns its input and with the predictions in place
        of X, and with `sample_weight` if there are weights. None uses the negative (weighted) mean squared error, or R²
        with `cv`.
    cv : int, cross-validation splitter or iterable of (train, test) indices, default=None
        Folds, as in scikit-learn: one eigendecomposition per fold for all alphas, and the mean of the scores. Kernel
        parameters that depend on the data are computed once, from all samples. None uses leave-one-out.
    criterion : {"loo", "gcv"}, default="loo"
        Criterion without `cv`: leave-one-out, or generalised cross-validation, which replaces each leverage h_i by
        their mean.
    alpha_per_target : bool, default=False
        Whether to choose α separately for each target. Requires ``cv=None``.
    store_cv_results : bool, default=False
        Whether to store the leave-one-out results of every sample and alpha in ``cv_results_``. Requires ``cv=None``.
    n_jobs : int, default=None
        Number of threads for kernel values. None and -1 use all that are allowed.
    approximation : None, "auto", int or transformer, default=None
        Approximation of the kernel by explicit features. None: no approximation. An int m: Nyström features of m
        landmarks. A `mercer.kernel_approximation.Nystroem` or `RandomFourierFeatures` object: its features, with the
        kernel of this estimator. "auto": exact up to 10 000 samples, otherwise landmarks until the relative residual is
        at most 0.001 or their number reaches a limit, see :ref:`scaling`.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        Value of α with the best score, the first on ties; one per target with ``alpha_per_target=True``.
    best_score_ : float or ndarray of shape (n_targets,)
        Score of ``alpha_``.
    scores_ : ndarray of shape (n_alphas,) or (n_alphas, n_targets)
        Score of every alpha; one column per target with ``alpha_per_target=True``. It is not finite where it overflows
        or the scorer returns NaN; such an alpha is chosen only if all scores are not finite.
    cv_results_ : ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
        Squared leave-one-out errors, or leave-one-out predictions if `scoring` is given. Set only with
        ``store_cv_results=True``.
    loo_predictions_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Prediction of every sample by the fit to all other samples with ``alpha_``; by the fit to all other groups if
        `fit` received ``groups`` and ``cv=None``.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Dual coefficients a for ``alpha_``.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept b; 0.0 with ``fit_intercept=False``.
    X_fit_ : ndarray of shape (n_samples, n_features), sparse matrix, frame or list
        Training samples, or the Gram matrix with ``kernel="precomputed"``. With an approximation, its landmarks, to
        which the dual coefficients belong; None for random features.
    kernel_ : Kernel or None
        Kernel with the numerical values of all parameters. None with ``kernel="precomputed"``.
    approximation_ : mercer.approximation.FittedApproximation or None
        Approximation that was used; None if the fit is exact.
    solution_ : mercer.solvers.Solution
        Certificate of the linear system for ``alpha_``: objective, gap, relative residual (``violation``) and status.
    n_features_in_ : int
        Number of features seen during `fit`. Set only if X is a matrix or a frame.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during `fit`. Set only if all column names of X are strings.

    See Also
    --------
    KernelRidge : Kernel ridge regression for a given alpha.
    mercer.solvers.RidgePath : The solver, for a given kernel matrix.
    mercer.svm.c_path : Support vector machines for many values of C.

    Notes
    -----
    The eigendecomposition takes O(n³) operations, each alpha and target O(n²). A Cholesky factor and its inverse take a
    sixth to a tenth of the time of the eigendecomposition, so that up to 4 alphas, 6 from 1000 samples on and 9 from
    3000 on, are computed by one factor each. Memory is two n × n matrices.

    If the samples of a group B are left out together, their errors are (R_BB)⁻¹(y − f)_B, where R maps y to the
    residuals y − f of the fit to all samples (for weights 1). They take O(n Σ|B|²) operations for each alpha.

    A sample of weight s is left out with all its weight, as s copies would be if all were left out together, and its
    error counts s times. Weights and repeated rows therefore give the same fit for each alpha, but not the same scores:
    if one of several equal rows is left out, the others predict it. Samples of weight zero are ignored.

    References
    ----------
    * Allen, *The relationship between variable selection and data augmentation and a method for prediction*,
      Technometrics 16, 1974.
    * Golub, Heath, Wahba, *Generalized cross-validation as a method for choosing a good ridge parameter*, Technometrics
      21, 1979.
    * Rifkin, Lippert, *Notes on regularized least squares*, MIT technical report, 2007.

    Examples
    --------
    The best of nine penalties, and its mean squared leave-one-out error:

    >>> import numpy as np
    >>> from mercer.ridge import KernelRidgeCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, size=(60, 1))
    >>> y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=60)
    >>> model = KernelRidgeCV(np.logspace(-6, 2, 9), kernel="rbf", gamma=1.0).fit(X, y)
    >>> model.alpha_, round(model.best_score_, 5)
    (0.1, -0.01027)
    >>> round(float(np.mean((y - model.loo_predictions_) ** 2)), 5)
    0.01027
    """

    _functions = "pair"
    _fits_blocks = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
        "approximation",
        "kernel_params",
        "fit_intercept",
        alphas=["array-like", Interval(Real, 0, None, closed="neither")],
        scoring=[StrOptions(set(get_scorer_names())), callable, None],
        cv=["cv_object"],
        criterion=[StrOptions({"loo", "gcv"})],
        alpha_per_target=["boolean"],
        store_cv_results=["boolean"],
    )

    cv_results_: DoubleArray

    def __init__(
        self,
        alphas: Any = (0.1, 1.0, 10.0),
        *,
        kernel: Any = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Mapping[str, Any] | None = None,
        fit_intercept: bool = False,
        scoring: Any = None,
        cv: Any = None,
        criterion: Literal["loo", "gcv"] = "loo",
        alpha_per_target: bool = False,
        store_cv_results: bool = False,
        n_jobs: int | None = None,
        approximation: Any = None,
    ) -> None:
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.criterion = criterion
        self.alpha_per_target = alpha_per_target
        self.store_cv_results = store_cv_results
        self.n_jobs = n_jobs
        self.approximation = approximation

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose alpha and fit the regression function to all training samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or Gram matrix
            Training samples, in a form that the kernel reads. With ``kernel="precomputed"`` the Gram matrix of shape
            (n_samples, n_samples).
            With an approximation also a `mercer.data.BlockSource`, which is read in passes.
            `mercer.data.Checkpointed` around it continues the fit after an interruption.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            Targets. None: those of the blocks of X.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights s of the squared errors. None means 1 for every sample.
        groups : array-like of shape (n_samples,), default=None
            Labels of groups, such as patients or years, whose samples are left out together: alpha is chosen by exact
            leave-one-group-out. With `cv`, they are passed to its ``split``, as in scikit-learn. None: every sample is
            left out alone.

        Returns
        -------
        self
            Fitted estimator.
        """
        self._alphas()  # raise for invalid options before the data are validated
        training, y = self._training(X, y, sample_weight, numeric=True, multi_output=True)
        return self._fit_groups(training, y, None if groups is None else self._codes(groups, training.n))

    def _fit_training(self, training: Training, y: Any) -> Self:
        return self._fit_groups(training, y, None)

    @finite_fit
    def _fit_groups(self, training: Training, y: Any, groups: IndexArray | None) -> Self:
        alphas = self._alphas()
        Y = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        approximation = self._approximated(training)
        if groups is not None and approximation is not None and self.cv is None:
            raise ValueError(
                f"{type(self).__name__}: groups with an approximation need folds, got cv=None; pass "
                "cv=sklearn.model_selection.LeaveOneGroupOut(), or use approximation=None."
            )
        source = source_of(training, approximation, intercept=self.fit_intercept, least=float(alphas.min()))
        scores = None if self.cv is None else self._fold_scores(source, training, Y, alphas, groups)
        some = len(np.unique(alphas)) if self.cv is None else 1
        path = source.path(Y, None if self.criterion == "gcv" else some)
        loo = path.loo if groups is None or self.cv is not None else partial(path.loo, groups=groups)
        scores = self._path_scores(path, loo, training, Y, alphas) if scores is None else scores
        best = np.where(np.isnan(scores), -np.inf, scores).argmax(axis=0)
        several = self.alpha_per_target and y.ndim > 1
        self.scores_: DoubleArray = scores if several else scores[:, 0]
        self.best_score_: Any = scores[best, np.arange(len(best))] if several else float(scores[best[0], 0])
        self.alpha_: Any = alphas[best] if several else float(alphas[best[0]])
        if not np.isfinite(self.best_score_).all():
            warn(
                f"{type(self).__name__}: no alpha has a finite score, so the first alpha, {self.alpha_}, is used. "
                "Check the scorer, use larger folds, or rescale the targets.",
                UserWarning,
            )
        self._conclude(loo, source.expansion(path, Y, self.alpha_), y.shape)
        self._remember(training, approximation)
        text = f"{type(self).__name__}: alpha={self.alpha_} was chosen. {self.solution_.status.advice}"
        warn_unconverged(self, text)
        return self

    def _conclude(self, loo: Loo, expansion: RidgeExpansion, shape: tuple[int, ...]) -> None:
        """Set the fitted attributes for `alpha_`."""
        coef, intercept, self.solution_ = expansion
        self.dual_coef_ = coef.reshape(-1, *shape[1:])
        self.intercept_: Any = 0.0
        if self.fit_intercept:
            self.intercept_ = intercept if len(shape) > 1 else float(intercept[0])
        values, place = np.unique(np.broadcast_to(self.alpha_, len(intercept)), return_inverse=True)
        self.loo_predictions_ = loo(values)[:, np.arange(len(intercept)), place].reshape(shape)
        if self.store_cv_results:
            self.cv_results_ = self.cv_results_.reshape(*shape, -1)

    @finite_values
    def predict(self, X: Data) -> DoubleArray:
        """Predict the targets of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or kernel values
            Samples. With ``kernel="precomputed"`` the kernel values between samples and training samples, of shape
            (n_samples, n_samples_fit).

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predictions f(x).
        """
        check_is_fitted(self)
        return np.asarray(self._against(X) @ self.dual_coef_ + self.intercept_)

    @property
    def _not_always_finite(self) -> tuple[str, ...]:
        own = () if self.scoring is None and self.cv is None else ("best_score_",)  # a scorer may return NaN
        return ("scores_", "cv_results_", *own)

    # ---- choice of alpha

    def _alphas(self) -> DoubleArray:
        """Validated `alphas`; raises ValueError for invalid values and incompatible options."""
        who, alphas = type(self).__name__, np.atleast_1d(as_doubles(type(self).__name__, self.alphas, name="alphas"))
        if alphas.ndim != 1 or not len(alphas) or not (np.isfinite(alphas) & (alphas > 0)).all():
            raise ValueError(f"{who}: alphas must be positive finite numbers, got {self.alphas!r}.")
        by_gcv = self.criterion == "gcv"
        if by_gcv and (self.cv is not None or self.scoring is not None or self.store_cv_results):
            raise ValueError(
                f"{who}: criterion='gcv' makes no predictions that cv, scoring or store_cv_results could use; leave "
                "them at their defaults, or use criterion='loo'."
            )
        if self.cv is not None and (self.store_cv_results or self.alpha_per_target):
            raise ValueError(
                f"{who}: cv={self.cv!r} is incompatible with store_cv_results=True and alpha_per_target=True; "
                "use cv=None for leave-one-out."
            )
        return alphas

    def _codes(self, groups: Any, n: int) -> IndexArray:
        """Number of the group of each sample; raises an error for other lengths, a single group and other options."""
        who = type(self).__name__
        codes = group_codes(who, groups, n)
        if self.criterion == "gcv":
            raise ValueError(f"{who}: criterion='gcv' leaves no groups out; use criterion='loo', or groups=None.")
        if codes.max() == 0:
            raise ValueError(
                f"{who}: groups must have at least two different labels, got only {np.asarray(groups).flat[0]!r}; "
                "use groups=None to leave out samples one by one."
            )
        return codes

    def _path_scores(
        self, path: Path, loo: Loo, training: Training, Y: DoubleArray, alphas: DoubleArray
    ) -> DoubleArray:
        """Scores of shape (n_alphas, n_targets) with one alpha per target, otherwise (n_alphas, 1)."""
        if self.criterion == "gcv":
            gcv = -path.gcv(alphas).T
            return gcv if self.alpha_per_target else gcv.mean(axis=1, keepdims=True)
        scorer = None if self.scoring is None else check_scoring(self, scoring=self.scoring)
        kept, weight = training.kept, training.weight[training.kept] if training.weighted else None
        scores, stored = [], []
        step = max(1, len(Y) // Y.shape[1])  # at most as many numbers at a time as K has
        for first in range(0, len(alphas), step):
            found = loo(alphas[first : first + step])
            scores += [self._score(scorer, found[kept, :, j], Y[kept], weight) for j in range(found.shape[2])]
            if self.store_cv_results:
                stored.append(found if scorer else np.square(Y[:, :, None] - found))
        if self.store_cv_results:
            self.cv_results_ = np.concatenate(stored, axis=2)
        return np.array(scores)

    def _score(self, scorer: Any, predicted: DoubleArray, Y: DoubleArray, weight: DoubleArray | None) -> DoubleArray:
        """One score, or one per target with `alpha_per_target`."""
        if scorer is None:
            scores = -np.average(np.square(Y - predicted), axis=0, weights=weight)
            return scores if self.alpha_per_target else scores.mean(keepdims=True)
        options = {} if weight is None else {"sample_weight": weight}
        if self.alpha_per_target:
            columns = zip(predicted.T, Y.T, strict=True)
            return np.array([scorer(GivenValues(), one, target, **options) for one, target in columns])
        if Y.shape[1] == 1:
            predicted, Y = predicted[:, 0], Y[:, 0]
        return np.array([scorer(GivenValues(), predicted, Y, **options)])

    def _fold_scores(
        self, source: Source, training: Training, Y: DoubleArray, alphas: DoubleArray, groups: Any
    ) -> DoubleArray:
        """Mean scores over the folds, of shape (n_alphas, 1)."""
        scorer = get_scorer("r2") if self.scoring is None else check_scoring(self, scoring=self.scoring)
        kept, scores = training.weight > 0, []
        for rows, others in check_cv(self.cv, Y).split(np.zeros(len(Y)), Y, groups):
            fit, held = rows[kept[rows]], others[kept[others]]
            values = source.fold_values(fit, held, Y, alphas)
            shown = training.weight[held] if training.weighted else None
            scores.append([self._score(scorer, values[:, :, j], Y[held], shown) for j in range(len(alphas))])
        return np.asarray(np.mean(scores, axis=0))
