"""Support vector machines for a sequence of labellings, each started from the previous solution."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mercer._runtime.limits import require_memory
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.operators import GramOperator, RowSource
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.tiles import inner, product
from mercer.solvers import Dual, DualSolution, Solution
from mercer.solvers import svm as formulation
from mercer.solvers.svm import Expansion
from mercer.svm.single import feasible

__all__ = ["BalancedMachines", "FreeMachines", "Machines", "State", "label_costs", "signs"]


class Solver(Protocol):
    """Solver of dual problems on a source of rows, or on features."""

    def __call__(self, source: Any, problems: list[Dual], *, polish: bool | str) -> list[DualSolution]:
        """Solve the problems; `polish` as in `solve_dual`."""


@dataclass(frozen=True, eq=False)
class State:
    """Labelling with the machines that are optimal for it.

    Attributes
    ----------
    label : ndarray of int of shape (n,)
        Class index of each sample.
    bound : ndarray of shape (n,)
        C or D of each sample times its weight.
    values : ndarray of shape (n, n_machines)
        Decision values of every machine.
    objective : float
        Objective Σ_k ½‖w_k‖² + Σ_i bound_i · (hinge losses of sample i).
    beta : ndarray of shape (n_machines, n)
        Dual coefficients.
    parts : tuple of Expansion
        Coefficients over the samples and intercept of every machine.
    solutions : tuple of Solution
        Certificates of the machines for these labels.
    """

    label: IndexArray
    bound: DoubleArray
    values: DoubleArray
    objective: float
    beta: DoubleArray
    parts: tuple[Expansion, ...]
    solutions: tuple[Solution, ...]


def signs(label: IndexArray, n_classes: int) -> DoubleArray:
    """Return the labels ±1 of every sample in every machine: one-vs-rest, or one machine for two classes.

    >>> signs(np.array([0, 1, 2]), 3)[:, 0].tolist(), signs(np.array([0, 1]), 2).T.tolist()
    ([1.0, -1.0, -1.0], [[-1.0, 1.0]])
    """
    if n_classes == 2:
        return np.where(label == 1, 1.0, -1.0)[:, None]
    return np.where(label[:, None] == np.arange(n_classes), 1.0, -1.0)


def label_costs(values: DoubleArray) -> DoubleArray:
    """Return the sum of the hinge losses of all machines for each class that a sample could have, (n, n_classes).

    >>> label_costs(np.array([[0.5]])).tolist()
    [[1.5, 0.5]]
    """
    if values.shape[1] == 1:
        return np.asarray(np.maximum(0.0, 1.0 + values * np.array([1.0, -1.0])))
    own, other = np.maximum(0.0, 1.0 - values), np.maximum(0.0, 1.0 + values)
    return np.asarray(own - other + other.sum(axis=1, keepdims=True))


class Machines(ABC):
    """Base class that solves the machines of a labelling.

    Parameters
    ----------
    K : GramOperator of shape (n, n) or ndarray of shape (n, r)
        Gram matrix of all samples, or features F with K = FFᵀ.
    n_classes : int
        Number of classes.
    solve : callable
        Solver of dual problems on a source of rows, or on features.
    cache_size : float
        Size of the cache of rows in megabytes.
    """

    def __init__(self, K: GramOperator | FloatArray, n_classes: int, solve: Solver, cache_size: float) -> None:
        self.n, self.n_classes = K.shape[0], n_classes
        self.n_machines = 1 if n_classes == 2 else n_classes
        self.source: RowSource | FloatArray = (
            self._source(K, cache_size) if isinstance(K, GramOperator) else self._features(K)
        )
        self.run = solve
        self.n_fits = 0

    def _source(self, K: GramOperator, cache_size: float) -> RowSource:
        # All labellings read the same rows.
        return K.hold(cache_size * 2**20).row_source(cache_size)

    def _features(self, F: FloatArray) -> FloatArray:
        return F

    def solve(
        self, label: IndexArray, bound: DoubleArray, start: DoubleArray | None = None, *, polish: bool | str = False
    ) -> State:
        """Return the optimal machines for labels and bounds; samples with a bound of zero are ignored.

        `start` contains dual coefficients of the machines for other labels or bounds. `polish` is passed to
        `solve_dual`; it is used for the last labelling only.
        """
        sign = signs(label, self.n_classes)
        start = np.zeros((self.n_machines, self.n)) if start is None else start
        problems = [self._problem(m, sign[:, m], bound, start[m]) for m in range(self.n_machines)]
        answers = self.run(self.source, problems, polish=polish)
        self.n_fits += 1
        read = [self._read(m, p, a) for m, (p, a) in enumerate(zip(problems, answers, strict=True))]
        parts, values = tuple(part for part, _ in read), np.column_stack([f for _, f in read])
        loss = np.maximum(0.0, 1.0 - sign * values).sum(axis=1)
        objective = sum(part.norm2 for part in parts) / 2 + float(bound @ loss)
        beta = np.array([answer.beta[: self.n] for answer in answers])
        return State(label, bound, values, objective, beta, parts, tuple(answer.solution for answer in answers))

    @abstractmethod
    def _problem(self, machine: int, sign: DoubleArray, bound: DoubleArray, start: DoubleArray) -> Dual:
        """Return the dual problem of a machine, with a feasible start near `start`."""

    @abstractmethod
    def _read(self, machine: int, problem: Dual, answer: DualSolution) -> tuple[Expansion, DoubleArray]:
        """Return the coefficients over the samples and the decision value of every sample."""


class FreeMachines(Machines):
    """Machines with a free intercept, as in an SVM. The labels keep the classes in balance."""

    def _problem(self, machine: int, sign: DoubleArray, bound: DoubleArray, start: DoubleArray) -> Dual:  # noqa: ARG002
        upper = sign * bound
        begin = feasible(start, np.minimum(upper, 0.0), np.maximum(upper, 0.0))
        return formulation.classification(np.arange(self.n), sign, bound, begin)

    def _read(self, machine: int, problem: Dual, answer: DualSolution) -> tuple[Expansion, DoubleArray]:  # noqa: ARG002
        part = formulation.expansion(problem, answer)
        return part, np.asarray(answer.gradient - problem.linear + part.intercept)


class BalancedMachines(Machines):
    """Machines with a given mean of f over the unlabelled samples, which keeps the classes in balance for any labels.

    The kernel is centred at the mean μ of the unlabelled samples in feature space, where f has the mean b. Hence b is
    the given number, and the sum of the coefficients is not fixed. An additional variable, whose row of the matrix is
    zero, compensates the sum.

    Parameters
    ----------
    K : GramOperator of shape (n, n) or ndarray of shape (n, r)
        Gram matrix of all samples, or features F with K = FFᵀ.
    n_classes : int
        Number of classes.
    solve : callable
        Solver of dual problems on a source of rows, or on features.
    cache_size : float
        Not used, because the matrix is held in memory.
    unlabeled : ndarray of int
        Samples over which the mean is computed.
    mean : ndarray of shape (n_machines,)
        Mean of f for every machine.
    """

    def __init__(
        self,
        K: GramOperator | FloatArray,
        n_classes: int,
        solve: Solver,
        cache_size: float,
        *,
        unlabeled: IndexArray,
        mean: DoubleArray,
    ) -> None:
        self.unlabeled, self.mean = unlabeled, mean
        super().__init__(K, n_classes, solve, cache_size)

    def _source(self, K: GramOperator, cache_size: float) -> RowSource:  # noqa: ARG002 - the matrix is held in memory
        K.require_symmetric("BalancedMachines")
        require_memory(
            2 * 8 * (self.n + 1) ** 2,
            what=f"{K.who}: method='cccp' for {self.n} samples",
            instead="Use method='switch', which computes rows as it needs them.",
        )
        matrix = np.zeros((self.n + 1, self.n + 1))
        inner = matrix[: self.n, : self.n]
        inner[:] = K.dense()
        middle = self._set_middle(inner[:, self.unlabeled].mean(axis=1))
        inner -= middle[:, None]
        inner -= middle - self.norm2
        return RowSource.matrix(matrix)

    def _features(self, F: FloatArray) -> FloatArray:
        require_memory(
            F.nbytes,
            what=f"method='cccp' for features of {self.n} samples",
            instead="Use method='switch', which reads the features in place, or fewer features.",
        )
        share = np.zeros((self.n, 1))
        share[self.unlabeled] = 1 / len(self.unlabeled)
        mean = inner(F, share, MEMORY_BUDGET)
        self._set_middle(np.asarray(product(F, mean, MEMORY_BUDGET)[:, 0], dtype=np.float64))
        centered = np.zeros((self.n + 1, F.shape[1]), dtype=F.dtype)
        np.subtract(F, mean.T, out=centered[: self.n], casting="same_kind")
        return centered

    def _set_middle(self, middle: DoubleArray) -> DoubleArray:
        """Store and return the products ⟨φ(x_i), μ⟩, and store ‖μ‖²."""
        self.middle, self.norm2 = middle, float(middle[self.unlabeled].mean())
        return middle

    def _problem(self, machine: int, sign: DoubleArray, bound: DoubleArray, start: DoubleArray) -> Dual:
        upper = sign * bound
        lower, upper = np.minimum(upper, 0.0), np.maximum(upper, 0.0)
        begin = np.clip(start, lower, upper)
        most = float(bound.sum()) + 1.0  # larger than any sum of the other variables
        return Dual(
            np.arange(self.n + 1),
            np.append(self.mean[machine] - sign, 0.0),
            np.append(lower, -most),
            np.append(upper, most),
            np.append(begin, -begin.sum()),
        )

    def _read(self, machine: int, problem: Dual, answer: DualSolution) -> tuple[Expansion, DoubleArray]:
        products = answer.gradient - problem.linear
        beta, mean = answer.beta[: self.n], float(self.mean[machine])
        coef, total = beta.copy(), float(beta.sum())
        coef[self.unlabeled] -= total / len(self.unlabeled)
        middle = float(beta @ self.middle) - total * self.norm2  # ⟨w, μ⟩
        part = Expansion(coef, mean - middle, max(0.0, float(answer.beta @ products)))
        return part, np.asarray(products[: self.n] + mean)
