"""Columns as they come: every library, every type, every mark of a missing value."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from mercer.auto.columns import has_columns, raw_columns, row_count, rows_of
from mercer.data import Table

DATA = {
    "number": [1.5, None, 3.0],
    "integer": [1, 2, 3],
    "boolean": [True, False, True],
    "text": ["a", None, "b"],
    "date": [dt.date(1970, 1, 2), None, dt.date(1969, 12, 31)],
    "moment": [dt.datetime(1970, 1, 1, 12), dt.datetime(1970, 1, 3), None],
    "duration": [dt.timedelta(hours=6), None, dt.timedelta(days=2)],
    "time": [dt.time(6), dt.time(12), None],
    "empty": [None, None, None],
}
TYPES = {
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "text": "text",
    "date": "date",
    "moment": "date",
    "duration": "date",
    "time": "date",
    "empty": "empty",
}


@pytest.mark.parametrize("make", [dict, pl.DataFrame, pd.DataFrame, lambda data: pl.DataFrame(data).to_arrow()])
def test_every_library_reads_the_same(make):
    found = raw_columns("test", make(DATA))
    assert {name: column.type for name, column in found.items()} == TYPES
    np.testing.assert_array_equal(found["number"].values, [1.5, np.nan, 3])
    np.testing.assert_array_equal(found["date"].values, [1, np.nan, -1])
    np.testing.assert_array_equal(found["moment"].values, [0.5, 2, np.nan])
    np.testing.assert_array_equal(found["duration"].values, [0.25, np.nan, 2])
    np.testing.assert_array_equal(found["time"].values, [0.25, 0.5, np.nan])
    assert found["boolean"].values == [True, False, True]
    assert found["text"].values == ["a", None, "b"]
    assert found["text"].n_missing == found["number"].n_missing == 1
    assert found["text"].present == ["a", "b"]
    assert found["number"].present.tolist() == [1.5, 3.0]
    assert found["empty"].n_missing == 3
    assert not any(column.is_constant for column in found.values())
    same = raw_columns("test", make({"number": [2.0, 2.0], "text": ["a", "a"], "gap": ["a", None]}))
    assert {name: column.is_constant for name, column in same.items()} == {"number": True, "text": True, "gap": False}


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, "a"], "mixed"),
        ([True, "a"], "mixed"),
        ([True, 2], "mixed"),
        ([Decimal("1.5"), None], "number"),
        ([np.float32(1.5), np.int8(2)], "number"),
        ([np.datetime64("1970-01-03"), None], "date"),
        (np.array(["1970-01-03", "NaT"], dtype="datetime64[D]"), "date"),
        (np.array([1, 2], dtype="timedelta64[D]"), "date"),
        (np.array([True, False]), "boolean"),
        (np.array(["a", "b"]), "text"),
        ([b"a", b"b"], "text"),
        (pd.array([1, None], dtype="Int64"), "number"),
        (pd.array([True, None], dtype="boolean"), "boolean"),
        (pd.Series(["a", "b"], dtype="category"), "text"),
        (pl.Series(["a", None], dtype=pl.Categorical), "text"),
        (pl.Series([1, None]), "number"),
        (pl.Series([True, None]), "boolean"),
        ([float("nan"), None], "empty"),
        (np.array([np.nan, np.nan]), "empty"),
        (pd.Series([pd.NA, pd.NaT], dtype=object), "empty"),
    ],
)
def test_types(values, kind):
    frame = pd.DataFrame({"x": values}) if isinstance(values, pd.api.extensions.ExtensionArray) else {"x": values}
    assert raw_columns("test", frame)["x"].type == kind


def test_moments_with_a_zone_are_moments():
    east = dt.timezone(dt.timedelta(hours=2))
    column = raw_columns("test", {"t": [dt.datetime(1970, 1, 1, 2, tzinfo=east), dt.datetime(1970, 1, 2)]})["t"]
    np.testing.assert_array_equal(column.values, [0, 1])


def test_mixed_values_become_text():
    assert raw_columns("test", {"x": [1, "a", None, True]})["x"].values == ["1", "a", None, "True"]


def test_columns_of_arrays_and_rows_are_numbered():
    assert list(raw_columns("test", np.zeros((2, 3)))) == ["x0", "x1", "x2"]
    assert raw_columns("test", [[1, "a"], [2, "b"]])["x1"].values == ["a", "b"]


def test_tables_and_structured_arrays():
    table = Table.from_frame({"age": [1.0, 2.0], "city": ["a", "b"]})
    assert [column.type for column in raw_columns("test", table).values()] == ["number", "text"]
    records = np.array([(1.0, "a"), (2.0, "b")], dtype=[("age", "f8"), ("city", "U1")])
    assert [column.type for column in raw_columns("test", records).values()] == ["number", "text"]


def test_refused_values_name_column_and_row():
    with pytest.raises(TypeError, match=r"column 'x' holds \{'a': 1\} in row 1.*kinds=\{'x': 'drop'\}"):
        raw_columns("test", {"x": [None, {"a": 1}]})
    with pytest.raises(TypeError, match="column 'x'"):
        raw_columns("test", {"x": [1 + 2j, 3.0]})
    with pytest.raises(ValueError, match="beyond the range"):
        raw_columns("test", {"x": [10**400, None]})


def test_unequal_and_repeated_columns():
    with pytest.raises(ValueError, match="equal lengths"):
        raw_columns("test", {"a": [1], "b": [1, 2]})
    with pytest.raises(ValueError, match="equal lengths"):
        row_count("test", {})
    with pytest.raises(ValueError, match="column names must be unique"):
        raw_columns("test", pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_rows_of_everything():
    named = [DATA, pd.DataFrame(DATA), pl.DataFrame(DATA)]
    frames = [*named, np.arange(3)[:, None], sp.eye_array(3).todok(), [[1], [2], [3]]]
    for X in frames:
        assert row_count("test", X) == 3
        assert row_count("test", rows_of(X, [2, 0])) == 2
    assert rows_of(DATA, [2, 0])["text"] == ["b", "a"]
    assert [has_columns(X) for X in frames] == [True, True, True, False, False, False]
