"""Shared by all tests: a generator with a fixed seed, and Hypothesis set to be repeatable."""

import gc
import os
import signal

# Tests run in as many processes as there are cores. Threads of BLAS on top of that wait for each other, and most
# matrices here are small: one thread takes a tenth of the time. BLAS reads the variable when NumPy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# A script that starts the tests in the background has them ignore Ctrl-C, and so would all processes they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# The same examples every time; "explore" looks for new ones (pytest --hypothesis-profile=explore).
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("repeatable")


def pytest_collection_finish() -> None:
    """Exclude modules and collected tests from garbage collection: tests that call it would take a second each."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)
