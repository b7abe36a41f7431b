"""Kernel PCA with an approximated kernel: the components of K̂ = FFᵀ, bounds that hold, the exact fit as the limit."""

import numpy as np
import pytest
import scipy.sparse as sp

import mercer._estimator.landmarks as landmarks
from mercer.decomposition import KernelPCA
from mercer.kernel_approximation import Nystroem, RandomFourierFeatures
from mercer.kernels import RBF, Polynomial, Spectrum

N = 150


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(N, 3))


@pytest.fixture
def Z():
    return np.random.default_rng(1).normal(size=(11, 3))


def weights(seed, n=N):
    return np.random.default_rng(seed).integers(0, 4, size=n).astype(float)


def replaced(kernel, A, B, pivots):
    """k̂(A, B) of a Nyström approximation with the landmarks `pivots`, without a factor of their matrix."""
    return kernel(A, pivots) @ np.linalg.solve(kernel(pivots), kernel(pivots, B))


def assert_same_components(found, known, mine, theirs):
    np.testing.assert_allclose(found.eigenvalues_, known.eigenvalues_, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found.explained_variance_, known.explained_variance_, rtol=1e-8, atol=1e-9)
    for left, right in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(left, right, atol=1e-6)


# ---- what it is


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("held", [True, False])
def test_components_are_those_of_the_approximated_gram_matrix(X, Z, center, weighted, held, monkeypatch):
    if not held:
        monkeypatch.setattr(landmarks, "_CANDIDATES", 60)
        monkeypatch.setattr(landmarks, "_PER_LANDMARK", 2)
    kernel, weight = RBF(gamma=0.7), weights(2) if weighted else None
    options = {"n_components": 6, "center": center}
    found = KernelPCA(kernel=kernel, approximation=25, **options).fit(X, sample_weight=weight)
    known = KernelPCA(kernel="precomputed", **options).fit(replaced(kernel, X, X, found.X_fit_), sample_weight=weight)
    assert found.X_fit_.shape == (25, 3)
    rows = replaced(kernel, np.vstack([X, Z]), X, found.X_fit_)
    assert_same_components(found, known, [found.transform(X), found.transform(Z)], np.split(known.transform(rows), [N]))
    scores = KernelPCA(kernel=kernel, approximation=25, **options).fit_transform(X, sample_weight=weight)
    np.testing.assert_allclose(scores, found.transform(X), atol=1e-10)
    trace = float(np.sum(1.0 - np.diag(rows[:N]) if weight is None else weight * (1.0 - np.diag(rows[:N]))))
    assert np.isclose(found.eigenvalue_bound_, trace, rtol=1e-8)
    assert found.solution_.violation < 1e-12
    assert found.eigen_solver_ == "factor"


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
def test_all_samples_as_landmarks_are_the_exact_fit(X, Z, center, weighted):
    weight = np.random.default_rng(3).uniform(0.5, 2.0, size=N) if weighted else None
    options = {"n_components": 8, "kernel": "rbf", "gamma": 2.0, "center": center}
    exact = KernelPCA(**options).fit(X, sample_weight=weight)
    found = KernelPCA(**options, approximation=N).fit(X, sample_weight=weight)
    order = found.approximation_.indices
    assert sorted(order) == list(range(N))
    assert_same_components(found, exact, [found.transform(Z)], [exact.transform(Z)])
    np.testing.assert_allclose(found.scalings_, exact.scalings_[order], atol=1e-6)
    np.testing.assert_allclose(found.explained_variance_ratio_, exact.explained_variance_ratio_, rtol=1e-7)
    np.testing.assert_allclose(found.expand(found.transform(Z)), exact.expand(exact.transform(Z))[:, order], atol=1e-5)
    assert found.eigenvalue_bound_ <= 1e-6 * N
    assert exact.eigenvalue_bound_ == exact.explained_variance_ratio_bound_ == 0.0


def test_more_landmarks_are_nearer_to_the_exact_fit(X):
    exact = KernelPCA(5, kernel="rbf", gamma=0.7).fit(X)
    errors, bounds = [], []
    for m in (10, 20, 40, 80):
        found = KernelPCA(5, kernel="rbf", gamma=0.7, approximation=m).fit(X)
        errors.append(np.abs(exact.eigenvalues_ - found.eigenvalues_).max())
        bounds.append(found.eigenvalue_bound_)
    assert errors == sorted(errors, reverse=True)
    assert bounds == sorted(bounds, reverse=True)
    assert errors[-1] < 1e-2 * exact.eigenvalues_[0]


def test_many_samples_are_approximated_automatically(X, monkeypatch):
    monkeypatch.setattr(KernelPCA, "_exact_limit", 100)
    found = KernelPCA(3, kernel="rbf", gamma=0.05, approximation="auto").fit(X)
    exact = KernelPCA(3, kernel="rbf", gamma=0.05).fit(X)
    assert found.approximation_.residual_trace <= 1e-3
    assert found.approximation_.n_components < 100
    np.testing.assert_allclose(found.eigenvalues_, exact.eigenvalues_, rtol=1e-2)


# ---- bounds


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.filterwarnings("ignore:.*depend on the others")  # the polynomial kernel has 15 features
def test_bounds_contain_the_exact_values(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(60, 200)), int(rng.integers(5, 40))
    X = rng.normal(size=(n, 4)) + rng.normal(size=4)
    kernel = (RBF(gamma=0.3), RBF(gamma=2.0), Polynomial(degree=2, gamma=0.5, coef0=1.0))[seed % 3]
    weight = weights(seed, n) if seed % 2 else None
    options = {"n_components": 7, "kernel": kernel, "center": bool(seed % 4 // 2)}
    exact = KernelPCA(**options).fit(X, sample_weight=weight)
    found = KernelPCA(**options, approximation=Nystroem(n_components=m, landmarks="uniform", random_state=seed))
    found.fit(X, sample_weight=weight)
    rounding = 1e-9 * exact.eigenvalues_[0]
    difference = exact.eigenvalues_ - found.eigenvalues_
    assert (difference >= -rounding).all()
    assert difference.sum() <= found.eigenvalue_bound_ + rounding
    low, high = found.solution_.exact_interval
    assert low - rounding <= exact.solution_.objective <= high + rounding
    shares = exact.explained_variance_ratio_ - found.explained_variance_ratio_
    assert (shares >= -1e-9).all()
    assert shares.sum() <= found.explained_variance_ratio_bound_ + 1e-9


def test_random_features_have_no_bound(X):
    drawn = RandomFourierFeatures(n_components=2000, random_state=0)
    found = KernelPCA(3, kernel="rbf", gamma=0.7, approximation=drawn).fit(X)
    exact = KernelPCA(3, kernel="rbf", gamma=0.7).fit(X)
    assert np.isnan([found.eigenvalue_bound_, found.explained_variance_ratio_bound_, found.solution_.exact_gap]).all()
    np.testing.assert_allclose(found.eigenvalues_, exact.eigenvalues_, rtol=0.1)
    assert found.X_fit_ is None
    with pytest.raises(ValueError, match="expand needs landmarks, which random features do not have"):
        found.expand(np.zeros((1, 3)))


# ---- number of components


def test_number_of_components(X):
    def fitted(n_components, **options):
        return KernelPCA(n_components, kernel="rbf", gamma=0.7, approximation=30, **options).fit(X)

    assert len(fitted(None).eigenvalues_) == 30
    many = fitted(40)
    assert many.eigenvalues_.shape == (40,)
    assert (many.eigenvalues_[30:] == 0).all()
    assert (many.transform(X)[:, 30:] == 0).all()
    assert len(fitted(40, remove_zero_eig=True).eigenvalues_) == 30
    some = fitted(0.5)
    assert some.explained_variance_ratio_.sum() >= 0.5 > some.explained_variance_ratio_[:-1].sum()
    with pytest.warns(UserWarning, match=r"n_components=0.9999 of the variance is not reached by 30 features"):
        all_of_them = fitted(0.9999)
    assert len(all_of_them.eigenvalues_) == 30


def test_a_refit_keeps_nothing_of_the_exact_fit(X):
    model = KernelPCA(3, kernel="rbf", gamma=0.7).fit(X)
    assert model.eigenvectors_.shape == (N, 3)
    model.set_params(approximation=20).fit(X)
    assert not hasattr(model, "eigenvectors_")
    assert model.scalings_.shape == (20, 3)


# ---- other data


def test_sparse_data_as_dense(X):
    A = np.where(np.abs(X) > 0.5, X, 0.0)
    dense, sparse = (KernelPCA(3, kernel="rbf", gamma=0.7, approximation=20).fit(data) for data in (A, sp.csr_array(A)))
    np.testing.assert_allclose(sparse.transform(sp.csr_array(A)), dense.transform(A), atol=1e-9)


def test_strings():
    rng = np.random.default_rng(0)
    reads = ["".join(rng.choice(list("ACGT"), p=p, size=12)) for p in rng.dirichlet(np.ones(4), size=60)]
    kernel = Spectrum(2)
    found = KernelPCA(3, kernel=kernel, approximation=10).fit(reads)
    known = KernelPCA(3, kernel="precomputed").fit(replaced(kernel, reads, reads, found.X_fit_))
    np.testing.assert_allclose(found.eigenvalues_, known.eigenvalues_, rtol=1e-8)
    assert [reads[i] for i in found.approximation_.indices] == list(found.X_fit_)


# ---- inverse maps


@pytest.mark.parametrize("inverse_map", ["ridge", "fixed_point", "distance", "nearest"])
def test_inverse_maps_have_those_of_the_exact_fit_as_limit(X, inverse_map):
    options = {"kernel": "rbf", "gamma": 0.5, "fit_inverse_transform": True, "inverse_map": inverse_map, "alpha": 0.1}
    exact = KernelPCA(4, **options).fit(X)
    found = KernelPCA(4, **options, approximation=N).fit(X)
    C = exact.transform(X[:12] * 0.9)
    np.testing.assert_allclose(found.inverse_transform(C), exact.inverse_transform(C), atol=1e-4)


def test_ridge_map_is_the_best_in_the_span_of_the_landmarks(X):
    model = KernelPCA(4, kernel="rbf", gamma=0.5, fit_inverse_transform=True, alpha=0.1, approximation=30)
    Z = model.fit_transform(X)
    np.testing.assert_allclose(model.X_transformed_fit_, Z[model.approximation_.indices], atol=1e-8)
    kernel = RBF(gamma=0.5)
    A, among = kernel(Z, model.X_transformed_fit_), kernel(model.X_transformed_fit_)
    B = np.linalg.solve(A.T @ A + 0.1 * among, A.T @ X)
    np.testing.assert_allclose(model.inverse_transform(Z), A @ B, atol=1e-6)
    sparse = KernelPCA(**model.get_params()).fit(sp.csr_array(X))
    np.testing.assert_allclose(sparse.inverse_transform(Z), A @ B, atol=1e-6)


def test_nearest_landmarks_of_a_gram_matrix_are_named_by_their_index(X):
    kernel = RBF(gamma=0.5)
    options = {"fit_inverse_transform": True, "inverse_map": "nearest", "approximation": 30}
    points = KernelPCA(4, kernel=kernel, **options).fit(X)
    rows = KernelPCA(4, kernel="precomputed", **options).fit(kernel(X))
    Z = points.transform(X[:9])
    np.testing.assert_allclose(rows.transform(kernel(X[:9], X)), Z, atol=1e-8)
    chosen = rows.inverse_transform(Z)
    assert set(chosen) <= set(rows.approximation_.indices)
    np.testing.assert_array_equal(points.inverse_transform(Z), X[chosen])


def test_what_an_approximation_cannot_do_is_refused(X):
    with pytest.raises(ValueError, match=r"allow_indefinite=True needs all eigenvalues .* use approximation=None"):
        KernelPCA(2, kernel="rbf", approximation=10, allow_indefinite=True).fit(X)
    drawn = RandomFourierFeatures(n_components=30, random_state=0)
    with pytest.raises(ValueError, match="fit_inverse_transform=True needs landmarks, which random features"):
        KernelPCA(2, kernel="rbf", approximation=drawn, fit_inverse_transform=True).fit(X)


def test_signs_of_many_samples_are_those_of_some(X, monkeypatch):
    """A fit and its scores have the same signs, those of the coordinate of largest modulus among these samples."""
    monkeypatch.setattr("mercer.decomposition.approximated._SEEN", 10)
    model = KernelPCA(4, kernel="rbf", approximation=30)
    scores = model.fit_transform(X)
    seen = scores[np.linspace(0, N - 1, 10).astype(int)]
    assert (seen.max(axis=0) >= -seen.min(axis=0)).all()
    np.testing.assert_allclose(model.fit(X).transform(X), scores, atol=1e-9)
