"""The algebra: random expressions against their slow twin, and the laws that +, * and ** obey."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mpf

from mercer import kernels
from mercer.kernels import (
    RBF,
    Columns,
    Constant,
    Linear,
    Normalized,
    Polynomial,
    PowerOf,
    Product,
    Scaled,
    Sum,
)
from tests.reference.expressions import size, sizes
from tests.reference.vectors import gram, value
from tests.strategies import expressions, leaves, matrices

TINY = mpf("1e-300")


def assert_close(found, kernel, X, Z, *, tolerance=1e-10):
    exact, scale = gram(kernel, X, Z), sizes(kernel, X, Z)
    assume(scale.max() < mpf("1e200"))
    excess = abs(np.asarray(found).astype(object) - exact) - tolerance * scale - TINY
    assert (excess <= 0).all(), f"{kernel!r}: {found} against {exact.astype(float)}"


@given(expressions(), matrices(), matrices())
def test_expression_equals_its_twin(kernel, X, Z):
    assert_close(kernel(X), kernel, X, X)
    assert_close(kernel(X, Z), kernel, X, Z)
    exact = np.array([value(kernel, x, x) for x in X])
    allowed = np.array([size(kernel, x, x) for x in X])
    assert (abs(kernel.diag(X).astype(object) - exact) <= 1e-10 * allowed + TINY).all()


@given(expressions(), matrices())
def test_expression_is_a_value(kernel, X):
    if "<function" not in repr(kernel):
        assert eval(repr(kernel), vars(kernels)) == kernel
    assert kernel.resolve(X) == kernel
    assert hash(kernel) == hash(kernel.with_params(**kernel.get_params()))
    assert isinstance(str(kernel.certificate()), str)


@given(expressions(), expressions(), matrices(), st.sampled_from([-2.0, 0.5, 3.0]))
def test_scaling_commutes(a, b, X, c):
    left, right = (c * (a + b))(X), (c * a + c * b)(X)
    scale = sizes(a + b, X, X)
    assume(scale.max() < mpf("1e200"))
    assert (abs(left - right).astype(object) <= 1e-10 * abs(c) * scale + TINY).all()
    assert c * a == a * c


@given(st.lists(leaves(), min_size=2, max_size=5))
def test_sum_and_product_flatten_by_exact_class(terms):
    a, *rest = terms
    assert sum(terms) == Sum(tuple(terms)) == a + sum(rest)
    product = Product(tuple(terms))
    assert product == a * (Product(tuple(rest)) if len(rest) > 1 else rest[0])
    assert (product + a).terms == (product, a)
    assert (sum(terms) * a).factors == (sum(terms), a)
    assert hash(sum(terms)) == hash(Sum(tuple(terms)))


def test_nodes_keep_their_order_and_grouping():
    a, b, c = RBF(gamma=1.0), Linear(), Polynomial()
    assert (a + b * c).terms == (a, b * c)
    assert (a * (b + c)).factors == (a, b + c)
    assert ((a + b) + c).terms == (a + (b + c)).terms == (a, b, c)
    assert a + b != b + a
    assert Sum((2 * a, b)).terms == (Scaled(2.0, a), b)


@pytest.mark.parametrize("two", [2, 2.0, np.float64(2), np.float32(2), np.int64(2)])
def test_numbers_of_every_kind_scale(two):
    k = RBF(gamma=1.0)
    assert two * k == k * two == Scaled(2.0, k) == k / (1 / two)
    assert two + k == Sum((Constant(2.0), k))
    assert k - two == Sum((k, Constant(-2.0)))
    assert two - k == Sum((Scaled(-1.0, k), Constant(2.0)))
    assert k**two == PowerOf(k, 2)


def test_neutral_elements():
    k = RBF(gamma=1.0)
    assert 1 * k is k
    assert k**1 is k
    assert k + 0 is k
    assert 0 + k is k
    minus = -k
    assert -minus == k
    assert 0.5 * (2 * k) == k
    assert (2 * k) * (3 * Linear()) == 6 * (k * Linear())
    assert k.normalized().normalized() == Normalized(k)


@pytest.mark.parametrize("other", [True, "a", None, 1j, np.eye(2), [1], {}])
def test_foreign_operands_are_refused(other):
    k = RBF(gamma=1.0)
    for operation in (
        lambda: k + other,
        lambda: other + k,
        lambda: k * other,
        lambda: other * k,
        lambda: k - other,
        lambda: k / other,
    ):
        with pytest.raises(TypeError):
            operation()


def test_equality_sees_class_and_every_parameter():
    assert RBF(gamma=1) == RBF(gamma=1.0)
    assert (
        len(
            {
                RBF(gamma=1),
                RBF(gamma=1.0),
                RBF(gamma=2.0),
                Sum((Linear(), Linear())),
                Product((Linear(), Linear())),
            }
        )
        == 4
    )
    assert RBF(gamma=[1, 2]) == RBF(gamma=(1.0, 2.0)) == RBF(gamma=np.array([1.0, 2.0]))
    assert Columns(0, Linear()) == Columns([0], Linear()) == Columns(np.array([0]), Linear())


def test_sparse_and_dense_meet_in_one_expression():
    X = np.random.default_rng(0).normal(size=(6, 3)) * (np.random.default_rng(1).random((6, 3)) > 0.4)
    k = (RBF(gamma=0.5) + Linear()) * Columns([0, 2], Polynomial(degree=2))
    S = sp.csr_matrix(X)
    for found in (k(S), k(S, X), k(X, S)):
        np.testing.assert_allclose(found, k(X), rtol=1e-12, atol=1e-12)
