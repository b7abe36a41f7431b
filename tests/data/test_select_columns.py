"""Choosing columns, and kernels over the columns of frames."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from mercer.data import Table, select_columns
from mercer.kernels import RBF, Columns, Linear, Overlap
from mercer.kernels.base import Kernel

KINDS = [pd.DataFrame, pl.DataFrame, pa.table, Table.from_frame]
kinds = pytest.mark.parametrize("make", KINDS)


def people(rng, n):
    return {
        "age": rng.integers(18, 80, n),
        "city": rng.choice(["Rome", "Oslo", "Lima"], n).tolist(),
        "income": rng.normal(30, 5, n),
    }


@dataclass(frozen=True)
class SameLength(Kernel):
    """1 for words of one length."""

    def pair(self, a, b):
        return float(len(a) == len(b))


# ---- select_columns


@pytest.mark.parametrize("columns", [(1,), (1, 2), (0, 1, 2, 3), (-2, -1)])
def test_neighbouring_columns_of_an_array_are_a_view(columns):
    X = np.arange(12.0).reshape(3, 4)
    part = select_columns(X, columns, "Columns")
    np.testing.assert_array_equal(part, X[:, list(columns)])
    assert np.shares_memory(part, X)


@pytest.mark.parametrize("columns", [(2, 0), (0, 2), (-1, 0), (1, 1)])
def test_other_columns_of_arrays_and_lists(columns):
    X = np.arange(12.0).reshape(3, 4)
    expected = X[:, list(columns)]
    np.testing.assert_array_equal(select_columns(X, columns, "Columns"), expected)
    assert select_columns(X.tolist(), columns, "Columns") == expected.tolist()
    for make in (sp.csr_matrix, sp.csc_matrix, sp.coo_matrix):
        part = select_columns(make(X), columns, "Columns")
        assert part.format == "csr"
        np.testing.assert_array_equal(part.toarray(), expected)


def test_a_column_of_texts_in_a_list_of_rows_stays_a_column():
    rows = [[1.0, "GATTA"], [2.0, "CAT"]]
    assert select_columns(rows, (1,), "Columns").tolist() == [["GATTA"], ["CAT"]]
    lists = select_columns([[["a", "b"]], [["c", "d"]]], (0,), "Columns")
    assert lists.shape == (2, 1)
    assert lists[1, 0] == ["c", "d"]


@kinds
def test_columns_of_frames_by_name_and_position(make):
    frame = make({"a": [1, 2], "b": [3.0, 4.0], "c": ["x", "y"]})
    for columns in (("c", "a"), (2, 0), (-1, "a")):
        part = select_columns(frame, columns, "Columns")
        assert type(part) is type(frame)
        assert Table.from_frame(part) == Table.from_frame({"c": ["x", "y"], "a": [1, 2]})


def test_columns_of_structured_arrays():
    X = np.array([(1.0, "a"), (2.0, "b")], dtype=[("n", float), ("c", "U1")])
    assert select_columns(X, ("c",), "Columns") == Table.from_frame({"c": ["a", "b"]})


def test_integers_are_positions_even_with_integer_labels():
    frame = pd.DataFrame([[1.0, 2.0]], columns=[7, 8])
    assert select_columns(frame, (0,), "Columns").to_numpy().tolist() == [[1.0]]
    assert select_columns(frame, ("8",), "Columns").to_numpy().tolist() == [[2.0]]


@pytest.mark.parametrize("column", [5, 7, -6])
@pytest.mark.parametrize(
    "make",
    [np.asarray, sp.csr_matrix, np.ndarray.tolist, pd.DataFrame, pl.DataFrame, Table.from_frame],
)
def test_position_out_of_range(make, column):
    message = f"Columns: column {column} is selected but X has 5 features; use indices 0 to 4."
    with pytest.raises(ValueError, match=message):
        Columns([column], Linear())(make(np.ones((2, 5))))


@kinds
def test_unknown_names_get_the_nearest(make):
    frame = make({"age": [1.0], "income": [2.0]})
    with pytest.raises(ValueError, match=r"Columns: X has no column 'incom'; did you mean 'income'"):
        Columns(["incom"], Linear())(frame)
    with pytest.raises(ValueError, match="X has no column 'zzz'; it has 'age', 'income'"):
        Columns(["zzz"], Linear())(frame)
    with pytest.raises(ValueError, match="column 'age' is selected twice"):
        Columns(["age", 0], Linear())(frame)


def test_long_lists_of_names_are_cut():
    with pytest.raises(ValueError, match="'x9' and 10 more"):
        Columns(["zzz"], Linear())(Table.from_frame(np.ones((1, 20))))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix, np.ndarray.tolist])
def test_names_need_a_frame(make):
    message = "column 'age' is selected by name, .* use indices 0 to 4, or pass a frame"
    with pytest.raises(ValueError, match=message):
        Columns(["age"], Linear())(make(np.ones((2, 5))))


@pytest.mark.parametrize("X", [np.ones(3), pd.Series([1.0]), np.ones((2, 2, 2))])
def test_columns_need_two_dimensions(X):
    with pytest.raises(ValueError, match="needs two-dimensional data"):
        Columns([0], Linear())(X)


# ---- kernels over frames

mixed = Columns(["age", "income"], RBF(gamma=0.1)) + 0.5 * Columns(["city"], Overlap())


@kinds
def test_mixed_kernel_equals_the_sum_by_hand(make, rng):
    data = people(rng, 30)
    X = np.column_stack([data["age"], data["income"]])
    city = np.array(data["city"])
    distance = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    expected = np.exp(-0.1 * distance) + 0.5 * (city[:, None] == city[None])
    np.testing.assert_allclose(mixed(make(data)), expected, rtol=1e-12, atol=1e-15)


@kinds
def test_train_and_test_sets_share_their_codes(make, rng):
    data = people(rng, 40)
    whole = mixed(make(data))
    train = make({name: values[:25] for name, values in data.items()})
    test = make({name: values[25:] for name, values in data.items()})
    np.testing.assert_allclose(mixed(train, test), whole[:25, 25:], rtol=1e-12, atol=1e-15)


def test_different_kinds_of_frames_meet(rng):
    data = people(rng, 20)
    packed = Table.from_frame(data)
    for make in KINDS:
        np.testing.assert_allclose(mixed(packed, make(data)), mixed(packed), rtol=1e-12, atol=1e-15)


@kinds
def test_rules_are_resolved_on_the_columns(make, rng):
    data = people(rng, 20)
    X = np.column_stack([data["age"], data["income"]])
    kernel = Columns(["age", "income"], RBF(gamma="scale"))
    assert kernel.resolve(make(data)).kernel == RBF(gamma="scale").resolve(X)
    np.testing.assert_allclose(kernel(make(data)), RBF(gamma="scale")(X), rtol=1e-12)


@kinds
def test_kernels_in_python_see_the_values_of_one_column(make):
    frame = make({"n": [1.0, 2.0, 3.0], "word": ["ox", "cow", "ass"]})
    expected = [[1, 0, 0], [0, 1, 1], [0, 1, 1]]
    np.testing.assert_array_equal(Columns("word", SameLength())(frame), expected)
    both = Columns("word", SameLength()) + Columns("n", Linear())
    np.testing.assert_array_equal(both(frame), expected + np.outer([1, 2, 3], [1, 2, 3]))


@kinds
def test_vector_kernel_on_a_category_says_what_to_do(make):
    frame = make({"age": [1.0], "city": ["Rome"]})
    with pytest.raises(TypeError, match=r"RBF: column 'city' .*Columns\(\['city'\], Overlap\(\)\)"):
        Columns(["age", "city"], RBF())(frame)
