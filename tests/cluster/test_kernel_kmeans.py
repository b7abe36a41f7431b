"""KernelKMeans: k-means on φ(X), any data, weights, degenerate input."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

import mercer._runtime.limits as limits
from mercer.cluster import KernelKMeans
from mercer.exceptions import NotPositiveDefiniteError
from mercer.kernels import RBF, Polynomial
from mercer.solvers.solution import Status


@pytest.fixture
def blobs():
    return make_blobs(200, centers=5, n_features=3, cluster_std=2.0, random_state=0)[0]


def quadratic(X):
    """φ of (⟨x, z⟩ + 1)²."""
    d = X.shape[1]
    pairs = [X[:, i] * X[:, j] * (1 if i == j else np.sqrt(2)) for i in range(d) for j in range(i, d)]
    return np.column_stack([*pairs, np.sqrt(2) * X, np.ones(len(X))])


@pytest.mark.parametrize(
    ("kernel", "phi"), [("linear", lambda X: X), (Polynomial(degree=2, gamma=1.0, coef0=1.0), quadratic)]
)
def test_equals_k_means_in_feature_space(blobs, kernel, phi):
    rng = np.random.default_rng(1)
    weight, start = rng.uniform(0.5, 2.0, size=200), rng.choice(200, size=5, replace=False)
    ours = KernelKMeans(5, kernel=kernel, init=start).fit(blobs, sample_weight=weight)
    theirs = KMeans(5, init=phi(blobs)[start], n_init=1, tol=0).fit(phi(blobs), sample_weight=weight)
    new = rng.normal(scale=4.0, size=(50, 3))
    assert np.array_equal(ours.labels_, theirs.labels_)
    assert ours.n_iter_ == theirs.n_iter_
    assert np.isclose(ours.inertia_, theirs.inertia_, rtol=1e-9)
    assert np.array_equal(ours.predict(new), theirs.predict(phi(new)))
    assert np.allclose(ours.transform(new), theirs.transform(phi(new)), rtol=1e-6)
    assert np.isclose(ours.score(new), theirs.score(phi(new)), rtol=1e-9)


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_random_starts_are_those_of_scikit_learn(blobs, init):
    ours = KernelKMeans(5, kernel="linear", init=init, n_init=3, random_state=3).fit(blobs)
    theirs = KMeans(5, init=init, n_init=3, tol=0, random_state=3).fit(blobs)
    assert np.array_equal(ours.labels_, theirs.labels_)


def test_distances_are_those_of_the_expansion(blobs):
    model = KernelKMeans(4, gamma=0.05, random_state=0)
    distances = model.fit_transform(blobs)
    K = RBF(gamma=0.05)(blobs)
    C = model.dual_coef_
    expected = np.sqrt(np.diag(K)[:, None] - 2 * K @ C + np.diag(C.T @ K @ C))
    assert np.allclose(distances, expected, atol=1e-9)
    assert np.allclose(model.transform(blobs), expected, atol=1e-9)
    assert np.array_equal(model.predict(blobs), model.labels_)
    assert np.isclose(-model.score(blobs), model.inertia_)
    assert np.isclose(model.solution_.objective, model.inertia_)
    assert model.solution_.violation == 0
    assert np.isclose(model.inertia_history_[-1], model.inertia_)


def test_weights_are_repetitions(blobs):
    rng = np.random.default_rng(2)
    weight, labels = rng.integers(0, 4, size=200), rng.integers(0, 3, size=200)
    weighted = KernelKMeans(3, init=labels).fit(blobs, sample_weight=weight)
    repeated = KernelKMeans(3, init=np.repeat(labels, weight)).fit(np.repeat(blobs, weight, axis=0))
    assert np.array_equal(np.repeat(weighted.labels_, weight), repeated.labels_)
    assert np.isclose(weighted.inertia_, repeated.inertia_, rtol=1e-10)
    assert np.array_equal(weighted.predict(blobs), repeated.predict(blobs))


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_weight_zero_is_absence(blobs, init):
    weight = np.random.default_rng(3).integers(0, 2, size=200)
    weighted = KernelKMeans(3, init=init, random_state=0).fit(blobs, sample_weight=weight)
    absent = KernelKMeans(3, init=init, random_state=0).fit(blobs[weight > 0])
    assert np.array_equal(weighted.labels_[weight > 0], absent.labels_)
    assert np.array_equal(weighted.labels_, absent.predict(blobs))


def test_without_room_for_the_matrix(blobs, monkeypatch):
    model = KernelKMeans(4, random_state=0, n_init=3).fit(blobs)
    monkeypatch.setattr(limits, "available_memory", lambda: 10_000)
    lean = clone(model).fit(blobs)
    assert np.array_equal(lean.labels_, model.labels_)
    assert np.isclose(lean.inertia_, model.inertia_, rtol=1e-12)


def test_precomputed_is_the_kernel(blobs):
    K = RBF(gamma=0.1)(blobs)
    model = KernelKMeans(4, gamma=0.1, random_state=0).fit(blobs)
    same = KernelKMeans(4, kernel="precomputed", random_state=0).fit(K)
    assert np.array_equal(model.labels_, same.labels_)
    assert np.array_equal(model.predict(blobs[:20]), same.predict(K[:20]))
    assert np.allclose(clone(same).fit_transform(K), model.transform(blobs), atol=1e-9)
    assert not hasattr(same, "transform")
    assert not hasattr(same, "score")


def test_sparse_and_strings(blobs):
    thin = np.where(np.abs(blobs) > 3, blobs, 0.0)
    dense, sparse = (KernelKMeans(3, gamma=0.1, random_state=0).fit(X) for X in (thin, sp.csr_matrix(thin)))
    assert np.array_equal(dense.labels_, sparse.labels_)

    def letters(A, B):
        return [[len(set(a) & set(b)) for b in B] for a in A]

    words = ["aab", "abb", "ba", "xyz", "zyx", "yyz"]
    model = KernelKMeans(2, kernel=letters, random_state=0).fit(words)
    assert (model.labels_ == model.labels_[[0, 0, 0, 3, 3, 3]]).all()
    assert model.labels_[0] != model.labels_[3]
    assert model.predict(["bab", "zzz"]).tolist() == model.labels_[[0, 3]].tolist()


def test_set_output(blobs):
    pytest.importorskip("pandas")
    frame = KernelKMeans(2, random_state=0).set_output(transform="pandas").fit(blobs).transform(blobs[:3])
    assert list(frame.columns) == ["kernelkmeans0", "kernelkmeans1"]


def test_predictions_do_not_depend_on_the_batch(blobs):
    model = KernelKMeans(3, random_state=0).fit(blobs)
    single = np.vstack([model.transform(x[None]) for x in blobs[:10]])
    assert np.allclose(single, model.transform(blobs)[:10], rtol=1e-12, atol=1e-12)


def test_fewer_distinct_samples_than_clusters():
    X = np.repeat(np.eye(3), 5, axis=0)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(3\) found smaller than n_clusters \(5\)"):
        model = KernelKMeans(5, random_state=0).fit(X)
    assert model.inertia_ < 1e-12
    assert np.array_equal(model.predict(X), model.labels_)
    assert (np.isinf(model.transform(X)).sum(axis=1) == 2).all()


@pytest.mark.parametrize("kernel", ["rbf(gamma=1)", "linear", lambda A, B: np.zeros((len(A), len(B)))])
def test_constant_data_and_zero_kernel(kernel):
    X = np.zeros((6, 2))
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):
        model = KernelKMeans(2, kernel=kernel, random_state=0).fit(X)
    assert model.inertia_ == 0
    assert len(np.unique(model.labels_)) == 1


def test_indefinite_kernel():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    model = KernelKMeans(3, kernel=lambda A, B: -(A @ B.T), init=rng.integers(0, 3, size=40)).fit(X)
    assert model.solution_.status is Status.NOT_PSD
    with pytest.raises(NotPositiveDefiniteError, match="no metric"):
        model.transform(X)


def test_max_iter_warns(blobs):
    with pytest.warns(ConvergenceWarning, match="max_iter=1 iterations, .*% of the weight would still move"):
        model = KernelKMeans(5, kernel="linear", init="random", n_init=1, max_iter=1, random_state=0).fit(blobs)
    assert model.solution_.violation > 0


@pytest.mark.parametrize(
    ("init", "message"),
    [
        ([0, 1], "init must be 'k-means\\+\\+', 'random', 3 indices of samples or 200 labels"),
        ([0.5, 1.0, 2.0], "init must be"),
        ([0, 1, 200], r"the indices of samples in init must be in 0..199, got 0..200"),
        ([3] * 200, r"the labels in init must be in 0..2"),
    ],
)
def test_wrong_starts(blobs, init, message):
    with pytest.raises(ValueError, match=message):
        KernelKMeans(3, init=init).fit(blobs)


def test_more_clusters_than_samples(blobs):
    with pytest.raises(ValueError, match=r"n_samples=3 .* should be >= n_clusters=8"):
        KernelKMeans().fit(blobs[:3])
