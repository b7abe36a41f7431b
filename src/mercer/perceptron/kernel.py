"""The perceptron with a kernel: multi-pass or online, plain, averaged, voted, or on a budget."""

from collections.abc import Iterable
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from mercer._estimator import KernelEstimator, Training, check_samples, constraints, finite_fit, finite_values
from mercer._estimator.basis import Basis, Kept, KernelBasis, basis_of
from mercer._estimator.transaction import transaction
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.data import joined, take
from mercer.kernels import Kernel
from mercer.operators import BlockedOperator, GramOperator, RowSource
from mercer.operators.tiles import panels
from mercer.perceptron.mistakes import MistakeDriven, erring
from mercer.solvers.perceptron import (
    BudgetMemory,
    History,
    MistakeList,
    budget_passes,
    kernel_passes,
    novikoff_bound,
    votes,
)

__all__ = ["KernelPerceptron"]

VOTES = 2**22  # kernel values at once
Machine: TypeAlias = Any  # MistakeList, or BudgetMemory with a budget


class KernelPerceptron(MistakeDriven, KernelEstimator):
    """The kernel perceptron: f(x) = Σ_j α_j y_j k(x_j, x) with counts α_j of mistakes.

    Pass over the samples; when y_i f(x_i) ≤ 0, α_i ← α_i + 1. `fit` ends with a pass without a mistake, or after
    `max_iter` passes and with a warning; `partial_fit` makes one pass over what it is given, and both forms agree: the
    list of mistakes in their order is all there is. More than two classes: one machine per class, against the rest.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", ..., the text form or an object of a mercer kernel, a function, or
        "precomputed". Names: docs/kernel-names.md. A function is called with two sets of samples.
    gamma : {"scale", "auto"} or float, default="scale"
        Of a kernel that is given by name.
    degree : int, default=3
        Of "poly".
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    fit_intercept : bool, default=True
        Whether the kernel is k + 1.
    variant : {"plain", "averaged", "voted"}, default="plain"
        What predicts: the last state f, the mean of all states over all visits, or their votes, each state with as many
        as it has seen visits (Freund and Schapire). All make the same mistakes; the last two do not need separable
        samples.
    budget : int, default=None
        Largest number of samples that a machine may remember; only for the plain variant. None: no limit.
    removal : {"forgetron", "projectron", "random"}, default="forgetron"
        What happens to a mistake beyond the budget. "forgetron": f shrinks as far as its bound on the mistakes needs
        and forgets the oldest sample. "random": a random one is replaced. "projectron": the new one is projected onto
        the span of the others.
    threshold : float, default=0.0
        η ≥ 0 of the Projectron: a mistake at most this far from the span, in feature space, is projected even within
        the budget.
    max_iter : int, default=100
        Largest number of passes over the samples, with a budget too. `partial_fit` makes one pass.
    shuffle : bool, default=False
        Whether each pass visits the samples in a random order; else in theirs.
    cache_size : float, default=200
        Megabytes of rows of the Gram matrix that `fit` may keep: of samples that erred, which tend to err again in the
        next pass.
    random_state : int, RandomState or None, default=None
        For `shuffle` and random removal.
    n_jobs : int, default=None
        Threads; None means all that are allowed.

    Attributes
    ----------
    support_ : ndarray of int, shape (n_support,)
        Samples that at least one machine remembers as a mistake, ascending, counted from the first that was ever seen.
    support_vectors_ : data of n_support samples
        Those samples; empty for "precomputed".
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Coefficients α_j y_j of the samples in `support_`, of the last state, or of the mean if averaged; all other
        samples have the coefficient 0. One machine for two classes, else one per class.
    intercept_ : ndarray of shape (n_machines,)
        Sums of the coefficients, or zeros without intercept.
    mistakes_ : ndarray of int, shape (n_machines, n_passes)
        Mistakes of each pass of `fit`, and of each call of `partial_fit` since.
    mistake_indices_ : list of ndarray of int, of length n_machines
        The samples where each machine erred, in that order.
    novikoff_bound_ : ndarray of shape (n_machines,)
        R²/γ² for the separator found: γ is its margin in unit norm and R² the largest k(x, x), both for k + 1 with an
        intercept. No order and number of passes over these samples makes more mistakes. NaN where the last pass of
        `fit` was not clean, with a budget, and after `partial_fit`, which does not keep the samples.
    n_samples_seen_ : int
        Samples that have been learned from, each counted once per call.
    classes_ : ndarray of shape (n_classes,)
        Labels.
    kernel_ : Kernel or None
        The kernel with numbers for all parameters; None for "precomputed".
    n_iter_ : int
        Passes of the last call of `fit` or `partial_fit`.
    solution_ : mercer.solvers.Solution
        Certificate; its objective is the number of mistakes in the last pass.

    See Also
    --------
    Perceptron : The linear perceptron, in primal and dual form.

    Notes
    -----
    `fit` computes O(n) values of the kernel per mistake, in blocks; with a budget O(n · budget) per pass. The voted
    variant predicts by O(mistakes) operations per sample, the others by O(n_support). There are no sample weights:
    a perceptron counts mistakes.

    References
    ----------
    Freund, Schapire (1999), Large margin classification using the perceptron algorithm, doi:10.1023/A:1007662407062.
    Dekel, Shalev-Shwartz, Singer (2008), The Forgetron, doi:10.1137/060666998.
    Orabona, Keshet, Caputo (2009), Bounded kernel-based online learning, JMLR 10.
    Cavallanti, Cesa-Bianchi, Gentile (2007), Tracking the best hyperplane with a simple budget Perceptron,
    doi:10.1007/s10994-007-5003-0.

    Examples
    --------
    Exclusive or; the mistakes and the bound that they obey:

    >>> import numpy as np
    >>> from mercer.perceptron import KernelPerceptron
    >>> X, y = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]]), np.array([0, 0, 1, 1])
    >>> model = KernelPerceptron("poly", gamma=1.0, degree=2, fit_intercept=False).fit(X, y)
    >>> model.predict(X), model.mistakes_, model.novikoff_bound_
    (array([0, 0, 1, 1]), array([[2, 0]]), array([2.]))
    """

    _not_always_finite: ClassVar[tuple[str, ...]] = ("novikoff_bound_",)  # unless the last pass is clean
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
        """Learn from the samples, as if there had been none before.

        Parameters
        ----------
        X : data of n samples, or the (n, n) Gram matrix with ``kernel="precomputed"``
            Vectors, frames or objects, as the kernel reads them.
        y : array-like of shape (n,)
            Their labels.
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
        self._tell(histories)
        self._warn_if_unclean()
        return self

    @available_if(lambda self: not self._is_precomputed)  # type: ignore[untyped-decorator]
    @transaction
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Data, y: Any, classes: Any = None) -> Self:
        """Go on learning: one pass over more samples. There is none for Gram matrices.

        Parameters
        ----------
        X : data of n samples
            As in `fit`.
        y : array-like of shape (n,)
            Their labels.
        classes : array-like, optional
            All labels that will ever come; needed at the first call, unless `fit` came before. A kernel with
            ``gamma="scale"`` takes its width from the samples of that call.
        """
        kernel: Any
        if hasattr(self, "dual_coef_"):
            kernel = self.kernel_
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

    def _check_known(self, y: Any) -> None:
        self._at_least_two(self.classes_)
        unseen = np.setdiff1d(y, self.classes_)
        if len(unseen):
            raise ValueError(
                f"{type(self).__name__}: the target labels {unseen.tolist()} in y do not exist in the initial classes "
                f"{self.classes_.tolist()}; name all classes at the first call of partial_fit."
            )

    def _begin(self, n_machines: int) -> None:
        """The state before the first sample."""
        none = np.empty(0, dtype=np.int64)
        self._machines = self._fresh(n_machines)
        self.X_fit_, self.support_, self.n_samples_seen_ = None, none, 0
        self.mistakes_, self.mistake_indices_ = np.empty((n_machines, 0), dtype=np.int64), [none] * n_machines

    @finite_fit
    def _continue(self, kernel: Kernel, X: Data, label: DoubleArray) -> None:
        """One pass over new samples, which are numbered after the support vectors."""
        known, seen, n = len(self.support_), self.n_samples_seen_, label.shape[1]
        together = joined(self.X_fit_, X) if known else X
        basis = KernelBasis(kernel, together)
        label = np.hstack([np.zeros((len(label), known)), label])
        start = np.zeros_like(label)
        if known and self.budget is None:
            coefs = np.array([machine.coef(known) for machine in self._machines])
            old, new = basis.packed.take(slice(known)), basis.packed.take(slice(known, None))
            start[:, known:] = (BlockedOperator(new, old, n_jobs=self.n_jobs) @ coefs.T).T
            start[:, known:] += float(self.fit_intercept) * coefs.sum(axis=1, keepdims=True)
        source = basis.gram(self.n_jobs).row_source(cache_size=0)  # few of its values are needed
        orders = [order + known for order in self._orders(n, 1)]
        histories, machines, _ = self._learn(source, label, self._machines, orders, 1, start)
        numbers = np.concatenate([self.support_, np.arange(seen, seen + n)])
        counts, lists = self.mistakes_, self.mistake_indices_
        self.kernel_, self.n_samples_seen_ = kernel, seen + n
        self._keep(basis, together, numbers, machines)
        self.novikoff_bound_ = np.full(len(label), np.nan)
        self._tell([replace(h, sample=numbers[h.sample]) for h in histories])
        self.mistakes_ = np.hstack([counts, self.mistakes_])
        self.mistake_indices_ = [np.concatenate(pair) for pair in zip(lists, self.mistake_indices_, strict=True)]

    def _fresh(self, machines: int) -> list[Machine]:
        if self.budget is None:
            return [MistakeList()] * machines
        if self.variant != "plain":
            raise ValueError(
                f"{type(self).__name__}: variant={self.variant!r} remembers every mistake, so it cannot keep "
                f"budget={self.budget}; use variant='plain' or budget=None."
            )
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        return [BudgetMemory(self.removal, int(self.budget), float(self.threshold), state=seed)] * machines

    def _learn(
        self,
        source: RowSource,
        label: DoubleArray,
        machines: list[Machine],
        orders: Iterable[IndexArray],
        passes: int,
        start: DoubleArray | None = None,
    ) -> tuple[list[History], list[Machine], DoubleArray]:
        bias, n_jobs = float(self.fit_intercept), self.n_jobs
        if self.budget is not None:
            histories, after = budget_passes(source, label, orders, machines, bias=bias, n_jobs=n_jobs)
            return histories, after, np.zeros_like(label)
        cache = self.cache_size
        histories, f = kernel_passes(
            source, label, orders, max_iter=passes, bias=bias, start=start, cache_size=cache, n_jobs=n_jobs
        )
        return histories, [m.after(h, y) for m, h, y in zip(machines, histories, label, strict=True)], f

    def _keep(self, basis: Basis, X: Data, numbers: IndexArray, machines: list[Machine]) -> None:
        """Remember the samples of X that the machines use; sample i of X has the number numbers[i] of all."""
        used = erring(machines)
        place = np.full(len(numbers), -1)
        place[used] = np.arange(len(used))
        self._machines = [machine.moved(place) for machine in machines]
        self.support_ = numbers[used]
        self.X_fit_ = np.empty((0, 0)) if self.kernel_ is None else take(X, used)
        self._kept = Kept.of(basis.select(used)) if len(used) else Kept()
        options = {"averaged": True} if self.variant == "averaged" else {}
        self.dual_coef_ = np.array([machine.coef(len(used), **options) for machine in self._machines])
        self.intercept_ = float(self.fit_intercept) * self.dual_coef_.sum(axis=1)

    def _bounds(
        self,
        training: Training,
        label: DoubleArray,
        histories: list[History],
        machines: list[Machine],
        f: DoubleArray,
    ) -> DoubleArray:
        """Of the machines that separate: f is right for them only."""
        bounds = np.full(len(label), np.nan)
        largest = float(training.diagonal.max()) + float(self.fit_intercept)
        for m, machine in enumerate(machines):
            if self.budget is None and histories[m].clean:
                bounds[m] = novikoff_bound(f[m], label[m], machine.coef(training.n), largest)
        return bounds

    @property
    def support_vectors_(self) -> Any:
        """The samples that have coefficients."""
        return self.X_fit_

    # ---- prediction

    @finite_values
    def decision_function(self, X: Data) -> DoubleArray:
        """f of every machine, of shape (n_samples,) for two classes, else (n_samples, n_classes).

        Voted: the balance of the votes, from −1 to 1.
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
            raise TypeError("KernelPerceptron: votes are not a sum Σ a_i k(x_i, x) + b; explain variant='averaged'.")
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
