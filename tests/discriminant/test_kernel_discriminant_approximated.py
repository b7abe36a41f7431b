"""Kernel discriminant analysis with an approximated kernel: directions of K̂ = FFᵀ, bounds, the exact limit."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import eigh

import mercer._estimator.landmarks as landmarks
from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.kernel_approximation import Nystroem, RandomFourierFeatures
from mercer.kernels import RBF, Polynomial, Spectrum
from tests.reference.discriminant import in_features, matrices

N = 150
KERNEL = RBF(gamma=0.7)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(N, 3))


@pytest.fixture
def y(X):
    return (X[:, 0] + 0.3 * X[:, 1] ** 2 > 0.3).astype(int) + (X[:, 2] > 0.8)


@pytest.fixture
def Z():
    return np.random.default_rng(1).normal(size=(11, 3))


def replaced(A, B, pivots, kernel=KERNEL):
    """k̂(A, B) of a Nyström approximation with the landmarks `pivots`, without a factor of their matrix."""
    return kernel(A, pivots) @ np.linalg.solve(kernel(pivots), kernel(pivots, B))


def weights(seed, n=N):
    return np.random.default_rng(seed).integers(0, 4, size=n).astype(float)


# ---- what it is


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("options", [{}, {"mu": 0.5}, {"loo": True, "reg": 0.1}, {"reg": "auto"}])
def test_directions_are_those_of_the_approximated_gram_matrix(X, y, Z, weighted, held, options, monkeypatch):
    if not held:
        monkeypatch.setattr(landmarks, "_CANDIDATES", 60)
        monkeypatch.setattr(landmarks, "_PER_LANDMARK", 2)
    weight = weights(2) if weighted else None
    found = KernelDiscriminantAnalysis(kernel=KERNEL, approximation=25, **options).fit(X, y, sample_weight=weight)
    known = KernelDiscriminantAnalysis(kernel="precomputed", **options)
    known.fit(replaced(X, X, found.X_fit_), y, sample_weight=weight)
    assert found.X_fit_.shape == (25, 3)
    rows = replaced(Z, X, found.X_fit_)
    for name in ("mu_", "reg_", "fisher_ratios_", "means_", "explained_variance_ratio_", "priors_"):
        np.testing.assert_allclose(getattr(found, name), getattr(known, name), rtol=1e-6, err_msg=name)
    np.testing.assert_allclose(found.transform(Z), known.transform(rows), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found.decision_function(Z), known.decision_function(rows), rtol=1e-5, atol=1e-4)
    assert np.isclose(found.solution_.objective, known.solution_.objective, rtol=1e-7)
    assert found.solution_.violation < 1e-8
    if "loo_error_" in vars(known):
        assert np.isclose(found.loo_error_, known.loo_error_)
        np.testing.assert_allclose(
            found.loo_decision_function_, known.loo_decision_function_, rtol=1e-5, atol=1e-5, equal_nan=True
        )
    if options.get("reg") == "auto":
        np.testing.assert_allclose(found.cv_results_["loo_loss"], known.cv_results_["loo_loss"], rtol=1e-5)


def test_directions_are_those_of_linear_discriminant_analysis_of_the_features(X, y):
    found = KernelDiscriminantAnalysis(kernel=KERNEL, reg=0.01, approximation=25).fit(X, y)
    L = np.linalg.cholesky(KERNEL(found.X_fit_))
    F = np.linalg.solve(L, KERNEL(found.X_fit_, X)).T
    rule = in_features(F, y, 0.01, n=N)
    mine, theirs = found.transform(X), rule.project(F)
    np.testing.assert_allclose(mine * np.sign(np.sum(mine * theirs, axis=0)), theirs, atol=1e-6)


@pytest.mark.parametrize("penalty", ["norm", "coefficients"])
@pytest.mark.parametrize("weighted", [False, True])
def test_all_samples_as_landmarks_are_the_exact_fit(X, y, Z, penalty, weighted):
    weight = np.random.default_rng(3).uniform(0.5, 2.0, size=N) if weighted else None
    options = {"kernel": "rbf", "gamma": 2.0, "penalty": penalty, "reg": 1e-2}
    exact = KernelDiscriminantAnalysis(**options).fit(X, y, sample_weight=weight)
    found = KernelDiscriminantAnalysis(**options, approximation=N).fit(X, y, sample_weight=weight)
    assert np.isclose(found.mu_, exact.mu_)
    np.testing.assert_allclose(found.fisher_ratios_, exact.fisher_ratios_, rtol=1e-6)
    np.testing.assert_allclose(found.transform(Z), exact.transform(Z), atol=1e-5)
    np.testing.assert_allclose(found.dual_coef_, exact.dual_coef_[found.approximation_.indices], atol=1e-3)


@pytest.mark.parametrize("held", [True, False])
def test_penalised_coefficients_are_those_of_the_landmarks(X, y, held, monkeypatch):
    if not held:
        monkeypatch.setattr(landmarks, "_CANDIDATES", 60)
        monkeypatch.setattr(landmarks, "_PER_LANDMARK", 2)
    found = KernelDiscriminantAnalysis(kernel=KERNEL, penalty="coefficients", reg=0.01, approximation=20).fit(X, y)
    K = KERNEL(X, found.X_fit_)
    M, N_within = (matrix[:20, :20] for matrix in matrices(np.vstack([K.T, np.zeros((N - 20, N))]), y))
    assert np.isclose(found.mu_, 0.01 * np.trace(N_within) / N)
    values, vectors = eigh(M, N_within + found.mu_ * np.eye(20))
    np.testing.assert_allclose(found.fisher_ratios_, values[:-3:-1], rtol=1e-8)
    expected = np.sqrt(N) * vectors[:, :-3:-1]
    np.testing.assert_allclose(np.abs(found.dual_coef_), np.abs(expected), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(found.transform(X).mean(axis=0), 0.0, atol=1e-8)
    assert np.isnan(found.solution_.exact_gap)


def test_many_samples_are_approximated_automatically(X, y, monkeypatch):
    monkeypatch.setattr(KernelDiscriminantAnalysis, "_exact_limit", 100)
    found = KernelDiscriminantAnalysis(gamma=0.05, reg=0.1, approximation="auto").fit(X, y)
    exact = KernelDiscriminantAnalysis(gamma=0.05, reg=0.1).fit(X, y)
    assert found.approximation_.residual_trace <= 1e-3
    assert (found.predict(X) == exact.predict(X)).mean() > 0.95


# ---- bounds


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.filterwarnings("ignore:.*depend on the others")  # the polynomial kernel has 15 features
def test_the_interval_contains_the_exact_objective(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(60, 300)), int(rng.integers(5, 40))
    X, y = rng.normal(size=(n, 4)), rng.integers(2 + seed % 3, size=n)
    X[:, 0] += y
    kernel = (RBF(gamma=0.3), RBF(gamma=2.0), Polynomial(degree=2, gamma=0.5, coef0=1.0))[seed % 3]
    weight = weights(seed, n) if seed % 2 else None
    landmark = Nystroem(n_components=m, landmarks="uniform", random_state=seed)
    found = KernelDiscriminantAnalysis(kernel=kernel, reg=10.0 ** -(seed % 4), approximation=landmark)
    found.fit(X, y, sample_weight=weight)
    exact = KernelDiscriminantAnalysis(kernel=kernel, mu=found.mu_).fit(X, y, sample_weight=weight)
    low, high = found.solution_.exact_interval
    assert low >= 0
    assert low - 1e-9 <= exact.solution_.objective <= high + 1e-9
    assert found.solution_.confidence == 1.0  # all rows of K were read


def test_the_interval_shrinks(X, y):
    gaps = [
        KernelDiscriminantAnalysis(kernel=KERNEL, reg=0.1, approximation=m).fit(X, y).solution_.gap
        for m in (10, 30, 90, N)
    ]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 1e-8


def test_random_features_have_no_bound(X, y):
    drawn = RandomFourierFeatures(n_components=3000, random_state=0)
    found = KernelDiscriminantAnalysis(kernel=KERNEL, reg=0.1, approximation=drawn).fit(X, y)
    exact = KernelDiscriminantAnalysis(kernel=KERNEL, reg=0.1).fit(X, y)
    assert np.isnan(found.solution_.exact_interval).all()
    np.testing.assert_allclose(found.fisher_ratios_, exact.fisher_ratios_, rtol=0.2)
    assert (found.predict(X) == exact.predict(X)).mean() > 0.95


# ---- other data, and what is refused


def test_sparse_data_as_dense(X, y):
    A = np.where(np.abs(X) > 0.5, X, 0.0)
    dense, sparse = (
        KernelDiscriminantAnalysis(kernel=KERNEL, approximation=20).fit(data, y) for data in (A, sp.csr_array(A))
    )
    np.testing.assert_allclose(sparse.transform(sp.csr_array(A)), dense.transform(A), atol=1e-6)


def test_strings():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(["left", "right"], 30))
    reads = ["".join(rng.choice(list("ACGT"), p=[0.4, 0.1, 0.3, 0.2] if c == "left" else None, size=12)) for c in y]
    found = KernelDiscriminantAnalysis(kernel=Spectrum(2), approximation=10).fit(reads, y)
    known = KernelDiscriminantAnalysis(kernel="precomputed")
    known.fit(replaced(reads, reads, found.X_fit_, Spectrum(2)), y)
    np.testing.assert_allclose(found.fisher_ratios_, known.fisher_ratios_, rtol=1e-7)


def test_what_an_approximation_cannot_do_is_refused(X, y):
    found = KernelDiscriminantAnalysis(kernel=KERNEL).fit(X, y)
    found.scatter_matrices()
    found.set_params(approximation=20).fit(X, y)
    with pytest.raises(ValueError, match="scatter_matrices needs all training samples"):
        found.scatter_matrices()
    drawn = RandomFourierFeatures(n_components=30, random_state=0)
    with pytest.raises(ValueError, match="penalty='coefficients' needs coefficients of samples"):
        KernelDiscriminantAnalysis(kernel=KERNEL, penalty="coefficients", approximation=drawn).fit(X, y)
