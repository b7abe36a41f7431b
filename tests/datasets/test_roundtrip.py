"""Tables written by Python's csv module come back: every field, whatever needs quotes."""

import csv
import string

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mercer.datasets import delimited, read
from mercer.datasets.columns import MISSING

LETTERS = string.ascii_letters + "äß€😀"
FIELDS = st.text(alphabet=LETTERS + " ,;|\t\"'\n\r0123456789.-", max_size=8)
WORDS = st.text(alphabet=LETTERS, min_size=1, max_size=6)


@st.composite
def tables(draw, fields):
    width = draw(st.integers(1, 4))
    names = draw(st.lists(WORDS, min_size=width, max_size=width, unique=True))
    rows = draw(st.lists(st.lists(fields, min_size=width, max_size=width), min_size=1, max_size=6))
    return names, rows


def write(folder, names, rows, **how):
    path = folder / "table.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, **how)
        writer.writerow(names)
        writer.writerows(rows)
    return path


@given(tables(FIELDS), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), st.sampled_from(["\n", "\r\n"]))
def test_text_comes_back(tmp_path_factory, table, quoting, end):
    names, rows = table
    # A last column of letters keeps every line regular and every separator in sight.
    names, rows = [*names, "0last"], [[*row, "z"] for row in rows]
    if end == "\n":  # the writer then leaves a carriage return without quotes, which no reader can tell from a line end
        rows = [[field.replace("\r", "") for field in row] for row in rows]
    path = write(tmp_path_factory.mktemp("csv"), names, rows, quoting=quoting, lineterminator=end)
    frame = read(path).X
    assert frame.columns == names
    for j, name in enumerate(names):
        values = frame[name]
        if str(values.dtype) == "String":
            assert values.to_list() == [row[j].strip() for row in rows]
        else:
            assert all(_agrees(value, row[j].strip()) for value, row in zip(values, rows, strict=True))


def _agrees(value, text):
    if value is None or isinstance(value, bool):
        return text.lower() in (MISSING if value is None else [str(value).lower()])
    return float(text) == float(value)


@given(tables(FIELDS), st.sampled_from([",", ";", "\t", "|"]))
def test_both_parsers_agree(tmp_path_factory, table, separator):
    names, rows = table
    path = write(tmp_path_factory.mktemp("csv"), names, rows, delimiter=separator)
    fast = delimited._fields(path, path.read_bytes().rstrip(b"\r\n"), separator, [])[0]
    with open(path, newline="", encoding="utf-8") as file:
        expected = [
            row
            for row in csv.reader(file, delimiter=separator)
            if row and (len(row) > 1 or row[0].strip() or len(names) == 1)
        ]
    skip = [[field.lstrip(" ") for field in row] for row in expected]
    assert [list(row) for row in fast.rows()] in (expected, skip)


@given(
    st.lists(
        st.tuples(
            st.integers(-(2**63), 2**63 - 1),
            st.none() | st.floats(allow_nan=False, allow_infinity=False),
            st.booleans(),
            st.dates(),
            st.none() | st.integers(-9, 9),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_values_come_back(tmp_path_factory, rows):
    names = ["whole", "real", "truth", "day", "gaps"]
    frame = read(write(tmp_path_factory.mktemp("csv"), names, rows)).X
    for j, name in enumerate(names):
        given_values = [row[j] for row in rows]
        if name == "real":
            assert [None if v is None else np.float64(v) for v in given_values] == frame[name].to_list()
        else:
            assert frame[name].to_list() == given_values
