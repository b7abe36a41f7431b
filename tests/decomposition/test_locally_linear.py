"""Locally linear embedding."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import manifold

from mercer.decomposition.locally_linear import LocallyLinearEmbedding
from mercer.kernels import RBF, Linear, Polynomial
from mercer.operators import gram
from mercer.solvers.embedding import barycentric_weights
from tests.decomposition.manifolds import WORDS, assert_same, digits, distances, s_curve, shared_letters, swiss_roll


@pytest.mark.parametrize("solver", ["dense", "arpack"])
@pytest.mark.parametrize(("data", "k"), [(swiss_roll, 8), (s_curve, 7), (digits, 10)])
def test_equal_to_scikit_learn(data, k, solver):
    X, Z = data()[:-20], data()[-20:]
    ours = LocallyLinearEmbedding(n_neighbors=k, eigen_solver=solver).fit(X)
    theirs = manifold.LocallyLinearEmbedding(n_neighbors=k, eigen_solver="dense").fit(X)
    assert_same(ours.embedding_, theirs.embedding_, tol=1e-6)  # the gaps are 1e-7 of the spectrum
    assert_same(ours.transform(Z), theirs.transform(Z), tol=1e-6)
    assert ours.reconstruction_error_ == pytest.approx(theirs.reconstruction_error_, rel=1e-5)
    assert ours.solution_.converged
    assert ours.solution_.violation < 1e-12


def test_weights_are_barycentric(rng):
    X = rng.normal(size=(30, 5))
    D = distances(X)
    near = np.argsort(D, axis=1)[:, 1:5]
    K = gram(Linear(), X)
    weights = barycentric_weights(K, K.diag(), np.take_along_axis(D**2, near, axis=1), near, 0.0)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    for x, w, neighbors in zip(X, weights, X[near], strict=True):
        residual = x - w @ neighbors
        edges = neighbors[1:] - neighbors[0]
        np.testing.assert_allclose(edges @ residual, 0, atol=1e-9)  # orthogonal to the span of the neighbours


def test_the_certificate_of_the_eigenvectors():
    X = swiss_roll()
    model = LocallyLinearEmbedding(3, n_neighbors=8).fit(X)
    np.testing.assert_allclose(model.embedding_.T @ model.embedding_, np.eye(3), atol=1e-10)
    np.testing.assert_allclose(model.embedding_.sum(axis=0), 0, atol=1e-9)
    assert np.all(np.diff(model.eigenvalues_) >= 0)
    assert model.solution_.objective == pytest.approx(model.reconstruction_error_, rel=1e-5)


def test_metric_of_a_kernel():
    """The kernel's inner products are those of its features."""
    X, Z = s_curve(120), s_curve(10, seed=1)
    k = Polynomial(degree=2, gamma=1.0, coef0=1.0)
    ours = LocallyLinearEmbedding(n_neighbors=9, kernel=k).fit(X)
    theirs = manifold.LocallyLinearEmbedding(n_neighbors=9, eigen_solver="dense").fit(k.feature_map(X))
    assert_same(ours.embedding_, theirs.embedding_, tol=1e-5)
    assert_same(ours.transform(Z), theirs.transform(k.feature_map(Z)), tol=1e-5)


def test_gram_matrix(rng):
    X, Z = s_curve(100), s_curve(10, seed=1)
    k = RBF(gamma=0.5)
    by_kernel = LocallyLinearEmbedding(n_neighbors=8, kernel=k).fit(X)
    by_gram = LocallyLinearEmbedding(n_neighbors=8, kernel="precomputed").fit(k(X))
    assert_same(by_gram.embedding_, by_kernel.embedding_, tol=1e-6)
    assert_same(by_gram.transform(k(Z, X)), by_kernel.transform(Z), tol=1e-6)
    linear = LocallyLinearEmbedding(kernel="precomputed").fit(X @ X.T)
    with pytest.raises(ValueError, match=r"need k\(x, x\)"):
        linear.transform(X @ X.T)


def test_embedding_of_training_samples():
    X = swiss_roll()
    model = LocallyLinearEmbedding(n_neighbors=8).fit(X)
    np.testing.assert_allclose(model.transform(X), model.embedding_, rtol=0, atol=1e-14)
    Z = swiss_roll(20, seed=1)
    np.testing.assert_allclose(model.transform(Z), np.vstack([model.transform(z[None]) for z in Z]), atol=1e-11)


def test_sparse_vectors(rng):
    X = rng.normal(size=(40, 3)) * (rng.random((40, 3)) > 0.3)
    ours = LocallyLinearEmbedding(n_neighbors=6)
    assert_same(ours.fit_transform(sp.csr_array(X)), ours.fit_transform(X), tol=1e-6)


def test_strings():
    model = LocallyLinearEmbedding(n_neighbors=6, kernel=shared_letters).fit(WORDS)
    gram_matrix = LocallyLinearEmbedding(n_neighbors=6, kernel="precomputed").fit(shared_letters(WORDS))
    assert_same(model.embedding_, gram_matrix.embedding_, tol=1e-6)
    assert model.transform(["perch", "elm"]).shape == (2, 2)


def test_two_pieces(rng):
    X = np.vstack([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 50])
    with pytest.warns(UserWarning, match="has 2 connected components, and the first coordinates only separate these"):
        model = LocallyLinearEmbedding(n_neighbors=4).fit(X)
    assert np.ptp(model.embedding_[:20, 0]) < 1e-5
    assert model.eigenvalues_[0] < 1e-12


@pytest.mark.parametrize("n", [8, 450])
def test_constant_data_give_orthonormal_coordinates(n):
    model = LocallyLinearEmbedding().fit(np.full((n, 3), 0.1))
    assert np.isfinite(model.embedding_).all()
    np.testing.assert_allclose(model.embedding_.T @ model.embedding_, np.eye(2), atol=1e-9)


def test_repeated_rows(rng):
    X = np.repeat(rng.normal(size=(30, 2)), 2, axis=0)
    model = LocallyLinearEmbedding(n_neighbors=6).fit(X)
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.transform(X)).all()


def test_more_coordinates_than_features(rng):
    assert LocallyLinearEmbedding(5, n_neighbors=6).fit(rng.normal(size=(40, 2))).embedding_.shape == (40, 5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_neighbors": 12}, "n_neighbors=12 must be less than n_samples=12"),
        ({"n_components": 12}, "n_components=12 must be less than n_samples=12"),
        ({"reg": -1.0}, "reg"),
    ],
)
def test_what_is_refused(options, message, rng):
    with pytest.raises(ValueError, match=message):
        LocallyLinearEmbedding(**options).fit(rng.normal(size=(12, 2)))


def test_weights_that_are_not_unique():
    with pytest.raises(ValueError, match="not unique with reg=0; raise reg"):
        LocallyLinearEmbedding(reg=0).fit(np.ones((12, 2)))
