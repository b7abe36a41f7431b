"""The perceptron: passes over the samples that learn from mistakes, y f(x) ≤ 0, and from nothing else.

A *machine* separates one set of labels ±1. Several run side by side over one source and share its kernel values. What a
machine knows is the list of its mistakes (`MistakeList`), or a part of it with weights of their own (`BudgetMemory`).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import ready, thread_count
from mercer._typing import DoubleArray, IndexArray
from mercer.operators import row_source
from mercer.solvers.solution import Solution, Status

__all__ = [
    "BudgetMemory",
    "History",
    "MistakeList",
    "budget_passes",
    "kernel_passes",
    "novikoff_bound",
    "primal_passes",
    "votes",
]

Visit = Callable[[IndexArray, "list[bool]"], Sequence[IndexArray]]


@dataclass(frozen=True, eq=False)
class History:
    """What happened to one machine: passes up to and including its first without a mistake.

    Attributes
    ----------
    sample : array of int
        Where it erred, in the order of its mistakes.
    time : array of int
        At which visit, counted from 1 over all passes.
    counts : array of int
        Mistakes of each pass.
    visits : int
        Samples visited.
    """

    sample: IndexArray
    time: IndexArray
    counts: IndexArray
    visits: int

    @property
    def clean(self) -> bool:
        """Whether the last pass made no mistake: the machine separates the samples."""
        return int(self.counts[-1]) == 0

    @property
    def solution(self) -> Solution:
        """Mistakes of the last pass as objective (and gap: they are at least 0), their share as violation."""
        last = float(self.counts[-1])
        share = last * len(self.counts) / self.visits
        status = Status.CONVERGED if self.clean else Status.MAX_ITER
        return Solution(objective=last, gap=last, violation=share, status=status, n_iter=len(self.counts))


@dataclass(frozen=True, eq=False)
class MistakeList:
    """A machine as the list of its mistakes: f = Σ_v sign_v k(x_sample_v, ·).

    After the v-th mistake, at visit time_v, the machine survived until the next one: its *survival* is the number of
    visits from time_v on until before time_{v+1}.

    Examples
    --------
    >>> import numpy as np
    >>> machine = MistakeList(sample=np.array([0, 2]), sign=np.array([1.0, -1.0]), time=np.array([1, 4]), visits=5)
    >>> machine.survival.tolist(), machine.coef(3).tolist(), machine.coef(3, averaged=True).tolist()
    ([3, 2], [1.0, 0.0, -1.0], [1.0, 0.0, -0.4])
    """

    sample: IndexArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    sign: DoubleArray = field(default_factory=lambda: np.empty(0))
    time: IndexArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    visits: int = 0

    def after(self, history: History, label: DoubleArray) -> "MistakeList":
        """The list with the mistakes of a history."""
        return MistakeList(
            np.concatenate([self.sample, history.sample]),
            np.concatenate([self.sign, label[history.sample]]),
            np.concatenate([self.time, history.time + self.visits]),
            self.visits + history.visits,
        )

    @property
    def survival(self) -> IndexArray:
        """Visits that each state of the machine has seen, from its birth by a mistake on."""
        return np.diff(self.time, append=self.visits + 1)

    def coef(self, n: int, *, averaged: bool = False) -> DoubleArray:
        """Coefficients of n samples: of the last state, or of the mean of all states over all visits."""
        weight = (self.visits + 1 - self.time) / self.visits if averaged else 1.0
        return np.bincount(self.sample, self.sign * weight, minlength=n).astype(np.float64)

    def moved(self, place: IndexArray) -> "MistakeList":
        """The same, where sample i has the number place[i]."""
        return replace(self, sample=place[self.sample])


@dataclass(frozen=True, eq=False)
class BudgetMemory:
    """A machine that keeps at most `budget` samples: f = Σ weight_j k(x_sample_j, ·), the oldest first.

    At a mistake beyond the budget, "forgetron" shrinks f and drops its oldest sample (Dekel, Shalev-Shwartz, Singer
    2008, self-tuned); "random" drops a random one (Cavallanti, Cesa-Bianchi, Gentile 2007); "projectron" keeps all and
    adds the projection of the new one onto their span (Orabona, Keshet, Caputo 2009), as it does earlier for a sample
    that is at most `threshold` away from the span.
    """

    removal: str
    budget: int
    threshold: float = 0.0
    sample: IndexArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    weight: DoubleArray = field(default_factory=lambda: np.empty(0))
    mistakes: int = 0
    damage: float = 0.0
    largest: float = 0.0
    state: int = 0

    def packed(self) -> _core.Memory:
        """For the core, which changes it."""
        removal = _core.Removal[self.removal]
        sample, weight = self.sample.tolist(), self.weight.tolist()
        more = (self.mistakes, self.damage, self.largest, self.state)
        return _core.Memory(removal, self.budget, self.threshold, sample, weight, *more)

    def unpacked(self, memory: _core.Memory) -> "BudgetMemory":
        """What the core has made of it."""
        return replace(
            self,
            sample=np.array(memory.sample, dtype=np.int64),
            weight=np.array(memory.coef, dtype=np.float64),
            mistakes=memory.mistakes,
            damage=memory.damage,
            largest=memory.largest,
            state=memory.state,
        )

    def coef(self, n: int) -> DoubleArray:
        """Coefficients of n samples."""
        return np.bincount(self.sample, self.weight, minlength=n).astype(np.float64)

    def moved(self, place: IndexArray) -> "BudgetMemory":
        """The same, where sample i has the number place[i]."""
        return replace(self, sample=place[self.sample])


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
    """Kernel perceptrons: at a mistake, y f(x) ≤ 0, add y (k(x, ·) + bias) to f.

    Parameters
    ----------
    K : GramOperator, Prepared, array-like of shape (n, n) or RowSource
        The Gram matrix; a `mercer.operators.row_source` may serve several calls.
    label : array of shape (machines, n)
        ±1.
    orders : iterable of arrays
        The order of the visits in each pass; it ends with the first pass in which no machine errs.
    max_iter : int
        Number of orders.
    bias : float
        1 for an intercept, Σ of the signs.
    start : array of shape (machines, n), optional
        Values of f at the samples before the first pass; zeros if not given.
    cache_size : float
        Megabytes of rows of samples that erred, which tend to err again in the next pass. They are rounded to float;
        a value of f that this could have changed the sign of is computed anew before it decides.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    histories : list of History
        Of each machine.
    f : array of shape (machines, n)
        Values at the samples after the passes; right in the rows of machines whose last pass was clean.

    Notes
    -----
    O(n) values of the kernel for every mistake, computed in blocks: f is kept at all samples. The blocks change no
    decision, so the mistakes are those of the plain loop, in double precision.

    Examples
    --------
    Exclusive or, by the square of the inner product:

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
    """As `kernel_passes`, for machines with a budget, which go on from what they remember.

    O(n · budget) values of the kernel for each machine and pass.
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
    """Linear machines in the space of the vectors: at a mistake, y ⟨w, (x, bias)⟩ ≤ 0, add y (x, bias) to w.

    X is an array or CSR matrix (n, d) of doubles. Returns the histories and w of shape (machines, d + 1). O(d) per
    visit.

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
    """Σ_v survival_v sign f_v(x) / visits over all states f_v of a machine (Freund, Schapire 1999).

    K of shape (m, mistakes) holds k(x, x_sample_v); it is overwritten.
    """
    K += bias
    K *= machine.sign
    np.cumsum(K, axis=1, out=K)
    return np.asarray(np.sign(K, out=K) @ (machine.survival / machine.visits))


def novikoff_bound(f: DoubleArray, label: DoubleArray, coef: DoubleArray, largest: float) -> float:
    """R²/γ² with the margin γ of the separator f = Σ coef_i k(x_i, ·) and R² = `largest`, the largest k(x, x).

    With any separator of unit norm that has margin γ, no perceptron makes more than R²/γ² mistakes on the samples, in
    any order and number of passes (Novikoff 1962). NaN if f does not separate.

    Examples
    --------
    >>> x, y = np.array([-1.0, 2.0]), np.array([-1.0, 1.0])
    >>> novikoff_bound(f=2 * x, label=y, coef=np.array([0.0, 1.0]), largest=4.0)
    4.0
    """
    margin, norm2 = float((label * f).min()), float(coef @ f)
    return largest * norm2 / margin**2 if margin > 0 and norm2 > 0 else float("nan")


def _one_by_one(learn: Callable[[int, IndexArray], IndexArray]) -> Visit:
    """A pass of machines that share nothing: those that have separated the samples rest."""
    none = np.empty(0, dtype=np.int64)
    return lambda order, done: [none if rests else learn(m, order) for m, rests in enumerate(done)]


def _passes(visit: Visit, orders: Iterable[IndexArray], machines: int) -> list[History]:
    """Passes until no machine errs: a machine that makes no mistake in a pass has stopped changing for good."""
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
