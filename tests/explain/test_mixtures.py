"""Mixtures of exponentials keep their tolerance."""

import numpy as np
import pytest

from mercer.explain.mixtures import exponential_mixture

RANGES = [(0.05, 12.0), (1e-6, 50.0), (1e-30, 1e6), (3.0, 3.0)]


@pytest.mark.parametrize("g", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
@pytest.mark.parametrize("span", RANGES)
@pytest.mark.parametrize("tol", [1e-6, 1e-10])
def test_powers(g, span, tol):
    mixture = exponential_mixture(lambda S: np.exp(-(S**g)), *span, tol)
    S = np.concatenate([[0.0], np.geomspace(span[0], max(span[1], 1.01 * span[0]), 3001)])
    assert mixture.error <= tol
    assert (mixture.weights > 0).all()
    assert (mixture.rates > 0).all()
    assert np.abs(mixture(S) - np.exp(-(S**g))).max() <= 1.5 * mixture.error + 1e-14


def test_a_heavy_tail():
    mixture = exponential_mixture(lambda S: (1 + S) ** -0.5, 1e-4, 1e4, 1e-10)
    assert mixture.error <= 1e-10
