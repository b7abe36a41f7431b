"""Pre-images: laws that hold exactly, stationarity by finite differences, denoising, hostile input."""

import importlib

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import eigh
from sklearn.datasets import load_digits

from mercer.decomposition.preimages import preimages
from mercer.kernels import (
    RBF,
    Constant,
    Cosine,
    Exponential,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    RationalQuadratic,
    user,
)
from mercer.operators import center_gram
from mercer.solvers.solution import Status

DIFFERENTIABLE = [
    RBF(gamma=0.3),
    RBF(gamma=(0.2, 0.5, 0.1, 0.4)),
    RationalQuadratic(alpha=0.7, gamma=0.4),
    Matern(nu=1.5, gamma=0.5),
    Matern(nu=2.5, gamma=(0.5, 0.3, 0.6, 0.2)),
    Linear(coef0=1.0),
    Polynomial(degree=1, gamma=2.0),
    Polynomial(degree=2, gamma=0.5, coef0=1.0),
    Polynomial(degree=3, gamma=0.5, coef0=0.0),
    2.5 * RBF(gamma=0.2),
    RBF(gamma=0.3) + 0.5 * Linear(),
    0.5 * RBF(gamma=0.1) * Polynomial(degree=2, gamma=0.2) + 1,
    (Linear() + 1) ** 2,
]
INVERTIBLE = [
    RBF(gamma=0.3),
    RBF(gamma=(0.2, 0.5, 0.1, 0.4)),
    Exponential(gamma=0.4),
    Exponential(gamma=(0.4, 0.2, 0.3, 0.5)),
    Matern(nu=0.5, gamma=0.4),
    Matern(nu=1.5, gamma=0.5),
    Matern(nu=2.5, gamma=0.5),
    RationalQuadratic(alpha=0.7, gamma=0.4),
    Linear(coef0=2.0),
    Polynomial(degree=3, gamma=0.5, coef0=1.0),
    3.0 * Polynomial(degree=5, gamma=0.2, coef0=0.0),
    0.5 * RBF(gamma=0.1) + RationalQuadratic(gamma=0.3) * Matern(gamma=0.2) + 1,
]


def kpca_coef(kernel, X, points, n_components):
    """Coefficients of the projections of φ(points) on the leading components, with the mean folded in."""
    K, n = kernel(X), len(X)
    values, vectors = eigh(center_gram(K), subset_by_index=[max(0, n - n_components), n - 1])
    kept = values > 1e-12 * values[-1]
    alpha = vectors[:, kept] / np.sqrt(values[kept])
    coef = center_gram(kernel(points, X), K) @ alpha @ alpha.T
    return coef + (1 - coef.sum(axis=1, keepdims=True)) / n


def pca(X, points, n_components):
    mean = X.mean(axis=0)
    V = np.linalg.svd(X - mean, full_matrices=False)[2][:n_components]
    return mean + (points - mean) @ V.T @ V


def objective(kernel, X, coef, z, anchor=None, reg=0.0):
    """‖φ(z) − Ψ‖² + λ‖z − z₀‖² from the definition."""
    z = z[None]
    distance = kernel(z)[0, 0] - 2 * coef @ kernel(X, z)[:, 0] + coef @ kernel(X) @ coef
    return distance + (reg * np.sum((z[0] - anchor) ** 2) if reg else 0.0)


def gradient(f, z, h=1e-5):
    steps = h * np.eye(len(z))
    return np.array([(f(z + e) - f(z - e)) / (2 * h) for e in steps])


@pytest.fixture
def data(rng):
    return rng.normal(size=(60, 4)), rng.normal(size=(7, 4))


# ---- laws


@pytest.mark.parametrize("method", ["fixed_point", "distance"])
@pytest.mark.parametrize("kernel", [Linear(), Linear(coef0=3.0), 0.5 * Linear(), Polynomial(1, 2.0, 1.0)], ids=str)
@pytest.mark.parametrize("n_components", [1, 2, 4])
def test_linear_kernel_is_pca(data, method, kernel, n_components):
    X, points = data
    coef = kpca_coef(kernel, X, points, n_components)
    found = preimages(method, kernel, X, coef)
    np.testing.assert_allclose(found.values, pca(X, points, n_components), rtol=0, atol=1e-10)
    assert found.solution.status is Status.CONVERGED


@pytest.mark.parametrize("kernel", DIFFERENTIABLE, ids=str)
def test_fixed_point_of_an_image_is_the_sample(data, kernel):
    X, _ = data
    found = preimages("fixed_point", kernel, X, np.eye(len(X))[:9])
    np.testing.assert_allclose(found.values, X[:9], rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.distances, 0, atol=1e-6)
    np.testing.assert_array_equal(found.indices, range(9))


@pytest.mark.parametrize("kernel", INVERTIBLE, ids=str)
def test_distances_to_an_image_lead_to_the_sample(data, kernel):
    X, _ = data
    found = preimages("distance", kernel, X, np.eye(len(X))[:9])
    np.testing.assert_allclose(found.values, X[:9], rtol=0, atol=1e-6)
    assert np.isfinite(found.solution.objective)


@pytest.mark.parametrize("method", ["fixed_point", "distance"])
def test_all_components_give_the_point_back(data, method):
    X, _ = data
    coef = kpca_coef(RBF(gamma=0.3), X, X[:8], len(X) - 1)
    np.testing.assert_allclose(preimages(method, RBF(gamma=0.3), X, coef).values, X[:8], rtol=0, atol=1e-6)


@pytest.mark.parametrize("with_start", [False, True])
@pytest.mark.parametrize("kernel", DIFFERENTIABLE, ids=str)
def test_fixed_points_are_stationary(data, kernel, with_start):
    X, points = data
    coef = kpca_coef(kernel, X, points, 3)
    found = preimages("fixed_point", kernel, X, coef, start=points if with_start else None)
    assert found.solution.status is Status.CONVERGED
    assert found.solution.violation <= 1e-10
    for z, c, distance in zip(found.values, coef, found.distances, strict=True):
        value = objective(kernel, X, c, z)
        assert distance**2 == pytest.approx(value, abs=1e-9)
        size = kernel(z[None])[0, 0] + np.abs(c) @ np.abs(kernel(X, z[None])[:, 0])
        assert np.abs(gradient(lambda z, c=c: objective(kernel, X, c, z), z)).max() < 1e-7 * size
    assert found.solution.objective == pytest.approx(np.sum(found.distances**2))


@pytest.mark.parametrize("kernel", [RBF(gamma=0.3), RBF(gamma=(0.2, 0.5, 0.1, 0.4)), Polynomial(2, 0.5)], ids=str)
def test_regularised_fixed_points_are_stationary(data, kernel):
    X, points = data
    coef = kpca_coef(kernel, X, points, 3)
    free = preimages("fixed_point", kernel, X, coef, start=points)
    held = preimages("fixed_point", kernel, X, coef, start=points, reg=0.3)
    away = np.linalg.norm(held.values - points, axis=1)
    assert (away < np.linalg.norm(free.values - points, axis=1)).all()
    for z, c, start in zip(held.values, coef, points, strict=True):
        slope = gradient(lambda z, c=c, s=start: objective(kernel, X, c, z, s, 0.3), z)
        np.testing.assert_allclose(slope, 0, atol=1e-7)
    assert held.solution.objective == pytest.approx(np.sum(held.distances**2) + 0.3 * np.sum(away**2))
    bound = preimages("fixed_point", kernel, X, coef, start=points, reg=1e9)
    np.testing.assert_allclose(bound.values, points, atol=1e-6)


def test_gaussian_iteration_is_that_of_mika(data):
    X, points = data
    coef = kpca_coef(RBF(gamma=0.1), X, points, 4)
    z = preimages("fixed_point", RBF(gamma=0.1), X, coef, start=points).values
    weights = coef * RBF(gamma=0.1)(z, X)
    np.testing.assert_allclose(weights @ X / weights.sum(axis=1, keepdims=True), z, atol=1e-8)


def test_lower_than_every_training_sample_and_the_start(data):
    X, points = data
    kernel = RBF(gamma=0.5)
    coef = kpca_coef(kernel, X, points, 5)
    found = preimages("fixed_point", kernel, X, coef, start=points)
    nearest = preimages("nearest", kernel, X, coef)
    assert (found.distances <= nearest.distances).all()
    starts = np.array([objective(kernel, X, c, z) for c, z in zip(coef, points, strict=True)])
    assert (found.distances**2 <= starts + 1e-12).all()


@pytest.mark.parametrize("n_neighbors", [1, 3, 60, 500])
def test_nearest_matches_the_definition(data, n_neighbors):
    X, points = data
    kernel = Laplacian(gamma=0.4)
    coef = kpca_coef(kernel, X, points, 6)
    K = kernel(X)
    squared = np.einsum("ij,jk,ik->i", coef, K, coef)[:, None] + np.diag(K) - 2 * coef @ K
    found = preimages("nearest", kernel, X, coef, n_neighbors=n_neighbors)
    np.testing.assert_array_equal(found.indices, squared.argmin(axis=1))
    np.testing.assert_allclose(found.distances**2, squared.min(axis=1), atol=1e-12)
    np.testing.assert_array_equal(found.values, X[found.indices])
    precomputed = preimages("nearest", None, K, coef)
    np.testing.assert_array_equal(precomputed.indices, found.indices)
    assert precomputed.values is None


@pytest.mark.parametrize("method", ["fixed_point", "distance", "nearest"])
def test_panels_and_batches_change_nothing(data, method, monkeypatch):
    X, points = data
    kernel = RBF(gamma=0.3)
    coef = kpca_coef(kernel, X, points, 6)
    whole = preimages(method, kernel, X, coef)
    alone = [preimages(method, kernel, X, c[None]).values[0] for c in coef]
    np.testing.assert_allclose(whole.values, alone, atol=1e-9)
    for module in ("decomposition.preimages", "solvers.fixed_point", "solvers.preimage"):
        monkeypatch.setattr(importlib.import_module(f"mercer.{module}"), "MEMORY_BUDGET", 5000)
    tiled = preimages(method, kernel, X, coef)
    np.testing.assert_allclose(tiled.values, whole.values, atol=1e-9)
    np.testing.assert_allclose(tiled.distances, whole.distances, atol=1e-9)


# ---- what it is for


def test_denoising_digits_beats_pca():
    rng = np.random.default_rng(0)
    X = load_digits().data / 16
    rng.shuffle(X)
    train, clean = X[:400], X[400:460]
    noisy = clean + rng.normal(scale=0.25, size=clean.shape)
    kernel = RBF(gamma=0.1)

    def error(Z):
        return np.mean((Z - clean) ** 2)

    for n_components in (16, 32):
        linear = error(pca(train, noisy, n_components))
        coef = kpca_coef(kernel, train, noisy, n_components)
        for method, options in (
            ("fixed_point", {"start": noisy}),
            ("fixed_point", {"start": noisy, "reg": 0.01}),
            ("distance", {}),
        ):
            assert error(preimages(method, kernel, train, coef, **options).values) < 0.95 * linear


def test_many_neighbours_do_not_blow_up_directions_of_little_extent():
    # 40 neighbours in 64 dimensions: unbounded, errors of the distances move points by multiples of the data's size.
    rng = np.random.default_rng(0)
    X = load_digits().data[:300] / 16
    points = X[:20] + rng.normal(scale=0.25, size=(20, 64))
    coef = kpca_coef(RBF(gamma=0.1), X, points, 16)
    found = preimages("distance", RBF(gamma=0.1), X, coef, n_neighbors=40)
    assert np.abs(found.values).max() < 2
    assert (found.distances < 1).all()


def test_denoising_a_curve_beats_pca(rng):
    angle = rng.uniform(0, 1.6 * np.pi, 250)
    curve = np.column_stack([np.cos(angle), np.sin(angle)])
    train = curve[:200] + rng.normal(scale=0.1, size=(200, 2))
    noisy = curve[200:] + rng.normal(scale=0.1, size=(50, 2))
    coef = kpca_coef(RBF(gamma=1.0), train, noisy, 4)
    z = preimages("fixed_point", RBF(gamma=1.0), train, coef, start=noisy).values

    def off(z):
        return np.mean((np.linalg.norm(z, axis=1) - 1) ** 2)

    assert off(z) < 0.5 * off(noisy)
    assert off(z) < 0.1 * off(pca(train, noisy, 1))


@pytest.mark.parametrize("sigma", [0.05, 0.1])
def test_toy_of_mika(rng, sigma):
    # 11 Gaussians of width σ in ten dimensions; the error is the squared distance to the centre. Mika et al. 1999
    # report ratios PCA/KPCA far above one for small σ.
    centres = rng.uniform(-1, 1, size=(11, 10))
    train = np.repeat(centres, 40, axis=0) + rng.normal(scale=sigma, size=(440, 10))
    target = np.repeat(centres, 10, axis=0)
    test = target + rng.normal(scale=sigma, size=target.shape)
    kernel = RBF(gamma=1 / (20 * sigma**2))
    for n_components in (1, 5, 9):
        coef = kpca_coef(kernel, train, test, n_components)
        z = preimages("fixed_point", kernel, train, coef, start=test).values
        assert np.sum((pca(train, test, n_components) - target) ** 2) > 10 * np.sum((z - target) ** 2)


# ---- kinds of data


def test_strings():
    @user
    def bigrams(a, b):
        pairs = [{w[i : i + 2] for i in range(len(w) - 1)} for w in (a, b)]
        return float(len(pairs[0] & pairs[1]))

    words = ["kernel", "colonel", "kernels", "matrix", "matrices"]
    found = preimages("nearest", bigrams, words, [[0.2, 0.1, 0.9, 0.0, 0.0], [0.0, 0.0, 0.0, 0.2, 0.9]])
    assert found.values == ["kernels", "matrices"]
    assert found.solution.converged
    for method in ("fixed_point", "distance"):
        with pytest.raises(ValueError, match=r"method='nearest', which supports every kernel"):
            preimages(method, bigrams, words, np.eye(5))


@pytest.mark.parametrize("method", ["fixed_point", "distance", "nearest"])
@pytest.mark.parametrize("kernel", [RBF(gamma=0.3), Polynomial(degree=3, gamma=0.3), RBF(gamma=(0.2, 0.5, 0.1, 0.4))])
def test_sparse_equals_dense(data, method, kernel):
    X, points = data
    X = np.where(np.abs(X) < 0.4, 0.0, X)
    coef = kpca_coef(kernel, X, points, 6)
    dense = preimages(method, kernel, X, coef, start=points).values
    sparse = preimages(method, kernel, sp.csr_array(X), coef, start=sp.csr_matrix(points)).values
    if method == "nearest":
        sparse = sparse.toarray()
    np.testing.assert_allclose(sparse, dense, atol=1e-7)


def test_float32_lists_and_read_only(data):
    X, points = data
    coef = kpca_coef(RBF(gamma=0.3), X, points, 6)
    expected = preimages("fixed_point", RBF(gamma=0.3), X, coef, start=points).values
    X.flags.writeable = coef.flags.writeable = points.flags.writeable = False
    for kind in (np.float32, list):
        given = X.tolist() if kind is list else X.astype(kind)
        found = preimages("fixed_point", RBF(gamma=0.3), given, coef.tolist(), start=points).values
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_far_from_the_origin(data):
    X, points = data
    coef = kpca_coef(RBF(gamma=0.3), X, points, 6)
    here = preimages("fixed_point", RBF(gamma=0.3), X, coef).values
    there = preimages("fixed_point", RBF(gamma=0.3), X + 1e6, coef)
    assert there.solution.converged
    np.testing.assert_allclose(there.values - 1e6, here, atol=1e-7)


@pytest.mark.parametrize("factor", [1e-8, 1e8])
@pytest.mark.parametrize("method", ["fixed_point", "distance"])
def test_units_do_not_matter(data, factor, method):
    X, points = data
    coef = kpca_coef(Matern(gamma=0.3), X, points, 6)
    here = preimages(method, Matern(gamma=0.3), X, coef).values
    there = preimages(method, Matern(gamma=0.3 / factor), factor * X, coef).values
    np.testing.assert_allclose(there / factor, here, atol=1e-8)


# ---- degenerate and hostile input


@pytest.mark.parametrize("kernel", [RBF(gamma=1.0), Matern(gamma=1.0), Polynomial(degree=3, coef0=0.0)], ids=str)
def test_a_start_far_away_falls_back_on_the_data(data, kernel):
    X, _ = data
    coef = np.eye(len(X))[:3]
    far = preimages("fixed_point", kernel, X, coef, start=np.full((3, 4), 1e6))
    np.testing.assert_allclose(far.values, X[:3], atol=1e-6)


@pytest.mark.parametrize("method", ["fixed_point", "distance", "nearest"])
@pytest.mark.parametrize("kernel", [RBF(gamma=1.0), RationalQuadratic(alpha=0.05), Polynomial(3, 1.0, 0.0), Linear()])
@pytest.mark.parametrize("rows", [[0.0], [1.0], [-3.0], [1e12]])
def test_numbers_stay_finite(data, method, kernel, rows):
    X, _ = data
    kernel = kernel.resolve(X)
    for samples in (X[:1], X[[0, 0, 0]], X, np.zeros((4, 4))):
        coef = np.zeros((2, len(samples)))
        coef[:, 0] = rows
        found = preimages(method, kernel, samples, coef, max_iter=50)
        assert np.isfinite(found.values).all()
        assert np.isfinite(found.distances).all()
        assert found.values.shape == (2, 4)


@pytest.mark.parametrize("method", ["fixed_point", "distance", "nearest"])
def test_one_and_repeated_samples(data, method):
    X, _ = data
    for samples in (X[:1], X[[0, 0, 0, 0]]):
        coef = np.full((1, len(samples)), 1 / len(samples))
        np.testing.assert_allclose(preimages(method, RBF(gamma=0.5), samples, coef).values, X[:1], atol=1e-7)


def test_zero_expansion():
    X = np.array([[1.0, 2.0], [3.0, -1.0]])
    zero = preimages("fixed_point", Polynomial(degree=2, gamma=1.0), X, np.zeros((1, 2)))
    np.testing.assert_allclose(zero.values, 0, atol=1e-8)  # ‖φ(z)‖ is least at the origin
    still = preimages("fixed_point", RBF(gamma=1.0), X, np.zeros((1, 2)), start=[[5.0, 5.0]])
    np.testing.assert_array_equal(still.values, [[5.0, 5.0]])  # ‖φ(z)‖ = 1 everywhere
    assert still.solution.converged


def test_a_constant_kernel_keeps_the_start(data):
    X, points = data
    found = preimages("fixed_point", Constant(2.0), X, np.ones((7, len(X))), start=points)
    np.testing.assert_array_equal(found.values, points)


def test_max_iter_is_reported(data):
    X, points = data
    coef = kpca_coef(RBF(gamma=1.0), X, points, 4)
    found = preimages("fixed_point", RBF(gamma=1.0), X, coef, start=points, max_iter=1)
    assert found.solution.status is Status.MAX_ITER
    assert found.solution.n_iter == 1
    assert found.solution.violation > 1e-10


@pytest.mark.parametrize(
    ("method", "kernel", "message"),
    [
        ("fixed_point", Laplacian(gamma=1.0), r"Linear, Polynomial, RBF, .*got laplacian.*Use method='nearest'"),
        (
            "fixed_point",
            Exponential(gamma=1.0),
            r"Use method='distance', which supports this kernel, or method='nearest'",
        ),
        ("fixed_point", RBF(gamma=(1.0,) * 4) + Linear(), "known derivative"),
        ("distance", Polynomial(degree=2), r"RBF, Exponential, .*Use method='fixed_point', which supports this kernel"),
        ("distance", Cosine(), r"Polynomial of odd degree"),
        ("distance", RBF(gamma=1.0) - RBF(gamma=2.0), "determines Euclidean distances"),
        ("distance", None, "needs a kernel and vectors"),
        ("ridge", RBF(gamma=1.0), "'fixed_point', 'distance' or 'nearest', got 'ridge'"),
    ],
)
def test_refusals_say_what_works(data, method, kernel, message):
    X, _ = data
    X = np.eye(60) if kernel is None else X
    with pytest.raises(ValueError, match=message):
        preimages(method, kernel, X, np.eye(60))


def test_wrong_arguments(data):
    X, points = data
    coef = np.eye(60)[:7]
    with pytest.raises(ValueError, match="coef has 60 columns, but X_fit has 59 samples"):
        preimages("nearest", RBF(), X[:59], coef)
    with pytest.raises(ValueError, match=r"start must have shape \(7, 4\)"):
        preimages("fixed_point", RBF(), X, coef, start=points[:3])
    with pytest.raises(ValueError, match="reg must be a finite number >= 0"):
        preimages("fixed_point", RBF(), X, coef, reg=-1.0)
    with pytest.raises(ValueError, match="coef contains NaN"):
        preimages("distance", RBF(), X, np.full((1, 60), np.nan))
    with pytest.raises(TypeError, match="coef: takes dense arrays"):
        preimages("distance", RBF(), X, sp.csr_matrix(coef))
    with pytest.raises(TypeError, match="kernel must be a kernel"):
        preimages("distance", "rbf", X, coef)
