"""Nyström factors: features, coefficients and residuals against brute force."""

import numpy as np
import pytest
from sklearn import kernel_approximation as sklearn_approximation

from mercer.approximation import NystroemFactor, nystroem, select_landmarks
from mercer.exceptions import MemoryLimitError, NotPositiveDefiniteError
from mercer.kernels import RBF, Linear, Matern
from mercer.operators import gram
from tests.reference.landmarks import nystroem_matrix

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(200, 3)), RNG.normal(size=(50, 3))
CHOSEN = RNG.permutation(200)[:40]
KERNEL = Matern(nu=1.5, gamma=0.5)
K, Z = KERNEL(X), X[CHOSEN]


def test_features_are_those_of_brute_force():
    factor = nystroem(gram(KERNEL, Z))
    F = factor.features(gram(KERNEL, X, Z))
    np.testing.assert_allclose(F @ F.T, nystroem_matrix(K, CHOSEN), atol=1e-10)
    np.testing.assert_allclose(F[CHOSEN], np.tril(factor.cholesky), atol=1e-7)
    new = factor.features(gram(KERNEL, NEW, Z))
    expected = KERNEL(NEW, Z) @ np.linalg.inv(KERNEL(Z)) @ KERNEL(Z, X)
    np.testing.assert_allclose(new @ F.T, expected, atol=1e-9)
    assert (factor.n_components, factor.n_landmarks, factor.dropped.tolist()) == (40, 40, [])
    assert 0 < factor.jitter < 1e-15
    assert repr(factor) == "NystroemFactor: 40 features"


@pytest.mark.parametrize("budget", [1, 2_000, 30_000])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_blocks_equal_the_whole(budget, dtype):
    factor = nystroem(gram(KERNEL, Z))
    whole = factor.features(gram(KERNEL, X, Z), dtype=dtype)
    small = gram(KERNEL, X, Z, memory_budget=budget)
    # Features of the landmarks themselves are triangular: zeros that are rounding errors have no relative accuracy.
    rtol = 1e-10 if dtype == np.float64 else 1e-5
    np.testing.assert_allclose(factor.features(small, dtype=dtype), whole, rtol=rtol, atol=1e-12)
    assert whole.dtype == dtype
    blocks = list(factor.blocks(small))
    assert len(blocks) > 1
    np.testing.assert_allclose(np.vstack([F for _, F in blocks]), whole, atol=1e-6)
    assert [rows.start for rows, _ in blocks[1:]] == [rows.stop for rows, _ in blocks[:-1]]


def test_columns_of_a_square_operator():
    factor = nystroem(gram(KERNEL, Z))
    np.testing.assert_allclose(
        factor.features(gram(KERNEL, X), columns=CHOSEN), factor.features(gram(KERNEL, X, Z)), atol=1e-12
    )


def test_the_known_factor_of_landmarks_is_used():
    operator = gram(KERNEL, X)
    found = select_landmarks(operator, 30, random_state=0)
    factor = nystroem(operator, found)
    F = factor.features(operator, columns=found.indices)
    np.testing.assert_allclose(F, found.factor, atol=1e-9)
    again = nystroem(gram(KERNEL, X[found.indices]))
    np.testing.assert_allclose(again.cholesky, factor.cholesky, atol=1e-9)
    np.testing.assert_allclose(factor.residual_curve(operator.diag(), F), found.residuals, atol=1e-9)


def test_coefficients_are_an_expansion_over_the_landmarks():
    factor = nystroem(gram(KERNEL, Z))
    w = RNG.normal(size=(40, 2))
    F = factor.features(gram(KERNEL, NEW, Z))
    np.testing.assert_allclose(KERNEL(NEW, Z) @ factor.coefficients(w), F @ w, atol=1e-9)
    # One column and several are other routines of BLAS, which may differ in the last digits.
    np.testing.assert_allclose(factor.coefficients(w[:, 0]), factor.coefficients(w)[:, 0], rtol=1e-10)


def test_residuals():
    factor = nystroem(gram(KERNEL, Z))
    F = factor.features(gram(KERNEL, X, Z))
    residual = factor.residual_diag(np.diag(K), F)
    np.testing.assert_allclose(residual, np.diag(K - nystroem_matrix(K, CHOSEN)), atol=1e-10)
    assert (residual >= 0).all()
    assert residual[CHOSEN].max() < 1e-12
    curve = factor.residual_curve(np.diag(K), F)
    expected = [np.trace(K - nystroem_matrix(K, CHOSEN[:j])) for j in range(1, 41)]
    np.testing.assert_allclose(curve, [200.0, *expected], atol=1e-8)


def test_equal_to_scikit_learn_at_the_same_landmarks():
    theirs = sklearn_approximation.Nystroem(gamma=0.3, n_components=50, random_state=0).fit(X)
    expected = theirs.transform(NEW) @ theirs.transform(X).T
    factor = nystroem(gram(RBF(gamma=0.3), theirs.components_))
    new, old = (factor.features(gram(RBF(gamma=0.3), samples, theirs.components_)) for samples in (NEW, X))
    np.testing.assert_allclose(new @ old.T, expected, atol=1e-8)


def test_dependent_landmarks_are_left_out_and_listed():
    repeated = np.vstack([Z, Z[:7], Z[:3] + 1e-13])
    factor = nystroem(gram(KERNEL, repeated))
    assert factor.n_components == 40
    assert len(factor.dropped) == 10
    assert repr(factor) == "NystroemFactor: 40 features, 10 landmarks unused"
    assert sorted([*factor.kept, *factor.dropped]) == list(range(50))
    F = factor.features(gram(KERNEL, X, repeated))
    np.testing.assert_allclose(F @ F.T, nystroem_matrix(K, CHOSEN), atol=1e-9)
    coef = factor.coefficients(np.ones(40))
    assert (coef[factor.dropped] == 0).all()
    np.testing.assert_allclose(KERNEL(X, repeated) @ coef, F.sum(axis=1), atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("gamma", [1e-5, 1e-2])
def test_ill_conditioned_landmarks(gamma, dtype):
    kernel = RBF(gamma=gamma)
    samples = X.astype(dtype)
    factor = nystroem(gram(kernel, samples[:150]))
    F = factor.features(gram(kernel, samples, samples[:150]))
    residual = kernel(X) - F @ F.T
    rounding = 1e-3 if dtype == np.float32 else 1e-9
    assert np.abs(residual[:150, :150]).max() < rounding
    assert np.linalg.eigvalsh(residual)[0] > -rounding
    assert np.abs(residual).max() < max(rounding, 1e-7)  # of samples outside the hull of the landmarks


def test_low_rank():
    factor = nystroem(gram(Linear(), Z))
    assert factor.n_components == 3
    F = factor.features(gram(Linear(), X, Z))
    np.testing.assert_allclose(F @ F.T, X @ X.T, atol=1e-12)


def test_errors(monkeypatch):
    factor = nystroem(gram(KERNEL, Z))
    with pytest.raises(ValueError, match="expected one column of K for each of 40 landmarks, got 200"):
        factor.features(gram(KERNEL, X))
    with pytest.raises(ValueError, match="got 3"):
        next(factor.blocks(gram(KERNEL, X), columns=[1, 2, 3]))
    with pytest.raises(ValueError, match=r"k\(z, z\) is 0 for all landmarks"):
        nystroem(np.zeros((3, 3)))
    with pytest.raises(ValueError, match=r"k\(z, z\) is 0 for all landmarks"):
        nystroem(np.zeros((3, 3)), select_landmarks(np.zeros((3, 3)), 2))
    with pytest.raises(NotPositiveDefiniteError):
        nystroem(np.array([[1.0, 2.0], [2.0, 1.0]]))
    many = gram(KERNEL, np.zeros((20_000, 3)), Z)
    monkeypatch.setattr("mercer._runtime.limits.available_memory", lambda: 2_000_000)
    with pytest.raises(MemoryLimitError, match="20000 x 40 Nyström features"):
        factor.features(many)


def test_the_factor_is_stored_in_column_major_order():
    factor = NystroemFactor(np.array([[2.0, 9.0], [1.0, 3.0]]), np.arange(2), 2)
    assert factor.cholesky.flags.f_contiguous
    np.testing.assert_array_equal(factor.cholesky, [[2.0, 0.0], [1.0, 3.0]])
