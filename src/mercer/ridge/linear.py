"""Linear ridge regression, in primal and dual form."""

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import Params, TransactionalFit, finite_fit, finite_values
from mercer._estimator.samples import check_matrix, check_weights
from mercer._typing import Data, DoubleArray
from mercer.kernels import Linear
from mercer.ridge.base import penalties, warn_of
from mercer.solvers.ridge_linear import solve_linear_ridge

__all__ = ["Ridge"]

TOL = 1e-10  # relative residual


class Ridge(MultiOutputMixin, RegressorMixin, TransactionalFit, Params, BaseEstimator):  # type: ignore[misc]
    r"""Linear ridge regression: min Σ_i s_i (y_i − ⟨w, x_i⟩ − b)² + α‖w‖².

    Primal form: w = (XᵀSX + αI)⁻¹XᵀSy, a system of n_features equations. Dual form: a = (XXᵀ + αS⁻¹)⁻¹y, one equation
    for each sample, and w = Xᵀa. Both are there after the fit, whichever was solved.

    Parameters
    ----------
    alpha : float, or array-like of shape (n_targets,)
        α ≥ 0; for all targets or one each.
    fit_intercept : bool
        Whether to find b; X and y are moved to weighted mean zero for that, so X stands for the centred X above.
    form : {"auto", "primal", "dual"}
        Which system to solve; "auto": the smaller one.

    Attributes
    ----------
    coef_ : array, shape (n_features,) or (n_targets, n_features)
        w.
    intercept_ : float, or array of shape (n_targets,)
        b.
    dual_coef_ : array, shape (n,) or (n, n_targets)
        a = s(y − Xw − b)/α, with coef_ = Xᵀ dual_coef_.
    solution_ : mercer.solvers.Solution
        The certificate of the system that was solved.
    kernel_ : Linear
        The kernel of the dual form.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    O(nd² + d³) or O(n²d + n³) time, a matrix of d² or n² numbers. CSR matrices stay sparse, also with an intercept.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(30, 5)), rng.normal(size=30)
    >>> primal, dual = Ridge(form="primal").fit(X, y), Ridge(form="dual").fit(X, y)
    >>> bool(np.allclose(primal.coef_, dual.coef_)), bool(np.allclose(X.T @ primal.dual_coef_, dual.coef_))
    (True, True)
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
        """Fit w and b.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n, n_features)
            Samples.
        y : array-like of shape (n,) or (n, n_targets)
            Targets.
        sample_weight : float or array-like of shape (n,), optional
            s. An integer weight equals so many repetitions of the sample.
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
        """⟨w, x⟩ + b of samples, of shape (m,) or (m, n_targets)."""
        check_is_fitted(self)
        X = check_matrix(self, X, dtype=np.float64, reset=False)
        return np.asarray(X @ self.coef_.T + self.intercept_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
