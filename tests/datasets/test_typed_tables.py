"""Parquet and JSON lines: types that the file tells, and what is refused."""

import datetime as dt
import decimal
import gzip
import json
import re

import polars as pl
import pytest

from mercer.datasets import read
from mercer.datasets.typed_tables import read_parquet

DAY = dt.date(2024, 2, 29)


@pytest.fixture
def jsonl(tmp_path):
    """Writes objects, or lines as they are."""

    def to(*lines, name="data.jsonl"):
        path = tmp_path / name
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    return to


# ---- Parquet


def test_parquet_comes_back(tmp_path):
    path = tmp_path / "people.parquet"
    frame = pl.DataFrame(
        {
            "age": [31, None],
            "mean": pl.Series([0.5, 1.5], dtype=pl.Float32),
            "kind": pl.Series(["a", "b"], dtype=pl.Categorical),
            "day": [DAY, DAY],
            "word": ["007", None],
        }
    )
    frame.write_parquet(path)
    data = read(path)
    assert data.X.equals(frame)
    assert data.X.schema == frame.schema
    assert data.notes == ()
    assert data.name == "people"


def test_parquet_decisions(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({" x ": [decimal.Decimal("1.5")], "none": pl.Series([None], dtype=pl.Null)}).write_parquet(path)
    data = read(path)
    assert data.X.to_dict(as_series=False) == {"x": [1.5], "none": [None]}
    assert set(data.X.dtypes) == {pl.Float64}
    assert data.notes == (
        "Decimals become float64: ' x '.",
        "Only missing values: 'none'.",
        "Blanks around column names were removed: 'x'.",
    )


@pytest.mark.parametrize("values", [[[1, 2]], [{"a": 1}], [b"ab"]])
def test_parquet_refuses_what_is_nested(tmp_path, values):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"fine": [1], "odd": values}).write_parquet(path)
    with pytest.raises(ValueError, match=re.escape(f"{path}: column 'odd' is nested or binary")):
        read(path)


def test_parquet_that_is_none(tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(ValueError, match="is not a Parquet file, which starts with the letters PAR1"):
        read(path)
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(ValueError, match="is a corrupt Parquet file") as caught:
        read(path)
    assert "\n" not in str(caught.value)
    pl.DataFrame({"a": pl.Series([], dtype=pl.Int64)}).write_parquet(path)
    with pytest.raises(ValueError, match="is empty, expected at least one sample"):
        read(path)


def test_parquet_on_which_polars_panics(tmp_path, monkeypatch):
    def panic(file):
        raise pl.exceptions.PanicException("assertion failed")

    path = tmp_path / "a.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(path)
    monkeypatch.setattr(pl, "read_parquet", panic)
    with pytest.raises(ValueError, match=r"is a corrupt Parquet file \(assertion failed\)"):
        read_parquet(path)  # in this process


# ---- JSON lines


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.jsonl.gz"])
def test_jsonl(jsonl, name):
    path = jsonl(
        '\ufeff{"n": 1, "x": 1, "word": "07", "flag": true, "day": "2024-02-29"}',
        "",
        {"n": 2, "x": 0.5, "word": None, "flag": False, "late": "new"},
        '{"n": 3, "x": NaN, "word": ""}',
        name=name,
    )
    data = read(path)
    assert data.X.to_dict(as_series=False) == {
        "n": [1, 2, 3],
        "x": [1.0, 0.5, None],
        "word": ["07", None, ""],
        "flag": [True, False, None],
        "day": [DAY, None, None],
        "late": [None, "new", None],
    }
    assert data.X.dtypes == [pl.Int64, pl.Float64, pl.String, pl.Boolean, pl.Date, pl.String]
    assert data.notes == ()


def test_jsonl_decisions(jsonl):
    data = read(
        jsonl(
            {"mixed": 1, " blank": 2, "none": None, "large": 2**70, "odd": True},
            {"mixed": "one", " blank": 2, "none": None, "large": 1.5, "odd": 1},
            {"mixed": 1.5},
        )
    )
    assert data.X.to_dict(as_series=False) == {
        "mixed": ["1", "one", "1.5"],
        "blank": [2, 2, None],
        "none": [None, None, None],
        "large": [str(2**70), "1.5", None],
        "odd": ["true", "1", None],
    }
    assert data.notes == (
        "Blanks around column names were removed: 'blank'.",
        "Only missing values: 'none'.",
        "Numbers too large for 64 bits stay text: 'large'.",
        "Columns with values of different types stay text: 'mixed' (numbers, text), 'odd' (booleans, numbers).",
    )


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (({"a": 1}, "{'a': 2}"), "line 2, record 1 (from 0): is not JSON ("),
        (({"a": 1}, "", "[1, 2]"), "line 3, record 1 (from 0): expected an object"),
        (({"a": 1}, {"a": [1]}), "line 2, record 1 (from 0): column 'a' is nested (list), expected single values"),
        (({"a": {"b": 1}},), "line 1, record 0 (from 0): column 'a' is nested (object)"),
        (("[" * 100_000,), "line 1, record 0 (from 0): is not JSON ("),
    ],
)
def test_bad_lines_are_located(jsonl, lines, message):
    path = jsonl(*lines)
    with pytest.raises(ValueError, match=re.escape(f"{path}, {message}")):
        read(path)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ((), "is empty, expected at least one sample"),
        (("", " "), "is empty"),
        (("{}",), "has only empty objects"),
        (('{"a": "\\ud800"}',), "holds '\\ud800', half of a character"),
    ],
)
def test_bad_files(jsonl, lines, message):
    path = jsonl(*lines)
    with pytest.raises(ValueError, match=re.escape(f"{path}: {message}")):
        read(path)


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": "\xff"}\n')
    with pytest.raises(ValueError, match="line 1: is not UTF-8"):
        read(path)
