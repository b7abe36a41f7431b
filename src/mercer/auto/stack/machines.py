"""Machines on learned kernels besides ridge regression: their parameters, and out-of-fold scores."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import log_softmax

from mercer._estimator import operator_training
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.auto.sampling import Folds
from mercer.auto.stack.calibrate import Calibration
from mercer.auto.task import Task
from mercer.kernels import Kernel
from mercer.operators import gram
from mercer.ridge import KernelLogisticRegression
from mercer.svm import SVC, SVR

__all__ = ["MACHINES", "Machine", "class_scores", "log_loss"]

Params = dict[str, float]
FAR = 100_000  # rows up to which machines are fitted with landmarks
CLASSES = 2  # of fits with landmarks; with six classes, such a fit takes ten times as long as all others together


@dataclass(frozen=True)
class Machine:
    """A kind of machine: its estimator and the parameters that are compared.

    Parameters
    ----------
    name : str
        Name in messages.
    estimator : type
        Estimator class.
    grid : tuple of dict
        Parameters, compared by out-of-fold predictions.
    fixed : tuple of pairs of str and object, default=()
        Other parameters.
    kernels : int, default=1
        Number of learned kernels, of different kinds, on which a machine is fitted.
    interactions : bool, default=False
        Whether a machine is also fitted on a kernel of interactions.
    most : int, default=2500
        Largest number of rows of an exact fit.
    landmarks : int, default=0
        Landmarks of fits to more rows; 0 if there are none.
    relative : bool, default=False
        Whether parameters are multiples of the penalty that was learned with the kernel.
    linear : bool, default=False
        Whether a machine is fitted on the linear kernel, and on no learned one.
    """

    name: str
    estimator: type[Any]
    grid: tuple[Params, ...]
    fixed: tuple[tuple[str, Any], ...] = ()
    kernels: int = 1
    interactions: bool = False
    most: int = 2500
    landmarks: int = 0
    relative: bool = False
    linear: bool = False

    def takes(self, n: int, n_classes: int | None) -> bool:
        """Whether a fit to n rows is affordable."""
        return n <= self.most or (self.landmarks > 0 and n <= FAR and (n_classes or 1) <= CLASSES)

    def choices(self, penalty: float) -> list[Params]:
        """Parameters to compare on a kernel with a learned penalty."""
        factor = penalty if self.relative else 1.0
        return [{name: factor * value for name, value in params.items()} for params in self.grid]

    def build(self, params: Params, **options: Any) -> Any:
        """Unfitted estimator."""
        return self.estimator(**dict(self.fixed), **params, **options)

    def compared(
        self,
        kernel: Kernel,
        X: DoubleArray,
        y: Any,
        folds: Folds,
        judged: Any,
        weight: DoubleArray | None,
        n_classes: int | None,
        penalty: float = 1.0,
    ) -> tuple[Params, DoubleArray]:
        """Best parameters and their out-of-fold scores, by one thread.

        Parameters
        ----------
        kernel : Kernel
            Kernel.
        X : ndarray of shape (n_samples, n_columns)
            Samples.
        y : ndarray of shape (n_samples,)
            Positions of the classes, or centred targets.
        folds : list of pairs of ndarray of int
            Training and test rows.
        judged : ndarray of bool of shape (n_samples,)
            Samples whose scores are compared: by the log-loss of calibrated scores, or by squared errors.
        weight : ndarray of shape (n_samples,) or None
            Sample weights.
        n_classes : int or None
            Number of classes; None for regression.
        penalty : float, default=1.0
            Penalty that was learned with the kernel.

        Returns
        -------
        params : dict
            Parameters with the smallest loss.
        scores : ndarray of shape (n_samples, n_classes) or (n_samples, 1)
            Out-of-fold scores.
        """
        grid = self.choices(penalty)
        parts = self._on_landmarks if len(y) > self.most else self._on_matrix
        scores = np.zeros((len(grid), len(y), n_classes or 1))
        for test, rows, machines in parts(kernel, X, y, folds, weight, grid):
            for found, machine in zip(scores, machines, strict=True):
                found[test] = _answers(machine, rows, n_classes)
        s = None if weight is None else weight[judged]
        loss = [_loss(found[judged], y[judged], s, n_classes) for found in scores]
        best = int(np.argmin(loss))
        return grid[best], scores[best]

    def _on_matrix(
        self, kernel: Kernel, X: DoubleArray, y: Any, folds: Folds, weight: DoubleArray | None, grid: list[Params]
    ) -> Iterator[tuple[IndexArray, FloatArray, Iterable[Any]]]:
        """Test rows of each fold, what machines predict them from, and fitted machines; one Gram matrix for all."""
        K = gram(kernel, X, n_jobs=1, materialize=True)
        for train, test in folds:
            own = None if weight is None else weight[train]
            training = operator_training("stack", K.take(train).hold(), own)
            yield test, K.block(test, train), self.build({}, n_jobs=1)._fit_each(training, y[train], grid)

    def _on_landmarks(
        self, kernel: Kernel, X: DoubleArray, y: Any, folds: Folds, weight: DoubleArray | None, grid: list[Params]
    ) -> Iterator[tuple[IndexArray, FloatArray, Iterable[Any]]]:
        """The same with landmarks, whose features are computed once for each fold."""
        for train, test in folds:
            machine = self.build({}, kernel=kernel, n_jobs=1, approximation=min(self.landmarks, len(train)))
            training, own = machine._training(X[train], y[train], None if weight is None else weight[train])
            training.approximation = machine._approximated(training)
            yield test, X[test], machine._fit_each(training, own, grid)

    def final(self, kernel: Kernel, X: DoubleArray, y: Any, params: Params, weight: DoubleArray | None) -> Any:
        """Machine fitted to all rows, with landmarks if there are many."""
        options = {"approximation": self.landmarks} if len(y) > self.most else {}
        return self.build(params, kernel=kernel, n_jobs=1, **options).fit(X, y, weight)

    def out_of_fold(
        self,
        kernel: Kernel,
        X: DoubleArray,
        y: Any,
        folds: Folds,
        params: Params,
        weight: DoubleArray | None,
        n_classes: int | None,
    ) -> DoubleArray:
        """Out-of-fold scores for given parameters, without the Gram matrix."""
        scores = np.zeros((len(y), n_classes or 1))
        for train, test in folds:
            own = None if weight is None else weight[train]
            machine = self.build(params, kernel=kernel, n_jobs=1).fit(X[train], y[train], own)
            scores[test] = _answers(machine, X[test], n_classes)
        return scores


SVM = Machine("svm", SVC, tuple({"C": cost} for cost in (1.0, 10.0, 100.0)), kernels=2, interactions=True, most=25_000)
LOGISTIC = Machine(
    "logistic",
    KernelLogisticRegression,
    tuple({"alpha": factor} for factor in (0.003, 0.03, 0.3)),
    (("tol", 1e-2),),  # a relative gap of 10⁻⁴, which changes calibrated log-losses by less than 10⁻⁴
    landmarks=500,
    relative=True,
)
STRAIGHT = replace(
    LOGISTIC,
    grid=tuple({"alpha": value} for value in (1.0, 10.0, 100.0)),
    kernels=0,
    most=500,  # a linear kernel has a small rank: fits with landmarks are faster already for a thousand rows
    landmarks=300,
    relative=False,
    linear=True,
)
TUBE = Machine("svm", SVR, tuple({"C": cost} for cost in (1.0, 10.0, 100.0)), (("epsilon", 0.1),))
MACHINES: dict[Task, tuple[Machine, ...]] = {"classification": (SVM, LOGISTIC, STRAIGHT), "regression": (TUBE,)}


def _answers(machine: Any, rows: Any, n_classes: int | None) -> DoubleArray:
    """Scores of classes, or predictions in one column."""
    if n_classes is None:
        return np.asarray(machine.predict(rows), dtype=np.float64)[:, None]
    return class_scores(machine.decision_function(rows), machine.classes_, n_classes)


def class_scores(decision: Any, classes: IndexArray, n_classes: int) -> DoubleArray:
    """One column per class; classes that the machine does not know get the smallest score of the sample.

    >>> class_scores(np.array([0.5, -1.0]), np.array([0, 2]), 3).tolist()
    [[-0.5, -0.5, 0.5], [1.0, -1.0, -1.0]]
    """
    found = np.column_stack([-decision, decision]) if decision.ndim == 1 else decision
    out = np.repeat(found.min(axis=1, keepdims=True), n_classes, axis=1)
    out[:, classes] = found
    return out


def _loss(scores: DoubleArray, y: Any, weight: DoubleArray | None, n_classes: int | None) -> float:
    """Loss of out-of-fold scores."""
    if n_classes is None:
        return float(np.average(np.square(y - scores[:, 0]), weights=weight))
    return log_loss(scores, y, weight)


def log_loss(scores: DoubleArray, labels: IndexArray, weight: DoubleArray | None = None) -> float:
    """Mean log-loss of scores, calibrated on the same samples by few parameters."""
    found = Calibration.fit(scores, labels, weight)
    logs = log_softmax(found.scale * scores + found.offset, axis=1)
    return -float(np.average(logs[np.arange(len(labels)), labels], weights=weight))
