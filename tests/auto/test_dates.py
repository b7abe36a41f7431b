"""Texts that are dates, texts that are not, and cycles of dates."""

import datetime as dt

import numpy as np
import pytest

from mercer.auto.dates import cycles_of, cyclic, date_form, day_number, turns


def days(*when):
    return (dt.datetime(*when) - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1)


@pytest.mark.parametrize(
    ("text", "form", "when"),
    [
        ("2020-01-31", "iso", (2020, 1, 31)),
        ("2020/1/5", "iso", (2020, 1, 5)),
        ("2020.12.31", "iso", (2020, 12, 31)),
        ("2020-05", "iso", (2020, 5, 1)),
        ("2020-01-31T10:30:00Z", "iso", (2020, 1, 31, 10, 30)),
        ("2020-01-31 23:30:15.25", "iso", (2020, 1, 31, 23, 30, 15, 250_000)),
        ("2020-01-31T01:00+02:00", "iso", (2020, 1, 30, 23)),
        ("2020-01-31T01:00-0530", "iso", (2020, 1, 31, 6, 30)),
        ("31 Jan 2020", "named", (2020, 1, 31)),
        ("31-JAN-2020", "named", (2020, 1, 31)),
        ("January 31, 2020", "named", (2020, 1, 31)),
        ("Tue, 31 Mar 2020 10:00:00 GMT", "named", (2020, 3, 31, 10)),
        ("Sept 2020", "named", (2020, 9, 1)),
        ("31/01/2020", "day first", (2020, 1, 31)),
        ("31.01.2020 6:00 pm", "day first", (2020, 1, 31, 18)),
        ("01/31/2020", "month first", (2020, 1, 31)),
        ("0001-01-01", "iso", (1, 1, 1)),
    ],
)
def test_forms(text, form, when):
    assert date_form([text]) == form
    assert day_number(text, form) == pytest.approx(days(*when), abs=1e-9)


@pytest.mark.parametrize(
    ("text", "hours"), [("9:30", 9.5), ("23:59:30", 23 + 59.5 / 60), ("12:00 am", 0), ("12 PM", 12), ("7 p.m.", 19)]
)
def test_times(text, hours):
    assert date_form([text]) == "time"
    assert day_number(text, "time") == pytest.approx(hours / 24)


@pytest.mark.parametrize(
    "texts",
    [
        ["2020-02-30"],
        ["2020-13-01"],
        ["25:00"],
        ["9:60"],
        ["13:00 pm"],
        ["2020"],
        ["20200131"],
        ["1.5"],
        ["10"],
        ["5 Maybe 2020"],
        ["Foo, 31 Mar 2020"],
        ["1-Jan-20"],
        ["2020-01-31", "31/01/2020"],
        ["2020-01-31", "soon"],
        ["13/13/2020"],
        ["13/01/2020", "01/13/2020"],
        [],
    ],
)
def test_what_is_not_read(texts):
    assert date_form(texts) == ""


@pytest.mark.parametrize("texts", [["01/02/03"], ["1/2/2020", "3/4/2020"], ["31-12-99"], ["2001-02", "2003-04"]])
def test_ambiguous(texts):
    assert date_form(texts) == "ambiguous"


def test_one_date_decides_for_all():
    assert date_form(["01/02/2020", "13/02/2020"]) == "day first"
    assert date_form(["01/02/2020", "02/13/2020"]) == "month first"


def test_turns_against_the_calendar():
    dates = [dt.date(1969, 12, 31) + dt.timedelta(days=97 * i) for i in range(200)]
    numbers = np.array([(date - dt.date(1970, 1, 1)).days for date in dates], dtype=float)
    np.testing.assert_allclose(turns(numbers + 0.25, "week"), [date.weekday() / 7 for date in dates])
    lengths = [366 if dt.date(date.year, 12, 31).timetuple().tm_yday == 366 else 365 for date in dates]
    expected = [(date.timetuple().tm_yday - 1) / n for date, n in zip(dates, lengths, strict=True)]
    np.testing.assert_allclose(turns(numbers, "year"), expected)
    np.testing.assert_allclose(turns(numbers + 0.25, "day"), 0.25)
    assert np.isnan(turns(np.array([np.nan]), "year")).all()
    sine, cosine = cyclic(numbers, "week")
    np.testing.assert_allclose(sine**2 + cosine**2, 1)


@pytest.mark.parametrize(
    ("dates", "cycles"),
    [
        (np.arange(10.0), []),  # less than two weeks
        (np.arange(60.0), ["week"]),
        (np.arange(1500.0), ["week", "year"]),
        (np.arange(0, 1500.0, 7), ["year"]),  # always the same day of the week
        (np.arange(0, 10, 1 / 24), ["day"]),
        (np.arange(0, 10, 0.5), []),  # two times of the day
        (np.arange(0, 5000.0, 400), []),  # too few
        ([(dt.date(2000 + i // 12, i % 12 + 1, 1) - dt.date(1970, 1, 1)).days for i in range(120)], ["year"]),
        ([np.nan, np.nan], []),
    ],
)
def test_cycles_that_vary_and_repeat(dates, cycles):
    assert cycles_of(np.asarray(dates, dtype=float), "date") == cycles
    assert cycles_of(np.asarray(dates, dtype=float), "duration") == []


def test_times_have_the_cycle_of_the_day():
    assert cycles_of(np.array([0.1, 0.5, 0.9]), "time") == ["day"]
    assert cycles_of(np.array([0.1, 0.5, 0.5]), "time") == []
