"""Selection of landmarks: its law, its certificates, and what it refuses."""

import pickle

import numpy as np
import pytest

from mercer.approximation import nystroem, select_landmarks
from mercer.data import Graphs
from mercer.exceptions import MemoryLimitError, NotPositiveDefiniteError
from mercer.kernels import RBF, Columns, Delta, Linear, user
from mercer.operators import BlockedOperator, GramOperator, LowRankOperator, PrecomputedOperator, gram
from tests.reference.landmarks import kmeans_plus_plus, nystroem_matrix, randomly_pivoted_cholesky

METHODS = ["rpcholesky", "uniform", "kmeans++"]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
K = gram(RBF(gamma=0.3), X)


def residual_curve(K, landmarks):
    factor = nystroem(K, landmarks)
    return factor.residual_curve(K.diag(), factor.features(K, columns=landmarks.indices))


def clusters_and_outliers(n=1500, outliers=20):
    rng = np.random.default_rng(1)
    points = rng.normal(size=(n, 4)) * 0.5
    points[:outliers] = rng.uniform(-8, 8, size=(outliers, 4))
    return points


# ---- the law


@pytest.mark.parametrize(
    ("method", "twin"), [("rpcholesky", randomly_pivoted_cholesky), ("kmeans++", kmeans_plus_plus)]
)
def test_pivots_have_the_law_of_single_draws(method, twin):
    points = np.array([0.0, 0.1, 0.2, 1.0, 1.3, 3.0])[:, None]
    weights = np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.5])
    dense = np.outer(weights, weights) * RBF(gamma=1.0)(points)
    rng, runs = np.random.default_rng(0), 6000
    ours, theirs = np.zeros((3, 6)), np.zeros((3, 6))
    for run in range(runs):
        ours[np.arange(3), select_landmarks(dense, 3, method=method, random_state=run).indices] += 1
        if method == "rpcholesky":
            expected, _ = randomly_pivoted_cholesky(dense, 3, rng)
        else:
            expected = kmeans_plus_plus(dense, 3, rng)
        theirs[np.arange(3), expected] += 1
    error = np.abs(ours - theirs) / np.sqrt(ours + theirs + 1)  # about standard normal
    assert error.max() < 4.5


def test_residuals_have_the_law_of_single_draws():
    dense, rng = K.dense(), np.random.default_rng(0)
    ours = np.array([select_landmarks(K, 40, random_state=run).residuals for run in range(60)])
    theirs = np.array([randomly_pivoted_cholesky(dense, 40, rng)[1] for _ in range(60)])
    spread = np.sqrt(ours.var(axis=0) + theirs.var(axis=0))[1:] / np.sqrt(60)
    assert (np.abs(ours.mean(axis=0) - theirs.mean(axis=0))[1:] < 4.5 * spread + 1e-12).all()


# ---- certificates


def test_the_residual_is_that_of_the_nystroem_matrix():
    found = select_landmarks(K, 60, random_state=0)
    dense = K.dense()
    approximate = found.factor @ found.factor.T
    np.testing.assert_allclose(approximate, nystroem_matrix(dense, found.indices), atol=1e-7)
    residual = dense - approximate
    assert np.linalg.eigvalsh(residual)[0] > -1e-12
    assert (found.sampler.weight >= 0).all()
    np.testing.assert_allclose(np.maximum(np.diag(residual), 0), found.sampler.weight, atol=1e-12)
    traces = [np.trace(dense - nystroem_matrix(dense, found.indices[:j])) for j in range(1, 61)]
    np.testing.assert_allclose(found.residuals[1:], traces, atol=1e-7)
    assert (np.diff(found.residuals) <= 0).all()
    assert found.residuals[0] == found.trace == pytest.approx(300)
    assert found.relative_residual == found.residuals[-1] / 300


@pytest.mark.parametrize("method", ["uniform", "kmeans++"])
def test_residuals_of_other_methods_are_computed_with_the_factor(method):
    found = select_landmarks(K, 30, method=method, random_state=0)
    assert found.factor is None
    assert found.residuals[0] == pytest.approx(300)
    assert np.isnan(found.residuals[1:]).all()
    assert len(found.residuals) == 31
    dense = K.dense()
    np.testing.assert_allclose(
        residual_curve(K, found)[-1], np.trace(dense - nystroem_matrix(dense, found.indices)), atol=1e-8
    )


def test_rpcholesky_covers_outliers_and_uniform_landmarks_do_not():
    """The case of n = 1500 points in four dimensions with 20 outliers."""
    K = gram(RBF(gamma=0.5), clusters_and_outliers())
    for m, factor in ((142, 2), (342, 20)):
        good = [select_landmarks(K, m, random_state=run).residuals[-1] for run in range(3)]
        poor = [residual_curve(K, select_landmarks(K, m, method="uniform", random_state=run))[-1] for run in range(3)]
        assert np.mean(poor) > factor * np.mean(good)


# ---- growth


@pytest.mark.parametrize("method", METHODS)
def test_growth_equals_one_selection(method):
    whole = select_landmarks(K, 90, method=method, random_state=3)
    part = select_landmarks(K, 7, method=method, random_state=3)
    np.testing.assert_array_equal(part.indices, whole.indices[:7])
    step = part.grow(K, 33)
    grown = pickle.loads(pickle.dumps(step)).grow(K, 90)
    again = step.grow(K, 90)
    for found in (grown, again):
        np.testing.assert_array_equal(found.indices, whole.indices)
        np.testing.assert_allclose(found.residuals, whole.residuals, atol=1e-9)
    assert len(part) == 7
    assert len(step) == 33
    if method == "rpcholesky":
        np.testing.assert_allclose(grown.factor, whole.factor, atol=1e-6)
        np.testing.assert_array_equal(step.factor, grown.factor[:, :33])


def test_tol_ends_the_selection_and_can_be_lowered():
    whole = select_landmarks(K, 300, random_state=3)
    found = select_landmarks(K, 300, tol=0.05, random_state=3)
    assert found.relative_residual <= 0.05 < found.residuals[-2] / found.trace
    finer = found.grow(K, 300, tol=0.01)
    assert finer.relative_residual <= 0.01 < finer.residuals[-2] / finer.trace
    np.testing.assert_array_equal(finer.indices, whole.indices[: len(finer)])
    assert len(select_landmarks(K, 300, tol=1.0)) == 0
    assert found.grow(K, 300, tol=0.05).indices.tolist() == found.indices.tolist()


def test_a_generator_continues_and_a_random_state_is_accepted():
    rng = np.random.default_rng(0)
    first, second = (select_landmarks(K, 5, random_state=rng).indices.tolist() for _ in range(2))
    assert first != second
    old = [select_landmarks(K, 5, random_state=np.random.RandomState(1)).indices.tolist() for _ in range(2)]
    assert old[0] == old[1]


# ---- degenerate matrices


@pytest.mark.parametrize("method", ["rpcholesky", "kmeans++"])
def test_equal_samples_are_never_selected_twice(method):
    repeated = np.tile(X[:9], (20, 1))
    found = select_landmarks(gram(RBF(gamma=0.3), repeated), 180, method=method, random_state=0)
    assert sorted(found.indices % 9) == list(range(9))


def test_uniform_landmarks_that_are_equal_are_dropped_with_the_factor():
    K = gram(RBF(gamma=0.3), np.tile(X[:9], (20, 1)))
    found = select_landmarks(K, 100, method="uniform", random_state=0)
    assert len(found) == 100
    factor = nystroem(K, found)
    assert sorted(found.indices[factor.kept] % 9) == list(range(9))
    assert len(factor.dropped) == 91
    assert residual_curve(K, found)[-1] < 1e-10


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_selection_ends_at_the_rank(dtype):
    found = select_landmarks(gram(Linear(), X.astype(dtype)), 300, random_state=0)
    assert len(found) == 3
    assert found.relative_residual < 1e-5 if dtype == np.float32 else 1e-13
    smooth = select_landmarks(gram(RBF(gamma=1e-4), X.astype(dtype)), 300, random_state=0)
    assert len(smooth) < 60
    error = np.abs(smooth.factor @ smooth.factor.T - RBF(gamma=1e-4)(X)).max()
    assert error < (1e-4 if dtype == np.float32 else 1e-11)


def test_a_matrix_of_zeros_has_no_landmarks():
    found = select_landmarks(np.zeros((4, 4)), 2)
    assert len(found) == 0
    assert found.relative_residual == 0


def test_scales_of_samples_may_differ():
    scale = np.logspace(-4, 4, 300)
    found = select_landmarks(np.outer(scale, scale) * K.dense(), 50, random_state=0)
    assert np.median(found.indices) > 200
    assert len(set(found.indices)) == 50


# ---- every operator, every kernel


@pytest.mark.parametrize("method", METHODS)
def test_operators_of_all_kinds(method):
    dense = K.dense()
    operators = [
        BlockedOperator(RBF(gamma=0.3).prepare(X)),
        PrecomputedOperator(dense),
        gram(user(block=RBF(gamma=0.3)), X, memory_budget=10_000),
        0.5 * K + 0.5 * K,
        dense,
    ]
    found = [select_landmarks(operator, 12, method=method, random_state=0).indices.tolist() for operator in operators]
    assert all(indices == found[0] for indices in found)
    low = LowRankOperator(X)
    found = select_landmarks(low, 12, method=method, random_state=0)
    F = nystroem(low, found).features(low, columns=found.indices)
    np.testing.assert_allclose(F @ F.T, X @ X.T, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_structured_data(method):
    words = ["".join(RNG.choice(list("ACGT"), size=12)) for _ in range(60)]
    graphs = Graphs.from_edges([(0, 1), (1, 2), (3, 4), (5, 6), (6, 7), (7, 5)], [0, 0, 0, 1, 1, 2, 2, 2])
    table = Columns(0, RBF(gamma=0.3)) * Columns(1, Delta())
    for K, m in (
        (gram("spectrum(2)", words), 60),
        (gram("vertex_histogram", graphs), 3),
        (gram(table, np.column_stack([X[:, 0], X[:, 1] > 0])), 60),
    ):
        found = select_landmarks(K, m, method=method, random_state=0)
        assert residual_curve(K, found)[-1] < 0.05 * found.trace
        F = nystroem(K, found).features(K, columns=found.indices)
        np.testing.assert_allclose(F @ F.T, K.dense(), atol=0.2 * K.diag().max())


# ---- errors


@pytest.mark.parametrize("method", METHODS)
def test_bad_arguments(method):
    with pytest.raises(ValueError, match="n_landmarks=301 must be at most the number of samples, 300"):
        select_landmarks(K, 301, method=method)
    with pytest.raises(ValueError, match="n_landmarks must be an integer >= 1"):
        select_landmarks(K, 0, method=method)
    with pytest.raises(ValueError, match="tol must be a finite number >= 0"):
        select_landmarks(K, 3, method=method, tol=-1.0)
    with pytest.raises(ValueError, match="needs a symmetric operator"):
        select_landmarks(gram(RBF(gamma=1.0), X, X[:4]), 3, method=method)
    found = select_landmarks(K, 3, method=method)
    with pytest.raises(ValueError, match="K has 4 rows, but the landmarks were selected from 300 samples"):
        found.grow(np.eye(4), 4)
    with pytest.raises(ValueError, match="n_landmarks must be an integer >= 3"):
        found.grow(K, 2)


def test_unknown_words():
    with pytest.raises(ValueError, match="method must be one of 'rpcholesky', 'uniform', 'kmeans\\+\\+'"):
        select_landmarks(K, 3, method="leverage")
    with pytest.raises(TypeError, match="called 'random_state'"):
        select_landmarks(K, 3, seed=0)


def test_indefinite_matrices_are_refused():
    with pytest.raises(NotPositiveDefiniteError, match="k\\(x, x\\) = -1 for sample 1"):
        select_landmarks(np.diag([1.0, -1.0]), 2)
    with pytest.raises(NotPositiveDefiniteError, match="a squared distance in feature space is"):
        select_landmarks(np.array([[1.0, 2.0], [2.0, 1.0]]), 2)


def test_a_diagonal_below_zero_by_rounding_is_zero():
    A = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, -1e-16]])
    assert sorted(select_landmarks(A, 3, random_state=0).indices) == [0, 1]
    A[2, 2] = -1e-9
    with pytest.raises(NotPositiveDefiniteError, match="k\\(x, x\\) = -1e-09 for sample 2"):
        select_landmarks(A, 3)


def test_factors_that_do_not_fit_are_refused(monkeypatch):
    monkeypatch.setattr("mercer._runtime.limits.available_memory", lambda: 2_000_000)
    large = gram(RBF(gamma=0.1), np.zeros((5000, 1)))
    with pytest.raises(MemoryLimitError, match="a factor of 5000 x 100 64-bit numbers"):
        select_landmarks(large, 100)
    assert isinstance(large, GramOperator)


# ---- single precision


def test_single_precision_selects_the_same_landmarks_from_the_same_draws():
    double = select_landmarks(K, 60, random_state=0)
    single = select_landmarks(K, 60, random_state=0, dtype="float32")
    assert single.factor.dtype == np.float32
    np.testing.assert_array_equal(single.indices, double.indices)
    np.testing.assert_allclose(single.residuals, double.residuals, atol=1e-3)
    np.testing.assert_allclose(nystroem(K, single).cholesky, nystroem(K, double).cholesky, atol=1e-10)


def test_single_precision_ends_where_residuals_are_rounding_errors():
    smooth = gram(RBF(gamma=1e-3), X)
    single = select_landmarks(smooth, 200, random_state=0, dtype="float32")
    double = select_landmarks(smooth, 200, random_state=0)
    assert len(single) < len(double)
    assert single.relative_residual < 1e-4
    with pytest.raises(ValueError, match="dtype must be one of 'float64', 'float32'"):
        select_landmarks(K, 5, dtype="float16")


@pytest.mark.parametrize("scale", [1e-40, 1e40])
def test_values_out_of_the_range_of_single_precision(scale):
    plain = select_landmarks(gram("linear", X), 3, random_state=0, dtype="float32")
    scaled = select_landmarks(gram("linear", scale * X), 3, random_state=0, dtype="float32")
    assert scaled.indices.tolist() == plain.indices.tolist()
    assert scaled.factor / scale == pytest.approx(plain.factor, abs=1e-3)


@pytest.mark.parametrize("method", ["rpcholesky", "kmeans++"])
def test_norms_whose_sum_overflows_are_an_error(method):
    with pytest.raises(ValueError, match="sum of squared norms of 60 samples in feature space is inf"):
        select_landmarks(PrecomputedOperator(1e307 * np.eye(60)), 3, method=method, random_state=0)
