"""The compiled loop of Shapley values against its slow twin."""

import numpy as np
import pytest

from mercer.solvers.shapley import add_products, quadrature
from tests.reference import shapley as reference

SHAPES = [(1, 1, 1, 1, 1), (2, 3, 2, 5, 1), (3, 2, 5, 17, 2), (2, 2, 8, 40, 3), (1, 2, 13, 130, 1)]


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_loop_and_its_twin(rng, shape, pairs):
    n, m, d, points, outputs = shape
    a, b = rng.uniform(size=(n, d, points)), rng.uniform(size=(m, d, points))
    coef = rng.normal(size=(points, outputs))
    expected = reference.products(a, b, coef, pairs=pairs)
    for n_jobs in (1, 2):
        out = np.ones(expected.shape)
        add_products(a, b, coef, out, pairs=pairs, n_jobs=n_jobs)
        np.testing.assert_allclose(out - 1, expected, rtol=0, atol=1e-13 * points)


def test_threads_do_not_change_a_bit(rng):
    a, b, coef = rng.uniform(size=(7, 12, 300)), rng.uniform(size=(20, 12, 300)), rng.normal(size=(300, 2))
    found = [np.zeros((7, 12, 2)) for _ in range(2)]
    for out, n_jobs in zip(found, (1, 2), strict=True):
        add_products(a, b, coef, out, n_jobs=n_jobs)
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("rate", [0.01, 0.3, 3.0, 100.0])
def test_a_tolerance_is_kept(rng, rate, pairs):
    n, m, d, points = 3, 4, 20, 50
    a, b = (np.exp(-rate * rng.exponential(size=(k, d, points))) for k in (n, m))
    coef = rng.normal(size=(points, 1))
    exact, loose = np.zeros((2, n, d * (d - 1) // 2 if pairs else d, 1))
    add_products(a, b, coef, exact, pairs=pairs)
    add_products(a, b, coef, loose, pairs=pairs, tol=1e-9)
    assert np.abs(exact - loose).max() <= 1e-9 * m * np.abs(coef).sum()


def test_factors_of_zero(rng):
    """The product of all others does not vanish with a factor, and is not left out."""
    a, b = np.ones((1, 3, 20)), np.ones((1, 3, 20))
    b[:, 1] = 0.0
    for tol in (0.0, 1e-9):
        out = np.zeros((1, 3, 1))
        add_products(a, b, np.ones((20, 1)), out, tol=tol)
        np.testing.assert_allclose(out.ravel(), [0, 20, 0], atol=1e-12)


@pytest.mark.parametrize("n_nodes", [1, 2, 7, 50])
def test_quadrature_is_exact(n_nodes):
    nodes, weights = quadrature(n_nodes)
    for degree in (0, n_nodes, 2 * n_nodes - 1):
        assert weights @ nodes**degree == pytest.approx(1 / (degree + 1), rel=1e-13)
