"""Automatic models of one kernel: the search for kernel, model and parameters, and the final fit."""

import warnings
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from mercer._estimator import as_kernel
from mercer._runtime.limits import available_memory
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.auto.candidates import Proposal, proposals
from mercer.auto.clock import Clock
from mercer.auto.grams import shared_here
from mercer.auto.learned import learned_proposals
from mercer.auto.models import MODELS, Model
from mercer.auto.notes import approximation_note, single_classes_note
from mercer.auto.prepare import TablePreparer
from mercer.auto.sampling import alone, fold_count, make_folds, sample_rows, training_rows
from mercer.auto.scoring import Judge
from mercer.auto.search import Search
from mercer.auto.task import Task, known_labels
from mercer.auto.view import View, named_columns
from mercer.data import Table, take

__all__ = ["Searching"]

SELECTION = 2000  # largest number of samples used to select kernel and parameters
TRANSDUCTION = 300  # the same limit for labelled and for unlabelled samples, if some are unlabelled
SHARE = 0.5  # fraction of the available memory that Gram matrices may use


class Searching:
    """Part of `Auto` that compares kernels and fits one machine."""

    _task: ClassVar[Task]
    kernel: Any
    model: str
    cv: int
    simple: bool
    n_jobs: int | None
    approximation: Any
    approximation_: Any
    seed_: int
    notes_: list[str]
    draws_: list[int]
    preparer_: TablePreparer
    calibration_: tuple[float, DoubleArray] | None
    residuals_: DoubleArray | None
    _n_rows: int
    _fitted_rows: IndexArray | None

    @property
    def _takes_unlabeled(self) -> bool:
        """Whether the model accepts unlabelled samples."""
        model = MODELS[self._task].get(self.model)
        return model is not None and model.takes_unlabeled

    def _drawn(self, y: Any, size: int, what: str) -> IndexArray:
        rows = sample_rows(y, size, stratify=self._task == "classification", random_state=self.seed_)
        if len(rows) < len(y):
            self.notes_.append(f"{what} {len(rows)} of {len(y)} samples, drawn with random_state={self.seed_}.")
        return rows

    def _choose(
        self,
        prepared: Data,
        y: Any,
        groups: Any,
        models: list[Model],
        only: str,
        weight: DoubleArray | None,
        judge: Judge | None,
        clock: Clock,
    ) -> int:
        """Run the search and set `candidates_`, `kernel_`, `best_score_` and `best_params_`; return its rows."""
        who, classes = type(self).__name__, self._task == "classification"
        found, notes = self._proposals(prepared)
        self.notes_ += notes
        learned, taught = self._learned(prepared, y, groups, weight, clock)
        found += learned
        others = np.setdiff1d(np.arange(len(y)), taught)
        if len(taught):
            self.notes_.append(f"Weights of columns were learned on {len(taught)} other samples.")
        most = TRANSDUCTION if self._takes_unlabeled else SELECTION
        drawn = self._drawn(y[others], _affordable(len(found) + 3, most), "Kernel and parameters were chosen on")
        rows = others[drawn]
        X, y = take(prepared, rows), y[rows]
        groups, weight = (None if part is None else part[rows] for part in (groups, weight))
        labeled, labels = known_labels(who, y)
        own = None if groups is None else groups[labeled]
        count, fewer = fold_count(who, labels, self.cv, classes=classes, groups=own)
        parts = make_folds(labels, count, classes=classes, groups=own, random_state=self.seed_)
        folds = [(training_rows(train, test, labeled, len(y), groups), labeled[test]) for train, test in parts]
        self.notes_ += [text for text in (fewer and f"Inner cross-validation: {fewer}", only) if text]
        if classes and alone(labels).any():
            self.notes_.append(single_classes_note(labels[alone(labels)].tolist()))
        search = Search(
            self._task,
            X,
            y,
            folds,
            models,
            n_jobs=self.n_jobs,
            random_state=self.seed_,
            judge=judge,
            sample_weight=weight,
        )
        shared = shared_here(self._n_rows)
        if shared is not None:
            before = np.arange(self._n_rows) if self._fitted_rows is None else self._fitted_rows
            search.share(shared.take(before[rows]), self.preparer_)
        self.candidates_ = search.run(
            found, lambda done, total, text: clock.reach(0.9 * done / total, text), clock.left
        )
        found_calibration = search.calibration
        self.calibration_ = None if found_calibration is None else (found_calibration.scale, found_calibration.offset)
        self.residuals_ = search.residuals
        self.notes_ += search.notes
        chosen = next(candidate for candidate in self.candidates_ if candidate.chosen)
        self.kernel_ = chosen.kernel
        self.best_params_ = {"model": chosen.model, **chosen.params}
        self.best_score_ = chosen.score if judge is None else chosen.criterion
        return len(rows)

    def _learned(
        self, prepared: Data, y: Any, groups: Any, weight: DoubleArray | None, clock: Clock
    ) -> tuple[list[Proposal], IndexArray]:
        """Learned kernels of numbers and categories beside other columns, and the rows from which they were learned."""
        free = isinstance(self.kernel, str) and self.kernel == "auto" and not self.simple and not self._takes_unlabeled
        mixed = isinstance(prepared, Table) and not set(prepared.kinds) <= {"number", "category"}
        if not free or not mixed:
            return [], np.zeros(0, dtype=np.int64)
        return learned_proposals(
            self._task, prepared, y, weight, groups, random_state=self.seed_, n_jobs=self.n_jobs, clock=clock
        )

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

    def _fit_model(self, prepared: Data, y: Any, searched: int, weight: DoubleArray | None) -> None:
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
                before = np.arange(self._n_rows) if self._fitted_rows is None else self._fitted_rows
                self._fitted_rows, prepared, y = before[kept], take(prepared, kept), y[kept]
                weight = None if weight is None else weight[kept]
        view = View.of(self.kernel_, prepared)
        self.form_, self.columns_ = view.form, list(view.columns)
        self.names_ = list(prepared.names) if isinstance(prepared, Table) else []
        params = {name: value for name, value in self.best_params_.items() if name != "model"}
        options = {} if wanted is None else {"approximation": clone(wanted, safe=False)}
        estimator = model.build(params, random_state=self.seed_, kernel=view.kernel, n_jobs=self.n_jobs, **options)
        with warnings.catch_warnings():
            if model.stops_early:
                warnings.simplefilter("ignore", ConvergenceWarning)
            weights = {} if weight is None else {"sample_weight": weight}
            self.model_ = estimator.fit(view.apply(prepared), y, **weights)
        if self.approximation_ is not None:
            self.notes_.append(approximation_note(self.approximation_, self._n_rows, searched))
        self._upgrade()

    def _upgrade(self) -> None:
        raise NotImplementedError


def _affordable(matrices: int, most: int) -> int:
    """Largest number of samples, at most `most`, for which the given number of Gram matrices fits in memory."""
    available = available_memory()
    room = most if available is None else int(np.sqrt(SHARE * available / (8 * matrices)))
    return min(most, max(100, room))
