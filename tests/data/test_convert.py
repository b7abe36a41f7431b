"""Matrices, codes and samples from arrays, lists and frames."""

import datetime as dt
import enum
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from mercer.data import Table, as_codes, as_items, as_matrix, n_samples, take
from mercer.kernels import RBF, Delta, Linear, Overlap

FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]
KINDS = [*FRAMES, Table.from_frame]
frames = pytest.mark.parametrize("make", FRAMES)
kinds = pytest.mark.parametrize("make", KINDS)

values = st.one_of(
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.booleans(),
    st.text(max_size=4),
    st.binary(max_size=4),
    st.fractions(),
    st.decimals(allow_nan=False),
    st.complex_numbers(allow_nan=False, allow_infinity=False),
    st.tuples(st.integers(-2, 2), st.sampled_from(["a", "b"])),
    st.frozensets(st.integers(0, 3)),
    st.sampled_from(["1", 1, 1.0, True, b"1", (1,), (True,), "", b"", 2**53, 2**53 + 1, 2.0**53]),
)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


# ---- n_samples


@kinds
def test_n_samples_of_frames(make):
    assert n_samples(make({"a": [1, 2, 3], "b": [4, 5, 6]})) == 3


def test_n_samples_of_arrays_and_lists():
    assert n_samples(np.ones((4, 2))) == n_samples(sp.eye(4, format="csr")) == n_samples(["x"] * 4)


@pytest.mark.parametrize("X", [None, 3, "text", b"bytes", np.array(1.0), iter([1]), object()])
def test_n_samples_refuses_what_is_no_collection(X):
    with pytest.raises(TypeError, match="expected a collection of samples"):
        n_samples(X)


def test_dict_is_pointed_to_table():
    with pytest.raises(TypeError, match=r"Table\.from_frame"):
        RBF(gamma=1.0)({"a": [1.0]})


def test_lazy_frame_is_to_be_collected():
    lazy = pl.DataFrame({"a": [1.0]}).lazy()
    with pytest.raises(TypeError, match="collect"):
        as_matrix(lazy, "RBF")
    with pytest.raises(TypeError, match="collect"):
        n_samples(lazy)


# ---- take

PLANTS = {"name": ["oak", "fern", "moss"], "height": [30.0, 1.0, 0.1]}
ROWS = [([2, 0, 0], [2, 0, 0]), ([], []), ([-1], [2]), ([True, False, True], [0, 2]), (slice(1, None), [1, 2])]
rows = pytest.mark.parametrize(("rows", "chosen"), ROWS)


@kinds
@rows
def test_take_of_frames_is_a_frame(make, rows, chosen):
    X = make(PLANTS)
    part = take(X, rows)
    assert type(part) is type(X)
    assert n_samples(part) == len(chosen)
    assert list(map(tuple, as_items(part))) == [(PLANTS["name"][i], PLANTS["height"][i]) for i in chosen]


@pytest.mark.parametrize("make", [list, tuple, pd.Series, pl.Series, lambda v: pa.chunked_array([v]), np.array])
@rows
def test_take_of_one_dimension(make, rows, chosen):
    X = make(PLANTS["name"])
    part = take(X, rows)
    assert type(part) is type(X)
    assert list(as_items(part)) == [PLANTS["name"][i] for i in chosen]


@pytest.mark.parametrize("make", [np.array, sp.csr_matrix, sp.csr_array, sp.coo_matrix, sp.csc_array])
@rows
def test_take_of_matrices(make, rows, chosen):
    X = np.arange(6.0).reshape(3, 2)
    part = take(make(X), rows)
    assert np.array_equal(part.toarray() if sp.issparse(part) else part, X[chosen])


def test_take_of_pandas_goes_by_place_not_by_label():
    frame = pd.DataFrame(PLANTS, index=[2, 2, 0])
    assert take(frame, [0, 2])["name"].tolist() == ["oak", "moss"]
    assert take(frame["name"], [2])[0] == "moss"


def test_take_of_other_collections_asks_them():
    class Words:
        def __init__(self, words):
            self.words = np.asarray(words)

        def __len__(self):
            return len(self.words)

        def __getitem__(self, rows):
            return Words(self.words[rows])

    assert take(Words(["ox", "cow"]), [-1]).words.tolist() == ["cow"]


@kinds
def test_take_refuses_rows_that_are_not_there(make):
    with pytest.raises(IndexError, match="take: rows 3 is out of range for 3 samples; use 0 to 2"):
        take(make(PLANTS), [0, 3])
    with pytest.raises(IndexError, match="a mask for rows needs length 3"):
        take(make(PLANTS), [True])


@pytest.mark.parametrize("X", ["abc", 3, PLANTS, pl.LazyFrame(PLANTS)])
def test_take_refuses_what_is_no_collection(X):
    with pytest.raises(TypeError, match="X: expected"):
        take(X, [0])


# ---- as_matrix


def test_matrix_of_arrays_is_the_array():
    for X in (np.ones((2, 2)), np.ones((2, 2), dtype=int), sp.eye(2, format="csr"), [[1.0]]):
        assert as_matrix(X, "RBF") is X


@kinds
def test_matrix_of_mixed_numbers(make):
    X = as_matrix(make({"a": [1, 2], "b": [0.5, 1.5], "c": [True, False]}), "RBF")
    assert X.dtype == np.float64
    np.testing.assert_array_equal(X, [[1, 0.5, 1], [2, 1.5, 0]])


@kinds
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_matrix_keeps_one_float_type(make, dtype):
    columns = np.random.default_rng(0).normal(size=(2, 5)).astype(dtype)
    X = as_matrix(make({"a": columns[0], "b": columns[1]}), "RBF")
    assert X.dtype == dtype
    np.testing.assert_array_equal(X, columns.T)


def test_matrix_of_one_pandas_block_is_a_view():
    X = np.ones((3, 2))
    assert np.shares_memory(as_matrix(pd.DataFrame(X, copy=False), "RBF"), X)


@frames
def test_nulls_become_nan_that_vector_kernels_refuse(make):
    frame = make({"a": [1.0, None], "b": [2, 3]})
    np.testing.assert_array_equal(as_matrix(frame, "RBF"), [[1, 2], [np.nan, 3]])
    with pytest.raises(ValueError, match="RBF: X contains NaN"):
        RBF()(frame)


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "boolean"])
def test_matrix_of_pandas_nullable_types(dtype):
    frame = pd.DataFrame({n: pd.array([1, None, 0], dtype=dtype) for n in "ab"})
    np.testing.assert_array_equal(as_matrix(frame, "RBF")[:, 1], [1, np.nan, 0])


def test_matrix_of_wide_and_decimal_polars_columns():
    frame = pl.DataFrame({"w": pl.Series([1, 2], dtype=pl.Int128), "d": [Decimal("0.5"), None]})
    np.testing.assert_array_equal(as_matrix(frame, "RBF"), [[1, 0.5], [2, np.nan]])


@kinds
def test_matrix_refuses_categories_and_names_the_column(make):
    message = r"RBF: column 'city' .*use Columns\(\['city'\], Overlap\(\)\) or encode it"
    with pytest.raises(TypeError, match=message):
        as_matrix(make({"age": [1.0, 2.0], "city": ["Rome", "Oslo"]}), "RBF")


@frames
def test_dates_are_refused_with_advice(make):
    frame = make({"day": [dt.date(2020, 1, 1), dt.date(2020, 1, 2)]})
    if make is pd.DataFrame:
        frame = frame.astype("datetime64[s]")
    for convert in (as_matrix, as_codes):
        with pytest.raises(TypeError, match=r"column 'day' holds dates or times .* days since"):
            convert(frame, "Overlap")


def test_matrix_of_structured_array():
    X = np.array([(1, 0.5), (2, 1.5)], dtype=[("a", int), ("b", float)])
    np.testing.assert_array_equal(as_matrix(X, "RBF"), [[1, 0.5], [2, 1.5]])
    np.testing.assert_array_equal(Linear()(X), Linear()(np.array([[1, 0.5], [2, 1.5]])))


def test_repeated_names_are_refused():
    with pytest.raises(ValueError, match="column names must be unique"):
        as_matrix(pd.DataFrame([[1, 2]], columns=["a", "a"]), "RBF")


# ---- as_codes


@given(st.lists(values, min_size=1, max_size=8))
def test_codes_are_equal_exactly_where_values_are(column):
    codes = as_codes([[value] for value in column], "Overlap")
    assert codes.dtype == np.float64
    assert codes.shape == (len(column), 1)
    expected = [[a == b for b in column] for a in column]
    np.testing.assert_array_equal(codes == codes.T, expected)


@given(st.lists(st.tuples(values, values), min_size=1, max_size=6), st.data())
def test_codes_do_not_depend_on_the_other_samples(rows, data):
    chosen = data.draw(st.lists(st.sampled_from(range(len(rows))), min_size=1))
    apart = as_codes([rows[i] for i in chosen], "Overlap")
    np.testing.assert_array_equal(apart, as_codes(rows, "Overlap")[chosen])


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_codes_of_integer_arrays_agree_with_lists(column):
    array = np.array(column, dtype=np.int64).reshape(-1, 1)
    np.testing.assert_array_equal(as_codes(array, "Overlap"), as_codes(array.tolist(), "Overlap"))


def test_codes_of_numbers_are_their_values():
    X = np.array([[1.5, -2.0], [np.inf, 0.0]])
    assert as_codes(X, "Overlap") is X
    for dtype in (bool, np.int8, np.uint64, np.float32, ">f8"):
        codes = as_codes(np.eye(2).astype(dtype), "Overlap")
        assert codes.dtype == np.float64
        np.testing.assert_array_equal(codes, np.eye(2))


def test_neighbouring_large_integers_are_different_categories():
    X = np.array([[2**53], [2**53 + 1], [2**63 - 1]])
    np.testing.assert_array_equal(Delta()(X), np.eye(3))
    np.testing.assert_array_equal(Delta()(X.astype(np.uint64)), np.eye(3))
    np.testing.assert_array_equal(Delta()(pl.DataFrame(X)), np.eye(3))


def test_string_arrays_agree_with_lists():
    words = [["a", "1"], ["b", "1"]]
    expected = as_codes(words, "Overlap")
    for dtype in (str, object):
        np.testing.assert_array_equal(as_codes(np.array(words, dtype=dtype), "Overlap"), expected)
    numbered = as_codes([["a", 1], ["b", 1]], "Overlap")
    np.testing.assert_array_equal(expected == numbered, [[True, False]] * 2)


def test_numbers_in_any_form_are_one_category():
    column = [[1], [1.0], [True], [Decimal("1.0")], [Fraction(1)], [np.int8(1)], [1 + 0j]]
    assert np.unique(as_codes(column, "Overlap")).tolist() == [1.0]
    huge = [[Decimal("0.10")], [Decimal("0.1")], [Fraction(1, 10)], [0.1]]
    assert (as_codes(huge, "O") == as_codes(huge, "O")[0]).ravel().tolist() == [1, 1, 1, 0]


def test_other_hashables_and_surrogates_have_codes():
    codes = as_codes([[Colour.RED], [Colour.BLUE], [Colour.RED], ["\ud800"]], "Overlap")
    assert len(np.unique(codes)) == 3


def test_codes_are_the_same_in_every_process():
    program = "import mercer.data as d; print(d.as_codes([['red', b'x', ('a', 1)]], 'k').tolist())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(as_codes([["red", b"x", ("a", 1)]], "k").tolist())


def test_code_of_a_word_never_changes():
    # models saved by one version must know the categories in the next
    assert as_codes([["red"]], "k").item() == -6.735463827804449e-91


@kinds
def test_codes_of_frames_agree_with_lists(make):
    rows = [["Rome", 3, True], ["Oslo", 4, False], ["Rome", 3, False]]
    frame = make(dict(zip("abc", map(list, zip(*rows, strict=True)), strict=True)))
    np.testing.assert_array_equal(as_codes(frame, "Overlap"), as_codes(rows, "Overlap"))


def test_codes_of_strings_do_not_depend_on_their_storage():
    words = ["b", "a", "b"]
    expected = as_codes([[word] for word in words], "Overlap")
    stored = [
        pd.DataFrame({"w": pd.Categorical(words)}),
        pd.DataFrame({"w": pd.array(words, dtype="string")}),
        pd.DataFrame({"w": pd.Series(words, dtype=object)}),
        pl.DataFrame({"w": pl.Series(words, dtype=pl.Categorical)}),
        pl.DataFrame({"w": pl.Series(words, dtype=pl.Enum(["a", "b"]))}),
        pa.table({"w": pa.array(words).dictionary_encode()}),
        np.array([(word,) for word in words], dtype=[("w", "U1")]),
    ]
    for X in stored:
        np.testing.assert_array_equal(as_codes(X, "Overlap"), expected)


@pytest.mark.parametrize("null", [None, float("nan"), pd.NA, pd.NaT, Decimal("nan")])
def test_missing_categories_name_column_and_row(null):
    with pytest.raises(ValueError, match="Overlap: column 1 has a missing value in row 2"):
        as_codes([["a", "x"], ["b", "y"], ["c", null]], "Overlap")


@frames
def test_missing_categories_of_frames_name_column_and_row(make):
    for column in (["x", None], [True, None], [1.0, None], [1, None]):
        with pytest.raises(ValueError, match="column 'b' has a missing value in row 1"):
            as_codes(make({"a": [1, 2], "b": column}), "Overlap")


def test_missing_numbers_of_arrays_name_column_and_row():
    with pytest.raises(ValueError, match="column 1 has a missing value in row 0"):
        as_codes(np.array([[1.0, np.nan]]), "Overlap")


@pytest.mark.parametrize("value", [["list"], {"a": 1}, object(), (1.0, float("nan"))])
def test_values_without_a_stable_hash_are_refused(value):
    with pytest.raises(TypeError, match="Overlap: column 0 has an invalid category in row 1"):
        as_codes([["a"], [value]], "Overlap")


@pytest.mark.parametrize("value", [dt.datetime(2020, 1, 1), np.datetime64("2020"), dt.timedelta(1)])
def test_dates_among_categories_are_refused(value):
    with pytest.raises(TypeError, match="column 0 holds dates or times"):
        as_codes([[value]], "Overlap")
    unit = "m8[D]" if isinstance(value, dt.timedelta) else "M8[D]"
    with pytest.raises(TypeError, match="column 0 holds dates or times"):
        as_codes(np.array([[value]], dtype=unit), "Overlap")


def test_codes_of_sparse_matrices_stay_sparse():
    X = sp.csr_matrix(np.array([[1.0, 0.0], [1.0, 2.0]]))
    codes = as_codes(X, "Overlap")
    assert codes.format == "csr"
    assert np.shares_memory(codes.data, X.data)
    np.testing.assert_array_equal(Overlap()(X), Overlap()(X.toarray()))
    with pytest.raises(ValueError, match="NaN"):
        as_codes(sp.csr_matrix([[np.nan]]), "Overlap")


@pytest.mark.parametrize(
    "X",
    [["red", "blue"], [1, 2], np.array(["a", "b"]), np.ones(3), pd.Series(["a"]), pl.Series(["a"])],
)
def test_one_dimension_is_refused(X):
    with pytest.raises(ValueError, match="Overlap: X must"):
        as_codes(X, "Overlap")


@pytest.mark.parametrize("X", [[], [[]], np.empty((0, 2)), np.empty((2, 0)), pd.DataFrame()])
def test_empty_data_is_refused(X):
    with pytest.raises(ValueError, match="expected at least one of each"):
        as_codes(X, "Overlap")


def test_ragged_rows_are_refused():
    with pytest.raises(ValueError, match="row 1 of X has 1 entries but row 0 has 2"):
        as_codes([["a", "b"], ["c"]], "Overlap")


# ---- as_items


def test_an_array_without_dimensions_is_no_collection():
    with pytest.raises(TypeError, match="expected a collection of samples"):
        as_items(np.array(5.0))


@kinds
def test_items_of_numbers_are_rows_of_a_matrix(make):
    X = as_items(make({"a": [1.0, 2.0], "b": [3, 4]}))
    np.testing.assert_array_equal(X, [[1, 3], [2, 4]])


@kinds
def test_items_of_one_column_are_its_values(make):
    assert as_items(make({"w": ["ox", "cow"]})) == ["ox", "cow"]


@kinds
def test_items_of_mixed_columns_are_tuples(make):
    assert as_items(make({"n": [1.0, 2.0], "w": ["ox", "cow"]})) == [(1.0, "ox"), (2.0, "cow")]


def test_items_of_arrays_lists_and_others():
    array, words = np.ones((2, 2)), ["ox", "cow"]
    assert as_items(array) is array
    assert as_items(words) is words
    for X in (tuple(words), pd.Series(words), pl.Series(words), pa.chunked_array([words])):
        assert as_items(X) == words
    rows = as_items(sp.coo_matrix(np.eye(2)))
    assert [row.toarray().ravel().tolist() for row in rows] == [[1, 0], [0, 1]]


def test_codes_of_unaligned_numbers_are_aligned():
    raw = np.zeros(8 * 6 + 1, dtype=np.uint8)
    X = raw[1:].view(np.float64).reshape(3, 2)
    X[:] = [[1.0, 2.0], [2.0, 2.0], [1.0, 0.0]]
    assert not X.flags.aligned
    codes = as_codes(X, "Overlap")
    assert codes.flags.aligned
    np.testing.assert_array_equal(codes, X)
