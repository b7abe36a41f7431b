"""Support vector machines on learned kernels, with out-of-fold scores."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._estimator import operator_training
from mercer._typing import DoubleArray, IndexArray
from mercer.auto.sampling import Folds
from mercer.auto.stack.calibrate import Calibration
from mercer.kernels import Kernel
from mercer.operators import gram
from mercer.svm import SVC

__all__ = ["Machine", "as_columns", "chosen_cost", "out_of_fold"]

COSTS = (1.0, 10.0, 100.0)


@dataclass(frozen=True)
class Machine:
    """Choice of the parameter C of a support vector machine, by the log-loss of its calibrated scores."""

    cost: float
    loss: float


def chosen_cost(
    kernel: Kernel, X: DoubleArray, labels: IndexArray, folds: Folds, judged: Any, n_jobs: int | None
) -> tuple[Machine, DoubleArray]:
    """Best C of a grid, and its out-of-fold scores of shape (n_samples, n_classes); K is computed once."""
    K = gram(kernel, X, n_jobs=n_jobs, materialize=True)
    k = int(labels.max()) + 1
    scores = np.zeros((len(COSTS), len(labels), k))
    for train, test in folds:
        training = operator_training("stack", K.take(train).hold())
        rows = K.block(test, train)
        grid = [{"C": cost} for cost in COSTS]
        for i, machine in enumerate(SVC(n_jobs=n_jobs)._fit_each(training, labels[train], grid)):
            scores[i, test] = as_columns(machine.decision_function(rows), machine.classes_, k)
    losses = [log_loss(found[judged], labels[judged]) for found in scores]
    best = int(np.argmin(losses))
    return Machine(COSTS[best], losses[best]), scores[best]


def out_of_fold(
    kernel: Kernel, X: DoubleArray, labels: IndexArray, folds: Folds, cost: float, n_jobs: int | None
) -> DoubleArray:
    """Out-of-fold scores for one C, without the Gram matrix."""
    k = int(labels.max()) + 1
    scores = np.zeros((len(labels), k))
    for train, test in folds:
        machine = SVC(kernel=kernel, C=cost, n_jobs=n_jobs).fit(X[train], labels[train])
        scores[test] = as_columns(machine.decision_function(X[test]), machine.classes_, k)
    return scores


def log_loss(scores: DoubleArray, labels: IndexArray) -> float:
    """Mean log-loss of scores after calibration on the same samples, which fits few parameters."""
    p = Calibration.fit(scores, labels).probabilities(scores)
    return -float(np.log(p[np.arange(len(labels)), labels] + 1e-12).mean())


def as_columns(decision: Any, classes: IndexArray, n_classes: int) -> DoubleArray:
    """One column of scores per class; classes that a fold does not know get the smallest score of the sample."""
    found = np.column_stack([-decision, decision]) if decision.ndim == 1 else decision
    out = np.repeat(found.min(axis=1, keepdims=True), n_classes, axis=1)
    out[:, classes] = found
    return out
