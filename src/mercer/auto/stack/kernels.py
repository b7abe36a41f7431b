"""Kernels with learned column weights, for each view of the numbers and each exponent."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.auto.task import Task
from mercer.feature_learning.columns import WIDTHS, column_kernel
from mercer.feature_learning.learn import Learned, learn
from mercer.feature_learning.objective import Objective
from mercer.kernels import Kernel
from mercer.operators import gram
from mercer.solvers.leave_one_out import LeaveOneOut

__all__ = ["Config", "LearnedKernel", "configs", "learned_kernels"]

ALPHA = 0.03  # starting penalty
STEPS = 18  # evaluations with one weight per column
TAU: dict[Task, tuple[float, ...]] = {"regression": (1.0,), "classification": (1.0, 0.3)}


@dataclass(frozen=True)
class Config:
    """View of the numbers and exponent of their differences."""

    scale: Literal["z", "rank"]
    p: float


@dataclass(frozen=True, eq=False)
class LearnedKernel:
    """A kernel that was learned on some rows, and its error on others.

    Parameters
    ----------
    config : Config
        View and exponent.
    kind : str
        "equal weights", "column weights" or "similar weights".
    kernel : Kernel
        Kernel on the matrix of the view.
    alpha : float
        Learned penalty.
    error : float
        Mean squared error on the rows that ranked the kernels; NaN if there are none.
    """

    config: Config
    kind: str
    kernel: Kernel
    alpha: float
    error: float


def configs(numbers: int) -> list[Config]:
    """Configurations to learn; without numbers they all coincide."""
    return [Config("z", 1.0), Config("rank", 1.0), Config("z", 2.0), Config("rank", 2.0)][: 4 if numbers else 1]


def learned_kernels(
    config: Config,
    X: DoubleArray,
    categorical: list[int],
    Y: DoubleArray,
    rows: IndexArray,
    probe: IndexArray,
    task: Task,
    weight: DoubleArray | None,
    groups: IndexArray | None,
) -> Iterator[LearnedKernel]:
    """Kernels with equal weights and with one weight per column, learned on `rows` and ranked on `probe`."""
    loss = LeaveOneOut(Y[rows], None if weight is None else weight[rows], None if groups is None else groups[rows])
    starts = [column_kernel(X[rows], categorical, p=config.p, width=width) for width in WIDTHS]

    def objective(kernel: Kernel) -> Objective:
        return Objective(kernel, X[rows], loss, alpha=ALPHA, tau=1.0, n_jobs=1)

    tied, free = learn(objective, starts, max_iter=STEPS, tau=TAU[task])
    kinds = ["equal weights", "column weights", "similar weights"]
    for kind, found in zip(kinds, [tied, *free], strict=False):
        yield LearnedKernel(config, kind, found.kernel, found.alpha, _error(found, loss, X, Y, rows, probe, weight))


def _error(
    found: Learned,
    loss: LeaveOneOut,
    X: DoubleArray,
    Y: DoubleArray,
    rows: IndexArray,
    probe: IndexArray,
    weight: DoubleArray | None,
) -> float:
    if not len(probe):
        return float("nan")
    fit = loss.fit(found.kernel(X[rows]), found.alpha)
    if fit is None:
        return float("inf")
    residual = Y[probe] - gram(found.kernel, X[probe], X[rows], n_jobs=1) @ fit.coef
    return float(np.average(np.square(residual).sum(axis=1), weights=None if weight is None else weight[probe]))
