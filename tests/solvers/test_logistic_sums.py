"""Logistic regression from sums over blocks has the optimum of the solver that holds all features."""

import numpy as np
import pytest

from mercer.solvers.logistic_features import solve_feature_logistic
from mercer.solvers.logistic_sums import solve_summed_logistic
from mercer.solvers.solution import Status


def problem(rng, columns, n=300, r=12):
    F = rng.normal(size=(n, r)) + 1
    T = np.eye(max(2, columns))[np.argmax(F[:, : max(2, columns)] + rng.normal(size=(n, max(2, columns))), axis=1)]
    return F, T[:, 1:] if columns == 1 else T, rng.uniform(0.5, 2, size=n)


class Passes:
    """Sums over blocks of given sizes, counted."""

    def __init__(self, F, T, weight, cuts):
        self.parts = [np.split(array, cuts) for array in (F, T, weight)]
        self.count = 0

    def __call__(self, task):
        self.count += 1
        parts = [task.of(*block) for block in zip(*self.parts, strict=True)]
        return sum(parts[1:], parts[0])


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [1.0, 1e-3])
def test_the_optimum_is_that_of_the_solver_in_memory(rng, columns, intercept, alpha):
    F, T, weight = problem(rng, columns)
    slow = solve_feature_logistic(F, T, alpha, weight=weight, intercept=intercept)
    fast = solve_summed_logistic(Passes(F, T, weight, [10, 11, 200]), alpha, intercept=intercept)
    assert fast.solution.status is Status.CONVERGED
    assert fast.solution.objective == pytest.approx(slow.solution.objective, rel=1e-13)
    both = fast.solution.gap + slow.solution.gap  # ½α‖w − w*‖² ≤ gap for each
    assert alpha / 2 * np.sum((fast.weights - slow.weights) ** 2) <= 4 * both + 1e-20
    np.testing.assert_allclose(fast.weights, slow.weights, atol=1e-7)
    np.testing.assert_allclose(fast.intercept, slow.intercept, atol=1e-7)


@pytest.mark.parametrize("columns", [1, 3])
def test_blocks_change_rounding_only(rng, columns):
    F, T, weight = problem(rng, columns)
    one = solve_summed_logistic(Passes(F, T, weight, []), 0.1)
    many = solve_summed_logistic(Passes(F, T, weight, range(7, 300, 7)), 0.1)
    np.testing.assert_allclose(many.weights, one.weights, atol=1e-12)


def test_two_classes_take_one_pass_for_a_step(rng):
    passes = Passes(*problem(rng, 1), [100])
    solution = solve_summed_logistic(passes, 0.1).solution
    assert passes.count == solution.n_iter + 2


def test_separable_classes_and_weak_penalties_shorten_steps(rng):
    F = rng.normal(size=(60, 5)) * 100
    T = (F[:, :1] > 0).astype(float)
    passes = Passes(F, T, np.ones(60), [20])
    slow = solve_feature_logistic(F, T, 1e-8)
    fast = solve_summed_logistic(passes, 1e-8)
    assert fast.solution.objective == pytest.approx(slow.solution.objective, rel=1e-9)
    assert fast.solution.gap <= 1e-9 * fast.solution.objective


def test_few_steps_are_reported(rng):
    solution = solve_summed_logistic(Passes(*problem(rng, 1), []), 1e-6, max_iter=1).solution
    assert solution.status is Status.MAX_ITER
    assert solution.n_iter == 1
