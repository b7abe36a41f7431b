"""Linear perceptron in primal and dual form."""

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
from mercer.solvers.mistakes import MistakeList
from mercer.solvers.perceptron import kernel_passes, novikoff_bound, primal_passes

__all__ = ["Perceptron"]


class Perceptron(MistakeDriven, TransactionalFit, Params, BaseEstimator):  # type: ignore[misc]
    """Linear perceptron of Rosenblatt in primal or dual form.

    The samples, with labels y_i = ±1, are visited one after the other until a pass makes no mistake::

        primal form:   if y_i ⟨w, x_i⟩ ≤ 0:                     w ← w + η y_i x_i
        dual form:     if y_i Σ_j α_j y_j ⟨x_j, x_i⟩ ≤ 0:       α_i ← α_i + 1,    w = η Σ_j α_j y_j x_j

    Both forms make the same mistakes. This holds exactly if the sums are exact, as with integers, otherwise up to the
    first margin below rounding. More than two classes have one machine per class against the rest.

    Parameters
    ----------
    form : {"primal", "dual"}, default="primal"
        Form of the algorithm. "primal" takes O(n_features) operations per visit, "dual" O(n_samples · n_features) per
        mistake, which pays off if there are many more features than samples.
    fit_intercept : bool, default=True
        Whether to fit an intercept, by appending a constant feature 1.
    max_iter : int, default=100
        Largest number of passes over the samples.
    eta0 : float, default=1.0
        Learning rate η > 0. It scales w and does not change the mistakes.
    shuffle : bool, default=False
        Whether each pass visits the samples in random order. Otherwise they are visited in the given order.
    random_state : int, RandomState instance or None, default=None
        Seed for `shuffle`.
    n_jobs : int, default=None
        Number of threads of the dual form. None and -1 use all that are allowed.

    Attributes
    ----------
    coef_ : ndarray of shape (n_machines, n_features)
        Coefficients w. There is one machine for two classes, otherwise one per class.
    intercept_ : ndarray of shape (n_machines,)
        Coefficients of the constant feature.
    support_ : ndarray of int of shape (n_support,)
        Indices of the samples on which at least one machine erred, ascending.
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features)
        The samples of ``support_``.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Coefficients α_i y_i of the samples in ``support_``; those of all other samples are zero. ``coef_`` equals
        ``eta0 * dual_coef_ @ support_vectors_``.
    mistakes_ : ndarray of int of shape (n_machines, n_passes)
        Number of mistakes in each pass.
    mistake_indices_ : list of ndarray of int, of length n_machines
        Indices of the samples on which each machine erred, in the order of the mistakes.
    novikoff_bound_ : ndarray of shape (n_machines,)
        Upper bound R²/γ² on the number of mistakes in any number of passes over these samples in any order. γ is the
        margin of the separator found, in unit norm, and R the largest norm of a sample, both including the constant
        feature if there is one. NaN if the last pass made mistakes.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    kernel_ : mercer.kernels.Linear
        Kernel of the dual form.
    n_iter_ : int
        Number of passes.
    solution_ : mercer.solvers.Solution
        Certificate; its objective is the number of mistakes in the last pass.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during `fit`. Set only if all column names of X are strings.

    See Also
    --------
    KernelPerceptron : Perceptron with any kernel; parameters and attributes of the same name have the same meaning.
    mercer.ridge.Ridge : Linear regression in primal and dual form.

    Notes
    -----
    A pass of the primal form takes O(n_samples · n_features) operations. The dual form computes one row of the Gram
    matrix per mistake. scikit-learn's `Perceptron` is stochastic gradient descent with other stopping rules; this one
    follows the textbook algorithm exactly.

    References
    ----------
    * Rosenblatt, *The perceptron: A probabilistic model for information storage and organization in the brain*,
      Psychological Review 65, 1958.
    * Novikoff, *On convergence proofs on perceptrons*, Symposium on the Mathematical Theory of Automata, 1962.

    Examples
    --------
    Both forms err on the samples 0 and 2; Novikoff's bound allows more mistakes:

    >>> import numpy as np
    >>> from mercer.perceptron import Perceptron
    >>> X, y = np.array([[2, 1], [1, 3], [-1, 1], [-2, -1]]), ["right", "right", "left", "left"]
    >>> primal, dual = (Perceptron(form=form, eta0=0.5).fit(X, y) for form in ("primal", "dual"))
    >>> primal.mistake_indices_[0].tolist(), dual.mistake_indices_[0].tolist()
    ([0, 2], [0, 2])
    >>> primal.mistakes_, primal.novikoff_bound_.round(3)
    (array([[2, 0]]), array([11.]))
    """

    _not_always_finite: ClassVar[tuple[str, ...]] = ("novikoff_bound_",)  # NaN if the last pass made mistakes
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
        """Fit the perceptron to the training data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self
            Fitted estimator.
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
        # η only scales w and its values. It changes no sign, so the passes do without it.
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
        self._set_history(histories)
        self._warn_if_unclean()
        return self

    def _upgrade(self) -> None:
        """Convert models of earlier file versions, which store a coefficient for every sample and no `support_`."""
        if hasattr(self, "dual_coef_") and not hasattr(self, "support_"):
            self.support_ = np.flatnonzero(self.dual_coef_.any(axis=0))
            self.dual_coef_ = self.dual_coef_[:, self.support_]

    @finite_values
    def decision_function(self, X: Data) -> DoubleArray:
        """Decision values ⟨w, x⟩ + b of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes one value, positive for ``classes_[1]``; otherwise one value per class.
        """
        check_is_fitted(self)
        X = check_matrix(self, X, dtype=np.float64, reset=False)
        scores = safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
        return np.asarray(scores[:, 0] if len(self.classes_) == 2 else scores)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
