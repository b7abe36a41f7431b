"""Linear ridge regression in primal and dual form."""

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import Params, TransactionalFit, finite_fit, finite_values
from mercer._estimator.samples import check_matrix, check_weights
from mercer._estimator.score import ScoredRegressor
from mercer._typing import Data, DoubleArray
from mercer.kernels import Linear
from mercer.ridge.base import penalties, warn_of
from mercer.solvers.ridge_linear import solve_linear_ridge

__all__ = ["Ridge"]

TOL = 1e-10  # relative residual


class Ridge(MultiOutputMixin, ScoredRegressor, TransactionalFit, Params, BaseEstimator):  # type: ignore[misc]
    """Linear ridge regression in primal or dual form.

    Minimises Σ_i s_i (y_i − ⟨w, x_i⟩ − b)² + α‖w‖² with sample weights s_i, S = diag(s). The solution is::

        primal form:   w = (XᵀSX + αI)⁻¹ XᵀSy          n_features equations
        dual form:     a = (XXᵀ + αS⁻¹)⁻¹ y,  w = Xᵀa   n_samples equations

    Both w and a are available after the fit, whichever system was solved.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        Regularisation strength α ≥ 0, one value for all targets or one per target. Larger values regularise more
        strongly.
    fit_intercept : bool, default=True
        Whether to fit an intercept b, which is not penalised. X and y are then centred to weighted mean zero, and X
        stands for the centred matrix in the formulas above.
    form : {"auto", "primal", "dual"}, default="auto"
        System to solve. "auto" takes the smaller one: primal if n_features ≤ n_samples, otherwise dual.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Primal coefficients w.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept b, zero with ``fit_intercept=False``.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Dual coefficients a = s(y − Xw − b)/α, so that w = Xᵀa.
    solution_ : mercer.solvers.Solution
        Certificate of the system that was solved: objective, gap, relative residual (``violation``) and status.
    kernel_ : mercer.kernels.Linear
        Kernel of the dual form.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during `fit`. Set only if all column names of X are strings.

    See Also
    --------
    KernelRidge : The same problem in the feature space of a kernel.
    mercer.perceptron.Perceptron : Linear classifier in primal and dual form.

    Notes
    -----
    With n samples and d features the primal form takes O(nd² + d³) operations and a matrix of d² numbers, the dual form
    O(n²d + n³) operations and n² numbers. CSR matrices stay sparse, also with an intercept.

    References
    ----------
    * Hoerl, Kennard, *Ridge regression: Biased estimation for nonorthogonal problems*, Technometrics 12, 1970.
    * Saunders, Gammerman, Vovk, *Ridge regression learning algorithm in dual variables*, ICML 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.ridge import Ridge
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    >>> primal, dual = Ridge(form="primal").fit(X, y), Ridge(form="dual").fit(X, y)
    >>> primal.coef_.round(6), dual.coef_.round(6), (X.T @ primal.dual_coef_).round(6)
    (array([-0.487144, -0.048118]), array([-0.487144, -0.048118]), array([-0.487144, -0.048118]))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
        "fit_intercept": ["boolean"],
        "form": [StrOptions({"auto", "primal", "dual"})],
    }

    def __init__(self, alpha: Any = 1.0, *, fit_intercept: bool = True, form: str = "auto") -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.form = form

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    @finite_fit
    def fit(self, X: Data, y: Any, sample_weight: Any = None) -> Self:
        """Fit the linear model to the training data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights s of the squared errors. Integer weights are equivalent to repeating the samples. None means 1 for
            every sample.

        Returns
        -------
        self
            Fitted estimator.
        """
        X, y = check_matrix(self, X, y, dtype=np.float64, y_numeric=True, multi_output=True)
        weight = check_weights(self, sample_weight, X)
        if not weight.any():
            raise ValueError("Ridge: sample_weight is zero for all samples; at least one must be positive.")
        Y = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        answer = solve_linear_ridge(
            X,
            Y,
            penalties("Ridge", self.alpha, Y.shape[1]),
            weight=weight,
            tol=TOL,
            fit_intercept=self.fit_intercept,
            primal=self.form == "primal" or (self.form == "auto" and X.shape[1] <= X.shape[0]),
        )
        single = y.ndim == 1
        self.coef_: DoubleArray = answer.coef[:, 0] if single else answer.coef.T
        self.dual_coef_: DoubleArray = answer.dual_coef[:, 0] if single else answer.dual_coef
        self.intercept_: Any = float(answer.intercept[0]) if single else answer.intercept
        self.kernel_, self.solution_ = Linear(), answer.solution
        warn_of(self, TOL)
        return self

    @finite_values
    def predict(self, X: Data) -> DoubleArray:
        """Predict the targets ⟨w, x⟩ + b of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predictions.
        """
        check_is_fitted(self)
        X = check_matrix(self, X, dtype=np.float64, reset=False)
        return np.asarray(X @ self.coef_.T + self.intercept_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
