"""Random Fourier features and tensor sketches: unbiased, with errors that fall as they should."""

import numpy as np
import pytest
import scipy.sparse as sp

from mercer.approximation import random_fourier, tensor_sketch
from mercer.exceptions import MemoryLimitError
from mercer.kernels import (
    RBF,
    Exponential,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    RationalQuadratic,
)

X = np.random.default_rng(0).normal(size=(25, 4))
VECTOR = (0.1, 0.2, 0.5, 1.0)
ROTATION_INVARIANT = [
    RBF(gamma=0.3),
    RBF(gamma=VECTOR),
    Exponential(gamma=0.5),
    Exponential(gamma=VECTOR),
    Matern(nu=0.5, gamma=0.5),
    Matern(nu=1.5, gamma=VECTOR),
    Matern(nu=2.5, gamma=0.5),
    RationalQuadratic(alpha=0.7, gamma=0.4),
    RationalQuadratic(alpha=3.0, gamma=VECTOR),
]
SHIFT_INVARIANT = [
    *ROTATION_INVARIANT,
    Laplacian(gamma=0.3),
    Laplacian(gamma=VECTOR),
    2 * RBF(gamma=0.1) + Matern(gamma=0.3) * Laplacian(gamma=0.2),
    RBF(gamma=0.1) * (RBF(gamma=0.2) + 0.5 * Exponential(gamma=0.3)) + 0.7,
]


def fourier_error(kernel: Kernel, n_components: int, seed: int, **options) -> np.ndarray:
    F = random_fourier(kernel, 4, n_components, random_state=seed, **options).features(X)
    assert F.shape == (25, n_components)
    return F @ F.T - kernel(X)


@pytest.mark.parametrize("orthogonal", [True, False])
@pytest.mark.parametrize("n_components", [120, 41])
@pytest.mark.parametrize("kernel", SHIFT_INVARIANT, ids=str)
def test_fourier_features_are_unbiased(kernel, n_components, orthogonal):
    errors = np.array([fourier_error(kernel, n_components, seed, orthogonal=orthogonal) for seed in range(150)])
    spread = errors.std(axis=0) / np.sqrt(150)
    assert (np.abs(errors.mean(axis=0)) < 5 * spread + 1e-9).all()


@pytest.mark.parametrize("kernel", SHIFT_INVARIANT, ids=str)
def test_errors_fall_with_the_root_of_the_number_of_features(kernel):
    few, many = (np.sqrt(np.mean([fourier_error(kernel, m, seed) ** 2 for seed in range(20)])) for m in (100, 1600))
    assert 3 < few / many < 5.5


@pytest.mark.parametrize("kernel", [kernel for kernel in ROTATION_INVARIANT if kernel.name != "exponential"], ids=str)
def test_orthogonal_frequencies_have_smaller_errors(kernel):
    means = {}
    for orthogonal in (True, False):
        errors = [fourier_error(kernel, 80, seed, orthogonal=orthogonal) for seed in range(80)]
        means[orthogonal] = np.mean(np.square(errors))
    assert means[True] < means[False]


def test_orthogonal_frequencies_are_orthogonal_with_the_lengths_of_normal_vectors():
    W = random_fourier(RBF(gamma=0.5), 30, 2 * 65, random_state=0).frequencies
    for block in (W[:, :30], W[:, 30:60], W[:, 60:]):
        inner = block.T @ block
        np.testing.assert_allclose(inner - np.diag(np.diag(inner)), 0, atol=1e-10)
    squares = [
        (random_fourier(RBF(gamma=0.5), 30, 60, random_state=seed).frequencies ** 2).sum(axis=0) for seed in range(40)
    ]
    assert np.mean(squares) == pytest.approx(30, rel=0.03)
    assert np.std(squares) == pytest.approx(np.sqrt(60), rel=0.1)


def test_wide_sparse_samples_need_few_frequencies():
    wide = sp.random_array((10, 50_000), density=0.001, random_state=np.random.default_rng(0), format="csr")
    F = random_fourier(RBF(gamma=0.001), 50_000, 20, random_state=0).features(wide)
    assert F.shape == (10, 20)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_forms_of_samples(make, dtype):
    fourier = random_fourier(RBF(gamma=0.3), 4, 30, random_state=0)
    sketch = tensor_sketch(Polynomial(degree=3), 4, 30, random_state=0)
    for map_ in (fourier, sketch):
        found = map_.features(make(X.astype(dtype)))
        assert found.dtype == dtype
        np.testing.assert_allclose(found, map_.features(X), atol=1e-4 if dtype == np.float32 else 1e-12)


def test_blocks_of_rows_equal_the_whole(monkeypatch):
    fourier = random_fourier(RBF(gamma=0.3), 4, 30, random_state=0)
    sketch = tensor_sketch(Polynomial(degree=3), 4, 30, random_state=0)
    whole = [map_.features(X) for map_ in (fourier, sketch)]
    monkeypatch.setattr("mercer.approximation.fourier.MEMORY_BUDGET", 1000)
    monkeypatch.setattr("mercer.approximation.sketch.MEMORY_BUDGET", 4000)
    for map_, expected in zip((fourier, sketch), whole, strict=True):
        np.testing.assert_allclose(map_.features(X), expected, atol=1e-12)


@pytest.mark.parametrize("kernel", [Polynomial(1, 2.0, 0.5), Polynomial(2, 0.5, 0.0), Polynomial(3, 0.5, 1.0)], ids=str)
def test_tensor_sketches_are_unbiased(kernel):
    errors = []
    for seed in range(300):
        F = tensor_sketch(kernel, 4, 60, random_state=seed).features(X)
        errors.append(F @ F.T - kernel(X))
    spread = np.std(errors, axis=0) / np.sqrt(300)
    assert (np.abs(np.mean(errors, axis=0)) < 5 * spread + 1e-9).all()


def test_a_tensor_sketch_is_the_sketch_of_the_tensor_power():
    """Component h_1(i) + h_2(j) mod m has the sum of s_1(i) s_2(j) x_i x_j."""
    kernel = Polynomial(degree=2, gamma=0.5, coef0=2.0)
    sketch = tensor_sketch(kernel, 4, 7, random_state=0)
    x = np.append(np.sqrt(0.5) * X[0], np.sqrt(2.0))
    expected = np.zeros(7)
    for i in range(5):
        for j in range(5):
            place = (sketch.hashes[0, i] + sketch.hashes[1, j]) % 7
            expected[place] += sketch.signs[0, i] * sketch.signs[1, j] * x[i] * x[j]
    np.testing.assert_allclose(sketch.features(X[:1])[0], expected, atol=1e-12)


@pytest.mark.parametrize(
    "kernel", [Linear(), RBF(gamma=1.0) + Linear(), -1 * RBF(gamma=1.0), Polynomial(), RBF(gamma=1.0) ** 2], ids=str
)
def test_kernels_without_fourier_features(kernel):
    with pytest.raises(ValueError, match=r"has no random Fourier features here.*use a Nyström approximation"):
        random_fourier(kernel, 3, 10)


def test_bad_arguments(monkeypatch):
    with pytest.raises(ValueError, match=r"depend on the data; pass kernel.resolve\(X\)"):
        random_fourier(RBF(), 3, 10)
    with pytest.raises(ValueError, match="n_components=2 must be at least 3, one frequency for each of the 2 terms"):
        random_fourier(RBF(gamma=1.0) + Laplacian(gamma=1.0), 3, 2)
    with pytest.raises(ValueError, match="has 4 entries, but the samples have 3 features"):
        random_fourier(RBF(gamma=VECTOR), 3, 10)
    with pytest.raises(ValueError, match="X has 4 features, but the frequencies have 3"):
        random_fourier(RBF(gamma=1.0), 3, 10).features(X)
    with pytest.raises(TypeError, match="orthogonal"):
        random_fourier(RBF(gamma=1.0), 3, 10, orthogonal="yes")
    with pytest.raises(ValueError, match="expected a Polynomial kernel, got"):
        tensor_sketch(RBF(gamma=1.0), 3, 10)
    with pytest.raises(ValueError, match="must not be negative"):
        tensor_sketch(Polynomial(coef0=-1.0), 3, 10)
    with pytest.raises(ValueError, match="depends on the data"):
        tensor_sketch(Polynomial(gamma="scale"), 3, 10)
    with pytest.raises(ValueError, match="X has 4 features, but the sketch was drawn for 3"):
        tensor_sketch(Polynomial(), 3, 10).features(X)
    maps = random_fourier(RBF(gamma=1.0), 4, 10_000), tensor_sketch(Polynomial(), 4, 10_000)
    monkeypatch.setattr("mercer._runtime.limits.available_memory", lambda: 2_000_000)
    for map_ in maps:
        with pytest.raises(MemoryLimitError, match="25 x 10000 features"):
            map_.features(X)
