"""Partial labels: which label means unlabelled."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning

from mercer.semi_supervised.labels import read_labels


def read(y, unlabeled="auto"):
    """Classes and indices."""
    found = read_labels("Some", y, unlabeled)
    assert found.label.dtype == np.int64
    np.testing.assert_array_equal(np.sort(np.append(found.labeled, found.unlabeled)), np.arange(len(found.label)))
    return found.classes.tolist(), found.label.tolist()


# ---- the rule of "auto"


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, lambda y: np.array(y, dtype=object)])
def test_minus_one_is_unlabelled_beside_two_other_labels(kind):
    assert read(kind([3, -1, 0, 3, -1])) == ([0, 3], [1, -1, 0, 1, -1])


def test_minus_one_is_unlabelled_among_floats():
    assert read(np.array([0.0, -1.0, 1.0])) == ([0.0, 1.0], [0, -1, 1])


@pytest.mark.parametrize("y", [[-1, 1, 1, -1], np.array([-1.0, 1.0])])
def test_minus_one_and_one_other_label_are_classes_with_a_warning(y):
    with pytest.warns(UserWarning, match=r"Some: the label -1 counts as a class, .* \(1(\.0)?\).*unlabeled=-1.*=None"):
        classes, label = read(y)
    assert classes == [-1, 1]
    assert min(label) == 0


def test_labels_without_minus_one_are_all_known():
    assert read([2, 1, 2]) == ([1, 2], [1, 0, 1])
    assert read([True, False]) == ([False, True], [1, 0])


def test_minus_one_is_a_class_without_a_warning_where_nan_means_unlabelled():
    assert read([-1.0, 1.0, np.nan]) == ([-1.0, 1.0], [0, 1, -1])
    assert read([-1, 1, None]) == ([-1, 1], [0, 1, -1])


def test_other_negative_labels_are_classes():
    assert read([-2, -1, 1]) == ([-2, 1], [0, -1, 1])


# ---- missing values


@pytest.mark.parametrize("gap", [None, float("nan"), np.float64("nan"), np.float32("nan"), pd.NA])
@pytest.mark.parametrize("names", [["cat", "dog"], [1, 2], [False, True], [0.0, 2.0], [b"a", b"b"]], ids=str)
def test_missing_values_are_unlabelled_in_lists_and_objects(gap, names):
    y = [names[1], gap, names[0], names[1]]
    assert read(y) == (names, [1, -1, 0, 1])
    assert read(tuple(y), None) == (names, [1, -1, 0, 1])
    assert read(np.array(y, dtype=object)) == (names, [1, -1, 0, 1])


def test_columns_of_frames():
    assert read(pd.Series(["b", None, "a"])) == (["a", "b"], [1, -1, 0])
    assert read(pd.Series(["b", None, "a"], dtype="category")) == (["a", "b"], [1, -1, 0])
    assert read(pd.Series([5, None, 7], dtype="Int64")) == ([5, 7], [0, -1, 1])
    assert read(pd.Series([5, None, 7])) == ([5.0, 7.0], [0, -1, 1])


def test_texts_keep_their_type():
    found = read_labels("Some", np.array(["x", "yy", "x"]))
    assert found.classes.dtype.kind == "U"
    found = read_labels("Some", ["x", None, "yy"])
    assert found.classes.dtype.kind == "U"


def test_minus_one_among_texts():
    assert read(["cat", -1, "dog"]) == (["cat", "dog"], [0, -1, 1])
    assert read(["cat", "-1", "dog"]) == (["-1", "cat", "dog"], [1, 0, 2])  # a text is a class


# ---- the label is given


def test_a_given_label_means_unlabelled():
    assert read([0, 1, 2], 0) == ([1, 2], [-1, 0, 1])
    assert read(["a", "", "b"], "") == (["a", "b"], [0, -1, 1])
    assert read(np.array(["a", "?", "b"]), np.str_("?")) == (["a", "b"], [0, -1, 1])
    assert read([0, 1, -1], np.int64(-1)) == ([0, 1], [0, 1, -1])


def test_none_means_that_every_label_is_a_class():
    assert read([-1, 1], None) == ([-1, 1], [0, 1])
    assert read([-1, 0, 1], None) == ([-1, 0, 1], [0, 1, 2])
    assert read([-1, 0, 1], float("nan")) == ([-1, 0, 1], [0, 1, 2])


def test_a_given_label_that_does_not_occur():
    assert read([0, 1], "nobody") == ([0, 1], [0, 1])
    assert read(["a", "b"], -1) == (["a", "b"], [0, 1])


# ---- refused


@pytest.mark.parametrize(
    ("y", "unlabeled", "error", "words"),
    [
        ([-1, -1], -1, ValueError, "Some: none of the 2 samples has a label"),
        ([None, None], "auto", ValueError, "none of the 2 samples has a label"),
        ([], "auto", ValueError, "none of the 0 samples has a label"),
        ([-1, 1], -1, ValueError, "got 1 class, 1, among the 1 samples with a label"),
        (["a", "a", None], "auto", ValueError, "got 1 class, 'a', among the 2 samples with a label"),
        ([[0, 1], [1, 0]], "auto", ValueError, r"expected labels y of shape \(n,\), got shape \(2, 2\)"),
        (3, "auto", ValueError, r"got shape \(\)"),
        ([1, "a", None], "auto", ValueError, "all strings or all numbers, got labels of the types int, str"),
        (np.array([(1, 2), None, (3,)], dtype=object), "auto", ValueError, "of the types tuple"),
        ([0.5, 1.7, 2.2], "auto", ValueError, "Unknown label type: continuous"),
        ([0.0, 1.0, np.inf], "auto", ValueError, "Input y contains infinity"),
        (np.ma.masked_less([0, 1, 2], 1), "auto", TypeError, "Some: y is a masked array"),
        ([0, 1], [0, 1], TypeError, "expected unlabeled='auto' or one label, got \\[0, 1\\]"),
        ([0, 1], np.array([0, 1]), TypeError, "expected unlabeled='auto' or one label"),
    ],
)
def test_what_is_refused(y, unlabeled, error, words):
    with pytest.raises(error, match=words):
        read_labels("Some", y, unlabeled)


def test_a_column_is_read_with_the_warning_of_scikit_learn():
    with pytest.warns(DataConversionWarning, match=r"column-vector y was passed .* Some reads \(3, 1\)"):
        assert read(np.array([[0], [1], [-1]])) == ([0, 1], [0, 1, -1])
