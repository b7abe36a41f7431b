"""Eigenvalues and singular values in pieces equal those of LAPACK, at every scale."""

import numpy as np
import pytest
import scipy.linalg

from mercer._runtime.spectra import eigh, eigvalsh, qr, svd


def symmetric(rng, n):
    X = rng.normal(size=(n, n))
    return X + X.T


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("n", [1, 2, 21, 22, 33, 64, 65, 150])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e200])
def test_eigenvalues_and_vectors(rng, n, lower, scale):
    A = scale * symmetric(rng, n)
    triangle = np.tril(A) if lower else np.triu(A)
    expected = scale * np.linalg.eigvalsh(A / scale)
    values, U = eigh(triangle, lower=lower)
    np.testing.assert_allclose(values, expected, atol=1e-12 * scale * n)
    np.testing.assert_allclose((A / scale) @ U, U * (values / scale), atol=1e-11 * n)
    np.testing.assert_allclose(U.T @ U, np.eye(n), atol=1e-12)
    np.testing.assert_allclose(eigvalsh(triangle, lower=lower), expected, atol=1e-12 * scale * n)
    k = (n + 2) // 3
    some, V = eigh(triangle, lower=lower, top=k)
    np.testing.assert_allclose(some, expected[n - k :], atol=1e-12 * scale * n)
    np.testing.assert_allclose((A / scale) @ V, V * (some / scale), atol=1e-11 * n)


def test_small_matrices_have_the_bits_of_scipy(rng):
    A = symmetric(rng, 60)
    values, U = scipy.linalg.eigh(A, driver="evr")
    assert np.array_equal(eigh(A)[0], values)
    assert np.array_equal(eigh(A)[1], U)
    assert np.array_equal(eigvalsh(A), scipy.linalg.eigvalsh(A))


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e200])
def test_what_is_overwritten(rng, order, scale):
    A = np.array(scale * symmetric(rng, 80), order=order)
    before = A.copy()
    eigh(A)
    eigvalsh(A)
    assert np.array_equal(A, before)
    F = np.asfortranarray(A)
    eigh(F, overwrite=True)
    assert np.array_equal(np.triu(F, 1), np.triu(before, 1))
    assert not np.array_equal(F, before)
    F = before.copy(order="F")
    eigh(F, overwrite=True, lower=False)
    assert np.array_equal(np.tril(F, -1), np.tril(before, -1))
    frozen = before.copy(order="F")
    frozen.flags.writeable = False
    eigh(frozen, overwrite=True)
    assert np.array_equal(frozen, before)


def test_extremes(rng):
    assert eigh(np.empty((0, 0)))[0].shape == (0,)
    A = symmetric(rng, 5)
    A[3, 2] = np.nan
    with pytest.raises(ValueError, match="infs or NaNs"):
        eigh(A)


@pytest.mark.usefixtures("small_pieces")
def test_zeros_in_pieces():
    values, U = eigh(np.zeros((100, 100)))
    assert not values.any()
    np.testing.assert_allclose(U.T @ U, np.eye(100), atol=1e-14)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("shape", [(500, 30), (64, 30), (30, 30), (30, 64), (1000, 1)])
def test_singular_values(rng, shape):
    A = rng.normal(size=shape)
    U, size, Vt = svd(A)
    np.testing.assert_allclose(size, np.linalg.svd(A, compute_uv=False), rtol=1e-12)
    np.testing.assert_allclose(U * size @ Vt, A, atol=1e-12)
    np.testing.assert_allclose(U.T @ U, np.eye(len(size)), atol=1e-12)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("shape", [(500, 30), (64, 30), (30, 30), (4000, 3)])
def test_qr(rng, shape):
    A = rng.normal(size=shape)
    Q, R = qr(A)
    np.testing.assert_allclose(Q @ R, A, atol=1e-12)
    np.testing.assert_allclose(Q.T @ Q, np.eye(shape[1]), atol=1e-12)
    assert np.array_equal(R, np.triu(R))
