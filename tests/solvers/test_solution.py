"""Certificates: a solution is converged only if its numbers are finite, and verdicts do not depend on units."""

import math

import pytest

from mercer.solvers import Solution, Status

FINITE = {"objective": -2.0, "gap": 0.5, "violation": 1e-9}


def solution(status: Status = Status.CONVERGED, **numbers: float) -> Solution:
    return Solution(status=status, n_iter=1, **FINITE | numbers)


@pytest.mark.parametrize("status", list(Status))
@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in ("objective", "violation") for value in (math.nan, math.inf, -math.inf)),
        ("gap", math.inf),
        ("gap", -math.inf),
    ],
)
def test_what_overflowed_has_not_converged(name, value, status):
    assert solution(status).converged == (status in (Status.CONVERGED, Status.NOT_PSD))
    found = solution(status, **{name: value})
    assert found.status is Status.OVERFLOW
    assert not found.converged
    assert math.isnan(found.relative_gap)


def test_an_unknown_gap_is_allowed():
    assert solution(gap=math.nan).converged
    assert math.isnan(solution(gap=math.nan).relative_gap)


def test_a_part_that_overflowed_counts_most():
    parts = [solution(), solution(objective=math.nan), solution(Status.SINGULAR)]
    for order in (parts, parts[::-1]):
        assert Solution.together(order).status is Status.OVERFLOW
    assert Solution.together([solution(objective=1e308), solution(objective=1e308)]).status is Status.OVERFLOW


@pytest.mark.parametrize(
    ("objective", "gap", "expected"),
    [
        (-2.0, 0.0, 0.0),
        (-2.0, -1e-18, 0.0),
        (0.0, 0.0, 0.0),
        (0.0, 1e-300, 1.0),
        (2.0, 1.0, 0.5),
        (-2.0, 1.0, 1 / 3),
        (1.0, 2.0, 2.0),
        (1e308, 1e-308, 0.0),
        (-1e308, 1e308, 0.5),
        (-3e-310, 1e-310, 0.25),
    ],
)
def test_the_relative_gap(objective, gap, expected):
    assert solution(objective=objective, gap=gap).relative_gap == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("gap", "violation", "word"),
    [
        (1e-9, 1e-3, "rounding"),
        (1e-3, 1e-12, "tolerance"),
        (1.0, 1e-12, "loose"),
        (math.nan, 1e-12, "rounding"),
        (math.nan, 1e-3, "tolerance"),
    ],
)
def test_exactness(gap, violation, word):
    assert solution(gap=gap, violation=violation).exactness == word
