"""Manifold regularisation: the deformed kernel, and what both estimators share."""

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import _runtime
from mercer.data import Strings
from mercer.exceptions import MemoryLimitError, NotPositiveDefiniteError
from mercer.kernels import RBF, Linear, Spectrum, user
from mercer.operators import PrecomputedOperator
from mercer.semi_supervised import LaplacianRidge, LaplacianSVC
from mercer.semi_supervised.graph import sample_graph
from mercer.solvers.deformed import deformed_kernel
from tests.reference.laplacian import graph_laplacian

RNG = np.random.default_rng(0)
N = 40
X = RNG.normal(size=(N, 3))
X[N // 2 :, 0] += 2.0
NEW = RNG.normal(size=(7, 3))
KERNEL = RBF(gamma=0.4)
K = KERNEL(X)
CLASSES = np.full(N, -1)
CLASSES[[0, 1, 2, 20, 21]] = 0, 0, 0, 1, 1
NUMBERS = np.full(N, np.nan)
NUMBERS[[0, 5, 9, 20, 30, 31]] = RNG.normal(size=6)
FORMS = [
    {},
    {"weights": "heat"},
    {"normalize": True},
    {"weights": "heat", "normalize": True},
    {"power": 2},
    {"power": 5, "normalize": True},
]


def laplacian(form):
    """The dense twin of L for parameters of an estimator."""
    options = {name: value for name, value in form.items() if name != "weights"}
    return graph_laplacian(K, 6, heat=form.get("weights") == "heat", **options)


def target(cls):
    return CLASSES if cls is LaplacianSVC else NUMBERS


def trained(model, X, y, weight=None):
    return model._training(X, np.zeros(len(y)), weight)[0]


both = pytest.mark.parametrize("cls", [LaplacianRidge, LaplacianSVC])


# ---- the deformed kernel


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("r", [0.0, 1e-3, 1.0, 1e4])
@pytest.mark.parametrize("k", [1, 6])  # one neighbour: many pieces
@pytest.mark.parametrize("power", [1, 2, 3, 4])
def test_the_deformed_kernel_is_that_of_the_definition(r, k, normalize, power):
    L = graph_laplacian(K, k, normalize=normalize, power=power)
    graph = sample_graph(trained(LaplacianRidge(kernel=KERNEL), X, NUMBERS), k, "binary")
    assert (graph.piece.max() > 0) == (k == 1)
    samples = np.array([3, 1, 8, 30])
    found = deformed_kernel(
        PrecomputedOperator(K), samples, graph.vertices, graph.affinity, r, normalize=normalize, power=power
    )
    expected = K @ np.linalg.inv(np.eye(N) + r * L @ K)
    np.testing.assert_allclose(found.matrix, expected[np.ix_(samples, samples)], atol=1e-11)
    assert (found.matrix == found.matrix.T).all()
    coef = RNG.normal(size=(4, 2))
    a, mismatch = found.expand(coef)
    np.testing.assert_allclose(K @ a, expected[:, samples] @ coef, atol=1e-9)
    assert np.abs(mismatch).max() < 1e-10


def test_vertices_may_be_some_of_the_samples_and_pieces_may_be_single_vertices():
    A = np.zeros((5, 5))
    A[0, 1] = A[1, 0] = 2.0
    A[3, 4] = A[4, 3] = 0.5  # vertex 2 is alone
    vertices, samples = np.array([7, 2, 9, 30, 11]), np.array([2, 35])
    L = np.zeros((N, N))
    L[np.ix_(vertices, vertices)] = np.diag(A.sum(axis=1)) - A
    found = deformed_kernel(PrecomputedOperator(K), samples, vertices, sp.csr_array(A), 3.0)
    expected = K @ np.linalg.inv(np.eye(N) + 3 * L @ K)
    np.testing.assert_allclose(found.matrix, expected[np.ix_(samples, samples)], atol=1e-12)
    alone = deformed_kernel(PrecomputedOperator(K), samples, vertices, sp.csr_array((5, 5)), 3.0)
    np.testing.assert_array_equal(alone.matrix, K[np.ix_(samples, samples)])


def test_a_singular_gram_matrix_needs_no_jitter():
    low = Linear()(X)
    graph = sample_graph(trained(LaplacianRidge(kernel="linear"), X, NUMBERS), 6, "binary")
    found = deformed_kernel(PrecomputedOperator(low), np.arange(N), graph.vertices, graph.affinity, 50.0)
    expected = low @ np.linalg.inv(np.eye(N) + 50 * graph_laplacian(low, 6) @ low)
    np.testing.assert_allclose(found.matrix, expected, atol=1e-12)
    assert np.linalg.matrix_rank(found.matrix, tol=1e-12) == 3


# ---- the graph


@pytest.mark.parametrize("heat", [False, True])
def test_the_graph_is_that_of_the_definition(heat):
    graph = sample_graph(trained(LaplacianRidge(kernel=KERNEL), X, NUMBERS), 6, "heat" if heat else "binary")
    A = graph.affinity.toarray()
    np.testing.assert_allclose(np.diag(A.sum(axis=1)) - A, graph_laplacian(K, 6, heat=heat), atol=1e-14)
    np.testing.assert_array_equal(graph.vertices, np.arange(N))
    assert graph.n_neighbors == 6


@pytest.mark.parametrize("form", FORMS, ids=str)
@both
def test_weights_are_repetitions_of_labelled_and_unlabelled_samples(cls, form):
    weight = np.random.default_rng(3).integers(0, 3, N)
    weight[[0, 20]] = 1
    copies, y = np.repeat(np.arange(N), weight), target(cls)
    options = {"kernel": KERNEL, "manifold": 2.0, **form}
    weighted = cls(**options).fit(X, y, sample_weight=weight)
    repeated = cls(**options).fit(X[copies], y[copies])
    name = "decision_function" if cls is LaplacianSVC else "predict"
    np.testing.assert_allclose(getattr(weighted, name)(NEW), getattr(repeated, name)(NEW), atol=1e-9)
    assert not weighted.dual_coef_[weight == 0].any()


@both
def test_few_distinct_samples_are_all_neighbours(cls):
    rows = np.resize([0, 1, 2, 3], 24)
    y = np.arange(24) % 2 if cls is LaplacianSVC else np.arange(24.0)
    model = cls(kernel=KERNEL, n_neighbors=20).fit(X[rows], y)
    assert model.n_neighbors_ == 3
    same = cls(kernel=KERNEL, n_neighbors=3).fit(X[rows], y)
    np.testing.assert_array_equal(model.dual_coef_, same.dual_coef_)


# ---- both estimators


@both
def test_predictions_of_training_samples_are_the_transduction(cls):
    model = cls(kernel=KERNEL).fit(X, target(cls))
    assert model.transduction_.shape == (N,)
    found = model.predict(X)
    if cls is LaplacianSVC:
        np.testing.assert_array_equal(found, model.transduction_)
    else:
        np.testing.assert_allclose(found, model.transduction_, atol=1e-12)


@both
def test_precomputed_sparse_and_permuted_data_give_the_same_model(cls):
    y = target(cls)
    name = "decision_function" if cls is LaplacianSVC else "predict"
    expected = getattr(cls(kernel=KERNEL).fit(X, y), name)(NEW)
    precomputed = cls(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(getattr(precomputed, name)(KERNEL(NEW, X)), expected, atol=1e-10)
    sparse = cls(kernel=KERNEL).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(getattr(sparse, name)(sp.csr_array(NEW)), expected, atol=1e-8)
    order = np.random.default_rng(1).permutation(N)
    permuted = cls(kernel=KERNEL).fit(X[order], y[order])
    np.testing.assert_allclose(getattr(permuted, name)(NEW), expected, atol=1e-9)


def test_strings():
    draw = np.random.default_rng(0)
    words = Strings(["".join(draw.choice(list(letters), 12)) for letters in ("abc", "xyz") for _ in range(11)])
    y = np.full(22, None, dtype=object)
    y[[0, 21]] = "first", "second"
    model = LaplacianSVC(kernel=Spectrum(2).normalized(), n_neighbors=3).fit(words, y)
    assert model.transduction_.tolist() == ["first"] * 11 + ["second"] * 11
    assert model.predict(Strings(["cabcab", "yxzx"])).tolist() == ["first", "second"]


@both
def test_without_a_graph_there_is_no_demand_on_neighbours(cls):
    y = np.array([0, 1, 0]) if cls is LaplacianSVC else np.array([0.0, 1.0, np.nan])
    model = cls(kernel=KERNEL, manifold=0).fit(X[:3], y)
    assert model.n_neighbors_ == 0


# ---- verdicts


@both
def test_pieces_without_a_label_are_a_warning(cls):
    far = np.vstack([X, X[:10] + 100.0])
    y = np.append(target(cls), np.full(10, -1.0))
    y = y.astype(int) if cls is LaplacianSVC else np.where(np.arange(50) < N, y, np.nan)
    message = rf"{cls.__name__}: 10 samples are in 1 of 2 connected components .* no labelled sample.*n_neighbors=6"
    with pytest.warns(UserWarning, match=message):
        model = cls(kernel=Linear()).fit(far, y)
    assert model.solution_.converged
    y[-1] = 1  # one label is enough
    cls(kernel=Linear()).fit(far, y)


@both
def test_too_many_neighbours_are_refused(cls):
    with pytest.raises(ValueError, match=rf"{cls.__name__}: n_neighbors=40 must be less than n_samples=40"):
        cls(kernel=KERNEL, n_neighbors=40).fit(X, target(cls))


@both
def test_weights_that_are_all_zero_are_refused(cls):
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        cls(kernel=KERNEL).fit(X, target(cls), sample_weight=np.zeros(N))
    with pytest.raises(ValueError, match=f"{cls.__name__}: sample_weight must not be negative"):
        cls(kernel=KERNEL).fit(X, target(cls), sample_weight=-np.ones(N))


@both
def test_a_kernel_without_a_metric_is_refused(cls):
    with pytest.raises(NotPositiveDefiniteError, match="A squared distance in feature space is -"):
        cls(kernel=user(block=lambda A, B: -(A @ B.T))).fit(X, target(cls))


@both
def test_a_kernel_that_is_not_positive_semidefinite_is_refused(cls):
    noise = np.random.default_rng(0).uniform(-0.9, 0.9, (N, N))
    indefinite = np.triu(noise, 1) + np.triu(noise, 1).T + np.eye(N)  # squared distances are at least 0.2
    assert np.linalg.eigvalsh(indefinite)[0] < -0.1
    message = rf"{cls.__name__}: I \+ r LK with r=10 is not positive definite on these samples.*repair"
    with pytest.raises(NotPositiveDefiniteError, match=message):
        cls(kernel="precomputed").fit(indefinite, target(cls))


@both
def test_matrices_that_do_not_fit_are_refused_before_they_are_made(cls, monkeypatch):
    monkeypatch.setattr(_runtime.limits, "available_memory", lambda: 4 * 8 * 400**2)
    points = np.random.default_rng(0).normal(size=(400, 2))
    y = np.resize([0, 1, -1] if cls is LaplacianSVC else [0.0, 1.0, np.nan], 400)
    with pytest.raises(MemoryLimitError, match=rf"{cls.__name__}: dense matrices of a graph of 400 vertices"):
        cls(kernel=KERNEL).fit(points, y)


@both
def test_weights_beyond_all_bounds_are_refused(cls):
    weight = np.where(np.arange(N) % 2, 1e200, 1.0)
    with pytest.raises(ValueError, match=rf"{cls.__name__}: the weights of the edges overflow; scale sample_weight"):
        cls(kernel=KERNEL).fit(X, target(cls), sample_weight=weight)


@both
def test_rounding_is_part_of_the_certificate(cls):
    model = cls(kernel=KERNEL, manifold=1e4).fit(X, target(cls))
    assert model.solution_.converged
    assert model.solution_.violation < 1e-9
