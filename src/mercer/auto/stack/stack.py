"""Stacks of kernel machines with learned column weights: what both tasks have in common."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from mercer._runtime.engine import thread_count
from mercer._runtime.interrupt import asking
from mercer._runtime.pools import limit_pools
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.auto.clock import Clock, TimeUp
from mercer.auto.sampling import Folds, fold_count, make_folds
from mercer.auto.scoring import Judge
from mercer.auto.stack.draft import Draft
from mercer.auto.stack.kernels import INTERACTIONS, Config, Control, LearnedKernel, Teacher, configs
from mercer.auto.stack.layout import Layout
from mercer.auto.stack.leaves import LeafRidge
from mercer.auto.stack.linear import LinearKernel
from mercer.auto.stack.machines import MACHINES, Machine
from mercer.auto.stack.member import StackMember
from mercer.auto.stack.plan import DIRECT, Plan
from mercer.auto.stack.rows import ALL, Rows
from mercer.auto.stack.workers import Stop, side_by_side
from mercer.auto.task import Task
from mercer.explain.expansion import KernelExpansion
from mercer.explain.weighted import ScorePart
from mercer.kernels import Columns, Kernel

__all__ = ["Stack"]

T = TypeVar("T")
AGAIN = 1000  # rows up to which the weights of the final kernels are learned from all rows
SCARCE = 10  # judged rows of a class below which they are not: calibrations by so few rows do not fit new scores
RELEARNED = 6  # members whose weights are learned again
WORSE = 1.3  # error of a kernel, relative to the best one, above which it is not used
BETTER = 0.9  # loss of a machine on some rows, relative to ridge regression, up to which it is fitted to many rows
NEGLIGIBLE = 0.01  # smallest weight of a member
FOLDS = 4


class Stack(BaseEstimator):  # type: ignore[misc]
    """Base of both stacks."""

    _task: ClassVar[Task]

    def __init__(self, layout: Layout, *, random_state: int = 0, n_jobs: int | None = None) -> None:
        self.layout = layout
        self.random_state = random_state
        self.n_jobs = n_jobs

    @abstractmethod
    def _targets(self, y: Any, weight: DoubleArray | None) -> tuple[DoubleArray, Any, IndexArray | None, int | None]:
        """Centred targets of ridge regression, targets of other machines, positions of classes, number of classes."""

    @abstractmethod
    def _weigh(
        self, drafts: list[Draft], y: Any, judged: Any, weight: DoubleArray | None, judge: Judge | None
    ) -> tuple[DoubleArray, float]:
        """Weights of the drafts, and the score of the stack on judged rows; sets scores and calibrations."""

    @abstractmethod
    def _ridge_loss(self, honest: DoubleArray, own: Any, weight: DoubleArray | None) -> float:
        """Loss of predictions of ridge regression, comparable with that of other machines."""

    def fit(
        self,
        X: FloatArray,
        y: Any,
        sample_weight: DoubleArray | None = None,
        groups: IndexArray | None = None,
        *,
        judge: Judge | None = None,
        clock: Clock | None = None,
    ) -> Self:
        """Learn kernels, fit machines to all rows and weigh them by predictions for rows that taught neither.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_columns)
            Prepared samples, in the columns of the layout.
        y : ndarray of shape (n_samples,)
            Targets.
        sample_weight : ndarray of shape (n_samples,), default=None
            Positive weights.
        groups : ndarray of int of shape (n_samples,), default=None
            Samples that are left out together.
        judge : Judge, default=None
            Score that weighs the members; None for log-loss or squared error.
        clock : Clock, default=None
            Time limit and progress; None for neither.

        Returns
        -------
        self
            Fitted stack.
        """
        n = len(y)
        self.notes_: list[str] = []
        Y, own, labels, n_classes = self._targets(y, sample_weight)
        clock = Clock() if clock is None else clock
        rows = Rows.divide(n, labels, groups, self.random_state)
        teacher = Teacher(self._task, self.layout, np.asarray(X, dtype=np.float64), Y, sample_weight, groups)
        plan = Plan(n, X.shape[1], len(rows.taught), clock, thread_count(self.n_jobs))
        found = self._taught(teacher, rows, plan)
        kept = self._kept(found, n)
        drafts = self._ridges(teacher, kept, rows, plan)
        drafts += self._machines(teacher, found, own, n_classes, rows, plan)
        with limit_pools(1):
            weights, self.score_ = self._weigh(drafts, y, rows.judged, sample_weight, judge)
        used = [i for i in np.argsort(-weights, kind="stable").tolist() if weights[i] > NEGLIGIBLE] or [0]
        chosen = [(drafts[i], float(weights[i])) for i in used]
        if n <= AGAIN and rows.scarcest(labels) >= SCARCE:
            chosen = self._taught_again(teacher, chosen, own, plan)
        self.members_: list[StackMember] = [self._member(draft, weight) for draft, weight in chosen]
        self.n_taught_, self.n_judged_ = len(rows.taught), int(rows.judged.sum())
        self.n_features_in_ = X.shape[1]
        clock.step(np.inf, "done")
        return self

    # ---- steps of the fit

    def _optional(self, work: Callable[[Stop], T], stop: Stop, clock: Clock) -> T | None:
        """Result of a step, or None if it is left out because the time limit is reached."""

        def check() -> None:
            stop()
            clock.check()

        try:
            with asking(check):
                check()
                return work(check)  # type: ignore[arg-type]
        except TimeUp:
            return None

    def _taught(self, teacher: Teacher, rows: Rows, plan: Plan) -> list[LearnedKernel]:
        """Learned kernels of all configurations; with a time limit, of those that it allows, at least one."""
        todo, clock = configs(self.layout), plan.clock

        def teach(config: Config, stop: Stop) -> list[LearnedKernel]:
            if config != todo[0] and plan.taught_enough():
                return []
            control = Control(stop, plan.taught_enough)
            found = teacher.teach(config, rows.taught, rows.ranked, rows.share, control)
            clock.step(plan.teaching / len(todo), config.what)
            return found

        found = side_by_side(teach, todo, thread_count(self.n_jobs))
        left_out = sum(not some for some in found)
        if left_out:
            self.notes_.append(f"Time limit: {left_out} of {len(todo)} ways to learn weights of columns were left out.")
        learned = [kernel for some in found for kernel in some]
        return learned + self._rotated(teacher, learned, rows, plan)

    def _rotated(self, teacher: Teacher, learned: list[LearnedKernel], rows: Rows, plan: Plan) -> list[LearnedKernel]:
        """A kernel of rotated columns if it is clearly better than the learned ones, and if there is time for it."""

        def rotate(base: list[LearnedKernel], stop: Stop) -> list[LearnedKernel]:
            if plan.taught_enough():
                self.notes_.append("Time limit: rotated columns were left out.")
                return []
            control = Control(stop, plan.taught_enough)
            better = teacher.rotated(base, rows.taught, rows.ranked, rows.share, control)
            plan.clock.step(plan.rotating, "weights of rotated columns")
            return better

        return side_by_side(rotate, [learned], 1)[0] if self.layout.rotates else []

    def _ridges(self, teacher: Teacher, kept: list[LearnedKernel], rows: Rows, plan: Plan) -> list[Draft]:
        """Ridge regressions on all rows; with a time limit, those that end in time, at least one."""
        leaf, clock = plan.leaf_in_time(), plan.clock

        def regress(learned: LearnedKernel, check: Callable[[], None]) -> Draft:
            alphas = [learned.alpha * factor for factor in plan.factors]
            ridge = LeafRidge(learned.kernel, learned.config.p, self.layout.categorical, leaf)
            X = teacher.columns(learned.config)
            honest = ridge.fit(X, teacher.Y, alphas, rows.judged, teacher.weight, teacher.groups, check)
            clock.step(plan.regressing / len(kept), f"ridge regression with {learned.name}")
            return Draft(learned, ridge, honest)

        def work(learned: LearnedKernel, stop: Stop) -> Draft | None:
            if learned is kept[0]:  # without a model there is nothing to return
                return regress(learned, stop)
            if not plan.allows(leaf):
                return None
            return self._optional(lambda check: regress(learned, check), stop, clock)

        drafts = [draft for draft in side_by_side(work, kept, plan.threads) if draft is not None]
        if len(drafts) < len(kept):
            self.notes_.append(f"Time limit: {len(kept) - len(drafts)} of {len(kept)} ridge regressions were left out.")
        if leaf < plan.leaf:
            self.notes_.append(f"Time limit: ridge regressions were fitted in leaves of {leaf} samples.")
        return drafts

    def _kept(self, found: list[LearnedKernel], n: int) -> list[LearnedKernel]:
        """Kernels that are fitted to all rows: all if there are few rows, else the best."""
        if n <= ALL:
            return found
        ranked = sorted(found, key=lambda kernel: kernel.error)
        most = 4 if n <= 2500 else 3
        return [kernel for kernel in ranked[:most] if kernel.error <= WORSE * ranked[0].error]

    def _machines(
        self,
        teacher: Teacher,
        found: list[LearnedKernel],
        own: Any,
        n_classes: int | None,
        rows: Rows,
        plan: Plan,
    ) -> list[Draft]:
        """Other machines on the best kernels of different kinds: equal weights, column weights, interactions.

        Machines with landmarks learn from all rows, however many there are. Parameters of the others are chosen on all
        rows up to 4500. Above, they are chosen on rows that the weights were learned and ranked on, and the machine is
        fitted to all rows if it is better than ridge regression on these.
        """
        n = len(own)
        ranked = sorted(found, key=lambda kernel: kernel.error) if n > ALL else found
        best = [next(k for k in ranked if k.kind == kind) for kind in dict.fromkeys(k.kind for k in ranked)]
        limit = (
            WORSE * ranked[0].error if n > ALL else np.inf
        )  # errors on rows that taught the weights are not compared
        rules = [k for k in best if k.kind == INTERACTIONS and k.error <= limit]
        best = [k for k in best if k.kind != INTERACTIONS]
        straight: list[LearnedKernel] = [LinearKernel.of(self.layout)]
        todo = [
            (machine, learned)
            for machine in MACHINES[self._task]
            if machine.takes(n, n_classes)
            for learned in best[: machine.kernels] + rules * machine.interactions + straight * machine.linear
        ]
        if not todo:
            return []
        some = np.arange(n) if n <= DIRECT else np.sort(np.concatenate([rows.taught, rows.ranked]))
        judged = rows.judged[some] if rows.judged[some].any() else np.ones(len(some), dtype=bool)
        folds, weight = self._folds(own[some], n_classes, teacher.groups, some), teacher.weight
        everywhere = self._folds(own, n_classes, teacher.groups, np.arange(n))
        s = None if weight is None else weight[some]

        def fitted(machine: Machine, learned: LearnedKernel) -> Draft | None:
            X, kernel = teacher.columns(learned.config), learned.kernel
            if n > machine.most:
                params, honest = machine.compared(
                    kernel, X, own, everywhere, rows.judged, weight, n_classes, learned.alpha
                )
                return Draft(learned, machine.final(kernel, X, own, params, weight), honest)
            params, honest = machine.compared(kernel, X[some], own[some], folds, judged, s, n_classes, learned.alpha)
            if len(some) < n:
                if not self._pays(learned, teacher, honest, own, some, s):
                    return None
                honest = machine.out_of_fold(kernel, X, own, everywhere, params, weight, n_classes)
            return Draft(learned, machine.final(kernel, X, own, params, weight), honest)

        def work(pair: tuple[Machine, LearnedKernel], stop: Stop) -> Draft | None:
            draft = self._optional(lambda _: fitted(*pair), stop, plan.clock)
            plan.clock.step(plan.other / len(todo), f"{pair[0].name} with {pair[1].name}")
            return draft

        drafts = side_by_side(work, todo, thread_count(self.n_jobs))
        if plan.clock.late:
            missing = sum(draft is None for draft in drafts)
            self.notes_.append(f"Time limit: {missing} of {len(todo)} machines other than ridge were left out.")
        return [draft for draft in drafts if draft is not None]

    def _pays(
        self,
        learned: LearnedKernel,
        teacher: Teacher,
        honest: DoubleArray,
        own: Any,
        some: IndexArray,
        weight: DoubleArray | None,
    ) -> bool:
        """Whether out-of-fold scores of a machine on some rows are clearly better than ridge regression on them."""
        fit = teacher.loss(some).fit(learned.kernel(teacher.columns(learned.config, some), n_jobs=1), learned.alpha)
        if fit is None:
            return True
        ridge = self._ridge_loss(teacher.Y[some] - fit.residuals, own[some], weight)
        return self._machine_loss(honest, own[some], weight) <= BETTER * ridge

    @abstractmethod
    def _machine_loss(self, honest: DoubleArray, own: Any, weight: DoubleArray | None) -> float:
        """Loss of out-of-fold scores."""

    def _folds(self, own: Any, n_classes: int | None, groups: IndexArray | None, rows: IndexArray) -> Folds:
        classes, together = n_classes is not None, None if groups is None else groups[rows]
        count, _ = fold_count("stack", own, FOLDS, classes=classes, groups=together)
        return make_folds(own, count, classes=classes, groups=together, random_state=self.random_state)

    def _taught_again(
        self, teacher: Teacher, chosen: list[tuple[Draft, float]], own: Any, plan: Plan
    ) -> list[tuple[Draft, float]]:
        """With few rows, the kernels of the heaviest members are learned again, from all rows."""
        clock = plan.clock

        def again(draft: Draft, check: Callable[[], None]) -> Draft:
            if isinstance(draft.learned, LinearKernel):
                return draft
            learned = teacher.again(draft.learned, Control(check))
            X = teacher.columns(learned.config)
            if isinstance(draft.machine, LeafRidge):
                factor = draft.machine.alpha_ / draft.learned.alpha
                # A smaller penalty makes scores larger than those that the calibration was fitted to.
                factors = {factor} if draft.calibration is not None else {factor, 1.0}
                alphas = [learned.alpha * f for f in sorted(factors)]
                machine: Any = LeafRidge(learned.kernel, learned.config.p, self.layout.categorical, len(X))
                judged = np.ones(len(X), dtype=bool)
                machine.fit(X, teacher.Y, alphas, judged, teacher.weight, teacher.groups, check)
            else:
                params = {**draft.machine.get_params(deep=False), "kernel": learned.kernel, "n_jobs": 1}
                machine = type(draft.machine)(**params).fit(X, own, teacher.weight)
            clock.step(plan.relearning / RELEARNED, f"weights of all rows: {learned.name}")
            return replace(draft, learned=learned, machine=machine)

        def work(pair: tuple[Draft, float], stop: Stop) -> tuple[Draft, float]:
            draft = self._optional(lambda check: again(pair[0], check), stop, clock)
            return (pair[0] if draft is None else draft), pair[1]

        heavy, others = chosen[:RELEARNED], chosen[RELEARNED:]
        return side_by_side(work, heavy, thread_count(self.n_jobs)) + others

    def _member(self, draft: Draft, weight: float) -> StackMember:
        columns = self.layout.columns(draft.learned.config.scale)
        member = StackMember(draft.learned.name, columns, draft.machine, weight, draft.score)
        if draft.calibration is not None:
            member.scale, member.offset = draft.calibration.scale, draft.calibration.offset
        return member

    # ---- the fitted stack

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
