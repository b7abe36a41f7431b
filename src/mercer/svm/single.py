"""Machines that solve one problem: regression and one-class."""

from abc import abstractmethod
from typing import Any

import numpy as np

from mercer._typing import Data, DoubleArray
from mercer.kernels import Linear
from mercer.solvers import Dual, DualSolution
from mercer.solvers.svm import Expansion
from mercer.svm.base import SupportVectorMachine, Training

__all__ = ["SingleMachine"]


class SingleMachine(SupportVectorMachine):
    """One dual problem, one expansion f(x) = Σ coef_i k(x_i, x) + b."""

    @abstractmethod
    def _problem(self, training: Training, y: DoubleArray) -> Dual:
        """The dual problem over the samples of positive weight."""

    @abstractmethod
    def _read(self, problem: Dual, answer: DualSolution, training: Training) -> Expansion:
        """The expansion over these samples."""

    def _fit_single(self, training: Training, y: DoubleArray) -> None:
        problem = self._problem(training, y)
        (answer,) = self._solve(self._source(training.samples), [problem])
        expansion = self._read(problem, answer, training)
        chosen = np.flatnonzero(expansion.coef)
        support = training.kept[chosen]
        self._conclude(answer.solution, training, support)
        self.dual_coef_ = expansion.coef[chosen][None, :]
        self.intercept_ = np.array([expansion.intercept])
        self.n_support_ = np.array([len(support)], dtype=np.int32)
        self.n_iter_ = max(1, answer.solution.n_iter)

    def _start(self, training: Training, bound: DoubleArray) -> DoubleArray | None:
        """The last coefficients, cut to the new bounds, if `warm_start` asks for them and they fit."""
        old = getattr(self, "dual_coef_", None)
        n = len(training.weight)
        if not self.warm_start or old is None or self.shape_fit_[0] != n:
            return None
        beta = np.zeros(n)
        beta[self.support_] = old[0]
        return feasible(beta[training.kept], -bound, bound)

    def _values(self, X: Data) -> DoubleArray:
        return self._expand(self._samples(X), self.dual_coef_.T)[:, 0] + self.intercept_[0]

    @property
    def coef_(self) -> Any:
        """w = Σ coef_i x_i of a linear kernel, of shape (1, n_features); read-only."""
        return primal(self, self.dual_coef_)


def primal(machine: SupportVectorMachine, dual_coef: DoubleArray) -> Any:
    """dual_coef @ support_vectors_ if the kernel is linear; an AttributeError else, as scikit-learn's."""
    if not isinstance(getattr(machine, "kernel_", None), Linear):
        raise AttributeError("coef_ is only available when using a linear kernel")
    coef = np.asarray(dual_coef @ machine.support_vectors_)
    coef.flags.writeable = False
    return coef


def feasible(beta: DoubleArray, lower: DoubleArray, upper: DoubleArray) -> DoubleArray:
    """The coefficients cut to the box, then moved evenly inside it until they sum to zero."""
    beta = np.clip(beta, lower, upper)
    excess = float(beta.sum())
    room = beta - lower if excess > 0 else upper - beta
    total = float(room.sum())
    if total <= abs(excess):
        return np.zeros(len(beta))
    return np.clip(beta - np.sign(excess) * room * (abs(excess) / total), lower, upper)
