"""Axes that pyplot does not know of, and data of several kinds."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons

from mercer.plots import blank


@pytest.fixture
def ax():
    return blank()[1]


@pytest.fixture(scope="session")
def moons():
    X, y = make_moons(60, noise=0.1, random_state=0)
    return X, np.array(["left", "right"])[y]


@pytest.fixture(scope="session")
def blobs():
    X, y = make_blobs(80, centers=4, random_state=0)
    return X, y


@pytest.fixture(scope="session")
def reads():
    return ["GATTACA", "TTATTA", "ATTAGC", "CCGC", "GGCC", "CGCGAT"], ["at", "at", "at", "gc", "gc", "gc"]
