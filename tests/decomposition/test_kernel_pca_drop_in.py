"""What scikit-learn's KernelPCA does, this one does."""

import inspect
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.decomposition
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs, make_circles
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from mercer.decomposition import KernelPCA
from mercer.kernels import RBF

SOLVERS = ["auto", "dense", "arpack", "randomized"]


def test_signature_begins_with_scikit_learns():
    theirs = inspect.signature(sklearn.decomposition.KernelPCA).parameters
    ours = inspect.signature(KernelPCA).parameters
    for name, parameter in theirs.items():
        assert ours[name].default == parameter.default, name
        assert ours[name].kind == parameter.kind, name


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid", "cosine"])
@pytest.mark.parametrize("gamma", [None, 0.3])
def test_same_components(kernel, gamma):
    rng = np.random.default_rng(0)
    X, Z = rng.random((40, 5)), rng.random((7, 5))
    options = {"n_components": 4, "kernel": kernel, "gamma": gamma, "fit_inverse_transform": True}
    ours, theirs = KernelPCA(**options).fit(X), sklearn.decomposition.KernelPCA(**options).fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(ours.eigenvectors_, theirs.eigenvectors_, atol=1e-8)
    np.testing.assert_allclose(ours.transform(Z), theirs.transform(Z), atol=1e-8)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(Z)), theirs.inverse_transform(theirs.transform(Z)))
    assert ours.gamma_ == theirs.gamma_
    np.testing.assert_array_equal(ours.X_fit_, X)
    np.testing.assert_allclose(ours.X_transformed_fit_, theirs.X_transformed_fit_, atol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
def test_function_of_two_samples(solver):
    rng = np.random.default_rng(0)
    X, Z = rng.random((5, 4)), rng.random((3, 4))
    seen = []

    def histogram(x, y, **options):
        seen.append(options)
        assert x.ndim == 1
        return np.minimum(x, y).sum()

    pca = KernelPCA(4, kernel=histogram, eigen_solver=solver, kernel_params={"number": 3})
    assert pca.fit_transform(X).shape == (5, 4)
    assert pca.transform(Z).shape == (3, 4)
    assert all(options == {"number": 3} for options in seen)


def test_later_changes_of_the_data_do_no_harm():
    X = np.random.default_rng(0).random((10, 10))
    for data in (X, sp.csr_matrix(X)):
        kept = data.copy()
        pca = KernelPCA(3).fit(data)
        before = pca.transform(kept)
        values = data.data if sp.issparse(data) else data
        values[...] = 666.0
        np.testing.assert_array_equal(pca.transform(kept), before)
        X = np.asarray(kept.todense() if sp.issparse(kept) else kept)


@pytest.mark.parametrize("solver", SOLVERS)
def test_output_is_deterministic(solver):
    X = np.random.default_rng(0).random((10, 10))
    runs = [KernelPCA(2, eigen_solver=solver).fit_transform(X) for _ in range(3)]
    np.testing.assert_array_equal(runs[0], runs[1])
    np.testing.assert_array_equal(runs[0], runs[2])


@pytest.mark.parametrize("n_features", [4, 10])
@pytest.mark.parametrize("solver", SOLVERS)
def test_all_solvers_give_pca_with_the_linear_kernel(solver, n_features):
    rng = np.random.default_rng(0)
    X, Z = rng.random((5, n_features)), rng.random((3, n_features))
    n_components = 3 if solver == "arpack" else 4
    ours = KernelPCA(n_components, eigen_solver=solver).fit(X).transform(Z)
    theirs = sklearn.decomposition.PCA(n_components, svd_solver="full").fit(X).transform(Z)
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-9)


def test_number_of_components():
    rng = np.random.default_rng(0)
    X, Z = rng.random((5, 4)), rng.random((3, 4))
    for solver in ("dense", "arpack", "randomized"):
        for k in (1, 2, 4):
            pca = KernelPCA(k, eigen_solver=solver)
            assert pca.fit(X).transform(Z).shape == (3, k)


def test_zero_eigenvalues():
    X = np.array([[1 - 1e-30, 1], [1, 1], [1, 1 - 1e-20]])
    assert KernelPCA().fit_transform(X).shape == (3, 0)
    assert KernelPCA(2).fit_transform(X).shape == (3, 2)
    assert KernelPCA(2, remove_zero_eig=True).fit_transform(X).shape == (3, 0)


def test_precomputed():
    rng = np.random.default_rng(0)
    X, Z = rng.random((6, 4)), rng.random((3, 4))
    for solver in ("dense", "arpack"):
        direct = KernelPCA(4, eigen_solver=solver).fit(X)
        given = KernelPCA(4, eigen_solver=solver, kernel="precomputed").fit(X @ X.T)
        np.testing.assert_allclose(given.transform(Z @ X.T), direct.transform(Z), atol=1e-10)
        np.testing.assert_allclose(given.fit_transform(X @ X.T), direct.fit_transform(X), atol=1e-10)


def test_gram_matrices_that_are_not_symmetric_are_refused():
    """A deviation: scikit-learn reads one triangle and ignores the other."""
    with pytest.raises(ValueError, match="needs a symmetric matrix"):
        KernelPCA(1, kernel="precomputed").fit(np.array([[1.0, 2.0], [3.0, 40.0]]))


@pytest.mark.parametrize("solver", SOLVERS)
def test_indefinite_gram_matrix(solver):
    """As in scikit-learn, but for "randomized": it too takes the largest values, not the largest moduli."""
    K = np.diag([50.0, 8.0, 7.0, 5.0, 0.0, 0.0, -6.0, -15.0])
    K = (K + K.T) / 2
    with pytest.raises(ValueError, match="There are significant negative eigenvalues"):
        KernelPCA(8, kernel="precomputed", eigen_solver=solver, center=False).fit(K)
    pca = KernelPCA(2, kernel="precomputed", eigen_solver=solver, center=False).fit(K)
    np.testing.assert_allclose(pca.eigenvalues_, [50, 8])


def test_inverse_needs_to_be_asked_for_and_has_no_vectors_for_a_gram_matrix():
    X = np.random.default_rng(0).random((5, 4))
    with pytest.raises(NotFittedError, match="fit_inverse_transform"):
        KernelPCA(2).fit(X).inverse_transform(X[:, :2])
    with pytest.raises(ValueError, match="Cannot fit_inverse_transform with a precomputed kernel"):
        KernelPCA(kernel="precomputed", fit_inverse_transform=True).fit(X @ X.T)


def test_inverse_of_separated_clusters():
    X, _ = make_blobs(n_samples=100, centers=[[1, 1, 1, 1], [0, 1, 0, 1]], cluster_std=0.1, random_state=0)
    back = [
        pca.inverse_transform(pca.fit_transform(X))
        for pca in (
            make(2, kernel="rbf", fit_inverse_transform=True) for make in (KernelPCA, sklearn.decomposition.KernelPCA)
        )
    ]
    np.testing.assert_allclose(back[0], back[1], atol=1e-8)
    assert np.linalg.norm(X - back[0]) / np.linalg.norm(X) < 0.11


def test_gamma_of_the_inverse_is_that_of_the_samples():
    X = np.random.default_rng(0).random((5, 4))
    implicit = KernelPCA(2, kernel="rbf", fit_inverse_transform=True)
    explicit = KernelPCA(2, kernel="rbf", gamma=0.25, fit_inverse_transform=True)
    np.testing.assert_allclose(
        implicit.inverse_transform(implicit.fit_transform(X)), explicit.inverse_transform(explicit.fit_transform(X))
    )
    assert implicit.gamma_ == 0.25


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_grid_search_in_a_pipeline(kernel):
    X, y = make_circles(n_samples=200, factor=0.3, noise=0.05, random_state=0)
    data = X if kernel == "rbf" else rbf_kernel(X, gamma=2.0)
    steps = make_pipeline(KernelPCA(2, kernel=kernel, gamma=2.0), Perceptron(max_iter=20, tol=None))
    grid = GridSearchCV(steps, cv=3, param_grid={"kernelpca__n_components": [1, 2]}).fit(data, y)
    assert grid.best_score_ == 1
    assert Perceptron(max_iter=20, tol=None).fit(X, y).score(X, y) < 0.8


def test_grid_over_parts_of_a_kernel():
    X, y = make_circles(n_samples=60, factor=0.3, noise=0.05, random_state=0)
    steps = make_pipeline(KernelPCA(2, kernel=RBF()), Perceptron(max_iter=20, tol=None))
    grid = GridSearchCV(steps, cv=2, param_grid={"kernelpca__kernel__gamma": [1e-3, 2.0]}).fit(X, y)
    assert grid.best_params_ == {"kernelpca__kernel__gamma": 2.0}


def test_names_and_frames():
    X = load_iris().data
    pca = KernelPCA(2).fit(X)
    np.testing.assert_array_equal(pca.get_feature_names_out(), ["kernelpca0", "kernelpca1"])
    frame = pytest.importorskip("pandas").DataFrame(X, columns=list("abcd"))
    pca = KernelPCA(2).set_output(transform="pandas")
    out = pca.fit_transform(frame)
    assert list(out.columns) == ["kernelpca0", "kernelpca1"]
    np.testing.assert_allclose(pca.transform(frame), out, atol=1e-10)
    assert list(pca.feature_names_in_) == list("abcd")


def test_single_precision_in_single_precision_out():
    X = np.random.default_rng(0).random((30, 4)).astype(np.float32)
    pca = KernelPCA(2, kernel="rbf", fit_inverse_transform=True)
    assert pca.fit_transform(X).dtype == pca.transform(X).dtype == np.float32
    assert pca.inverse_transform(pca.transform(X)).dtype == np.float32
    assert pca.transform(X.astype(np.float64)).dtype == np.float64


def test_pickle_and_clone():
    X = np.random.default_rng(0).random((30, 4))
    pca = KernelPCA(2, kernel=RBF(), fit_inverse_transform=True, inverse_map="distance").fit(X)
    again = pickle.loads(pickle.dumps(pca))
    np.testing.assert_array_equal(again.transform(X), pca.transform(X))
    np.testing.assert_allclose(clone(pca).fit(X).transform(X), pca.transform(X), atol=1e-12)
