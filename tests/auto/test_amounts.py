"""Numbers stored as text."""

import pytest

from mercer.auto.amounts import amount, amount_form, known
from mercer.auto.columns import RawColumn


def form(texts, name="x"):
    return amount_form(RawColumn(name, "text", texts), texts)


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1", "-2.5", "+3e2", ".5", "4."], [1, -2.5, 300, 0.5, 4]),
        (["1,234", "5", "1,234,567.5"], [1234, 5, 1234567.5]),
        (["12%", "3.5 %"], [12, 3.5]),
        (["$5.00", "$1,200", "-$3", "$-4"], [5, 1200, -3, -4]),
        (["5 EUR", "6.5 eur"], [5, 6.5]),
        (["USD 5", "USD 7"], [5, 7]),
        (["3.5 kg", "4kg", "1 kgs"], [3.5, 4, 1]),
        (["1 year", "2 years"], [1, 2]),
        (["1,5", "1,234"], [1.5, 1.234]),  # the first value decides
        (["1.234,5", "2"], [1234.5, 2]),
        (["0,123"], [0.123]),
        (["−5", "3"], [-5, 3]),
        (["25 °C", "-3 °C"], [25, -3]),
    ],
)
def test_values(texts, values):
    assert [amount(text, form(texts)) for text in texts] == values


@pytest.mark.parametrize(
    "texts",
    [
        ["1.5", "1,5"],  # two decimal signs
        ["5 kg", "5 lb"],
        ["5 m", "5 ms"],
        ["5 kg", "5"],
        ["$5", "€5"],
        ["007", "042"],
        ["12345678901234567890"],
        ["1.2.3"],
        ["1,2,3"],
        ["320i", "520i"],
        ["3 PM"],
        ["inf"],
        ["nan"],
        ["1_000"],
        ["--5"],
        ["5 apples"],
        ["A1"],
        [],
    ],
)
def test_what_is_not_a_number(texts):
    assert form(texts) is None


def test_codes_are_not_numbers():
    assert form(["10115", "20095"], "zip") is None
    assert form(["10115", "20095"], "post_code") is None
    assert form(["10115", "20095"], "price") == (".", "")


def test_marks_of_missing_values():
    assert known(["5", "NA", "n/a", "?", "-", " ", "nan", "5 ", "none"]) == ["5", "none"]
