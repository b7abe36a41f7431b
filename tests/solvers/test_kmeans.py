"""Kernel k-means against its slow twin, and its certificate."""

import numpy as np
import pytest

from mercer.kernels import RBF
from mercer.operators import DenseOperator, PrecomputedOperator, gram
from mercer.solvers.kmeans import kernel_kmeans, plus_plus
from mercer.solvers.solution import Status
from tests.reference.kmeans import inertia, lloyd, squared_distance


def problem(seed=0, n=40, kernel=RBF(gamma=0.4)):  # noqa: B008
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, gram(kernel, X), rng.uniform(0.5, 2.0, size=n), rng


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("held", [True, False])
def test_equals_its_slow_twin(seed, held):
    _, operator, weight, rng = problem(seed)
    start = rng.permutation(np.arange(40) % 3)
    K = operator.dense()
    found = kernel_kmeans(DenseOperator(operator) if held else operator, operator.diag(), weight, start[None], 3)
    steps = lloyd(K, weight, start, 3)
    assert np.array_equal(found.labels, steps[-1])
    assert np.allclose(found.history, [inertia(K, weight, labels) for labels in steps], rtol=1e-12)
    assert found.solution.n_iter == len(steps)
    expected = [[squared_distance(K, weight, found.labels, i, c) for i in range(40)] for c in range(3)]
    assert np.allclose(found.squares, expected, rtol=1e-10, atol=1e-13)


def test_certificate_of_a_fixed_point_and_of_a_stopped_run():
    _, operator, weight, rng = problem(5, n=300)
    start = rng.integers(0, 5, size=300)[None]
    found = kernel_kmeans(operator, operator.diag(), weight, start, 5)
    own = found.squares[found.labels, np.arange(300)]
    assert found.solution.status is Status.CONVERGED
    assert found.solution.violation == 0
    assert (own <= found.squares.min(axis=0) + 1e-12).all()
    assert np.isclose(found.solution.objective, weight @ own)
    assert (np.diff(found.history) < 0).all()
    stopped = kernel_kmeans(operator, operator.diag(), weight, start, 5, max_iter=2)
    moves = stopped.squares.argmin(axis=0) != stopped.labels
    assert stopped.solution.status is Status.MAX_ITER
    assert np.isclose(stopped.solution.violation, weight[moves].sum() / weight.sum())
    loose = kernel_kmeans(operator, operator.diag(), weight, start, 5, tol=0.05)
    assert loose.solution.status is Status.CONVERGED
    assert len(loose.history) < len(found.history)


def test_runs_together_are_runs_alone():
    _, operator, weight, rng = problem(2, n=150)
    starts = rng.integers(0, 4, size=(6, 150))
    alone = [kernel_kmeans(operator, operator.diag(), weight, start[None], 4) for start in starts]
    together = kernel_kmeans(operator, operator.diag(), weight, starts, 4)
    best = min(alone, key=lambda found: found.solution.objective)
    assert np.array_equal(together.labels, best.labels)
    assert np.allclose(together.history, best.history)


def test_rows_in_small_panels():
    _, operator, weight, rng = problem(3, n=120)
    start = rng.integers(0, 4, size=(1, 120))
    tight = gram(RBF(gamma=0.4), problem(3, n=120)[0], memory_budget=2_000)
    a, b = (kernel_kmeans(K, K.diag(), weight, start, 4) for K in (operator, tight))
    assert np.array_equal(a.labels, b.labels)
    assert np.allclose(a.squares, b.squares, atol=1e-12)


def test_empty_clusters_take_the_farthest_samples():
    x = np.array([[0.0], [0.1], [5.0], [9.0]])
    operator, diag = PrecomputedOperator(x @ x.T), x[:, 0] ** 2
    found = kernel_kmeans(operator, diag, np.ones(4), np.zeros((1, 4), dtype=int), 3)
    assert len(np.unique(found.labels)) == 3
    assert np.isclose(found.solution.objective, 0.005)
    assert (np.diff(found.history) < 0).all()


def test_clusters_stay_empty_if_all_samples_lie_on_centroids():
    x = np.repeat([[0.0], [3.0]], 4, axis=0)
    found = kernel_kmeans(PrecomputedOperator(x @ x.T), x[:, 0] ** 2, np.ones(8), np.array([[0, 1, 4, 5]]), 4)
    assert found.solution.objective == 0
    assert (found.mass > 0).sum() == 2
    assert np.isinf(found.squares[found.mass == 0]).all()
    assert found.solution.converged


def test_indefinite_kernel_ends_with_a_status():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 60))
    K = A + A.T
    found = kernel_kmeans(PrecomputedOperator(K), np.diag(K), np.ones(60), rng.integers(0, 3, size=(1, 60)), 3)
    assert found.solution.status is Status.NOT_PSD
    assert (np.diff(found.history) < 0).all()


def test_plus_plus_draws_the_first_by_weight():
    x = np.arange(4.0)[:, None]
    weight = np.array([1.0, 0.0, 3.0, 6.0])
    operator, rng = PrecomputedOperator(x @ x.T), np.random.RandomState(0)
    first = [plus_plus(operator, x[:, 0] ** 2, weight, 1, rng)[0] for _ in range(3000)]
    share = np.bincount(first, minlength=4) / 3000
    assert share[1] == 0
    assert np.allclose(share, weight / 10, atol=0.03)


def test_plus_plus_never_takes_a_sample_twice():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(6, 3)), 5, axis=0)  # 6 distinct samples, 5 times each
    operator = gram(RBF(gamma=0.5), X)
    for seed in range(50):
        chosen = plus_plus(operator, operator.diag(), np.ones(30), 6, np.random.RandomState(seed))
        assert len(np.unique(chosen // 5)) == 6
