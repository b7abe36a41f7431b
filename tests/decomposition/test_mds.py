"""Classical multidimensional scaling."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA

from mercer.decomposition.mds import ClassicalMDS
from mercer.kernels import RBF, Power
from tests.decomposition.manifolds import WORDS, assert_same, digits, distances, shared_letters, swiss_roll


@pytest.mark.parametrize("solver", ["dense", "arpack", "auto"])
@pytest.mark.parametrize("data", [swiss_roll, digits])
def test_euclidean_distances_give_pca(data, solver):
    X = data()
    model = ClassicalMDS(3, eigen_solver=solver).fit(X)
    assert_same(model.embedding_, PCA(3).fit_transform(X))
    assert model.solution_.converged
    assert model.solution_.violation < 1e-12


def test_equal_to_scikit_learn():
    manifold = pytest.importorskip("sklearn.manifold")
    if not hasattr(manifold, "ClassicalMDS"):
        pytest.skip("scikit-learn before 1.8")
    X = swiss_roll()
    D = np.abs(X[:, None] - X).sum(axis=2)  # not Euclidean
    ours = ClassicalMDS(3, metric="precomputed").fit(D)
    theirs = manifold.ClassicalMDS(3, metric="precomputed").fit(D)
    assert_same(ours.embedding_, theirs.embedding_)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_)
    assert 0 < ours.negative_mass() < 1


def test_distances_gram_matrix_and_kernel_agree(rng):
    X, Z = rng.normal(size=(40, 3)), rng.normal(size=(7, 3))
    k = RBF(gamma=0.3)
    by_kernel = ClassicalMDS(kernel=k).fit(X)
    by_name = ClassicalMDS(kernel="rbf", gamma=0.3).fit(X)
    by_gram = ClassicalMDS(kernel="precomputed").fit(k(X))
    by_distance = ClassicalMDS(metric="precomputed").fit(k.distance(X))
    for model, new in ((by_name, Z), (by_gram, k(Z, X)), (by_distance, k.distance(Z, X))):
        assert_same(model.embedding_, by_kernel.embedding_)
        assert_same(model.transform(new), by_kernel.transform(Z))


def test_new_samples_by_gowers_formula(rng):
    X, Z = rng.normal(size=(30, 4)), rng.normal(size=(5, 4))
    model = ClassicalMDS(3).fit(X)
    D2, d2 = distances(X) ** 2, distances(Z, X) ** 2
    gower = 0.5 * (D2.mean(axis=0) - d2) @ (model.embedding_ / model.eigenvalues_)
    np.testing.assert_allclose(model.transform(Z), gower, atol=1e-12)
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-12)
    np.testing.assert_allclose(PCA(3).fit(X).transform(Z), gower * np.sign((PCA(3).fit(X).transform(Z) * gower).sum(0)))


def test_all_axes_keep_all_distances(rng):
    X = rng.normal(size=(12, 3))
    model = ClassicalMDS(3).fit(X)
    np.testing.assert_allclose(distances(model.embedding_), distances(X), atol=1e-12)
    assert model.negative_mass() == 0


def test_conditionally_positive_kernel(rng):
    X = rng.normal(size=(20, 2))
    assert_same(ClassicalMDS(kernel=Power(degree=2.0)).fit_transform(X) / np.sqrt(2), ClassicalMDS().fit_transform(X))


def test_axes_beyond_the_rank_are_zero(rng):
    X = np.outer(rng.normal(size=10), [1.0, 2.0])
    model = ClassicalMDS(3).fit(X)
    assert np.all(model.embedding_[:, 1:] == 0)
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-12)


@pytest.mark.parametrize("n", [6, 450])
def test_constant_data(n):
    model = ClassicalMDS().fit(np.ones((n, 3)))
    assert np.all(np.abs(model.embedding_) < 1e-6)
    assert model.solution_.converged


def test_strings():
    model = ClassicalMDS(3, kernel=shared_letters).fit(WORDS)
    assert model.embedding_.shape == (len(WORDS), 3)
    np.testing.assert_allclose(model.transform(WORDS[:4]), model.embedding_[:4], atol=1e-12)
    assert_same(model.embedding_, ClassicalMDS(3, kernel="precomputed").fit_transform(shared_letters(WORDS)))


def test_frames_and_sparse_matrices(rng):
    X = rng.normal(size=(20, 3))
    frame = pd.DataFrame(X, columns=list("abc"))
    model = ClassicalMDS().set_output(transform="pandas").fit(frame)
    shown = model.transform(frame)
    assert list(shown.columns) == ["classicalmds0", "classicalmds1"]
    assert list(model.feature_names_in_) == list("abc")
    assert_same(shown.to_numpy(), ClassicalMDS().fit_transform(sp.csr_array(X)))


def test_batches_do_not_matter(rng):
    X, Z = rng.normal(size=(60, 3)), rng.normal(size=(9, 3))
    model = ClassicalMDS(kernel="rbf").fit(X)
    np.testing.assert_allclose(model.transform(Z), np.vstack([model.transform(z[None]) for z in Z]), atol=1e-12)


@pytest.mark.parametrize(
    ("options", "X", "message"),
    [
        ({"n_components": 3}, np.eye(3), "n_components=3 must be less than n_samples=3"),
        ({"metric": "precomputed"}, -np.ones((3, 3)) + np.eye(3), "Negative values in data"),
        (
            {"metric": "precomputed"},
            np.ones((3, 3)),
            "with a zero diagonal, got nonzero diagonal entries; pass a Gram matrix",
        ),
        ({"metric": "precomputed"}, np.triu(np.ones((3, 3)), 1), "needs a symmetric matrix"),
        ({"metric": "precomputed"}, np.ones((3, 2)), "square matrix"),
        ({"metric": "cityblock"}, np.eye(3), "metric"),
    ],
)
def test_what_is_refused(options, X, message):
    with pytest.raises(ValueError, match=message):
        ClassicalMDS(**options).fit(X)
