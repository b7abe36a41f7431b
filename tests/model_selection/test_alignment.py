"""Centred alignment against its definition by explicit matrices; weights against the conditions of optimality."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.optimize import minimize

from mercer.kernels import RBF, Columns, Constant, Linear, Overlap
from mercer.model_selection import alignment, alignment_weights, centered_alignment
from mercer.model_selection.target import target_factor
from mercer.operators import OperatorStack, PrecomputedOperator, gram


def explicit(K, L):
    """The definition, with centring matrices."""
    n = len(K)
    H = np.eye(n) - np.ones((n, n)) / n
    A, B = H @ K @ H, H @ L @ H
    return float(np.sum(A * B) / (np.linalg.norm(A) * np.linalg.norm(B)))


def class_kernel(y):
    labels = np.asarray(y)
    same = labels[:, None] == labels
    return same / same.sum(axis=1)


@pytest.fixture
def X(rng):
    return rng.normal(size=(60, 3))


@pytest.fixture
def kernels():
    return [Linear(), RBF(gamma=0.3), RBF(gamma=2.0), Columns(0, RBF(gamma=1.0))]


def psd(rng, n, rank):
    A = rng.normal(size=(n, rank))
    return A @ A.T


# ---- the definition


def test_alignment_is_the_cosine_of_centred_matrices(X):
    K, L = RBF(gamma=0.3)(X), Linear()(X)
    assert alignment(K, L) == pytest.approx(explicit(K, L), abs=1e-14)
    assert alignment("rbf(gamma=0.3)", Linear(), X) == pytest.approx(explicit(K, L), abs=1e-14)
    assert alignment(L, K) == pytest.approx(alignment(K, L), abs=1e-15)


def test_with_numbers(X, rng):
    y = rng.normal(size=60) + 3
    K = RBF(gamma=0.3)(X)
    assert centered_alignment(K, None, y) == pytest.approx(explicit(K, np.outer(y, y)), abs=1e-14)
    Y = rng.normal(size=(60, 2))
    assert centered_alignment(K, None, Y) == pytest.approx(explicit(K, Y @ Y.T), abs=1e-14)


def test_with_classes(X, rng):
    y = rng.choice(["a", "b", "c"], 60, p=[0.6, 0.3, 0.1])
    K = RBF(gamma=0.3)(X)
    assert centered_alignment(K, None, y) == pytest.approx(explicit(K, class_kernel(y)), abs=1e-14)


def test_two_classes_are_the_numbers_plus_and_minus_one(X, rng):
    y = np.where(rng.random(60) < 0.2, 1, -1)
    K = RBF(gamma=0.3)(X)
    by_classes, by_numbers = centered_alignment(K, None, y), centered_alignment(K, None, y.astype(float))
    assert by_classes == pytest.approx(by_numbers, abs=1e-14)
    assert by_classes == pytest.approx(centered_alignment(K, None, y, task="regression"), abs=1e-14)
    assert by_classes == pytest.approx(explicit(K, np.outer(y, y)), abs=1e-14)


def test_task_decides_what_integers_are(X, rng):
    y = rng.integers(0, 3, 60)
    K = RBF(gamma=0.3)(X)
    assert centered_alignment(K, None, y) == pytest.approx(explicit(K, class_kernel(y)), abs=1e-14)
    assert centered_alignment(K, None, y, task="regression") == pytest.approx(explicit(K, np.outer(y, y)), abs=1e-14)


def test_every_form_of_a_kernel_and_of_a_target(X, rng):
    y = rng.choice(["a", "b"], 60)
    expected = centered_alignment(RBF(gamma=0.3)(X), None, y)
    for kernel in (RBF(gamma=0.3), "rbf(gamma=0.3)", gram(RBF(gamma=0.3), X), PrecomputedOperator(RBF(gamma=0.3)(X))):
        assert centered_alignment(kernel, X, y) == pytest.approx(expected, abs=1e-14)
    for target in (list(y), pd.Series(y), pl.Series(y), y.astype(object)):
        assert centered_alignment("rbf(gamma=0.3)", X, target) == pytest.approx(expected, abs=1e-14)


def test_panels_of_rows_change_nothing(X, rng):
    grams = [PrecomputedOperator(k(X)) for k in (Linear(), RBF(gamma=0.3))]
    factor = target_factor("test", rng.normal(size=60), "auto")
    whole = OperatorStack(grams).agreement(factor)
    parts = OperatorStack(grams, memory_budget=8 * 2 * 60 * 7).agreement(factor)  # 7 rows at a time
    for once, again in zip(whole, parts, strict=True):
        np.testing.assert_allclose(again, once, rtol=1e-12)


def test_chosen_rows_are_the_submatrix(X, rng):
    y = rng.normal(size=60)
    rows = rng.permutation(60)[:25]
    grams = [PrecomputedOperator(k(X)) for k in (Linear(), RBF(gamma=0.3))]
    found = OperatorStack(grams).take(rows).agreement(target_factor("test", y[rows], "auto"))
    for K, value in zip(grams, found.alignments, strict=True):
        assert value == pytest.approx(explicit(K.block(rows, rows), np.outer(y[rows], y[rows])), abs=1e-13)


# ---- laws


def test_invariances(X, rng):
    y = rng.normal(size=60)
    K = RBF(gamma=0.3)(X)
    a = centered_alignment(K, None, y)
    assert centered_alignment(1e6 * K, None, y) == pytest.approx(a, abs=1e-12)
    assert centered_alignment(K + 7, None, y) == pytest.approx(a, abs=1e-12)
    v = rng.normal(size=60)
    assert centered_alignment(K + v[:, None] + v, None, y) == pytest.approx(a, abs=1e-12)
    assert centered_alignment(K, None, 5 - 3 * y) == pytest.approx(a, abs=1e-12)
    order = rng.permutation(60)
    assert centered_alignment(K[np.ix_(order, order)], None, y[order]) == pytest.approx(a, abs=1e-12)


def test_bounds(X, rng):
    y = rng.normal(size=60)
    assert alignment(Linear(), Linear(), X) == pytest.approx(1, abs=1e-14)
    assert centered_alignment(np.outer(y, y), None, y) == pytest.approx(1, abs=1e-14)
    assert centered_alignment(-np.outer(y, y), None, y) == pytest.approx(-1, abs=1e-14)
    for rank in (1, 5, 60):
        assert 0 <= centered_alignment(psd(rng, 60, rank), None, y) <= 1


def test_a_constant_kernel_agrees_with_nothing(X, rng):
    y = rng.normal(size=60)
    assert centered_alignment(Constant(3.0), X, y) == 0
    assert alignment(Constant(3.0), Linear(), X) == 0
    assert centered_alignment(np.full((60, 60), 1e8 / 3), None, y) == 0


def test_a_nearly_constant_kernel_keeps_its_digits(rng):
    y = rng.normal(size=40)
    K = 1e6 + np.outer(y, y)
    assert centered_alignment(K, None, y) == pytest.approx(1, abs=1e-6)


# ---- weights


def products(kernels, X, L):
    n = len(L)
    H = np.eye(n) - 1 / n
    centred = [H @ k(X) @ H for k in kernels]
    M = np.array([[np.sum(A * B) for B in centred] for A in centred])
    return M, np.array([np.sum(A * L) for A in centred])


def test_weights_satisfy_the_conditions_of_optimality(X, kernels, rng):
    y = X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * rng.normal(size=60)
    weights = alignment_weights(kernels, X, y)
    L = np.outer(y - y.mean(), y - y.mean())
    M, a = products(kernels, X, L)
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1)
    v = (
        weights * (a @ weights) / (weights @ M @ weights)
    )  # the scale of the minimiser of vᵀMv − 2vᵀa along these weights
    gradient = M @ v - a
    size = np.abs(a).max()
    assert np.abs(gradient[weights > 0]).max() < 1e-9 * size
    assert gradient[weights == 0].min(initial=0) > -1e-9 * size


def test_weights_maximise_alignment(X, kernels, rng):
    y = X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * rng.normal(size=60)
    K = np.array([k(X) for k in kernels])
    best = centered_alignment(np.tensordot(alignment_weights(kernels, X, y), K, 1), None, y)

    def reached(weights):
        return centered_alignment(np.tensordot(weights, K, 1), None, y)

    assert best > reached(np.full(4, 0.25)) + 1e-6
    assert all(best >= reached(single) - 1e-12 for single in np.eye(4))
    assert all(best >= reached(rng.dirichlet(np.ones(4))) - 1e-12 for _ in range(100))
    found = minimize(
        lambda v: -reached(np.abs(v) + 1e-12), np.full(4, 0.25), method="Nelder-Mead", options={"fatol": 1e-12}
    )
    assert best == pytest.approx(-found.fun, abs=1e-6)


def test_two_kernels_in_closed_form(rng):
    """Inside the cone v = M⁻¹a; the same for classes."""
    y = rng.choice(["a", "b", "c"], 50)
    U = target_factor("test", y, "auto")
    one, other = np.linalg.svd(U, full_matrices=False)[0][:, :2].T  # the target is the projection on these two
    grams = [np.outer(one, one) + 0.01 * psd(rng, 50, 50), 3 * np.outer(other, other) + 0.01 * psd(rng, 50, 50)]
    M, a = products([lambda _, K=K: K for K in grams], None, U @ U.T)
    v = np.linalg.solve(M, a)
    assert v.min() > 0
    np.testing.assert_allclose(alignment_weights(grams, None, y), v / v.sum(), rtol=1e-8)


def test_the_sum_does_not_depend_on_the_scale_of_a_kernel(X, kernels, rng):
    y = X[:, 0] + np.sin(2 * X[:, 1])
    factors = [1.0, 1e4, 1e-3, 20.0]
    plain = alignment_weights(kernels, X, y)
    scaled = alignment_weights([c * k for c, k in zip(factors, kernels, strict=True)], X, y)
    np.testing.assert_allclose(scaled * factors / (scaled @ factors), plain / plain.sum(), rtol=1e-7, atol=1e-12)


def test_noise_and_constants_get_no_weight(X, rng):
    y = X[:, 0]
    weights = alignment_weights([Columns(0, Linear()), Constant(1.0), Columns(2, Linear())], X, y)
    np.testing.assert_allclose(weights, [1, 0, 0], atol=1e-12)


def test_repeated_kernels_share_their_weight(X):
    y = X[:, 0] + np.sin(2 * X[:, 1])
    once = alignment_weights([Linear(), RBF(gamma=1.0)], X, y)
    twice = alignment_weights([Linear(), RBF(gamma=1.0), RBF(gamma=1.0)], X, y)
    assert twice[1] + twice[2] == pytest.approx(once[1], rel=1e-6)


def test_a_single_kernel_has_all_the_weight(X):
    assert alignment_weights([Linear()], X, X[:, 0]).tolist() == [1.0]


# ---- mistakes


@pytest.mark.parametrize("function", [centered_alignment, lambda k, X, y: alignment_weights([k], X, y)])
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.ones(60), "constant"),
        (["a"] * 60, "1 class"),
        ([None, *["a", "b"] * 29, "a"], "missing for sample 0"),
        (np.r_[np.nan, np.arange(59.0)], "NaN"),
        (np.arange(7.0), "7 samples"),
    ],
)
def test_targets_that_cannot_be_aligned_with(function, y, message, X):
    with pytest.raises(ValueError, match=message):
        function(Linear(), X, y)


def test_kernels_that_cannot_be_aligned(X, rng):
    y = rng.normal(size=60)
    with pytest.raises(ValueError, match="symmetric"):
        centered_alignment(rng.normal(size=(60, 60)), None, y)
    with pytest.raises(TypeError, match="needs the samples X"):
        centered_alignment(Linear(), None, y)
    with pytest.raises(TypeError, match="list of at least one"):
        alignment_weights([], X, y)
    with pytest.raises(TypeError, match="list of at least one"):
        alignment_weights(Linear(), X, y)
    with pytest.raises(ValueError, match="task must be one of"):
        centered_alignment(Linear(), X, y, task="ranking")
    with pytest.raises(ValueError, match="one class for each sample"):
        centered_alignment(Linear(), X, np.full((60, 2), "a"))
    with pytest.raises(TypeError, match="y must be numbers"):
        centered_alignment(Linear(), X, ["a", "b"] * 30, task="regression")
    with pytest.raises(ValueError, match="no kernel is aligned"):
        alignment_weights([-1 * Columns(0, Linear())], X, X[:, 0])


def test_mixed_columns(rng):
    size, city = rng.normal(size=40), rng.choice(["Rome", "Oslo"], 40)
    frame = pd.DataFrame({"size": size, "city": city})
    y = np.where(city == "Rome", 1.0, 0.0)
    weights = alignment_weights([Columns("size", RBF()), Columns("city", Overlap())], frame, y)
    np.testing.assert_allclose(weights, [0, 1], atol=1e-12)
