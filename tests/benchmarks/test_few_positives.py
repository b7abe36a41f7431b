"""Fits to five positive samples: the draw, and the table of the page."""

import numpy as np
import pandas as pd

from benchmarks import accuracy_page
from benchmarks.accuracy_few_positives import POSITIVES, TESTED, TRAINING, drawn
from benchmarks.tables.facts import HELD_OUT, Table


def classes(*sizes):
    y = np.repeat(np.arange(len(sizes)), sizes)
    return Table("made up", "classification", pd.DataFrame({"row": np.arange(len(y))}), y)


def test_five_positive_samples_and_all_others_are_drawn():
    train, test, y = drawn(classes(100, 700), 0)  # class 0 is the rarer one
    assert y[train].sum() == POSITIVES
    assert len(train) == int((1 - HELD_OUT) * 700) + POSITIVES
    np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(800))
    again, other = drawn(classes(100, 700), 0)[0], drawn(classes(100, 700), 1)[0]
    np.testing.assert_array_equal(train, again)
    assert set(train) != set(other)


def test_large_tables_are_cut():
    train, test, y = drawn(classes(9000, 4000), 0)  # class 1 is the rarer one
    assert (len(train), len(test)) == (TRAINING, 2 * TESTED)
    assert y[test].sum() == TESTED
    assert not set(train) & set(test)


def test_differences_are_paired():
    rows = [{"table": "a", "mercer": [0.7, 0.8], "logistic": [0.8, 0.9]}]
    assert "| a | 2 | 0.7500 | 0.8500 | -0.1000 ± 0.0000, not met |" in accuracy_page.few_positives({"rows": rows})
