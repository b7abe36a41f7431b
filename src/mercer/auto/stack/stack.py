"""A stack of kernel machines with learned column weights."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from mercer._runtime.engine import thread_count
from mercer._typing import DoubleArray, IndexArray
from mercer.auto.sampling import fold_count, make_folds, sample_rows
from mercer.auto.stack.calibrate import Calibration
from mercer.auto.stack.columns import ColumnView
from mercer.auto.stack.kernels import Config, LearnedKernel, configs, learned_again, learned_kernels
from mercer.auto.stack.leaves import LeafRidge
from mercer.auto.stack.machines import as_columns, chosen_cost, out_of_fold
from mercer.auto.stack.pool import pooled_probabilities, pooled_values
from mercer.auto.stack.workers import Stop, side_by_side
from mercer.auto.task import Task
from mercer.data import Table
from mercer.feature_learning.columns import column_weights
from mercer.solvers.leave_one_out import LeaveOneOut
from mercer.svm import SVC

__all__ = ["KernelStack"]

LEARNED = 700  # rows on which weights are learned
RANKED = 1500  # largest number of rows that rank the kernels
ALL = 1500  # rows up to which every kernel is kept, so that none has to be ranked
DIRECT = 4500  # rows up to which ridge regression is exact
LEAF = 1500  # rows of a leaf above
AGAIN = 1000  # rows up to which the weights of the final kernels are learned from all rows
FACTORS = (0.25, 1.0, 4.0, 16.0)  # multiples of the learned penalty
FEWER = (1.0, 4.0)
NEGLIGIBLE = 0.02  # smallest weight of a member
MACHINES = 25_000  # largest number of rows of support vector machines
FOLDS = 4


@dataclass(eq=False)
class Member:
    """A fitted machine on a learned kernel."""

    learned: LearnedKernel
    machine: Any
    honest: DoubleArray | None
    calibration: Calibration | None = None
    weight: float = 0.0


class KernelStack(BaseEstimator):  # type: ignore[misc]
    """Stack of kernel machines: learned kernels × {ridge, support vector machine}, combined on honest predictions."""

    def __init__(self, task: Task, *, flags: tuple[str, ...] = (), random_state: int = 0, n_jobs: int | None = None):
        self.task = task
        self.flags = flags
        self.random_state = random_state
        self.n_jobs = n_jobs

    # ---- fit

    def fit(self, table: Table, y: Any, weight: DoubleArray | None = None, groups: IndexArray | None = None) -> Self:
        """Learn kernels, fit machines and combine them."""
        self._threads = thread_count(self.n_jobs)
        Y, labels = self._targets(y)
        n = len(y)
        self.views_ = {scale: ColumnView(scale, self.flags).fit(table) for scale in ("z", "rank")}
        self._data = {scale: view.transform(table) for scale, view in self.views_.items()}
        rows, probe, judged = self._divide(y, groups)
        found = self._learn(Y, rows, probe, weight, groups)
        kept = found
        if n > ALL:
            found.sort(key=lambda k: k.error)
            most = 4 if n <= 2500 else 3
            kept = [k for k in found[:most] if k.error < 1.3 * found[0].error]
        self.candidates_ = found
        factors = FACTORS if n <= 2500 else FEWER
        members = self._ridges(kept, Y, factors, judged, weight, groups)
        if labels is not None:
            members += self._machines(found, labels, rows, probe, judged, groups)
        self._combine(members, y, Y, labels, judged, weight)
        if n <= AGAIN:
            self._learn_again(y, Y, weight, groups)
        for member in self.members_:
            member.honest = None
        del self._data
        return self

    def _targets(self, y: Any) -> tuple[DoubleArray, IndexArray | None]:
        if self.task == "regression":
            self.center_, self.spread_ = float(y.mean()), float(y.std()) or 1.0
            return ((y - self.center_) / self.spread_)[:, None], None
        self.classes_, labels = np.unique(y, return_inverse=True)
        Y = np.eye(len(self.classes_))[labels]
        Y = Y[:, 1:] if len(self.classes_) == 2 else Y
        self.center_ = Y.mean(axis=0)
        return Y - self.center_, labels

    def _divide(self, y: Any, groups: IndexArray | None) -> tuple[IndexArray, IndexArray, Any]:
        """Rows that teach weights, rows that rank kernels, and a mask of rows that did neither."""
        n, classes = len(y), self.task == "classification"
        size = min(LEARNED, 2 * n // 3)
        rows = sample_rows(y, size, stratify=classes, random_state=self.random_state)
        rest = np.setdiff1d(np.arange(n), rows)
        order = np.random.default_rng(self.random_state).permutation(rest)
        probe = order[: min(RANKED, len(rest) // 2)] if n > ALL else rest[:0]
        judged = np.ones(n, dtype=bool)
        judged[rows] = False
        judged[probe] = False
        return rows, probe, judged

    def _learn(self, Y, rows, probe, weight, groups) -> list[LearnedKernel]:
        view = self.views_["z"]
        wanted = configs(len(view.names_) - len(view.categorical_))

        def work(config: Config, stop: Stop) -> list[LearnedKernel]:
            X, categorical = self._data[config.scale], self.views_[config.scale].categorical_
            return list(learned_kernels(config, X, categorical, Y, rows, probe, self.task, weight, groups))

        return sum(side_by_side(work, wanted, self._threads), [])

    def _embedded(self, learned: LearnedKernel, X: DoubleArray) -> DoubleArray:
        weights = column_weights(learned.kernel, X.shape[1])
        return self.views_[learned.config.scale].embed(X, weights, learned.config.p)

    def _ridges(self, kept, Y, factors, judged, weight, groups) -> list[Member]:
        leaf = len(Y) if len(Y) <= DIRECT else LEAF

        def work(learned: LearnedKernel, stop: Stop) -> Member:
            X = self._data[learned.config.scale]
            E = self._embedded(learned, X)
            ridge = LeafRidge(learned.kernel, leaf)
            ridge.fit(X, E, Y, [learned.alpha * f for f in factors], judged, weight, groups)
            return Member(learned, ridge, ridge.loo)

        return side_by_side(work, kept, self._threads)

    def _machines(self, found, labels, rows, probe, judged, groups) -> list[Member]:
        """Support vector machines on the best kernel with equal weights and on the best with column weights."""
        n = len(labels)
        if n > MACHINES:
            return []
        count, _ = fold_count("stack", labels, FOLDS, classes=True, groups=groups)
        members = []
        ranked = sorted(found, key=lambda k: k.error) if len(probe) else found
        chosen = [next(k for k in ranked if k.kind == kind) for kind in dict.fromkeys(k.kind for k in ranked)]
        for learned in chosen[:2]:
            X = self._data[learned.config.scale]
            some = np.arange(n) if n <= DIRECT else np.sort(np.concatenate([rows, probe]))
            folds = make_folds(
                labels[some], count, classes=True, groups=None if groups is None else groups[some], random_state=0
            )
            mask = judged[some] if judged[some].any() else np.ones(len(some), dtype=bool)
            machine, honest = chosen_cost(learned.kernel, X[some], labels[some], folds, mask, self.n_jobs)
            if len(some) < n:
                folds = make_folds(labels, 3, classes=True, groups=groups, random_state=0)
                honest = out_of_fold(learned.kernel, X, labels, folds, machine.cost, self.n_jobs)
            fitted = SVC(kernel=learned.kernel, C=machine.cost, n_jobs=self.n_jobs).fit(X, labels)
            members.append(Member(learned, fitted, honest))
        return members

    def _combine(self, members, y, Y, labels, judged, weight) -> None:
        s = None if weight is None else weight[judged]
        if labels is None:
            found = pooled_values([m.honest[judged, 0] for m in members], Y[judged, 0], s)
        else:
            probabilities = []
            for member in members:
                scores = self._as_scores(member.honest)
                member.calibration = Calibration.fit(scores[judged], labels[judged], s)
                probabilities.append(member.calibration.probabilities(scores[judged]))
            found = pooled_probabilities(probabilities, labels[judged], s)
        for member, value in zip(members, found, strict=True):
            member.weight = float(value)
        self.members_ = [m for m in members if m.weight > NEGLIGIBLE] or members[:1]

    def _as_scores(self, values: DoubleArray) -> DoubleArray:
        """Scores of all classes."""
        return np.hstack([-values, values]) if values.shape[1] == 1 else values

    def _learn_again(self, y, Y, weight, groups) -> None:
        """With few rows, learn the weights of the members again, from all rows."""
        loss = LeaveOneOut(Y, weight, groups)
        everyone = np.ones(len(Y), dtype=bool)

        def work(member: Member, stop: Stop) -> Member:
            X = self._data[member.learned.config.scale]
            learned = learned_again(member.learned, X, loss, self.task)
            if isinstance(member.machine, LeafRidge):
                factor = member.machine.alpha / member.learned.alpha
                alphas = [learned.alpha * f for f in sorted({factor, 1.0})]
                machine: Any = LeafRidge(learned.kernel, len(Y))
                machine.fit(X, self._embedded(learned, X), Y, alphas, everyone, weight, groups)
            else:
                labels = np.unique(y, return_inverse=True)[1]
                machine = SVC(kernel=learned.kernel, C=member.machine.C, n_jobs=1).fit(X, labels)
            return replace(member, learned=learned, machine=machine)

        self.members_ = side_by_side(work, self.members_, self._threads)

    # ---- prediction

    def _scores(self, table: Table) -> list[DoubleArray]:
        data = {scale: view.transform(table) for scale, view in self.views_.items()}

        def work(member: Member, stop: Stop) -> DoubleArray:
            X = data[member.learned.config.scale]
            if isinstance(member.machine, LeafRidge):
                return member.machine.predict(X, self._embedded(member.learned, X))
            return as_columns(member.machine.decision_function(X), member.machine.classes_, len(self.classes_))

        return side_by_side(work, self.members_, thread_count(self.n_jobs))

    def predict_proba(self, table: Table) -> DoubleArray:
        """Probabilities."""
        total = np.zeros((len(table), len(self.classes_)))
        for member, values in zip(self.members_, self._scores(table), strict=True):
            total += member.weight * member.calibration.probabilities(self._as_scores(values))
        return total / total.sum(axis=1, keepdims=True)

    def predict(self, table: Table) -> Any:
        """Classes or values."""
        if self.task == "classification":
            return self.classes_[self.predict_proba(table).argmax(axis=1)]
        parts = self._scores(table)
        return self.center_ + self.spread_ * sum(m.weight * f[:, 0] for m, f in zip(self.members_, parts, strict=True))
