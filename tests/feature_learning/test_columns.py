"""Starting kernels of tables, and the weights of their columns."""

import numpy as np
import pytest

from mercer.feature_learning import column_kernel, column_weights
from mercer.feature_learning.columns import column_shares, unit_scales
from mercer.kernels import RBF, Columns, Definiteness, Linear, WeightedColumns


@pytest.fixture
def X(rng):
    X = rng.normal(size=(200, 4)) * [1.0, 1e4, 1e-5, 1.0]
    X[:, 3] = rng.integers(0, 5, 200)
    return X


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("width", [0.5, 8.0])
def test_every_column_contributes_equally(X, p, width):
    kernel = column_kernel(X, (3,), p=p, width=width, linear=False)
    S = -np.log(WeightedColumns(weights=kernel.weights, categorical=(3,), p=p)(X))
    assert S[np.triu_indices(len(X), 1)].mean() == pytest.approx(width, rel=0.05)
    np.testing.assert_allclose(column_shares(kernel, X), 0.25, rtol=0.02)


def test_the_kernel_is_certified_and_its_parameters_are_free(X):
    kernel = column_kernel(X, (3,))
    assert kernel.definiteness is Definiteness.PSD
    assert len(kernel.theta) == 4 + 1 + 2  # weights, g, factors of the linear parts
    linear = kernel(X) - column_kernel(X, (3,), linear=False)(X)
    assert linear.diagonal().mean() == pytest.approx(0.01, rel=0.02)


def test_constant_and_nearly_constant_columns_have_bounded_weights():
    X = np.zeros((100, 3))
    X[:, 0] = np.arange(100) / 30
    X[0, 1] = 1000.0
    kernel = column_kernel(X, linear=False)
    plain, rare, constant = kernel.weights
    assert 0 < rare * 100 < 60 * plain  # its standard deviation is 100
    assert np.isfinite(constant)


def test_weights_are_found_in_composite_kernels():
    kernel = Linear() + 2.0 * RBF(gamma=(1.0, 4.0))
    assert column_weights(kernel, 2).tolist() == [1.0, 4.0]
    assert unit_scales(kernel, 2).tolist() == [1.0, 2.0]
    assert column_weights(RBF(gamma=3.0), 2).tolist() == [3.0, 3.0]
    assert np.isnan(column_weights(Linear() + Columns((0,), RBF(gamma=1.0)), 2)).all()
