"""Kernel perceptron: passes over the samples that update the decision function at mistakes, y f(x) ≤ 0.

A *machine* separates one set of labels ±1. Several machines run over one source and share its kernel values. The state
of a machine is a `MistakeList` or a `BudgetMemory`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import ready, thread_count
from mercer._typing import DoubleArray, IndexArray
from mercer.operators import row_source
from mercer.solvers.mistakes import BudgetMemory, History, MistakeList

__all__ = [
    "budget_passes",
    "kernel_passes",
    "novikoff_bound",
    "primal_passes",
    "votes",
]

Visit = Callable[[IndexArray, "list[bool]"], Sequence[IndexArray]]


def kernel_passes(
    K: Any,
    label: DoubleArray,
    orders: Sequence[IndexArray] | Iterable[IndexArray],
    *,
    max_iter: int,
    bias: float = 0.0,
    start: DoubleArray | None = None,
    cache_size: float = 200.0,
    n_jobs: int | None = None,
) -> tuple[list[History], DoubleArray]:
    """Train kernel perceptrons, which add y (k(x, ·) + bias) to f at every mistake y f(x) ≤ 0.

    Parameters
    ----------
    K : GramOperator, Prepared, array-like of shape (n, n) or RowSource
        Gram matrix. A `mercer.operators.row_source` can be used for several calls.
    label : ndarray of shape (n_machines, n)
        Labels ±1.
    orders : iterable of ndarray of int of shape (n,)
        Order of the visits in each pass. Training ends with the first pass in which no machine makes a mistake.
    max_iter : int
        Number of orders.
    bias : float, default=0.0
        1 for an intercept, which is the sum of the signs.
    start : ndarray of shape (n_machines, n), default=None
        Values of f at the samples before the first pass. None: zeros.
    cache_size : float, default=200.0
        Size of the cache in megabytes for rows of misclassified samples, which are often misclassified again in the
        next pass. Cached rows are rounded to float32. If that could change the sign of f, the value is recomputed.
    n_jobs : int, default=None
        Number of threads. None: all available cores.

    Returns
    -------
    histories : list of History
        Mistakes of each machine.
    f : ndarray of shape (n_machines, n)
        Values at the samples after the passes. They are exact for machines whose last pass made no mistake.

    Notes
    -----
    Cost: O(n) kernel values for every mistake, computed in blocks, because f is updated at all samples. The mistakes
    are those of the plain loop in double precision.

    Examples
    --------
    Exclusive or with the squared inner product:

    >>> X = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    >>> (history,), f = kernel_passes(
    ...     (X @ X.T) ** 2, np.array([[1.0, 1.0, -1.0, -1.0]]), [np.arange(4)] * 9, max_iter=9
    ... )
    >>> history.sample.tolist(), history.counts.tolist(), f.tolist()
    ([0, 2], [2, 0], [[4.0, 4.0, -4.0, -4.0]])
    """
    ready()
    label = np.ascontiguousarray(label, dtype=np.float64)
    f = np.zeros(label.shape) if start is None else np.array(start, dtype=np.float64, order="C")
    source = row_source(K, cache_size=cache_size)
    machines = _core.KernelMachines(source, label, f, int(cache_size * 2**20) if max_iter > 1 else 0)
    threads, done = thread_count(n_jobs), 0

    def visit(order: IndexArray, _: "list[bool]") -> Sequence[IndexArray]:
        nonlocal done
        done += 1
        return machines.run(order, bias, done == max_iter, threads)

    histories = _passes(visit, orders, len(label))
    for m, history in enumerate(histories):
        if history.clean:
            machines.refine(m, bias, threads)
    return histories, f


def budget_passes(
    K: Any,
    label: DoubleArray,
    orders: Iterable[IndexArray],
    machines: Sequence[BudgetMemory],
    *,
    bias: float = 0.0,
    n_jobs: int | None = None,
) -> tuple[list[History], list[BudgetMemory]]:
    """Train perceptrons with a budget, as `kernel_passes`, continuing from their present state.

    Cost: O(n · budget) kernel values for each machine and pass.
    """
    ready()
    label = np.ascontiguousarray(label, dtype=np.float64)
    memories = [machine.packed() for machine in machines]
    source = row_source(K)
    threads = thread_count(n_jobs)

    def learn(m: int, order: IndexArray) -> IndexArray:
        return np.asarray(_core.budget_pass(source, order, label[m], memories[m], bias, threads))

    histories = _passes(_one_by_one(learn), orders, len(label))
    return histories, [machine.unpacked(memory) for machine, memory in zip(machines, memories, strict=True)]


def primal_passes(
    X: Any, label: DoubleArray, orders: Iterable[IndexArray], *, bias: float = 0.0
) -> tuple[list[History], DoubleArray]:
    """Train linear perceptrons in the primal, which add y (x, bias) to w at every mistake y ⟨w, (x, bias)⟩ ≤ 0.

    X is an array or CSR matrix of float64 of shape (n, d). Returns the histories and w of shape (machines, d + 1).
    Cost: O(d) per visit.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [4.0]]), np.array([[-1.0, -1.0, 1.0]])
    >>> (history,), w = primal_passes(X, y, [np.arange(3)] * 99, bias=1.0)
    >>> bool((y[0] * (X[:, 0] * w[0, 0] + w[0, 1]) > 0).all())
    True
    """
    ready()
    label = np.ascontiguousarray(label, dtype=np.float64)
    side = _core.Side(X.shape[0])
    if hasattr(X, "indptr"):
        side.add_csr(X.indptr, X.indices, X.data, X.shape[1])
    else:
        side.add_dense(np.ascontiguousarray(X))
    w = np.zeros((len(label), X.shape[1] + 1))

    def learn(m: int, order: IndexArray) -> IndexArray:
        return np.asarray(_core.primal_pass(side, order, label[m], w[m], bias))

    return _passes(_one_by_one(learn), orders, len(label)), w


def votes(K: DoubleArray, machine: MistakeList, bias: float = 0.0) -> DoubleArray:
    """Return the votes Σ_v survival_v sign f_v(x) / visits over all decision functions (Freund and Schapire 1999).

    K of shape (m, n_mistakes) contains k(x, x_v) and is overwritten.
    """
    K += bias
    K *= machine.sign
    np.cumsum(K, axis=1, out=K)
    return np.asarray(np.sign(K, out=K) @ (machine.survival / machine.visits))


def novikoff_bound(f: DoubleArray, label: DoubleArray, coef: DoubleArray, largest: float) -> float:
    """Return Novikoff's bound R²/γ² for the margin γ of f = Σ coef_i k(x_i, ·) and R² = `largest`, the largest k(x, x).

    A perceptron makes at most R²/γ² mistakes on the samples, in any order and any number of passes, if a separator of
    unit norm has the margin γ (Novikoff 1962). NaN if f does not separate the samples.

    Examples
    --------
    >>> x, y = np.array([-1.0, 2.0]), np.array([-1.0, 1.0])
    >>> novikoff_bound(f=2 * x, label=y, coef=np.array([0.0, 1.0]), largest=4.0)
    4.0
    """
    margin, norm2 = float((label * f).min()), float(coef @ f)
    return largest * norm2 / margin**2 if margin > 0 and norm2 > 0 else float("nan")


def _one_by_one(learn: Callable[[int, IndexArray], IndexArray]) -> Visit:
    """Return a pass over independent machines, which skips machines that have separated the samples."""
    none = np.empty(0, dtype=np.int64)
    return lambda order, done: [none if rests else learn(m, order) for m, rests in enumerate(done)]


def _passes(visit: Visit, orders: Iterable[IndexArray], machines: int) -> list[History]:
    """Run passes until no machine makes a mistake. A machine without a mistake in a pass does not change any more."""
    done, visits, total = [False] * machines, [0] * machines, 0
    samples: list[list[IndexArray]] = [[] for _ in range(machines)]
    times: list[list[IndexArray]] = [[] for _ in range(machines)]
    for order in orders:
        for m, positions in enumerate(visit(order, done)):
            if not done[m]:
                samples[m].append(order[positions])
                times[m].append(positions + total + 1)
                visits[m] += len(order)
                done[m] = len(positions) == 0
        total += len(order)
        if all(done):
            break
    return [
        History(np.concatenate(s), np.concatenate(t), np.array([len(part) for part in s]), n)
        for s, t, n in zip(samples, times, visits, strict=True)
    ]
