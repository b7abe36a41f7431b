"""Explanations at the limits: values that overflow, columns that the kernel cannot read, and too many products."""

import numpy as np
import pandas as pd
import pytest

from mercer.exceptions import MemoryLimitError, NotSeparableError
from mercer.explain import KernelExpansion, partial_dependence, shapley_values
from mercer.kernels import RBF, Exponential, Linear, Polynomial
from mercer.ridge import KernelRidge


@pytest.fixture
def X(rng):
    return rng.normal(size=(12, 3))


@pytest.mark.parametrize("scale", [1e3, 1e140])
def test_distances_that_overflow_give_kernel_values_of_zero(X, scale):
    model = KernelRidge(kernel=RBF(gamma=1e300)).fit(scale * X, X[:, 0])
    found = shapley_values(model, scale * X[:4], scale * X)
    assert np.isfinite(found.values).all()
    assert found.base + found.values.sum(axis=1) == pytest.approx(model.predict(scale * X[:4]))
    curves = partial_dependence(model, scale * X, 1).individual
    assert np.isfinite(curves).all()


def test_products_that_overflow_are_an_error(X):
    expansion = KernelExpansion(Linear(), 1e140 * X, np.full(12, 1e100))
    with pytest.raises(ValueError, match="partial_dependence: functions of single columns of the kernel linear"):
        partial_dependence(expansion, 1e140 * X, 1)
    with pytest.raises(ValueError, match="shapley_values: functions of single columns of the kernel linear"):
        shapley_values(expansion, 1e140 * X[:2], 1e140 * X)


def test_a_mixture_on_distances_that_overflow_is_an_error(X):
    expansion = KernelExpansion(Exponential(gamma=1e100), X, np.ones(12))
    with pytest.raises(ValueError, match=r"distances of the kernel .* overflow; rescale the features"):
        shapley_values(expansion, 1e140 * X[:2], 1e140 * X)


@pytest.mark.parametrize("column", [["ox"] * 12, pd.date_range("2024", periods=12), [b"ox"] * 12])
def test_columns_that_the_kernel_cannot_read_are_refused(X, column):
    """Also if they are not the column of the curves, which alone is replaced."""
    frame = pd.DataFrame(X, columns=["first", "b", "c"])
    model = KernelRidge(kernel="rbf").fit(frame, X[:, 0])
    frame = frame.assign(first=column)
    with pytest.raises(TypeError, match="column 'first'"):
        partial_dependence(model, frame, "b")


def test_samples_beyond_the_range_are_refused(X):
    model = KernelRidge(kernel="rbf").fit(X, X[:, 0])
    with pytest.raises(ValueError, match="squares overflow"):
        partial_dependence(model, 1e300 * X, 1)


@pytest.mark.parametrize("kernel", [Polynomial(degree=300), Linear(1.0) ** 300, (Linear() * RBF(0.5) + 1) ** 20_000])
def test_too_many_products_are_refused_before_they_are_made(X, kernel):
    with pytest.raises(NotSeparableError, match=r"has at least [0-9]+ products of players"):
        shapley_values(KernelExpansion(kernel, X / 100, np.ones(12)), X[:2] / 100, X / 100)


@pytest.mark.parametrize(
    ("at", "words"),
    [({}, "got rows with 0 columns, expected column 2"), (np.ones((2, 1)), "got rows with 1 columns")],
)
def test_rows_without_the_column_are_refused(X, at, words):
    with pytest.raises(ValueError, match=words):
        partial_dependence(KernelRidge(kernel="rbf").fit(X, X[:, 0]), X, 2, at=at)


def test_values_that_cannot_be_categories_are_refused(X):
    rows = X.astype(object)
    rows[3, 1] = {}
    with pytest.raises(TypeError, match=r"column 1 holds \{\} in row 3, which cannot be a category"):
        partial_dependence(KernelRidge(kernel="rbf").fit(X, X[:, 0]), rows, 1)


def test_interactions_that_do_not_fit_in_memory_are_refused(rng):
    rows = np.broadcast_to(rng.normal(size=20_000), (200, 20_000))
    expansion = KernelExpansion(RBF(gamma=1e-4), rows[:2], np.ones(2))
    with pytest.raises(MemoryLimitError, match="shapley_values: values of 200 rows, 20000 players and 1 outputs, with"):
        shapley_values(expansion, rows, rows[:2], interactions=True)
