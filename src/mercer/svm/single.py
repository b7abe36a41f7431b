"""Support vector machines with a single dual problem: regression and one-class."""

from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._estimator import finite_values
from mercer._typing import Data, DoubleArray
from mercer._validation import as_csr
from mercer.kernels import Linear
from mercer.solvers import Dual, DualSolution
from mercer.solvers.svm import Expansion
from mercer.svm.approximated import dual_matrix, previous_dual
from mercer.svm.base import SupportVectorMachine, Training
from mercer.svm.multiclass import SupportModel

__all__ = ["SingleMachine", "feasible", "primal"]


class SingleMachine(SupportVectorMachine):
    """Base class: one dual problem, one expansion f(x) = Σ coef_i k(x_i, x) + b."""

    @abstractmethod
    def _problem(self, training: Training, y: DoubleArray) -> Dual:
        """Dual problem over the samples of positive weight."""

    @abstractmethod
    def _read(self, problem: Dual, answer: DualSolution, training: Training) -> Expansion:
        """Expansion over these samples."""

    def _fit_single(self, training: Training, y: DoubleArray) -> None:
        training = self._prepared(training)
        problem, answer = self._answer(training, y)
        expansion = self._read(problem, answer, training)
        if training.approximation is not None:
            duals = dual_matrix([problem.members], [answer.beta], training.n)
            intercept, n_iter = np.array([expansion.intercept]), max(1, answer.solution.n_iter)
            self._conclude_on_features(training, duals, np.ones(1), intercept, answer.solution, n_iter)
            return
        chosen = np.flatnonzero(expansion.coef)
        count = np.array([len(chosen)])
        coef, intercept = expansion.coef[chosen][None, :], np.array([expansion.intercept])
        model = SupportModel(training.kept[chosen], count, coef, intercept)
        self._conclude(training, model, answer.solution, max(1, answer.solution.n_iter))

    def _answer(self, training: Training, y: DoubleArray) -> tuple[Dual, DualSolution]:
        problem = self._problem(training, y)
        (answer,) = self._solve(self._source(training), [problem], training)
        return problem, answer

    def _start(self, training: Training, bound: DoubleArray) -> DoubleArray | None:
        """Coefficients of the previous fit, clipped to the new bounds; None without a usable fit."""
        n = len(training.weight)
        if not self.warm_start or not hasattr(self, "dual_coef_") or self.shape_fit_[0] != n:
            return None
        if hasattr(self, "_duals"):  # the previous fit was approximated
            beta = previous_dual(self._duals, 0, training.kept)
            return None if beta is None else feasible(beta, -bound, bound)
        beta = np.zeros(n)
        beta[self.support_] = self._coef[0]
        return feasible(beta[training.kept], -bound, bound)

    @finite_values
    def _values(self, X: Data) -> DoubleArray:
        return np.asarray(self._expand(self._samples(X), self._coef.T)[:, 0] + self.intercept_[0])

    @property
    def coef_(self) -> Any:
        """Primal coefficients Σ_i dual_coef_i x_i, of shape (1, n_features); read-only, linear kernel only."""
        return primal(self)


def primal(machine: SupportVectorMachine, dual_coef: DoubleArray | None = None) -> Any:
    """Primal coefficients dual_coef @ support_vectors_ of a linear kernel, in CSR if the support vectors are.

    Other kernels raise AttributeError, as in scikit-learn.
    """
    if not isinstance(getattr(machine, "kernel_", None), Linear):
        raise AttributeError("coef_ is only available when using a linear kernel")
    vectors = machine.support_vectors_
    coef = machine._coef if dual_coef is None else dual_coef
    if sp.issparse(vectors):
        product = sp.csr_matrix(coef) @ as_csr(type(machine).__name__, vectors, name="support_vectors_")
        product.data.flags.writeable = False
        return product
    product = np.asarray(coef @ vectors)
    product.flags.writeable = False
    return product


def feasible(beta: DoubleArray, lower: DoubleArray, upper: DoubleArray) -> DoubleArray:
    """Clip coefficients to a box around zero, then shrink the heavier sign until they sum to zero.

    Zeros stay zero. Coefficients that already sum to zero up to rounding are not changed, because a coefficient one ulp
    inside its bound would count as free.
    """
    beta = np.clip(beta, lower, upper)
    above, below = beta > 0, beta < 0
    gain, loss = float(beta[above].sum()), -float(beta[below].sum())
    if abs(gain - loss) > 1e-12 * max(gain, loss):
        side = above if gain > loss else below
        beta[side] *= min(gain, loss) / max(gain, loss)
    return beta
