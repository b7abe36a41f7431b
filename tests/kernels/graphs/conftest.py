"""Graphs that tests of graph kernels share."""

import numpy as np
import pytest

from tests.reference.graphs_wl import packed


@pytest.fixture(scope="session")
def molecules():
    """Random trees with a few more edges, labelled."""
    rng = np.random.default_rng(0)
    samples = []
    for _ in range(24):
        n = int(rng.integers(2, 14))
        edges = {(int(rng.integers(0, v)), v) for v in range(1, n)}
        edges |= {tuple(sorted(map(int, rng.integers(0, n, 2)))) for _ in range(n // 4)}
        labels = rng.choice(["C", "N", "O"], n, p=[0.6, 0.2, 0.2]).tolist()
        samples.append((labels, {edge: int(rng.integers(1, 3)) for edge in sorted(edges)}))
    return packed(samples)
