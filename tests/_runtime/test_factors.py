"""Cholesky factors, triangular systems and inverses in pieces equal those of LAPACK."""

import numpy as np
import pytest
import scipy.linalg
from numpy.linalg import LinAlgError

from mercer._runtime.factors import (
    cholesky,
    invert_cholesky,
    invert_triangle,
    solve_cholesky,
    solve_triangle,
    try_cholesky,
)

SIZES = [1, 2, 47, 48, 49, 200, 333]


def positive(rng, n, dtype=np.float64):
    X = rng.normal(size=(n, n))
    return np.asfortranarray((X @ X.T + n * np.eye(n)).astype(dtype))


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cholesky_in_place(rng, n, lower, dtype):
    A = positive(rng, n, dtype)
    other = np.triu(A, 1) if lower else np.tril(A, -1)
    factor = A.copy(order="F")
    assert cholesky(factor, lower=lower) is factor
    expected = scipy.linalg.cholesky(A, lower=lower)
    found, left = (np.tril(factor), np.triu(factor, 1)) if lower else (np.triu(factor), np.tril(factor, -1))
    np.testing.assert_allclose(found, expected, atol=20 * np.finfo(dtype).eps * np.sqrt(n * n))
    assert np.array_equal(left, other)
    B = rng.normal(size=(n, 21))
    X = solve_cholesky(factor, B, lower=lower)
    np.testing.assert_allclose(A @ X, B, atol=2000 * np.finfo(dtype).eps)
    rounding = 4 * np.finfo(dtype).eps * np.abs(X[:, 0]).max()  # one column is solved by another routine
    np.testing.assert_allclose(solve_cholesky(factor, B[:, 0], lower=lower), X[:, 0], rtol=1e-4, atol=rounding)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("bad", [0, 40, 150, 199])
def test_the_minor_that_is_not_positive_is_named(rng, lower, bad):
    A = positive(rng, 200)
    A[bad, bad] = -1.0
    assert try_cholesky(A.copy(order="F"), lower=lower) == bad + 1
    with pytest.raises(LinAlgError, match=f"^{bad + 1}-th leading minor"):
        cholesky(A.copy(order="F"), lower=lower)
    with pytest.raises(LinAlgError, match=f"^{bad + 1}-th leading minor"):
        scipy.linalg.cho_factor(A, lower=lower)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("n", SIZES)
def test_triangles(rng, n):
    L = np.asfortranarray(np.tril(rng.normal(size=(n, n)) / n) + np.eye(n))
    B = np.asfortranarray(rng.normal(size=(n, 70)))
    np.testing.assert_allclose(L @ solve_triangle(L, B.copy(order="F")), B, atol=1e-12)
    np.testing.assert_allclose(L.T @ solve_triangle(L, B.copy(order="F"), transposed=True), B, atol=1e-12)
    upper = np.asfortranarray(L.T)
    np.testing.assert_allclose(upper @ solve_triangle(upper, B.copy(order="F"), lower=False), B, atol=1e-12)
    np.testing.assert_allclose(invert_triangle(L.copy(order="F")) @ L, np.eye(n), atol=1e-12)


def test_large_matrices(rng):
    A = positive(rng, 2300)
    factor = cholesky(A.copy(order="F"))
    np.testing.assert_allclose(np.tril(factor), scipy.linalg.cholesky(A, lower=True), atol=1e-11)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_inverse_from_a_factor(rng, n, dtype):
    A = positive(rng, n, dtype)
    above = np.triu(A, 1)
    found = invert_cholesky(cholesky(A.copy(order="F")))
    inverse = np.tril(found) + np.tril(found, -1).T
    np.testing.assert_allclose(inverse @ A, np.eye(n), atol=200 * np.finfo(dtype).eps)
    assert np.array_equal(np.triu(found, 1), above)
