"""Features named by keys: data sets that were packed apart meet on what they have in common."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.exceptions import MemoryLimitError
from mercer.kernels import RBF, Kernel
from mercer.kernels.keyed import KeyedRows
from mercer.kernels.operations import Op
from mercer.operators import gram
from mercer.svm import SVC


def rows_of(words):
    """Letters of words, with their counts."""
    counted = [sorted(Counter(map(ord, word)).items()) for word in words]
    keys = np.array([key for row in counted for key, _ in row], dtype=np.uint64)
    values = np.array([count for row in counted for _, count in row], dtype=float)
    return KeyedRows(np.concatenate([[0], np.cumsum([len(row) for row in counted])]).astype(np.int64), keys, values)


@dataclass(frozen=True)
class Letters(Kernel):
    least: bool = False

    def emit(self, program, X):
        program.keyed(program.once("letters", X, lambda: rows_of(X)), Op.min_sum if self.least else Op.dot)


def slow(A, B, join):
    return np.array([[sum(join(a[c], b[c]) for c in a) for b in map(Counter, B)] for a in map(Counter, A)], dtype=float)


WORDS = st.lists(st.text("abcdé", max_size=6), min_size=1, max_size=6)


@given(WORDS, WORDS)
def test_blocks_are_sums_over_common_keys(A, B):
    for kernel, join in [(Letters(), lambda x, y: x * y), (Letters(least=True), min)]:
        np.testing.assert_array_equal(kernel(A, B), slow(A, B, join))
        np.testing.assert_array_equal(kernel(A), slow(A, A, join))
        np.testing.assert_array_equal(kernel.diag(A), np.diagonal(slow(A, A, join)))


def test_the_operator_and_its_rows(rng):
    words = ["".join(rng.choice(list("abcdefgh"), rng.integers(0, 12))) for _ in range(60)]
    expected = slow(words, words, lambda x, y: x * y)
    operator = gram(Letters(), words)
    np.testing.assert_array_equal(operator.rows([3, 50]), expected[[3, 50]])
    np.testing.assert_array_equal(operator.block([3, 50], [0, 3]), expected[np.ix_([3, 50], [0, 3])])
    cross = gram(Letters(), words[:7], words[7:])
    np.testing.assert_array_equal(cross.dense(), expected[:7, 7:])
    np.testing.assert_allclose(cross @ np.ones(53), expected[:7, 7:].sum(axis=1))
    normalized = Letters().normalized()(words[1:9])
    assert np.isfinite(normalized).all()


def test_in_the_algebra_and_in_a_machine():
    words = ["aab", "abb", "bab", "xyy", "yxx", "xxy"] * 3
    labels = ["a", "a", "a", "x", "x", "x"] * 3
    kernel = 0.5 * Letters() ** 2 + Letters(least=True)
    expected = 0.5 * slow(words, words, lambda x, y: x * y) ** 2 + slow(words, words, min)
    np.testing.assert_allclose(kernel(words), expected)
    model = SVC(kernel=kernel).fit(words, labels)
    assert model.predict(["ab", "yy", "zzz"]).tolist()[:2] == ["a", "x"]


def test_keyed_rows_select_and_meet():
    rows = rows_of(["ab", "", "bcc", "zz"])
    np.testing.assert_array_equal(rows.take(np.array([2, 0])).matrix.toarray(), [[0, 1, 2], [1, 1, 0]])
    assert rows.onto(rows_of(["q"])).nnz == 0
    assert rows.onto(rows_of([""])).shape == (4, 1)
    assert len(rows) == 4
    with pytest.raises(ValueError, match="different kernels"):
        RBF(gamma=1.0).block(RBF(gamma=1.0).prepare(np.ones((2, 2))), Letters().prepare(["a"]))


def test_features_of_minima_that_do_not_fit_are_refused():
    many = KeyedRows(np.array([0, 1]), np.array([3], dtype=np.uint64), np.array([1e15]))
    with pytest.raises(MemoryLimitError, match="one for each of 1000000000000000 occurrences"):
        many.unary()
