"""Plans: what a time limit allows, for a given speed."""

import pytest

from mercer.auto.clock import Clock
from mercer.auto.stack import plan as planning
from mercer.auto.stack.plan import DERIVATIVES, RESERVE, Plan


class Left(Clock):
    """A clock with a given rest."""

    def __init__(self, left):
        super().__init__(limit=100.0)
        self.rest = left

    def left(self):
        return self.rest


def planned(n, left, monkeypatch, *, threads=1, evaluations=100):
    """A plan after one second of learning."""
    plan = Plan(n, 10, 700, Left(left), threads, start=50.0, evaluations=evaluations)
    monkeypatch.setattr(planning.time, "monotonic", lambda: 51.0)
    return plan


@pytest.mark.parametrize("n", [2000, 50_000])
def test_a_fit_costs_a_third_of_an_evaluation_with_derivatives(n, monkeypatch):
    plan = planned(n, 1.0, monkeypatch)
    speed = 100 * plan._evaluation(700)
    rows, leaves = (n, len(plan.factors)) if n == 2000 else (2700, 1.3 * n / 1500)
    seconds = leaves * plan._evaluation(rows) / DERIVATIVES / speed
    for left, leaf in ((seconds / RESERVE * 1.01, plan.leaf), (seconds / RESERVE * 0.99, 700)):
        plan.clock.rest = left
        assert plan.leaf_in_time() == leaf


def test_kernels_are_fitted_while_time_is_left(monkeypatch):
    plan = planned(2000, 1e3, monkeypatch)
    leaf = plan.leaf_in_time()
    monkeypatch.setattr(planning.time, "monotonic", lambda: 500.0)  # later: the speed stays that of learning
    assert leaf == 2000
    assert plan.allows(leaf)
    plan.clock.rest = 0.0
    assert not plan.allows(leaf)


def test_a_worker_has_its_share_of_the_speed(monkeypatch):
    one, two = (planned(2000, 1.0, monkeypatch, threads=threads) for threads in (1, 2))
    one.leaf_in_time(), two.leaf_in_time()
    assert one.speed == 2 * two.speed


def test_the_smallest_leaf_if_nothing_is_left(monkeypatch):
    assert planned(50_000, -1.0, monkeypatch).leaf_in_time() == 300
    assert planned(200, -1.0, monkeypatch).leaf_in_time() == 200
    assert Plan(2000, 10, 700, Clock()).leaf_in_time() == 2000
