"""Kernel ridge regression that chooses its own regularisation."""

from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin, _fit_context
from sklearn.metrics import check_scoring, get_scorer, get_scorer_names
from sklearn.model_selection import check_cv
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelEstimator, Training, constraints, finite_fit, finite_values, warn, warn_unconverged
from mercer._typing import Data, DoubleArray
from mercer.solvers.ridge_path import RidgePath

__all__ = ["KernelRidgeCV"]


class KernelRidgeCV(MultiOutputMixin, RegressorMixin, KernelEstimator):  # type: ignore[misc]
    r"""Kernel ridge regression with built-in choice of alpha, by exact leave-one-out at the price of one fit.

    f = Σ_i a_i k(x_i, ·) + b minimises Σ_i s_i (y_i − f(x_i))² + α‖f‖². One eigendecomposition gives the fits for all
    alphas and, for each, the predictions of every sample by the fit to the others: e_i = (y_i − f(x_i))/(1 − h_i).

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,)
        Positive numbers to choose from.
    kernel : str, callable or Kernel
        As in `KernelRidge`.
        Names: docs/kernel-names.md. A function is called with two samples.
    gamma, degree, coef0, kernel_params
        Complete a kernel that is given by name.
    fit_intercept : bool
        Whether there is an unpenalised b.
    scoring : str or callable, optional
        A scorer, such as "r2": applied once to the leave-one-out predictions of all samples. It is handed an estimator
        that returns its input and, in place of X, those predictions, as in `RidgeCV`; and `sample_weight`, if there are
        weights. None: minus the (weighted) mean of squares, or R² with `cv`.
    cv : int, splitter or iterable, optional
        None: leave-one-out. Otherwise, folds: an eigendecomposition each for all alphas, and the mean of their scores.
        The kernel's data-dependent parameters are found once, from all samples.
    criterion : {"loo", "gcv"}
        Without `cv`: leave-one-out, or generalized cross-validation, which replaces every leverage h_i by their mean.
    alpha_per_target : bool
        Whether each target has an alpha of its own (without `cv`).
    store_cv_results : bool
        Whether to keep `cv_results_` (of leave-one-out).
    n_jobs : int, optional
        Threads for kernel values.

    Attributes
    ----------
    alpha_ : float or array of shape (n_targets,)
        The alpha of the best score, the first on ties.
    best_score_ : float or array of shape (n_targets,)
        Its score.
    scores_ : array of shape (n_alphas,) or (n_alphas, n_targets)
        The score of every alpha; one per target with `alpha_per_target`. Not finite where it overflows or the scorer
        returns NaN; such an alpha is not chosen while there are others.
    cv_results_ : array of shape (n, n_alphas) or (n, n_targets, n_alphas)
        Squared leave-one-out errors, or the predictions if there is a scorer.
    loo_predictions_ : array of the shape of y
        Predictions of every sample by the fit to all others with `alpha_`.
    dual_coef_ : array of the shape of y
        a, for `alpha_`.
    intercept_ : float or array of shape (n_targets,)
        b; 0.0 without intercept.
    X_fit_, kernel_
        Training samples; the kernel with all its parameters, None for a Gram matrix.
    solution_ : Solution
        The certificate: the residual of the linear system of `dual_coef_`.

    Notes
    -----
    A sample of weight s is left out with all its weight, as s copies of it would be if all were left out together, and
    its error counts s times. So weights and repeated rows give the same fit for each alpha, but not the same scores:
    leaving out one of several equal rows leaves the others to predict it. A sample of weight zero does not count.

    O(n³) once, then O(n²) per alpha and target; two n × n matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.ridge import KernelRidgeCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, size=(60, 1))
    >>> y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=60)
    >>> model = KernelRidgeCV(np.logspace(-6, 2, 9), kernel="rbf", gamma=1.0).fit(X, y)
    >>> model.alpha_
    0.1
    >>> bool(np.isclose(model.best_score_, -np.mean((y - model.loo_predictions_) ** 2)))
    True
    """

    _functions = "pair"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
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

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any, sample_weight: Any = None) -> Self:
        """Choose alpha and fit.

        Parameters
        ----------
        X : data of n samples, or the (n, n) Gram matrix with ``kernel="precomputed"``
            Vectors, frames or objects, as the kernel reads them.
        y : array-like of shape (n,) or (n, n_targets)
            Targets.
        sample_weight : array-like of shape (n,) or float, optional
            Factors of the squared errors.
        """
        self._alphas()  # raises before the data are read
        training, y = self._training(X, y, sample_weight, numeric=True, multi_output=True)
        return self._fit_training(training, y)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:
        alphas = self._alphas()
        Y = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        scores = None if self.cv is None else self._fold_scores(training, Y, alphas)
        path = RidgePath(training.K, Y, training.optional_weight, intercept=self.fit_intercept)
        scores = self._path_scores(path, training, Y, alphas) if scores is None else scores
        best = np.where(np.isnan(scores), -np.inf, scores).argmax(axis=0)
        several = self.alpha_per_target and y.ndim > 1
        self.scores_: DoubleArray = scores if several else scores[:, 0]
        self.best_score_: Any = scores[best, np.arange(len(best))] if several else float(scores[best[0], 0])
        self.alpha_: Any = alphas[best] if several else float(alphas[best[0]])
        if not np.isfinite(self.best_score_).all():
            warn(
                f"{type(self).__name__}: no alpha has a finite score, so the first, {self.alpha_}, was taken. Check "
                "the scorer, use larger folds, or rescale the targets.",
                UserWarning,
            )
        self._conclude(path, training, y.shape)
        return self

    def _conclude(self, path: RidgePath, training: Training, shape: tuple[int, ...]) -> None:
        """Take `alpha_` from the path; warn if its linear system could not be solved."""
        coef, intercept = path.coef(self.alpha_)
        self.dual_coef_ = training.basis.fold(coef).reshape(-1, *shape[1:])
        self.intercept_: Any = 0.0
        if self.fit_intercept:
            self.intercept_ = intercept if len(shape) > 1 else float(intercept[0])
        values, place = np.unique(np.broadcast_to(self.alpha_, len(intercept)), return_inverse=True)
        self.loo_predictions_ = path.loo(values)[:, np.arange(len(intercept)), place].reshape(shape)
        if self.store_cv_results:
            self.cv_results_ = self.cv_results_.reshape(*shape, -1)
        self.solution_ = path.solution(self.alpha_)
        self._remember(training)
        who = type(self).__name__
        text = f"{who}: alpha={self.alpha_} was chosen. {self.solution_.status.advice}"
        warn_unconverged(self, text)

    @finite_values
    def predict(self, X: Data) -> DoubleArray:
        """f(x) of samples, of shape (m,) or (m, n_targets)."""
        check_is_fitted(self)
        return np.asarray(self._against(X) @ self.dual_coef_ + self.intercept_)

    @property
    def _not_always_finite(self) -> tuple[str, ...]:
        own = () if self.scoring is None and self.cv is None else ("best_score_",)  # a scorer may return NaN
        return ("scores_", "cv_results_", *own)

    # ---- the choice

    def _alphas(self) -> DoubleArray:
        """`alphas`, if they and the options agree."""
        who, alphas = type(self).__name__, np.atleast_1d(np.asarray(self.alphas, dtype=np.float64))
        if alphas.ndim != 1 or not len(alphas) or not (np.isfinite(alphas) & (alphas > 0)).all():
            raise ValueError(f"{who}: alphas must be positive finite numbers, got {self.alphas!r}.")
        by_gcv = self.criterion == "gcv"
        if by_gcv and (self.cv is not None or self.scoring is not None or self.store_cv_results):
            raise ValueError(
                f"{who}: criterion='gcv' predicts no sample, so there is nothing for cv, scoring or store_cv_results; "
                "leave them at their defaults, or take criterion='loo'."
            )
        if self.cv is not None and (self.store_cv_results or self.alpha_per_target):
            raise ValueError(
                f"{who}: cv={self.cv!r} is incompatible with store_cv_results=True and alpha_per_target=True; "
                "take cv=None, which leaves out one sample at a time."
            )
        return alphas

    def _path_scores(self, path: RidgePath, training: Training, Y: DoubleArray, alphas: DoubleArray) -> DoubleArray:
        """Scores of shape (n_alphas, n_targets) with an alpha per target, else (n_alphas, 1)."""
        if self.criterion == "gcv":
            gcv = -path.gcv(alphas).T
            return gcv if self.alpha_per_target else gcv.mean(axis=1, keepdims=True)
        scorer = None if self.scoring is None else check_scoring(self, scoring=self.scoring)
        kept, weight = training.kept, training.weight[training.kept] if training.weighted else None
        scores, stored = [], []
        step = max(1, len(Y) // Y.shape[1])  # no more numbers at a time than K has
        for first in range(0, len(alphas), step):
            found = path.loo(alphas[first : first + step])
            scores += [self._score(scorer, found[kept, :, j], Y[kept], weight) for j in range(found.shape[2])]
            if self.store_cv_results:
                stored.append(found if scorer else np.square(Y[:, :, None] - found))
        if self.store_cv_results:
            self.cv_results_ = np.concatenate(stored, axis=2)
        return np.array(scores)

    def _score(self, scorer: Any, predicted: DoubleArray, Y: DoubleArray, weight: DoubleArray | None) -> DoubleArray:
        """One score, or one per target with an alpha each."""
        if scorer is None:
            scores = -np.average(np.square(Y - predicted), axis=0, weights=weight)
            return scores if self.alpha_per_target else scores.mean(keepdims=True)
        options = {} if weight is None else {"sample_weight": weight}
        if self.alpha_per_target:
            columns = zip(predicted.T, Y.T, strict=True)
            return np.array([scorer(_Identity(), one, target, **options) for one, target in columns])
        if Y.shape[1] == 1:
            predicted, Y = predicted[:, 0], Y[:, 0]
        return np.array([scorer(_Identity(), predicted, Y, **options)])

    def _fold_scores(self, training: Training, Y: DoubleArray, alphas: DoubleArray) -> DoubleArray:
        """Means over the folds, of shape (n_alphas, 1)."""
        scorer = get_scorer("r2") if self.scoring is None else check_scoring(self, scoring=self.scoring)
        K, kept = training.K.hold(), training.weight > 0  # the folds share it, and so would the path
        scores = []
        for rows, others in check_cv(self.cv, Y).split(np.zeros(len(Y)), Y):
            fit, held = rows[kept[rows]], others[kept[others]]
            weight, shown = (training.weight[fit], training.weight[held]) if training.weighted else (None, None)
            coef, intercept = RidgePath(K.take(fit), Y[fit], weight, intercept=self.fit_intercept).coefs(alphas)
            values = K.block(held, fit) @ coef.reshape(len(fit), -1)
            values = values.reshape(len(held), *intercept.shape) + intercept
            scores.append([self._score(scorer, values[:, :, j], Y[held], shown) for j in range(len(alphas))])
        return np.asarray(np.mean(scores, axis=0))


class _Identity(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Shows predictions to a scorer, which asks an estimator for them."""

    def predict(self, X: DoubleArray) -> DoubleArray:
        return X

    def __sklearn_is_fitted__(self) -> bool:
        return True
