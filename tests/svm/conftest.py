"""Data that several pages of tests share."""

import numpy as np
import pytest


@pytest.fixture
def two():
    """Two classes that a curve parts, with noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 4))
    return X, (X[:, 0] + 0.3 * X[:, 1] * X[:, 2] + 0.2 * rng.standard_normal(80) > 0).astype(int)
