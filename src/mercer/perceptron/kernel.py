"""Kernel perceptron: in several passes or online; plain, averaged or voted; optionally with a budget."""

from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import column_or_1d
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from mercer._estimator import Training, check_samples, constraints, finite_fit, finite_values
from mercer._estimator.basis import Basis, basis_of
from mercer._estimator.transaction import transaction
from mercer._typing import Data, DoubleArray
from mercer._validation import as_labels
from mercer.operators import GramOperator
from mercer.operators.tiles import panels
from mercer.perceptron.kernel_mistakes import KernelMistakes
from mercer.solvers.perceptron import votes

__all__ = ["KernelPerceptron"]

VOTES = 2**22  # kernel values computed at once


class KernelPerceptron(KernelMistakes):
    """Kernel perceptron, with averaged, voted, online and budget variants.

    The decision function is f(x) = Σ_j α_j y_j k(x_j, x), where y_j = ±1 and α_j is the number of mistakes on sample j.
    The samples are visited one after the other::

        if y_i f(x_i) ≤ 0:    α_i ← α_i + 1

    `fit` stops after a pass without a mistake, or after `max_iter` passes with a ConvergenceWarning. `partial_fit`
    makes one pass over new samples. More than two classes have one machine per class against the rest.

    Parameters
    ----------
    kernel : str, callable or Kernel, default="rbf"
        Kernel function. A name such as "linear", "poly", "rbf" or "sigmoid", completed by `gamma`, `degree` and
        `coef0`; a kernel of `mercer.kernels` or its text form, with parameters of its own; a callable; or
        "precomputed", in which case X is the Gram matrix.
        Names: :ref:`kernel-names`. A function is called with two sets of samples.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the kernels "rbf", "poly" and "sigmoid". "scale" uses 1 / (n_features · X.var()); "auto" uses
        1 / n_features.
    degree : int, default=3
        Degree of the polynomial kernel "poly". Ignored by other kernels.
    coef0 : float, default=0.0
        Independent term of the kernels "poly" and "sigmoid".
    fit_intercept : bool, default=True
        Whether to fit an intercept, by using the kernel k + 1.
    variant : {"plain", "averaged", "voted"}, default="plain"
        Function used for prediction. "plain" is the last state of f, "averaged" the mean of its states over all visits.
        With "voted" every state votes with the number of visits that it survived. All variants make the same mistakes
        during training; "averaged" and "voted" are suited to samples that are not separable.
    budget : int, default=None
        Largest number of samples that a machine stores. Requires ``variant="plain"``. None means no limit.
    removal : {"forgetron", "projectron", "random"}, default="forgetron"
        Treatment of mistakes beyond the budget. "forgetron" shrinks f as far as its mistake bound requires and removes
        the oldest sample. "random" replaces a random sample. "projectron" projects the new sample onto the span of the
        stored ones.
    threshold : float, default=0.0
        Distance η ≥ 0 for ``removal="projectron"``: a mistake whose distance to the span of the stored samples in
        feature space is at most η is projected even within the budget.
    max_iter : int, default=100
        Largest number of passes of `fit` over the samples.
    shuffle : bool, default=False
        Whether each pass visits the samples in random order. Otherwise they are visited in the given order.
    cache_size : float, default=200
        Size in megabytes of the cache of Gram matrix rows in `fit`. It stores rows of samples with mistakes, which tend
        to err again in the next pass.
    random_state : int, RandomState instance or None, default=None
        Seed for `shuffle` and for ``removal="random"``.
    n_jobs : int, default=None
        Number of threads. None and -1 use all that are allowed.

    Attributes
    ----------
    support_ : ndarray of int of shape (n_support,)
        Indices of the samples with coefficients, ascending, counted from the first sample that was ever seen.
    support_vectors_ : ndarray of shape (n_support, n_features), sparse matrix, frame or list
        The samples of ``support_``. Empty with ``kernel="precomputed"``.
    X_fit_ : ndarray of shape (n_support, n_features), sparse matrix, frame or list
        Same as ``support_vectors_``.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Coefficients α_j y_j of the last state, or their mean with ``variant="averaged"``. There is one machine for two
        classes, otherwise one per class.
    intercept_ : ndarray of shape (n_machines,)
        Sums of the coefficients, or zeros with ``fit_intercept=False``.
    mistakes_ : ndarray of int of shape (n_machines, n_passes)
        Number of mistakes in each pass of `fit` and in each later call of `partial_fit`.
    mistake_indices_ : list of ndarray of int, of length n_machines
        Indices of the samples on which each machine erred, in the order of the mistakes.
    novikoff_bound_ : ndarray of shape (n_machines,)
        Upper bound R²/γ² on the number of mistakes in any number of passes over these samples in any order. γ is the
        margin of the separator found, in unit norm, and R² the largest k(x, x), both for k + 1 with an intercept. NaN
        if the last pass of `fit` made mistakes, with a budget, and after `partial_fit`.
    n_samples_seen_ : int
        Number of samples seen by `fit` and later calls of `partial_fit`.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    kernel_ : Kernel or None
        Kernel with the numerical values of all parameters. None with ``kernel="precomputed"``.
    n_iter_ : int
        Number of passes of the last call of `fit` or `partial_fit`.
    solution_ : mercer.solvers.Solution
        Certificate; its objective is the number of mistakes in the last pass.
    n_features_in_ : int
        Number of features seen during `fit`. Set only if X is a matrix or a frame.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during `fit`. Set only if all column names of X are strings.

    See Also
    --------
    Perceptron : Linear perceptron in primal and dual form.
    mercer.svm.SVC : Maximum-margin classifier.

    Notes
    -----
    `fit` evaluates O(n) kernel values per mistake, in blocks; with a budget O(n · budget) per pass. Prediction takes
    O(n_support) operations per sample, or O(mistakes) with ``variant="voted"``. Sample weights are not supported,
    because the algorithm counts mistakes.

    References
    ----------
    * Aizerman, Braverman, Rozonoer, *Theoretical foundations of the potential function method in pattern recognition
      learning*, Automation and Remote Control 25, 1964.
    * Novikoff, *On convergence proofs on perceptrons*, Symposium on the Mathematical Theory of Automata, 1962.
    * Freund, Schapire, *Large margin classification using the perceptron algorithm*, Machine Learning 37, 1999,
      doi:10.1023/A:1007662407062.
    * Dekel, Shalev-Shwartz, Singer, *The Forgetron: A kernel-based perceptron on a budget*, SIAM Journal on Computing
      37, 2008, doi:10.1137/060666998.
    * Orabona, Keshet, Caputo, *Bounded kernel-based online learning*, JMLR 10, 2009.
    * Cavallanti, Cesa-Bianchi, Gentile, *Tracking the best hyperplane with a simple budget Perceptron*, Machine
      Learning 69, 2007, doi:10.1007/s10994-007-5003-0.

    Examples
    --------
    Exclusive or: two mistakes in the first pass, none in the second, and the bound on their number.

    >>> import numpy as np
    >>> from mercer.perceptron import KernelPerceptron
    >>> X, y = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]]), np.array([0, 0, 1, 1])
    >>> model = KernelPerceptron("poly", gamma=1.0, degree=2, fit_intercept=False).fit(X, y)
    >>> model.predict(X), model.mistakes_, model.novikoff_bound_
    (array([0, 0, 1, 1]), array([[2, 0]]), array([2.]))
    """

    _not_always_finite: ClassVar[tuple[str, ...]] = ("novikoff_bound_",)  # NaN if the last pass made mistakes
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
        "fit_intercept",
        "max_iter",
        "random_state",
        "shuffle",
        variant=[StrOptions({"plain", "averaged", "voted"})],
        budget=[Interval(Integral, 1, None, closed="left"), None],
        removal=[StrOptions({"forgetron", "projectron", "random"})],
        threshold=[Interval(Real, 0.0, None, closed="left")],
        cache_size=[Interval(Real, 0, None, closed="left")],
    )

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        variant: Literal["plain", "averaged", "voted"] = "plain",
        budget: int | None = None,
        removal: Literal["forgetron", "projectron", "random"] = "forgetron",
        threshold: float = 0.0,
        max_iter: int = 100,
        shuffle: bool = False,
        cache_size: float = 200,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.variant = variant
        self.budget = budget
        self.removal = removal
        self.threshold = threshold
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.cache_size = cache_size
        self.random_state = random_state
        self.n_jobs = n_jobs

    # ---- learning

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any) -> Self:
        """Fit the perceptron to the training data, starting from zero.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or Gram matrix
            Training samples, in a form that the kernel reads. With ``kernel="precomputed"`` the Gram matrix of shape
            (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self
            Fitted estimator.
        """
        training, y = self._training(X, y)
        return self._fit_training(training, y)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:
        classes = self._distinct(y)
        label = self._labels(y, classes)
        source = training.K.row_source(self.cache_size)
        orders = self._orders(training.n, self.max_iter)
        histories, machines, f = self._learn(source, label, self._fresh(len(label)), orders, self.max_iter)
        self.classes_, self.kernel_, self.n_samples_seen_ = classes, training.kernel, training.n
        self.novikoff_bound_ = self._bounds(training, label, histories, machines, f)
        self._keep(training.basis, training.X, np.arange(training.n), machines)
        self._set_history(histories)
        self._warn_if_unclean()
        return self

    @available_if(lambda self: not self._is_precomputed)  # type: ignore[untyped-decorator]
    @transaction
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Data, y: Any, classes: Any = None) -> Self:
        """Update the perceptron by one pass over new samples.

        Not available with ``kernel="precomputed"``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame or list of objects
            Training samples, as in `fit`.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All class labels that may occur. Required in the first call, unless `fit` was called before. With
            ``gamma="scale"`` the kernel coefficient is computed from the samples of the first call.

        Returns
        -------
        self
            Fitted estimator.
        """
        kernel: Any
        who = type(self).__name__
        if classes is not None:
            classes = as_labels(who, classes, name="classes")
        if hasattr(self, "dual_coef_"):
            kernel = self.kernel_
            as_labels(who, y)
            X, y = check_samples(self, kernel, X, reset=False, dtypes=self._dtypes), column_or_1d(y, warn=True)
            check_consistent_length(X, y)
            _check_partial_fit_first_call(self, classes)
        else:
            training, y = self._training(X, y)
            _check_partial_fit_first_call(self, classes)
            kernel, X = training.kernel, training.X
        self._check_known(y)
        label = self._labels(y, self.classes_)
        if not hasattr(self, "dual_coef_"):
            self._begin(len(label))
        self._continue(kernel, X, label)
        return self

    @property
    def support_vectors_(self) -> Any:
        """Samples with coefficients."""
        return self.X_fit_

    # ---- prediction

    @finite_values
    def decision_function(self, X: Data) -> DoubleArray:
        """Decision values of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or kernel values
            Samples. With ``kernel="precomputed"`` the kernel values between samples and training samples, of shape
            (n_samples, n_samples_fit).

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes f(x), positive for ``classes_[1]``; otherwise one value per class. With ``variant="voted"``
            the weighted mean of the votes, between −1 and 1.
        """
        check_is_fitted(self)
        if len(self.support_) == 0:
            values = np.zeros((len(self._samples(X)), len(self.dual_coef_)))
        elif self.variant == "voted":
            values = self._votes(self._against(X))
        else:
            values = self._against(X) @ self._basis.fold(self.dual_coef_.T) + self.intercept_
        return np.asarray(values[:, 0] if len(self.classes_) == 2 else values)

    def _expansion(self) -> tuple[Data, DoubleArray, DoubleArray]:
        check_is_fitted(self)
        if self.variant == "voted":
            raise TypeError(
                "KernelPerceptron: variant='voted' has no kernel expansion Σ a_i k(x_i, x) + b; use variant='averaged'."
            )
        return self.X_fit_, self.dual_coef_.T, self.intercept_

    def _rebuilt_basis(self) -> Basis:
        return basis_of(self.kernel_, self.X_fit_, self.support_)

    def _votes(self, operator: GramOperator) -> DoubleArray:
        values = np.empty((operator.shape[0], len(self._machines)))
        most = max(len(machine.sample) for machine in self._machines)
        for rows in panels(len(values), max(1, VOTES // most)):
            K = np.asarray(operator.rows(rows), dtype=np.float64)
            for m, machine in enumerate(self._machines):
                values[rows, m] = votes(K[:, machine.sample], machine, float(self.fit_intercept))
        return values

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "dual_coef_")
