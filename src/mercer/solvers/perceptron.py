"""Kernel perceptron: passes over the samples that update the decision function at mistakes, y f(x) ≤ 0.

A *machine* separates one set of labels ±1. Several machines run over one source and share its kernel values. The state
of a machine is the list of its mistakes (`MistakeList`), or a part of them with weights (`BudgetMemory`).
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
    """Mistakes of one machine in the passes up to and including its first pass without a mistake.

    Attributes
    ----------
    sample : ndarray of int of shape (n_mistakes,)
        Misclassified samples in the order of the mistakes.
    time : ndarray of int of shape (n_mistakes,)
        Visit of each mistake, counted from 1 over all passes.
    counts : ndarray of int of shape (n_passes,)
        Number of mistakes in each pass.
    visits : int
        Number of visited samples.
    """

    sample: IndexArray
    time: IndexArray
    counts: IndexArray
    visits: int

    @property
    def clean(self) -> bool:
        """Whether the last pass made no mistake, so that the machine separates the samples."""
        return int(self.counts[-1]) == 0

    @property
    def solution(self) -> Solution:
        """Certificate: the mistakes of the last pass as objective and gap, their fraction as violation."""
        last = float(self.counts[-1])
        share = last * len(self.counts) / self.visits
        status = Status.CONVERGED if self.clean else Status.MAX_ITER
        return Solution(objective=last, gap=last, violation=share, status=status, n_iter=len(self.counts))


@dataclass(frozen=True, eq=False)
class MistakeList:
    """Perceptron as the list of its mistakes, f(x) = Σ_v sign_v k(x_v, x).

    Every mistake defines a new decision function. Its *survival* is the number of visits from this mistake until
    before the next one, which weights the averaged and the voted perceptron.

    Parameters
    ----------
    sample : ndarray of int of shape (n_mistakes,), default=<factory>
        Samples of the mistakes in order. Default: empty.
    sign : ndarray of shape (n_mistakes,), default=<factory>
        Labels ±1 of these samples. Default: empty.
    time : ndarray of int of shape (n_mistakes,), default=<factory>
        Visit of each mistake, counted from 1. Default: empty.
    visits : int, default=0
        Number of visits in total.

    See Also
    --------
    BudgetMemory : Perceptron with a bounded number of samples.
    mercer.perceptron.KernelPerceptron : Classifier based on it.

    References
    ----------
    * Freund and Schapire, Large margin classification using the perceptron algorithm, Machine Learning, 1999.

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
        """Return the list extended by the mistakes of further passes.

        Parameters
        ----------
        history : History
            Mistakes of the passes.
        label : ndarray of shape (n_samples,)
            Labels ±1 of the samples.

        Returns
        -------
        MistakeList
            Extended list.
        """
        return MistakeList(
            np.concatenate([self.sample, history.sample]),
            np.concatenate([self.sign, label[history.sample]]),
            np.concatenate([self.time, history.time + self.visits]),
            self.visits + history.visits,
        )

    @property
    def survival(self) -> IndexArray:
        """Number of visits for which each decision function was in use.

        Returns
        -------
        ndarray of int of shape (n_mistakes,)
            Visits from each mistake until before the next one.
        """
        return np.diff(self.time, append=self.visits + 1)

    def coef(self, n: int, *, averaged: bool = False) -> DoubleArray:
        """Return the coefficients of the last decision function, or of the average of all of them.

        Parameters
        ----------
        n : int
            Number of samples.
        averaged : bool, default=False
            Whether the decision functions are averaged over all visits.

        Returns
        -------
        ndarray of shape (n,)
            Coefficients of the kernel expansion.
        """
        weight = (self.visits + 1 - self.time) / self.visits if averaged else 1.0
        return np.bincount(self.sample, self.sign * weight, minlength=n).astype(np.float64)

    def moved(self, place: IndexArray) -> "MistakeList":
        """Return the list with renumbered samples.

        Parameters
        ----------
        place : ndarray of int of shape (n_samples,)
            New index of each sample.

        Returns
        -------
        MistakeList
            List in which sample i has the index ``place[i]``.
        """
        return replace(self, sample=place[self.sample])


@dataclass(frozen=True, eq=False)
class BudgetMemory:
    """Perceptron that keeps at most `budget` samples, f(x) = Σ_j weight_j k(x_j, x).

    Parameters
    ----------
    removal : {"forgetron", "random", "projectron"}
        Rule for a mistake beyond the budget. "forgetron" (self-tuned) shrinks f and removes its oldest sample. "random"
        removes a random sample. "projectron" keeps all samples and adds the projection of the new sample onto their
        span; it projects earlier if the sample is at most `threshold` away from the span.
    budget : int
        Maximal number of samples.
    threshold : float, default=0.0
        Distance from the span up to which "projectron" projects a sample.
    sample : ndarray of int of shape (n_kept,), default=<factory>
        Kept samples, oldest first. Default: empty.
    weight : ndarray of shape (n_kept,), default=<factory>
        Coefficients of the kept samples. Default: empty.
    mistakes : int, default=0
        Number of mistakes so far.
    damage : float, default=0.0
        Accumulated damage by removals, which tunes the shrinking of "forgetron".
    largest : float, default=0.0
        Largest k(x, x) seen so far.
    state : int, default=0
        State of the random number generator of "random".

    See Also
    --------
    MistakeList : Perceptron without a budget.
    mercer.perceptron.KernelPerceptron : Classifier based on it.

    References
    ----------
    * Dekel, Shalev-Shwartz and Singer, The Forgetron: a kernel-based perceptron on a budget, SIAM J. Computing, 2008.
    * Cavallanti, Cesa-Bianchi and Gentile, Tracking the best hyperplane with a simple budget perceptron, Machine
      Learning, 2007.
    * Orabona, Keshet and Caputo, Bounded kernel-based online learning, JMLR, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> memory = BudgetMemory("random", budget=2, sample=np.array([0, 3]), weight=np.array([1.0, -1.0]))
    >>> memory.coef(4)
    array([ 1.,  0.,  0., -1.])
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
        """Return the state in the form of the compiled core, which updates it.

        Returns
        -------
        Memory
            Object of the compiled core.
        """
        removal = _core.Removal[self.removal]
        sample, weight = self.sample.tolist(), self.weight.tolist()
        more = (self.mistakes, self.damage, self.largest, self.state)
        return _core.Memory(removal, self.budget, self.threshold, sample, weight, *more)

    def unpacked(self, memory: _core.Memory) -> "BudgetMemory":
        """Return the state after the compiled core has updated it.

        Parameters
        ----------
        memory : Memory
            Object of the compiled core.

        Returns
        -------
        BudgetMemory
            Updated state.
        """
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
        """Return the coefficients of the kernel expansion.

        Parameters
        ----------
        n : int
            Number of samples.

        Returns
        -------
        ndarray of shape (n,)
            Coefficients; zero for samples that are not kept.
        """
        return np.bincount(self.sample, self.weight, minlength=n).astype(np.float64)

    def moved(self, place: IndexArray) -> "BudgetMemory":
        """Return the state with renumbered samples.

        Parameters
        ----------
        place : ndarray of int of shape (n_samples,)
            New index of each sample.

        Returns
        -------
        BudgetMemory
            State in which sample i has the index ``place[i]``.
        """
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
