"""Learned kernels of numbers and categories, for tables that have other columns besides."""

from typing import Any

import numpy as np

from mercer._runtime.engine import thread_count
from mercer._typing import DoubleArray, IndexArray
from mercer.auto.candidates import Proposal
from mercer.auto.clock import Clock
from mercer.auto.stack.kernels import Config, Control, LearnedKernel, Teacher
from mercer.auto.stack.layout import Layout
from mercer.auto.stack.rows import Rows
from mercer.auto.stack.workers import Stop, side_by_side
from mercer.auto.task import Task
from mercer.data import Table
from mercer.kernels import Columns

__all__ = ["learned_proposals"]

SHARE = 3  # one row in three teaches, so that most rows are left for the comparison
LEAST = 250  # rows below which the comparison of kernels needs all of them, and nothing is learned
CONFIGS = (Config("z", 1.0), Config("z", 2.0))


def learned_proposals(
    task: Task,
    table: Table,
    y: Any,
    weight: DoubleArray | None,
    groups: IndexArray | None,
    *,
    random_state: int,
    n_jobs: int | None,
    clock: Clock,
) -> tuple[list[Proposal], IndexArray]:
    """Kernels of the numbers and categories of a table with one weight per column.

    Parameters
    ----------
    task : {"classification", "regression"}
        Task.
    table : Table
        Prepared samples. Other columns, such as texts, are left to other proposals.
    y : ndarray of shape (n_samples,)
        Targets.
    weight : ndarray of shape (n_samples,) or None
        Sample weights.
    groups : ndarray of int of shape (n_samples,) or None
        Samples that are left out together.
    random_state : int
        Seed of the rows that teach.
    n_jobs : int or None
        Number of threads.
    clock : Clock
        Time limit.

    Returns
    -------
    proposals : list of Proposal
        Kernels with equal weights and with one weight per column, for p = 1 and 2; empty if there are fewer than two
        such columns, or few rows.
    taught : ndarray of int
        Rows that taught the weights. The comparison of kernels has to leave them out.
    """
    kinds = dict(zip(table.names, table.kinds, strict=True))
    names = [name for want in ("number", "category") for name, kind in kinds.items() if kind == want]
    none_taught = np.zeros(0, dtype=np.int64)
    if len(names) < 2 or len(y) < LEAST:
        return [], none_taught
    part = table.select(names)
    numbers = sum(kind == "number" for kind in kinds.values())
    layout = Layout(tuple(range(numbers)), (), tuple(range(numbers, len(names))))
    labels = np.unique(y, return_inverse=True)[1] if task == "classification" else None
    Y = _centred(y, labels, weight)
    taught = Rows.divide(len(y), labels, groups, random_state, most=len(y) // SHARE).taught
    teacher = Teacher(task, layout, part.codes().astype(np.float64), Y, weight, groups)

    def teach(config: Config, stop: Stop) -> list[LearnedKernel]:
        clock.step(0.0, f"weights of columns, p = {config.p:g}")
        return teacher.teach(config, taught, none_taught, None, Control(stop, lambda: clock.late))

    todo = CONFIGS if numbers else CONFIGS[:1]
    found = [kernel for some in side_by_side(teach, todo, thread_count(n_jobs)) for kernel in some]
    return [
        Proposal(f"{k.kind} of numbers and categories, p = {k.config.p:g}", (Columns(tuple(names), k.kernel),))
        for k in found
    ], taught


def _centred(y: Any, labels: IndexArray | None, weight: DoubleArray | None) -> DoubleArray:
    Y = np.asarray(y, dtype=np.float64)[:, None] if labels is None else np.eye(labels.max() + 1)[labels]
    centred = Y - np.average(Y, axis=0, weights=weight)
    return np.asarray(centred / (centred.std() or 1.0))
