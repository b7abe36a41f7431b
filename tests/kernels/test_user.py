"""Kernels from functions: both ways, all kinds of data, and errors that name the pair."""

import pickle
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import scipy.sparse as sp

from mercer.kernels import Columns, Definiteness, Kernel, Linear, User, user
from mercer.kernels.evaluate import _returned


def dot(a, b):
    return float(np.dot(a, b))


def dot_block(A, B):
    return np.asarray(A) @ np.asarray(B).T


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(7, 3))


@pytest.mark.parametrize("k", [user(dot), user(block=dot_block)], ids=["pair", "block"])
def test_both_ways_equal_the_library(k, X):
    Y = X[:2] + 1
    np.testing.assert_allclose(k(X), Linear()(X), atol=1e-12)
    np.testing.assert_allclose(k(X, Y), Linear()(X, Y), atol=1e-12)
    np.testing.assert_allclose(k.diag(X), Linear().diag(X), atol=1e-12)
    np.testing.assert_allclose(k([list(row) for row in X]), Linear()(X), atol=1e-12)
    np.testing.assert_allclose(k.pair(X[0], X[1]), dot(X[0], X[1]))
    np.testing.assert_allclose(k.evaluate(X, Y), Linear()(X, Y), atol=1e-12)


@pytest.mark.parametrize("k", [user(dot), user(block=dot_block)], ids=["pair", "block"])
def test_user_kernels_join_the_algebra(k, X):
    mine, theirs = 0.5 * k + k * k + 1, 0.5 * Linear() + Linear() * Linear() + 1
    np.testing.assert_allclose(mine(X), theirs(X), atol=1e-12)
    np.testing.assert_allclose(k.normalized()(X), Linear().normalized()(X), atol=1e-12)
    part = Columns([0, 2], k)
    np.testing.assert_allclose(part(X), Linear()(X[:, [0, 2]]), atol=1e-12)


def test_values_of_any_kind_of_object():
    letters = user(lambda a, b: len(set(a) & set(b)))
    assert letters(["abc", "bcd", ""]).tolist() == [[3, 2, 0], [2, 3, 0], [0, 0, 0]]
    assert user(lambda a, b: a == b)([(1,), (2,)]).tolist() == [[1, 0], [0, 1]]
    assert user(lambda a, b: np.array(2.0))([1, 2])[0, 1] == 2.0
    assert user(lambda a, b: a["x"] * b["x"])([{"x": 2}, {"x": 3}])[0].tolist() == [4, 6]


def test_parts_of_prepared_data_agree(X):
    for k in (user(dot), user(block=dot_block)):
        prepared = k.prepare(X)
        rows = prepared.take([4, 1])
        np.testing.assert_allclose(k.block(rows, prepared), Linear()(X[[4, 1]], X), atol=1e-12)


def test_pair_is_called_once_for_each_unordered_pair():
    calls = []
    user(lambda a, b: calls.append((a, b)) or 1.0)([0, 1, 2])
    assert sorted(calls) == [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]


def test_declared_definiteness_is_marked_as_such():
    k = user(dot, definiteness="psd")
    assert k.definiteness is Definiteness.PSD
    assert (k + Linear()).definiteness is Definiteness.PSD
    assert "declared by the user, not proved" in str((2 * k).certificate())
    assert user(dot).definiteness is Definiteness.UNKNOWN
    assert user(dot, definiteness=Definiteness.CPD).definiteness is Definiteness.CPD
    with pytest.raises(ValueError, match=r"definiteness must be one of 'psd'.*got 'maybe'"):
        user(dot, definiteness="maybe")


def test_user_kernels_are_values():
    k = user(dot, name="mine")
    assert k == user(dot, name="mine")
    assert hash(k) == hash(user(dot, name="mine"))
    assert k != user(block=dot)
    assert str(k) == "user(<mine>)"
    assert str(user(dot)) == "user(<dot>)"
    assert isinstance(k, User)


def test_importable_functions_pickle():
    k = user(np.vdot, definiteness="psd")
    assert pickle.loads(pickle.dumps(k)) == k


@pytest.mark.parametrize("arguments", [{}, {"pair": dot, "block": dot_block}])
def test_exactly_one_function(arguments):
    with pytest.raises(TypeError, match=r"expected one of pair and block, got (neither|both)"):
        user(**arguments)


def test_bad_arguments_are_named():
    with pytest.raises(TypeError, match="function must be callable, got 3"):
        user(3)
    with pytest.raises(TypeError, match="the name must be a string"):
        user(dot, name=3)
    with pytest.raises(ValueError, match="by must be 'pair' or 'block'"):
        User(dot, by="row")


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (lambda a, b: "x", TypeError, "expected a number for samples 0 and 0, got 'x'"),
        (lambda a, b: None, TypeError, "expected a number for samples 0 and 0, got None"),
        (lambda a, b: 1j, TypeError, "expected a number"),
        (lambda a, b: np.ones(2), TypeError, r"got ndarray of shape \(2,\)"),
        (lambda a, b: np.nan if b == 2 else 1, ValueError, "returned nan for samples 0 and 2"),
        (lambda a, b: np.inf, ValueError, "returned inf for samples 0 and 0"),
        (lambda a, b: 1 / (b - 1), ValueError, "raised ZeroDivisionError for samples 0 and 1"),
    ],
)
def test_a_bad_pair_is_named(function, error, message):
    with pytest.raises(error, match=message):
        user(function)([0, 1, 2])
    with pytest.raises(error):
        user(function).evaluate([0, 0], [1, 2])


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (lambda A, B: np.ones(3), ValueError, r"expected a block of shape \(2, 2\)"),
        (lambda A, B: np.full((2, 2), "x"), TypeError, "block of real numbers"),
        (lambda A, B: np.array([[1, 1], [np.nan, 1]]), ValueError, "nan for samples 1 and 0"),
        (lambda A, B: A.missing, ValueError, "raised AttributeError for a block of 2 x 2"),
    ],
)
def test_a_bad_block_is_named(function, error, message):
    with pytest.raises(error, match=message):
        user(block=function)([0, 1])


def test_errors_in_a_part_name_the_rows_of_the_whole():
    k = user(lambda a, b: np.nan if {a, b} == {7, 9} else 1.0, name="trap")
    prepared = k.prepare(list(range(10)))
    with pytest.raises(ValueError, match=r"user\(<trap>\).* samples 9 and 7"):
        k.block(prepared.take([5, 9]), prepared.take([6, 7]))


def test_diagonal_errors_name_the_sample():
    with pytest.raises(ValueError, match="samples 1 and 1"):
        user(lambda a, b: np.nan if a == 1 else 1.0).diag([0, 1, 2])


def test_a_class_with_pair_works_alike():
    @dataclass(frozen=True)
    class Shared(Kernel):
        weight: float = 1.0

        def pair(self, a, b):
            return self.weight * len(set(a) & set(b))

    k = Shared(weight=2.0) + 1
    assert k(["ab", "bc"]).tolist() == [[5, 3], [3, 5]]
    assert k.with_params(**{"0__weight": 1.0})(["ab", "bc"]).tolist() == [[3, 2], [2, 3]]


@dataclass(frozen=True)
class Returns(Kernel):
    values: str = "matrix"
    of_pairs: str = "vector"

    VALUES: ClassVar = {
        "matrix": np.eye(3),
        "vector": np.ones(3),
        "sparse": sp.csr_matrix(np.eye(3)),
        "words": np.full((3, 3), "x"),
        "complex": np.ones(3) + 1j,
    }

    def evaluate(self, A, B):
        return self.VALUES[self.values]

    def evaluate_pairs(self, A, B):
        return self.VALUES[self.of_pairs]


def test_what_a_class_returns_is_checked():
    X = [1, 2, 3]
    assert np.array_equal(Returns("sparse")(X), np.eye(3))
    with pytest.raises(ValueError, match=r"Returns: evaluate must return a block of shape \(3, 3\), got \(3,\)"):
        Returns("vector")(X)
    with pytest.raises(TypeError, match="Returns: evaluate must return real numbers, got dtype <U1"):
        Returns("words")(X)
    with pytest.raises(ValueError, match=r"Returns: evaluate_pairs must return a block of shape \(3,\), got \(3, 3\)"):
        Returns(of_pairs="matrix").diag(X)
    with pytest.raises(TypeError, match="Returns: evaluate_pairs must return real numbers, got dtype complex128"):
        Returns(of_pairs="complex").diag(X)


def test_unaligned_blocks_are_copied():
    """The core reads numbers in place, where they must be aligned."""
    raw = np.zeros(8 * 4 + 1, dtype=np.uint8)
    unaligned = raw[1:].view(np.float64).reshape(2, 2)
    unaligned[...] = [[2.0, 1.0], [1.0, 2.0]]
    assert not unaligned.flags.aligned
    read = _returned("user", unaligned, (2, 2), np.dtype(np.float64))
    assert read.flags.aligned
    np.testing.assert_array_equal(read, unaligned)
