"""Directions solve their eigenproblem, by every way alike; leave-one-out equals refits."""

import numpy as np
import pytest

from mercer.exceptions import NotPositiveDefiniteError
from mercer.kernels import RBF
from mercer.solvers import Status
from mercer.solvers.discriminant import class_scatter, ridge_directions
from mercer.solvers.discriminant_eigen import (
    coefficient_directions,
    eigen_directions,
    scatter_spectrum,
    spectral_directions,
)
from mercer.solvers.discriminant_loo import leave_one_out, leave_one_out_path

N, CLASSES = 60, 4


def data(rng):
    label = rng.integers(CLASSES, size=N)
    X = rng.normal(size=(N, 3)) + np.column_stack([label, label == 2, np.zeros(N)])
    return RBF(gamma=0.3)(X), label


def weights(rng, kind):
    return np.ones(N) if kind == "unit" else rng.integers(0, 4, size=N).astype(float)


def ways(K, label, weight, reg):
    def scatter():
        return class_scatter(K.copy(), label, weight)

    first, second, third = scatter(), scatter(), scatter()
    mu = reg * first.spread
    return {
        "ridge": ridge_directions(first, mu),
        "spectral": spectral_directions(second, scatter_spectrum(second), mu),
        "eigen": eigen_directions(third, scatter_spectrum(third), mu),
    }


@pytest.mark.parametrize("kind", ["unit", "counts"])
@pytest.mark.parametrize("reg", [1e-4, 1e-1, 1e2])
def test_three_ways_agree(rng, kind, reg):
    (K, label), weight = data(rng), weights(rng, kind)
    found = ways(K, label, weight, reg)
    ridge = found["ridge"]
    for other in (found["spectral"], found["eigen"]):
        scale = np.abs(ridge.means).max()
        np.testing.assert_allclose(other.ratio, ridge.ratio, rtol=1e-8)
        np.testing.assert_allclose(other.means, ridge.means, atol=1e-8 * scale)
        np.testing.assert_allclose(K @ other.coef + other.offset, K @ ridge.coef + ridge.offset, atol=1e-8 * scale)


@pytest.mark.parametrize("kind", ["unit", "counts"])
@pytest.mark.parametrize("way", ["ridge", "spectral", "eigen"])
def test_directions_are_stationary_and_scaled(rng, kind, way):
    """S_b v = λ (S_w + μI) v and vᵀ(S_w + μI)v = W, tested on the samples: φ̃ of them spans all that matters."""
    (K, label), weight = data(rng), weights(rng, kind)
    found = ways(K, label, weight, 1e-2)[way]
    scatter = class_scatter(K.copy(), label, weight)
    mu = 1e-2 * scatter.spread
    total = weight.sum()
    center = np.eye(N) - np.outer(np.ones(N), weight / total)
    z = K @ found.coef + found.offset
    np.testing.assert_allclose(weight @ z, 0, atol=1e-9 * total)
    means = np.array([np.average(z[label == c], axis=0, weights=weight[label == c]) for c in range(CLASSES)])
    np.testing.assert_allclose(means, found.means, atol=1e-9)
    between = scatter.K @ (weight[:, None] * means[label])
    within = scatter.K @ (weight[:, None] * (z - means[label]))
    penalty = mu * (center @ z)  # ⟨φ̃_i, v⟩
    np.testing.assert_allclose(between, found.ratio * (within + penalty), atol=1e-9 * np.abs(between).max())
    # ‖v‖² = aᵀK̃a with a the coefficients: those of K and K̃ differ by a multiple of the weights, which K̃ kills.
    norms = found.coef.T @ scatter.K @ found.coef
    spread = (z - means[label]).T @ (weight[:, None] * (z - means[label])) + mu * norms
    np.testing.assert_allclose(spread, total * np.eye(CLASSES - 1), atol=1e-8 * total)
    assert found.solution.converged
    assert found.solution.violation < 1e-11
    np.testing.assert_allclose(found.solution.objective, (1 / (1 + found.ratio)).sum(), rtol=1e-10)


@pytest.mark.parametrize("kind", ["unit", "counts"])
def test_penalty_on_coefficients_is_stationary(rng, kind):
    (K, label), weight = data(rng), weights(rng, kind)
    found = coefficient_directions(K.copy(), label, weight, lambda unit: 1e-2 * unit)
    used = weight > 0
    K, label, weight, coef = K[np.ix_(used, used)], label[used], weight[used], found.coef[used]
    assert not found.coef[~used].any()
    z = K @ coef + found.offset
    means = np.array([np.average(z[label == c], axis=0, weights=weight[label == c]) for c in range(CLASSES)])
    np.testing.assert_allclose(means, found.means, atol=1e-9)
    rows = np.array([np.average(K[label == c], axis=0, weights=weight[label == c]) for c in range(CLASSES)])
    mu = 1e-2 * (weight[:, None] * weight * (K - rows[label]) ** 2).sum() / weight.sum()
    between = K @ (weight[:, None] * means[label])
    within = K @ (weight[:, None] * (z - means[label])) + mu * coef / weight[:, None]
    np.testing.assert_allclose(between, found.ratio * within, atol=1e-9 * np.abs(between).max())


@pytest.mark.parametrize("kind", ["unit", "counts"])
@pytest.mark.parametrize("priors", [None, np.array([0.1, 0.2, 0.3, 0.4])])
def test_leave_one_out_equals_refits(rng, kind, priors):
    (K, label), weight = data(rng), weights(rng, kind)
    mu = 0.3 * class_scatter(K.copy(), label, weight).spread
    closed = leave_one_out(class_scatter(K.copy(), label, weight), mu, priors)
    errors = 0.0
    for i in np.flatnonzero(weight):
        rest = weight.copy()
        rest[i] = 0
        found = ridge_directions(class_scatter(K.copy(), label, rest), mu)
        size = np.bincount(label, rest)
        prior = size / size.sum() if priors is None else priors
        z = K[i] @ found.coef + found.offset
        decision = np.log(prior) + found.means @ z - (found.means**2).sum(axis=1) / 2
        errors += weight[i] * (decision.argmax() != label[i])
        np.testing.assert_allclose(
            closed.decision[i] - closed.decision[i].mean(), decision - decision.mean(), atol=1e-8
        )
    assert np.isnan(closed.decision[weight == 0]).all()
    assert closed.error == pytest.approx(errors / weight.sum(), abs=1e-12)


def test_leave_one_out_of_a_path(rng):
    (K, label), weight = data(rng), weights(rng, "counts")
    scatter = class_scatter(K.copy(), label, weight)
    mus = np.array([1e-2, 1.0, 30.0]) * scatter.spread
    for mu, one in zip(mus, leave_one_out_path(scatter, scatter_spectrum(scatter), mus), strict=True):
        alone = leave_one_out(class_scatter(K.copy(), label, weight), mu)
        np.testing.assert_allclose(one.decision, alone.decision, atol=1e-7)
        assert one.error == alone.error
        assert one.loss == pytest.approx(alone.loss)


def test_leave_one_out_counts_a_sample_alone_in_its_class_as_wrong(rng):
    K, label = data(rng)
    label = np.where(np.arange(N) == 7, 4, label)
    found = leave_one_out(class_scatter(K, label, np.ones(N)), 1.0)
    assert np.isnan(found.decision[7]).all()
    assert np.isfinite(np.delete(found.decision, 7, axis=0)).all()
    assert found.error >= 1 / N


def test_units_of_the_penalty():
    x = np.array([0.0, 2.0, 10.0, 12.0])
    label = np.array([0, 0, 1, 1])
    assert class_scatter(np.outer(x, x), label, np.ones(4)).spread == pytest.approx(1.0)  # within 4 = 1 + 1 + 1 + 1
    x[[1, 3]] = x[[0, 2]]
    assert class_scatter(np.outer(x, x), label, np.ones(4)).spread == pytest.approx(25.0)  # no spread: the total
    assert class_scatter(np.ones((4, 4)), label, np.ones(4)).spread == 1.0


def test_indefinite_matrices():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(20, 20))
    K, label = A + A.T, np.arange(20) % 2
    scatter = class_scatter(K.copy(), label, np.ones(20))
    with pytest.raises(NotPositiveDefiniteError, match=r"eigenvalue of -.* see mercer.kernels.repair"):
        scatter_spectrum(scatter)
    with pytest.raises(NotPositiveDefiniteError, match="raise reg"):
        leave_one_out(class_scatter(K.copy(), label, np.ones(20)), 1e-3)
    nearly = A[:, :5] @ A[:, :5].T - 1e-3 * np.eye(20)
    with pytest.raises(NotPositiveDefiniteError, match="the scatter within or between classes is negative"):
        ridge_directions(class_scatter(nearly, label, np.ones(20)), 1e-4)
    contrast = np.zeros(20)  # of two samples of one class: what goes on along it does not concern the directions
    contrast[[0, 2]] = 1, -1
    found = ridge_directions(class_scatter(np.eye(20) - np.outer(contrast, contrast), label, np.ones(20)), 1e-4)
    assert found.solution.status is Status.NOT_PSD
