"""Kernel PCA with an approximated kernel."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mercer._estimator import Approximation
from mercer._typing import DoubleArray
from mercer.solvers.principal_features import FeatureComponents, feature_components

__all__ = ["Projections", "approximate_projections"]

_SEEN = 20_000  # samples whose coordinates determine the signs of components


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
    """Components from one pass for the moments, and one for the coordinates if `scored`.

    Signs are those of the exact fit up to 20 000 samples: the coordinate of largest modulus of a training sample is
    positive. Of more samples, 20 000 at equal distances are looked at, since the others would take a second pass.
    """
    training = approximation.training
    moments = approximation.moments(None, training.optional_weight)
    residual = approximation.residual_trace(float(np.trace(moments.outer)))
    found = feature_components(moments, n_components, residual=residual, center=center, positive=positive)
    coef, mean = approximation.coefficients(found.axes), approximation.coefficients(found.mean[:, None])[:, 0]
    offset = -found.mean @ found.axes
    seen = training.kept
    if len(seen) > _SEEN:
        seen = seen[np.linspace(0, len(seen) - 1, _SEEN).astype(np.int64)]
    values = approximation.some_values(coef, seen) + offset
    low, high = values.min(axis=0, initial=0.0), values.max(axis=0, initial=0.0)
    sign = np.where(low + high < 0, -1.0, 1.0)
    made = Projections(found, coef * sign, offset * sign, mean, None)
    if not scored:
        return made
    scores = np.empty((approximation.n, len(found.values)))
    for rows, block in made.blocks(approximation):
        scores[rows] = block
    return made._replace(scores=scores)
