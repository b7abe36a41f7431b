"""Base class of the automatic models: subsampling, preparation, model selection and the final fit."""

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelParams, TransactionalFit, as_kernel
from mercer._runtime.limits import available_memory
from mercer._runtime.pools import limit_pools
from mercer._typing import Data, IndexArray
from mercer.auto.candidate import Candidate
from mercer.auto.candidates import Proposal, proposals
from mercer.auto.columns import row_count, rows_of
from mercer.auto.models import MODELS, models_of
from mercer.auto.prepare import TablePreparer
from mercer.auto.sampling import alone, check_groups, fold_count, make_folds, sample_rows, training_rows
from mercer.auto.search import Search
from mercer.auto.task import Task, as_partial_target, as_target, known_labels, labeled_rows
from mercer.auto.trials import SMALL
from mercer.auto.view import View, named_columns
from mercer.data import Table, take
from mercer.kernels import Kernel

__all__ = ["CONSTRAINTS", "Auto"]

SELECTION = 2000  # largest number of samples used to select kernel and parameters
TRANSDUCTION = 300  # the same limit for labelled and for unlabelled samples, if some are unlabelled
SEVERAL = 2000  # largest number of samples for which model="auto" compares several models
SHARE = 0.5  # fraction of the available memory that Gram matrices may use

CONSTRAINTS: dict[str, list[Any]] = {
    "kernel": [str, callable, Kernel],
    "kinds": [Mapping, None],
    "cv": [Interval(Integral, 2, None, closed="left")],
    "max_samples": [Interval(Integral, 10, None, closed="left")],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}


class Auto(TransactionalFit, KernelParams, BaseEstimator):  # type: ignore[misc]
    """Base of `AutoClassifier` and `AutoRegressor`."""

    _task: ClassVar[Task]

    def __init__(
        self,
        kernel: Any = "auto",
        model: str = "auto",
        *,
        kinds: Mapping[str, str] | None = None,
        cv: int = 5,
        max_samples: int = 20_000,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.model = model
        self.kinds = kinds
        self.cv = cv
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

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
        self.rows_ = self._drawn(y, self.max_samples, "The model was trained on")
        if len(self.rows_) < n:
            self.draws_[0] = int(self.max_samples)
            X, y = rows_of(X, self.rows_), y[self.rows_]
            groups = None if groups is None else groups[self.rows_]
        if self._takes_unlabeled:
            self.notes_.append(_transduction(len(labeled_rows(y)), len(y)))
        self.preparer_ = TablePreparer(self.kinds).fit(X)
        self.notes_ += self.preparer_.notes_
        prepared = self.preparer_.transform(X)
        with limit_pools(1 if len(y) <= SMALL else None):  # threads cost more than they save on small data
            self._choose(prepared, y, groups)
            self._fit_model(prepared, y)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.preparer_, name):
                setattr(self, name, getattr(self.preparer_, name))
        return self

    def _seed(self) -> int:
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _drawn(self, y: Any, size: int, what: str) -> IndexArray:
        rows = sample_rows(y, size, stratify=self._task == "classification", random_state=self.seed_)
        if len(rows) < len(y):
            self.notes_.append(f"{what} {len(rows)} of {len(y)} samples, drawn with random_state={self.seed_}.")
        return rows

    def _choose(self, prepared: Data, y: Any, groups: Any) -> None:
        """Run the search and set `candidates_`, `kernel_`, `best_score_` and `best_params_`."""
        who, classes, n = type(self).__name__, self._task == "classification", len(y)
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
        models, only = models_of(self._task, self.model, n, several=SEVERAL)
        self.notes_ += [text for text in (fewer and f"Inner cross-validation: {fewer}", only) if text]
        if classes and alone(labels).any():
            self.notes_.append(_single(labels[alone(labels)].tolist()))
        search = Search(self._task, X, y, folds, models, n_jobs=self.n_jobs, random_state=self.seed_)
        self.candidates_: list[Candidate] = search.run(found)
        self.notes_ += search.notes
        chosen = next(candidate for candidate in self.candidates_ if candidate.chosen)
        self.kernel_ = chosen.kernel
        self.best_score_, self.best_params_ = chosen.score, {"model": chosen.model, **chosen.params}

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

    def _fit_model(self, prepared: Data, y: Any) -> None:
        """Fit `model_`, on a subsample if its Gram matrices of all rows do not fit in memory."""
        model = MODELS[self._task][self.best_params_["model"]]
        if model.holds_gram:
            what = f"The Gram matrix of the model {model.name!r} does not fit in memory; it was trained on"
            room = _affordable(2, len(y))
            kept = self._drawn(y, room, what)
            if len(kept) < len(y):
                self.draws_[1] = room
                self.rows_, prepared, y = self.rows_[kept], take(prepared, kept), y[kept]
        view = View.of(self.kernel_, prepared)
        self.form_, self.columns_ = view.form, list(view.columns)
        self.names_ = list(prepared.names) if isinstance(prepared, Table) else []
        params = {name: value for name, value in self.best_params_.items() if name != "model"}
        estimator = model.build(params, random_state=self.seed_, kernel=view.kernel, n_jobs=self.n_jobs)
        with warnings.catch_warnings():
            if model.stops_early:
                warnings.simplefilter("ignore", ConvergenceWarning)
            self.model_ = estimator.fit(view.apply(prepared), y)
        self._upgrade()

    def _upgrade(self) -> None:
        """Set the column names of the model's matrix, also after loading files of earlier versions."""
        if hasattr(self, "model_") and self.form_ == "matrix":
            self.model_._columns = list(self.columns_)

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
        samples = self.prepare(X)
        return self.model_.predict(samples)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags


def _affordable(matrices: int, most: int) -> int:
    """Largest number of samples, at most `most`, for which the given number of Gram matrices fits in memory."""
    available = available_memory()
    room = most if available is None else int(np.sqrt(SHARE * available / (8 * matrices)))
    return min(most, max(100, room))


def _transduction(labeled: int, n: int) -> str:
    """Note on the use of unlabelled samples."""
    return (
        f"The transductive SVM learns from {labeled} labelled and {n - labeled} unlabelled samples; the unlabelled "
        "samples are in every training part of cross-validation and are not scored."
    )


def _single(labels: list[Any]) -> str:
    """Note on classes with one sample."""
    shown = ", ".join(map(repr, labels[:5])) + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")
    return f"Inner cross-validation: classes with one sample ({shown}) stay in every training part and are not scored."
