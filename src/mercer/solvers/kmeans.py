"""k-means in the feature space of a kernel, where centroids are represented by sums of kernel values.

With weights w, W_c = Σ_{j∈c} w_j and T_ci = Σ_{j∈c} w_j K_ji, the squared distance of sample i from centroid c is

    D²_ci = K_ii − 2 T_ci/W_c + q_c,     q_c = Σ_{i∈c} w_i T_ci/W_c² = ‖φ_c‖².

T is computed once. A step that moves samples only adds and subtracts their rows of K. All runs share each pass.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.operators import GramOperator
from mercer.operators.tiles import panels
from mercer.solvers.solution import Solution, Status

__all__ = ["Clustering", "Run", "advance", "ended_with", "kernel_kmeans", "plus_plus", "reassigned"]

BoolArray: TypeAlias = npt.NDArray[np.bool_]

ROUNDING = 16  # units of rounding error of a squared distance relative to k(x,x) + k(z,z)
_ROUNDING = ROUNDING * np.finfo(np.float64).eps
_WRONG = 1e-6  # relative size of negative squares that rounding does not explain, even in single precision


@dataclass(frozen=True, eq=False)
class Clustering:
    """Result of `kernel_kmeans`: the best of its runs.

    Attributes
    ----------
    labels : ndarray of int of shape (n,)
        Cluster of every sample; for samples without weight the nearest cluster.
    mass : ndarray of shape (k,)
        Weights W_c of the clusters; zero for empty clusters.
    norms : ndarray of shape (k,)
        Squared norms q_c = ‖φ_c‖² of the centroids; infinite for empty clusters.
    squares : ndarray of shape (k, n)
        Squared distances D²_ci; infinite for empty clusters.
    history : ndarray of shape (n_steps,)
        Inertia after every step, strictly decreasing.
    solution : Solution
        Certificate. `objective` is the inertia Σ_i w_i D²_i. `violation` is the fraction of the weight that a further
        step would move, 0 at a fixed point of Lloyd's algorithm.
    """

    labels: IndexArray
    mass: DoubleArray
    norms: DoubleArray
    squares: DoubleArray
    history: DoubleArray
    solution: Solution


class Rows(Protocol):
    """What `plus_plus` needs of a Gram matrix: a `GramOperator`, or rows that are computed in a pass."""

    who: str

    @property
    def dtype(self) -> np.dtype[Any]: ...

    def rows(self, samples: IndexArray) -> FloatArray: ...


def plus_plus(
    operator: "Rows", diag: DoubleArray, weight: DoubleArray, k: int, rng: np.random.RandomState
) -> IndexArray:
    """Choose k samples as initial centroids by greedy k-means++ (Arthur and Vassilvitskii, 2007).

    The first sample is drawn with probability proportional to its weight. Then 2 + ⌊log k⌋ candidates are drawn with
    probability proportional to weight times squared distance from the chosen samples, and the candidate that reduces
    the inertia most is kept. Random numbers are used as in scikit-learn. A sample that coincides with a chosen one is
    drawn only if all do.

    Notes
    -----
    Cost: O(k log k) rows of the Gram matrix.

    Examples
    --------
    >>> from mercer.operators import PrecomputedOperator
    >>> x = np.array([[0.0], [0.0], [5.0], [0.0]])
    >>> chosen = plus_plus(PrecomputedOperator(x @ x.T), x[:, 0] ** 2, np.ones(4), 2, np.random.RandomState(0))
    >>> sorted(x[chosen, 0].tolist())
    [0.0, 5.0]
    """
    n_trials = 2 + int(np.log(k))
    chosen = np.full(k, rng.choice(len(diag), p=weight / weight.sum()), dtype=np.int64)
    closest = _from_samples(operator, diag, chosen[:1])[0]
    for c in range(1, k):
        mass = np.cumsum(weight * closest)
        if not np.isfinite(mass[-1]):
            raise ValueError(
                f"{operator.who}: weights times squared distances between samples overflow; rescale the features and "
                "the weights."
            )
        if mass[-1] == 0:
            break
        candidates = np.searchsorted(mass, rng.uniform(size=n_trials) * mass[-1], side="right")
        nearer = np.minimum(closest, _from_samples(operator, diag, candidates))
        best = int(np.argmin(nearer @ weight))
        chosen[c], closest = candidates[best], nearer[best]
    return chosen


def kernel_kmeans(
    operator: GramOperator,
    diag: DoubleArray,
    weight: DoubleArray,
    starts: IndexArray,
    k: int,
    *,
    max_iter: int = 300,
    tol: float = 0.0,
) -> Clustering:
    """Run Lloyd's algorithm from several starts at once and return the run of least inertia.

    Parameters
    ----------
    operator : GramOperator of shape (n, n)
        Symmetric Gram matrix. If it is not in memory, rows are computed when they are needed.
    diag : ndarray of shape (n,)
        Diagonal k(x, x).
    weight : ndarray of shape (n,)
        Non-negative sample weights, not all zero.
    starts : ndarray of int of shape (n_runs, k) or (n_runs, n)
        Samples that are the initial centroids, or initial labels if there are n per run.
    k : int
        Number of clusters.
    max_iter : int, default=300
        Maximal number of assignments of each run.
    tol : float, default=0.0
        A run also ends when a step reduces its inertia by at most this fraction. 0: when no sample moves.

    Returns
    -------
    Clustering
        Run of least inertia, with distances, inertia and violation from recomputed sums.

    Notes
    -----
    Cost: n² kernel values for the first sums, then n for every sample that moves (once for all runs), and O(nk) numbers
    per run and step. Memory: O(nk·runs) in addition to the operator.

    A sample moves only if the other centroid is nearer by more than rounding. An empty cluster receives the sample that
    is farthest from its centroid; if all samples lie on their centroids, it stays empty. Both reduce the inertia if the
    kernel is positive semidefinite. Otherwise a step may raise it; such a step is undone and the run ends.

    Examples
    --------
    >>> from mercer.operators import PrecomputedOperator
    >>> x = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> found = kernel_kmeans(PrecomputedOperator(x @ x.T), x[:, 0] ** 2, np.ones(4), np.array([[0, 1]]), 2)
    >>> found.labels, found.solution.objective, found.solution.violation
    (array([0, 0, 1, 1]), 1.0, 0.0)
    """
    operator.require_symmetric("kernel_kmeans")
    n, n_iter = len(diag), 0
    if starts.shape[1] != n:
        starts, n_iter = np.stack([_from_samples(operator, diag, centres).argmin(axis=0) for centres in starts]), 1
    runs = [_Run(labels, diag, weight, k, n_iter) for labels in starts]
    _count(operator, runs)
    _lloyd(operator, runs, max_iter, tol)
    best = min(runs, key=lambda run: run.inertia)
    _count(operator, [best])
    if not best.ended and best.n_iter < max_iter and best.assigned()[1].any():  # hidden before by rounding of the steps
        _lloyd(operator, [best], max_iter, tol)
        _count(operator, [best])
    return best.result()


class Run(Protocol):
    """One run of k-means, as far as `advance` knows it; its sums are already those of the new labels."""

    labels: IndexArray
    diag: DoubleArray
    weight: DoubleArray
    inertia: float
    history: list[float]
    ended: bool
    raised: bool

    def refresh(self) -> None:
        """Recompute everything that follows from labels and sums, and the inertia."""


class _Run:
    """One run of k-means: labels, sums T of the clusters, and quantities derived from them."""

    def __init__(self, labels: IndexArray, diag: DoubleArray, weight: DoubleArray, k: int, n_iter: int) -> None:
        self.labels = labels.astype(np.int64)
        self.diag, self.weight, self.n_iter = diag, weight, n_iter
        self.every = np.arange(len(diag))
        self.sums = np.empty((k, len(diag)))
        self.history: list[float] = []
        self.ended = self.raised = False  # ended by tol, or by a step that raised the inertia

    @property
    def k(self) -> int:
        return len(self.sums)

    def refresh(self) -> None:
        """Recompute masses, norms and inertia from labels and sums."""
        self.mass: DoubleArray = np.bincount(self.labels, weights=self.weight, minlength=self.k).astype(np.float64)
        own = np.bincount(self.labels, weights=self.weight * self.sums[self.labels, self.every], minlength=self.k)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.norms = np.where(self.mass > 0, own / self.mass / self.mass, np.inf)  # a square might overflow
        full = self.mass > 0
        self.inertia = float(self.weight @ self.diag - (own[full] / self.mass[full]).sum())

    def squares(self) -> DoubleArray:
        """Return D² of every cluster and sample; infinite for empty clusters."""
        factor = np.divide(-2, self.mass, out=np.zeros(self.k), where=self.mass > 0)
        D2 = self.sums * factor[:, None]
        D2 += self.norms[:, None]
        D2 += self.diag
        return D2

    def assigned(self) -> tuple[IndexArray, BoolArray]:
        """Return the labels after one step, without empty clusters if possible, and which weighted samples move."""
        D2 = self.squares()
        best = D2.argmin(axis=0)
        least, own = D2[best, self.every], D2[self.labels, self.every]
        rounding = _ROUNDING * (np.abs(self.diag) + np.abs(self.norms[best]))
        return reassigned(self.labels, best, own, least, rounding, self.weight, self.k)

    def change(self, labels: IndexArray, moving: BoolArray) -> sp.csr_array:
        """Return the change of the cluster indicators by new labels, with two entries per sample that moves."""
        columns = np.column_stack([self.labels, labels])[moving]
        values = np.column_stack([-self.weight, self.weight])[moving]
        indptr = np.concatenate([[0], 2 * np.cumsum(moving)])
        return sp.csr_array((values.ravel(), columns.ravel(), indptr), shape=(len(labels), self.k))

    def indicator(self) -> sp.csr_array:
        """Return Z with w_i in the column of the cluster of sample i."""
        n = len(self.labels)
        return sp.csr_array((self.weight, self.labels, np.arange(n + 1)), shape=(n, self.k))

    def result(self) -> Clustering:
        labels, moving = self.assigned()
        labels = np.where(self.weight > 0, self.labels, labels)
        if not np.isfinite(self.norms[self.mass > 0]).all():
            raise OverflowError("squared norms of centroids are not finite")
        D2 = self.squares()
        negative = D2[labels, self.every] < -_WRONG * (np.abs(self.diag) + np.abs(self.norms[labels]))
        indefinite = self.raised or bool(negative.any())
        solution = ended_with(self, moving, self.n_iter, indefinite=indefinite)
        return Clustering(labels, self.mass, self.norms, D2, np.array(self.history), solution)


def ended_with(run: Run, moving: BoolArray, n_iter: int, *, indefinite: bool = False) -> Solution:
    """Return the certificate of a run, given which samples a further step would move."""
    status = Status.MAX_ITER if moving.any() and not run.ended else Status.CONVERGED
    violation = float(run.weight[moving].sum() / run.weight.sum())
    return Solution(run.inertia, np.nan, violation, Status.NOT_PSD if indefinite else status, n_iter)


def reassigned(
    labels: IndexArray,
    best: IndexArray,
    own: DoubleArray,
    least: DoubleArray,
    rounding: DoubleArray,
    weight: DoubleArray,
    k: int,
) -> tuple[IndexArray, BoolArray]:
    """Return the labels after a step of Lloyd's algorithm, and which samples with weight move.

    Parameters
    ----------
    labels : ndarray of int of shape (n,)
        Labels before the step.
    best : ndarray of int of shape (n,)
        Nearest centroids.
    own : ndarray of shape (n,)
        Squared distances from the centroids of the labels.
    least : ndarray of shape (n,)
        Squared distances from the nearest centroids.
    rounding : ndarray of shape (n,)
        Rounding errors of squared distances. Samples that would gain less do not move.
    weight : ndarray of shape (n,)
        Sample weights.
    k : int
        Number of clusters. Empty ones receive the farthest samples, if these are not on their centroids.

    Returns
    -------
    labels : ndarray of int of shape (n,)
        Labels after the step.
    moving : ndarray of bool of shape (n,)
        Whether a sample of positive weight has another label than before.
    """
    new = np.where((weight > 0) & (own - least <= rounding), labels, best)
    count = np.bincount(new[weight > 0], minlength=k)
    if not count.all():
        _relocate(new, count, np.where((weight > 0) & (least > rounding), least, 0.0))
    return new, (new != labels) & (weight > 0)


def _relocate(labels: IndexArray, count: IndexArray, D2: DoubleArray) -> None:
    """Move to each empty cluster the farthest sample of a cluster with further samples."""
    for c in np.flatnonzero(count == 0):
        far = int(np.argmax(np.where(count[labels] > 1, D2, 0.0)))
        if D2[far] == 0:
            return
        count[labels[far]] -= 1
        labels[far], D2[far], count[c] = c, 0.0, 1


def _lloyd(operator: GramOperator, runs: Sequence[_Run], max_iter: int, tol: float) -> None:
    """Run the steps of all runs together, each until nothing moves."""
    active = list(runs)
    while active := [run for run in active if run.n_iter < max_iter and not run.ended]:
        steps = []
        for run in active:
            run.n_iter += 1
            labels, moving = run.assigned()
            if moving.any():
                steps.append((run, labels, run.change(labels, moving)))
        if steps:
            _add(operator, [run.sums for run, _, _ in steps], [change for _, _, change in steps])
        active = [run for run, _, _ in steps]
        for run, labels, _ in steps:
            advance(run, labels, tol)


def advance(run: Run, labels: IndexArray, tol: float) -> None:
    """Apply the step if it reduces the inertia; otherwise end the run at its previous labels."""
    old, last = run.labels, run.inertia
    run.labels = labels
    run.refresh()
    fall = last - run.inertia
    if fall > 0:
        run.history.append(run.inertia)
        run.ended = fall <= tol * last
        return
    run.labels, run.inertia, run.ended = old, last, True
    run.raised = -fall > _WRONG * float(np.abs(run.weight @ run.diag))


def _count(operator: GramOperator, runs: Sequence[_Run]) -> None:
    """Recompute the sums, which removes the accumulated rounding errors of the steps."""
    for run in runs:
        run.sums[...] = 0.0
    _add(operator, [run.sums for run in runs], [run.indicator() for run in runs])
    for run in runs:
        run.refresh()
        run.history = run.history or [run.inertia]


def _add(operator: GramOperator, sums: Sequence[DoubleArray], changes: Sequence[sp.csr_array]) -> None:
    """Add ΔZᵀK to the sums T of several runs."""
    for product in _products(operator, sp.hstack(changes, format="csr")):
        for T, part in zip(sums, np.split(product, len(sums)), strict=True):
            np.add(T, part, out=T)


def _products(operator: GramOperator, delta: sp.csr_array) -> Iterator[DoubleArray]:
    """Yield terms whose sum is ΔZᵀK; only the rows of K in which ΔZ has entries are read."""
    if operator.matrix is not None:
        yield delta.T @ operator.matrix
        return
    n, touched = operator.shape[0], np.flatnonzero(np.diff(delta.indptr))
    if 2 * len(touched) > n:  # tiles of a symmetric matrix are used twice
        yield np.asarray(operator.matmul(delta.toarray()), dtype=np.float64).T
        return
    for panel in panels(len(touched), max(1, operator.memory_budget // (8 * n))):
        rows = touched[panel]
        yield delta[rows].T @ operator.rows(rows)


def _from_samples(operator: "Rows", diag: DoubleArray, samples: IndexArray) -> DoubleArray:
    """Return squared distances of all samples (columns) from some (rows); zero if they are below rounding."""
    D2: DoubleArray = -2 * operator.rows(samples).astype(np.float64, copy=False)
    scale = diag[samples][:, None] + diag
    D2 += scale
    D2[ROUNDING * np.finfo(operator.dtype).eps * np.abs(scale) >= D2] = 0.0
    return D2
