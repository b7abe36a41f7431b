"""A machine of a stack: a learned kernel, what was fitted with it, and its weight."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from mercer._typing import DoubleArray, IndexArray
from mercer.auto.stack.calibrate import Calibration
from mercer.auto.stack.leaves import LeafRidge
from mercer.auto.stack.machines import class_scores
from mercer.explain.features import class_signs
from mercer.kernels import Columns, Kernel
from mercer.ridge import KernelLogisticRegression

__all__ = ["StackMember"]


class StackMember(BaseEstimator):  # type: ignore[misc]
    """A fitted machine of a stack.

    Parameters
    ----------
    name : str
        Description of the kernel.
    columns : sequence of int
        Columns of the matrix that the machine reads.
    machine : LeafRidge, SVC, KernelLogisticRegression or SVR
        The fitted machine.
    weight : float, default=0.0
        Weight in the stack.
    score : float, default=nan
        Accuracy or R² on samples that did not influence it.
    scale, offset : float and ndarray of shape (n_classes,), default=None
        Calibration of the scores; None in regression.
    """

    def __init__(
        self,
        name: str,
        columns: Sequence[int],
        machine: Any,
        weight: float = 0.0,
        score: float = float("nan"),
        scale: float | None = None,
        offset: DoubleArray | None = None,
    ) -> None:
        self.name = name
        self.columns = columns
        self.machine = machine
        self.weight = weight
        self.score = score
        self.scale = scale
        self.offset = offset

    def kernel(self, names: Sequence[str] | None = None) -> Kernel:
        """Kernel on all columns of the matrix, or of a table with these names."""
        machine = self.machine
        inner = machine.kernel if isinstance(machine, LeafRidge) else machine.kernel_
        return Columns(tuple(self.columns if names is None else (names[j] for j in self.columns)), inner)

    @property
    def model(self) -> str:
        """Name of the machine: ridge, svm or logistic."""
        if isinstance(self.machine, LeafRidge):
            return "ridge"
        return "logistic" if isinstance(self.machine, KernelLogisticRegression) else "svm"

    @property
    def params(self) -> dict[str, float]:
        """Parameter of the machine."""
        machine = self.machine
        if isinstance(machine, LeafRidge):
            return {"alpha": machine.alpha_}
        return {"alpha": machine.alpha} if self.model == "logistic" else {"C": machine.C}

    def parts(self, X: DoubleArray) -> Iterator[tuple[IndexArray, Kernel, DoubleArray, DoubleArray, DoubleArray]]:
        """Rows, kernel, points, coefficients and intercepts of the expansions whose values `scores` returns."""
        machine, columns = self.machine, list(self.columns)
        if isinstance(machine, LeafRidge):
            for rows, leaf in machine.regions(X[:, columns]):
                coef = machine.coefs_[leaf]
                yield rows, machine.kernel, machine.points_[leaf], coef, np.zeros(coef.shape[1])
            return
        points, coef, intercept = machine._expansion()
        signs = class_signs(machine, coef.shape[1]) if coef.shape[1] > 1 else np.ones((1, 1))
        yield np.arange(len(X)), machine.kernel_, points, coef @ signs, intercept @ signs

    def scores(self, X: DoubleArray, n_classes: int | None) -> DoubleArray:
        """Centred predictions of shape (n_samples, 1), or scores of classes of shape (n_samples, n_classes)."""
        some = X[:, self.columns]
        if isinstance(self.machine, LeafRidge):
            values = self.machine.predict(some)
            return values if n_classes is None else both_signs(values)
        if n_classes is None:
            return np.asarray(self.machine.predict(some), dtype=np.float64)[:, None]
        return class_scores(self.machine.decision_function(some), self.machine.classes_, n_classes)

    def probabilities(self, X: DoubleArray, n_classes: int) -> DoubleArray:
        """Calibrated probabilities of shape (n_samples, n_classes)."""
        assert self.scale is not None
        assert self.offset is not None
        return Calibration(self.scale, self.offset).probabilities(self.scores(X, n_classes))


def both_signs(values: DoubleArray) -> DoubleArray:
    """Scores of two classes from one column; others unchanged."""
    return np.hstack([-values, values]) if values.shape[1] == 1 else values
