"""Largest eigenvalues: LAPACK, block Lanczos and its randomized form, judged by residuals and by subspaces."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import aslinearoperator

from mercer.operators import PrecomputedOperator
from mercer.solvers import Status
from mercer.solvers.eigen import choose_eigen_solver, top_eigenpairs

METHODS = ["auto", "dense", "arpack", "randomized"]


def with_spectrum(values, seed=0):
    """A matrix with these eigenvalues: a diagonal one between two reflections."""
    rng = np.random.default_rng(seed)
    A = np.diag(np.asarray(values, dtype=float))
    for _ in range(2):
        u = rng.standard_normal(len(values))
        u /= np.linalg.norm(u)
        A -= 2 * np.outer(u, u @ A)
        A -= 2 * np.outer(A @ u, u)
    return (A + A.T) / 2


def decay(n):
    return 50 * 0.9 ** np.arange(n)


def residual(A, found):
    return np.linalg.norm(A @ found.vectors - found.vectors * found.values, axis=0).max() / np.abs(found.values).max()


def assert_solves(A, found, values, tol=1e-13):
    k = len(found.values)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(k), atol=1e-13)
    assert residual(A, found) <= tol
    top = np.sort(values)[: -k - 1 : -1]
    np.testing.assert_allclose(found.values, top, atol=10 * tol * np.abs(values).max())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 2), (30, 30), (600, 1), (600, 12)])
def test_every_method_agrees_with_numpy(method, n, k):
    A = with_spectrum(decay(n))
    found = top_eigenpairs(A, k, method=method, iterated_power=40)
    assert_solves(A, found, decay(n))
    assert found.solution.converged
    np.testing.assert_allclose(found.solution.violation, residual(A, found), atol=1e-15)
    assert found.solution.objective == pytest.approx(found.values.sum())


@pytest.mark.parametrize("wrap", [PrecomputedOperator, aslinearoperator])
@pytest.mark.parametrize("method", ["auto", "arpack", "randomized"])
@pytest.mark.parametrize(("n", "k"), [(20, 3), (500, 6)])
def test_products_are_all_that_is_asked_of_operators(wrap, method, n, k):
    A = with_spectrum(decay(n))
    assert_solves(A, top_eigenpairs(wrap(A), k, method=method, iterated_power=40), decay(n))


def test_signs_are_fixed():
    for method in METHODS:
        V = top_eigenpairs(with_spectrum(decay(500)), 5, method=method).vectors
        assert (V[np.abs(V).argmax(axis=0), np.arange(5)] > 0).all()


@pytest.mark.parametrize("method", ["dense", "arpack"])
def test_algebraically_largest_of_an_indefinite_matrix(method):
    values = np.concatenate([-100 * 0.8 ** np.arange(250), 10 * 0.8 ** np.arange(250)])
    A = with_spectrum(values)
    found = top_eigenpairs(A, 8, method=method)
    assert_solves(A, found, values)
    np.testing.assert_allclose(found.values, 10 * 0.8 ** np.arange(8), atol=1e-11)


@pytest.mark.parametrize("k", [5, 12, 20, 25])
@pytest.mark.parametrize("copies", [5, 25, 60])
def test_multiple_eigenvalues_are_found_as_often_as_they_occur(k, copies):
    values = np.concatenate([[9.0], np.full(copies, 4.0), 0.9 ** np.arange(600 - copies - 1)])
    A = with_spectrum(values)
    assert_solves(A, top_eigenpairs(A, k, method="arpack"), values)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "values",
    [np.zeros(500), np.ones(500), np.r_[3.0, 1.0, np.zeros(498)], np.r_[np.full(30, 2.0), np.zeros(470)]],
    ids=["zero", "identity", "rank 2", "rank 30"],
)
def test_fewer_distinct_eigenvalues_than_components(method, values):
    A = with_spectrum(values)
    found = top_eigenpairs(A, 20, method=method)
    np.testing.assert_allclose(found.values, values[:20], atol=1e-12)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(20), atol=1e-12)
    assert found.solution.violation < 1e-12


def test_restarts_do_not_lose_what_was_found():
    values = np.linspace(0, 1, 800) ** 4  # gaps of 0.5 %: more steps than the basis has room for
    A = with_spectrum(values)
    found = top_eigenpairs(A, 4, method="arpack")
    assert found.solution.n_iter * 8 > 4 + 30 * 8
    assert_solves(A, found, values)


def test_auto_turns_to_lapack_where_lanczos_is_slow():
    values = np.linspace(0, 1, 800) ** 0.1
    A = with_spectrum(values)
    found = top_eigenpairs(A, 3)
    assert choose_eigen_solver(800, 3) == "arpack"
    assert found.method == "dense"
    assert_solves(A, found, values)


def test_max_iter_is_a_status_and_the_residual_says_how_far_it_came():
    A = with_spectrum(np.linspace(1, 2, 600))
    found = top_eigenpairs(A, 3, method="arpack", max_iter=4)
    assert found.solution.status is Status.MAX_ITER
    assert found.solution.n_iter == 4
    assert found.solution.violation == pytest.approx(residual(A, found), rel=1e-6)
    assert found.solution.violation > 1e-6


def test_tolerance_is_met_and_costs_less():
    A = with_spectrum(decay(800))
    loose, tight = (top_eigenpairs(A, 6, method="arpack", tol=tol) for tol in (1e-4, 0.0))
    assert 1e-15 < loose.solution.violation <= 1e-4
    assert loose.solution.n_iter < tight.solution.n_iter


def test_more_power_brings_randomized_nearer():
    A = with_spectrum(0.95 ** np.arange(800))
    violations = [
        top_eigenpairs(A, 10, method="randomized", iterated_power=q).solution.violation for q in (0, 2, 5, 10)
    ]
    assert violations == sorted(violations, reverse=True)
    assert violations[-1] < 1e-2 * violations[0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_matrix_is_kept_unless_it_may_be_overwritten(method, order):
    A = np.array(with_spectrum(decay(500)), order=order)
    before = A.copy()
    found = top_eigenpairs(A, 4, method=method, iterated_power=40)
    np.testing.assert_array_equal(A, before)
    again = top_eigenpairs(A, 4, method=method, iterated_power=40, overwrite=True)
    np.testing.assert_allclose(again.values, found.values, rtol=1e-13)
    assert residual(before, again) < 1e-13  # computed by the solver from what LAPACK left of A
    assert again.solution.violation < 1e-13


def test_results_are_repeatable():
    A = with_spectrum(decay(700))
    first, second = (top_eigenpairs(A, 5, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(first.vectors, second.vectors)
    other = top_eigenpairs(A, 5, random_state=np.random.default_rng(8), n_jobs=1)
    np.testing.assert_allclose(other.vectors, first.vectors, atol=1e-11)


def test_the_choice_may_be_asked_for():
    assert choose_eigen_solver(5000, 20) == "arpack"
    assert choose_eigen_solver(5000, 5000) == "dense"
    for n, k in ((800, 5), (800, 300)):
        assert top_eigenpairs(with_spectrum(decay(n)), k).method == choose_eigen_solver(n, k)


@given(st.integers(1, 12), st.integers(0, 2**32 - 1), st.floats(-150, 150), st.data())
@settings(max_examples=50, deadline=None)
def test_scale_does_not_matter(n, seed, exponent, data):
    k = data.draw(st.integers(1, n))
    A = np.random.default_rng(seed).standard_normal((n, n))
    A = (A + A.T) * 10.0**exponent
    found = top_eigenpairs(A, k)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(A)[: -k - 1 : -1], atol=1e-12 * np.abs(A).max() * n)
    assert np.isfinite(found.solution.violation)


@pytest.mark.parametrize(
    ("A", "options", "error", "match"),
    [
        (np.eye(3), {"k": 0}, ValueError, "k must be between 1 and the 3 rows"),
        (np.eye(3), {"k": 4}, ValueError, "k must be between 1 and the 3 rows"),
        (np.ones((2, 3)), {}, ValueError, "must be square"),
        (np.eye(3, dtype=np.float32), {}, TypeError, "float64"),
        ([[1.0]], {}, TypeError, "array or an operator"),
        (np.eye(3), {"method": "qr"}, ValueError, "method must be"),
        (aslinearoperator(np.eye(3)), {"method": "dense"}, TypeError, "needs a matrix"),
    ],
)
def test_what_cannot_be_solved_is_refused(A, options, error, match):
    with pytest.raises(error, match=match):
        top_eigenpairs(A, options.pop("k", 1), **options)
