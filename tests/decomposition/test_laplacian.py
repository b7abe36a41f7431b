"""Laplacian eigenmaps."""

import numpy as np
import pytest
from sklearn import manifold
from sklearn.neighbors import kneighbors_graph

from mercer.decomposition.laplacian import LaplacianEigenmaps
from mercer.kernels import RBF
from mercer.operators import center_gram
from tests.decomposition.manifolds import WORDS, assert_same, digits, s_curve, shared_letters, swiss_roll


@pytest.mark.parametrize("solver", ["dense", "arpack"])
@pytest.mark.parametrize(("data", "k"), [(swiss_roll, None), (s_curve, 7), (digits, 10)])
def test_neighbours_equal_to_scikit_learn(data, k, solver):
    X = data()
    ours = LaplacianEigenmaps(3, n_neighbors=k, eigen_solver=solver).fit(X)
    assert_same(ours.embedding_, manifold.SpectralEmbedding(3, n_neighbors=k).fit_transform(X))
    assert ours.solution_.converged
    assert ours.solution_.violation < 1e-12


@pytest.mark.parametrize("solver", ["dense", "arpack", "auto"])
def test_kernel_equal_to_scikit_learn(solver):
    X = s_curve()
    ours = LaplacianEigenmaps(3, affinity="kernel", kernel="rbf", gamma=2.0, eigen_solver=solver)
    theirs = manifold.SpectralEmbedding(3, affinity="rbf", gamma=2.0).fit_transform(X)
    assert_same(ours.fit_transform(X), theirs)
    precomputed = LaplacianEigenmaps(3, affinity="kernel", kernel="precomputed", eigen_solver=solver)
    assert_same(precomputed.fit_transform(RBF(gamma=2.0)(X)), theirs)


def test_kernel_pca_with_weights_of_degrees():
    """Σ_c π_c u_c u_cᵀ-components of k(x, z) = A/(d d), centred and weighted by degrees."""
    X = s_curve(80)
    model = LaplacianEigenmaps(2, affinity="kernel", kernel="rbf", gamma=1.0).fit(X)
    A = RBF(gamma=1.0)(X) - np.eye(80)
    d = A.sum(axis=1)
    K = center_gram(A / np.outer(d, d), weight=d)
    values, vectors = np.linalg.eigh(np.sqrt(d)[:, None] * K * np.sqrt(d))
    np.testing.assert_allclose(values[:-3:-1], 1 - model.eigenvalues_, atol=1e-12)
    assert_same(vectors[:, :-3:-1] / np.sqrt(d)[:, None], model.embedding_)
    np.testing.assert_allclose(d @ model.embedding_, 0, atol=1e-10)
    np.testing.assert_allclose(d @ model.embedding_**2, 1)


@pytest.mark.parametrize(
    "model",
    [
        LaplacianEigenmaps(n_neighbors=8),
        LaplacianEigenmaps(n_neighbors=8, kernel="rbf", gamma=0.01),
        LaplacianEigenmaps(affinity="kernel", kernel="rbf", gamma=0.05),
    ],
)
def test_embedding_of_training_samples(model):
    X = swiss_roll()
    model.fit(X)
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-12)
    Z = swiss_roll(20, seed=1)
    np.testing.assert_allclose(model.transform(Z), np.vstack([model.transform(z[None]) for z in Z]), atol=1e-12)


def test_new_samples_by_nystroem():
    X, Z = s_curve(), s_curve(10, seed=1)
    model = LaplacianEigenmaps(affinity="kernel", kernel="rbf", gamma=2.0).fit(X)
    rows = RBF(gamma=2.0)(Z, X)
    expected = rows @ model.embedding_ / rows.sum(axis=1, keepdims=True) / (1 - model.eigenvalues_)
    np.testing.assert_allclose(model.transform(Z), expected, atol=1e-13)


def test_new_samples_lie_between_their_neighbours():
    X = s_curve(300)
    model = LaplacianEigenmaps(n_neighbors=10).fit(X)
    Z = X[:20] + 1e-4
    np.testing.assert_allclose(model.transform(Z), model.embedding_[:20], atol=0.2 * np.abs(model.embedding_).max())


def test_affinities_of_neighbours(rng):
    X = rng.normal(size=(30, 2))
    model = LaplacianEigenmaps(n_neighbors=5).fit(X)
    C = kneighbors_graph(X, 5, include_self=True).toarray()
    A = (C + C.T) / 2
    np.fill_diagonal(A, 0)
    d, u = A.sum(axis=1), model.embedding_
    np.testing.assert_allclose(A @ u, d[:, None] * u * (1 - model.eigenvalues_), atol=1e-12)
    precomputed = LaplacianEigenmaps(affinity="kernel", kernel="precomputed").fit(A)
    assert_same(precomputed.embedding_, u)


def test_gram_matrix_that_does_not_tell_distances(rng):
    X = rng.normal(size=(30, 2))
    model = LaplacianEigenmaps(n_neighbors=6, kernel="precomputed").fit(X @ X.T)
    assert_same(model.embedding_, LaplacianEigenmaps(n_neighbors=6).fit_transform(X))
    with pytest.raises(ValueError, match=r"need k\(x, x\)"):
        model.transform(X @ X.T)


def test_repeated_rows_have_the_same_coordinates(rng):
    X = np.repeat(rng.normal(size=(30, 2)), 2, axis=0)
    for model in (LaplacianEigenmaps(n_neighbors=8), LaplacianEigenmaps(affinity="kernel", kernel="rbf")):
        model.fit(X)
        np.testing.assert_allclose(model.embedding_[::2], model.embedding_[1::2], atol=1e-10)
        np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-10)


def test_equally_near_samples_are_all_neighbours():
    X = np.arange(6.0)[:, None]
    model = LaplacianEigenmaps(1, n_neighbors=2).fit(X)  # each inner one has two at distance 1
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-12)
    np.testing.assert_allclose(np.abs(model.embedding_), np.abs(model.embedding_[::-1]), atol=1e-12)


def test_constant_data_are_a_complete_graph():
    model = LaplacianEigenmaps().fit(np.full((30, 2), 0.1))
    np.testing.assert_allclose(model.eigenvalues_, 30 / 29)
    assert np.isfinite(model.embedding_).all()


@pytest.mark.parametrize("options", [{"n_neighbors": 4}, {"affinity": "kernel", "kernel": "rbf", "gamma": 1.0}])
def test_two_pieces(rng, options):
    X = np.vstack([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 50])
    with pytest.warns(UserWarning, match="is not connected, so the first coordinates only separate its"):
        model = LaplacianEigenmaps(**options).fit(X)
    assert np.ptp(model.embedding_[:20, 0]) < 1e-9
    assert abs(model.embedding_[0, 0] - model.embedding_[20, 0]) > 0.01


def test_strings():
    for model in (
        LaplacianEigenmaps(n_neighbors=5, kernel=shared_letters),
        LaplacianEigenmaps(affinity="kernel", kernel=shared_letters),
    ):
        model.fit(WORDS)
        np.testing.assert_allclose(model.transform(WORDS), model.embedding_, atol=1e-10)


def test_samples_without_any_affinity(rng):
    X = rng.normal(size=(20, 2))
    narrow = LaplacianEigenmaps(affinity="kernel", kernel="rbf", gamma=1.0)
    with pytest.raises(ValueError, match="sample 20 has no affinity to any other"):
        narrow.fit(np.vstack([X, [[1e3, 1e3]]]))
    with pytest.raises(ValueError, match="sample 1 has no affinity to any training sample"):
        narrow.fit(X).transform([[0.0, 0.0], [1e3, 1e3]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"affinity": "kernel"}, "LaplacianEigenmaps: affinities must not be negative"),
        ({"n_neighbors": 13}, "n_neighbors=13 must be at most n_samples=12"),
        ({"n_neighbors": 1}, "n_neighbors"),
        ({"n_components": 12}, "n_components=12 must be less than n_samples=12"),
    ],
)
def test_what_is_refused(options, message, rng):
    with pytest.raises(ValueError, match=message):
        LaplacianEigenmaps(**options).fit(rng.normal(size=(12, 2)))
