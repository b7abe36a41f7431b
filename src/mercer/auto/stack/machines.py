"""Support vector machines on learned kernels, with out-of-fold scores."""

from typing import Any

import numpy as np

from mercer._estimator import operator_training
from mercer._typing import DoubleArray, IndexArray
from mercer.auto.sampling import Folds
from mercer.auto.stack.calibrate import Calibration
from mercer.kernels import Kernel
from mercer.operators import gram
from mercer.svm import SVC

__all__ = ["best_cost", "class_scores", "out_of_fold"]

COSTS = (1.0, 10.0, 100.0)


def best_cost(
    kernel: Kernel, X: DoubleArray, labels: IndexArray, folds: Folds, judged: Any, n_jobs: int | None
) -> tuple[float, DoubleArray]:
    """C with the smallest log-loss of calibrated scores, and its out-of-fold scores; K is computed once.

    Parameters
    ----------
    kernel : Kernel
        Kernel.
    X : ndarray of shape (n_samples, n_columns)
        Samples.
    labels : ndarray of int of shape (n_samples,)
        Positions of the classes.
    folds : list of pairs of ndarray of int
        Training and test rows.
    judged : ndarray of bool of shape (n_samples,)
        Samples whose scores are compared.
    n_jobs : int or None
        Number of threads.

    Returns
    -------
    cost : float
        Best C.
    scores : ndarray of shape (n_samples, n_classes)
        Out-of-fold scores.
    """
    K = gram(kernel, X, n_jobs=n_jobs, materialize=True)
    n_classes = int(labels.max()) + 1
    scores = np.zeros((len(COSTS), len(labels), n_classes))
    for train, test in folds:
        training, rows = operator_training("stack", K.take(train).hold()), K.block(test, train)
        machines = SVC(n_jobs=n_jobs)._fit_each(training, labels[train], [{"C": cost} for cost in COSTS])
        for found, machine in zip(scores, machines, strict=True):
            found[test] = class_scores(machine.decision_function(rows), machine.classes_, n_classes)
    best = int(np.argmin([_log_loss(found[judged], labels[judged]) for found in scores]))
    return COSTS[best], scores[best]


def out_of_fold(
    kernel: Kernel, X: DoubleArray, labels: IndexArray, folds: Folds, cost: float, n_jobs: int | None
) -> DoubleArray:
    """Out-of-fold scores for one C, without the Gram matrix."""
    n_classes = int(labels.max()) + 1
    scores = np.zeros((len(labels), n_classes))
    for train, test in folds:
        machine = SVC(kernel=kernel, C=cost, n_jobs=n_jobs).fit(X[train], labels[train])
        scores[test] = class_scores(machine.decision_function(X[test]), machine.classes_, n_classes)
    return scores


def class_scores(decision: Any, classes: IndexArray, n_classes: int) -> DoubleArray:
    """One column per class; classes that the machine does not know get the smallest score of the sample.

    >>> class_scores(np.array([0.5, -1.0]), np.array([0, 2]), 3).tolist()
    [[-0.5, -0.5, 0.5], [1.0, -1.0, -1.0]]
    """
    found = np.column_stack([-decision, decision]) if decision.ndim == 1 else decision
    out = np.repeat(found.min(axis=1, keepdims=True), n_classes, axis=1)
    out[:, classes] = found
    return out


def _log_loss(scores: DoubleArray, labels: IndexArray) -> float:
    """Mean log-loss of scores, calibrated on the same samples by few parameters."""
    p = Calibration.fit(scores, labels).probabilities(scores)
    return -float(np.log(p[np.arange(len(labels)), labels] + 1e-12).mean())
