"""The objective has the gradient of its value, and learning never ends above its start."""

import numpy as np
import pytest

from mercer.feature_learning.columns import WIDTHS, column_kernel
from mercer.feature_learning.learn import learn
from mercer.feature_learning.objective import WORST, Objective
from mercer.kernels import RBF, Linear, WeightedColumns
from mercer.solvers.leave_one_out import LeaveOneOut


def problem(rng, n=40, d=4, targets=2):
    X = rng.normal(size=(n, d)) * [1.0, 30.0, 0.1, 1.0]
    X[:, 3] = rng.integers(0, 3, n)
    Y = np.column_stack([np.sin(X[:, 0]) + (X[:, 3] == 1), X[:, 1] / 30])[:, :targets]
    return X, Y - Y.mean(axis=0)


def differences(function, x, step=1e-5):
    ends = [function(x + sign * step * unit)[0] for unit in np.eye(len(x)) for sign in (1, -1)]
    return (np.array(ends[::2]) - ends[1::2]) / (2 * step)


@pytest.mark.parametrize("within", [0.0, 3.0])
@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("groups", [None, np.arange(40) // 4])
@pytest.mark.parametrize(
    "kernel",
    [None, RBF(gamma=(0.5, 0.01, 2.0, 1.0)) + 0.1 * Linear(), 2.0 * WeightedColumns(weights=0.3, p=2.0, g=0.7)],
    ids=str,
)
def test_the_gradient_equals_finite_differences(rng, kernel, groups, relative, within):
    X, Y = problem(rng)
    kernel = column_kernel(X, (3,), p=1.5) if kernel is None else kernel
    loss = LeaveOneOut(Y, rng.uniform(0.5, 2, len(X)), groups)
    objective = Objective(kernel, X, loss, alpha=0.1, tau=0.7, relative=relative, within=within)
    x = objective.start + 0.3 * rng.normal(size=len(objective.start))
    x = np.clip(x, *objective.bounds.T)
    _, gradient = objective(x)
    np.testing.assert_allclose(gradient, differences(objective, x), rtol=2e-5, atol=2e-5)


def test_the_value_is_the_logarithm_of_the_error_plus_penalties(rng):
    X, Y = problem(rng)
    objective = Objective(RBF(gamma=(1.0, 0.5, 1.0, 2.0)), X, LeaveOneOut(Y), alpha=0.1, tau=0.5)
    fit = LeaveOneOut(Y).fit(objective.kernel(X), 0.1)
    spread = np.log([1.0, 0.5, 1.0, 2.0])
    expected = 20 * np.log(fit.error / 40) + (spread**2).sum() / (2 * 0.5**2)
    assert objective(objective.start)[0] == pytest.approx(expected)


def test_the_penalty_of_ratios_does_not_depend_on_units(rng):
    X, Y = problem(rng)
    units = np.array([100.0, 1.0, 0.001, 1.0])

    def value(factor, shift):
        kernel = column_kernel(X * factor, (3,), linear=False)
        objective = Objective(kernel, X * factor, LeaveOneOut(Y), alpha=0.1, tau=0.5, relative=True)
        return objective(objective.start + shift)[0]

    shift = rng.normal(size=6)
    assert value(units, shift) == pytest.approx(value(1.0, shift), rel=1e-9)


def test_a_matrix_without_a_factor_has_the_worst_value(rng):
    X, Y = problem(rng)
    kernel = RBF(gamma=1.0) + WeightedColumns(g=3.0, p=2.0)
    objective = Objective(1e6 * kernel, 3 * X, LeaveOneOut(Y), alpha=1e-6, tau=1.0)
    loss = objective.loss
    loss.fit = lambda *_: None
    value, gradient = objective(objective.start)
    assert value == WORST
    assert not gradient.any()


@pytest.mark.parametrize("relative", [False, True])
def test_paths_do_not_rise_and_single_weights_do_not_end_above_equal_ones(rng, relative):
    X, Y = problem(rng)
    loss = LeaveOneOut(Y)

    def make(kernel):
        return Objective(kernel, X, loss, alpha=0.03, tau=1.0, relative=relative)

    starts = [column_kernel(X, (3,), width=width) for width in WIDTHS]
    tied, free = learn(make, starts, max_iter=18, tau=(1.0, 0.3))
    assert tied.path[0] == min(make(kernel)(make(kernel).start)[0] for kernel in starts)
    for found, tau in [(tied, 1.0), (free[0], 1.0), (free[1], 0.3)]:
        assert (np.diff(found.path) <= 0).all()
        assert found.value == found.path[-1]
        x = np.append(found.kernel.theta, np.log(found.alpha))
        best = make(min(starts, key=lambda kernel: make(kernel)(make(kernel).start)[0]))
        best.tau = tau
        assert best(x)[0] == pytest.approx(found.value, rel=1e-9)  # the value reported is that of the kernel returned
    assert free[0].value <= tied.value
    assert free[1].value < free[1].path[len(tied.path) - 1]  # another τ learns, too
