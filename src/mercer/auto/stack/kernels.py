"""Kernels with learned column weights, for each form of the numbers and each exponent."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.auto.stack.layout import Layout, Scale
from mercer.auto.task import Task
from mercer.feature_learning.columns import WIDTHS, column_kernel
from mercer.feature_learning.learn import Learned, learn, relearn
from mercer.feature_learning.objective import Objective
from mercer.kernels import Kernel
from mercer.kernels.gradients.theta import rounded
from mercer.operators import gram
from mercer.solvers.leave_one_out import LeaveOneOut

__all__ = ["Config", "LearnedKernel", "Teacher", "configs"]

ALPHA = 0.03  # starting penalty
STEPS = 18  # evaluations with one weight per column
MORE = 8  # evaluations when a kernel is learned again from more rows
KINDS = ("equal weights", "column weights", "similar weights")
TAU: dict[Task, tuple[float, ...]] = {"regression": (1.0,), "classification": (1.0, 0.3)}


@dataclass(frozen=True)
class Config:
    """Form of the numbers and exponent of their differences."""

    scale: Scale
    p: float


@dataclass(frozen=True, eq=False)
class LearnedKernel:
    """A kernel that was learned on some rows, and its error on others.

    Parameters
    ----------
    config : Config
        Form of the numbers and exponent.
    kind : str
        "equal weights", "column weights" or, with a strong penalty on differences, "similar weights".
    kernel : Kernel
        Kernel on the columns of the form.
    alpha : float
        Learned penalty.
    error : float
        Mean squared error on the rows that rank kernels; NaN if there are none.
    """

    config: Config
    kind: str
    kernel: Kernel
    alpha: float
    error: float

    @property
    def name(self) -> str:
        """Description in words."""
        form = {"z": "z-scores", "rank": "normal scores"}[self.config.scale]
        return f"{self.kind} of {form}, p = {self.config.p:g}"


def configs(layout: Layout) -> list[Config]:
    """Configurations to learn; without numbers they all coincide."""
    return [Config("z", 1.0), Config("rank", 1.0), Config("z", 2.0), Config("rank", 2.0)][: 4 if layout.z else 1]


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
        check: Callable[[], None],
    ) -> list[LearnedKernel]:
        """Kernels with equal weights and with one weight per column, learned on `rows` and ranked on `probe`.

        `share` multiplies the weights of the rows.
        """
        X, loss = self.columns(config, rows), self.loss(rows)
        if share is not None:
            loss.weight = loss.weight * share
        starts = [column_kernel(X, self.layout.categorical, p=config.p, width=width) for width in WIDTHS]
        tied, free = learn(
            lambda kernel: _Checked(kernel, X, loss, check, alpha=ALPHA, tau=1.0, n_jobs=1),
            starts,
            max_iter=STEPS,
            tau=TAU[self.task],
        )
        pairs = [(kind, _readable(found)) for kind, found in zip(KINDS, [tied, *free], strict=False)]
        return [
            LearnedKernel(config, kind, found.kernel, found.alpha, self._error(config, found, loss, X, probe))
            for kind, found in pairs
        ]

    def again(self, learned: LearnedKernel, check: Callable[[], None]) -> LearnedKernel:
        """A kernel learned from all rows, starting at its parameters."""
        everyone = np.arange(len(self.X))
        tau = dict(zip(KINDS[1:], TAU[self.task], strict=False)).get(learned.kind, 1.0)
        X, loss = self.columns(learned.config), self.loss(everyone)
        objective = _Checked(learned.kernel, X, loss, check, alpha=learned.alpha, tau=tau, n_jobs=1)
        found = _readable(relearn(objective, tied=learned.kind == KINDS[0], max_iter=MORE))
        return replace(learned, kernel=found.kernel, alpha=found.alpha)

    def _error(self, config: Config, found: Learned, loss: LeaveOneOut, X: DoubleArray, probe: IndexArray) -> float:
        if not len(probe):
            return float("nan")
        fit = loss.fit(found.kernel(X), found.alpha)
        if fit is None:
            return float("inf")
        predicted = gram(found.kernel, self.columns(config, probe), X, n_jobs=1) @ fit.coef
        weight = None if self.weight is None else self.weight[probe]
        return float(np.average(np.square(self.Y[probe] - predicted).sum(axis=1), weights=weight))


def _readable(found: Learned) -> Learned:
    """Parameters of four digits, which is more than the data determine."""
    return replace(found, kernel=rounded(found.kernel), alpha=float(f"{found.alpha:.4g}"))


class _Checked(Objective):
    """Objective that calls a function before each evaluation, which may raise."""

    def __init__(
        self, kernel: Kernel, X: DoubleArray, loss: LeaveOneOut, check: Callable[[], None], **options: float | int
    ) -> None:
        super().__init__(kernel, X, loss, **options)  # type: ignore[arg-type]
        self.check = check

    def __call__(self, x: DoubleArray) -> tuple[float, DoubleArray]:
        self.check()
        return super().__call__(x)
