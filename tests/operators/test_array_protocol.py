"""Operators as arrays: np.asarray(K), K[rows, cols], len(K)."""

import numpy as np
import pytest

from mercer.exceptions import MemoryLimitError
from mercer.kernels import RBF, Linear
from mercer.operators import GramOperator, PrecomputedOperator, gram
from tests.operators.cases import CASES

X = np.random.default_rng(0).standard_normal((12, 3))
ROWS = [
    0,
    -1,
    np.int32(3),
    slice(2, 9),
    slice(None, None, -2),
    [4, 1, 1],
    np.arange(12) % 3 == 0,
    np.array([], dtype=int),
]
COLS = [0, np.int64(-2), slice(1, 5), slice(6, 1, -1), [6, 0], np.array([True] * 3 + [False] * 4)]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_asarray_is_the_dense_matrix(case, dtype):
    K, expected = case.make(dtype)
    got = np.asarray(K)
    assert got.dtype == K.dtype
    assert got == pytest.approx(expected, rel=2e-4, abs=2e-4)
    assert np.array_equal(got, K.dense())
    assert len(K) == len(expected)


@pytest.mark.parametrize("rows", ROWS, ids=repr)
@pytest.mark.parametrize("cols", COLS, ids=repr)
def test_indices_are_those_of_the_dense_matrix(rows, cols):
    K = gram(RBF(gamma=0.5), X, X[:7])
    dense = K.dense()
    got, expected = K[rows, cols], dense[rows][..., cols][()]
    assert type(got) is type(expected)
    assert got.shape == expected.shape
    assert got == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("rows", ROWS, ids=repr)
def test_rows_alone(rows):
    K = gram(RBF(gamma=0.5), X, X[:7])
    assert K[rows].shape == K.dense()[rows].shape
    assert K[rows] == pytest.approx(K.dense()[rows], abs=1e-15)


def test_iteration_ends():
    K = gram(Linear(), X)
    assert np.array(list(K)) == pytest.approx(K.dense())


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (12, "rows 12 is out of range for 12"),
        ((0, 7), "cols 7 is out of range for 7"),
        ((-13, 0), "rows -13 is out of range for 12"),
        ((0, 0, 0), "got 3 indices, but a matrix has two axes"),
        (None, "rows must be integers, a mask or a slice"),
        (..., "rows must be integers, a mask or a slice"),
        (0.5, "rows must be integers, a mask or a slice"),
        ("age", "rows must be integers, a mask or a slice"),
        (np.ones((12, 7), dtype=bool), "a mask for rows needs length 12"),
    ],
    ids=repr,
)
def test_wrong_indices(key, message):
    K = gram(RBF(gamma=0.5), X, X[:7])
    with pytest.raises(IndexError, match=message):
        K[key]


def test_types_and_copies():
    lazy, held = gram(Linear(), X), gram(Linear(), X, materialize=True)
    assert np.asarray(lazy, dtype=np.float32).dtype == np.float32
    assert np.asarray(held, dtype=np.float32).dtype == np.float32
    assert np.asarray(gram(Linear(), X.astype(np.float32)), dtype=np.float64).dtype == np.float64
    assert np.shares_memory(np.asarray(held), held.matrix)
    own = np.array(held)
    assert own.flags.writeable
    assert not np.shares_memory(own, held.matrix)
    assert np.array(lazy).flags.writeable
    with pytest.raises(ValueError, match="BlockedOperator: copy=False is not possible"):
        np.asarray(lazy, copy=False)
    with pytest.raises(ValueError, match="not in memory as float32"):
        np.asarray(held, dtype=np.float32, copy=False)
    assert np.shares_memory(np.asarray(held, copy=False), held.matrix)


def test_what_does_not_fit_is_refused_before_it_is_allocated():
    huge = gram(RBF(gamma=0.1), np.zeros((3_000_000, 1)))
    for ask in (np.asarray, lambda K: K[:], lambda K: np.asarray(K, dtype=np.float32)):
        with pytest.raises(MemoryLimitError, match="3000000 x 3000000"):
            ask(huge)
    assert huge[5, [1, 2]].tolist() == [1.0, 1.0]


def test_an_operator_of_ones_own():
    class Ones(GramOperator):
        def __init__(self):
            super().__init__((3, 2), np.dtype(np.float32), symmetric=False, memory_budget=100)

        def _block(self, rows, cols, out):
            out[...] = 1

        def _diag(self):
            raise NotImplementedError

        def _label(self):
            return "ones"

    assert np.array_equal(np.asarray(Ones()), np.ones((3, 2), dtype=np.float32))
    assert Ones()[0, 1] == 1


def test_functions_of_numpy_take_operators():
    K = PrecomputedOperator(np.eye(3))
    assert np.linalg.eigvalsh(K) == pytest.approx(np.ones(3))
    assert np.trace(K) == 3
