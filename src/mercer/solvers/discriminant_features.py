"""Discriminant directions of explicit features, from their moments, and their leave-one-out decisions.

With r features, S_w and the class means are sums over the samples, so one pass and an eigenproblem of size r replace
the Gram matrix. The notation is that of `mercer.solvers.discriminant`: with B = Σ_j ω_j m_j Θ_j of shape (r, c − 1),
S_b = BBᵀ. If L⁻¹B = UσRᵀ for S_w + μI = LLᵀ, directions are v = √W L⁻ᵀU, and the class means project to √W ΘRσ.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from mercer._runtime.limits import require_memory
from mercer._runtime.spectra import eigh
from mercer._typing import DoubleArray, IndexArray
from mercer.solvers.discriminant import ClassScatter, class_scores
from mercer.solvers.discriminant_eigen import eigen_certificate, generalised
from mercer.solvers.discriminant_loo import LeaveOneOut, decided
from mercer.solvers.moments import Moments
from mercer.solvers.solution import Solution

__all__ = ["FeatureDirections", "FeatureScatter", "LeaveOneOutPass", "feature_directions"]

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class FeatureScatter(ClassScatter):
    """Scatter of the classes of samples with explicit features.

    Attributes
    ----------
    mean : ndarray of shape (r,)
        Mean φ̄ of all samples.
    within : ndarray of shape (r, r)
        Scatter S_w within the classes.
    images : ndarray of shape (r, c − 1)
        B = Σ_j ω_j m_j Θ_j with the centred class means m_j, so that S_b = BBᵀ.
    """

    mean: DoubleArray
    within: DoubleArray
    images: DoubleArray

    @classmethod
    def of(cls, moments: Moments, label: IndexArray, weight: DoubleArray) -> Self:
        """Compute the scatter from moments whose targets are the class indicators.

        Examples
        --------
        Classes at ±1 and 2 ± 1 on a line:

        >>> F, label = np.array([[-1.0], [1.0], [1.0], [3.0]]), np.array([0, 0, 1, 1])
        >>> scatter = FeatureScatter.of(Moments.of(F, np.eye(2)[label]), label, np.ones(4))
        >>> scatter.within, scatter.between, scatter.trace, scatter.spread
        (array([[4.]]), array([[4.]]), 8.0, 1.0)
        """
        size, mean = moments.targets, moments.features / moments.n
        scores = class_scores(size)
        root = np.sqrt(size)
        sums = moments.cross / root
        images = (moments.cross - np.outer(mean, size)) @ scores
        trace = float(np.trace(moments.outer) - moments.n * (mean @ mean))
        noise = len(label) * _EPS * float(np.trace(moments.outer))
        between = images.T @ images
        return cls(label, weight, size, scores, between, trace, noise, mean, moments.outer - sums @ sums.T, images)


@dataclass(frozen=True, eq=False)
class FeatureDirections:
    """Discriminant directions of features, with vᵀ(S_w + μI)v = W, sorted by descending ratio.

    Attributes
    ----------
    axes : ndarray of shape (r, rank)
        Directions v of either sign; samples project to ⟨v, φ(x) − φ̄⟩.
    ratio : ndarray of shape (rank,)
        Ratios λ of the scatter between the classes to the scatter within them.
    means : ndarray of shape (c, rank)
        Projections of the class means.
    solution : Solution
        Certificate, as that of `mercer.solvers.discriminant.Directions`.
    """

    axes: DoubleArray
    ratio: DoubleArray
    means: DoubleArray
    solution: Solution

    def dual(self, scatter: FeatureScatter, projected: DoubleArray, mu: float) -> tuple[DoubleArray, DoubleArray]:
        """Return the dual coefficients a of the ridge regression on class scores, in rotated scores, and Φᵀa.

        With μ tr(Θᵀ(K̃ + μ diag(1/w))⁻¹Θ) as objective, they certify it; `projected` are projections of all samples.
        """
        scale, sigma = np.sqrt(scatter.total), np.sqrt(self.ratio)
        weights = self.axes * (sigma / (1 + self.ratio) / scale)
        score = self.means[scatter.label] / (scale * sigma)
        a = score - projected * (sigma / (1 + self.ratio) / scale)
        a *= scatter.weight[:, None] / mu
        return a, weights


def feature_directions(scatter: FeatureScatter, mu: float) -> FeatureDirections:
    """Solve S_b v = λ (S_w + μI) v in O(r³).

    Examples
    --------
    >>> F, label = np.array([[-1.0], [1.0], [1.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> scatter = FeatureScatter.of(Moments.of(F, np.eye(2)[label]), label, np.ones(4))
    >>> found = feature_directions(scatter, mu=1.0)
    >>> found.ratio.round(6), np.abs(found.means).round(6).tolist()  # 4 / (4 + 1)
    (array([0.8]), [[0.894427], [0.894427]])
    """
    basis, r = scatter.basis, len(scatter.mean)
    rank = basis.shape[1]
    if rank == 0:
        return FeatureDirections(np.empty((r, 0)), np.empty(0), np.empty((len(scatter.size), 0)), _nothing())
    S = scatter.within.copy()
    S.flat[:: r + 1] += mu
    found = generalised(S, scatter.images @ basis, rank, lambda V: scatter.within @ V + mu * V)
    scale = np.sqrt(scatter.total)
    means = scale * scatter.scores @ (basis @ found.rotation) * np.sqrt(found.ratio)
    return FeatureDirections(found.axes * scale, found.ratio, means, eigen_certificate(found.ratio, found.violation))


def _nothing() -> Solution:
    return eigen_certificate(np.empty(0), 0.0)


class LeaveOneOutPass:
    """Leave-one-out decisions for several penalties from one pass over the features of all samples.

    The ridge regression on class scores has the fit h_iᵀ(S_t + μI)⁻¹B and the leverage w_i h_iᵀ(S_t + μI)⁻¹h_i at the
    centred features h_i, which are diagonal in the eigenvectors of S_t.

    Parameters
    ----------
    scatter : FeatureScatter
        Scatter of the classes.
    mus : ndarray of shape (m,)
        Penalties μ.

    Attributes
    ----------
    axes : ndarray of shape (r, r)
        Eigenvectors of S_t. The pass is over the coordinates ⟨axes, φ(x) − φ̄⟩ of the samples.
    """

    def __init__(self, scatter: FeatureScatter, mus: DoubleArray) -> None:
        self.scatter, self.mus = scatter, mus
        values, self.axes = eigh(scatter.within + scatter.images @ scatter.images.T)
        self._filters = 1 / (np.maximum(values, 0.0)[:, None] + mus)

    def decisions(
        self, blocks: Iterable[tuple[slice, DoubleArray]], priors: DoubleArray | None = None
    ) -> list[LeaveOneOut]:
        """Return the decisions for every μ; `blocks` are coordinates of all samples in panels of rows."""
        scatter, m = self.scatter, len(self.mus)
        n, k = len(scatter.label), scatter.scores.shape[1]
        require_memory(
            8 * m * n * (k + 1),
            what=f"leave-one-out decisions of {n} samples for {m} penalties",
            instead="Use a number as reg, or loo=False.",
        )
        fit, leverage = np.empty((m, n, k)), np.empty((m, n))
        weights = [filtered[:, None] * (self.axes.T @ scatter.images) for filtered in self._filters.T]
        for rows, H in blocks:
            leverage[:, rows] = (np.square(H) @ self._filters).T
            for part, w in zip(fit, weights, strict=True):
                part[rows] = H @ w
        targets, weight = scatter.targets(), scatter.weight
        return [
            decided(scatter, weight[:, None] * (targets - f) / mu, (1 - weight * h) / mu, mu, priors)
            for mu, f, h in zip(self.mus.tolist(), fit, leverage, strict=True)
        ]
