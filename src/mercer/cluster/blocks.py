"""Features of k-means that are computed anew in every pass, for samples in blocks."""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from mercer._estimator import Approximation
from mercer._typing import DoubleArray, IndexArray
from mercer.data import Block
from mercer.solvers.kmeans_features import FeatureClustering

__all__ = ["BlockScore", "PassedSamples", "refined"]


@final
class PassedSamples:
    """Samples of `feature_kmeans` whose features are not held; twin of `FeatureSamples`, in double precision.

    Parameters
    ----------
    approximation : Approximation
        Features φ.
    weight : ndarray of shape (n,)
        Non-negative sample weights, not all zero.

    Notes
    -----
    A step takes one pass over kernel values with the landmarks, O(nr(c + k)) with the cost c of a kernel value, and a
    second one over samples that move. A sample moves as with features in single precision, only if it gains more than
    their rounding error.
    """

    scale = 1.0
    dtype = np.dtype(np.float32)

    def __init__(self, approximation: Approximation, weight: DoubleArray) -> None:
        self._approximation, self.weight = approximation, weight
        self.shift = approximation.projections(weight[:, None])[:, 0] / weight.sum()
        norms = approximation.each(_Norms(self.shift))
        self.diag, self.explained = norms[:, 0].copy(), float(weight @ norms[:, 1])

    @property
    def width(self) -> int:
        """Number of features."""
        return self._approximation.n_components

    @property
    def operator(self) -> "PassedSamples":
        """The Gram matrix of the shifted features, for k-means++."""
        return self

    who = "KernelKMeans"

    def rows(self, samples: IndexArray) -> DoubleArray:
        """Inner products of some shifted features with all others, of shape (n_samples, n)."""
        chosen = self.seeds(samples)
        coef, offset = self._functions(chosen)
        found: DoubleArray = self._approximation.each_value(_Shifted(offset), coef)
        return np.asarray(found.T)

    def seeds(self, samples: IndexArray) -> DoubleArray:
        """Shifted features of some samples."""
        order = np.argsort(samples, kind="stable")
        F = np.empty((len(samples), self.width))
        F[order] = self._approximation.rows(samples[order])
        return np.asarray(F - self.shift)

    def _functions(self, centers: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
        """Coefficients and constants of ⟨c, φ(x) − shift⟩."""
        return self._approximation.coefficients(centers.T.copy()), -centers @ self.shift

    def nearest(
        self, centers: DoubleArray, norms: DoubleArray, labels: IndexArray
    ) -> tuple[IndexArray, DoubleArray, DoubleArray]:
        """Return the nearest centroids, and the squared distances from those of `labels` and from the nearest ones."""
        coef, offset = self._functions(centers)
        found = self._approximation.each_value(_Nearest(offset, norms), coef, self.diag, labels)
        return found[:, 0].astype(np.int64), found[:, 1], found[:, 2]

    def sums(self, labels: IndexArray, k: int) -> DoubleArray:
        """Weighted sums of the shifted features of every cluster, of shape (k, r)."""
        total: DoubleArray = self._approximation.class_sums(labels, self.weight, k).T
        mass = np.bincount(labels, weights=self.weight, minlength=k)
        return np.asarray(total - mass[:, None] * self.shift)

    def change(self, before: IndexArray, labels: IndexArray, moving: IndexArray, k: int) -> DoubleArray:
        """Change of the sums if some samples move."""
        weight = np.zeros_like(self.weight)
        weight[moving] = self.weight[moving]
        total = self._approximation.class_sums(np.append(before, labels).reshape(2, -1).T, weight, k).T
        mass = np.bincount(labels, weights=weight, minlength=k) - np.bincount(before, weights=weight, minlength=k)
        return np.asarray(total - mass[:, None] * self.shift)


@final
@dataclass(frozen=True, eq=False)
class _Norms:
    """Squared norms of features, shifted and as they are."""

    shift: DoubleArray

    def __call__(self, F: DoubleArray) -> DoubleArray:
        whole = np.einsum("ij,ij->i", F, F)
        F = F - self.shift
        return np.column_stack([np.einsum("ij,ij->i", F, F), whole])


@final
@dataclass(frozen=True, eq=False)
class _Shifted:
    """Values plus constants."""

    offset: DoubleArray

    def __call__(self, values: DoubleArray) -> DoubleArray:
        return values + self.offset


@final
@dataclass(frozen=True, eq=False)
class _Nearest:
    """Nearest centroid of every sample, and squared distances from that of its label and from the nearest one."""

    offset: DoubleArray
    norms: DoubleArray

    def __call__(self, values: DoubleArray, diag: DoubleArray, labels: IndexArray) -> Any:
        D2 = -2 * (values + self.offset) + self.norms
        best, every = D2.argmin(axis=1), np.arange(len(D2))
        return np.column_stack([best, D2[every, labels] + diag, D2[every, best] + diag])


@final
@dataclass(frozen=True, eq=False)
class BlockScore:
    """Task that returns the score of a block."""

    model: Any

    def __call__(self, block: Block) -> float:
        return float(self.model.score(block.X, sample_weight=block.weight))


def refined(
    found: FeatureClustering, approximation: Approximation, shift: DoubleArray, weight: DoubleArray
) -> tuple[FeatureClustering, float]:
    """The same clusters with sums in double precision in place of sums of rounded features, and Σw‖φ‖²."""
    squares = approximation.each(_Norms(shift))
    full = found.mass > 0
    sums = approximation.class_sums(found.labels, weight, len(found.mass)).T
    centers = np.divide(sums, found.mass[:, None], out=np.zeros_like(sums), where=full[:, None])
    norms = np.where(full, np.einsum("ij,ij->i", centers, centers), np.inf)
    spread = np.square(centers - shift).sum(axis=1)
    inertia = max(0.0, float(weight @ squares[:, 0] - found.mass @ spread))
    solution = replace(found.solution, objective=inertia)
    return replace(found, centers=centers, norms=norms, solution=solution), float(weight @ squares[:, 1])
