"""Every kernel is as exact as promised, in every precision, layout and instruction set."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

import mercer._core as _core
from mercer import kernels as mk
from tests.reference.bounds import LEAVES, counts, error_ratio, points
from tests.reference.expressions import sizes
from tests.reference.vectors import gram, value

ROOT = Path(__file__).parents[2]
EPS = np.finfo(np.float64).eps
DISTANCE_KERNELS = [
    mk.RBF(gamma=1e11),
    mk.RationalQuadratic(alpha=1.5, gamma=1e11),
    mk.Exponential(gamma=1e6),
    mk.Matern(nu=1.5, gamma=1e6),
    mk.Matern(nu=2.5, gamma=1e6),
    mk.Laplacian(gamma=1e6),
    mk.RBF(gamma=(1e11, 1e10)),
    mk.Exponential(gamma=(1e6, 1e5)),
    mk.Laplacian(gamma=(1e6, 1e5)),
    mk.Power(degree=1.0),
    mk.Power(degree=1.5),
    mk.Log(degree=2.0),
]
STATIONARY = [
    mk.RBF(gamma=3.0),
    mk.RBF(gamma=(1.0, 2.0, 3.0)),
    mk.RationalQuadratic(gamma=3.0),
    mk.Exponential(gamma=3.0),
    mk.Matern(nu=0.5, gamma=3.0),
    mk.Matern(nu=1.5, gamma=3.0),
    mk.Matern(nu=2.5, gamma=(1.0, 2.0, 3.0)),
    mk.Laplacian(gamma=3.0),
    mk.Chi2(),
    mk.Delta(),
    mk.Overlap(),
]

each_leaf = pytest.mark.parametrize(("kernel", "X"), LEAVES, ids=[str(kernel) for kernel, _ in LEAVES])


def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT, env=environment, check=False)


@each_leaf
def test_float64(kernel, X):
    assert error_ratio(kernel, X) <= 1
    assert error_ratio(kernel, X[:4], X[3:]) <= 1
    assert error_ratio(kernel, np.asfortranarray(X)) <= 1


@each_leaf
def test_float32_on_standardised_data(kernel, X):
    X = X.astype(np.float32)
    K = kernel(X)
    assert K.dtype == (np.float64 if isinstance(kernel, (mk.Constant, mk.Overlap, mk.Delta)) else np.float32)
    # Inner products may cancel: there 1e-5 is relative to the value with all terms positive.
    error, scale = abs(K.astype(object) - gram(kernel, X)), sizes(kernel, X, X)
    assert (error <= 1e-5 * scale + np.finfo(np.float32).tiny).all()


@pytest.mark.parametrize("kernel", DISTANCE_KERNELS, ids=str)
@pytest.mark.parametrize("far", [False, True], ids=["near", "with a far point"])
def test_points_close_together_far_from_the_origin(kernel, far):
    X = np.full((3, 2), 1e6)
    X[1, 0] += 1e-6
    X[2, 1] -= 2e-6
    X = np.vstack([X, [[0.0, 0.0], [-1e6, 3e5]]]) if far else X
    K, exact = kernel(X), gram(kernel, X)
    for i, j in ((0, 1), (0, 2), (1, 2), (2, 0)):
        logarithm = abs(float(exact[i, j])) if isinstance(kernel, (mk.Power, mk.Log)) else 1.0
        assert abs(K[i, j] - exact[i, j]) <= 32 * EPS * max(float(abs(exact[i, j])), 1e-3 * logarithm)
        assert K[i, j] != K[i, i]
    assert kernel.distance(X)[0, 1] > 0


@pytest.mark.parametrize("kernel", [k for k in DISTANCE_KERNELS if not isinstance(k, mk.Laplacian)], ids=str)
def test_points_close_together_in_csr(kernel):
    X = np.array([[1e6, 1e6], [1e6 + 1e-6, 1e6], [1e6, 1e6 - 2e-6], [0.0, 3e5]])
    K, exact = kernel(sp.csr_matrix(X)), gram(kernel, X)
    assert (abs(K - exact)[:3, :3].astype(float) <= 32 * EPS * np.maximum(abs(exact[:3, :3]).astype(float), EPS)).all()


def test_laplacian_of_close_points_in_csr():
    X = np.array([[1e6, 1e6], [1e6 + 1e-6, 1e6], [1e6, 1e6 - 2e-6], [0.0, 3e5]])
    kernel = mk.Laplacian(gamma=1e6)
    np.testing.assert_allclose(kernel(sp.csr_matrix(X)), kernel(X), rtol=1e-13)


@pytest.mark.parametrize("kernel", STATIONARY, ids=str)
def test_duplicates_give_exactly_one(kernel):
    X = counts(40, 3) * 7 + 1e5
    X = np.vstack([X, X])
    n = len(X) // 2
    for data in (X, X.astype(np.float32), sp.csr_matrix(X)):
        K = kernel(data)
        assert (K.diagonal() == 1).all()
        assert (np.diagonal(K, n) == 1).all()
        assert (kernel.diag(data) == 1).all()
        assert K.max() == 1


@pytest.mark.parametrize("kernel", [mk.Power(), mk.Power(degree=0.3), mk.Log(), mk.NegativeChi2()], ids=str)
def test_duplicates_give_exactly_zero(kernel):
    X = np.vstack([counts(20, 3)] * 2)
    for data in (X, sp.csr_matrix(X)):
        assert not np.diagonal(kernel(data), 20).any()
        assert (kernel(data) <= 0).all()


@pytest.mark.parametrize("exponent", [700.0, 708.0, 709.5, 720.0, 744.0, 745.0, 746.0, 800.0, 1e5, 1e300])
def test_underflow_is_gradual(exponent):
    X = np.array([[0.0], [1.0]])
    for kernel in (
        mk.RBF(gamma=exponent),
        mk.Exponential(gamma=exponent),
        mk.Laplacian(gamma=exponent),
        mk.Matern(nu=2.5, gamma=exponent),
    ):
        found, exact = kernel(X)[0, 1], value(kernel, *X)
        assert found >= 0
        assert abs(found - exact) <= 4 * EPS * (1 + exponent) * exact + 5e-324


def test_extreme_parameters_stay_finite():
    X = points()
    for gamma in (5e-324, 1e-300, 1e300):
        for kind in (mk.RBF, mk.Exponential, mk.Laplacian, mk.Matern, mk.RationalQuadratic):
            K = kind(gamma=gamma)(X)
            assert np.isfinite(K).all()
            assert (K.diagonal() == 1).all()


@pytest.mark.parametrize("level", _core.simd_levels())
def test_every_instruction_set(level):
    done = run("-m", "tests.reference.bounds", MERCER_SIMD=level)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["simd"] == level
    assert len(report["ratios"]) == len(LEAVES)
    assert {name: ratio for name, ratio in report["ratios"].items() if ratio > 1} == {}


def test_unknown_instruction_set_is_named():
    done = run(
        "-c",
        "import numpy as np; from mercer.kernels import RBF; RBF(gamma=1.0)(np.eye(2))",
        MERCER_SIMD="sse9",
    )
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ValueError: environment variable MERCER_SIMD:")
    assert "sse9" in last
    assert "baseline" in last


SPARSE_LEAVES = [(k, X) for k, X in LEAVES if k.takes_sparse and not isinstance(k, mk.Constant)]


@pytest.mark.parametrize(("kernel", "X"), SPARSE_LEAVES, ids=[str(kernel) for kernel, _ in SPARSE_LEAVES])
def test_csr(kernel, X):
    S = sp.csr_matrix(X)
    assert error_ratio(kernel, S) <= 1
    assert error_ratio(kernel, S[:4], S[3:]) <= 1
    wide = S.copy()
    wide.indices, wide.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    np.testing.assert_array_equal(kernel(wide), kernel(S))
    np.testing.assert_allclose(kernel(S, X), kernel(S), rtol=1e-12, atol=1e-12)
    scale = np.sqrt(np.outer(abs(kernel(X)).max(1), abs(kernel(X)).max(0)))
    assert (abs(kernel(S.astype(np.float32)) - kernel(X.astype(np.float32))) <= 2e-5 * scale).all()


def test_csr_of_many_features_and_empty_rows(rng):
    S = sp.random(30, 5000, density=0.002, random_state=0, format="csr")
    S = sp.vstack([S, sp.csr_matrix((2, 5000))]).tocsr()
    for kernel in (
        mk.RBF(gamma=0.5),
        mk.Linear(),
        mk.Cosine(),
        mk.Laplacian(gamma=0.5),
        mk.Intersection(),
        mk.Tanimoto(),
    ):
        np.testing.assert_allclose(kernel(S), kernel(S.toarray()), rtol=1e-12, atol=1e-13)


def test_memory_mapped_input(tmp_path, rng):
    X = rng.normal(size=(50, 4))
    path = tmp_path / "X.npy"
    np.save(path, X)
    mapped = np.load(path, mmap_mode="r")
    raw = np.memmap(path, dtype=np.float64, mode="r", offset=path.stat().st_size - X.nbytes, shape=X.shape)
    kernel = mk.RBF(gamma=0.5) + mk.Laplacian(gamma=0.5)
    for data in (mapped, raw):
        np.testing.assert_array_equal(kernel(data), kernel(X))
        np.testing.assert_array_equal(kernel(data[::2]), kernel(X[::2]))


@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 383, 384, 385, 600])
def test_every_tile_shape(n, rng):
    """Sizes around the edges of tiles and chunks, against SciPy's distances."""
    X, Y = rng.normal(size=(n, 5)), rng.normal(size=(31, 5))
    gauss = mk.RBF(gamma=0.3)
    other = mk.Laplacian(gamma=0.3) + mk.Linear()
    for Z in (X, Y):
        near = {"rtol": 1e-13, "atol": 1e-13}
        np.testing.assert_allclose(gauss(X, Z), np.exp(-0.3 * cdist(X, Z, "sqeuclidean")), **near)
        np.testing.assert_allclose(other(X, Z), np.exp(-0.3 * cdist(X, Z, "cityblock")) + X @ Z.T, **near)
    for kernel in (gauss, other):
        K = kernel(X)
        np.testing.assert_array_equal(K, K.T)
        np.testing.assert_allclose(K, kernel(X, X), rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(kernel(X, Y), kernel(Y, X).T, rtol=1e-13, atol=1e-13)


def test_subnormal_arithmetic_of_the_process_is_left_alone():
    code = """
import numpy as np
def subnormals():
    tiny, small = np.array([5e-324]), np.array([2e-308])
    return bool((tiny * 1 != 0).all() and (small / 4 != 0).all() and float(tiny[0]) * 1 != 0)
assert subnormals(), "before"
import mercer
from mercer.kernels import RBF
assert subnormals(), "after import"
RBF(gamma=1.0)(np.random.default_rng(0).normal(size=(500, 3)), n_jobs=2)
assert subnormals(), "after a Gram matrix"
import threading
seen = []
thread = threading.Thread(target=lambda: seen.append(subnormals()))
thread.start(); thread.join()
assert seen == [True], "in another thread"
"""
    done = run("-c", code)
    assert done.returncode == 0, done.stderr


GOLDENS = json.loads((ROOT / "tests" / "goldens" / "kernels.json").read_text())


@pytest.mark.parametrize("golden", GOLDENS, ids=[golden["kernel"] for golden in GOLDENS])
def test_goldens(golden):
    X = np.array(golden["X"], dtype=np.float64)
    np.testing.assert_allclose(mk.kernel(golden["kernel"])(X), golden["K"], rtol=4 * EPS, atol=0)
