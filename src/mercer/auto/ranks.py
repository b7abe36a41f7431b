"""Normal scores: quantiles of the normal distribution at the ranks of numbers."""

from typing import TypeAlias

import numpy as np
from scipy.special import ndtri

from mercer._typing import DoubleArray

__all__ = ["Quantiles", "normal_scores"]

Quantiles: TypeAlias = tuple[DoubleArray, DoubleArray]
KNOTS = 1000  # largest number of values that are kept
TAIL = 0.002  # ranks are clipped to [TAIL, 1 − TAIL], scores to ±2.9


def normal_scores(values: DoubleArray) -> Quantiles:
    """Distinct values and their normal scores, standardised on the sample; between them, scores are interpolated.

    >>> knots, scores = normal_scores(np.array([1.0, 2.0, 100.0]))
    >>> knots, scores.round(3)
    (array([  1.,   2., 100.]), array([-1.225,  0.   ,  1.225]))
    """
    knots, counts = np.unique(values, return_counts=True)
    ranks = (np.cumsum(counts) - 0.5 * counts) / counts.sum()
    picked = np.unique(np.linspace(0, len(knots) - 1, KNOTS).astype(int))
    knots, scores = knots[picked], ndtri(np.clip(ranks[picked], TAIL, 1 - TAIL))
    own = np.interp(values, knots, scores)
    return knots, (scores - own.mean()) / (float(own.std()) or 1.0)
