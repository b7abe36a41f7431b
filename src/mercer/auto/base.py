"""Base class of the automatic models: subsampling, preparation, model selection and the final fit."""

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelParams, TransactionalFit, as_kernel, constraints
from mercer._runtime.limits import available_memory
from mercer._runtime.pools import limit_pools
from mercer._typing import Data, IndexArray
from mercer.approximation import FittedApproximation
from mercer.auto.candidate import Candidate
from mercer.auto.candidates import Proposal, proposals
from mercer.auto.columns import row_count, rows_of
from mercer.auto.explained import ExplainedStack
from mercer.auto.models import EXACT, MODELS, Model, models_of
from mercer.auto.notes import approximation_note, single_classes_note, stack_note, transduction_note
from mercer.auto.prepare import TablePreparer
from mercer.auto.sampling import alone, check_groups, fold_count, make_folds, sample_rows, training_rows
from mercer.auto.search import Search
from mercer.auto.stack import Layout, StackedClassifier, StackedRegressor
from mercer.auto.task import Task, as_partial_target, as_target, known_labels, labeled_rows
from mercer.auto.trials import SMALL
from mercer.auto.view import Form, View, named_columns
from mercer.data import Table, n_samples, take
from mercer.kernels import Kernel

__all__ = ["CONSTRAINTS", "Auto"]

SELECTION = 2000  # largest number of samples used to select kernel and parameters
TRANSDUCTION = 300  # the same limit for labelled and for unlabelled samples, if some are unlabelled
SEVERAL = 2000  # largest number of samples for which model="auto" compares several models
SHARE = 0.5  # fraction of the available memory that Gram matrices may use
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
}


class Auto(ExplainedStack, TransactionalFit, KernelParams, BaseEstimator):  # type: ignore[misc]
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

    @abstractmethod
    def _target(self, y: Any) -> Any:
        """Return the target in the form the models take; raise ValueError if it is not valid for the task."""

    @property
    def _takes_unlabeled(self) -> bool:
        """Whether the model accepts unlabelled samples."""
        model = MODELS[self._task].get(self.model)
        return model is not None and model.takes_unlabeled

    # ---- fit

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any, groups: Any = None) -> Self:
        """Prepare the table, select kernel, model and parameters by cross-validation, and fit the model.

        Parameters
        ----------
        X : frame, dict of columns, Table, array, list of rows, sparse matrix, Graphs, Strings or Trees
            Training samples.
        y : array-like of shape (n_samples,)
            Targets. With ``model="transductive"``, None and NaN mark unlabelled samples.
        groups : array-like of shape (n_samples,), default=None
            Group labels. All samples of a group are in the same fold of the inner cross-validation.

        Returns
        -------
        self
            Fitted estimator.

        Raises
        ------
        ValueError
            If the target is not valid for the task, or if it is too small for two folds.
        """
        who = type(self).__name__
        if self._takes_unlabeled:
            y = as_partial_target(who, y)
            self._target(known_labels(who, y)[1])
        else:
            y = self._target(as_target(who, y))
        n = row_count(who, X)
        if n != len(y):
            raise ValueError(f"{who}: Found input variables with inconsistent numbers of samples: [{n}, {len(y)}].")
        groups = check_groups(who, groups, n)
        self.seed_ = self._seed()
        self.notes_: list[str] = []
        self.draws_ = [0, 0]  # sizes of the random subsamples of raw and of prepared rows, 0 for none
        models, only, most = self._models(n)
        rows = self._drawn(y, most, "The model was trained on")
        self._fitted_rows, self._n_rows = None if len(rows) == n else rows, n
        if len(rows) < n:
            self.draws_[0] = most
            X, y = rows_of(X, rows), y[rows]
            groups = None if groups is None else groups[rows]
        if self._takes_unlabeled:
            self.notes_.append(transduction_note(len(labeled_rows(y)), len(y)))
        self.preparer_ = TablePreparer(self.kinds).fit(X)
        self.notes_ += self.preparer_.notes_
        if self._stacks(len(y)):
            self.preparer_ = TablePreparer(self.kinds, ranks=True).fit(X)
            self._fit_stack(self.preparer_.transform(X), y, groups)
        else:
            prepared = self.preparer_.transform(X)
            with limit_pools(1 if len(y) <= SMALL else None):  # threads cost more than they save on small data
                searched = self._choose(prepared, y, groups, models, only)
                self._fit_model(prepared, y, searched)
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

    def _fit_stack(self, prepared: Table, y: Any, groups: Any) -> None:
        """Fit `model_`, a stack, to all rows."""
        preparer = self.preparer_
        layout = Layout.of(prepared, preparer.ranks_)
        stack = StackedClassifier if self._task == "classification" else StackedRegressor
        self.model_ = stack(layout, random_state=self.seed_, n_jobs=self.n_jobs).fit(prepared.codes(), y, None, groups)
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
        self.notes_.append(stack_note(len(self.model_.members_), self.model_.n_taught_, len(y)))

    def _seed(self) -> int:
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _drawn(self, y: Any, size: int, what: str) -> IndexArray:
        rows = sample_rows(y, size, stratify=self._task == "classification", random_state=self.seed_)
        if len(rows) < len(y):
            self.notes_.append(f"{what} {len(rows)} of {len(y)} samples, drawn with random_state={self.seed_}.")
        return rows

    def _choose(self, prepared: Data, y: Any, groups: Any, models: list[Model], only: str) -> int:
        """Run the search and set `candidates_`, `kernel_`, `best_score_` and `best_params_`; return its rows."""
        who, classes = type(self).__name__, self._task == "classification"
        found, notes = self._proposals(prepared)
        self.notes_ += notes
        most = TRANSDUCTION if self._takes_unlabeled else SELECTION
        rows = self._drawn(y, _affordable(len(found) + 3, most), "Kernel and parameters were chosen on")
        X, y = take(prepared, rows), y[rows]
        groups = None if groups is None else groups[rows]
        labeled, labels = known_labels(who, y)
        own = None if groups is None else groups[labeled]
        count, fewer = fold_count(who, labels, self.cv, classes=classes, groups=own)
        parts = make_folds(labels, count, classes=classes, groups=own, random_state=self.seed_)
        folds = [(training_rows(train, test, labeled, len(y), groups), labeled[test]) for train, test in parts]
        self.notes_ += [text for text in (fewer and f"Inner cross-validation: {fewer}", only) if text]
        if classes and alone(labels).any():
            self.notes_.append(single_classes_note(labels[alone(labels)].tolist()))
        search = Search(self._task, X, y, folds, models, n_jobs=self.n_jobs, random_state=self.seed_)
        self.candidates_ = search.run(found)
        self.notes_ += search.notes
        chosen = next(candidate for candidate in self.candidates_ if candidate.chosen)
        self.kernel_ = chosen.kernel
        self.best_score_, self.best_params_ = chosen.score, {"model": chosen.model, **chosen.params}
        return len(rows)

    def _proposals(self, prepared: Data) -> tuple[list[Proposal], list[str]]:
        if isinstance(self.kernel, str) and self.kernel == "auto":
            return proposals(prepared, self.preparer_.kinds_)
        kernel = as_kernel(self.kernel, who=type(self).__name__)
        for name in named_columns(kernel):
            if self.preparer_.kinds_.get(name) == "drop":
                why = next(note for note in self.preparer_.notes_ if note.startswith(f"{name}: dropped"))
                raise ValueError(
                    f"{type(self).__name__}: the kernel reads column {name!r}, which was dropped. {why} Keep it with "
                    f"kinds=, or remove it from the kernel."
                )
        return [Proposal("as given", (kernel,))], []

    def _fit_model(self, prepared: Data, y: Any, searched: int) -> None:
        """Fit `model_` to all rows; without an approximation, to as many as its Gram matrices fit in memory."""
        model = MODELS[self._task][self.best_params_["model"]]
        wanted = self.approximation if model.approximates else None
        if isinstance(wanted, Integral) and int(wanted) >= len(y):
            wanted = None  # all rows would be landmarks
        if model.holds_gram and wanted is None:
            what = f"The Gram matrix of the model {model.name!r} does not fit in memory; it was trained on"
            room = _affordable(2, len(y))
            kept = self._drawn(y, room, what)
            if len(kept) < len(y):
                self.draws_[1] = room
                self._fitted_rows, prepared, y = self.rows_[kept], take(prepared, kept), y[kept]
        view = View.of(self.kernel_, prepared)
        self.form_, self.columns_ = view.form, list(view.columns)
        self.names_ = list(prepared.names) if isinstance(prepared, Table) else []
        params = {name: value for name, value in self.best_params_.items() if name != "model"}
        options = {} if wanted is None else {"approximation": clone(wanted, safe=False)}
        estimator = model.build(params, random_state=self.seed_, kernel=view.kernel, n_jobs=self.n_jobs, **options)
        with warnings.catch_warnings():
            if model.stops_early:
                warnings.simplefilter("ignore", ConvergenceWarning)
            self.model_ = estimator.fit(view.apply(prepared), y)
        if self.approximation_ is not None:
            self.notes_.append(approximation_note(self.approximation_, self._n_rows, searched))
        self._upgrade()

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

    def _answers(self, X: Data, method: str) -> Any:
        """Results of a method of `model_` for raw samples, computed in parts if there are many."""
        samples, answer = self.prepare(X), getattr(self.model_, method)
        n = n_samples(samples)
        if n <= PREDICTED:
            return answer(samples)
        parts = (slice(start, start + PREDICTED) for start in range(0, n, PREDICTED))
        return np.concatenate([answer(take(samples, part)) for part in parts])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags


def _affordable(matrices: int, most: int) -> int:
    """Largest number of samples, at most `most`, for which the given number of Gram matrices fits in memory."""
    available = available_memory()
    room = most if available is None else int(np.sqrt(SHARE * available / (8 * matrices)))
    return min(most, max(100, room))
