"""Explicit features: φ(X) φ(Z)ᵀ = k(X, Z), their sizes, orders and storage, and what has none."""

import math
from itertools import combinations, combinations_with_replacement, pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from mercer.exceptions import MemoryLimitError, NoFeatureMapError, NotPositiveDefiniteError
from mercer.kernels import (
    ANOVA,
    RBF,
    AdditiveChi2,
    Bilinear,
    Brownian,
    Columns,
    Constant,
    Cosine,
    Delta,
    ExpOf,
    Intersection,
    Laplacian,
    Linear,
    Map,
    Overlap,
    Polynomial,
    PolynomialOf,
    Weighted,
)
from mercer.kernels.features import hstack, kron, series

S = math.sqrt


def data(n=7, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def tallies(n=9, d=3, seed=0, high=5):
    return np.random.default_rng(seed).integers(0, high, size=(n, d)).astype(float)


def gram(F, G):
    K = F @ G.T
    return K.toarray() if sp.issparse(K) else K


def assert_reproduces(k, X, Z, **options):
    F, G = k.feature_map(X, **options), k.feature_map(Z, **options)
    K = k(X, Z)
    scale = S(np.abs(k.diag(X)).max() * np.abs(k.diag(Z)).max())
    eps = np.finfo(F.dtype).eps
    np.testing.assert_allclose(gram(F, G), K, rtol=0, atol=100 * eps * max(scale, eps))
    assert F.shape[0] == X.shape[0]
    return F


def first(X):
    column = X[:, [0]]
    return (column.toarray() if sp.issparse(column) else column).ravel()


KERNELS = [
    Linear(),
    Linear(coef0=2.0),
    Polynomial(degree=1, coef0=0.0),
    Polynomial(degree=2, gamma=0.5, coef0=0.0),
    Polynomial(degree=5, gamma=0.3, coef0=0.7),
    Polynomial(degree=2, gamma=-1.5, coef0=0.0),
    Polynomial(degree=2, gamma=0.0, coef0=2.0),
    Cosine(),
    Bilinear([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1e-8]]),
    Bilinear(np.ones((3, 3))),
    Bilinear(np.zeros((3, 3))),
    ANOVA(degree=1, base="linear"),
    ANOVA(degree=2, base="linear"),
    ANOVA(degree=3, base="linear"),
    0.0 * Linear(),
    0.5 * Linear() + 1,
    Polynomial(degree=2) * Linear() + 0.3 * Cosine(),
    Linear() * Linear() * Linear(coef0=1.0),
    (Linear() + 1) ** 3,
    PolynomialOf(Linear(coef0=1.0), [1, 0, 2, 3]),
    PolynomialOf(Linear(), [0.0]),
    Polynomial(degree=3).normalized(),
    Columns([0, 2], Polynomial()) + Columns([-1], Linear()),
]


@pytest.mark.parametrize("k", KERNELS, ids=str)
def test_features_reproduce_the_kernel(k):
    F = assert_reproduces(k, data(), data(4, seed=1))
    assert isinstance(F, np.ndarray)
    assert F.dtype == np.float64


@pytest.mark.parametrize("k", KERNELS, ids=str)
def test_float32_stays_float32(k):
    F = assert_reproduces(k, data().astype(np.float32), data(4, seed=1).astype(np.float32))
    assert F.dtype == np.float32


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [k for k in KERNELS if k.takes_sparse], ids=str)
def test_sparse_data_stay_sparse_and_agree_with_dense(k, dtype):
    X = np.maximum(data(), 0).astype(dtype)
    X[2] = 0
    F, G = k.feature_map(sp.csr_array(X)), k.feature_map(X)
    assert sp.issparse(F)
    assert F.format == "csr"
    assert F.dtype == dtype
    assert F.has_canonical_format
    np.testing.assert_allclose(F.toarray(), G, rtol=1e-6 if dtype is np.float32 else 1e-14)


def test_sparse_anova_agrees_with_dense():
    X = np.maximum(data(6, 5), 0)
    k = ANOVA(degree=3, base="linear")
    np.testing.assert_allclose(k.feature_map(sp.csr_matrix(X)).toarray(), k.feature_map(X))


def test_weighted_and_map():
    X, Z = data(), data(4, seed=1)
    assert_reproduces(Weighted(first, Polynomial()), X, Z)
    assert_reproduces(Map(np.square, Linear(coef0=1.0)), X, Z)
    F = Weighted(lambda A: A.sum(axis=1), Linear()).feature_map(np.array([[2.0, 3.0]]))
    np.testing.assert_array_equal(F, [[10.0, 15.0]])


def test_norms_of_sparse_float32_rows_do_not_overflow():
    X = sp.csr_matrix(np.array([[3e25, 4e25]], dtype=np.float32))
    assert Cosine().feature_map(X).toarray() == pytest.approx(np.array([[0.6, 0.8]]))


def test_zero_vector_has_zero_features_when_normalised():
    X = np.array([[3.0, 4.0], [0.0, 0.0]])
    for k in (Cosine(), Linear().normalized()):
        np.testing.assert_allclose(k.feature_map(X), [[0.6, 0.8], [0.0, 0.0]])


# ---- goldens and sizes


def test_polynomial_in_the_plane():
    X = np.array([[2.0, 3.0]])
    homogeneous = Polynomial(degree=2, gamma=1.0, coef0=0.0).feature_map(X)
    np.testing.assert_allclose(homogeneous, [[4, S(2) * 6, 9]], rtol=1e-15)
    a, c = 2.0, 3.0
    full = Polynomial(degree=2, gamma=a, coef0=c).feature_map(X)
    expected = [[a * 4, S(2) * a * 6, a * 9, S(2 * a * c) * 2, S(2 * a * c) * 3, c]]
    np.testing.assert_allclose(full, expected, rtol=1e-14)


@pytest.mark.parametrize(("D", "d"), [(1, 4), (2, 7), (5, 3), (6, 1)])
def test_sizes_and_lexicographic_order(D, d):
    X = data(3, D)
    assert Polynomial(degree=d, coef0=1.0).feature_map(X).shape == (3, math.comb(D + d, d))
    F = Polynomial(degree=d, coef0=0.0).feature_map(X)
    sets = list(combinations_with_replacement(range(D), d))
    assert F.shape == (3, len(sets)) == (3, math.comb(D + d - 1, d))
    for column, chosen in zip(F.T, sets, strict=True):
        repeats = math.prod(math.factorial(chosen.count(i)) for i in set(chosen))
        weight = S(math.factorial(d) / repeats)
        np.testing.assert_allclose(column, weight * X[:, chosen].prod(axis=1), rtol=1e-13)


@pytest.mark.parametrize("d", [1, 2, 4, 5])
def test_anova_is_the_products_of_different_coordinates(d):
    X = data(3, 5)
    F = ANOVA(degree=d, base="linear").feature_map(X)
    expected = [X[:, chosen].prod(axis=1) for chosen in combinations(range(5), d)]
    np.testing.assert_allclose(F.T, expected, rtol=1e-14)


def test_power_uses_monomials_not_all_products():
    X = data(2, 4)
    assert (Linear() ** 3).feature_map(X).shape[1] == math.comb(6, 3)
    assert (Linear() * Linear() * Linear()).feature_map(X).shape[1] == 4**3


def test_linear_and_constant_values():
    X = np.array([[1.0, 2.0]])
    np.testing.assert_array_equal(Linear(coef0=9.0).feature_map(X), [[1, 2, 3]])
    np.testing.assert_array_equal((Linear() + 4).feature_map(X), [[1, 2, 2]])
    np.testing.assert_array_equal(Constant(4.0).feature_map(["any", "thing"]).toarray(), [[2], [2]])


def test_features_are_a_copy():
    X = data()
    before = X.copy()
    for k in (Linear(), Cosine(), Map(np.asarray, Linear())):
        k.feature_map(X)[:] = 0
    np.testing.assert_array_equal(X, before)
    sparse = sp.csr_matrix(X)
    for k in (Linear(), Cosine()):
        F = k.feature_map(sparse)
        F.data[:] = 0
        F.eliminate_zeros()
    np.testing.assert_array_equal(sparse.toarray(), before)


def test_sparse_matrix_without_entries():
    empty = sp.csr_matrix((2, 3))
    np.testing.assert_array_equal(gram(*[Polynomial().feature_map(empty)] * 2), np.ones((2, 2)))
    assert (Linear() ** 2).feature_map(empty).nnz == 0


def test_bilinear_has_as_many_features_as_the_rank_of_A():
    assert Bilinear(np.ones((3, 3))).feature_map(data()).shape[1] <= 2
    assert Bilinear(np.eye(3)).feature_map(data()).shape[1] == 3


def test_high_degree_on_one_feature():
    x = np.array([[0.9], [-0.5]])
    assert_reproduces(Polynomial(degree=200, gamma=0.5, coef0=0.5), x, x)
    assert_reproduces(Polynomial(degree=300, gamma=1.0, coef0=0.0), x, x)


# ---- primitives


def test_mixed_parts_are_dense_and_sparse_parts_sparse():
    A = np.maximum(data(4, 3), 0)
    B = np.maximum(data(4, 2, seed=1), 0)
    a, b = sp.csr_matrix(A), sp.csr_array(B)
    side, pairs = np.hstack([A, B]), (A[:, :, None] * B[:, None, :]).reshape(4, 6)
    for join, expected in ((hstack, side), (kron, pairs)):
        both = join("test", *([[a, b]] if join is hstack else [a, b]))
        assert sp.issparse(both)
        np.testing.assert_array_equal(both.toarray(), expected)
        for parts in ((A, b), (a, B), (A, B)):
            mixed = join("test", *([parts] if join is hstack else parts))
            assert isinstance(mixed, np.ndarray)
            np.testing.assert_array_equal(mixed, expected)


def test_series_leaves_out_degrees_without_weight():
    F = data(2, 3)
    assert series("test", F, [1, 0, 0, 2]).shape[1] == 1 + math.comb(5, 3)
    np.testing.assert_array_equal(series("test", F, [0, 0]), np.zeros((2, 1)))


def test_layouts_and_readonly_data():
    X = data()
    expected = Polynomial().feature_map(X)
    strided = np.repeat(X, 2, axis=0)[::2]
    frozen = np.asfortranarray(X)
    frozen.flags.writeable = False
    for same in (strided, frozen, X.tolist()):
        np.testing.assert_array_equal(Polynomial().feature_map(same), expected)


# ---- counts


COUNTS = [
    Intersection(),
    AdditiveChi2(),
    Overlap(),
    Brownian(),
    Delta(),
    Intersection() + 1,
    0.5 * Intersection() * Overlap(),
    AdditiveChi2() + Linear(),
    Intersection() ** 2,
    Intersection().normalized(),
    Columns([0], Brownian()) * Columns([1, 2], AdditiveChi2()),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", COUNTS, ids=str)
def test_counts(k, dtype):
    F = assert_reproduces(k, tallies().astype(dtype), tallies(4, seed=1).astype(dtype), maximum=4)
    assert F.dtype == dtype


@pytest.mark.parametrize("k", [Intersection(), AdditiveChi2(), Intersection() + 1], ids=str)
def test_sparse_counts_stay_sparse(k):
    X = tallies()
    F = k.feature_map(sp.csr_matrix(X), maximum=6)
    assert sp.issparse(F)
    G = k.feature_map(X, maximum=6)
    np.testing.assert_array_equal(F.toarray(), G.toarray() if sp.issparse(G) else G)


def test_integers_are_counts():
    X = tallies().astype(np.int64)
    assert_reproduces(Intersection(), X, X, maximum=4)


def test_unary_and_one_hot_codes():
    X = np.array([[2.0, 0.0], [1.0, 3.0]])
    unary = Intersection().feature_map(X, maximum=3)
    assert sp.issparse(unary)
    np.testing.assert_array_equal(unary.toarray(), [[1, 1, 0, 0, 0, 0], [1, 0, 0, 1, 1, 1]])
    onehot = Overlap().feature_map(X, maximum=3)
    assert sp.issparse(onehot)
    expected = np.array([[0, 0, 1, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 1]]) / S(2)
    np.testing.assert_allclose(onehot.toarray(), expected)
    assert Delta().feature_map(X, maximum=3).shape == (2, 16)
    assert Brownian().feature_map(X, maximum=3).shape == (2, 9)


def test_chi2_table_keeps_the_digits_of_small_counts():
    x = np.arange(301.0)[:, None]
    F = AdditiveChi2().feature_map(x, maximum=300)
    assert F.shape[1] < 40
    K = AdditiveChi2()(x)
    scale = np.sqrt(np.outer(np.maximum(x, 1), np.maximum(x, 1)))
    assert (np.abs(F @ F.T - K) / scale).max() < 1e-12


# ---- Taylor maps


def power_series(K, degree):
    return sum(K**j / math.factorial(j) for j in range(degree + 1))


@pytest.mark.parametrize("gamma", [0.2, (0.1, 0.3, 0.05)])
@pytest.mark.parametrize("sparse", [False, True])
def test_taylor_bound_holds_and_decreases(gamma, sparse):
    X, Z = data(), data(5, seed=1)
    k = RBF(gamma=gamma)
    K = k(X, Z)
    wrap = sp.csr_matrix if sparse else np.asarray
    bounds = []
    for degree in range(13):
        F, G = (k.feature_map(wrap(A), degree=degree) for A in (X, Z))
        assert F.shape[1] == math.comb(3 + degree, degree)
        assert sp.issparse(F) == sparse
        bounds.append(k.taylor_bound(wrap(X), degree, wrap(Z)))
        assert np.abs(gram(F, G) - K).max() <= bounds[-1] + 1e-14
    assert all(b < a for a, b in pairwise(bounds))
    assert bounds[-1] < 1e-6


def test_taylor_bound_is_attained_on_one_data_set():
    X = data()
    k = RBF(gamma=0.3)
    F = k.feature_map(X, degree=4)
    error = np.abs(F @ F.T - k(X)).max()
    assert k.taylor_bound(X, 4) == pytest.approx(error, rel=1e-12)
    assert k.taylor_bound(X, 4) == pytest.approx(k.taylor_bound(X, 4, X))


def test_taylor_bound_resolves_gamma_on_the_data():
    X = data()
    assert RBF().taylor_bound(X, 3) == RBF().resolve(X).taylor_bound(X, 3)


def test_taylor_features_in_the_plane():
    X, gamma = np.array([[0.3, -0.7]]), 0.4
    (a, b), t = X[0], 2 * gamma
    monomials = [t * a * a / S(2), t * a * b, t * b * b / S(2), S(t) * a, S(t) * b, 1]
    expected = math.exp(-gamma * (a * a + b * b)) * np.array([monomials])
    np.testing.assert_allclose(RBF(gamma=gamma).feature_map(X, degree=2), expected, rtol=1e-14)
    assert RBF(gamma=0.4).feature_map(X.astype(np.float32), degree=2).dtype == np.float32


@pytest.mark.parametrize("degree", [0, 1, 6])
def test_exponential_of_a_kernel(degree):
    X, Z = data(), data(4, seed=1)
    k = ExpOf(0.1 * Linear(coef0=1.0))
    F, G = k.feature_map(X, degree=degree), k.feature_map(Z, degree=degree)
    np.testing.assert_allclose(F @ G.T, power_series(k.kernel(X, Z), degree), rtol=1e-12)


def test_taylor_converges_inside_composites():
    X, Z = data(), data(4, seed=1)
    k = RBF(gamma=0.05) * Linear() + 0.5 * RBF(gamma=0.02).normalized()
    F, G = k.feature_map(X, degree=12), k.feature_map(Z, degree=12)
    np.testing.assert_allclose(F @ G.T, k(X, Z), atol=1e-10)


# ---- random expressions


def leaves():
    small = st.floats(0.0, 2.0).map(lambda v: round(v, 2))
    return st.one_of(
        st.builds(Linear, coef0=small),
        st.builds(Polynomial, degree=st.integers(1, 3), gamma=small, coef0=small),
        st.just(Cosine()),
        st.builds(Constant, value=small),
    )


def nodes(kernels):
    weight = st.floats(0.1, 2.0)
    return st.one_of(
        st.builds(lambda a, b: a + b, kernels, kernels),
        st.builds(lambda a, b: a * b, kernels, kernels),
        st.builds(lambda c, k: c * k, weight, kernels),
        st.builds(lambda k: k**2, kernels),
        st.builds(lambda k: k.normalized(), kernels),
        st.builds(lambda k, c: PolynomialOf(k, [c, 0.0, c]), kernels, weight),
        st.builds(lambda k: Columns([0], k), kernels),
        st.builds(lambda k: Weighted(first, k), kernels),
    )


@settings(max_examples=60, deadline=None)
@given(st.recursive(leaves(), nodes, max_leaves=3), st.integers(0, 2**32 - 1))
def test_random_expressions(k, seed):
    rng = np.random.default_rng(seed)
    X, Z = rng.uniform(-1, 1, size=(4, 2)), rng.uniform(-1, 1, size=(3, 2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mercer._runtime.limits.available_memory", lambda: 100_000_000)
        try:
            F = assert_reproduces(k, X, Z)
            G = k.feature_map(sp.csr_matrix(X))
        except MemoryLimitError:  # powers of powers
            reject()
    assert sp.issparse(G)
    F = F.toarray() if sp.issparse(F) else F
    np.testing.assert_allclose(G.toarray(), F, rtol=1e-12, atol=1e-14)


# ---- what has no features


@pytest.mark.parametrize(
    "k",
    [
        Linear(coef0=-1.0),
        Polynomial(degree=2, gamma=1.0, coef0=-1.0),
        Polynomial(degree=3, gamma=-1.0, coef0=0.0),
        Constant(-1.0),
        -2.0 * Linear(),
        PolynomialOf(Linear(), [1.0, -0.5]),
        Bilinear([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
        Linear() - Linear(),
    ],
    ids=str,
)
def test_not_psd_is_refused(k):
    with pytest.raises(NotPositiveDefiniteError, match="no real features"):
        k.feature_map(data())


@pytest.mark.parametrize("k", [RBF(), ExpOf(Linear()), 1 + RBF() * Linear()], ids=str)
def test_taylor_needs_a_degree(k):
    with pytest.raises(NoFeatureMapError, match=r"pass degree=r.*KernelRows"):
        k.feature_map(data())


@pytest.mark.parametrize("k", [Laplacian(), ANOVA(), Linear() + Laplacian()], ids=str)
def test_infinite_without_series(k):
    with pytest.raises(NoFeatureMapError, match="KernelRows"):
        k.feature_map(data(), degree=3)


@pytest.mark.parametrize("k", [Intersection(), AdditiveChi2(), Brownian(), Overlap(), Delta()], ids=str)
def test_counts_are_checked(k):
    X = tallies()
    if k.reads == "vectors":
        with pytest.raises(NoFeatureMapError, match=r"pass maximum=m.*KernelRows"):
            k.feature_map(X)
    for bad in (X + 0.5, X - 1, X + 1):
        with pytest.raises(ValueError, match=r"integers from 0 to maximum = 4, got .*KernelRows"):
            k.feature_map(bad, maximum=4)
    for maximum in (0, 1.5):
        with pytest.raises(ValueError, match="maximum must be an integer"):
            k.feature_map(X, maximum=maximum)


@pytest.mark.parametrize("k", [Bilinear(np.eye(3)), Brownian(), Overlap(), Delta()], ids=str)
def test_sparse_data_are_never_made_dense(k):
    with pytest.raises(TypeError, match=r"toarray"):
        k.feature_map(sp.csr_matrix(tallies()), maximum=4)


@pytest.mark.parametrize("degree", [-1, 171, 1.5])
def test_taylor_degree_is_checked(degree):
    for call in (RBF(gamma=1.0).feature_map, ExpOf(Linear()).feature_map):
        with pytest.raises(ValueError, match="degree must be an integer"):
            call(data(), degree=degree)
    with pytest.raises(ValueError, match="taylor_bound: parameter degree"):
        RBF(gamma=1.0).taylor_bound(data(), degree)


def test_dimensions_are_checked():
    with pytest.raises(ValueError, match="gamma has 2 entries but X has 3"):
        RBF(gamma=[1.0, 2.0]).feature_map(data(), degree=2)
    with pytest.raises(ValueError, match="A is 2 x 2 but X has 3"):
        Bilinear(np.eye(2)).feature_map(data())
    with pytest.raises(ValueError, match="ANOVA: degree 4"):
        ANOVA(degree=4, base="linear").feature_map(data())
    with pytest.raises(ValueError, match="Linear: X contains NaN"):
        Linear().feature_map(np.array([[np.nan]]))


def test_too_many_features_are_refused_before_they_are_made(monkeypatch):
    X = data(10, 30)
    monkeypatch.setattr("mercer._runtime.limits.available_memory", lambda: 10_000_000)
    width, entries = math.comb(36, 6), 10 * math.comb(35, 6)
    with pytest.raises(MemoryLimitError, match=f"Polynomial: {width} features of 10 samples"):
        Polynomial(degree=6).feature_map(X)
    with pytest.raises(MemoryLimitError, match=f"PowerOf: {entries} nonzero features"):
        (Linear() ** 6).feature_map(sp.csr_matrix(X))
    with pytest.raises(MemoryLimitError, match=f"Product: {496**2} features of 10 samples"):
        (Polynomial(degree=2) * Polynomial(degree=2)).feature_map(X)
    with pytest.raises(MemoryLimitError, match=f"Product: {10 * 496**2} nonzero features"):
        (Polynomial(degree=2) * Polynomial(degree=2)).feature_map(sp.csr_matrix(X))
    with pytest.raises(MemoryLimitError, match="Sum: 300030 features of 10 samples"):
        (Linear() + Intersection()).feature_map(np.ones((10, 30)), maximum=10**4)
    with pytest.raises(MemoryLimitError, match="AdditiveChi2: the table"):
        AdditiveChi2().feature_map(X * 0, maximum=10**4)


def test_too_many_features_to_number():
    with pytest.raises(ValueError, match=r"Delta: [0-9]+ features exceed the range of 64-bit column numbers"):
        Delta().feature_map(np.zeros((2, 70)), maximum=1)
    with pytest.raises(ValueError, match="exceed the range of 64-bit column numbers"):
        Polynomial(degree=900).feature_map(sp.csr_matrix(np.eye(50)))


@pytest.mark.parametrize("k", [Polynomial(degree=1001), Linear() ** (2**31 - 1), PolynomialOf(Linear(), [0.0] * 2000)])
def test_absurd_degrees_are_refused(k):
    with pytest.raises(ValueError, match="explicit features are limited to degree 1000, got"):
        k.feature_map(data(2, 1))


def test_coefficients_beyond_float64_are_refused():
    for gamma in (1.0, 0.0):
        with pytest.raises(ValueError, match="a coefficient overflows float64"):
            Polynomial(degree=900, gamma=gamma, coef0=100.0).feature_map(data(2, 1))
