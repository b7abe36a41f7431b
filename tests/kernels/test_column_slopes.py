"""Derivatives in the weights of columns, which the core sums in one pass, against whole matrices in NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import kernels as mk
from mercer.kernels.gradients import sums
from tests.reference import gradients as slow

N, M = 203, 130  # not multiples of the rows or columns of a tile
COLUMNS = {"mixed": (2, 4), "numerical": (), "categorical": (0, 1, 2, 3, 4)}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def table(rng, n, categorical, width=5):
    """Numbers and codes, with samples that occur twice."""
    X = rng.normal(size=(n, width))
    X[:, list(categorical)] = rng.integers(0, 3, (n, len(categorical)))
    X[n // 2 :: 3] = X[: len(X[n // 2 :: 3])]
    return X


def agree(found, expected, scale):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("categorical", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("g", [0.3, 0.5, 1.0])
@pytest.mark.parametrize("p", [0.5, 1.0, 1.3, 1.5, 2.0])
def test_weights_and_exponent(p, g, categorical, rng):
    kernel = mk.WeightedColumns((0.3, 0.0, 0.5, 0.2, 1.5), categorical, p=p, g=g)  # theta leaves a weight of 0 out
    X, Z = table(rng, N, categorical), table(rng, M, categorical)
    free = np.flatnonzero(kernel.weights)
    for right, G in ((X, rng.normal(size=(N, N))), (Z, rng.normal(size=(N, M)))):
        value, columns, exponent = slow.weighted_slopes(kernel, X, right, G)
        found = kernel.parameter_gradient(X, None if right is X else right, G)
        agree(found, [*columns[free], exponent], G.size)
        scaled = (0.5 * kernel).parameter_gradient(X, None if right is X else right, G)
        agree(scaled, [0.5 * value, *(0.5 * found)], G.size)
        agree((G * kernel(X, right)).sum(), value, G.size)


@pytest.mark.parametrize("weights", [0.4, 0.0, (0.0,) * 5])
def test_one_weight_and_none(weights, rng):
    kernel, X, G = mk.WeightedColumns(weights, (1,), g=0.5), table(rng, N, (1,)), rng.normal(size=(N, N))
    _, columns, exponent = slow.weighted_slopes(kernel, X, X, G)
    expected = [columns.sum(), exponent] if weights == 0.4 else [0.0]
    agree(kernel.parameter_gradient(X, None, G), expected, G.size)


def test_bits_do_not_depend_on_threads_or_storage(rng):
    kernel, X, G = (
        mk.WeightedColumns((0.3, 0.1, 0.5, 0.2, 1.5), (2,), g=0.7),
        table(rng, 400, (2,)),
        rng.normal(size=(400,) * 2),
    )
    found = kernel.parameter_gradient(X, None, G, n_jobs=1)
    assert (kernel.parameter_gradient(X, None, G, n_jobs=2) == found).all()
    assert (kernel.parameter_gradient(X, None, G, n_jobs=2) == kernel.parameter_gradient(X, None, G, n_jobs=2)).all()
    assert (kernel.parameter_gradient(np.asfortranarray(X), None, np.asfortranarray(G)) == found).all()
    assert (kernel.parameter_gradient(np.repeat(X, 2, axis=0)[::2], None, G) == found).all()


def test_single_precision_is_converted(rng):
    kernel, G = mk.WeightedColumns((0.3, 0.1, 0.5, 0.2, 1.5), (2,), p=1.5, g=0.3), rng.normal(size=(N, N))
    X = table(rng, N, (2,)).astype(np.float32)
    found = kernel.parameter_gradient(X, None, G.astype(np.float32))
    assert (found == kernel.parameter_gradient(X.astype(float), None, G.astype(np.float32).astype(float))).all()


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_one_gamma_for_each_column(p, rng):
    gamma = (0.3, 0.1, 0.5, 0.2, 1.5)
    kernel = (mk.Laplacian if p == 1 else mk.RBF)(gamma)
    X, Z, G = table(rng, N, ()), table(rng, M, ()), rng.normal(size=(N, M))
    value, columns, _ = slow.weighted_slopes(mk.WeightedColumns(gamma, p=p), X, Z, G)
    found = (2.0 * kernel).parameter_gradient(X, Z, G)
    agree(found, [2 * value, *(2 * columns)], G.size)
    agree((2.0 * kernel).parameter_gradient(sp.csr_matrix(X), Z, G), found, G.size)


@pytest.mark.parametrize("p", [0.5, 1.0, 1.3, 2.0])
def test_sums_of_each_column(p, rng, monkeypatch):
    X, Z, W = table(rng, N, ()), table(rng, M, ()), rng.normal(size=(N, M))
    expected = slow.column_sums(W, X, Z, p)
    agree(sums.column_sums(W, X, Z, p), expected, W.size)
    monkeypatch.setattr(sums, "BLOCK", 2)
    agree(sums.column_sums(W, sp.csr_array(X), sp.csr_array(Z), p), expected, W.size)
    agree(sums.column_sums(W, X, sp.csr_array(Z), p), expected, W.size)


def test_sums_of_kernels_of_every_kind(rng):
    """Terms that are summed in one pass, products with samples, and terms in panels, in one sum."""
    X, G = table(rng, N, (4,)), rng.normal(size=(N, N))
    parts = [
        mk.WeightedColumns((0.3, 0.1, 0.5, 0.2, 1.5), (4,)),
        mk.Linear(coef0=1.0),
        mk.Matern(gamma=(0.5, 0.2, 0.4, 0.1, 0.3)),
        mk.Columns([0, 1], mk.Linear()),
        mk.Constant(2.0),
        mk.RBF(0.5) * mk.WeightedColumns(0.2),
    ]
    whole = sum((0.5 + i) * part for i, part in enumerate(parts))
    expected = []
    for i, part in enumerate(parts):
        slopes = part.parameter_gradient(X, X.copy(), G)  # all pairs instead of half of them
        expected += [(0.5 + i) * v for v in ((G * part(X)).sum(), *slopes)]
    assert len(whole.theta) == len(expected)
    agree(whole.parameter_gradient(X, None, G), expected, G.size)


def test_close_and_distant_samples_stay_finite():
    X = np.array([[0.0], [5e-324], [1e-300], [1e-8], [1.0], [1e100], [1e149]])
    for p in (0.5, 1.0, 1.3):
        for g in (0.3, 1.0):
            assert np.isfinite(mk.WeightedColumns((2.0,), p=p, g=g).parameter_gradient(X, None, np.ones((7, 7)))).all()
