"""Data sets and their parts."""

import datetime as dt

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

from mercer.data import Graphs
from mercer.datasets import Dataset, Split


@pytest.fixture
def frame():
    return pl.DataFrame(
        {
            "age": [31, 45, 27, 50],
            "city": ["Rome", "Oslo", "Rome", ""],
            "ward": [1, 1, 2, 2],
            "Class": ["a", "b", "b", "a"],
        }
    )


def test_parts_of_a_frame(frame):
    data = Dataset("people", frame, notes=("Read somehow.",))
    parts = data.split("age", "ward")
    X, y, groups = parts
    assert isinstance(parts, Split)
    assert X.columns == ["city", "Class"]
    assert y.tolist() == [31, 45, 27, 50]
    assert y.dtype == np.int64
    assert groups.tolist() == [1, 1, 2, 2]
    assert parts.target == "age"
    assert parts.notes == data.notes
    assert frame.columns == ["age", "city", "ward", "Class"]
    assert len(data) == 4


def test_usual_name_is_the_target_and_told(frame):
    parts = Dataset("people", frame).split()
    assert parts.y.tolist() == ["a", "b", "b", "a"]
    assert parts.y.dtype.kind == "U"
    assert parts.groups is None
    assert parts.notes == ("Column 'Class' is used as the target.",)


def test_target_of_the_data_set_wins_over_usual_names(frame):
    data = Dataset("people", frame, target="age")
    assert data.split().target == "age"
    assert data.split().notes == ()
    assert data.split("Class").target == "Class"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"Class": "kind"},
            "no column is called target; name one of the columns of 'p': 'age', 'city', 'ward', 'kind'.",
        ),
        ({"age": "y"}, "'y' and 'Class' could be the target; name one of the columns"),
    ],
)
def test_target_in_doubt_lists_the_columns(frame, changes, message):
    with pytest.raises(ValueError, match=message):
        Dataset("p", frame.rename(changes)).split()


def test_wrong_names(frame):
    data = Dataset("people", frame)
    with pytest.raises(ValueError, match="X has no column 'aeg'; did you mean 'age'"):
        data.split("aeg")
    with pytest.raises(ValueError, match=r"X has no column 'wards'; did you mean 'ward'"):
        data.split("age", "wards")
    with pytest.raises(ValueError, match="column 'age' cannot be both the target and the groups"):
        data.split("age", "age")
    with pytest.raises(TypeError, match="expected the name of a column, got 0"):
        data.split(0)
    with pytest.raises(TypeError, match="drop_missing must be True or False"):
        data.split("age", drop_missing="yes")
    with pytest.raises(ValueError, match="no feature columns left"):
        Dataset("one", frame.select("age")).split("age")


@pytest.mark.parametrize("target", ["city", "age", "ward"])
def test_missing_targets_are_counted(frame, target):
    changed = frame.with_columns(
        age=pl.Series([31, None, 27, None]),
        ward=pl.Series([1.0, float("nan"), None, 2.0]),
        city=pl.Series(["a", None, "", "b"]),
    )
    data = Dataset("people", changed)
    with pytest.raises(
        ValueError,
        match=rf"2 of 4 samples of 'people' have no target '{target}' \(the first is row 1, from 0\)",
    ):
        data.split(target)
    parts = data.split(target, drop_missing=True)
    assert len(parts.y) == len(parts.X) == 2
    assert parts.y.dtype.kind in "ifU"
    told = f"2 of 4 samples of 'people' have no target {target!r} (the first is row 1, from 0); dropped."
    assert parts.notes == (told,)
    assert data.notes == ()


def test_missing_groups_count_too(frame):
    data = Dataset("people", frame.with_columns(ward=pl.Series([1, None, 2, 2])))
    with pytest.raises(ValueError, match="1 of 4 samples of 'people' have no target 'age' or no groups 'ward'"):
        data.split("age", "ward")
    X, y, groups = data.split("age", "ward", drop_missing=True)
    assert groups.tolist() == [1, 2, 2]
    assert groups.dtype == np.int64
    assert y.tolist() == [31, 27, 50]
    assert X["city"].to_list() == ["Rome", "Rome", ""]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["a", None, "", "b"], ["a", None, None, "b"]),
        ([1, None, 0, None], [1, None, 0, None]),
        ([True, None, False, True], [True, None, False, True]),
        ([1.5, float("nan"), None, 2.0], [1.5, None, None, 2.0]),
    ],
)
def test_missing_targets_are_kept_as_unlabelled(frame, values, expected):
    parts = Dataset("people", frame.with_columns(Class=pl.Series(values))).split(unlabeled=True)
    assert parts.y.tolist() == expected
    assert [type(value) for value in parts.y] == [type(value) for value in expected]
    assert len(parts.X) == 4
    assert "Class" not in parts.X.columns
    gaps = expected.count(None)
    assert (
        f"{gaps} of 4 samples of 'people' have no target 'Class' (the first is row 1, from 0); kept as unlabelled."
        in (parts.notes)
    )


def test_unlabelled_samples_of_other_forms_and_mistakes(frame):
    parts = Dataset("sparse", sp.csr_matrix(np.eye(3)), np.array([1.0, np.nan, 2.0]), "label").split(unlabeled=True)
    assert parts.y.tolist() == [1.0, None, 2.0]
    data = Dataset("people", frame)
    assert data.split("age", unlabeled=True).y.dtype == np.int64  # nothing is missing
    with pytest.raises(ValueError, match="expected drop_missing=True or unlabeled=True, got both"):
        data.split("age", drop_missing=True, unlabeled=True)
    with pytest.raises(TypeError, match="unlabeled must be True or False"):
        data.split("age", unlabeled="yes")
    with pytest.raises(ValueError, match="no sample has a label"):
        Dataset("people", pl.DataFrame({"a": [1, 2], "y": ["", ""]})).split(unlabeled=True)
    gaps = Dataset("people", frame.with_columns(age=pl.Series([31, None, 27, 1]), ward=pl.Series([1, 2, None, 2])))
    with pytest.raises(ValueError, match=r"1 of 4 samples of 'people' have no groups 'ward' .* drop_missing=True"):
        gaps.split("age", "ward", unlabeled=True)
    with pytest.raises(ValueError, match="or unlabeled=True to keep them without label"):
        gaps.split("age")


def test_nothing_left():
    data = Dataset("people", pl.DataFrame({"a": [1, 2], "y": ["", ""]}))
    with pytest.raises(ValueError, match="no sample would remain"):
        data.split(drop_missing=True)


def test_kinds_of_targets():
    day = dt.date(2024, 2, 29)
    frame = pl.DataFrame(
        {"x": [1, 2], "flag": [True, False], "day": [day, day], "kind": pl.Series(["b", "a"], dtype=pl.Categorical)}
    )
    data = Dataset("kinds", frame)
    assert data.split("flag").y.dtype == bool
    assert data.split("day").y.dtype.kind == "M"
    assert data.split("kind").y.tolist() == ["b", "a"]


def test_targets_beside_the_samples():
    X = sp.csr_matrix(np.eye(3))
    data = Dataset("sparse", X, np.array([1.0, np.nan, 2.0]), "label")
    with pytest.raises(ValueError, match="1 of 3 samples of 'sparse' have no target"):
        data.split()
    parts = data.split("label", drop_missing=True)
    assert sp.issparse(parts.X)
    assert parts.X.shape == (2, 3)
    assert parts.y.tolist() == [1.0, 2.0]
    assert parts.target == "label"
    with pytest.raises(ValueError, match="has no columns and its own targets, called 'label', got target='age'"):
        data.split("age")
    with pytest.raises(ValueError, match="has no columns, so 'age' cannot be the groups"):
        data.split(groups="age")


def test_samples_without_targets():
    graphs = Graphs([[(0, 1)], [(0, 1), (1, 2)]])
    data = Dataset("graphs", graphs)
    assert data.split() == (graphs, None, None)
    with pytest.raises(ValueError, match="'graphs' has no columns and no targets, got target='y'"):
        data.split("y")


def test_two_targets_for_each_sample():
    y = np.array([[1.0, 2.0], [np.nan, 0.0], [3.0, 4.0]])
    parts = Dataset("two", np.eye(3), y, "target").split(drop_missing=True)
    assert parts.y.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_what_a_data_set_refuses(frame):
    with pytest.raises(ValueError, match="y has 2 entries but X has 3 samples"):
        Dataset("short", np.eye(3), np.zeros(2))
    with pytest.raises(ValueError, match="the target of a frame is one of its columns"):
        Dataset("people", frame, np.zeros(4))


def test_it_says_what_it_is(frame):
    assert (
        repr(Dataset("people", frame, target="age")) == "Dataset(people: 4 samples, frame of 4 columns, target 'age')"
    )
    graphs = Dataset("g", Graphs([[(0, 1)]]), np.array([1]), "class")
    assert repr(graphs) == "Dataset(g: 1 samples, Graphs(1 of 2 nodes), target 'class')"
    assert repr(Dataset("m", np.eye(3))) == "Dataset(m: 3 samples, ndarray of shape (3, 3) and dtype float64)"
