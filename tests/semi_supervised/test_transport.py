"""Assignment of classes with given counts."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from mercer.semi_supervised.relabel import CLOSEST, AnyLabels, FixedCounts
from mercer.semi_supervised.transport import assign, class_counts


def total(cost, label):
    return cost[np.arange(len(cost)), label].sum()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_assignment_is_optimal(n_classes, seed):
    rng = np.random.default_rng(seed)
    n = 40
    cost = rng.normal(size=(n, n_classes)) * 10.0 ** rng.integers(-3, 4)
    counts = class_counts(rng.dirichlet(np.ones(n_classes)), n)
    label = assign(cost, counts)
    assert np.bincount(label, minlength=n_classes).tolist() == counts.tolist()
    seats = np.repeat(np.arange(n_classes), counts)  # the same as a matching of samples with seats
    rows, columns = linear_sum_assignment(cost[:, seats])
    assert total(cost, label) == pytest.approx(total(cost[rows], seats[columns]), rel=1e-12)


def test_ties_and_empty_classes():
    assert np.bincount(assign(np.zeros((9, 3)), np.array([4, 0, 5])), minlength=3).tolist() == [4, 0, 5]
    assert assign(np.ones((4, 2)), np.array([0, 4])).tolist() == [1, 1, 1, 1]
    assert assign(np.zeros((0, 3)), np.array([0, 0, 0])).tolist() == []


def test_counts_sum_to_the_number_of_samples():
    rng = np.random.default_rng(0)
    for n in (0, 1, 2, 17, 1000):
        fractions = rng.dirichlet(np.ones(5))
        counts = class_counts(fractions, n)
        assert counts.sum() == n
        assert (np.abs(counts - n * fractions) < 1).all()


def test_labellings_next_to_one_are_allowed_and_cheapest_first():
    rng = np.random.default_rng(1)
    cost, counts = rng.normal(size=(30, 3)), np.array([10, 12, 8])
    allowed = FixedCounts(counts)
    best = allowed.best(cost)
    near = list(allowed.near(cost, best))
    assert len(near) == CLOSEST
    prices = [total(cost, label) for label in near]
    assert prices == sorted(prices)
    pairs = [
        total(cost, swapped(best, i, j)) for i in range(30) for j in range(i) if best[i] != best[j]
    ]  # all exchanges
    assert prices == pytest.approx(sorted(pairs)[:CLOSEST])
    for label in near:
        assert np.bincount(label, minlength=3).tolist() == counts.tolist()
        assert (label != best).sum() == 2


def swapped(label, i, j):
    label = label.copy()
    label[[i, j]] = label[[j, i]]
    return label


def test_single_changes_are_cheapest_first():
    cost = np.random.default_rng(2).normal(size=(6, 3))
    best = AnyLabels().best(cost)
    assert total(cost, best) == pytest.approx(cost.min(axis=1).sum())
    changes = sorted(cost[i, k] - cost[i, best[i]] for i in range(6) for k in range(3) if k != best[i])
    near = list(AnyLabels().near(cost, best))
    assert [total(cost, label) - total(cost, best) for label in near] == pytest.approx(changes[:CLOSEST])
    assert all((label != best).sum() == 1 for label in near)
