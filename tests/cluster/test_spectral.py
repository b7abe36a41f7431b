"""KernelSpectralClustering against scikit-learn, its cut, and new samples."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from mercer.cluster import KernelSpectralClustering
from mercer.kernels import RBF


@pytest.fixture
def moons():
    return make_moons(150, noise=0.06, random_state=0)


@pytest.mark.parametrize("assign_labels", ["kmeans", "cluster_qr"])
def test_labels_of_scikit_learn(assign_labels):
    X, _ = make_blobs(120, centers=4, cluster_std=1.5, random_state=1)
    K = RBF(gamma=0.3)(X)
    ours = KernelSpectralClustering(4, gamma=0.3, assign_labels=assign_labels, random_state=0).fit(X)
    theirs = SpectralClustering(4, affinity="precomputed", assign_labels=assign_labels, random_state=0).fit(K)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1.0


def test_the_embedding_is_of_eigenvectors_of_the_random_walk(moons):
    X, _ = moons
    model = KernelSpectralClustering(2, gamma=15.0, n_components=4, random_state=0).fit(X)
    A = RBF(gamma=15.0)(X)
    np.fill_diagonal(A, 0.0)
    walk = A / A.sum(axis=1, keepdims=True)
    assert np.allclose(walk @ model.embedding_, model.embedding_ * model.eigenvalues_, atol=1e-9)
    assert np.isclose(model.eigenvalues_[0], 1.0)
    assert model.solution_.converged


def test_the_cut_and_its_bound(moons):
    X, _ = moons
    model = KernelSpectralClustering(2, gamma=15.0, random_state=0).fit(X)
    A = RBF(gamma=15.0)(X)
    np.fill_diagonal(A, 0.0)
    one = model.labels_ == 0
    between = A[one][:, ~one].sum()
    assert np.isclose(model.cut_, between / A[one].sum() + between / A[~one].sum())
    assert model.cut_ >= 2 - model.eigenvalues_.sum() - 1e-12


def test_new_samples(moons):
    X, _ = moons
    model = KernelSpectralClustering(2, gamma=15.0, random_state=0).fit(X)
    new, y = make_moons(80, noise=0.06, random_state=5)
    assert adjusted_rand_score(model.predict(new), y) > 0.8
    assert np.mean(model.predict(X) == model.labels_) > 0.98
    K = RBF(gamma=15.0)
    same = KernelSpectralClustering(2, kernel="precomputed", random_state=0).fit(K(X))
    assert np.array_equal(same.predict(K(new, X)), model.predict(new))


def test_parts_of_a_graph_are_clusters():
    K = sp.block_diag([np.ones((4, 4)), np.ones((3, 3)), np.ones((5, 5))]).toarray()
    model = KernelSpectralClustering(3, kernel="precomputed", random_state=0).fit(K)
    assert adjusted_rand_score(model.labels_, np.repeat([0, 1, 2], [4, 3, 5])) == 1.0
    assert np.allclose(model.eigenvalues_, 1.0)
    assert abs(model.cut_) < 1e-12


def test_sparse_and_strings(moons):
    X, _ = moons
    a, b = (KernelSpectralClustering(2, gamma=15.0, random_state=0).fit(Z) for Z in (X, sp.csr_matrix(X)))
    assert np.array_equal(a.labels_, b.labels_)

    def letters(A, B):
        return [[len(set(a) & set(b)) for b in B] for a in A]

    words = ["aab", "abb", "bax", "xyz", "zyx", "yyz"]
    model = KernelSpectralClustering(2, kernel=letters, random_state=0).fit(words)
    assert adjusted_rand_score(model.labels_, [0, 0, 0, 1, 1, 1]) == 1.0
    assert model.predict(["bab", "zzz"]).tolist() == model.labels_[[0, 3]].tolist()


def test_isolated_samples_and_constant_data():
    K = np.ones((6, 6))
    K[5, :5] = K[:5, 5] = 0.0
    model = KernelSpectralClustering(2, kernel="precomputed", random_state=0).fit(K)
    assert adjusted_rand_score(model.labels_, [0, 0, 0, 0, 0, 1]) == 1.0
    assert len(KernelSpectralClustering(1).fit(np.ones((5, 2))).labels_) == 5


def test_refusals():
    X = np.random.default_rng(0).normal(size=(10, 2))
    with pytest.raises(ValueError, match="must be non-negative, got -"):
        KernelSpectralClustering(2, kernel="linear").fit(X)
    with pytest.raises(ValueError, match="zero between all samples"):
        KernelSpectralClustering(2, kernel="precomputed").fit(np.eye(5))
    with pytest.raises(ValueError, match="n_samples=10 should be >= n_clusters=11"):
        KernelSpectralClustering(11).fit(X)
    with pytest.raises(ValueError, match="one cluster per eigenvector"):
        KernelSpectralClustering(2, n_components=3, assign_labels="cluster_qr").fit(X)
