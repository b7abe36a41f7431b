"""The table: kinds, indexing, immutability, and splitting as scikit-learn does it."""

import datetime as dt
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.utils import _safe_indexing

from mercer.data import Table, as_codes
from mercer.kernels import RBF, Columns, Overlap

DATA = {
    "age": [31.0, 45.0, 27.0, 60.0],
    "visits": [1, 0, 3, 2],
    "member": [True, False, True, True],
    "city": ["Rome", "Oslo", "Rome", "Lima"],
    "dna": ["ACGT", "GG", "TTA", ""],
}
KINDS = {"dna": "text"}


@pytest.fixture
def table():
    return Table.from_frame(DATA, KINDS)


# ---- packing


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, Table.from_frame])
def test_every_frame_packs_to_the_same_table(make, table):
    packed = Table.from_frame(make(DATA), KINDS)
    assert packed == table
    assert packed.kinds == ("number", "number", "number", "category", "text")
    assert packed.names == tuple(DATA)
    assert packed.shape == (4, 5)
    assert len(packed) == 4


@pytest.mark.parametrize(
    "column",
    [
        pd.Categorical(["a", "b"]),
        pd.Series(["a", "b"]),
        pl.Series(["a", "b"], dtype=pl.Enum(["a", "b"])),
        pl.Series(["a", "b"], dtype=pl.Categorical),
        pa.chunked_array([["a", "b"]]),
        np.array(["a", "b"]),
        np.array(["a", "b"], dtype=object),
        ("a", "b"),
    ],
)
def test_strings_are_categories_however_stored(column):
    column = pd.Series(column) if isinstance(column, pd.Categorical) else column
    assert Table.from_frame({"c": column}) == Table.from_frame({"c": ["a", "b"]})


def test_arrays_take_names():
    X = np.array([[1.0, "a"], [2.0, "b"]], dtype=object)
    expected = Table.from_frame({"n": [1.0, 2.0], "c": ["a", "b"]})
    assert Table.from_frame(X, names=["n", "c"]) == expected
    assert Table.from_frame(X.tolist(), names=["n", "c"]) == expected
    assert Table.from_frame(X).names == ("x0", "x1")
    fields = np.array([(1.0, "a"), (2.0, "b")], dtype=[("n", float), ("c", "U1")])
    assert Table.from_frame(fields) == expected


def test_integer_labels_become_text():
    assert Table.from_frame(pd.DataFrame(np.eye(2))).names == ("0", "1")


def test_float32_is_kept_and_other_numbers_are_float64():
    table = Table.from_frame({"a": np.ones(2, dtype=np.float32), "b": np.ones(2, dtype=np.int8)})
    assert table.column("a").dtype == np.float32
    assert table.column("b").dtype == np.float64
    assert table.select("a").matrix().dtype == np.float32
    assert table.matrix().dtype == np.float64


def test_missing_numbers_are_nan():
    for column in (
        [1, None],
        [1.0, float("nan")],
        [True, None],
        pd.array([1, None], dtype="Int64"),
    ):
        table = Table.from_frame({"a": pd.Series(column, dtype=getattr(column, "dtype", object))})
        np.testing.assert_array_equal(table.column("a"), [1, np.nan])
        assert table == Table.from_frame({"a": [1, None]})


def test_kinds_override():
    table = Table.from_frame({"zip": [10, 20, 10], "word": ["a", "b", "a"]}, {"zip": "category"})
    assert table.column("zip") == [10, 20, 10]
    np.testing.assert_array_equal(table.codes()[:, 0], [10, 20, 10])
    again = Table.from_frame(table, {"word": "object"})
    assert again.kinds == ("category", "object")
    assert Table.from_frame(table) == table


def test_objects_keep_anything():
    values = [[1, 2], {"a": 1}, None, np.ones(2)]
    table = Table.from_frame({"o": values, "d": [dt.date(2020, 1, 1)] * 4}, {"d": "object"})
    assert table.kinds == ("object", "object")
    assert table.column("o")[:3] == values[:3]
    assert table == pickle.loads(pickle.dumps(table))
    series = pd.Series([dt.datetime(2020, 1, 1)])
    assert Table.from_frame({"d": series}, {"d": "object"}).column("d") == [series[0]]


def test_codes_of_tables_agree_with_lists(table):
    rows = [[row[3], row[4]] for row in table]
    np.testing.assert_array_equal(table.codes()[:, 3:], as_codes(rows, "Overlap"))


# ---- indexing


def test_rows_by_integers_masks_and_slices(table):
    expected = Table.from_frame({name: values[1:3] for name, values in DATA.items()}, KINDS)
    for key in (
        [1, 2],
        np.array([1, 2]),
        np.array([False, True, True, False]),
        slice(1, 3),
        [-3, -2],
    ):
        assert table[key] == expected
        assert table[key, ...] == expected
        assert table[key, :] == expected
    assert len(table[[]]) == 0


def test_one_row_is_a_tuple(table):
    assert table[0] == (31.0, 1.0, 1.0, "Rome", "ACGT") == table[0, ...]
    assert table[-1] == tuple(table)[-1]
    assert list(table) == [table[i] for i in range(4)]


def test_columns_by_name_position_slice_and_mask(table):
    expected = Table.from_frame({"age": DATA["age"], "city": DATA["city"]})
    mask = [True, False, False, True, False]
    for chosen in (
        table[["age", "city"]],
        table[np.array(["age", "city"])],
        table.select([0, -2]),
        table[:, ["age", "city"]],
        table.select(mask),
        table.select(np.array(mask)),
    ):
        assert chosen == expected
    assert table[["city", "age"]].names == ("city", "age")
    assert table[:, 1:3].names == ("visits", "member")
    assert table[1:, "city"].column(0) == DATA["city"][1:]
    assert table["city"] == table.column("city") == table.column(3) == DATA["city"]


def test_indexing_errors(table):
    with pytest.raises(IndexError, match="out of range for 4 samples"):
        table[[4]]
    with pytest.raises(IndexError, match="out of range"):
        table[4]
    with pytest.raises(IndexError, match="mask"):
        table[np.array([True])]
    with pytest.raises(IndexError, match="got 3 indices"):
        table[0, 0, 0]
    with pytest.raises(IndexError, match="must be integers, a mask or a slice"):
        table[[0.5]]
    with pytest.raises(ValueError, match=r"X has no column 'cty'; did you mean 'city'"):
        table["cty"]
    with pytest.raises(ValueError, match="use indices 0 to 4"):
        table.column(5)
    with pytest.raises(ValueError, match="'age' occurs twice"):
        table[["age", "age"]]
    with pytest.raises(ValueError, match="at least one column"):
        table.select([])


# ---- values


def test_table_is_immutable(table):
    given = np.ones(2)
    packed = Table.from_frame({"a": given})
    given[0] = 5.0
    assert packed.column("a")[0] == 1.0
    for part in (packed, packed[:1], packed[[0]], pickle.loads(pickle.dumps(packed))):
        with pytest.raises(ValueError, match="read-only"):
            part.column("a")[0] = 2.0
    with pytest.raises(AttributeError):
        table.names = ("x",)
    with pytest.raises(TypeError, match="unhashable"):
        hash(table)


def test_equality(table):
    assert table == pickle.loads(pickle.dumps(table))
    assert table != table[:2]
    assert table != table.select([1, 0, 2, 3, 4])
    assert table != Table.from_frame(DATA)
    assert table != Table.from_frame({**DATA, "city": ["Rome", "Oslo", "Rome", "Bonn"]}, KINDS)
    assert table != "table"


def test_repr_is_compact(table):
    assert repr(table) == ("Table(4 rows: age number, visits number, member number, city category[3], dna text)")
    wide = Table.from_frame(np.ones((1, 20)))
    assert repr(wide).startswith("Table(1 row: x0 number, ")
    assert repr(wide).endswith("x7 number, 12 more)")


# ---- refusals


@pytest.mark.parametrize("kind", ["category", "text"])
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_missing_categories_name_column_and_row(make, kind):
    with pytest.raises(ValueError, match="Table: column 'city' has a missing value in row 1"):
        Table.from_frame(make({"city": ["Rome", None, "Oslo"]}), {"city": kind})


@pytest.mark.parametrize(
    ("columns", "kinds", "error", "message"),
    [
        ({"a": [1, 2], "b": [1]}, {}, ValueError, "'b' has 1 entries but 'a' has 2"),
        ({"a": ["x"]}, {"a": "number"}, TypeError, "'a' must hold numbers, got 'x' in row 0"),
        ({"a": [1]}, {"a": "text"}, TypeError, "'a' must hold text, got 1 in row 0"),
        ({"a": [1]}, {"a": "word"}, ValueError, "must be one of 'number', 'category'"),
        ({"age": [1]}, {"ages": "text"}, ValueError, "did you mean 'age'"),
        ({"a": [2**53 + 1]}, {}, ValueError, "beyond 2\\^53"),
        ({"a": np.array([2**62])}, {}, ValueError, "use kind 'category' for it"),
        ({"a": [dt.date(2020, 1, 1)]}, {}, TypeError, "'a' holds dates or times .* days since"),
        ({"a": np.array(["2020"], dtype="M8[D]")}, {}, TypeError, "holds dates or times"),
        ({"a": [[1]]}, {"a": "category"}, TypeError, "an invalid category in row 0"),
        ({"a": "text"}, {}, TypeError, "must be a list, 1-D array or series, got 'text'"),
        ({"a": 1}, {}, TypeError, "must be a list, 1-D array or series, got 1"),
        ({"a": {1, 2}}, {}, TypeError, "must be a list, 1-D array or series"),
        ({"a": np.ones((2, 2))}, {}, TypeError, "must be a list, 1-D array or series"),
        ({}, {}, ValueError, "at least one column"),
    ],
)
def test_bad_columns(columns, kinds, error, message):
    with pytest.raises(error, match=f"Table: .*{message}"):
        Table.from_frame(columns, kinds)


@pytest.mark.parametrize("frame", [None, 3, "text", sp.eye(2, format="csr"), iter([[1]])])
def test_what_is_no_frame(frame):
    with pytest.raises(TypeError, match="Table: expected a frame"):
        Table.from_frame(frame)


def test_bad_names():
    with pytest.raises(ValueError, match="must have 2 entries"):
        Table.from_frame(np.ones((1, 2)), names=["a"])
    with pytest.raises(ValueError, match="'a' occurs twice"):
        Table.from_frame(np.ones((1, 2)), names=["a", "a"])
    with pytest.raises(TypeError, match="these columns have names"):
        Table.from_frame({"a": [1]}, names=["b"])
    with pytest.raises(ValueError, match="two dimensions"):
        Table.from_frame(np.ones(3))


# ---- scikit-learn

mixed = Columns(["age", "visits"], RBF(gamma=1e-3)) + Columns(["city"], Overlap())


class Nearest(ClassifierMixin, BaseEstimator):
    """Class of the most similar training sample."""

    def fit(self, X, y):
        self.X_, self.y_, self.classes_ = X, np.asarray(y), np.unique(y)
        return self

    def predict(self, X):
        return self.y_[mixed(X, self.X_).argmax(axis=1)]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, Table.from_frame])
def test_cross_validation_splits_tables_and_frames(make):
    data = {name: values * 5 for name, values in DATA.items()}
    X, y = make(data), [city == "Rome" for city in data["city"]]
    assert cross_val_score(Nearest(), X, y, cv=5).tolist() == [1.0] * 5
    train, test = train_test_split(X, random_state=0)
    assert train.shape == (15, 5)
    assert test.shape == (5, 5)


def test_safe_indexing(table):
    rows = np.array([2, 0])
    assert _safe_indexing(table, rows) == table[rows]
    assert _safe_indexing(table, [True, False, True, False]) == table[::2]
    assert _safe_indexing(table, slice(2)) == table[:2]
    assert _safe_indexing(table, 1) == table[1]
    assert _safe_indexing(table, [0, 1], axis=1) == table[["age", "visits"]]
