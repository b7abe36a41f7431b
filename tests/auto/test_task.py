"""Classes or numbers, and targets that nothing can be learned from."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from mercer.auto import infer_task
from mercer.auto.task import as_target, check_classes, check_numbers, why_task


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (["ham", "spam", "ham"], "classification"),
        ([True, False], "classification"),
        ([0, 1, 2] * 5, "classification"),
        ([0.0, 1.0, 1.0], "classification"),  # two whole numbers, as integers with missing values come
        ([3, 4, 5, 6, 7, 8] * 10, "classification"),
        (list(range(21)) * 10, "regression"),  # many integers
        ([1, 2, 3, 4], "regression"),  # no two alike
        ([0.5, 1.0, 0.5], "regression"),
        ([0.0, 1.0, 2.0] * 5, "regression"),
        (pd.Series(["a", "b"], dtype="category"), "classification"),
        (pl.Series([1.5, 2.5]), "regression"),
        (pl.DataFrame({"y": [1.5, 2.5]}), "regression"),
    ],
)
def test_tasks(y, task):
    assert infer_task(y) == task
    assert why_task(y).lower().startswith(task)


def test_targets_become_plain_arrays():
    assert as_target("test", np.array(["a", "b"], dtype=object)).dtype.kind == "U"
    assert as_target("test", np.array([1, 2], dtype=object)).dtype.kind == "i"
    assert as_target("test", np.array([1, 2.5], dtype=object)).dtype.kind == "f"
    mixed = np.empty(2, dtype=object)
    mixed[:] = ["a", np.str_("b")]
    assert as_target("test", mixed).dtype.kind == "U"
    assert as_target("test", pd.Series([1, 2], dtype="Int64")).dtype.kind in "iuf"
    assert as_target("test", pl.Series(["a", "b"])).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (None, ValueError, "y is None"),
        (["a", None, "b", None], ValueError, r"missing in 2 of 4 rows \(first row 1\)"),
        ([1.0, np.nan], ValueError, "Input y contains NaN"),
        (pl.Series([1, None]), ValueError, "missing in 1 of 2"),
        (np.zeros((3, 2)), ValueError, "should be a 1d array"),
        (np.array(["a", 1], dtype=object), TypeError, "int and str"),
    ],
)
def test_targets_that_are_none(y, error, message):
    with pytest.raises(error, match=message):
        as_target("test", y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a"] * 5, r"constant: all 5 samples have the class \['a'\]"),
        (["a", "a", "b", "c", "d"], r"3 of 5 samples are the only one of their class \('b', 'c', 'd'\)"),
        ([*range(10)], r"10 of 10 samples are the only one of their class \(0, 1, 2, 3, 4 and 5 more\).*AutoRegressor"),
        ([0.5, 1.5, 2.5], "Unknown label type.*3 distinct numbers with fractions.*AutoRegressor"),
        ([0.0, np.inf], "infinity"),
    ],
)
def test_classes_that_cannot_be_learned(y, message):
    with pytest.raises(ValueError, match=message):
        check_classes("test", np.array(y))


def test_some_classes_of_one_sample_can_be_learned():
    check_classes("test", np.array(["a", "a", "b", "c"]))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", "b"], "AutoClassifier for labels"),
        ([1.0, np.inf], r"infinity \(first in row 1\)"),
        ([1.0], "n_samples=1"),
        ([2.0, 2.0, 2.0], "constant"),
        ([1j, 2j], "Complex data"),
    ],
)
def test_numbers_that_cannot_be_learned(y, message):
    with pytest.raises(ValueError, match=message):
        check_numbers("test", np.array(y))
