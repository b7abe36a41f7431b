"""Cross-validation of models and parameters on blocks of precomputed Gram matrices."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer._estimator import operator_training
from mercer._runtime.engine import thread_count
from mercer._typing import DoubleArray, IndexArray
from mercer.auto.decisions import decision_scores
from mercer.auto.models import Model, Params, check_weighted, kernel_scale
from mercer.auto.sampling import Folds
from mercer.auto.scoring import Judge
from mercer.auto.stack.calibrate import Calibration
from mercer.auto.stack.workers import Stop, side_by_side
from mercer.auto.task import Task, known_labels, labeled_rows
from mercer.operators import OperatorStack

__all__ = ["Trial", "Trials", "choose"]

SMALL = 500  # largest number of samples for which folds run one after the other, since threads do not pay off


@dataclass(frozen=True, eq=False)
class Trial:
    """Best model and parameters for one kernel, with their scores in every fold.

    `scores` hold what is compared, NaN where it is undefined, and `shown` what is reported: accuracy or R². None means
    that both are the same. `calibration` turns decision values into probabilities; None in regression. `residuals` are
    the sorted absolute out-of-fold errors of a regression; None for classes.
    """

    model: str
    params: Params
    scores: DoubleArray
    shown: DoubleArray | None = None
    calibration: Calibration | None = None
    residuals: DoubleArray | None = None

    @property
    def mean(self) -> float:
        """Mean of what is compared."""
        defined = self.scores[~np.isnan(self.scores)]
        return float(defined.mean()) if len(defined) else float("nan")

    @property
    def score(self) -> float:
        """Mean of what is reported."""
        return float(np.mean(self.scores if self.shown is None else self.shown))

    @property
    def spread(self) -> float:
        """Standard error of `score`; NaN for fewer than two defined scores."""
        scores = self.scores if self.shown is None else self.shown
        defined = scores[~np.isnan(scores)]
        return float(defined.std(ddof=1) / np.sqrt(len(defined))) if len(defined) > 1 else float("nan")


class Trials:
    """Cross-validation of several models on fixed folds.

    Classifiers are compared by probabilities. Their out-of-fold decision values are calibrated by a temperature and one
    offset per class, fitted to the values of all folds. Accuracy would not do: with 1 % positives, always predicting
    the other class has an accuracy of 99 %.

    Parameters
    ----------
    task : {"classification", "regression"}
        Task, which determines the score that is reported: accuracy or R².
    y : ndarray of shape (n_samples,)
        Targets; None for unlabelled samples, which are in no test part.
    folds : list of pairs of ndarray of int
        Training and test rows.
    models : sequence of Model
        Models to compare.
    n_jobs : int or None
        Number of folds that run in parallel, each in one thread.
    random_state : int
        Seed of models that use random numbers.
    judge : Judge, default=None
        Score by which models and parameters are compared. None means log-loss or R².
    sample_weight : ndarray of shape (n_samples,), default=None
        Positive weights in fits, calibrations and scores.

    Raises
    ------
    ValueError
        If there are weights, and a model does not take them.
    """

    def __init__(
        self,
        task: Task,
        y: Any,
        folds: Folds,
        models: Sequence[Model],
        *,
        n_jobs: int | None,
        random_state: int,
        judge: Judge | None = None,
        sample_weight: DoubleArray | None = None,
    ) -> None:
        self.task, self.y, self.folds, self.models, self.random_state = task, y, folds, models, random_state
        self.weight = sample_weight
        self.workers = 1 if len(y) <= SMALL else min(len(folds), thread_count(n_jobs))
        self.spread = float(np.std(y)) if task == "regression" else 1.0
        self.smallest = min(len(train) for train, _ in folds)
        self.tested = np.concatenate([test for _, test in folds])
        self.classes = None
        if task == "classification":  # models are fitted to positions of the classes, and None
            rows, known = known_labels("search", y)
            self.classes, label = np.unique(known, return_inverse=True)
            self.y = label if len(rows) == len(y) else np.full(len(y), None, dtype=object)
            self.y[rows] = label
        self.proper = Judge(task, None, self.classes)
        self.judge = judge or self.proper
        if sample_weight is not None:
            check_weighted("search", task, models)

    def run(self, stack: OperatorStack, weights: Sequence[DoubleArray]) -> Trial:
        """Best model and parameters for Σ d_k K_k, with weights d given for each fold."""
        scale = kernel_scale(stack.weighted(weights[0]))
        grid = [(model, params) for model in self.models for params in model.grid(self.smallest, scale, self.spread)]

        def fold(item: tuple[DoubleArray, tuple[IndexArray, IndexArray]], stop: Stop) -> list[DoubleArray]:
            return self._fold(stack, grid, *item, stop)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the final fit warns if the selected model needs it
            warnings.filterwarnings("ignore", ".*no sample is unlabelled")  # groups may leave a fold without any
            by_fold = side_by_side(fold, zip(weights, self.folds, strict=True), self.workers)
        found = [self._scores(parts) for parts in zip(*by_fold, strict=True)]
        if all(np.isnan(scores).all() for scores, *_ in found):
            raise ValueError(
                f"search: the score {self.judge.name!r} is undefined in all {len(self.folds)} inner folds; use another "
                "scoring=, or fewer folds with cv=."
            )
        trials = [Trial(model.name, p, *scores) for (model, p), scores in zip(grid, found, strict=True)]
        best = max(range(len(grid)), key=lambda i: np.nan_to_num(trials[i].mean, nan=-np.inf))
        if grid[best][0].takes_unlabeled:
            best = next(i for i in _tied(trials, best) if grid[i][0] is grid[best][0])
        return trials[best]

    def _fold(
        self,
        stack: OperatorStack,
        grid: Sequence[tuple[Model, Params]],
        weights: DoubleArray,
        fold: tuple[IndexArray, IndexArray],
        stop: Stop,
    ) -> list[DoubleArray]:
        """Predictions of all models and parameters for the test part of a fold.

        Those of classifiers are positions of the predicted classes, followed by the scores of all classes.
        """
        train, test = fold
        known = self.y[train]
        labels = known[labeled_rows(known)]
        if (labels == labels[0]).all():  # groups may leave a training part with one class
            constant = np.full(len(test), labels[0], dtype=np.float64)
            scores = () if self.classes is None else np.zeros((len(self.classes), len(test)))
            return [np.column_stack([constant, *scores]) if len(scores) else constant] * len(grid)
        K, weight = stack.weighted(weights), None if self.weight is None else self.weight[train]
        training, rows = operator_training("search", K.take(train).hold(), weight), K.block(test, train)
        found = []
        for model, params in _by_model(grid):
            for fitted in model.fit_each(params, training, known, random_state=self.random_state):
                stop()
                found.append(self._answer(fitted, rows))
        return found

    def _answer(self, fitted: Any, rows: Any) -> DoubleArray:
        predicted = np.asarray(fitted.predict(rows), dtype=np.float64)
        if self.classes is None:
            return predicted
        return np.column_stack([predicted, decision_scores(fitted, rows, np.arange(len(self.classes)))])

    def _scores(
        self, parts: Sequence[DoubleArray]
    ) -> tuple[DoubleArray, DoubleArray | None, Calibration | None, DoubleArray | None]:
        """Scores of all folds that are compared, those that are reported, calibration of decision values, residuals."""
        if self.classes is None:
            compared = self._value_scores(parts, self.judge)
            shown_values = None if self.judge is self.proper else self._value_scores(parts, self.proper)
            return compared, shown_values, None, np.sort(np.abs(np.concatenate(parts) - self.y[self.tested]))
        answers, labels = np.concatenate(parts), self.y[self.tested].astype(np.int64)
        weight = None if self.weight is None else self.weight[self.tested]
        calibration = Calibration.fit(answers[:, 1:], labels, weight)
        P = calibration.probabilities(answers[:, 1:])
        right, truth = answers[:, 0] == labels, self.classes[labels]
        ends = np.cumsum([len(part) for part in parts])
        scores, shown = [], []
        for fold in (slice(end - len(part), end) for end, part in zip(ends, parts, strict=True)):
            own = None if weight is None else weight[fold]
            scores.append(self.judge.probabilities(P[fold], truth[fold], own))
            shown.append(np.average(right[fold], weights=own))
        return np.array(scores), np.array(shown), calibration, None

    def _value_scores(self, parts: Sequence[DoubleArray], judge: Judge) -> DoubleArray:
        found = []
        for predicted, (train, test) in zip(parts, self.folds, strict=True):
            weight, own = (None if self.weight is None else self.weight[rows] for rows in (train, test))
            # R² is undefined if the targets of the fold are constant; use the mean of the training part as reference.
            center = float(np.average(self.y[train], weights=weight))
            found.append(judge.values(predicted, self.y[test], own, center))
        return np.array(found)


def _by_model(grid: Sequence[tuple[Model, Params]]) -> Iterator[tuple[Model, list[Params]]]:
    """Group the grid by model, in its order."""
    for model, entries in groupby(grid, key=itemgetter(0)):
        yield model, [params for _, params in entries]


def _tied(trials: Sequence[Trial], best: int) -> list[int]:
    """Trials whose scores are within one standard error of the best, by differences of scores in the same fold."""
    behind = [Trial(trial.model, trial.params, trials[best].scores - trial.scores) for trial in trials]
    return [i for i, gap in enumerate(behind) if gap.mean <= np.nan_to_num(gap.spread) + 1e-12]


def choose(trials: Sequence[Trial], parts: Sequence[int]) -> int:
    """Index of the best trial, or of one with fewer terms that is within one standard error of the best.

    The standard error is that of the difference of scores, fold by fold. All trials use the same folds, so the
    difficulty of a fold cancels.

    >>> a, b = Trial("svm", {}, np.array([0.7, 0.9])), Trial("svm", {}, np.array([0.8, 0.9]))
    >>> choose([a, b], [1, 2]), choose([a, b], [1, 1])
    (0, 1)
    """
    best = max(range(len(trials)), key=lambda i: trials[i].mean)
    tied = _tied(trials, best)
    fewest = min(parts[i] for i in tied)
    if parts[best] == fewest:
        return best
    return max((i for i in tied if parts[i] == fewest), key=lambda i: trials[i].mean)
