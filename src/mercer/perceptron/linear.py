"""The linear perceptron, in the space of the features and in that of the samples."""

from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import Params, TransactionalFit, finite_fit, finite_values
from mercer._estimator.samples import check_matrix
from mercer._typing import Data, DoubleArray
from mercer.kernels import Linear
from mercer.operators import row_source
from mercer.perceptron.mistakes import MistakeDriven, erring
from mercer.solvers.perceptron import MistakeList, kernel_passes, novikoff_bound, primal_passes

__all__ = ["Perceptron"]


class Perceptron(MistakeDriven, TransactionalFit, Params, BaseEstimator):  # type: ignore[misc]
    """The perceptron of Rosenblatt: pass over the samples, and learn where the sign is wrong.

    Primal form: when y_i ⟨w, x_i⟩ ≤ 0, w ← w + η y_i x_i. Dual form: w = η Σ_j α_j y_j x_j with counts α_j of mistakes;
    when y_i Σ_j α_j y_j ⟨x_j, x_i⟩ ≤ 0, α_i ← α_i + 1. Both make the same mistakes: exactly if sums of products are
    exact, as with integers, else up to the first margin below rounding. They end with a pass without a mistake.

    Parameters
    ----------
    form : {"primal", "dual"}, default="primal"
        O(n_features) for every visit, or O(n_samples · n_features) for every mistake: "dual" pays where features
        outnumber samples by far.
    fit_intercept : bool, default=True
        Whether to append the feature 1 to the samples.
    max_iter : int, default=100
        Largest number of passes over the samples.
    eta0 : float, default=1.0
        η > 0. It scales w and changes no mistake.
    shuffle : bool, default=False
        Whether each pass visits the samples in a random order; else in theirs.
    random_state : int, RandomState or None, default=None
        For `shuffle`.
    n_jobs : int, default=None
        Threads of the dual form.

    Attributes
    ----------
    coef_ : ndarray of shape (n_machines, n_features)
        w. One machine for two classes, else one per class.
    intercept_ : ndarray of shape (n_machines,)
        Coefficient of the feature 1.
    support_ : ndarray of int, shape (n_support,)
        Samples where at least one machine erred, ascending.
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features)
        Those samples.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        α_i y_i of the samples in `support_`; all others have the coefficient 0. ``coef_`` is η ``dual_coef_ @
        support_vectors_``.
    mistakes_ : ndarray of int, shape (n_machines, n_iter_)
        Mistakes of each pass.
    mistake_indices_ : list of ndarray of int, of length n_machines
        The samples where each machine erred, in that order.
    novikoff_bound_ : ndarray of shape (n_machines,)
        R²/γ² for the separator found, of margin γ in unit norm, and the longest sample R, both with the feature 1 if
        there is one. No order and number of passes over these samples makes more mistakes. NaN where the last pass was
        not clean.
    classes_ : ndarray of shape (n_classes,)
        Labels.
    kernel_ : Linear
        The kernel of the dual form.
    n_iter_ : int
        Passes made.
    solution_ : mercer.solvers.Solution
        Certificate; its objective is the number of mistakes in the last pass.

    See Also
    --------
    KernelPerceptron : The same with any kernel; its parameters and attributes of the same names have the same meaning.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.perceptron import Perceptron
    >>> X, y = np.array([[2, 1], [1, 3], [-1, 1], [-2, -1]]), ["right", "right", "left", "left"]
    >>> primal, dual = (Perceptron(form=form, eta0=0.5).fit(X, y) for form in ("primal", "dual"))
    >>> primal.mistake_indices_[0].tolist(), dual.mistake_indices_[0].tolist()
    ([0, 2], [0, 2])
    >>> bool((primal.mistakes_.sum(axis=1) <= primal.novikoff_bound_).all())
    True
    """

    _not_always_finite: ClassVar[tuple[str, ...]] = ("novikoff_bound_",)  # unless the last pass is clean
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "form": [StrOptions({"primal", "dual"})],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "eta0": [Interval(Real, 0, None, closed="neither")],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        *,
        form: Literal["primal", "dual"] = "primal",
        fit_intercept: bool = True,
        max_iter: int = 100,
        eta0: float = 1.0,
        shuffle: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.form = form
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.eta0 = eta0
        self.shuffle = shuffle
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    @finite_fit
    def fit(self, X: Data, y: Any) -> Self:
        """Learn from the samples.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Their labels.
        """
        X, y = check_matrix(self, X, y, dtype=np.float64, order="C")
        self.classes_ = self._distinct(y)
        self.kernel_ = Linear()
        label, bias, n = self._labels(y, self.classes_), float(self.fit_intercept), X.shape[0]
        orders = self._orders(n, self.max_iter)
        if self.form == "primal":
            histories, _ = primal_passes(X, label, orders, bias=bias)
        else:
            source = row_source(self.kernel_.prepare(X))
            histories, _ = kernel_passes(source, label, orders, max_iter=self.max_iter, bias=bias, n_jobs=self.n_jobs)
        # η multiplies w and every value of it: no sign changes, so it need not take part in the passes.
        lists = [MistakeList().after(*pair) for pair in zip(histories, label, strict=True)]
        dual = np.array([machine.coef(n) for machine in lists])
        self.support_ = erring(lists)
        self.support_vectors_, self.dual_coef_ = X[self.support_], dual[:, self.support_]
        w, b = safe_sparse_dot(dual, X, dense_output=True), bias * dual.sum(axis=1)
        self.coef_, self.intercept_ = self.eta0 * w, self.eta0 * b
        largest = float(np.asarray(X.multiply(X).sum(axis=1) if hasattr(X, "multiply") else (X * X).sum(axis=1)).max())
        f = safe_sparse_dot(X, w.T, dense_output=True).T + b[:, None]
        bounds = map(novikoff_bound, f, label, dual, [largest + bias] * len(label))
        self.novikoff_bound_ = np.where([history.clean for history in histories], list(bounds), np.nan)
        self._tell(histories)
        self._warn_if_unclean()
        return self

    def _upgrade(self) -> None:
        """Files of earlier versions hold a coefficient for every sample, and no `support_`."""
        if hasattr(self, "dual_coef_") and not hasattr(self, "support_"):
            self.support_ = np.flatnonzero(self.dual_coef_.any(axis=0))
            self.dual_coef_ = self.dual_coef_[:, self.support_]

    @finite_values
    def decision_function(self, X: Data) -> DoubleArray:
        """⟨w, x⟩ + b, of shape (n_samples,) for two classes, else (n_samples, n_classes)."""
        check_is_fitted(self)
        X = check_matrix(self, X, dtype=np.float64, reset=False)
        scores = safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
        return np.asarray(scores[:, 0] if len(self.classes_) == 2 else scores)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
