"""Moments are sums: over blocks, with weights, of dense and sparse features."""

import numpy as np
import pytest
import scipy.sparse as sp

from mercer.operators import LowRankOperator, PrecomputedOperator
from mercer.solvers.moments import Moments
from mercer.solvers.principal import principal_components

RNG = np.random.default_rng(0)
F, Y, W = RNG.normal(size=(30, 4)) + 2, RNG.normal(size=(30, 2)), RNG.integers(0, 4, 30).astype(float)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_moments_are_their_sums(storage):
    found = Moments.of(storage(F), Y, W)
    assert found.n == W.sum()
    np.testing.assert_allclose(found.features, sum(w * f for w, f in zip(W, F, strict=True)))
    np.testing.assert_allclose(found.outer, sum(w * np.outer(f, f) for w, f in zip(W, F, strict=True)))
    np.testing.assert_allclose(found.targets, W @ Y)
    np.testing.assert_allclose(found.cross, sum(w * np.outer(f, y) for w, f, y in zip(W, F, Y, strict=True)))


def test_blocks_add_up():
    whole = Moments.of(F, Y, W)
    parts = [Moments.of(F[rows], Y[rows], W[rows]) for rows in np.split(np.arange(30), [1, 17])]
    total = parts[0] + parts[1] + parts[2]
    for name in ("n", "features", "outer", "targets", "cross"):
        np.testing.assert_allclose(getattr(total, name), getattr(whole, name), rtol=1e-13)


def test_weights_are_repetitions_and_default_to_one():
    repeated = np.repeat(np.arange(30), W.astype(int))
    np.testing.assert_allclose(Moments.of(F, Y, W).cross, Moments.of(F[repeated], Y[repeated]).cross)
    assert Moments.of(F).cross.shape == (4, 0)
    assert Moments.of(F).n == 30


@pytest.mark.parametrize("weight", [None, W], ids=["plain", "weighted"])
@pytest.mark.parametrize("center", [True, False])
def test_components_of_a_factor_are_those_of_the_matrix(weight, center):
    low, full = (
        principal_components(K, 3, weight=weight, center=center)
        for K in (LowRankOperator(F), PrecomputedOperator(F @ F.T))
    )
    assert (low.method, full.method) == ("factor", "dense")
    np.testing.assert_allclose(low.values, full.values, rtol=1e-10)
    np.testing.assert_allclose(low.vectors, full.vectors, atol=1e-8)
    np.testing.assert_allclose(low.coef, full.coef, atol=1e-8)
    np.testing.assert_allclose(low.offset, full.offset, atol=1e-8)
    assert low.total == pytest.approx(full.total)
    assert low.solution.violation < 1e-12


def test_components_beyond_the_factor_come_from_the_matrix():
    assert principal_components(LowRankOperator(F), 6).method == "dense"
    assert principal_components(LowRankOperator(F), 6, positive=True).method == "factor"
    flat = np.column_stack([F[:, :1], F[:, :1]])  # of rank one
    assert principal_components(LowRankOperator(flat), 2).values[1] == 0
    assert len(principal_components(LowRankOperator(flat), 2, positive=True).values) == 1
