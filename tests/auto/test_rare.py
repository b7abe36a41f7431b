"""Rare classes are kept, merged or dropped."""

import numpy as np
import pytest

from mercer.auto import rare_classes

Y = ["a"] * 5 + ["b"] * 4 + ["c"] + ["d"]


def test_keep_merge_drop():
    rows, y, note = rare_classes(Y, 2, "keep")
    assert (rows.tolist(), y.tolist()) == (list(range(11)), Y)
    assert note.startswith("2 classes with fewer than 2 samples ('c', 'd') were kept")
    rows, y, note = rare_classes(Y, 2, "merge")
    assert y.tolist() == ["a"] * 5 + ["b"] * 4 + ["(other)"] * 2
    assert len(rows) == 11
    rows, y, note = rare_classes(Y, 5, "drop")
    assert (rows.tolist(), y.tolist()) == ([0, 1, 2, 3, 4], ["a"] * 5)
    assert note == "3 classes with fewer than 5 samples ('b', 'c', 'd') were dropped, with 6 rows."


def test_no_class_is_rare():
    rows, y, note = rare_classes([1, 1, 0, 0])
    assert (rows.tolist(), y.tolist(), note) == ([0, 1, 2, 3], [1, 1, 0, 0], "")


def test_numbers_become_text_when_they_are_merged():
    assert rare_classes([10, 10, 20, 30], 2)[1].tolist() == ["10", "10", "(other)", "(other)"]


def test_rows_without_a_label_stay():
    rows, y, _ = rare_classes(np.array(["a", None, "a", "b", None], dtype=object), 2, "drop")
    assert rows.tolist() == [0, 1, 2, 4]
    assert y.tolist() == ["a", None, "a", None]


def test_unknown_action():
    with pytest.raises(ValueError, match="rare"):
        rare_classes(Y, 2, "hide")
