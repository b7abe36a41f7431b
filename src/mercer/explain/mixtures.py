"""Completely monotone functions as mixtures of exponentials."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from mercer._typing import DoubleArray

__all__ = ["Mixture", "exponential_mixture"]

STEPS = (
    0.6,
    0.5,
    0.42,
    0.35,
    0.3,
    0.25,
    0.2,
    0.15,
    0.12,
    0.09,
    0.06,
    0.04,
    0.025,
    0.015,
)  # between the logarithms of candidate rates
PER_UNIT = 8  # fitted values of S for each unit of log S, and four times as many to measure the error
MARGIN = 0.25  # share of the tolerance that the ends of the range may take


@dataclass(frozen=True, eq=False)
class Mixture:
    """Σ_m w_m exp(−u_m S) with weights w ≥ 0, and its largest absolute error on the range of S."""

    rates: DoubleArray
    weights: DoubleArray
    error: float

    def __call__(self, S: DoubleArray) -> DoubleArray:
        return np.exp(-np.multiply.outer(S, self.rates)) @ self.weights


def exponential_mixture(function: Callable[[DoubleArray], DoubleArray], low: float, high: float, tol: float) -> Mixture:
    """Approximate a completely monotone function with value 1 at 0 by a mixture of few exponentials.

    By Bernstein's theorem, such a function is a mixture of exponentials exp(−uS). The rates u are chosen from a
    geometric grid and the weights are computed by nonnegative least squares. The grid is refined until the largest
    error at 0 and on [low, high] is at most `tol`, or until the grid is as fine as double precision can use.

    Parameters
    ----------
    function : callable
        Completely monotone function of S ≥ 0.
    low, high : float
        Least positive and largest value of S.
    tol : float
        Wanted bound on the absolute error.

    Returns
    -------
    Mixture
        Rates, weights and the error, measured on a grid four times as fine as the fitted one.
    """
    span = _range(function, low, high, MARGIN * tol)
    best: Mixture | None = None
    for step in STEPS:
        found = _fitted(function, span, step)
        best = found if best is None or found.error < best.error else best
        if best.error <= tol:
            break
    assert best is not None
    return best


@dataclass(frozen=True)
class _Span:
    """Range of S, and whether smaller positive and larger values occur, where the function is nearly 1 or 0."""

    low: float
    high: float
    smaller: bool
    larger: bool


def _range(function: Callable[[DoubleArray], DoubleArray], low: float, high: float, margin: float) -> _Span:
    """The range without ends where the function is 1 or 0 up to a margin: they would take rates and gain nothing."""
    S = np.geomspace(low, max(high, 2 * low), 2000)
    values = function(S)
    first = max(int(np.searchsorted(-values, margin - 1)) - 1, 0)
    last = min(int(np.searchsorted(-values, -margin)), len(S) - 1)
    first = min(first, last - 1)
    return _Span(float(S[first]), float(S[last]), first > 0, last < len(S) - 1)


def _fitted(function: Callable[[DoubleArray], DoubleArray], span: _Span, step: float) -> Mixture:
    """Mixture with rates on a grid of this step."""
    low, high = span.low, span.high
    length = np.log(high / low)
    S = np.concatenate([[0.0], np.geomspace(low, high, 64 + int(PER_UNIT * length))])
    rates = np.exp(np.arange(np.log(0.01 / high), np.log(60.0 / low), step))
    weights, _ = nnls(np.exp(-np.multiply.outer(S, rates)), function(S), maxiter=50 * len(rates))
    used = weights > 0
    found = Mixture(rates[used], weights[used], 0.0)
    fine = np.concatenate([[0.0], np.geomspace(low, high, 256 + int(4 * PER_UNIT * length))])
    approximate, exact = found(fine), function(fine)
    error = float(np.abs(approximate - exact).max())
    # Both functions decrease, so values beyond an end lie between those at the end and those at 0 or infinity.
    if span.smaller:
        error = max(error, abs(approximate[0] - exact[1]), abs(exact[0] - approximate[1]))
    if span.larger:
        error = max(error, approximate[-1], exact[-1])
    return Mixture(found.rates, found.weights, error)
