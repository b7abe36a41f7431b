"""Large dense data of few nonzeros are evaluated as sparse ones: the same values, whatever meets them."""

import numpy as np
import pytest
import scipy.sparse as sp

from mercer.kernels import RBF, Laplacian, Linear, Polynomial

KERNELS = [Linear(), RBF(gamma=0.1), Polynomial(degree=2, coef0=1.0), RBF(gamma=0.1) + Linear() * Laplacian(gamma=0.1)]


def indicators(rng, n, d=40, dtype=np.float64):
    return (rng.random((n, d)) < 0.1).astype(dtype) * rng.integers(1, 4, (n, d))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_values_are_those_of_other_storages(kernel, dtype, rng):
    X, Z = indicators(rng, 1700, dtype=dtype), rng.standard_normal((30, 40)).astype(dtype)
    few = X[:20]  # too small for CSR
    prepared = kernel.prepare(X)
    assert any(operand.sparse for operand in prepared.operands)
    assert not any(operand.sparse for operand in prepared.kernel.prepare(few).operands)
    rtol = 1e-12 if dtype == np.float64 else 1e-5
    np.testing.assert_allclose(kernel(X)[:20, :20], kernel(few), rtol=rtol)
    np.testing.assert_allclose(kernel(few, X), kernel(X)[:20], rtol=rtol)
    np.testing.assert_allclose(kernel(Z, X), kernel(X, Z).T, rtol=rtol, atol=rtol)
    if all(operand.sparse for operand in prepared.operands):
        np.testing.assert_array_equal(kernel(X), kernel(sp.csr_matrix(X)))


def test_data_of_other_kinds_stay_dense(rng):
    narrow, full = np.zeros((5000, 20)), rng.standard_normal((2000, 40))
    for X in (narrow, full, np.where(rng.random(full.shape) < 0.5, full, 0)):
        assert not any(operand.sparse for operand in RBF(gamma=1.0).prepare(X).operands)
