"""Kernel k-means with an approximated kernel: clusters of K̂ = FFᵀ, bounds that hold, the exact fit as the limit."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

import mercer._estimator.landmarks as landmarks
from mercer.cluster import KernelKMeans
from mercer.kernel_approximation import Nystroem, RandomFourierFeatures
from mercer.kernels import RBF, Polynomial, Spectrum
from tests.reference.kmeans import inertia

N = 150
KERNEL = RBF(gamma=0.05)


@pytest.fixture
def X():
    return make_blobs(N, centers=4, n_features=3, cluster_std=2.0, random_state=0)[0]


def replaced(A, B, pivots, kernel=KERNEL):
    """k̂(A, B) of a Nyström approximation with the landmarks `pivots`, without a factor of their matrix."""
    return kernel(A, pivots) @ np.linalg.solve(kernel(pivots), kernel(pivots, B))


def weights(seed, n=N):
    return np.random.default_rng(seed).integers(0, 4, size=n).astype(float)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("init", ["k-means++", "random", "given"])
def test_clusters_are_those_of_the_approximated_gram_matrix(X, weighted, held, init, monkeypatch):
    if not held:
        monkeypatch.setattr(landmarks, "_CANDIDATES", 60)
        monkeypatch.setattr(landmarks, "_PER_LANDMARK", 2)
    weight = weights(2) if weighted else None
    options = {"init": [3, 50, 90, 120] if init == "given" else init, "n_init": 3, "random_state": 0}
    found = KernelKMeans(4, kernel=KERNEL, approximation=25, **options).fit(X, sample_weight=weight)
    known = KernelKMeans(4, kernel="precomputed", **options)
    known.fit(replaced(X, X, found.X_fit_), sample_weight=weight)
    assert found.X_fit_.shape == (25, 3)
    assert np.array_equal(found.labels_, known.labels_)
    assert found.n_iter_ == known.n_iter_
    assert np.isclose(found.inertia_, known.inertia_, rtol=1e-5)
    assert np.allclose(found.inertia_history_, known.inertia_history_, rtol=1e-5)
    assert np.allclose(found.center_norms_, known.center_norms_, rtol=1e-5)
    assert found.solution_.violation == 0
    assert np.array_equal(found.predict(X), found.labels_)
    new = np.random.default_rng(5).normal(scale=4.0, size=(40, 3))
    assert np.array_equal(found.predict(new), known.predict(replaced(new, X, found.X_fit_)))


def test_distances_are_those_of_the_expansion(X):
    model = KernelKMeans(4, kernel=KERNEL, approximation=25, random_state=0)
    distances = model.fit_transform(X)
    C, Z = model.dual_coef_, model.X_fit_
    expected = np.sqrt(1 - 2 * KERNEL(X, Z) @ C + np.diag(C.T @ KERNEL(Z) @ C))
    assert np.allclose(distances, expected, atol=1e-9)
    assert np.allclose(model.transform(X), expected, atol=1e-9)
    assert np.isclose(-model.score(X), model.inertia_ + model.solution_.exact_gap, rtol=1e-6)


def test_all_samples_as_landmarks_are_the_exact_fit(X):
    options = {"n_clusters": 4, "kernel": "rbf", "gamma": 0.2, "n_init": 3, "random_state": 0}
    exact = KernelKMeans(**options).fit(X)
    found = KernelKMeans(**options, approximation=N).fit(X)
    assert np.array_equal(found.labels_, exact.labels_)
    assert np.isclose(found.inertia_, exact.inertia_, rtol=1e-6)
    assert np.allclose(found.transform(X), exact.transform(X), atol=1e-5)
    assert np.allclose(found.dual_coef_, exact.dual_coef_[found.approximation_.indices], atol=1e-3)
    assert 0 <= found.solution_.exact_gap < 1e-4
    assert exact.solution_.exact_gap == 0


def test_many_samples_are_approximated_automatically(X, monkeypatch):
    monkeypatch.setattr(KernelKMeans, "_exact_limit", 100)
    found = KernelKMeans(4, gamma=0.01, random_state=0, approximation="auto").fit(X)
    exact = KernelKMeans(4, gamma=0.01, init=found.labels_).fit(X)
    assert found.approximation_.residual_trace <= 1e-3
    assert np.isclose(found.inertia_, exact.inertia_, rtol=1e-2)


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.filterwarnings("ignore:.*depend on the others")  # the polynomial kernel has 15 features
def test_the_interval_contains_the_exact_inertia(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(60, 120)), int(rng.integers(5, 40))
    X = rng.normal(size=(n, 4)) + rng.normal(size=4)
    kernel = (RBF(gamma=0.3), RBF(gamma=2.0), Polynomial(degree=2, gamma=0.5, coef0=1.0))[seed % 3]
    weight = weights(seed, n) if seed % 2 else None
    landmark = Nystroem(n_components=m, landmarks="uniform", random_state=seed)
    found = KernelKMeans(3, kernel=kernel, approximation=landmark, random_state=seed).fit(X, sample_weight=weight)
    weight = np.ones(n) if weight is None else weight
    exact = inertia(kernel(X), weight, found.labels_)
    rounding = 1e-6 * (weight @ kernel.diag(X))
    assert found.inertia_ - rounding <= exact <= found.inertia_ + found.solution_.exact_gap + rounding
    assert found.solution_.exact_gap >= 0
    assert np.isnan(found.solution_.gap)


def test_random_features_have_no_bound(X):
    drawn = RandomFourierFeatures(n_components=3000, random_state=0)
    found = KernelKMeans(4, kernel=KERNEL, approximation=drawn, random_state=0)
    distances = found.fit_transform(X)
    assert np.isnan(found.solution_.exact_gap)
    assert np.allclose(distances, found.transform(X), atol=1e-9)
    exact = KernelKMeans(4, kernel=KERNEL, init=found.labels_).fit(X)
    assert np.isclose(found.inertia_, exact.inertia_, rtol=0.05)


def test_precomputed_is_the_kernel(X):
    K = KERNEL(X)
    model = KernelKMeans(4, kernel=KERNEL, approximation=25, random_state=0).fit(X)
    same = KernelKMeans(4, kernel="precomputed", approximation=25, random_state=0)
    distances = same.fit_transform(K)
    assert np.array_equal(same.labels_, model.labels_)
    assert np.array_equal(same.predict(K[:20]), model.labels_[:20])
    assert np.allclose(distances, model.transform(X), atol=1e-6)


def test_sparse_and_strings(X):
    thin = np.where(np.abs(X) > 3, X, 0.0)
    dense, sparse = (
        KernelKMeans(3, kernel=KERNEL, approximation=20, random_state=0).fit(A) for A in (thin, sp.csr_array(thin))
    )
    assert np.array_equal(dense.labels_, sparse.labels_)
    rng = np.random.default_rng(0)
    reads = ["".join(rng.choice(list("ACGT"), p=p, size=12)) for p in rng.dirichlet(np.ones(4) / 2, size=60)]
    found = KernelKMeans(3, kernel=Spectrum(2), approximation=12, init=np.arange(60) % 3).fit(reads)
    known = KernelKMeans(3, kernel="precomputed", init=np.arange(60) % 3)
    known.fit(replaced(reads, reads, found.X_fit_, Spectrum(2)))
    assert np.array_equal(found.labels_, known.labels_)


def test_weight_zero_is_absence(X):
    weight = np.random.default_rng(3).integers(0, 2, size=N)
    weighted = KernelKMeans(3, kernel=KERNEL, approximation=20, random_state=0).fit(X, sample_weight=weight)
    absent = KernelKMeans(3, kernel=KERNEL, approximation=20, random_state=0).fit(X[weight > 0])
    assert np.array_equal(weighted.labels_[weight > 0], absent.labels_)
    assert np.array_equal(weighted.labels_, absent.predict(X))


def test_degenerate_data():
    X = np.repeat(np.eye(3), 5, axis=0)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(3\) found smaller than n_clusters \(5\)"):
        model = KernelKMeans(5, random_state=0, approximation=3).fit(X)
    assert model.inertia_ < 1e-12
    assert np.array_equal(model.predict(X), model.labels_)
    assert (np.isinf(model.transform(X)).sum(axis=1) == 2).all()


def test_max_iter_warns(X):
    model = KernelKMeans(5, kernel=KERNEL, init="random", n_init=1, max_iter=1, random_state=0, approximation=30)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1 iterations, .*% of the weight would still move"):
        model.fit(X)
