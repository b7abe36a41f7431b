"""Stacks of kernel machines with learned column weights."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from mercer._runtime.engine import thread_count
from mercer._runtime.pools import limit_pools
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.auto.sampling import fold_count, make_folds, sample_rows
from mercer.auto.stack.calibrate import Calibration
from mercer.auto.stack.kernels import Config, LearnedKernel, Teacher, configs
from mercer.auto.stack.layout import Layout
from mercer.auto.stack.leaves import LeafRidge
from mercer.auto.stack.machines import best_cost, out_of_fold
from mercer.auto.stack.member import StackMember, both_signs
from mercer.auto.stack.pool import pooled_probabilities, pooled_values
from mercer.auto.stack.workers import Stop, side_by_side
from mercer.auto.task import Task
from mercer.explain.expansion import KernelExpansion
from mercer.explain.weighted import ScorePart
from mercer.kernels import Columns, Kernel
from mercer.svm import SVC

__all__ = ["StackedClassifier", "StackedRegressor"]

LEARNED = 700  # rows on which weights are learned
RANKED = 1500  # largest number of rows that rank the kernels
ALL = 1500  # rows up to which every kernel is kept, so that none has to be ranked
DIRECT = 4500  # rows up to which ridge regression is exact
LEAF = 1500  # rows of a leaf above
AGAIN = 1000  # rows up to which the weights of the final kernels are learned from all rows
MACHINES = 25_000  # largest number of rows of support vector machines
FACTORS = (0.25, 1.0, 4.0, 16.0)  # multiples of the learned penalty
FEWER = (1.0, 4.0)
WORSE = 1.3  # error of a kernel, relative to the best one, above which it is not used
NEGLIGIBLE = 0.02  # smallest weight of a member
FOLDS = 4
RARE = 70  # rows of a class that teach weights, if two thirds of the class are as many


@dataclass(eq=False)
class _Draft:
    """A machine before it is weighted, with predictions for samples that did not influence them."""

    learned: LearnedKernel
    machine: Any
    honest: DoubleArray
    score: float = float("nan")
    calibration: Calibration | None = None


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows that teach weights, rows that rank kernels, and a mask of the others."""

    taught: IndexArray
    ranked: IndexArray
    judged: Any


class _Stack(BaseEstimator):  # type: ignore[misc]
    """Base of both stacks."""

    _task: ClassVar[Task]

    def __init__(self, layout: Layout, *, random_state: int = 0, n_jobs: int | None = None) -> None:
        self.layout = layout
        self.random_state = random_state
        self.n_jobs = n_jobs

    @abstractmethod
    def _centred(self, y: Any) -> DoubleArray:
        """Centred targets of shape (n_samples, n_targets)."""

    @abstractmethod
    def _weigh(
        self, drafts: list[_Draft], y: Any, Y: DoubleArray, judged: Any, weight: DoubleArray | None
    ) -> tuple[DoubleArray, float]:
        """Weights of the drafts, and the score of the stack on judged rows; sets scores and calibrations."""

    @abstractmethod
    def _drafts(self, teacher: Teacher, found: list[LearnedKernel], y: Any, rows: _Rows) -> list[_Draft]:
        """Machines besides ridge regression."""

    def fit(
        self, X: FloatArray, y: Any, sample_weight: DoubleArray | None = None, groups: IndexArray | None = None
    ) -> Self:
        """Learn kernels, fit machines to all rows and weigh them by predictions for rows that taught neither.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_columns)
            Prepared samples, in the columns of the layout.
        y : ndarray of shape (n_samples,)
            Targets.
        sample_weight : ndarray of shape (n_samples,), default=None
            Weights.
        groups : ndarray of int of shape (n_samples,), default=None
            Samples that are left out together.

        Returns
        -------
        self
            Fitted stack.
        """
        Y, threads, n = self._centred(y), thread_count(self.n_jobs), len(y)
        teacher = Teacher(self._task, self.layout, np.asarray(X, dtype=np.float64), Y, sample_weight, groups)
        rows = self._divided(y, groups)
        share = self._restored(y, rows.taught)

        def teach(config: Config, stop: Stop) -> list[LearnedKernel]:
            return teacher.teach(config, rows.taught, rows.ranked, share, stop)

        found = [kernel for some in side_by_side(teach, configs(self.layout), threads) for kernel in some]
        kept = self._kept(found, n)
        factors, leaf = FACTORS if n <= 2500 else FEWER, n if n <= DIRECT else LEAF

        def regress(learned: LearnedKernel, stop: Stop) -> _Draft:
            alphas = [learned.alpha * factor for factor in factors]
            ridge = LeafRidge(learned.kernel, learned.config.p, self.layout.categorical, leaf)
            honest = ridge.fit(teacher.columns(learned.config), Y, alphas, rows.judged, sample_weight, groups, stop)
            return _Draft(learned, ridge, honest)

        drafts = side_by_side(regress, kept, threads) + self._drafts(teacher, found, y, rows)
        with limit_pools(1):
            weights, self.score_ = self._weigh(drafts, y, Y, rows.judged, sample_weight)
        used = [i for i in np.argsort(-weights, kind="stable").tolist() if weights[i] > NEGLIGIBLE] or [0]

        def conclude(i: int, stop: Stop) -> StackMember:
            draft = drafts[i]
            if n <= AGAIN:
                draft = self._taught_again(teacher, draft, y, stop)
            columns = self.layout.columns(draft.learned.config.scale)
            member = StackMember(draft.learned.name, columns, draft.machine, float(weights[i]), draft.score)
            if draft.calibration is not None:
                member.scale, member.offset = draft.calibration.scale, draft.calibration.offset
            return member

        self.members_: list[StackMember] = side_by_side(conclude, used, threads)
        self.n_taught_, self.n_judged_ = len(rows.taught), int(rows.judged.sum())
        self.n_features_in_ = X.shape[1]
        return self

    def _divided(self, y: Any, groups: IndexArray | None) -> _Rows:
        n = len(y)
        size = min(LEARNED, 2 * n // 3)
        if groups is None:
            taught = self._sampled(y, size)
        else:
            taught = _whole_groups(groups, size, self.random_state)
        rest = np.setdiff1d(np.arange(n), taught)
        order = np.random.default_rng(self.random_state).permutation(rest)
        ranked = order[: min(RANKED, len(rest) // 2)] if n > ALL else rest[:0]
        judged = np.ones(n, dtype=bool)
        judged[taught] = judged[ranked] = False
        return _Rows(taught, ranked, judged if judged.any() else ~judged)

    def _sampled(self, y: Any, size: int) -> IndexArray:
        """Random rows that teach weights."""
        return sample_rows(y, size, stratify=False, random_state=self.random_state)

    def _restored(self, y: Any, taught: IndexArray) -> DoubleArray | None:  # noqa: ARG002
        """Weights that give the taught rows the distribution of all rows; None if they have it."""
        return None

    def _kept(self, found: list[LearnedKernel], n: int) -> list[LearnedKernel]:
        """Kernels that are fitted to all rows: all if there are few rows, else the best."""
        if n <= ALL:
            return found
        ranked = sorted(found, key=lambda kernel: kernel.error)
        most = 4 if n <= 2500 else 3
        return [kernel for kernel in ranked[:most] if kernel.error <= WORSE * ranked[0].error]

    def _taught_again(self, teacher: Teacher, draft: _Draft, y: Any, stop: Stop) -> _Draft:
        """With few rows, the kernel of a member is learned again, from all rows."""
        learned = teacher.again(draft.learned, stop)
        X = teacher.columns(learned.config)
        if isinstance(draft.machine, LeafRidge):
            factor = draft.machine.alpha_ / draft.learned.alpha
            alphas = [learned.alpha * f for f in sorted({factor, 1.0})]
            machine: Any = LeafRidge(learned.kernel, learned.config.p, self.layout.categorical, len(X))
            machine.fit(X, teacher.Y, alphas, np.ones(len(X), dtype=bool), teacher.weight, teacher.groups, stop)
        else:
            labels = np.unique(y, return_inverse=True)[1]
            machine = SVC(kernel=learned.kernel, C=draft.machine.C, n_jobs=1).fit(X, labels, teacher.weight)
        return replace(draft, learned=learned, machine=machine)

    @property
    def kernel_(self) -> Kernel:
        """Kernel of the member with the largest weight, on all columns of the matrix.

        Returns
        -------
        Kernel
            Kernel with learned weights.
        """
        return self.members_[0].kernel()

    def score_parts(self, X: DoubleArray) -> Iterator[ScorePart]:
        """Kernel expansions whose sum is the score: the prediction, or the weighted sum of the members' scores."""
        for member in self.members_:
            factor, shift = self._in_score(member)
            for rows, kernel, points, coef, intercept in member.parts(X):
                whole = np.zeros((len(points), X.shape[1]))
                whole[:, member.columns] = points
                inner = Columns(tuple(member.columns), kernel)
                yield ScorePart(rows, KernelExpansion(inner, whole, factor * coef, factor * intercept + shift))

    @abstractmethod
    def _in_score(self, member: StackMember) -> tuple[float, Any]:
        """Factor of a member's score in that of the stack, and a constant."""

    def _each(self, X: DoubleArray, n_classes: int | None) -> list[DoubleArray]:
        """Predictions or probabilities of every member."""

        def work(member: StackMember, _: Stop) -> DoubleArray:
            return member.scores(X, None) if n_classes is None else member.probabilities(X, n_classes)

        return side_by_side(work, self.members_, thread_count(self.n_jobs))


class StackedRegressor(RegressorMixin, _Stack):  # type: ignore[misc]
    """Weighted sum of ridge regressions on learned kernels."""

    _task = "regression"

    def _in_score(self, member: StackMember) -> tuple[float, Any]:
        return member.weight * self.spread_, self.center_ / len(self.members_)

    def _drafts(self, *arguments: Any) -> list[_Draft]:  # noqa: ARG002
        return []

    def _centred(self, y: Any) -> DoubleArray:
        self.center_, self.spread_ = float(np.mean(y)), float(np.std(y)) or 1.0
        return np.asarray((y - self.center_) / self.spread_)[:, None]

    def _weigh(
        self,
        drafts: list[_Draft],
        y: Any,  # noqa: ARG002
        Y: DoubleArray,
        judged: Any,
        weight: DoubleArray | None,
    ) -> tuple[DoubleArray, float]:
        truth, s = Y[judged, 0], None if weight is None else weight[judged]
        honest = [draft.honest[judged, 0] for draft in drafts]
        found = pooled_values(honest, truth, s)
        for draft, values in zip(drafts, honest, strict=True):
            draft.score = _r2(truth, values, s)
        pooled = np.sum(found[:, None] * honest, axis=0)
        self.residuals_ = self.spread_ * np.sort(np.abs(truth - pooled))
        return found, _r2(truth, pooled, s)

    def interval_width(self, coverage: float) -> float:
        """Half the width of an interval that contains this share of the targets of samples not used for training.

        Quantile of the absolute residuals of judged samples, with the correction for their number of split conformal
        prediction.
        """
        m = len(self.residuals_)
        return float(self.residuals_[min(m, int(np.ceil((m + 1) * coverage))) - 1])

    def predict(self, X: DoubleArray) -> DoubleArray:
        """Predict targets."""
        parts = self._each(X, None)
        total = sum(member.weight * part[:, 0] for member, part in zip(self.members_, parts, strict=True))
        return np.asarray(self.center_ + self.spread_ * total)


class StackedClassifier(ClassifierMixin, _Stack):  # type: ignore[misc]
    """Weighted mean of calibrated probabilities of ridge classifiers and support vector machines."""

    _task = "classification"

    def _in_score(self, member: StackMember) -> tuple[float, Any]:
        assert member.scale is not None
        assert member.offset is not None
        if len(self.classes_) == 2:  # the score of the second class minus that of the first
            return 2 * member.weight * member.scale, member.weight * (member.offset[1] - member.offset[0])
        return member.weight * member.scale, member.weight * member.offset

    def _centred(self, y: Any) -> DoubleArray:
        self.classes_, labels = np.unique(y, return_inverse=True)
        Y = np.eye(len(self.classes_))[labels]
        Y = Y[:, 1:] if len(self.classes_) == 2 else Y
        return np.asarray(Y - Y.mean(axis=0))

    def _drafts(self, teacher: Teacher, found: list[LearnedKernel], y: Any, rows: _Rows) -> list[_Draft]:
        """Support vector machines on the best kernel with equal weights and on the best with column weights."""
        labels, n = np.unique(y, return_inverse=True)[1], len(y)
        if n > MACHINES:
            return []
        ranked = sorted(found, key=lambda kernel: kernel.error) if len(rows.ranked) else found
        chosen = [next(k for k in ranked if k.kind == kind) for kind in dict.fromkeys(k.kind for k in ranked)]
        some = np.arange(n) if n <= DIRECT else np.sort(np.concatenate([rows.taught, rows.ranked]))
        judged = rows.judged[some] if rows.judged[some].any() else np.ones(len(some), dtype=bool)
        folds, everywhere = self._folds(labels[some], teacher.groups, some), None
        drafts = []
        for learned in chosen[:2]:
            X = teacher.columns(learned.config)
            cost, honest = best_cost(learned.kernel, X[some], labels[some], folds, judged, self.n_jobs)
            if len(some) < n:
                everywhere = everywhere or self._folds(labels, teacher.groups, np.arange(n))
                honest = out_of_fold(learned.kernel, X, labels, everywhere, cost, self.n_jobs)
            machine = SVC(kernel=learned.kernel, C=cost, n_jobs=self.n_jobs).fit(X, labels, teacher.weight)
            drafts.append(_Draft(learned, machine, honest))
        return drafts

    def _sampled(self, y: Any, size: int) -> IndexArray:
        """Random rows of every class, more of rare classes than their share."""
        labels = np.unique(y, return_inverse=True)[1]
        order = np.random.default_rng(self.random_state).permutation(len(y))
        counts = np.bincount(labels)
        least = np.minimum(-(-2 * counts // 3), RARE)
        wanted = np.maximum(least, np.floor(counts * (size / len(y))).astype(int))
        wanted = np.maximum(least, np.floor(wanted * (size / wanted.sum())).astype(int))
        return np.sort(np.concatenate([order[labels[order] == c][:m] for c, m in enumerate(wanted)]))

    def _restored(self, y: Any, taught: IndexArray) -> DoubleArray | None:
        """Weights that give classes their shares among all rows."""
        labels = np.unique(y, return_inverse=True)[1]
        here, all_rows = np.bincount(labels[taught], minlength=labels.max() + 1), np.bincount(labels)
        ratio = all_rows / len(y) / np.maximum(here, 1) * len(taught)
        return None if np.allclose(ratio[here > 0], 1, atol=0.1) else np.asarray(ratio[labels[taught]])

    def _folds(self, labels: IndexArray, groups: IndexArray | None, rows: IndexArray) -> Any:
        own = None if groups is None else groups[rows]
        count, _ = fold_count("stack", labels, FOLDS, classes=True, groups=own)
        return make_folds(labels, count, classes=True, groups=own, random_state=self.random_state)

    def _weigh(
        self,
        drafts: list[_Draft],
        y: Any,
        Y: DoubleArray,  # noqa: ARG002
        judged: Any,
        weight: DoubleArray | None,
    ) -> tuple[DoubleArray, float]:
        labels, s = np.searchsorted(self.classes_, y[judged]), None if weight is None else weight[judged]
        parts = []
        for draft in drafts:
            scores = both_signs(draft.honest)[judged]
            draft.calibration = Calibration.fit(scores, labels, s)
            parts.append(draft.calibration.probabilities(scores))
            draft.score = float(np.average(parts[-1].argmax(axis=1) == labels, weights=s))
        found = pooled_probabilities(parts, labels, s)
        pooled = np.sum(found[:, None, None] * parts, axis=0)
        return found, float(np.average(pooled.argmax(axis=1) == labels, weights=s))

    def predict_proba(self, X: DoubleArray) -> DoubleArray:
        """Class probabilities."""
        parts = self._each(X, len(self.classes_))
        total = np.sum([m.weight * part for m, part in zip(self.members_, parts, strict=True)], axis=0)
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    def decision_function(self, X: DoubleArray) -> DoubleArray:
        """Logarithms of the probabilities; with two classes, the log-odds of the second one."""
        log = np.log(np.maximum(self.predict_proba(X), np.finfo(np.float64).tiny))
        return log if len(self.classes_) > 2 else log[:, 1] - log[:, 0]

    def predict(self, X: DoubleArray) -> Any:
        """Most probable classes."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _whole_groups(groups: IndexArray, size: int, random_state: int) -> IndexArray:
    """Rows of randomly chosen groups, about `size` of them."""
    labels, counts = np.unique(groups, return_counts=True)
    order = np.random.default_rng(random_state).permutation(len(labels))
    chosen = order[np.cumsum(counts[order]) <= size]
    chosen = chosen if len(chosen) else order[:1]
    return np.flatnonzero(np.isin(groups, labels[chosen]))


def _r2(truth: DoubleArray, predicted: DoubleArray, weight: DoubleArray | None) -> float:
    """Share of the variance that predictions explain."""
    mean = np.average(truth, weights=weight)
    error, total = (np.average(np.square(truth - v), weights=weight) for v in (predicted, mean))
    return float(1 - error / total) if total > 0 else float("nan")
