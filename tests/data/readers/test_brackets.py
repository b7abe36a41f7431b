"""Files of trees in bracket notation, and errors with file and line."""

import re

import numpy as np
import pytest

from mercer.data import Trees


def test_brackets_on_one_line_or_several(write):
    trees = Trees.read_brackets(write("(2 (1 It) (3 α))\n\n( (S (NP\n  (DT the)) )\n)\n(A)(B)".encode()))
    assert [tree.to_text() for tree in trees] == ["(2 (1 It) (3 α))", "(S (NP (DT the)))", "(A)", "(B)"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\n", "line 1: found no tree"),
        (b"", "line 1: found no tree"),
        (b"(A b)\n(C d))\n", "line 2, record 2 (from 0): ')' without a matching '('"),
        (b"(A b)\n(C\n(D e)\n", "line 2, record 1 (from 0): the bracket that opens here is not closed"),
        (b"(A b)\nword (C d)\n", "line 2, record 1 (from 0): 'word' is outside of brackets"),
        (b"(A b)\n(A \xff)\n", "line 2: is not UTF-8"),
    ],
)
def test_bad_brackets_are_located(write, data, message):
    path = write(data)
    with pytest.raises(ValueError, match=re.escape(f"{path}, {message}")):
        Trees.read_brackets(path)


def test_real_sentences(folder):
    trees = Trees.read_brackets(folder / "trees" / "sst" / "dev.txt.gz")
    roots = trees.labels[trees.offsets[:-1]]
    counts = {trees.texts[int(number)]: int(n) for number, n in zip(*np.unique(roots, return_counts=True), strict=True)}
    assert counts == {"0": 139, "1": 289, "2": 229, "3": 279, "4": 165}
    assert set(trees.n_children.tolist()) == {0, 1, 2}
