"""Kernel PCA with an approximated kernel."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mercer._estimator import Approximation
from mercer._typing import DoubleArray
from mercer.solvers.principal_features import FeatureComponents, feature_components

__all__ = ["Projections", "approximate_projections"]


class Projections(NamedTuple):
    """Coordinates Σ_j coef_j b_j(x) + offset on the components, with b_j the basis of an approximation."""

    found: FeatureComponents
    coef: DoubleArray  # (n_columns of the basis, n_components)
    offset: DoubleArray  # (n_components,)
    mean: DoubleArray  # (n_columns of the basis,), coefficients of φ̄
    scores: DoubleArray | None  # (n_samples, n_components), coordinates of the training samples if they were asked for

    def blocks(self, approximation: Approximation) -> Iterator[tuple[slice, DoubleArray]]:
        """Coordinates of all training samples in panels of rows: yields the rows and their coordinates."""
        for rows, values in approximation.value_blocks(self.coef):
            yield rows, values + self.offset


def approximate_projections(
    approximation: Approximation, n_components: float, *, center: bool, positive: bool, scored: bool
) -> Projections:
    """Components from one pass for the moments, and one for the signs and for the coordinates if `scored`.

    Signs are those of the exact fit: the coordinate of largest modulus of a training sample is positive.
    """
    training = approximation.training
    moments = approximation.moments(None, training.optional_weight)
    residual = approximation.residual_trace(float(np.trace(moments.outer)))
    found = feature_components(moments, n_components, residual=residual, center=center, positive=positive)
    coef, mean = approximation.coefficients(found.axes), approximation.coefficients(found.mean[:, None])[:, 0]
    made = Projections(found, coef, -found.mean @ found.axes, mean, None)
    k = len(found.values)
    scores = np.empty((approximation.n, k)) if scored else None
    low, high = np.zeros(k), np.zeros(k)
    for rows, values in made.blocks(approximation):
        if scores is not None:
            scores[rows] = values
        seen = values[training.weight[rows] > 0]
        np.minimum(low, seen.min(axis=0, initial=0.0), out=low)
        np.maximum(high, seen.max(axis=0, initial=0.0), out=high)
    sign = np.where(low + high < 0, -1.0, 1.0)
    if scores is not None:
        scores *= sign
    return Projections(found, coef * sign, made.offset * sign, mean, scores)
