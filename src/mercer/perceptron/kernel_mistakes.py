"""Learning of the kernel perceptron: passes over samples, further samples, and the mistakes that are kept."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils import check_random_state

from mercer._estimator import KernelEstimator, Training, finite_fit
from mercer._estimator.basis import Basis, Kept, KernelBasis
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.data import joined, take
from mercer.kernels import Kernel
from mercer.operators import BlockedOperator, RowSource
from mercer.perceptron.mistakes import MistakeDriven, erring
from mercer.solvers.mistakes import BudgetMemory, History, MistakeList
from mercer.solvers.perceptron import budget_passes, kernel_passes, novikoff_bound

__all__ = ["KernelMistakes"]

Machine: TypeAlias = Any  # MistakeList, or BudgetMemory with a budget


class KernelMistakes(MistakeDriven, KernelEstimator):
    """Base class of `KernelPerceptron`: everything between the public methods and the solvers."""

    def _check_known(self, y: Any) -> None:
        self._at_least_two(self.classes_)
        unseen = np.setdiff1d(y, self.classes_)
        if len(unseen):
            raise ValueError(
                f"{type(self).__name__}: the target labels {unseen.tolist()} in y do not exist in the initial classes "
                f"{self.classes_.tolist()}; pass all classes in the first call of partial_fit."
            )

    def _begin(self, n_machines: int) -> None:
        """Set the state before the first sample."""
        none = np.empty(0, dtype=np.int64)
        self._machines = self._fresh(n_machines)
        self.X_fit_, self.support_, self.n_samples_seen_ = None, none, 0
        self.mistakes_, self.mistake_indices_ = np.empty((n_machines, 0), dtype=np.int64), [none] * n_machines

    @finite_fit
    def _continue(self, kernel: Kernel, X: Data, label: DoubleArray) -> None:
        """Make one pass over new samples, which are numbered after the support vectors."""
        known, seen, n = len(self.support_), self.n_samples_seen_, label.shape[1]
        together = joined(self.X_fit_, X) if known else X
        basis = KernelBasis(kernel, together)
        label = np.hstack([np.zeros((len(label), known)), label])
        start = np.zeros_like(label)
        if known and self.budget is None:
            coefs = np.array([machine.coef(known) for machine in self._machines])
            old, new = basis.packed.take(slice(known)), basis.packed.take(slice(known, None))
            start[:, known:] = (BlockedOperator(new, old, n_jobs=self.n_jobs) @ coefs.T).T
            start[:, known:] += float(self.fit_intercept) * coefs.sum(axis=1, keepdims=True)
        source = basis.gram(self.n_jobs).row_source(cache_size=0)  # only few values are needed
        orders = [order + known for order in self._orders(n, 1)]
        histories, machines, _ = self._learn(source, label, self._machines, orders, 1, start)
        numbers = np.concatenate([self.support_, np.arange(seen, seen + n)])
        counts, lists = self.mistakes_, self.mistake_indices_
        self.kernel_, self.n_samples_seen_ = kernel, seen + n
        self._keep(basis, together, numbers, machines)
        self.novikoff_bound_ = np.full(len(label), np.nan)
        self._set_history([replace(h, sample=numbers[h.sample]) for h in histories])
        self.mistakes_ = np.hstack([counts, self.mistakes_])
        self.mistake_indices_ = [np.concatenate(pair) for pair in zip(lists, self.mistake_indices_, strict=True)]

    def _fresh(self, machines: int) -> list[Machine]:
        """New machines without mistakes."""
        if self.budget is None:
            return [MistakeList()] * machines
        if self.variant != "plain":
            raise ValueError(
                f"{type(self).__name__}: variant={self.variant!r} stores every mistake, which contradicts "
                f"budget={self.budget}; use variant='plain' or budget=None."
            )
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        return [BudgetMemory(self.removal, int(self.budget), float(self.threshold), state=seed)] * machines

    def _learn(
        self,
        source: RowSource,
        label: DoubleArray,
        machines: list[Machine],
        orders: Iterable[IndexArray],
        passes: int,
        start: DoubleArray | None = None,
    ) -> tuple[list[History], list[Machine], DoubleArray]:
        """Run passes over the samples; return the histories, the machines after them, and f at all samples."""
        bias, n_jobs = float(self.fit_intercept), self.n_jobs
        if self.budget is not None:
            histories, after = budget_passes(source, label, orders, machines, bias=bias, n_jobs=n_jobs)
            return histories, after, np.zeros_like(label)
        cache = self.cache_size
        histories, f = kernel_passes(
            source, label, orders, max_iter=passes, bias=bias, start=start, cache_size=cache, n_jobs=n_jobs
        )
        return histories, [m.after(h, y) for m, h, y in zip(machines, histories, label, strict=True)], f

    def _keep(self, basis: Basis, X: Data, numbers: IndexArray, machines: list[Machine]) -> None:
        """Store the samples of X that the machines use; sample i of X is number numbers[i] of all samples seen."""
        used = erring(machines)
        place = np.full(len(numbers), -1)
        place[used] = np.arange(len(used))
        self._machines = [machine.moved(place) for machine in machines]
        self.support_ = numbers[used]
        self.X_fit_ = np.empty((0, 0)) if self.kernel_ is None else take(X, used)
        self._kept = Kept.of(basis.select(used)) if len(used) else Kept()
        options = {"averaged": True} if self.variant == "averaged" else {}
        self.dual_coef_ = np.array([machine.coef(len(used), **options) for machine in self._machines])
        self.intercept_ = float(self.fit_intercept) * self.dual_coef_.sum(axis=1)

    def _bounds(
        self,
        training: Training,
        label: DoubleArray,
        histories: list[History],
        machines: list[Machine],
        f: DoubleArray,
    ) -> DoubleArray:
        """Novikoff bounds of the machines that separate the samples; f is valid only for them."""
        bounds = np.full(len(label), np.nan)
        largest = float(training.diagonal.max()) + float(self.fit_intercept)
        for m, machine in enumerate(machines):
            if self.budget is None and histories[m].clean:
                bounds[m] = novikoff_bound(f[m], label[m], machine.coef(training.n), largest)
        return bounds
