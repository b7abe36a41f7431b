"""Isomap."""

import itertools
import warnings

import numpy as np
import pytest
from sklearn import manifold

from mercer.decomposition.isomap import Isomap
from mercer.kernels import RBF
from tests.decomposition.manifolds import WORDS, assert_same, digits, distances, s_curve, shared_letters, swiss_roll


@pytest.mark.parametrize("solver", ["dense", "arpack"])
@pytest.mark.parametrize(("data", "k"), [(swiss_roll, 8), (s_curve, 7), (digits, 7)])
def test_equal_to_scikit_learn(data, k, solver):
    X, Z = data()[:-20], data()[-20:]
    ours = Isomap(3, n_neighbors=k, eigen_solver=solver).fit(X)
    theirs = manifold.Isomap(n_components=3, n_neighbors=k, eigen_solver="dense").fit(X)
    np.testing.assert_allclose(ours.dist_matrix_, theirs.dist_matrix_, rtol=1e-9)
    assert_same(ours.embedding_, theirs.embedding_)
    assert_same(ours.transform(Z), theirs.transform(Z))
    assert ours.reconstruction_error() == pytest.approx(theirs.reconstruction_error())
    assert ours.solution_.converged
    assert ours.solution_.violation < 1e-12


def test_paths_are_shortest(rng):
    X = rng.normal(size=(14, 2))
    model = Isomap(n_neighbors=4).fit(X)
    D = distances(X)
    nearest = np.argsort(D + np.diag(np.full(14, np.inf)), axis=1)[:, :4]
    paths = np.full(D.shape, np.inf)
    for i, j in enumerate(nearest):
        paths[i, j] = paths[j, i] = D[i, j]
    np.fill_diagonal(paths, 0)
    for m, i, j in itertools.product(range(14), repeat=3):  # Floyd and Warshall
        paths[i, j] = min(paths[i, j], paths[i, m] + paths[m, j])
    np.testing.assert_allclose(model.dist_matrix_, paths, rtol=1e-9)


def test_embedding_of_training_samples():
    X = swiss_roll()
    model = Isomap(n_neighbors=8).fit(X)
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-10)
    np.testing.assert_allclose(model.transform(X[:1]), model.embedding_[:1], atol=1e-10)
    np.testing.assert_array_equal(model.embedding_, Isomap(n_neighbors=8).fit_transform(X))


def test_metric_of_a_kernel():
    X, Z = s_curve(120), s_curve(10, seed=1)
    k = RBF(gamma=0.5)
    ours = Isomap(n_neighbors=8, kernel=k).fit(X)
    gram = Isomap(n_neighbors=8, kernel="precomputed").fit(k(X))
    metric = Isomap(n_neighbors=8, metric="precomputed").fit(k.distance(X))
    theirs = manifold.Isomap(n_neighbors=8, metric="precomputed", eigen_solver="dense").fit(k.distance(X))
    for model in (ours, gram, metric):
        assert_same(model.embedding_, theirs.embedding_)
    for model, new in ((ours, Z), (gram, k(Z, X)), (metric, k.distance(Z, X))):  # k(x, x) = 1 for all
        assert_same(model.transform(new), theirs.transform(k.distance(Z, X)), tol=1e-7)
    assert ours.kernel_ == k


def test_gram_matrix_that_does_not_tell_distances(rng):
    X = rng.normal(size=(20, 2))
    model = Isomap(kernel="precomputed").fit(X @ X.T)
    assert_same(model.embedding_, Isomap().fit_transform(X))
    with pytest.raises(ValueError, match=r"need k\(x, x\), which kernel='precomputed' provides only if the Gram"):
        model.transform(X @ X.T)


def test_all_neighbours_are_classical_scaling(rng):
    X = rng.normal(size=(25, 3))
    model = Isomap(3, n_neighbors=24).fit(X)
    np.testing.assert_allclose(distances(model.embedding_), distances(X), atol=1e-10)
    assert model.negative_mass() == 0
    assert model.reconstruction_error() < 1e-6


def test_unrolls_the_swiss_roll():
    X = swiss_roll(1000)
    model = Isomap(n_neighbors=7).fit(X)
    t = np.hypot(X[:, 0], X[:, 2])  # angle, the radius of the spiral
    arc = 0.5 * (t * np.sqrt(1 + t**2) + np.arcsinh(t))
    assert abs(np.corrcoef(model.embedding_[:, 0], arc)[0, 1]) > 0.99
    assert 0 < model.negative_mass() < 0.3


def their_paths(X, k):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about pieces, and about sparse matrices
        return manifold.Isomap(n_neighbors=k, eigen_solver="dense").fit(X).dist_matrix_


def test_two_pieces_are_linked_by_their_nearest_samples(rng):
    X = np.vstack([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 50])
    with pytest.warns(UserWarning, match="has 2 connected components, which are linked"):
        ours = Isomap(n_neighbors=4).fit(X)
    np.testing.assert_allclose(ours.dist_matrix_, their_paths(X, 4), rtol=1e-9)
    np.testing.assert_allclose(ours.transform(X), ours.embedding_, atol=1e-9)


def test_many_pieces(rng):
    X = np.repeat(10.0 * rng.normal(size=(12, 2)), 3, axis=0) + 1e-3 * rng.normal(size=(36, 2))
    with pytest.warns(UserWarning, match="has 12 connected components"):
        ours = Isomap(n_neighbors=2).fit(X)
    np.testing.assert_allclose(ours.dist_matrix_, their_paths(X, 2), rtol=1e-6)


def test_strings():
    model = Isomap(n_neighbors=6, kernel=shared_letters).fit(WORDS)
    D = shared_letters.distance(WORDS)
    assert_same(model.embedding_, Isomap(n_neighbors=6, metric="precomputed").fit_transform(D))
    np.testing.assert_allclose(model.transform(WORDS), model.embedding_, atol=1e-10)


def test_repeated_rows_have_the_same_coordinates(rng):
    X = np.repeat(rng.normal(size=(30, 2)), 2, axis=0)
    model = Isomap(n_neighbors=6).fit(X)
    np.testing.assert_allclose(model.embedding_[::2], model.embedding_[1::2], atol=1e-9)
    assert np.all(model.dist_matrix_[np.arange(0, 60, 2), np.arange(1, 60, 2)] == 0)


@pytest.mark.parametrize("n", [8, 450])
def test_constant_data_lie_in_one_point(n):
    model = Isomap().fit(np.full((n, 3), 0.1))
    assert np.all(model.embedding_ == 0)
    assert np.all(model.transform(np.full((2, 3), 0.1)) == 0)


def test_batches_do_not_matter():
    model = Isomap(n_neighbors=8).fit(swiss_roll())
    Z = swiss_roll(20, seed=1)
    np.testing.assert_allclose(model.transform(Z), np.vstack([model.transform(z[None]) for z in Z]), atol=1e-11)


def test_names_of_coordinates():
    model = Isomap(n_neighbors=8).set_output(transform="pandas").fit(swiss_roll())
    assert list(model.get_feature_names_out()) == ["isomap0", "isomap1"]
    assert list(model.transform(swiss_roll(5)).columns) == ["isomap0", "isomap1"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_neighbors": 12}, "n_neighbors=12 must be less than n_samples=12"),
        ({"n_components": 12}, "n_components=12 must be less than n_samples=12"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"eigen_solver": "lobpcg"}, "eigen_solver"),
    ],
)
def test_what_is_refused(options, message, rng):
    with pytest.raises(ValueError, match=message):
        Isomap(**options).fit(rng.normal(size=(12, 2)))
