"""Nested cross-validation: the whole fit, including all selections, is repeated in every outer fold."""

import warnings
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import check_integer
from mercer._words import one_word
from mercer.auto.base import Auto
from mercer.auto.columns import row_count, rows_of
from mercer.auto.evaluation.baselines import Baselines
from mercer.auto.evaluation.choices import Choice, choice_of
from mercer.auto.evaluation.duplicates import Duplicates, duplicate_groups, find_duplicates
from mercer.auto.evaluation.record import Evaluation
from mercer.auto.frequencies import NEW
from mercer.auto.grams import at_rows, shared_grams
from mercer.auto.metrics import ClassMetrics, NumberMetrics
from mercer.auto.notes import counted, single_classes_note, small_classes_note
from mercer.auto.pace import Report, no_report
from mercer.auto.sampling import alone, check_groups, fold_count, make_folds, sample_rows, training_rows
from mercer.auto.scoring import Judge, rarer_class
from mercer.auto.task import as_partial_target, as_target, check_classes, check_numbers, known_labels
from mercer.auto.thresholds import positive_class
from mercer.model_selection import GramCache

__all__ = ["evaluate"]


@one_word
def evaluate(
    model: Any,
    X: Data,
    y: Any,
    groups: Any = None,
    cv: int = 5,
    progress: Report | None = None,
    max_samples: int | None = None,
    scoring: Any = None,
    baselines: bool = False,
    positive: Any = None,
) -> Evaluation:
    """Evaluate a model by nested cross-validation.

    In each outer fold a clone of the model is fitted to the other folds, including the preparation of the table and
    the selection of kernel and parameters, and predicts the samples of the fold. Folds are stratified for classifiers,
    keep groups together, and depend only on the model's `random_state`.

    Parameters
    ----------
    model : AutoClassifier, AutoRegressor, or any classifier or regressor
        Unfitted model. It is cloned and not changed.
    X : frame, dict of columns, Table, array, list of rows, sparse matrix, Graphs, Strings or Trees
        Samples, in any form that the model accepts.
    y : array-like of shape (n_samples,)
        Targets. For ``AutoClassifier(model="transductive")``, None and NaN mark unlabelled samples, which are part of
        every training set and are not scored. The test samples of a fold are not used as unlabelled samples.
    groups : array-like of shape (n_samples,) or "auto", default=None
        Group labels. All samples of a group are in the same fold. Unlabelled samples of a tested group are left out of
        the training set. "auto": duplicates and near-duplicates are groups, see `Duplicates`.
    cv : int, default=5
        Number of outer folds, at least 2. It is reduced if only one class has as many samples, or if there are fewer
        groups, which `notes` of the result reports.
    progress : callable, default=None
        Called as ``progress(done, cv, text)`` before each fold and after the last.
    max_samples : int, default=None
        Largest number of samples to use. Larger sets are subsampled by `sample_rows`, stratified by class, which
        `notes` and `rows` of the result report. None means all samples.
    scoring : str or callable, default=None
        Further metric: a scorer of scikit-learn, by name or as a callable ``scorer(estimator, X, y)``, where X are the
        predictions themselves. If its positive label is not among two classes, the rarer class is the positive one.
    baselines : bool, default=False
        Whether a linear model and gradient boosting of scikit-learn are scored on the same folds.
    positive : object, default=None
        Label of the positive class, or its text. None: the rarer of two classes.

    Returns
    -------
    Evaluation
        Scores of each fold, baseline scores and out-of-fold predictions.

    Raises
    ------
    ValueError
        If fewer than two classes have two samples, if the fit of a fold fails, or if the score is not one for the task.

    See Also
    --------
    AutoClassifier : Classifier that selects kernel, model and parameters.
    AutoRegressor : Regressor that selects kernel, model and parameters.
    mercer.report.write_report : Writes a report of a model with its evaluation.

    Notes
    -----
    The model is fitted `cv` times. For a large table, `max_samples` limits the time. The scores are then those of
    models fitted to parts of that many samples, and a model fitted to all samples is usually somewhat better.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.auto import AutoClassifier, evaluate
    >>> X, y = load_iris(return_X_y=True)
    >>> found = evaluate(AutoClassifier(kernel="rbf", model="ridge"), X, y, cv=3)
    >>> [round(value, 3) for value in found.interval("accuracy")]
    [0.953, 0.925, 0.982]
    >>> round(float(found.baseline["accuracy"].mean()), 3)
    0.32
    """
    classes = is_classifier(model)
    partial = getattr(model, "_takes_unlabeled", False)
    y = as_partial_target("evaluate", y) if partial else as_target("evaluate", y)
    n = row_count("evaluate", X)
    if n != len(y):
        raise ValueError(f"evaluate: X has {n} samples, but y has {len(y)}; give one target for each.")
    groups = check_groups("evaluate", duplicate_groups("evaluate", groups, X, getattr(model, "kinds", None)), n)
    wanted = check_integer("evaluate", "cv", cv, low=2)
    seed = getattr(model, "random_state", 0)
    seed = seed if isinstance(seed, int) else 0
    rows = None
    if max_samples is not None:
        most = check_integer("evaluate", "max_samples", max_samples, low=4)
        rows = sample_rows(y, most, stratify=classes, random_state=seed)
        X, y = rows_of(X, rows), y[rows]
        groups = None if groups is None else groups[rows]
    labeled, truth = known_labels("evaluate", y)
    if classes:
        check_classes("evaluate", truth)
    else:
        y = truth = check_numbers("evaluate", truth)
    label = _positive(truth, positive) if classes else None
    metrics = _metrics(truth, scoring, label, classes=classes)
    notes, every = [], len(labeled)
    if classes and alone(truth).any():  # these samples are in every training part
        notes.append(single_classes_note(truth[alone(truth)].tolist(), "Evaluation"))
        single = truth[alone(truth)].tolist()
        labeled, truth = labeled[~alone(truth)], truth[~alone(truth)]
        if len(np.unique(truth)) < 2:
            raise ValueError(
                f"evaluate: class {single[0]!r} has 1 sample, expected at least 2 in two classes or more, since others "
                "cannot be scored; give more samples of it."
            )
    own = None if groups is None else groups[labeled]
    count, note = fold_count("evaluate", truth, wanted, classes=classes, groups=own)
    parts = make_folds(truth, count, classes=classes, groups=own, random_state=seed)
    notes += [f"Evaluation: {note}"] if note else []
    if classes and (few := small_classes_note(dict(zip(*_sizes(truth), strict=True)), count)):
        notes.append(few)
    known = Baselines(model, classes=classes, random_state=seed) if baselines else None
    if rows is not None and len(rows) < n:
        notes.insert(0, f"Scores were computed on {len(rows)} of {n} samples, drawn with random_state={seed}.")
    found = _Folds(model, X, y, labeled, truth, groups, metrics, notes, known).run(parts, progress)
    if rows is None or len(rows) == n:
        rows = labeled if len(labeled) < every else None
    else:
        rows = rows[labeled]
    return replace(found, rows=rows, positive=label)


def _sizes(truth: Any) -> tuple[list[Any], list[int]]:
    """Classes and their numbers of samples."""
    labels, sizes = np.unique(truth, return_counts=True)
    return labels.tolist(), sizes.tolist()


def _positive(truth: Any, positive: Any) -> Any:
    """Label of the positive class; None for several classes of which none is named."""
    classes = np.unique(truth)
    return None if positive is None and len(classes) > 2 else positive_class("evaluate", classes, positive, truth)


def _metrics(truth: Any, scoring: Any, positive: Any, *, classes: bool) -> ClassMetrics | NumberMetrics:
    if not classes:
        return NumberMetrics(None if scoring is None else Judge("regression", scoring, None, who="evaluate"))
    if scoring is None:
        return ClassMetrics(truth, None, positive)
    rare = rarer_class(truth) if positive is None else positive
    judge = Judge("classification", scoring, np.unique(truth), positive=rare, who="evaluate")
    return ClassMetrics(truth, judge, positive)


class _Folds:
    """State of an evaluation. `truth` holds the targets of the rows `labeled`; folds index these rows."""

    def __init__(
        self,
        model: Any,
        X: Data,
        y: Any,
        labeled: IndexArray,
        truth: Any,
        groups: Any,
        scored: ClassMetrics | NumberMetrics,
        notes: list[str],
        baselines: Baselines | None,
    ) -> None:
        self.model, self.X, self.y, self.groups, self.notes = model, X, y, groups, notes
        self.labeled, self.truth = labeled, truth
        self.scored: Any = scored
        self.labels = scored.classes if isinstance(scored, ClassMetrics) else None
        self.predictions = np.empty_like(truth)
        self.numbers = np.zeros(len(truth), dtype=np.int64)
        self.decisions: DoubleArray | None = None
        self.metrics: dict[str, list[float]] = {}
        self.baseline: dict[str, list[float]] = {}
        self.kernels: list[str] = []
        self.choices: list[Choice] = []
        self.seconds: list[float] = []
        self.probabilities: DoubleArray | None = None
        self.intervals: DoubleArray | None = None
        self.answers: list[tuple[Any, ...]] = []  # of the model in each fold
        self.baselines = baselines
        self.new: Counter[str] = Counter()

    def run(self, parts: list[tuple[IndexArray, IndexArray]], progress: Report | None) -> Evaluation:
        report = progress or no_report
        with shared_grams(self.X) if isinstance(self.model, Auto) else nullcontext():
            for fold, (train, test) in enumerate(parts):
                report(fold, len(parts), f"fold {fold + 1} of {len(parts)}")
                self._fold(fold, train, test)
                if self.baselines is not None:
                    report(fold, len(parts), f"fold {fold + 1} of {len(parts)}, baselines")
                    self._fit_baselines(train, test)
        report(len(parts), len(parts), "done")
        self.notes += [f"Evaluation: {name}: {counted(n, 'test row')} {NEW}." for name, n in self.new.items()]
        if self.baselines is not None:
            self.notes += self.baselines.notes
        duplicates = self._duplicates()
        return Evaluation(
            "regression" if self.labels is None else "classification",
            {name: np.array(scores) for name, scores in self.metrics.items()},
            {name: np.array(scores) for name, scores in self.baseline.items()},
            self.predictions,
            self.truth,
            self.numbers,
            self.kernels,
            self.decisions,
            self.labels,
            self.notes,
            probabilities=self.probabilities,
            intervals=self.intervals,
            baselines=None if self.baselines is None else self.baselines.found(),
            choices=self.choices,
            seconds=np.array(self.seconds),
            duplicates=duplicates,
        )

    def _fold(self, fold: int, train: IndexArray, test: IndexArray) -> None:
        rows = training_rows(train, test, self.labeled, len(self.y), self.groups)
        options = {} if self.groups is None else {"groups": self.groups[rows]}
        start = perf_counter()
        try:
            with at_rows(self.X, rows):
                model = clone(self.model).fit(rows_of(self.X, rows), self.y[rows], **options)
        except ValueError as error:
            raise ValueError(f"evaluate: fitting without fold {fold + 1} failed: {error}") from error
        self.seconds.append(perf_counter() - start)
        samples = rows_of(self.X, self.labeled[test])
        self.numbers[test] = fold
        self.kernels.append(str(getattr(model, "kernel_", getattr(model, "kernel", ""))))
        self.choices.append(choice_of(model))
        if hasattr(model, "preparer_"):
            self.new.update(model.preparer_.new_categories(samples))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=f"TablePreparer: .* {NEW}")  # a note has them
            with GramCache():  # predictions, decision values and probabilities share one matrix
                answers = self.scored.answers(model, samples)
            if self.labels is None and hasattr(model, "predict_interval"):
                self.intervals = self._stored(self.intervals, test, model.predict_interval(samples))
        self.answers.append((test, answers))
        self.predictions[test] = answers[0]
        if self.labels is not None:
            self.decisions = self._stored(self.decisions, test, answers[1])
            self.probabilities = self._stored(self.probabilities, test, answers[2])
        constant = self.scored.of(self.truth[test], *self.scored.baseline(self.truth[train], len(test)))
        for name, score in self.scored.of(self.truth[test], *answers).items():
            self.metrics.setdefault(name, []).append(score)
            self.baseline.setdefault(name, []).append(constant[name])

    def _fit_baselines(self, train: IndexArray, test: IndexArray) -> None:
        assert self.baselines is not None
        known, samples = (rows_of(self.X, self.labeled[part]) for part in (train, test))
        self.baselines.fold(known, self.truth[train], samples, lambda *fitted: self._score(test, *fitted))

    def _score(self, test: IndexArray, model: Any, samples: Any) -> dict[str, float]:
        """Scores of a fitted model for the test part."""
        return dict(self.scored.of(self.truth[test], *self.scored.answers(model, samples)))

    def _stored(self, before: DoubleArray | None, test: IndexArray, values: Any) -> DoubleArray | None:
        """Values of all samples, with those of a test part filled in; NaN where there are none."""
        if values is None:
            return before
        if before is None:
            before = np.full((len(self.truth), *values.shape[1:]), np.nan)
        before[test] = values
        return before

    def _duplicates(self) -> Duplicates | None:
        """Duplicates among the labelled samples, with the scores of the samples that have none in another fold."""
        X, kinds = rows_of(self.X, self.labeled), getattr(self.model, "kinds", None)
        try:
            found = find_duplicates(X, None if self.labels is None else self.truth, self.numbers, kinds=kinds)
        except (TypeError, ValueError) as error:  # samples that only the model itself understands
            self.notes.append(f"Evaluation: duplicates were not looked for ({error}).")
            return None
        if found is None or not found.crossing.any():
            return found
        scores: dict[str, list[float]] = {}
        for test, answers in self.answers:
            kept = ~found.crossing[test]
            parts = tuple(None if part is None else part[kept] for part in answers)
            if kept.any():
                for name, score in self.scored.of(self.truth[test][kept], *parts).items():
                    scores.setdefault(name, []).append(score)
        return replace(found, scores={name: _mean(values) for name, values in scores.items()})


def _mean(scores: list[float]) -> float:
    """Mean of the defined scores; NaN if there are none."""
    defined = [score for score in scores if score == score]
    return float(np.mean(defined)) if defined else float("nan")
