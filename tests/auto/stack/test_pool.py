"""Calibrations and weights of members: optimality, priors, degenerate input."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from mercer.auto.stack.calibrate import SPREAD, Calibration
from mercer.auto.stack.pool import pooled_probabilities, pooled_values


def log_loss(p, labels):
    return -np.log(p[np.arange(len(labels)), labels]).mean()


def test_calibration_is_a_stationary_point(rng):
    scores, labels = rng.normal(size=(80, 3)), rng.integers(0, 3, 80)
    scores[np.arange(80), labels] += 1.0
    found = Calibration.fit(scores, labels)
    unit = np.std(scores - scores.mean(axis=1, keepdims=True))
    frequency = np.bincount(labels) + 0.5
    prior = np.log(frequency / frequency.sum())

    def objective(x):
        p = Calibration(np.exp(x[0]) / unit, prior + x[1:]).probabilities(scores)
        return 80 * log_loss(p, labels) + 0.5 * x @ x / SPREAD**2

    x = np.append(np.log(found.scale * unit), found.offset - prior)
    assert np.abs(approx_fprime(x, objective, 1e-6)).max() < 1e-2


def test_probabilities_of_useless_scores_are_class_frequencies(rng):
    labels = np.repeat([0, 1], [300, 100])
    p = Calibration.fit(rng.normal(size=(400, 2)), labels).probabilities(rng.normal(size=(50, 2)))
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_allclose(p[:, 1].mean(), 0.25, atol=0.05)


def test_a_class_that_is_not_judged_stays_possible(rng):
    found = Calibration.fit(rng.normal(size=(30, 3)), rng.integers(0, 2, 30))
    assert (found.probabilities(rng.normal(size=(5, 3))) > 0).all()


def test_integer_weights_equal_repetitions(rng):
    scores, labels = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    weight = rng.integers(1, 4, 40)
    # Weights are scaled to a mean of 1, so the repeated samples are compared with the same prior per sample.
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    q = np.full_like(p, 1 / 3)
    once = pooled_probabilities([p, q], labels, weight.astype(float))
    rows = np.repeat(np.arange(40), weight)
    many = pooled_probabilities([p[rows], q[rows]], labels[rows])
    assert abs(once[0] - many[0]) < 0.1
    assert once.sum() == pytest.approx(1)


def test_the_better_member_has_the_larger_weight(rng):
    labels = rng.integers(0, 2, 300)
    good = np.where(labels[:, None] == np.arange(2), 0.8, 0.2)
    flat = np.full((300, 2), 0.5)
    w = pooled_probabilities([flat, good], labels)
    assert w[1] > 0.95
    assert (w > 0).all()
    grid = [log_loss((1 - a) * flat + a * good, labels) for a in (0.0, 0.5, 1.0)]
    assert log_loss(w[0] * flat + w[1] * good, labels) < min(grid) + 0.01


def test_few_samples_give_nearly_equal_weights(rng):
    labels = np.array([0, 1])
    good = np.where(labels[:, None] == np.arange(2), 0.9, 0.1)
    w = pooled_probabilities([good, 1 - good], labels)
    assert 0.5 < w[0] < 0.8


def test_values_are_least_squares_near_equal_weights(rng):
    truth = rng.normal(size=500)
    a, b = truth + 0.3 * rng.normal(size=500), truth + 0.3 * rng.normal(size=500)
    w = pooled_values([a, b, rng.normal(size=500)], truth)
    np.testing.assert_allclose(w[:2], 0.48, atol=0.05)
    assert w[2] < 0.05
    assert (w >= 0).all()
    exact = pooled_values([truth, truth], truth)
    np.testing.assert_allclose(exact.sum(), 1, atol=1e-6)


def test_many_similar_members_do_not_outvote_another_family(rng):
    labels = rng.integers(0, 2, 4)
    same, other = np.full((4, 2), 0.5), np.full((4, 2), 0.5)
    w = pooled_probabilities([same] * 12 + [other], labels, families=["ridge"] * 12 + ["linear"])
    np.testing.assert_allclose(w, [*[1 / 24] * 12, 1 / 2])
    many = rng.integers(0, 2, 5000)
    good = np.where(many[:, None] == np.arange(2), 0.9, 0.1)
    w = pooled_probabilities([good, np.full((5000, 2), 0.5)], many, families=["ridge", "linear"])
    assert w[0] > 0.99  # with many samples the prior does not matter
