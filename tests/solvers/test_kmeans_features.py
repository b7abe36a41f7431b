"""k-means of features in single precision against its slow twin, and its certificate."""

import numpy as np
import pytest

from mercer.operators import PrecomputedOperator
from mercer.solvers.kmeans import kernel_kmeans, plus_plus
from mercer.solvers.kmeans_features import FeatureSamples, feature_kmeans
from mercer.solvers.solution import Status
from tests.reference.kmeans import inertia, lloyd


def problem(seed=0, n=60, r=4):
    rng = np.random.default_rng(seed)
    F = (rng.normal(size=(n, r)) + 2 * rng.normal(size=(3, r))[rng.integers(3, size=n)]).astype(np.float32)
    return F, rng.uniform(0.5, 2.0, size=n), rng


def shares(F, weight, labels, k):
    return np.stack([weight * (labels == c) / max(weight[labels == c].sum(), 1e-300) for c in range(k)]) @ F


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("panel", [None, 200])
def test_equals_its_slow_twin(seed, panel, monkeypatch):
    if panel is not None:
        monkeypatch.setattr("mercer.solvers.kmeans_features._PANEL", panel)
    F, weight, rng = problem(seed)
    start = rng.permutation(np.arange(60) % 3)
    K = F.astype(float) @ F.astype(float).T
    steps = lloyd(K, weight, start, 3)
    found = feature_kmeans(FeatureSamples(F.copy(), weight), start[None], 3)
    assert np.array_equal(found.labels, steps[-1])
    assert np.allclose(found.history, [inertia(K, weight, labels) for labels in steps], rtol=1e-5)
    assert found.solution.n_iter == len(steps)
    assert found.solution.violation == 0
    assert np.allclose(found.centers, shares(F.astype(float), weight, found.labels, 3), rtol=1e-5)
    assert np.allclose(found.norms, (found.centers**2).sum(axis=1))
    assert np.allclose(found.mass, np.bincount(found.labels, weight))


@pytest.mark.parametrize(("offset", "factor"), [(0.0, 1.0), (1000.0, 1.0), (0.0, 1e25), (0.0, 1e-25), (1e4, 10.0)])
def test_offset_and_scale_of_the_features_do_not_matter(offset, factor):
    F, weight, rng = problem(3, n=400)
    start = rng.integers(0, 4, size=400)[None]
    plain = feature_kmeans(FeatureSamples(F.copy(), weight), start, 4)
    moved = (factor * (F.astype(np.float64) + offset)).astype(np.float32)
    found = feature_kmeans(FeatureSamples(moved.copy(), weight), start, 4)
    assert (found.labels == plain.labels).mean() > 0.99
    assert np.isclose(found.solution.objective, factor**2 * plain.solution.objective, rtol=1e-2)
    assert np.allclose(found.centers, shares(moved.astype(float), weight, found.labels, 4), rtol=1e-4)


def test_starts_are_those_of_the_gram_matrix():
    F, weight, _ = problem(4, n=200)
    K = F.astype(float) @ F.astype(float).T
    samples = FeatureSamples(F, weight)
    mine, theirs = (
        plus_plus(operator, diag, weight, 5, np.random.RandomState(1))
        for operator, diag in ((samples.operator, samples.diag), (PrecomputedOperator(K), K.diagonal()))
    )
    assert np.array_equal(mine, theirs)
    found = feature_kmeans(samples, mine[None], 5)
    known = kernel_kmeans(PrecomputedOperator(K), K.diagonal(), weight, theirs[None], 5)
    assert np.array_equal(found.labels, known.labels)
    assert found.solution.n_iter == known.solution.n_iter
    assert np.isclose(found.solution.objective, known.solution.objective, rtol=1e-6)


def test_the_best_of_several_runs():
    F, weight, rng = problem(2, n=150)
    starts = rng.integers(0, 4, size=(6, 150))
    alone = [feature_kmeans(FeatureSamples(F.copy(), weight), start[None], 4) for start in starts]
    together = feature_kmeans(FeatureSamples(F.copy(), weight), starts, 4)
    assert together.solution.objective == min(found.solution.objective for found in alone)


def test_certificate_of_a_fixed_point_and_of_a_stopped_run():
    F, weight, rng = problem(5, n=300)
    start = rng.integers(0, 5, size=300)[None]
    samples = FeatureSamples(F.copy(), weight)
    found = feature_kmeans(samples, start, 5)
    squares = ((F[:, None, :] - found.centers) ** 2).sum(axis=2)
    assert found.solution.status is Status.CONVERGED
    assert np.array_equal(squares.argmin(axis=1), found.labels)
    assert np.isclose(weight @ squares.min(axis=1), found.solution.objective, rtol=1e-6)
    assert (np.diff(found.history) < 0).all()
    stopped = feature_kmeans(samples, start, 5, max_iter=2)
    moves = ((F[:, None, :] - stopped.centers) ** 2).sum(axis=2).argmin(axis=1) != stopped.labels
    assert stopped.solution.status is Status.MAX_ITER
    assert np.isclose(stopped.solution.violation, weight[moves].sum() / weight.sum())
    loose = feature_kmeans(samples, start, 5, tol=0.05)
    assert loose.solution.status is Status.CONVERGED
    assert len(loose.history) < len(found.history)


def test_empty_clusters_receive_the_farthest_samples():
    F = np.array([[0.0], [1.0], [2.0], [50.0]], dtype=np.float32)
    found = feature_kmeans(FeatureSamples(F, np.ones(4)), np.zeros((1, 4), dtype=int), 2)
    assert found.labels.tolist() in ([0, 0, 0, 1], [1, 1, 1, 0])
    same = np.repeat(np.array([[0.1], [0.7]], dtype=np.float32), 3, axis=0)
    few = feature_kmeans(FeatureSamples(same, np.ones(6)), np.array([[0, 1, 3]]), 3)
    assert np.count_nonzero(few.mass) == 2
    assert np.isinf(few.norms[few.mass == 0]).all()
    assert few.solution.objective < 1e-12


def test_samples_without_weight_are_labelled_only():
    F, _, rng = problem(6, n=100)
    weight = rng.integers(0, 2, size=100).astype(float)
    start = rng.integers(0, 3, size=100)
    found = feature_kmeans(FeatureSamples(F.copy(), weight), start[None], 3)
    kept = feature_kmeans(FeatureSamples(F[weight > 0], weight[weight > 0]), start[weight > 0][None], 3)
    assert np.array_equal(found.labels[weight > 0], kept.labels)
    assert np.array_equal(found.labels, ((F[:, None, :] - found.centers) ** 2).sum(axis=2).argmin(axis=1))
