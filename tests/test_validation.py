"""The gate for numbers from outside: what passes, in which form, and what each refusal says."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from mercer._validation import (
    check_finite,
    check_integer,
    check_real,
    check_rows,
    check_vector,
    check_vectors,
    describe,
    positive_vector,
)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", ">f8", ">f4", "i8", "i2", "u1", "?"])
def test_every_real_dtype_becomes_a_native_float(dtype):
    X = np.array([[0, 1], [1, 1]]).astype(dtype)
    checked = check_vectors("k", X)
    assert checked.dtype == (np.float32 if dtype in ("f4", "f2", ">f4") else np.float64)
    assert checked.dtype.isnative
    np.testing.assert_array_equal(checked, [[0, 1], [1, 1]])


def test_good_arrays_are_not_copied():
    X = np.ones((3, 2))
    for view in (X, X.T, X[::2], np.asfortranarray(X)):
        assert np.shares_memory(check_vectors("k", view), view)


def test_lists_and_tuples():
    assert check_vectors("k", [[1, 2], (3, 4)]).shape == (2, 2)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
def test_every_sparse_format_becomes_canonical_csr(form):
    S = sp.random(6, 4, density=0.5, random_state=0).asformat(form)
    checked = check_vectors("k", S)
    assert checked.format == "csr"
    assert checked.has_canonical_format
    np.testing.assert_array_equal(checked.toarray(), S.toarray())


def test_duplicate_entries_are_summed_without_touching_the_input():
    S = sp.csr_matrix((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 2))
    checked = check_vectors("k", S)
    assert checked.nnz == 2
    assert S.nnz == 3
    np.testing.assert_array_equal(checked.toarray(), [[4.0, 3.0]])


def test_large_finite_numbers_pass():
    X = np.full((3, 2), 1.7e308)
    np.testing.assert_array_equal(check_vectors("k", X), X)


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (np.ones(3), ValueError, r"k: X must be a 2-D array, got 1 dimension.*\(3,\).*reshape"),
        (np.ones((2, 2, 2)), ValueError, r"3 dimension.*one row per sample"),
        (3.0, ValueError, "0 dimension"),
        (
            np.ones((0, 2)),
            ValueError,
            r"k: X has 0 samples \(shape \(0, 2\)\), expected at least 1",
        ),
        (np.ones((2, 0)), ValueError, r"k: X has 0 features \(shape \(2, 0\)\)"),
        (sp.csr_matrix((0, 3)), ValueError, "0 samples"),
        (
            [[1, np.nan]],
            ValueError,
            r"k: X contains NaN \(first at index \(0, 1\)\); remove or impute",
        ),
        ([[1.0], [-np.inf]], ValueError, r"contains infinity \(first at index \(1, 0\)\)"),
        (
            sp.csr_matrix([[0.0, 1.0], [np.nan, 0.0]]),
            ValueError,
            r"contains NaN \(first at index 1\)",
        ),
        (np.ones((2, 2)) * 1j, ValueError, r"k: Complex data not supported, got X of dtype complex128; pass X.real"),
        (np.array([["a"]]), TypeError, r"X has dtype <U1, expected real numbers"),
        (np.array([[None]]), TypeError, r"k: X holds None in row 0, column 0, expected a number .*; drop such"),
        (
            np.ones((2, 2), dtype=np.longdouble),
            TypeError,
            "float128.*lose digits|longdouble.*lose digits",
        ),
        ([[1.0, 2.0], [3.0]], ValueError, "k: X cannot be converted to an array.*same number of features"),
        (sp.csr_matrix([[1j]]), ValueError, "Complex data"),
    ],
)
def test_refusals_name_who_what_and_remedy(X, error, words):
    with pytest.raises(error, match=words):
        check_vectors("k", X)


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int8(2), Fraction(2)])
def test_real_numbers(value):
    checked = check_real("k", "gamma", value)
    assert type(checked) is float
    assert checked == 2.0


@pytest.mark.parametrize(
    ("value", "options", "error", "words"),
    [
        (np.nan, {}, ValueError, "k: parameter gamma must be a finite number, got nan"),
        (np.inf, {}, ValueError, "got inf"),
        (True, {}, ValueError, "got True"),
        ("1", {}, TypeError, "got '1'"),
        (None, {}, TypeError, "got None"),
        (1j, {}, TypeError, "got 1j"),
        (np.ones(2), {}, TypeError, r"got ndarray of shape \(2,\) and dtype float64"),
        (0.0, {"low": 0.0, "strict": True}, ValueError, "finite number > 0, got 0.0"),
        (-1, {"low": 0.0}, ValueError, "finite number >= 0, got -1"),
        (3, {"high": 2.0}, ValueError, "finite number and <= 2|finite number <= 2"),
        pytest.param(
            10**400,
            {},
            ValueError,
            "k: parameter gamma must be a finite number, got int 1000",
            id="huge",
        ),
    ],
)
def test_real_refusals(value, options, error, words):
    with pytest.raises(error, match=words):
        check_real("k", "gamma", value, **options)


@pytest.mark.parametrize("value", [3, 3.0, np.float64(3), np.int16(3)])
def test_integers(value):
    checked = check_integer("k", "degree", value)
    assert type(checked) is int
    assert checked == 3


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (2.5, ValueError, "k: parameter degree must be an integer >= 1 and <= 9, got 2.5"),
        (0, ValueError, "got 0"),
        (10, ValueError, "got 10"),
        (np.nan, ValueError, "got nan"),
        (np.inf, ValueError, "got inf"),
        (False, ValueError, "got False"),
        ("2", TypeError, "got '2'"),
        (None, TypeError, "got None"),
        pytest.param(10**400, ValueError, "got int 1000", id="huge"),
    ],
)
def test_integer_refusals(value, error, words):
    with pytest.raises(error, match=words):
        check_integer("k", "degree", value, low=1, high=9)


def test_positive_vectors():
    assert positive_vector("k", "gamma", np.array([1, 2])) == (1.0, 2.0)
    with pytest.raises(TypeError, match="k: parameter gamma must be a positive number or a non-empty vector"):
        positive_vector("k", "gamma", [])
    with pytest.raises(ValueError, match=r"gamma\[1\] must be a finite number > 0, got 0"):
        positive_vector("k", "gamma", [1.0, 0])
    with pytest.raises(TypeError, match="non-empty vector of them, got 'abc'"):
        positive_vector("k", "gamma", "abc")


def test_vectors_of_a_given_length():
    np.testing.assert_array_equal(check_vector("k", "w", [1, 2], 2), [1.0, 2.0])
    with pytest.raises(ValueError, match=r"k: w must have shape \(3,\), got \(2,\)"):
        check_vector("k", "w", [1, 2], 3)
    with pytest.raises(ValueError, match="w contains NaN"):
        check_vector("k", "w", [1, np.nan], 2)
    with pytest.raises(TypeError, match="w has dtype"):
        check_vector("k", "w", ["a"], 1)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([0, 2], [0, 2]),
        ([-1], [3]),
        (2, [2]),
        (np.int8(-4), [0]),
        (slice(1, None, 2), [1, 3]),
        ([True, False, False, True], [0, 3]),
        ([], []),
        (np.array([3, 3], dtype=np.uint8), [3, 3]),
    ],
)
def test_row_selections(rows, expected):
    checked = check_rows("take", rows, 4)
    assert checked.dtype == np.int64
    assert checked.tolist() == expected


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([4], "take: rows 4 is out of range for 4 samples; use 0 to 3"),
        ([-5], "rows -5 is out of range"),
        ([0.5], "must be integers, a mask or a slice"),
        ("a", "must be integers"),
        ([[0]], "must be integers"),
        ([True, False], r"mask for rows needs length 4, got shape \(2,\)"),
        (np.array([2**64 - 1], dtype=np.uint64), "out of range|must be integers"),
    ],
)
def test_row_refusals(rows, words):
    with pytest.raises(IndexError, match=words):
        check_rows("take", rows, 4)


def test_descriptions_are_short():
    assert describe(np.ones((2, 3))) == "ndarray of shape (2, 3) and dtype float64"
    assert describe("x" * 500).startswith("str 'xxx")
    assert len(describe("x" * 500)) < 80
    assert describe(None) == "None"


def test_a_sum_that_overflows_is_not_taken_for_infinity():
    check_finite("k", "X", np.full((2, 2), 1e308))
