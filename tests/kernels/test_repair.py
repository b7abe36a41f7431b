"""repair: spectra, nearness, symmetry to the bit, and the map for rows of new samples."""

import numpy as np
import pytest

from mercer.kernels import RBF, Sigmoid
from mercer.kernels.repair import fit_repair, nearest_correlation, repair
from mercer.kernels.validity import check_gram

METHODS = ["clip", "flip", "shift", "square", "correlation"]
MAPS = {
    "clip": lambda v: np.maximum(v, 0),
    "flip": np.abs,
    "shift": lambda v: v - v.min(),
    "square": np.square,
}


@pytest.fixture
def K(rng):
    K = Sigmoid(gamma=0.5, coef0=-0.2)(rng.normal(size=(25, 3)))
    assert not check_gram(K).is_psd
    return K


@pytest.mark.parametrize("method", MAPS)
def test_spectrum(method, K):
    values = np.sort(MAPS[method](np.linalg.eigvalsh(K)))
    assert np.linalg.eigvalsh(repair(K, method)) == pytest.approx(values, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_result_is_psd_and_symmetric_to_the_bit(method, dtype, K):
    K = K.astype(dtype)
    before = K.copy()
    repaired = repair(K, method)
    assert np.array_equal(repaired, repaired.T)
    assert repaired.dtype == dtype
    assert check_gram(repaired).is_psd
    assert np.array_equal(K, before)


def test_clip_is_the_nearest_psd_matrix(K, rng):
    distance = np.linalg.norm(repair(K) - K)
    values = np.linalg.eigvalsh(K)
    assert distance == pytest.approx(np.linalg.norm(values[values < 0]))
    for _ in range(20):
        A = rng.normal(size=K.shape) / 30
        assert np.linalg.norm(repair(repair(K) + A + A.T) - K) > distance


def test_shift_changes_the_diagonal_only(K):
    change = repair(K, "shift") - K
    assert np.array_equal(change, np.diag(np.diagonal(change)))
    assert np.diagonal(change) == pytest.approx(-np.linalg.eigvalsh(K)[0])


@pytest.mark.parametrize("method", ["clip", "flip", "shift"])
def test_a_psd_matrix_stays(method, rng):
    K = RBF(gamma=1.0)(rng.normal(size=(10, 2)))
    repaired, fitted = fit_repair(K, method)
    assert np.array_equal(repaired, K)
    rows = rng.normal(size=(4, 10))
    assert np.array_equal(fitted.rows(rows), rows)


@pytest.mark.parametrize("method", ["clip", "flip", "square"])
def test_rows_of_the_training_samples_give_the_repaired_matrix(method, K):
    repaired, fitted = fit_repair(K, method)
    assert fitted.rows(K) == pytest.approx(repaired, abs=1e-12)


@pytest.mark.parametrize("method", ["clip", "flip", "square"])
def test_map_of_rows_by_definition(method, K, rng):
    rows = rng.normal(size=(7, 25))
    values, U = np.linalg.eigh(K)
    P = {"clip": (values > 0) * 1.0, "flip": np.sign(values), "square": values}[method]
    expected = rows @ (U * P) @ U.T
    fitted = fit_repair(K, method)[1]
    assert fitted.rows(rows) == pytest.approx(expected, abs=1e-12)
    assert fitted.rows(rows.astype(np.float32)).dtype == np.float32


def test_shift_leaves_rows(K, rng):
    rows = rng.normal(size=(7, 25))
    assert np.array_equal(fit_repair(K, "shift")[1].rows(rows), rows)


def test_negative_mass_is_that_of_the_report(K):
    fitted = fit_repair(K)[1]
    assert fitted.negative_mass == pytest.approx(check_gram(K).negative_mass)
    assert fit_repair(np.zeros((2, 2)))[1].negative_mass == 0


def test_correlation_golden():
    # Higham 2002, section 4; on the boundary b = 2a² − 1 the optimum solves 4a³ − a − 1 = 0
    found = nearest_correlation([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    a = float(np.roots([4, 0, -1, -1])[0].real)
    b = 2 * a**2 - 1
    assert (round(a, 4), round(b, 4)) == (0.7607, 0.1573)
    assert found.matrix == pytest.approx(np.array([[1, a, b], [a, 1, a], [b, a, 1]]), abs=1e-9)
    assert found.converged
    assert found.change <= 1e-10


def test_correlation_is_optimal(K):
    X = repair(K, "correlation")
    assert np.array_equal(np.diagonal(X), np.ones(25))
    # S = K − X − diag(θ) is normal to the PSD cone at X: SX = 0, whose diagonal gives θ, and S ≤ 0
    S = K - X - np.diag(((K - X) * X).sum(axis=1))
    assert np.abs(S @ X).max() < 1e-7
    assert np.linalg.eigvalsh(S)[-1] < 1e-7


def test_a_correlation_matrix_is_its_own_nearest(rng):
    C = np.corrcoef(rng.normal(size=(6, 20)))
    assert repair(C, "correlation") == pytest.approx(C, abs=1e-12)


def test_correlation_that_does_not_converge(K, monkeypatch):
    found = nearest_correlation(K, max_iter=2)
    assert (found.converged, found.n_iter) == (False, 2)
    assert found.change > 1e-10
    import sys

    module = sys.modules["mercer.kernels.repair"]
    monkeypatch.setattr(module, "nearest_correlation", lambda S: found)
    with pytest.raises(ValueError, match=r"was not reached in 2 iterations.*max_iter"):
        repair(K, "correlation")


def test_correlation_has_no_map_for_rows(K):
    with pytest.raises(ValueError, match="has no map for rows"):
        fit_repair(K, "correlation")[1].rows(K)


def test_integers_give_floats():
    assert repair([[0, 1], [1, 0]], "square") == pytest.approx(np.eye(2))


@pytest.mark.parametrize(
    ("K", "error", "match"),
    [
        (np.ones((2, 3)), ValueError, "square matrix"),
        (np.array([[1.0, 0.5], [0.2, 1.0]]), ValueError, "symmetric"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), ValueError, "NaN"),
        (np.eye(2, dtype=complex), ValueError, "Complex data"),
    ],
)
@pytest.mark.parametrize("function", [repair, nearest_correlation])
def test_wrong_matrix(function, K, error, match):
    with pytest.raises(error, match=match):
        function(K)


def test_wrong_parameters(K):
    import scipy.sparse as sp

    with pytest.raises(ValueError, match="method must be one of 'clip'"):
        repair(K, "cut")
    with pytest.raises(ValueError, match="25, one for each"):
        fit_repair(K)[1].rows(np.ones((2, 3)))
    with pytest.raises(TypeError, match="sparse"):
        fit_repair(K)[1].rows(sp.csr_matrix(K))
    with pytest.raises(ValueError, match="tol"):
        nearest_correlation(K, tol=0)
    with pytest.raises(ValueError, match="max_iter"):
        nearest_correlation(K, max_iter=0)
