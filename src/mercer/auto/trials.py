"""How well kernels do: models and parameters by cross-validation on blocks of Gram matrices."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score
from threadpoolctl import threadpool_limits

from mercer._typing import DoubleArray, IndexArray
from mercer.auto.models import Model, Params, kernel_scale
from mercer.auto.sampling import Folds
from mercer.auto.task import Task
from mercer.operators import GramOperator

__all__ = ["Trial", "Trials", "choose"]

SMALL = 1500  # samples up to which the threads of one fit cost more than they save


@dataclass(frozen=True, eq=False)
class Trial:
    """The best model and parameters for one kernel, and their score in every fold."""

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
    """One set of folds, on which kernels are tried with the same models.

    Parameters
    ----------
    task : {"classification", "regression"}
        Scores are accuracies, or R².
    y : array, shape (n,)
    folds : list of pairs of arrays
        Training and test rows.
    models : sequence of Model
    n_jobs : int, optional
        Threads of one fit; small fits have one.
    random_state : int
        Of models that draw.
    """

    def __init__(
        self, task: Task, y: Any, folds: Folds, models: Sequence[Model], *, n_jobs: int | None, random_state: int
    ) -> None:
        self.task, self.y, self.folds, self.models, self.random_state = task, y, folds, models, random_state
        self.threads = 1 if len(y) <= SMALL else None
        self.n_jobs = 1 if len(y) <= SMALL else n_jobs
        self.spread = float(np.std(y)) if task == "regression" else 1.0

    def run(self, grams: Sequence[GramOperator], weights: Sequence[DoubleArray]) -> Trial:
        """The best model for Σ d_k K_k, whose weights d are given for each fold."""
        scores: dict[tuple[str, int], list[float]] = {}
        params: dict[tuple[str, int], Params] = {}
        smallest = min(len(train) for train, _ in self.folds)
        every = np.arange(len(self.y))
        scale = kernel_scale(_sum(grams, weights[0], every, every))
        with (
            threadpool_limits(self.threads),
            config_context(skip_parameter_validation=True),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore", ConvergenceWarning)  # of trials; the chosen model speaks for itself
            for (train, test), weight in zip(self.folds, weights, strict=True):
                inner, outer = _sum(grams, weight, train, train), _sum(grams, weight, test, train)
                for model in self.models:
                    for i, choice in enumerate(model.grid(smallest, scale, self.spread)):
                        params[model.name, i] = choice
                        score = self._score(model, choice, inner, outer, train, test)
                        scores.setdefault((model.name, i), []).append(score)
        best = max(scores, key=lambda key: float(np.mean(scores[key])))
        return Trial(best[0], params[best], np.array(scores[best]))

    def _score(
        self, model: Model, params: Params, inner: DoubleArray, outer: DoubleArray, train: IndexArray, test: IndexArray
    ) -> float:
        estimator = model.build("precomputed", params, n_jobs=self.n_jobs, random_state=self.random_state)
        predicted = estimator.fit(inner, self.y[train]).predict(outer)
        if self.task == "classification":
            return float(np.mean(predicted == self.y[test]))
        return float(r2_score(self.y[test], predicted))


def _sum(grams: Sequence[GramOperator], weights: DoubleArray, rows: IndexArray, cols: IndexArray) -> DoubleArray:
    total = np.zeros((len(rows), len(cols)))
    for K, weight in zip(grams, weights, strict=True):
        if weight > 0:
            total += weight * K.block(rows, cols)
    return total


def choose(trials: Sequence[Trial], parts: Sequence[int]) -> int:
    """The best trial, or one of fewer parts that is no worse than one standard error of the difference.

    Differences are taken fold by fold: all trials have the same folds, so that what makes a fold hard cancels.

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
