"""Tanimoto of any kernel."""

import numpy as np
import pytest

from mercer.kernels import RBF, Intersection, Linear, MinMax, Sigmoid, Tanimoto
from mercer.kernels.ratio import TanimotoOf
from mercer.kernels.strings import Spectrum
from mercer.testing import check_kernel


def test_of_vectors(rng):
    X = rng.integers(0, 4, size=(12, 5)).astype(float) + np.eye(12, 5)
    np.testing.assert_allclose(TanimotoOf(Linear())(X), Tanimoto()(X), rtol=1e-14)
    np.testing.assert_allclose(TanimotoOf(Intersection())(X, X[:3]), MinMax()(X, X[:3]), rtol=1e-14)


def test_of_any_sign(rng):
    X = rng.normal(size=(40, 3))
    K = TanimotoOf(Linear())(X)
    G = X @ X.T
    d = np.diagonal(G)
    np.testing.assert_allclose(K, G / (d[:, None] + d - G), rtol=1e-12)
    assert K.min() < 0
    assert np.linalg.eigvalsh(K).min() > -1e-12
    np.testing.assert_allclose(np.diagonal(K), 1, rtol=1e-14)


def test_of_strings():
    words = ["GATTACA", "TACA", "CCC", ""]
    K = TanimotoOf(Spectrum(2, "min"))(words)
    assert K[0, 1] == 3 / 6  # TA, AC, CA of GA, AT, TT, TA, AC, CA
    np.testing.assert_array_equal(K[3], 0)
    assert TanimotoOf(Spectrum(2, "presence"))(words)[0, 2] == 0


def test_laws(rng):
    check_kernel(TanimotoOf(RBF(gamma=0.5)), rng.normal(size=(8, 3)))
    check_kernel(TanimotoOf(Spectrum(2)), ["GATTACA", "TACA", "CATTAG", "TTTT"])
    assert TanimotoOf(RBF()).definiteness.value == "psd"
    assert TanimotoOf(Sigmoid()).definiteness.value == "unknown"
    assert str(TanimotoOf(Linear() + 1)) == "tanimoto_of(linear + constant)"
    assert TanimotoOf(RBF(gamma=1.0)).with_params(kernel__gamma=2.0) == TanimotoOf(RBF(gamma=2.0))


def test_refusals():
    with pytest.raises(TypeError, match="TanimotoOf: kernel must be a kernel"):
        TanimotoOf("linear")
    with pytest.raises(ValueError, match=r"k\(x,x\) = -4 is negative for sample 1"):
        TanimotoOf(-1 * Linear())(np.array([[0.0], [2.0]]))
