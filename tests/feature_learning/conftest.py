"""A table with two relevant columns."""

import numpy as np
import pytest


@pytest.fixture(scope="package")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 6))
    return X, np.sin(2 * X[:, 0]) + np.cos(2 * X[:, 1]) + 0.1 * rng.normal(size=160)
