"""Kernel discriminant analysis with an approximated kernel."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mercer._estimator import Approximation, Sums
from mercer._estimator.landmark_features import LandmarkFeatures
from mercer._typing import DoubleArray, IndexArray
from mercer.solvers.discriminant import Directions, directions, indicators
from mercer.solvers.discriminant_features import (
    FeatureDirections,
    FeatureScatter,
    LeaveOneOutPass,
    feature_directions,
)
from mercer.solvers.discriminant_loo import LeaveOneOut
from mercer.solvers.moments import Moments
from mercer.solvers.solution import Solution

__all__ = ["ApproximateDiscriminant", "approximate_coefficient_directions", "summed_directions"]


class ApproximateDiscriminant:
    """Discriminant problem in the features of an approximation, with the penalty μ‖v‖².

    Parameters
    ----------
    approximation : Approximation
        Features of the training samples.
    label : ndarray of int of shape (n,)
        Class number of each sample.
    """

    def __init__(self, approximation: Approximation, label: IndexArray) -> None:
        training = approximation.training
        self._approximation = approximation
        targets = indicators(label, int(label.max()) + 1)
        moments = approximation.moments(targets, training.optional_weight)
        self._scatter = FeatureScatter.of(moments, label, training.weight)

    @property
    def spread(self) -> float:
        """Unit of μ, as that of the exact problem."""
        return self._scatter.spread

    def directions(self, mu: float) -> Directions:
        """Directions over the basis of the approximation, with the certificate."""
        found = feature_directions(self._scatter, mu)
        coef, offset = self._projections(found.axes)
        solution = self._certified(found, self._approximation.values(coef) + offset, mu)
        return directions(coef, offset, found.ratio, found.means, solution)

    def leave_one_out(self, mus: DoubleArray, priors: DoubleArray | None) -> list[LeaveOneOut]:
        """Leave-one-out decisions for every μ, from one pass."""
        work = LeaveOneOutPass(self._scatter, mus)
        coef, offset = self._projections(work.axes)
        blocks = ((rows, values + offset) for rows, values in self._approximation.value_blocks(coef))
        return work.decisions(blocks, priors)

    def _projections(self, axes: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
        """Coefficients and constants of ⟨axes, φ̂(x) − φ̄⟩."""
        return self._approximation.coefficients(axes), -self._scatter.mean @ axes

    def _certified(self, found: FeatureDirections, projected: DoubleArray, mu: float) -> Solution:
        """Certificate whose `exact_interval` contains the objective of the exact problem with the same μ.

        The objective is μ tr(Θᵀ(K̃ + μ diag(1/w))⁻¹Θ), −2μ times the optimum of the dual problem of ridge regression. It
        decreases from K̂ to K by at most 2μ times the growth of that optimum.
        """
        if len(found.ratio) < self._scatter.scores.shape[1]:  # with K, class means may span a larger space
            return replace(found.solution, exact_gap=float("nan"))
        bound, confidence = self._approximation.exact_gap(*found.dual(self._scatter, projected, mu))
        if np.isnan(bound):
            return replace(found.solution, exact_gap=bound)
        gap = min(2 * mu * bound, found.solution.objective)  # shares are not negative
        return replace(found.solution, gap=gap, exact_gap=0.0, confidence=confidence)


def approximate_coefficient_directions(
    approximation: Approximation, label: IndexArray, penalty: Callable[[float], float]
) -> Directions:
    """Directions v = Σ_j a_j φ(z_j) over landmarks z with a penalty on a instead of v.

    The features are the kernel values with the landmarks, so that M and N have the size of their number. As in the
    exact problem, the penalty of a landmark with the sample weight w is a²/w.
    """
    training = approximation.training
    if not isinstance(approximation, LandmarkFeatures):
        raise ValueError(
            f"{training.who}: penalty='coefficients' needs coefficients of samples, which random features do not have; "
            "use approximation=m, a Nystroem object, or penalty='norm'."
        )
    indices, weight = approximation.fitted.indices, training.weight
    root = np.ones(approximation.n_components) if indices is None else np.sqrt(weight[indices])
    targets = indicators(label, int(label.max()) + 1)
    moments = _scaled(approximation.kernel_moments(targets, training.optional_weight), root)
    scatter = FeatureScatter.of(moments, label, weight)
    found = feature_directions(scatter, penalty(scatter.spread))
    solution = replace(found.solution, exact_gap=float("nan"))
    coef, offset = root[:, None] * found.axes, -scatter.mean @ found.axes
    return directions(coef, offset, found.ratio, found.means, solution)


def summed_directions(approximation: Approximation, sums: Sums, penalty: Callable[[float], float]) -> Directions:
    """Directions with the penalty μ‖v‖², from sums over samples that are not at hand any more."""
    nothing = np.broadcast_to(0, sums.rows), np.broadcast_to(1.0, sums.rows)  # of samples, for certificates only
    scatter = FeatureScatter.of(sums.moments, *nothing)
    found = feature_directions(scatter, penalty(scatter.spread))
    coef, offset = approximation.coefficients(found.axes), -scatter.mean @ found.axes
    solution = replace(found.solution, exact_gap=float("nan"))
    return directions(coef, offset, found.ratio, found.means, solution)


def _scaled(moments: Moments, factor: DoubleArray) -> Moments:
    """Moments of features that are multiplied by a factor each."""
    return Moments(
        moments.n,
        factor * moments.features,
        factor[:, None] * moments.outer * factor,
        moments.targets,
        factor[:, None] * moments.cross,
    )
