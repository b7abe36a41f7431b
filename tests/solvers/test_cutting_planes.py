"""Cutting planes against grids on the simplex, and weights of kernels that need them."""

from itertools import product

import numpy as np
import pytest

from mercer.solvers.cutting_planes import CuttingPlanes

GRID = np.array([(a, b, 20 - a - b) for a, b in product(range(21), repeat=2) if a + b <= 20]) / 20


def planes(seed, count=6):
    rng = np.random.default_rng(seed)
    found = CuttingPlanes(3)
    offsets, slopes = rng.normal(size=count) + 5, rng.random((count, 3)) * 10
    for offset, slope in zip(offsets, slopes, strict=True):
        found.add(float(offset), slope)
    return found, (offsets[:, None] - slopes @ GRID.T).max(axis=0)


@pytest.mark.parametrize("seed", range(8))
def test_the_minimum_is_below_a_grid_and_close_to_it(seed):
    model, values = planes(seed)
    single = model.lower
    d, value = model.minimum(GRID[0], 1.0)
    assert d.sum() == pytest.approx(1.0)
    assert (d >= 0).all()
    assert values.min() - 0.5 <= value <= values.min() + 1e-9
    assert single <= model.lower <= value + 1e-9
    assert model.lower == pytest.approx(value, abs=1e-6)  # the multipliers are exact to rounding


@pytest.mark.parametrize("radius", [0.3, 0.05, 1e-6])
def test_the_trust_region_is_kept_and_its_bound_holds_everywhere(radius):
    model, values = planes(0)
    center = np.array([0.6, 0.4, 0.0])
    d, _ = model.minimum(center, radius)
    assert np.abs(d - center).max() <= radius * (1 + 1e-6)
    assert model.lower <= values.min() + 1e-9


def test_one_plane_and_scales():
    for size in (1e-12, 1.0, 1e12):
        model = CuttingPlanes(2)
        model.add(3.0 * size, size * np.array([1.0, 2.0]))
        d, value = model.minimum(np.array([0.5, 0.5]), 1.0)
        np.testing.assert_allclose(d, [0.0, 1.0], atol=1e-9)
        assert value == pytest.approx(size)
        assert model.lower == pytest.approx(size)
