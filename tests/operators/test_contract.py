"""The laws of operators: every case against its dense truth."""

import functools
import pickle

import numpy as np
import pytest

from mercer.operators import GramOperator
from tests.operators.cases import CASES

TOLERANCE = {np.dtype(np.float32): 2e-5, np.dtype(np.float64): 1e-12}


@pytest.fixture(params=[np.float32, np.float64], ids=["float32", "float64"])
def dtype(request):
    return request.param


@pytest.fixture(params=CASES, ids=str)
def case(request):
    return request.param


@functools.cache
def build(case, dtype):
    operator, exact = case.make(dtype)
    return operator, exact.astype(np.float64)


@pytest.fixture
def made(case, dtype):
    return build(case, dtype)


def close(operator, actual, expected):
    scale = np.abs(expected).max(initial=1.0)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=TOLERANCE[operator.dtype] * scale)


def test_attributes(case, dtype, made):
    operator, exact = made
    assert isinstance(operator, GramOperator)
    assert operator.shape == exact.shape
    assert operator.n_rows == exact.shape[0]
    assert operator.symmetric is case.symmetric
    assert operator.dtype in (np.float32, np.float64)
    assert dtype is np.float32 or operator.dtype == np.float64
    assert operator == operator
    assert operator != case.make(dtype)[0]


def test_repr(case, made):
    operator, (m, n) = made[0], made[1].shape
    start = f"{type(operator).__name__}: {m} x {n}, {operator.dtype}, "
    assert repr(operator).startswith(start)
    assert case.label in repr(operator)


def test_diag(made):
    operator, exact = made
    if exact.shape[0] != exact.shape[1]:
        with pytest.raises(ValueError, match="diag needs a square operator"):
            operator.diag()
        return
    diagonal = operator.diag()
    assert diagonal.dtype == operator.dtype
    close(operator, diagonal, np.diagonal(exact))


def test_dense(made):
    operator, exact = made
    K = operator.dense()
    assert K.dtype == operator.dtype
    close(operator, K, exact)
    if operator.symmetric:
        np.testing.assert_array_equal(K, K.T)


def test_dense_out(made):
    operator, exact = made
    wide = np.full((exact.shape[0], exact.shape[1] + 2), np.nan, dtype=operator.dtype)
    out = wide[:, 1:-1]  # rows are contiguous, the array is not
    assert operator.dense(out=out) is out
    np.testing.assert_array_equal(out, operator.dense())
    assert np.isnan(wide[:, [0, -1]]).all()


def mask(n, *chosen):
    return np.isin(np.arange(n), chosen)


CHOICES = {
    "all": lambda m, n: (slice(None), slice(None)),
    "slices": lambda m, n: (slice(3, 9), slice(None, 5)),
    "negative-slice": lambda m, n: (slice(-4, None), slice(2, -3)),
    "steps": lambda m, n: (slice(None, None, 3), slice(None, None, -2)),
    "masks": lambda m, n: (mask(m, 1, 5, 6), mask(n, 0, 2)),
    "negative": lambda m, n: ([-1, 0, -m], [-2, 3]),
    "duplicates": lambda m, n: ([4, 4, 2, 4], [1, 1, 0]),
    "same": lambda m, n: ([5, 1, 5, 9], [5, 1, 5, 9]),
    "mixed": lambda m, n: (np.array([2, 0], dtype=np.int32), slice(1, 4)),
    "mixed-other": lambda m, n: (slice(1, 4), np.array([2, 0], dtype=np.uint8)),
    "scalars": lambda m, n: (3, np.int64(2)),
    "no-rows": lambda m, n: (np.array([], dtype=int), slice(None)),
    "no-columns": lambda m, n: (slice(None), slice(4, 2)),
}


def expected_block(K, rows, cols):
    rows, cols = (np.arange(n)[i].reshape(-1) for n, i in zip(K.shape, (rows, cols), strict=True))
    return K[rows[:, None], cols]


@pytest.mark.parametrize("choice", CHOICES)
def test_block(made, choice):
    operator, exact = made
    rows, cols = CHOICES[choice](*exact.shape)
    block = operator.block(rows, cols)
    expected = expected_block(exact, rows, cols)
    assert block.shape == expected.shape
    assert block.dtype == operator.dtype
    close(operator, block, expected)
    out = np.full_like(block, np.nan)
    assert operator.block(rows, cols, out=out) is out
    np.testing.assert_array_equal(out, block)


def test_one_index_for_both_sides(made):
    operator, exact = made
    chosen = np.array([3, 0, 8])
    close(operator, operator.block(chosen, chosen), exact[np.ix_(chosen, chosen)])


def test_blocks_are_the_callers_own(made):
    operator, _ = made
    before = operator.dense().copy()
    operator.block(slice(None), slice(None))[...] = 7
    operator.rows([0, 1])[...] = 7
    if operator.shape[0] == operator.shape[1]:
        operator.diag()[...] = 7
    np.testing.assert_array_equal(operator.dense(), before)


def test_rows(made):
    operator, exact = made
    close(operator, operator.rows([2, -1, 2]), exact[[2, -1, 2]])
    out = np.empty((2, exact.shape[1]), dtype=operator.dtype)
    assert operator.rows(slice(4, 6), out=out) is out
    close(operator, out, exact[4:6])


@pytest.mark.parametrize("columns", [None, 1, 5, 0])
def test_products(made, columns):
    operator, exact = made
    rng = np.random.default_rng(1)
    m, n = exact.shape
    V = rng.standard_normal((n,) if columns is None else (n, columns))
    U = rng.standard_normal((m,) if columns is None else (m, columns))
    for result, expected in (
        (operator.matmul(V), exact @ V),
        (operator @ V, exact @ V),
        (operator.rmatmul(U), exact.T @ U),
        (U.T @ operator, U.T @ exact),
    ):
        assert result.dtype == np.float64
        assert result.shape == expected.shape
        close(operator, result, expected)


def test_products_take_lists_integers_and_strided_arrays(made):
    operator, exact = made
    n = exact.shape[1]
    close(operator, operator @ list(range(n)), exact @ np.arange(n))
    V = np.asfortranarray(np.random.default_rng(1).standard_normal((2 * n, 3)))[::2]
    V.flags.writeable = False
    close(operator, operator @ V, exact @ V)


def test_linear_operator(made):
    operator, exact = made
    rng = np.random.default_rng(1)
    view = operator.as_linear_operator()
    V = rng.standard_normal((exact.shape[1], 2))
    U = rng.standard_normal((exact.shape[0], 2))
    assert view.shape == exact.shape
    assert view.dtype == np.float64
    close(operator, view @ V[:, 0], exact @ V[:, 0])
    close(operator, view @ V, exact @ V)
    close(operator, view.T @ U[:, 0], exact.T @ U[:, 0])
    close(operator, view.H @ U, exact.T @ U)


def test_pickle(made):
    operator, _ = made
    V = np.random.default_rng(1).standard_normal(operator.shape[1])
    result = operator @ V  # whatever was compiled for it must not stand in the way
    again = pickle.loads(pickle.dumps(operator))
    assert repr(again) == repr(operator)
    assert again.symmetric == operator.symmetric
    np.testing.assert_array_equal(again @ V, result)


def test_the_budget_changes_only_the_tiles(case, dtype):
    operator, exact = case.make(dtype)
    V = np.random.default_rng(1).standard_normal((exact.shape[1], 3))
    for budget in (1, 300, 10**8):
        operator.memory_budget = budget
        close(operator, operator @ V, exact @ V)
        close(operator, operator.dense(), exact)
