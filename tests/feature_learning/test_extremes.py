"""Gradients and starting kernels at extreme numbers: finite, or an error that names what overflows."""

import numpy as np
import pytest

from mercer.approximation import random_fourier
from mercer.feature_learning import agop, column_kernel, column_weights, rotation
from mercer.kernels import RBF, Linear, Polynomial


@pytest.fixture
def X(rng):
    return rng.normal(size=(12, 3))


@pytest.mark.parametrize("function", [agop, rotation])
def test_gradients_that_overflow_are_an_error(X, function):
    with pytest.raises(ValueError, match=r"Polynomial: gradients of the kernel poly.* are not finite"):
        function(Polynomial(degree=300, gamma=1e5), X, np.ones(12))


@pytest.mark.parametrize("function", [agop, rotation])
def test_products_of_gradients_that_overflow_are_an_error(X, function):
    with pytest.raises(ValueError, match="agop: products of the gradients of linear overflow"):
        function(Linear(), X, np.full(12, 1e200))


def test_derivatives_in_parameters_that_overflow_are_an_error(X):
    with pytest.raises(ValueError, match=r"derivatives in parameters of the kernel poly.* are not finite"):
        Polynomial(degree=300, gamma=1e5).parameter_gradient(X, None, np.ones((12, 12)))
    assert np.isfinite(RBF(gamma=1e300).parameter_gradient(X, None, np.ones((12, 12)))).all()


@pytest.mark.parametrize("p", [1e-300, 1e-3, 1.0, 2.0])
@pytest.mark.parametrize("scale", [1e-140, 1.0, 1e30])
def test_starting_kernels_are_finite(X, p, scale):
    for dtype in (np.float64, np.float32):
        if (values := (scale * X).astype(dtype)).any():
            assert np.isfinite(column_kernel(values, p=p)(scale * X)).all()


def test_starting_kernels_out_of_range_are_an_error(X):
    with pytest.raises(
        ValueError, match="column_kernel: differences in column 1 to the power p=3 are out of the range"
    ):
        column_kernel(X * [1.0, 1e140, 1.0], p=3.0)
    with pytest.raises(ValueError, match="squares overflow"):
        column_kernel(1e200 * X)


@pytest.mark.parametrize(
    "call",
    [
        lambda kernel: agop(kernel, np.ones((2, 2)), np.ones(2)),
        lambda kernel: column_weights(kernel, 2),
        lambda kernel: random_fourier(kernel, 2, 4),
    ],
)
@pytest.mark.parametrize("kernel", ["rbf(gamma=1)", None])
def test_functions_of_kernels_name_what_is_no_kernel(call, kernel):
    with pytest.raises(TypeError, match=r"kernel must be a kernel, got .*; make one with mercer.kernel"):
        call(kernel)
