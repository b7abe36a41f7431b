"""Kernel PCA with an approximated kernel."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from mercer._estimator import Approximation, Sums
from mercer._typing import DoubleArray
from mercer.solvers.principal_features import FeatureComponents, feature_components

__all__ = ["Projections", "approximate_projections", "summed_projections"]

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
    seen = training.kept
    if len(seen) > _SEEN:
        seen = seen[np.linspace(0, len(seen) - 1, _SEEN).astype(np.int64)]
    made = _signed(approximation, found, lambda coef: approximation.some_values(coef, seen))
    if not scored:
        return made
    scores = np.empty((approximation.n, len(found.values)))
    for rows, block in made.blocks(approximation):
        scores[rows] = block
    return made._replace(scores=scores)


def summed_projections(
    approximation: Approximation, sums: Sums, n_components: float, *, center: bool, positive: bool
) -> Projections:
    """Components from sums over samples that are not at hand any more.

    Signs are chosen as by `approximate_projections`, with the landmarks in place of the samples, or with the weights of
    random features.
    """
    residual = approximation.residual_of(sums.diagonal, float(np.trace(sums.moments.outer)))
    found = feature_components(sums.moments, n_components, residual=residual, center=center, positive=positive)
    if approximation.X is None:
        return _signed(approximation, found, lambda coef: coef, shifted=False)
    return _signed(approximation, found, lambda coef: np.asarray(approximation.basis.gram() @ coef))


def _signed(
    approximation: Approximation,
    found: FeatureComponents,
    values: Callable[[DoubleArray], DoubleArray],
    *,
    shifted: bool = True,
) -> Projections:
    """Projections whose value of largest modulus, of those that a function of the coefficients returns, is positive."""
    coef, mean = approximation.coefficients(found.axes), approximation.coefficients(found.mean[:, None])[:, 0]
    offset = -found.mean @ found.axes
    seen = values(coef) + (offset if shifted else 0.0)
    low, high = seen.min(axis=0, initial=0.0), seen.max(axis=0, initial=0.0)
    sign = np.where(low + high < 0, -1.0, 1.0)
    return Projections(found, coef * sign, offset * sign, mean, None)
