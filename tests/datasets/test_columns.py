"""What columns of text become: one decision for each column, told where it is one."""

import datetime as dt
import math

import polars as pl
import pytest

from mercer.datasets import read
from mercer.datasets.columns import MISSING, typed


def decide(*values, separator=","):
    """The column that texts become, its type, and the notes."""
    frame, notes = typed(pl.DataFrame({"c": list(values)}, schema={"c": pl.String}), separator)
    return frame["c"].to_list(), frame["c"].dtype, notes


@pytest.mark.parametrize(
    ("texts", "values", "dtype"),
    [
        (["1", "-2", "+3", " 4 "], [1, -2, 3, 4], pl.Int64),
        (["0", "-0", "10"], [0, 0, 10], pl.Int64),
        (["1", "2.5", ".5", "1e3", "1."], [1.0, 2.5, 0.5, 1000.0, 1.0], pl.Float64),
        (["1", "inf", "-Infinity"], [1.0, math.inf, -math.inf], pl.Float64),
        (["9223372036854775807", "1"], [2**63 - 1, 1], pl.Int64),
        (["1e20", "1"], [1e20, 1.0], pl.Float64),
        (["true", "False", "TRUE"], [True, False, True], pl.Boolean),
        (["2024-02-29", "1999-12-31"], [dt.date(2024, 2, 29), dt.date(1999, 12, 31)], pl.Date),
        (
            ["2024-02-29T10:30", "2024-03-01T00:00"],
            [dt.datetime(2024, 2, 29, 10, 30), dt.datetime(2024, 3, 1)],
            pl.Datetime,
        ),
        (["2024-02-29 10:30:01.5"], [dt.datetime(2024, 2, 29, 10, 30, 1, 500_000)], pl.Datetime),
        (["2024-02-29T10:30:00+02:00"], [dt.datetime(2024, 2, 29, 8, 30, tzinfo=dt.UTC)], pl.Datetime),
        (["yes", "no", "yes"], ["yes", "no", "yes"], pl.String),
        (["0x10", "1_000", "٣"], ["0x10", "1_000", "٣"], pl.String),
    ],
)
def test_kinds(texts, values, dtype):
    found, kind, notes = decide(*texts)
    assert found == values
    assert kind == dtype
    assert notes == []


@pytest.mark.parametrize("word", [*MISSING, "NA", "N/A", "NaN", "NULL", " ? "])
@pytest.mark.parametrize(
    ("texts", "values"),
    [(["3", "4"], [3, 4]), (["3.5", "4"], [3.5, 4.0]), (["true"], [True]), (["2024-02-29"], [dt.date(2024, 2, 29)])],
)
def test_missing_where_the_rest_is_of_one_kind(word, texts, values):
    found, dtype, notes = decide(*texts, word, *texts)
    assert found == [*values, None, *values]
    assert dtype != pl.String
    shown = repr(word.strip()) if word.strip() else "empty"
    told = f"Read as missing values, because all other values of the column have one type: 1 in 'c' ({shown})."
    assert notes == [told]


def test_several_words_for_missing():
    found, _, notes = decide("1", "", "n/a", "?", "")
    assert found == [1, None, None, None, None]
    assert notes[0].endswith("4 in 'c' (empty, '?', 'n/a').")


def test_text_has_nothing_missing():
    found, dtype, notes = decide("red", "", "NA", "-")
    assert found == ["red", "", "NA", "-"]
    assert dtype == pl.String
    assert notes == [
        "Empty fields and markers of missing values stay text, like the other values of the column: "
        "3 in 'c' (empty, '-', 'NA')."
    ]


def test_nulls_stay_nulls():
    assert decide("red", None)[0] == ["red", None]
    assert decide("red", None)[2] == []
    found, _, notes = decide("1", None)
    assert found == [1, None]
    assert notes[0].endswith("1 in 'c' (absent).")


def test_nothing_at_all():
    for texts in (["", ""], ["NA", "?"], [None]):
        found, dtype, notes = decide(*texts)
        assert found == [None] * len(texts)
        assert dtype == pl.Float64
        assert notes == ["Only missing values: 'c'."]


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["1", "2", "old"], "'c' (2 of 3 are numbers or dates, 'old' in row 2 is not)"),
        (["1", "", "3", "x" * 40], f"'c' (2 of 3 are numbers or dates, '{'x' * 30}…' in row 3 is not)"),
        (["2024-02-29", "soon"], "'c' (1 of 2 are numbers or dates, 'soon' in row 1 is not)"),
        (["true", "1"], "'c' (1 of 2 are numbers or dates, 'true' in row 0 is not)"),
    ],
)
def test_mixed_columns_stay_text(texts, told):
    found, dtype, notes = decide(*texts)
    assert found == texts
    assert dtype == pl.String
    assert notes[0] == f"Columns with values of different types stay text: {told}."


def test_a_number_among_many_words_is_not_worth_a_word():
    assert decide(*["word"] * 20, "1984")[2] == []


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["02134", "10001"], "Numbers with leading zeros are treated as identifiers and stay text: 'c'."),
        (["9223372036854775808", "1"], "Numbers too large for 64 bits stay text: 'c'."),
        (["1e400", "1.5"], "Numbers too large for 64 bits stay text: 'c'."),
    ],
)
def test_numbers_that_would_not_survive(texts, told):
    found, dtype, notes = decide(*texts)
    assert found == texts
    assert dtype == pl.String
    assert notes == [told]


@pytest.mark.parametrize(
    "texts", [["2024-02-30"], ["2024-02-29", "2024-02-29T10:30"], ["2024-02-29T25:00"], ["29.02.2024"]]
)
def test_dates_that_are_none_stay_text(texts):
    assert decide(*texts)[:2] == (texts, pl.String)


def test_decimal_comma_depends_on_the_separator():
    assert decide("1,5", "2", "?", separator=";")[0] == [1.5, 2.0, None]
    assert decide("1,5", "2,25", separator="\t")[0] == [1.5, 2.25]
    assert decide("1,5", "2")[0] == ["1,5", "2"]
    assert decide("1,5", "2.5", separator=";")[1] == pl.String
    assert decide("1,5,0", "2", separator=";")[1] == pl.String


def test_blanks_around_text_are_removed_and_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("kind, size\n Private, 5\n ?, 6\n")
    data = read(path)
    assert data.X.to_dict(as_series=False) == {"kind": ["Private", "?"], "size": [5, 6]}
    assert data.notes == (
        "Blanks around column names were removed: 'size'.",
        "Empty fields and markers of missing values stay text, like the other values of the column: 1 in 'kind' ('?').",
        "Blanks around values were removed: 'kind'.",
    )


def test_long_lists_are_cut():
    frame = pl.DataFrame({f"c{j}": [" x"] for j in range(20)})
    assert typed(frame)[1] == [
        "Blanks around values were removed: 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7' and 12 more."
    ]
