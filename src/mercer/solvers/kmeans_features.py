"""k-means of samples with explicit features, held in single precision.

Distances are computed by matrix products of panels of samples with the centroids. Sums over clusters, and with them
centroids and the inertia Σw‖φ‖² − Σ_c ‖S_c‖²/W_c, are kept in double precision and changed by the samples that move.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from mercer._runtime.interrupt import PIECE
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.operators import GramOperator, LowRankOperator
from mercer.operators.tiles import panels
from mercer.solvers.kmeans import ROUNDING, advance, ended_with, reassigned
from mercer.solvers.solution import Solution

__all__ = ["FeatureClustering", "FeatureSamples", "Samples", "feature_kmeans"]

_PANEL = 32_000_000  # bytes of a panel of features


class FeatureSamples:
    """Features of samples, shifted and scaled, so that distances neither lose digits to a common offset nor overflow.

    Parameters
    ----------
    F : ndarray of shape (n, r), float32
        Features φ, which are overwritten by (φ − `shift`)/`scale`.
    weight : ndarray of shape (n,)
        Non-negative sample weights, not all zero.

    Attributes
    ----------
    F : ndarray of shape (n, r)
        Shifted and scaled features.
    shift : ndarray of shape (r,)
        Vector that was subtracted, the weighted mean up to rounding.
    scale : float
        Power of two by which features were divided.
    weight : ndarray of shape (n,)
        Sample weights.
    diag : ndarray of shape (n,)
        Squared norms of the rows of `F`.
    explained : float
        Weighted sum Σw‖φ‖² of the squared norms before the shift.
    """

    def __init__(self, F: FloatArray, weight: DoubleArray) -> None:
        self.F, self.weight, self.explained = F, weight, 0.0
        total, self.diag, largest = np.zeros(F.shape[1]), np.empty(len(F)), 0.0
        for rows, part in self.blocks():
            total += weight[rows] @ part
            squares = np.einsum("ij,ij->i", part, part)
            self.explained += float(weight[rows] @ squares)
            largest = max(largest, float(squares.max()))
        self.shift = total / weight.sum()
        self.scale = 2.0 ** round(np.log2(largest) / 2) if largest > 0 else 1.0
        for rows, part in self.blocks():
            F[rows] = (part - self.shift) / self.scale
            self.diag[rows] = np.einsum("ij,ij->i", F[rows], F[rows], dtype=np.float64)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the features, whose rounding decides whether a sample moves."""
        return self.F.dtype

    @property
    def width(self) -> int:
        """Number of features."""
        return int(self.F.shape[1])

    @property
    def operator(self) -> GramOperator:
        """Gram matrix of the rows of `F`, for k-means++."""
        return LowRankOperator(self.F)

    def blocks(self, chosen: IndexArray | None = None) -> Iterator[tuple[Any, DoubleArray]]:
        """Features of all samples, or of chosen ones, in double precision: yields rows and their features."""
        n, r = self.F.shape
        for part in panels(n if chosen is None else len(chosen), max(1, _PANEL // (8 * r))):
            rows = part if chosen is None else chosen[part]
            yield rows, self.F[rows].astype(np.float64)

    def nearest(
        self, centers: DoubleArray, norms: DoubleArray, labels: IndexArray
    ) -> tuple[IndexArray, DoubleArray, DoubleArray]:
        """Return the nearest centroids, and the squared distances from those of `labels` and from the nearest ones."""
        (n, r), k = self.F.shape, len(centers)
        best, own, least = np.empty(n, dtype=np.int64), np.empty(n), np.empty(n)
        right, square = (-2 * centers.T).astype(self.F.dtype), norms.astype(self.F.dtype)
        for rows in panels(n, max(1, min(_PANEL // (4 * (r + k)), int(PIECE / (2 * r * k))))):
            D2 = self.F[rows] @ right
            D2 += square
            every = np.arange(len(D2))
            best[rows] = D2.argmin(axis=1)
            own[rows], least[rows] = D2[every, labels[rows]], D2[every, best[rows]]
        own += self.diag
        least += self.diag
        return best, own, least

    def seeds(self, samples: IndexArray) -> DoubleArray:
        """Features of some samples, which are the first centroids."""
        return self.F[samples].astype(np.float64)

    def sums(self, labels: IndexArray, k: int) -> DoubleArray:
        """Weighted sums of the features of every cluster, of shape (k, r)."""
        total = np.zeros((k, self.width))
        for rows, part in self.blocks():
            total += _indicator(labels[rows], self.weight[rows], k) @ part
        return total

    def change(self, before: IndexArray, labels: IndexArray, moving: IndexArray, k: int) -> DoubleArray:
        """Change of the sums if some samples move."""
        total = np.zeros((k, self.width))
        for rows, part in self.blocks(moving):
            weight = self.weight[rows]
            total += (_indicator(labels[rows], weight, k) - _indicator(before[rows], weight, k)) @ part
        return total


class Samples(Protocol):
    """What `feature_kmeans` needs of its samples: `FeatureSamples`, or features that are computed in every pass."""

    weight: DoubleArray
    shift: DoubleArray
    diag: DoubleArray
    scale: float

    @property
    def dtype(self) -> np.dtype[Any]: ...

    @property
    def width(self) -> int: ...

    def seeds(self, samples: IndexArray) -> DoubleArray: ...

    def nearest(
        self, centers: DoubleArray, norms: DoubleArray, labels: IndexArray
    ) -> tuple[IndexArray, DoubleArray, DoubleArray]: ...

    def sums(self, labels: IndexArray, k: int) -> DoubleArray: ...

    def change(self, before: IndexArray, labels: IndexArray, moving: IndexArray, k: int) -> DoubleArray: ...


@dataclass(frozen=True, eq=False)
class FeatureClustering:
    """Result of `feature_kmeans`: the best of its runs.

    Attributes
    ----------
    labels : ndarray of int of shape (n,)
        Cluster of every sample; for samples without weight the nearest cluster.
    mass : ndarray of shape (k,)
        Weights W_c of the clusters; zero for empty clusters.
    centers : ndarray of shape (k, r)
        Centroids in the given features; zeros for empty clusters.
    norms : ndarray of shape (k,)
        Squared norms of `centers`; infinite for empty clusters.
    history : ndarray of shape (n_steps,)
        Inertia after every step, strictly decreasing.
    solution : Solution
        Certificate, as that of `mercer.solvers.kmeans.Clustering`.
    """

    labels: IndexArray
    mass: DoubleArray
    centers: DoubleArray
    norms: DoubleArray
    history: DoubleArray
    solution: Solution


def feature_kmeans(
    samples: Samples, starts: IndexArray, k: int, *, max_iter: int = 300, tol: float = 0.0
) -> FeatureClustering:
    """Run Lloyd's algorithm from several starts and return the run of least inertia.

    Parameters
    ----------
    samples : FeatureSamples or Samples
        Features and weights of the samples.
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
    FeatureClustering
        Run of least inertia, with centroids, inertia and violation from recomputed sums.

    Notes
    -----
    Cost: O(nrk) for every step. Memory: O(n) in addition to the features. Steps, empty clusters and stopping are those
    of `mercer.solvers.kmeans.kernel_kmeans`; a sample moves only if it gains more than rounding in single precision.

    Examples
    --------
    >>> x = np.array([[0.0], [1.0], [5.0], [6.0]], dtype=np.float32)
    >>> found = feature_kmeans(FeatureSamples(x, np.ones(4)), np.array([[0, 1]]), 2)
    >>> found.labels, found.solution.objective, found.solution.violation
    (array([0, 0, 1, 1]), 1.0, 0.0)
    >>> found.centers.ravel()
    array([0.5, 5.5])
    """
    runs = [_Run(samples, start, k) for start in starts]
    for run in runs:
        run.lloyd(max_iter, tol)
    best = min(runs, key=lambda run: run.inertia)
    best.count()
    return best.result()


class _Run:
    """One run of k-means: labels, sums of the clusters, and quantities derived from them."""

    def __init__(self, samples: Samples, start: IndexArray, k: int) -> None:
        self.samples, self.diag, self.weight, self.k = samples, samples.diag, samples.weight, k
        self.labels, self.n_iter = start.astype(np.int64), 0
        if len(start) != len(self.diag):
            centers = samples.seeds(start)
            self.labels = samples.nearest(centers, self.diag[start], np.zeros(len(self.diag), dtype=np.int64))[0]
            self.n_iter = 1
        self.history: list[float] = []
        self.ended = self.raised = False
        self.count()
        self.history.append(self.inertia)

    def count(self) -> None:
        """Recompute the sums from the labels."""
        self.sums = self.samples.sums(self.labels, self.k)
        self.refresh()

    def refresh(self) -> None:
        """Recompute masses, centroids, norms and inertia from labels and sums."""
        self.mass = np.bincount(self.labels, weights=self.weight, minlength=self.k).astype(np.float64)
        full = self.mass > 0
        self.centers = np.zeros_like(self.sums)
        np.divide(self.sums, self.mass[:, None], out=self.centers, where=full[:, None])
        square = np.einsum("ij,ij->i", self.centers, self.centers)
        self.norms = np.where(full, square, np.inf)
        self.inertia = max(0.0, float(self.weight @ self.diag - self.mass @ square))

    def assigned(self) -> tuple[IndexArray, Any]:
        """Return the labels after one step, and which weighted samples move."""
        best, own, least = self.samples.nearest(self.centers, self.norms, self.labels)
        rounding = ROUNDING * np.finfo(self.samples.dtype).eps * (self.diag + self.norms[best])
        return reassigned(self.labels, best, own, least, rounding, self.weight, self.k)

    def lloyd(self, max_iter: int, tol: float) -> None:
        """Run the steps until nothing moves."""
        while self.n_iter < max_iter and not self.ended:
            self.n_iter += 1
            labels, moving = self.assigned()
            if not moving.any():
                return
            self.sums += self.samples.change(self.labels, labels, np.flatnonzero(moving), self.k)
            advance(self, labels, tol)

    def result(self) -> FeatureClustering:
        labels, moving = self.assigned()
        labels = np.where(self.weight > 0, self.labels, labels)
        shift, scale, full = self.samples.shift, self.samples.scale, self.mass > 0
        centers = np.where(full[:, None], self.centers * scale + shift, 0.0)
        norms = np.where(full, np.einsum("ij,ij->i", centers, centers), np.inf)
        solution = ended_with(self, moving, self.n_iter)
        solution = replace(solution, objective=solution.objective * scale**2)
        return FeatureClustering(labels, self.mass, centers, norms, np.array(self.history) * scale**2, solution)


def _indicator(labels: IndexArray, weight: DoubleArray, k: int) -> sp.csc_array:
    """Return the matrix of shape (k, n) with the weight of each sample in the row of its cluster."""
    n = len(labels)
    return sp.csc_array((weight, labels, np.arange(n + 1)), shape=(k, n))
