"""Levels that have an order, and levels for which none is guessed."""

import pytest

from mercer.auto.columns import RawColumn
from mercer.auto.orders import normal_form, order_of


def order(levels, name="x"):
    return order_of(RawColumn(name, "text", levels), levels)


@pytest.mark.parametrize(
    "ordered",
    [
        ["low", "medium", "high"],
        ["Very Low", "low", "MID", "high", "very_high"],
        ["small", "medium", "large", "extra-large"],
        ["S", "M", "L"],
        ["M", "XL", "XXL"],
        ["never", "rarely", "sometimes", "often", "always"],
        ["strongly disagree", "disagree", "neutral", "agree", "strongly agree"],
        ["poor", "fair", "good", "excellent"],
        ["none", "mild", "severe"],
        ["1st", "2nd", "3rd", "10th"],
        ["stage 1", "Stage 2", "stage 10"],
        ["C", "B-", "B", "A+"],
        ["BBB", "AA", "AAA"],
        ["0-9", "10-19", "20-29"],
        ["<5", "5-10", "10+"],
        ["under 18", "18 to 64", "65 and over"],
        ["0", "1", "2-3", "4+"],
        ["$0-$10,000", "$10,000-$20,000", "$20,000+"],
        ["(0, 10]", "(10, 20]", "(20, 30.5]"],
        ["<0", "0<=X<200", ">=200"],
        ["0-1 years", "2-5 years", "6+ years"],
        ["-5-0", "0-5", "5–10"],
    ],
)
def test_orders(ordered):
    assert order(ordered) == ordered
    assert order(ordered[::-1]) == ordered
    assert order([*ordered[1:], "elephant"]) is None  # one level that does not belong
    assert order(ordered[:2]) is None  # two levels: nothing to order


@pytest.mark.parametrize(
    "levels",
    [
        ["A", "B", "C"],  # letters
        ["S", "M", "D"],  # single, married, divorced
        ["medium", "moderate", "low"],  # synonyms
        ["low", "small", "high"],  # two scales
        ["1", "2", "3"],
        ["3-1", "2-4", "1-1"],  # results of matches
        ["0-10", "5-15", "10-20"],  # overlap
        ["2001-02", "2002-03", "2003-04"],
        ["1-2 kg", "3-4 lb", "5-6 kg"],
        ["stage 1", "level 2", "stage 3"],
        ["red", "green", "blue"],
        [f"{i}-{i}" for i in range(100)],  # too many
    ],
)
def test_no_guesses(levels):
    assert order(levels) is None


def test_grades_by_name():
    assert order(["A", "B", "C"], "grade") == ["C", "B", "A"]
    assert order(["A", "B", "C"], "blood group") is None


def test_levels_that_differ_in_case_are_one():
    assert order(["Low", "low", "HIGH", "medium"]) == ["Low", "medium", "HIGH"]
    assert normal_form("  Very-High\t") == normal_form("very high") == "very high"
