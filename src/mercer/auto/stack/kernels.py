"""Kernels with learned column weights, for each form of the numbers and each exponent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.auto.stack.layout import Layout, Scale
from mercer.auto.stack.rotated import rotated_starts
from mercer.auto.task import Task
from mercer.feature_learning.columns import WIDTHS, column_kernel, mean_terms
from mercer.feature_learning.learn import Enough, Learned, learn, relearn
from mercer.feature_learning.objective import Objective
from mercer.kernels import Interactions, Kernel
from mercer.kernels.gradients.theta import rounded
from mercer.operators import gram
from mercer.solvers.leave_one_out import LeaveOneOut

__all__ = ["Config", "Control", "LearnedKernel", "Teacher", "configs"]

ALPHA = 0.03  # starting penalty
STEPS = 18  # evaluations with one weight per column
MORE = 8  # evaluations when a kernel is learned again from more rows
KINDS = ("equal weights", "column weights", "similar weights")
INTERACTIONS = "interactions"  # kind of the kernels of interactions
ROTATED = "rotated columns"  # kind of the kernels of linear combinations of the numbers
PAYS = 0.97  # error of a kernel of rotated columns, relative to the best other one, up to which it is used
DEGREES = (2, 3, 4)  # highest orders of interactions that are compared
TAU: dict[Task, tuple[float, ...]] = {"regression": (1.0,), "classification": (1.0, 0.3)}


@dataclass(frozen=True)
class Config:
    """Form of the numbers, exponent of their differences, and whether interactions of few columns are learned."""

    scale: Scale
    p: float
    interactions: bool = False

    @property
    def what(self) -> str:
        """What is learned, in words."""
        return "interactions of columns" if self.interactions else f"weights of columns, p = {self.p:g}"


@dataclass(frozen=True, eq=False)
class LearnedKernel:
    """A kernel that was learned on some rows, and its error on others.

    Parameters
    ----------
    config : Config
        Form of the numbers and exponent.
    kind : str
        "equal weights", "column weights", with a strong penalty on differences "similar weights", "interactions", or
        "rotated columns".
    kernel : Kernel
        Kernel on the columns of the form.
    alpha : float
        Learned penalty.
    error : float
        Mean squared error on the rows that rank kernels; the leave-one-out error if there are none.
    """

    config: Config
    kind: str
    kernel: Kernel
    alpha: float
    error: float

    @property
    def name(self) -> str:
        """Description in words."""
        if isinstance(self.kernel, Interactions):
            return f"interactions of up to {len(self.kernel.orders) - 1} columns"
        form = {"z": "z-scores", "rank": "normal scores"}[self.config.scale]
        return f"{self.kind} of {form}, p = {self.config.p:g}"


def configs(layout: Layout) -> list[Config]:
    """Configurations to learn. Without numbers the first four coincide; interactions need two columns of categories."""
    found = [Config("z", 1.0), Config("rank", 1.0), Config("z", 2.0), Config("rank", 2.0)][: 4 if layout.z else 1]
    if len(layout.codes) > 1:
        found.append(Config("z", 1.0, interactions=True))
    return found


def interaction_kernels(X: DoubleArray, categorical: list[int], p: float) -> list[Interactions]:
    """Kernels of interactions with equal weights of orders and columns, one for each highest order."""
    d = X.shape[1]
    means = np.delete(mean_terms(X, categorical, p), categorical)
    gamma = tuple(float(f"{1 / mean:.3g}") if mean > 0 else 1.0 for mean in means.tolist())
    codes = tuple(categorical)
    return [Interactions((1.0,) * (Q + 1), (1.0,) * d, gamma, codes, p) for Q in DEGREES if d >= Q]


@dataclass(frozen=True, eq=False)
class Teacher:
    """Learns kernels from some rows of a matrix.

    Parameters
    ----------
    task : {"classification", "regression"}
        Task.
    layout : Layout
        Columns of the matrix.
    X : ndarray of shape (n_samples, n_columns)
        The matrix.
    Y : ndarray of shape (n_samples, n_targets)
        Centred targets.
    weight : ndarray of shape (n_samples,) or None
        Sample weights.
    groups : ndarray of int of shape (n_samples,) or None
        Samples that are left out together.
    """

    task: Task
    layout: Layout
    X: DoubleArray
    Y: DoubleArray
    weight: DoubleArray | None
    groups: IndexArray | None

    def columns(self, config: Config, rows: IndexArray | None = None) -> DoubleArray:
        """The columns that kernels of a configuration read."""
        chosen = np.array(self.layout.columns(config.scale), dtype=np.int64)
        return self.X[:, chosen] if rows is None else self.X[np.ix_(rows, chosen)]

    def loss(self, rows: IndexArray) -> LeaveOneOut:
        """Leave-one-out error on some rows."""
        return LeaveOneOut.on(rows, self.Y, self.weight, self.groups)

    def teach(
        self,
        config: Config,
        rows: IndexArray,
        probe: IndexArray,
        share: DoubleArray | None,
        control: "Control",
    ) -> list[LearnedKernel]:
        """Kernels with equal weights and with one weight per column, learned on `rows` and ranked on `probe`.

        A configuration of interactions has one kernel, with weights of orders and columns. `share` multiplies the
        weights of the rows.
        """
        X, loss = self.columns(config, rows), self._shared_loss(rows, share)
        starts: list[Kernel] = (
            [*interaction_kernels(X, self.layout.categorical, config.p)]
            if config.interactions
            else [column_kernel(X, self.layout.categorical, p=config.p, width=width) for width in WIDTHS]
        )
        tied, free = learn(
            lambda kernel: _Controlled(kernel, X, loss, control, alpha=ALPHA, tau=1.0, n_jobs=1),
            starts,
            max_iter=STEPS,
            tau=TAU[self.task][-1:] if config.interactions else TAU[self.task],
        )
        found_of = (
            zip((INTERACTIONS,), free, strict=True) if config.interactions else zip(KINDS, [tied, *free], strict=False)
        )
        pairs = [(kind, _readable(found)) for kind, found in found_of]
        return [
            LearnedKernel(config, kind, found.kernel, found.alpha, self._error(config, found, loss, X, probe))
            for kind, found in pairs
        ]

    def rotated(
        self,
        found: Sequence[LearnedKernel],
        rows: IndexArray,
        probe: IndexArray,
        share: DoubleArray | None,
        control: "Control",
    ) -> list[LearnedKernel]:
        """A kernel of rotated numbers, if it predicts clearly better than the best of the others; else nothing.

        The best kernel with p = 2 is fitted to `rows`. The eigenvectors of the average outer product of the gradients
        of this function are the new columns, whose weights are learned in turn. Directions pay where the target depends
        on combinations of columns; elsewhere they gain nothing in a stack, and explanations of kernels that combine
        columns take longer. Tables of many columns are not rotated: their Shapley values would not be exact.
        """
        smooth = [one for one in found if one.config.p == 2 and one.kind != INTERACTIONS]
        if not smooth or not self.layout.rotates:
            return []
        base, best = (min(some, key=lambda one: one.error) for some in (smooth, found))
        X, loss = self.columns(base.config, rows), self._shared_loss(rows, share)
        fit = loss.fit(base.kernel(X, n_jobs=1), base.alpha)
        starts = [] if fit is None else rotated_starts(base.kernel, X, fit.coef, len(self.layout.z), loss.weight)
        if not starts:
            return []
        tied, free = learn(
            lambda kernel: _Controlled(kernel, X, loss, control, alpha=base.alpha, tau=1.0, n_jobs=1),
            starts,
            max_iter=STEPS,
            tau=(1.0,),
        )
        one = _readable(free[0] if free else tied)
        error = self._error(base.config, one, loss, X, probe)
        if error > PAYS * best.error:
            return []
        return [LearnedKernel(base.config, ROTATED, one.kernel, one.alpha, error)]

    def _shared_loss(self, rows: IndexArray, share: DoubleArray | None) -> LeaveOneOut:
        """Leave-one-out error on the rows that teach, whose weights `share` multiplies."""
        loss = self.loss(rows)
        if share is not None:
            loss.weight = loss.weight * share
        return loss

    def again(self, learned: LearnedKernel, control: "Control") -> LearnedKernel:
        """A kernel learned from all rows, starting at its parameters."""
        everyone = np.arange(len(self.X))
        tau = {**dict(zip(KINDS[1:], TAU[self.task], strict=False)), INTERACTIONS: TAU[self.task][-1]}.get(
            learned.kind, 1.0
        )
        X, loss = self.columns(learned.config), self.loss(everyone)
        objective = _Controlled(learned.kernel, X, loss, control, alpha=learned.alpha, tau=tau, n_jobs=1)
        found = _readable(relearn(objective, tied=learned.kind == KINDS[0], max_iter=MORE))
        return replace(learned, kernel=found.kernel, alpha=found.alpha)

    def _error(self, config: Config, found: Learned, loss: LeaveOneOut, X: DoubleArray, probe: IndexArray) -> float:
        fit = loss.fit(found.kernel(X), found.alpha)
        if fit is None:
            return float("inf")
        if not len(probe):
            return float(np.average(np.square(fit.residuals).sum(axis=1), weights=loss.weight))
        predicted = gram(found.kernel, self.columns(config, probe), X, n_jobs=1) @ fit.coef
        weight = None if self.weight is None else self.weight[probe]
        return float(np.average(np.square(self.Y[probe] - predicted).sum(axis=1), weights=weight))


def _readable(found: Learned) -> Learned:
    """Parameters of four digits, which is more than the data determine."""
    return replace(found, kernel=rounded(found.kernel), alpha=float(f"{found.alpha:.4g}"))


@dataclass(frozen=True, eq=False)
class Control:
    """When learning ends early.

    Parameters
    ----------
    check : callable
        Called before each evaluation; may raise.
    enough : callable
        Returns whether to be content with the best point so far.
    """

    check: Callable[[], None]
    enough: Callable[[], bool] = lambda: False


class _Controlled(Objective):
    """Objective that asks before each evaluation whether to go on; the first evaluation is always made."""

    def __init__(
        self, kernel: Kernel, X: DoubleArray, loss: LeaveOneOut, control: Control, **options: float | int
    ) -> None:
        super().__init__(kernel, X, loss, **options)  # type: ignore[arg-type]
        self.control = control

    def __call__(self, x: DoubleArray) -> tuple[float, DoubleArray]:
        self.control.check()
        if self.calls and self.control.enough():
            raise Enough
        return super().__call__(x)
