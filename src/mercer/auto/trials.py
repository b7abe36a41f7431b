"""Cross-validation of models and parameters on blocks of precomputed Gram matrices."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score

from mercer._estimator import operator_training
from mercer._runtime.engine import thread_count
from mercer._runtime.pools import limit_pools
from mercer._typing import DoubleArray, IndexArray
from mercer.auto.models import Model, Params, kernel_scale
from mercer.auto.sampling import Folds
from mercer.auto.task import Task, labeled_rows
from mercer.operators import OperatorStack

__all__ = ["Trial", "Trials", "choose"]

SMALL = 500  # largest number of samples for which folds run one after the other, since threads do not pay off


@dataclass(frozen=True, eq=False)
class Trial:
    """Best model and parameters for one kernel, with their score in every fold."""

    model: str
    params: Params
    scores: DoubleArray

    @property
    def mean(self) -> float:
        """Mean score."""
        return float(self.scores.mean())

    @property
    def spread(self) -> float:
        """Standard error of the mean."""
        return float(self.scores.std(ddof=1) / np.sqrt(len(self.scores)))


class Trials:
    """Cross-validation of several models on fixed folds.

    Parameters
    ----------
    task : {"classification", "regression"}
        Task, which determines the score: accuracy or R².
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
    """

    def __init__(
        self, task: Task, y: Any, folds: Folds, models: Sequence[Model], *, n_jobs: int | None, random_state: int
    ) -> None:
        self.task, self.y, self.folds, self.models, self.random_state = task, y, folds, models, random_state
        self.workers = 1 if len(y) <= SMALL else min(len(folds), thread_count(n_jobs))
        self.spread = float(np.std(y)) if task == "regression" else 1.0
        self.smallest = min(len(train) for train, _ in folds)

    def run(self, stack: OperatorStack, weights: Sequence[DoubleArray]) -> Trial:
        """Best model and parameters for Σ d_k K_k, with weights d given for each fold."""
        scale = kernel_scale(stack.weighted(weights[0]))
        grid = [(model, params) for model in self.models for params in model.grid(self.smallest, scale, self.spread)]
        with limit_pools(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the final fit warns if the selected model needs it
            warnings.filterwarnings("ignore", ".*no sample is unlabelled")  # groups may leave a fold without any
            scores = np.array(self._map(partial(self._fold, stack, grid), weights))
        best = int(scores.mean(axis=0).argmax())
        return Trial(grid[best][0].name, grid[best][1], scores[:, best])

    def _map(self, work: Callable[..., list[float]], weights: Sequence[DoubleArray]) -> list[list[float]]:
        if self.workers == 1:
            return list(map(work, weights, self.folds))
        with ThreadPoolExecutor(self.workers, initializer=_alone) as pool:
            return list(pool.map(work, weights, self.folds))

    def _fold(
        self,
        stack: OperatorStack,
        grid: Sequence[tuple[Model, Params]],
        weights: DoubleArray,
        fold: tuple[IndexArray, IndexArray],
    ) -> list[float]:
        """Scores of all models and parameters in one fold."""
        train, test = fold
        known, truth = self.y[train], self.y[test]
        labels = known[labeled_rows(known)]
        if (labels == labels[0]).all():  # groups may leave a training part with one class
            return [self._score(truth, np.full(len(test), labels[0]), labels)] * len(grid)
        K = stack.weighted(weights)
        training, rows = operator_training("search", K.take(train).hold()), K.block(test, train)
        return [
            self._score(truth, fitted.predict(rows), labels)
            for model, params in _by_model(grid)
            for fitted in model.fit_each(params, training, known, random_state=self.random_state)
        ]

    def _score(self, truth: Any, predicted: Any, known: Any) -> float:
        if self.task == "classification":
            return float(np.mean(predicted == truth))
        if len(truth) > 1 and (truth != truth[0]).any():
            return float(r2_score(truth, predicted))
        # R² is undefined if the targets of the fold are constant; use the mean of the training part as reference.
        return float(1 - np.sum((truth - predicted) ** 2) / (np.sum((truth - known.mean()) ** 2) or 1.0))


def _alone() -> None:
    """Limit a worker thread to one OpenMP thread; OpenMP stores this limit per thread."""
    limit_pools(1, "openmp").__enter__()


def _by_model(grid: Sequence[tuple[Model, Params]]) -> Iterator[tuple[Model, list[Params]]]:
    """Group the grid by model, in its order."""
    for model, entries in groupby(grid, key=itemgetter(0)):
        yield model, [params for _, params in entries]


def choose(trials: Sequence[Trial], parts: Sequence[int]) -> int:
    """Index of the best trial, or of one with fewer terms that is within one standard error of the best.

    The standard error is that of the difference of scores, fold by fold. All trials use the same folds, so the
    difficulty of a fold cancels.

    >>> a, b = Trial("svm", {}, np.array([0.7, 0.9])), Trial("svm", {}, np.array([0.8, 0.9]))
    >>> choose([a, b], [1, 2]), choose([a, b], [1, 1])
    (0, 1)
    """
    best = max(range(len(trials)), key=lambda i: trials[i].mean)
    behind = [trials[best].scores - trial.scores for trial in trials]
    tied = [i for i, gap in enumerate(behind) if gap.mean() <= gap.std(ddof=1) / np.sqrt(len(gap)) + 1e-12]
    fewest = min(parts[i] for i in tied)
    if parts[best] == fewest:
        return best
    return max((i for i in tied if parts[i] == fewest), key=lambda i: trials[i].mean)
