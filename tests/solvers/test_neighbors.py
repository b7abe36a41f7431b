"""Search in the metric of a kernel, against brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mercer.exceptions import NotPositiveDefiniteError
from mercer.kernels import RBF, Polynomial
from mercer.operators import PrecomputedOperator, gram
from mercer.solvers.neighbors import nearest, smallest, squares, within


def brute(kernel, X, Z):
    """k(x,x) + k(z,z) − 2k(x,z), pair by pair."""
    value = lambda x, z: kernel(x[None], z[None])[0, 0]  # noqa: E731
    return np.array([[value(x, x) + value(z, z) - 2 * value(x, z) for z in Z] for x in X])


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(9, 3)), rng.normal(size=(13, 3))


@pytest.mark.parametrize("kernel", [RBF(gamma=0.3), Polynomial(degree=2, gamma=1.0, coef0=1.0)])
def test_nearest_is_brute_force(kernel, data):
    X, Z = data
    expected = brute(kernel, X, Z)
    D2, found = nearest(gram(kernel, X, Z), kernel.diag(X), kernel.diag(Z), 4)
    assert np.array_equal(found, np.argsort(expected, axis=1, kind="stable")[:, :4])
    assert np.allclose(D2, np.sort(expected, axis=1)[:, :4], rtol=1e-9, atol=1e-12)


def test_within_is_brute_force(data):
    X, Z = data
    kernel = RBF(gamma=0.3)
    expected = brute(kernel, X, Z)
    D2, found, indptr = within(gram(kernel, X, Z), kernel.diag(X), kernel.diag(Z), 0.8)
    rows = np.repeat(np.arange(len(X)), np.diff(indptr))
    assert np.array_equal(np.argwhere(expected <= 0.64), np.column_stack([rows, found]))
    assert np.allclose(D2, expected[rows, found], atol=1e-12)


@pytest.mark.parametrize("budget", [1, 1_000, 50_000])
def test_the_size_of_chunks_does_not_matter(data, budget):
    X, Z = data
    kernel = RBF(gamma=0.3)
    parts = gram(kernel, X, Z), kernel.diag(X), kernel.diag(Z)
    for ours, whole in zip(nearest(*parts, 3, memory_budget=budget), nearest(*parts, 3), strict=True):
        assert np.allclose(ours, whole, rtol=0, atol=1e-15)
    for ours, whole in zip(within(*parts, 0.9, memory_budget=budget), within(*parts, 0.9), strict=True):
        assert np.allclose(ours, whole, rtol=0, atol=1e-15)


def test_chunks_keep_to_the_budget():
    x = np.random.default_rng(0).normal(size=(300, 2))
    K = gram(RBF(gamma=1.0), x)
    largest = max(D2.nbytes for _, D2 in squares(K, K.diag(), K.diag(), memory_budget=100_000))
    assert largest <= 100_000


def test_ranking_needs_no_norms_of_the_rows(data):
    X, Z = data
    kernel = Polynomial(degree=2, gamma=1.0, coef0=1.0)
    K = gram(kernel, X, Z)
    assert np.array_equal(nearest(K, None, kernel.diag(Z), 5)[1], nearest(K, kernel.diag(X), kernel.diag(Z), 5)[1])


def test_skip_self_among_duplicates():
    x = np.zeros((4, 1))
    K = PrecomputedOperator(x @ x.T)
    D2, found = nearest(K, np.zeros(4), np.zeros(4), 3, skip_self=True)
    assert found.tolist() == [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]
    assert (D2 == 0).all()


@given(
    values=hnp.arrays(
        np.float64, st.tuples(st.integers(1, 6), st.integers(1, 12)), elements=st.integers(0, 3).map(float)
    ),
    data=st.data(),
)
def test_smallest_is_a_stable_sort(values, data):
    k = data.draw(st.integers(1, values.shape[1]))
    assert np.array_equal(smallest(values, k), np.argsort(values, axis=1, kind="stable")[:, :k])


def test_rounding_is_not_a_distance():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(50, 30)) + 100.0  # k(x, x) ~ 3e5
    kernel = Polynomial(degree=1, gamma=1.0, coef0=0.0)
    D2, found = nearest(gram(kernel, x), kernel.diag(x), kernel.diag(x), 1)
    assert np.array_equal(found[:, 0], np.arange(50))
    assert (D2 == 0).all()


def test_indefinite_kernel_is_refused():
    K = np.array([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(NotPositiveDefiniteError, match="squared distance in feature space is -2"):
        nearest(PrecomputedOperator(K), np.ones(2), np.ones(2), 1)
