"""Base class of the automatic models: subsampling, preparation, model selection and the final fit."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import check_random_state, compute_sample_weight
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelParams, TransactionalFit, constraints
from mercer._estimator.class_weight import check_class_weight
from mercer._estimator.samples import check_weights
from mercer._runtime.pools import limit_pools
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.approximation import FittedApproximation
from mercer.auto.candidate import Candidate
from mercer.auto.clock import Clock
from mercer.auto.columns import row_count, rows_of
from mercer.auto.evaluation.duplicates import duplicate_groups
from mercer.auto.explained import ExplainedScore
from mercer.auto.models import EXACT, Model, check_weighted, models_of
from mercer.auto.notes import stack_note, transduction_note
from mercer.auto.prepare import TablePreparer
from mercer.auto.sampling import check_groups
from mercer.auto.scoring import Judge
from mercer.auto.searching import Searching
from mercer.auto.stack import Layout, StackedClassifier, StackedRegressor
from mercer.auto.task import Task, as_partial_target, as_target, known_labels, labeled_rows
from mercer.auto.trained_rows import TrainedRows
from mercer.auto.trials import SMALL
from mercer.auto.view import Form, View
from mercer.data import Table, n_samples, take
from mercer.kernels import Kernel

__all__ = ["CONSTRAINTS", "Auto"]

SEVERAL = 2000  # largest number of samples for which model="auto" compares several models
STACK = 30  # smallest number of rows from which weights of columns are learned
STACKED = 100_000  # largest number of rows of a stack: its time grows with the number of rows times LEAF²
WIDE = 300  # largest number of columns for which weights are learned
PREDICTED = 100_000  # prepared samples that a model predicts at once, which bounds the memory for packed samples

CONSTRAINTS: dict[str, list[Any]] = {
    **constraints("approximation"),
    "kernel": [str, callable, Kernel],
    "kinds": [Mapping, None],
    "cv": [Interval(Integral, 2, None, closed="left")],
    "simple": ["boolean"],
    "max_samples": [Interval(Integral, 10, None, closed="left"), None],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
    "scoring": [str, callable, None],
    "time_limit": [Interval(Real, 0, None, closed="neither"), None],
    "verbose": ["verbose"],
}


class Auto(Searching, ExplainedScore, TrainedRows, TransactionalFit, KernelParams, BaseEstimator):  # type: ignore[misc]
    """Base of `AutoClassifier` and `AutoRegressor`."""

    _task: ClassVar[Task]

    def __init__(
        self,
        kernel: Any = "auto",
        model: str = "auto",
        *,
        kinds: Mapping[str, str] | None = None,
        cv: int = 5,
        simple: bool = False,
        max_samples: int | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        scoring: Any = None,
        time_limit: float | None = None,
        verbose: bool = False,
        approximation: Any = "auto",
    ) -> None:
        self.kernel = kernel
        self.model = model
        self.kinds = kinds
        self.cv = cv
        self.simple = simple
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.approximation = approximation
        self.scoring = scoring
        self.time_limit = time_limit
        self.verbose = verbose

    @abstractmethod
    def _target(self, y: Any) -> Any:
        """Return the target in the form the models take; raise ValueError if it is not valid for the task."""

    # ---- fit

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any, groups: Any = None, sample_weight: Any = None) -> Self:
        """Prepare the table, select kernel, model and parameters by cross-validation, and fit the model.

        Parameters
        ----------
        X : frame, dict of columns, Table, array, list of rows, sparse matrix, Graphs, Strings or Trees
            Training samples.
        y : array-like of shape (n_samples,)
            Targets. With ``model="transductive"``, None and NaN mark unlabelled samples.
        groups : array-like of shape (n_samples,) or "auto", default=None
            Group labels. All samples of a group are in the same fold of the inner cross-validation. "auto": duplicates
            and near-duplicates are groups, see `Duplicates`.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative sample weights. Samples of weight 0 are left out. None: ones.

        Returns
        -------
        self
            Fitted estimator.

        Raises
        ------
        ValueError
            If the target is not valid for the task, if it is too small for two folds, or if the model does not take
            sample weights.
        """
        who = type(self).__name__
        clock = Clock(who, self.time_limit, verbose=bool(self.verbose))
        if self._takes_unlabeled:
            y = as_partial_target(who, y)
            self._target(known_labels(who, y)[1])
        else:
            y = self._target(as_target(who, y))
        n = row_count(who, X)
        if n != len(y):
            raise ValueError(f"{who}: Found input variables with inconsistent numbers of samples: [{n}, {len(y)}].")
        groups = check_groups(who, duplicate_groups(who, groups, X, self.kinds), n)
        judge = None if self.scoring is None else Judge(self._task, self.scoring, getattr(self, "classes_", None))
        self.seed_ = self._seed()
        self.notes_: list[str] = []
        weight = self._weights(y, sample_weight)
        self.calibration_ = self.residuals_ = None
        self.draws_ = [0, 0]  # sizes of the random subsamples of raw and of prepared rows, 0 for none
        models, only, most = self._models(n)
        rows = self._drawn(y, most, "The model was trained on")
        if len(rows) < n:
            self.draws_[0] = most
        if weight is not None:
            rows = rows[weight[rows] > 0]
            self._target(y[rows])  # weights may leave one class
        self._fitted_rows, self._n_rows = None if len(rows) == n else rows, n
        if len(rows) < n:
            X, y = rows_of(X, rows), y[rows]
            groups, weight = (None if part is None else part[rows] for part in (groups, weight))
        if self._takes_unlabeled:
            self.notes_.append(transduction_note(len(labeled_rows(y)), len(y)))
        self.preparer_ = TablePreparer(self.kinds).fit(X)
        self.notes_ += self.preparer_.notes_
        if self._stacks(len(y)):
            self.preparer_ = TablePreparer(self.kinds, ranks=True).fit(X)
            prepared = self.preparer_.transform(X)
            self._fit_stack(prepared, y, groups, weight, judge, clock)
        else:
            prepared = self.preparer_.transform(X)
            if weight is not None:
                check_weighted(who, self._task, models)
            with limit_pools(1 if len(y) <= SMALL else None):  # threads cost more than they save on small data
                searched = self._choose(prepared, y, groups, models, only, weight, judge, clock)
                self._fit_model(prepared, y, searched, weight)
                clock.step(np.inf, "done")
        self._remember(take(prepared, labeled_rows(y)) if self._takes_unlabeled else prepared)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.preparer_, name):
                setattr(self, name, getattr(self.preparer_, name))
        return self

    def _models(self, n: int) -> tuple[list[Model], str, int]:
        """Models to compare, a note on them, and the largest number of training rows."""
        used = min(n, self.max_samples or n)
        try:
            name = "auto" if self.model == "stack" else self.model
            models, note = models_of(self._task, name, used, several=SEVERAL, approximation=self.approximation)
        except ValueError as error:
            raise ValueError(f"{type(self).__name__}: {error}") from None
        scales = self.approximation is not None and all(model.approximates for model in models)
        return models, note, int(self.max_samples or (n if scales else EXACT))

    def _stacks(self, n: int) -> bool:
        """Whether a stack of machines with learned column weights is fitted instead of one machine."""
        preparer = self.preparer_
        kinds = {kind for kind in preparer.kinds_.values() if kind != "drop"} or {"number"}
        fits = preparer.form_ in ("table", "matrix") and kinds <= {"number", "category"}
        fits &= len(preparer.get_feature_names_out()) <= WIDE if fits else False
        if self.model == "stack" and not fits:
            raise ValueError(
                f"{type(self).__name__}: model='stack' needs a table of at most {WIDE} numbers and categories; use "
                "model='auto', or drop other columns with kinds=."
            )
        asked = self.model == "stack" or (self.model == "auto" and not self.simple)
        free = isinstance(self.kernel, str) and self.kernel == "auto" and self.approximation in ("auto", None)
        return asked and fits and free and STACK <= n <= (n if self.model == "stack" else STACKED)

    def _weights(self, y: Any, sample_weight: Any) -> DoubleArray | None:
        """Sample weights times class weights; None if all are 1."""
        weight = None
        if sample_weight is not None:
            weight = check_weights(self, sample_weight, y)
            if not weight.any():
                raise ValueError(
                    f"{type(self).__name__}: all {len(y)} sample weights are zero; give the samples to learn from a "
                    "positive weight."
                )
            if not weight.all():
                self.notes_.append(f"{int((weight == 0).sum())} of {len(y)} samples have weight 0 and were left out.")
        if getattr(self, "class_weight", None) is not None:
            check_class_weight(self)
            own = compute_sample_weight(self.class_weight, y)
            weight = own if weight is None else weight * own
        return weight

    def _fit_stack(
        self, prepared: Table, y: Any, groups: Any, weight: DoubleArray | None, judge: Judge | None, clock: Clock
    ) -> None:
        """Fit `model_`, a stack, to all rows."""
        preparer = self.preparer_
        layout = Layout.of(prepared, preparer.ranks_)
        stack = StackedClassifier if self._task == "classification" else StackedRegressor
        self.model_ = stack(layout, random_state=self.seed_, n_jobs=self.n_jobs)
        self.model_.fit(prepared.codes(), y, weight, groups, judge=judge, clock=clock)
        self.form_: Form = "codes"
        self.columns_, self.names_ = list(prepared.names), list(prepared.names)
        self.candidates_: list[Candidate] = [
            Candidate(
                m.name, m.kernel(prepared.names), np.nan, m.weight, m.score, np.nan, m.model, m.params, chosen=i == 0
            )
            for i, m in enumerate(self.model_.members_)
        ]
        self.kernel_ = self.candidates_[0].kernel
        self.best_score_, self.best_params_ = self.model_.score_, {"model": "stack"}
        self.notes_ += [stack_note(len(self.model_.members_), self.model_.n_taught_, len(y)), *self.model_.notes_]

    def _seed(self) -> int:
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _upgrade(self) -> None:
        """Set the column names of the model's matrix, also after loading files of earlier versions."""
        if hasattr(self, "model_") and self.form_ == "matrix":
            self.model_._columns = list(self.columns_)
        if "rows_" in self.__dict__:  # stored by earlier versions
            self._fitted_rows = self.__dict__.pop("rows_")

    @property
    def rows_(self) -> IndexArray:
        """Indices of the rows on which `model_` was trained.

        Returns
        -------
        ndarray of shape (n_rows,)
            Row indices, ascending. They are stored only if they are a subsample.
        """
        return np.arange(self._n_rows) if self._fitted_rows is None else self._fitted_rows

    @property
    def approximation_(self) -> FittedApproximation | None:
        """Approximation of the kernel that `model_` uses.

        Returns
        -------
        mercer.approximation.FittedApproximation or None
            Record of the approximation; None if the fit is exact.
        """
        return getattr(self.model_, "approximation_", None)

    # ---- prediction

    def prepare(self, X: Data) -> Data:
        """Convert raw samples into the input of `model_`.

        Parameters
        ----------
        X : frame, dict of columns, Table, array, list of rows, sparse matrix, Graphs, Strings or Trees
            Raw samples, with the columns seen in `fit`.

        Returns
        -------
        ndarray, sparse matrix, Table, Graphs, Strings or Trees
            Prepared samples, restricted to the columns that `kernel_` reads.
        """
        check_is_fitted(self)
        view = View(self.form_, tuple(self.columns_), self.kernel_)
        return view.apply(self.preparer_.transform(X))

    def predict(self, X: Data) -> Any:
        """Predict the targets of raw samples.

        Parameters
        ----------
        X : frame, dict of columns, Table, array, list of rows, sparse matrix, Graphs, Strings or Trees
            Raw samples, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted class labels or values.
        """
        return self._answers(X, "predict")

    def count_training_rows(self, X: Data) -> tuple[int, int]:
        """Count the raw samples that equal a training sample, on which scores are optimistic.

        Samples are compared by hashes of all columns that the model could use. Of training sets of more than 20 000
        different samples the model keeps a random share of the hashes, and compares samples with that share only.

        Parameters
        ----------
        X : frame, dict of columns, Table, array, list of rows, sparse matrix, Graphs, Strings or Trees
            Raw samples, with the columns seen in `fit`.

        Returns
        -------
        n_equal : int
            Number of samples that equal a training sample.
        n_compared : int
            Number of samples that were compared; 0 for models that an earlier version has stored.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer.auto import AutoRegressor
        >>> X = np.random.default_rng(0).normal(size=(40, 2))
        >>> model = AutoRegressor("rbf", "ridge").fit(X[:30], X[:30, 0])
        >>> model.count_training_rows(X[20:])
        (10, 20)
        """
        check_is_fitted(self)
        return self._recognised(self.preparer_.transform(X))

    def _answers(self, X: Data, method: str) -> Any:
        """Results of a method of `model_` for raw samples."""
        check_is_fitted(self)
        return self._in_parts(X, getattr(self.model_, method))

    def _in_parts(self, X: Data, answer: Callable[[Data], Any]) -> Any:
        """Results of a function of prepared samples, computed in parts if there are many."""
        samples = self.prepare(X)
        n = n_samples(samples)
        if n <= PREDICTED:
            return answer(samples)
        parts = (slice(start, start + PREDICTED) for start in range(0, n, PREDICTED))
        return np.concatenate([answer(take(samples, part)) for part in parts])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags
