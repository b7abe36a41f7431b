"""Data that leave little to find: documented results, or errors that say what to do."""

import numpy as np
import pytest

from mercer._runtime import limits
from mercer.decomposition import KernelPCA
from mercer.exceptions import MemoryLimitError, NotPositiveDefiniteError
from mercer.kernels import Constant, Sigmoid, user

SOLVERS = ["auto", "dense", "arpack", "randomized"]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", Constant(3.0)], ids=str)
@pytest.mark.parametrize("n", [1, 7, 500])
def test_constant_data_have_no_variance(solver, kernel, n):
    X = np.full((n, 3), 1.7)
    pca = KernelPCA(3, kernel=kernel, eigen_solver=solver)
    k = min(n, 3)
    np.testing.assert_array_equal(pca.fit_transform(X), np.zeros((n, k)))
    np.testing.assert_array_equal(pca.transform(X + 1), np.zeros((n, k)))
    for name in ("eigenvalues_", "explained_variance_", "explained_variance_ratio_"):
        np.testing.assert_array_equal(getattr(pca, name), np.zeros(k))
    assert KernelPCA(kernel=kernel).fit_transform(X).shape == (n, 0)
    assert KernelPCA(0.9, kernel=kernel).fit_transform(X).shape == (n, 1)


def test_one_sample_without_centring():
    pca = KernelPCA(2, center=False).fit([[3.0, 4.0]])
    np.testing.assert_allclose(pca.eigenvalues_, [25.0])
    np.testing.assert_allclose(pca.transform([[3.0, 4.0], [6.0, 8.0]]), [[5.0], [10.0]])


@pytest.mark.parametrize("solver", SOLVERS)
def test_more_components_than_rank(solver):
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(500, 2)) @ rng.normal(size=(2, 5)), rng.normal(size=(4, 5))
    pca = KernelPCA(6, eigen_solver=solver).fit(X)
    assert (pca.eigenvalues_[:2] > 0).all()
    np.testing.assert_array_equal(pca.eigenvalues_[2:], 0)
    np.testing.assert_array_equal(pca.transform(Z)[:, 2:], 0)
    np.testing.assert_array_equal(pca.scalings_[:, 2:], 0)
    np.testing.assert_allclose(pca.explained_variance_ratio_[:2].sum(), 1.0)
    assert KernelPCA(6, eigen_solver=solver, remove_zero_eig=True).fit(X).transform(Z).shape == (4, 2)


@pytest.mark.parametrize("solver", SOLVERS)
def test_duplicates_share_their_coordinates(solver):
    X = np.random.default_rng(0).normal(size=(250, 3))
    pca = KernelPCA(4, kernel="rbf", eigen_solver=solver, iterated_power=30)
    scores = pca.fit_transform(np.vstack([X, X]))
    np.testing.assert_allclose(scores[:250], scores[250:], atol=1e-11)
    once = KernelPCA(4, kernel="rbf").fit(X)
    np.testing.assert_allclose(pca.eigenvalues_, 2 * once.eigenvalues_, rtol=1e-10)


def test_zero_kernel():
    nothing = user(pair=lambda x, z: 0.0)
    pca = KernelPCA(2, kernel=nothing).fit([[1.0], [2.0], [3.0]])
    np.testing.assert_array_equal(pca.transform([[5.0]]), [[0.0, 0.0]])
    assert pca.solution_.violation == 0
    assert KernelPCA(2, kernel="precomputed").fit_transform(np.zeros((4, 4))).shape == (4, 2)


def test_equal_categories_are_all_found():
    labels = np.repeat(np.arange(30), 20)
    K = (labels[:, None] == labels).astype(float)
    pca = KernelPCA(25, kernel="precomputed", eigen_solver="arpack").fit(K)
    np.testing.assert_allclose(pca.eigenvalues_, 20.0)


def test_offset_of_the_data_is_not_variance():
    X = np.random.default_rng(0).normal(size=(40, 2)) + 1e6
    assert KernelPCA().fit(X).eigenvalues_.shape == (2,)


# ---- indefinite kernels


@pytest.fixture
def indefinite():
    X = np.random.default_rng(0).normal(size=(30, 3))
    K = Sigmoid(gamma=1.0, coef0=-2.0)(X)
    H = np.eye(30) - 1 / 30
    return X, np.linalg.eigvalsh(H @ K @ H)


def test_negative_eigenvalues_are_an_error_that_names_the_remedies(indefinite):
    X, _ = indefinite
    with pytest.raises(NotPositiveDefiniteError, match=r"significant negative.*repair.*allow_indefinite=True"):
        KernelPCA(kernel="sigmoid", gamma=1.0, coef0=-2.0).fit(X)


@pytest.mark.parametrize("n_components", [3, None, 0.2])
def test_negative_eigenvalues_may_be_ignored_and_are_reported(indefinite, n_components):
    X, values = indefinite
    pca = KernelPCA(n_components, kernel="sigmoid", gamma=1.0, coef0=-2.0, allow_indefinite=True).fit(X)
    size = np.abs(values).sum()
    assert pca.negative_mass_ == pytest.approx(-values[values < 0].sum() / size)
    k = len(pca.eigenvalues_)
    np.testing.assert_allclose(pca.eigenvalues_, values[: -k - 1 : -1], rtol=1e-10)
    assert (pca.eigenvalues_ > 0).all()
    np.testing.assert_allclose(pca.explained_variance_ratio_, pca.eigenvalues_ / size, rtol=1e-10)
    if n_components == 0.2:
        assert pca.explained_variance_ratio_.sum() >= 0.2 > pca.explained_variance_ratio_[:-1].sum()


def test_no_negative_mass_without_negative_eigenvalues():
    X = np.random.default_rng(0).normal(size=(30, 3))
    assert KernelPCA(2, kernel="rbf", allow_indefinite=True).fit(X).negative_mass_ == pytest.approx(0, abs=1e-14)
    assert np.isnan(KernelPCA(2, kernel="rbf").fit(X).negative_mass_)


def test_negative_definite_gram_matrix():
    with pytest.raises(ValueError, match="significant negative eigenvalues"):
        KernelPCA(2, kernel="precomputed", center=False).fit(-np.eye(3))
    pca = KernelPCA(2, kernel="precomputed", center=False, allow_indefinite=True).fit(-np.eye(3))
    np.testing.assert_array_equal(pca.eigenvalues_, 0)
    assert pca.negative_mass_ == 1


# ---- refusals


def test_what_does_not_fit_is_refused_before_it_is_allocated(monkeypatch):
    monkeypatch.setattr(limits, "available_memory", lambda: 12_000_000)
    X = np.random.default_rng(0).normal(size=(1000, 3))
    with pytest.raises(MemoryLimitError, match=r"KernelPCA: 2 dense 1000 x 1000"):
        KernelPCA(kernel="rbf").fit(X)
    KernelPCA(3, kernel="rbf").fit(X)  # one matrix of 8 MB
    monkeypatch.setattr(limits, "available_memory", lambda: 9_000_000)
    with pytest.raises(MemoryLimitError, match=r"KernelPCA: 1 dense 1000 x 1000"):
        KernelPCA(3, kernel="rbf").fit(X)
    KernelPCA(3, kernel="linear").fit(X)  # three columns: there is no matrix


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"n_components": 0}, "n_components"),
        ({"n_components": 1.5}, "n_components"),
        ({"eigen_solver": "qr"}, "eigen_solver"),
        ({"inverse_map": "magic"}, "inverse_map"),
        ({"center": "yes"}, "center"),
        ({"kernel": "no such kernel"}, "no such kernel"),
    ],
)
def test_wrong_parameters(params, match):
    with pytest.raises(ValueError, match=match):
        KernelPCA(**params).fit([[1.0], [2.0]])


def test_weights_that_cannot_be():
    X = [[1.0], [2.0], [4.0]]
    for weight, match in (([1, -1, 1], "must not be negative"), ([0, 0, 0], "zero or negative"), ([1, 1], "shapes")):
        with pytest.raises(ValueError, match=match):
            KernelPCA(1).fit(X, sample_weight=weight)


def test_singular_ridge_map():
    with pytest.raises(ValueError, match=r"alpha=0.*singular; raise alpha"):
        KernelPCA(1, fit_inverse_transform=True, alpha=0.0).fit([[1.0], [1.0], [1.0]])


def test_vectors_are_needed_for_the_ridge_map():
    same = user(pair=lambda s, t: float(s == t))
    with pytest.raises(TypeError, match="use inverse_map='nearest'"):
        KernelPCA(1, kernel=same, fit_inverse_transform=True).fit(["a", "b", "c"])


def test_coordinates_of_the_wrong_length():
    X = np.random.default_rng(0).normal(size=(20, 3))
    for inverse_map in ("ridge", "nearest"):
        pca = KernelPCA(2, kernel="rbf", fit_inverse_transform=True, inverse_map=inverse_map).fit(X)
        with pytest.raises(ValueError, match="3 columns, but the model has 2 components"):
            pca.inverse_transform(X)
