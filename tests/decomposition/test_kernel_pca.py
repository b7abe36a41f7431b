"""Kernel PCA by its definition: eigenvectors of the centred Gram matrix, PCA of the features."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA

from mercer.decomposition import KernelPCA
from mercer.kernels import RBF, Linear, Polynomial, user
from mercer.operators import center_gram
from mercer.solvers.eigen import choose_eigen_solver

SOLVERS = ["dense", "arpack", "randomized"]


@pytest.fixture
def X():
    X = np.random.default_rng(0).normal(size=(60, 6)) * [3, 2.5, 2, 1.5, 1, 0.5] + [1, 0, 2, 0, 0, -1]
    X.flags.writeable = False
    return X


@pytest.fixture
def Z():
    return np.random.default_rng(1).normal(size=(17, 6))


def signs(A, B):
    """A with the signs of the columns of B."""
    return A * np.sign(np.einsum("ij,ij->j", A, B))


# ---- what it is


def test_linear_kernel_is_pca(X, Z):
    ours, theirs = KernelPCA(6).fit(X), PCA(6).fit(X)
    for data in (X, Z):
        np.testing.assert_allclose(
            signs(ours.transform(data), theirs.transform(data)), theirs.transform(data), atol=1e-10
        )
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-10)
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-10)
    np.testing.assert_allclose(ours.transform(X).var(axis=0, ddof=1), ours.explained_variance_, rtol=1e-10)


@pytest.mark.parametrize("center", [True, False])
def test_kernel_with_explicit_features_is_pca_of_the_features(X, Z, center):
    kernel = Polynomial(degree=2, gamma=0.5, coef0=1.0)
    F, G = kernel.feature_map(X), kernel.feature_map(Z)
    mean = F.mean(axis=0) * center
    values, directions = np.linalg.eigh((F - mean).T @ (F - mean))
    expected = (G - mean) @ directions[:, : -5 - 1 : -1]
    pca = KernelPCA(5, kernel=kernel, center=center).fit(X)
    np.testing.assert_allclose(pca.eigenvalues_, values[: -5 - 1 : -1], rtol=1e-10)
    np.testing.assert_allclose(signs(pca.transform(Z), expected), expected, atol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_normalisation(X, solver):
    pca = KernelPCA(7, kernel="rbf", gamma=0.05, eigen_solver=solver).fit(X)
    np.testing.assert_allclose(pca.eigenvectors_.T @ pca.eigenvectors_, np.eye(7), atol=1e-12)
    np.testing.assert_allclose(pca.eigenvalues_ * (pca.scalings_**2).sum(axis=0), 1.0, rtol=1e-12)  # λ⟨α, α⟩ = 1
    np.testing.assert_allclose(pca.scalings_, pca.eigenvectors_ / np.sqrt(pca.eigenvalues_), rtol=1e-12)
    assert (np.diff(pca.eigenvalues_) <= 0).all()


def test_new_samples_are_centred_with_the_training_data(X, Z):
    pca = KernelPCA(4, kernel="rbf", gamma=0.05).fit(X)
    K, T = RBF(gamma=0.05)(X), RBF(gamma=0.05)(Z, X)
    n, m = len(X), len(Z)
    ones, mixed = np.full((n, n), 1 / n), np.full((m, n), 1 / n)
    centred = T - mixed @ K - T @ ones + mixed @ K @ ones
    np.testing.assert_allclose(pca.transform(Z), centred @ pca.scalings_, atol=1e-12)
    np.testing.assert_allclose(pca.transform(X), pca.fit_transform(X), atol=1e-12)


def test_batches_do_not_matter(X, Z):
    pca = KernelPCA(4, kernel="rbf").fit(X)
    np.testing.assert_allclose(np.vstack([pca.transform(z[None]) for z in Z]), pca.transform(Z), atol=1e-13)


# ---- how many


def test_share_of_the_variance(X):
    full = KernelPCA(kernel="rbf", gamma=0.05).fit(X)
    np.testing.assert_allclose(full.explained_variance_ratio_.sum(), 1.0)
    for share in (0.1, 0.5, 0.9, 0.999):
        some = KernelPCA(share, kernel="rbf", gamma=0.05).fit(X)
        total = np.cumsum(some.explained_variance_ratio_)
        assert total[-1] >= share
        assert (total[:-1] < share).all()
        np.testing.assert_allclose(some.eigenvalues_, full.eigenvalues_[: len(total)], rtol=1e-12)


@pytest.mark.parametrize("solver", ["auto", *SOLVERS])
def test_share_of_the_variance_without_all_eigenvalues(solver):
    X = np.random.default_rng(0).normal(size=(700, 3))
    pca = KernelPCA(0.6, kernel="rbf", gamma=2.0, eigen_solver=solver, iterated_power=12).fit(X)
    values = np.linalg.eigvalsh(_centred(RBF(gamma=2.0)(X)))[::-1]
    assert len(pca.eigenvalues_) == 1 + np.searchsorted(np.cumsum(values), 0.6 * values.sum())
    assert len(pca.eigenvalues_) > 32  # more than the first guess
    np.testing.assert_allclose(pca.explained_variance_ratio_, pca.eigenvalues_ / values.sum(), rtol=1e-10)


def _centred(K):
    H = np.eye(len(K)) - 1 / len(K)
    return H @ K @ H


# ---- solvers


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("center", [True, False])
def test_solvers_agree_with_numpy(solver, center):
    X = np.random.default_rng(0).normal(size=(500, 4))
    K = RBF(gamma=0.1)(X)
    K = _centred(K) if center else K
    pca = KernelPCA(6, kernel="rbf", gamma=0.1, center=center, eigen_solver=solver, iterated_power=20).fit(X)
    assert pca.eigen_solver_ == solver
    values, vectors = np.linalg.eigh(K)
    np.testing.assert_allclose(pca.eigenvalues_, values[:-7:-1], rtol=1e-11)
    np.testing.assert_allclose(np.abs(pca.eigenvectors_.T @ vectors[:, :-7:-1]), np.eye(6), atol=1e-10)
    residual = np.linalg.norm(K @ pca.eigenvectors_ - pca.eigenvectors_ * pca.eigenvalues_, axis=0).max() / values[-1]
    assert residual < 1e-13
    assert pca.solution_.violation < 1e-13
    assert pca.solution_.objective == pytest.approx(pca.eigenvalues_.sum())


def test_auto_is_what_it_says():
    X = np.random.default_rng(0).normal(size=(700, 4))
    for k in (3, 400):
        assert KernelPCA(k, kernel="rbf").fit(X).eigen_solver_ == choose_eigen_solver(700, k)


def test_too_few_steps_are_told():
    X = np.random.default_rng(0).normal(size=(500, 10))
    with pytest.warns(match=r"KernelPCA: the eigenvectors have a relative residual of .* after 2 steps. Raise"):
        KernelPCA(4, kernel="rbf", eigen_solver="arpack", max_iter=2).fit(X)


# ---- weights


@pytest.mark.parametrize("kernel", ["linear", "rbf", RBF(gamma="scale")], ids=str)
@pytest.mark.parametrize("center", [True, False])
def test_weights_count_samples(X, Z, kernel, center):
    weight = np.random.default_rng(2).integers(0, 4, size=len(X))
    weighted = KernelPCA(5, kernel=kernel, center=center).fit(X, sample_weight=weight)
    repeated = KernelPCA(5, kernel=kernel, center=center).fit(X.repeat(weight, axis=0))
    np.testing.assert_allclose(weighted.transform(Z), repeated.transform(Z), atol=1e-9)
    for name in ("eigenvalues_", "explained_variance_", "explained_variance_ratio_"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-9)


def test_weights_are_those_of_weighted_pca(X, Z):
    weight = np.random.default_rng(2).uniform(0, 2, size=len(X))
    weight[:5] = 0
    mean = weight @ X / weight.sum()
    values, directions = np.linalg.eigh((X - mean).T @ (weight[:, None] * (X - mean)))
    expected = (Z - mean) @ directions[:, ::-1]
    pca = KernelPCA(6).fit(X, sample_weight=weight)
    np.testing.assert_allclose(pca.eigenvalues_, values[::-1], rtol=1e-10)
    np.testing.assert_allclose(signs(pca.transform(Z), expected), expected, atol=1e-9)
    np.testing.assert_allclose(
        KernelPCA(6).fit_transform(X, sample_weight=weight), pca.transform(X), atol=1e-12
    )  # samples without weight too


def test_scale_of_the_weights(X, Z):
    one, many = (KernelPCA(3, kernel="rbf").fit(X, sample_weight=np.full(60, c)) for c in (1.0, 1e-3))
    np.testing.assert_allclose(one.transform(Z), many.transform(Z), atol=1e-10)
    np.testing.assert_allclose(one.explained_variance_ratio_, many.explained_variance_ratio_, rtol=1e-10)
    np.testing.assert_allclose(
        one.explained_variance_, KernelPCA(3, kernel="rbf").fit(X).explained_variance_, rtol=1e-10
    )
    np.testing.assert_allclose(many.explained_variance_, many.eigenvalues_ / 0.06, rtol=1e-10)


# ---- data


def test_any_form_of_the_data_gives_the_same(X, Z):
    whole = KernelPCA(4, kernel="rbf", gamma=0.05).fit(X)
    given = KernelPCA(4, kernel="precomputed").fit(RBF(gamma=0.05)(X))
    sparse = KernelPCA(4, kernel="rbf", gamma=0.05).fit(sp.csr_matrix(X))
    text = KernelPCA(4, kernel="rbf(gamma=0.05)").fit(X)
    function = KernelPCA(4, kernel=lambda x, z, c: np.exp(-c * ((x - z) ** 2).sum()), kernel_params={"c": 0.05}).fit(X)
    for other, data in (
        (given, RBF(gamma=0.05)(Z, X)),
        (sparse, sp.csr_matrix(Z)),
        (sparse, Z),
        (text, Z),
        (function, Z),
    ):
        np.testing.assert_allclose(other.transform(data), whole.transform(Z), atol=1e-10)


def test_strings_with_a_function():
    words = ["".join(letters) for letters in itertools.product("ab", repeat=4)]
    shared = user(pair=lambda s, t: float(sum(a == b for a, b in zip(s, t, strict=True))))
    pca = KernelPCA(kernel=shared).fit(words)
    assert len(pca.eigenvalues_) == 4  # one axis per position, and all alike
    np.testing.assert_allclose(pca.eigenvalues_, pca.eigenvalues_[0])
    np.testing.assert_allclose(pca.transform(words[:3]), pca.fit_transform(words)[:3], atol=1e-12)


# ---- back


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_expansion_is_the_projection(X, Z, center, weighted):
    weight = np.arange(1.0, 61.0) if weighted else None
    K, T = RBF(gamma=0.5)(X), RBF(gamma=0.5)(Z, X)
    pca = KernelPCA(kernel=RBF(gamma=0.5), center=center).fit(X, sample_weight=weight)
    whole = pca.expand(pca.transform(X))  # all components: the samples themselves
    np.testing.assert_allclose(whole @ K, K, atol=1e-9)
    few = KernelPCA(5, kernel=RBF(gamma=0.5), center=center).fit(X, sample_weight=weight)
    C = few.expand(few.transform(Z))
    if center:
        np.testing.assert_allclose(C.sum(axis=1), 1.0)
    again = C @ K @ few._coef + few._offset  # a projection, projected
    np.testing.assert_allclose(again, few.transform(Z), atol=1e-10)
    apart = 1 - 2 * (C * T).sum(axis=1) + np.einsum("ij,jk,ik->i", C, K, C)
    full = pca.expand(pca.transform(Z))
    nearer = 1 - 2 * (full * T).sum(axis=1) + np.einsum("ij,jk,ik->i", full, K, full)
    assert (nearer <= apart + 1e-9).all()


def test_ridge_map_is_kernel_ridge_on_the_coordinates(X, Z):
    pca = KernelPCA(4, kernel="rbf", gamma=0.05, fit_inverse_transform=True, alpha=0.3).fit(X)
    scores = pca.transform(X)
    np.testing.assert_allclose(pca.X_transformed_fit_, scores, atol=1e-12)
    kernel = RBF(gamma=0.05)
    expected = kernel(pca.transform(Z), scores) @ np.linalg.solve(kernel(scores) + 0.3 * np.eye(60), X)
    np.testing.assert_allclose(pca.inverse_transform(pca.transform(Z)), expected, atol=1e-9)
    sparse = KernelPCA(4, kernel="rbf", gamma=0.05, fit_inverse_transform=True, alpha=0.3).fit(sp.csr_matrix(X))
    np.testing.assert_allclose(sparse.inverse_transform(pca.transform(Z)), expected, atol=1e-9)


def test_ridge_map_with_an_indefinite_kernel_on_the_coordinates(X):
    pca = KernelPCA(2, kernel="sigmoid", gamma=0.1, coef0=-1.0, fit_inverse_transform=True, alpha=0.1).fit(X)
    scores = pca.X_transformed_fit_
    K = np.tanh(0.1 * scores @ scores.T - 1.0) + 0.1 * np.eye(60)
    assert np.linalg.eigvalsh(K)[0] < 0
    np.testing.assert_allclose(K @ pca.dual_coef_, X, atol=1e-8)


@pytest.mark.parametrize("inverse_map", ["fixed_point", "distance", "nearest"])
def test_other_maps_lead_training_samples_home(X, inverse_map):
    pca = KernelPCA(kernel="rbf", gamma=0.05, fit_inverse_transform=True, inverse_map=inverse_map)
    np.testing.assert_allclose(pca.inverse_transform(pca.fit_transform(X)), X, atol=1e-5)


@pytest.mark.parametrize("inverse_map", ["fixed_point", "distance"])
def test_linear_kernel_goes_back_as_pca_does(X, Z, inverse_map):
    ours, theirs = KernelPCA(3, fit_inverse_transform=True, inverse_map=inverse_map).fit(X), PCA(3).fit(X)
    expected = theirs.inverse_transform(theirs.transform(Z))
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(Z)), expected, atol=1e-8)


def test_nearest_object_for_strings_and_numbers_for_a_gram_matrix():
    words = ["aaaa", "aaab", "bbbb", "abab"]
    shared = user(pair=lambda s, t: float(sum(a == b for a, b in zip(s, t, strict=True))))
    options = {"fit_inverse_transform": True, "inverse_map": "nearest"}
    pca = KernelPCA(kernel=shared, **options)
    assert list(pca.inverse_transform(pca.fit_transform(words))) == words
    K = shared(words)
    pca = KernelPCA(kernel="precomputed", **options)
    assert list(pca.inverse_transform(pca.fit_transform(K))) == [0, 1, 2, 3]


def test_options_of_pre_images_are_passed_on(X):
    pca = KernelPCA(3, kernel=RBF(gamma=0.05), fit_inverse_transform=True, inverse_map="fixed_point")
    scores = pca.fit_transform(X)
    held = pca.inverse_transform(scores, start=X, reg=1e6)
    np.testing.assert_allclose(held, X, atol=1e-3)


def test_kernel_object_and_name_agree(X, Z):
    np.testing.assert_allclose(
        KernelPCA(3, kernel=Linear()).fit(X).transform(Z), KernelPCA(3).fit(X).transform(Z), atol=1e-12
    )


def test_alpha_of_the_formula_is_scalings_with_weights_too(X, Z):
    kernel, weight = RBF(gamma=0.1), np.arange(60) % 4
    for w in (None, weight):
        pca = KernelPCA(3, kernel=kernel).fit(X, sample_weight=w)
        centred = center_gram(kernel(Z, X), kernel(X), weight=w)
        np.testing.assert_allclose(pca.transform(Z), centred @ pca.scalings_, atol=1e-12)
