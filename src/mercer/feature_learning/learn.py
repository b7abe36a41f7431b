"""Minimisation of the leave-one-out error in the parameters of a kernel: equal weights first, then single ones."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from mercer._typing import DoubleArray
from mercer.feature_learning.objective import Objective, vectors_of
from mercer.kernels import Kernel

__all__ = ["Enough", "Learned", "learn", "relearn", "shifted"]

TIED_CALLS = 12  # evaluations for few parameters
Function = Callable[[DoubleArray], tuple[float, DoubleArray]]


class Enough(Exception):  # noqa: N818 - an expected end, not an error
    """Raised by an objective to end its minimisation with the best point so far."""


@dataclass(frozen=True, eq=False)
class Learned:
    """A kernel with learned parameters.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    alpha : float
        Learned ridge penalty.
    value : float
        Objective that was reached.
    path : ndarray of shape (n_evaluations,)
        Smallest objective after each evaluation.
    """

    kernel: Kernel
    alpha: float
    value: float
    path: DoubleArray


def learn(
    make: Callable[[Kernel], Objective], starts: Sequence[Kernel], *, max_iter: int, tau: Sequence[float]
) -> tuple[Learned, list[Learned]]:
    """Minimise the objective from the best of several starting kernels.

    Parameters
    ----------
    make : callable
        Function that returns the `Objective` of a kernel; its attribute `tau` is set here.
    starts : sequence of Kernel
        Starting points.
    max_iter : int
        Largest number of evaluations of the second stage.
    tau : sequence of float
        Values of τ, for each of which one weight per column is learned.

    Returns
    -------
    tied : Learned
        Kernel in which each vector of parameters is a multiple of that of the starting point.
    free : list of Learned
        Kernels with a parameter for each entry, one for each τ; empty if no parameter is a vector.
    """
    objectives = [make(kernel) for kernel in starts]
    found = [objective(objective.start) for objective in objectives]
    best = int(np.argmin([value for value, _ in found]))
    objective = objectives[best]
    function, box, ties = _tied(objective)
    z, path = _minimised(function, np.zeros(ties.shape[1]), box, TIED_CALLS, [float(min(v for v, _ in found))])
    x = objective.start + ties @ z
    together = _learned(objective, x, path)
    if not objective.vectors:
        return together, []
    free, before = [], objective.spread_penalty(x)
    for value in tau:
        objective.tau = value
        shift = objective.spread_penalty(x) - before  # the objective with this τ, also along the path that led to x
        y, steps = _minimised(objective, x, objective.bounds.tolist(), max_iter, [step + shift for step in path])
        free.append(_learned(objective, y, steps))
    return together, free


def _learned(objective: Objective, x: DoubleArray, path: Sequence[float]) -> Learned:
    kernel, alpha = objective.at(x)
    return Learned(kernel, alpha, path[-1], np.array(path))


def _tied(objective: Objective) -> tuple[Function, list[tuple[float, float]], DoubleArray]:
    """The objective as a function of few parameters, their bounds, and the matrix to all parameters."""
    ties = _ties(objective)

    def function(z: DoubleArray) -> tuple[float, DoubleArray]:
        value, gradient = objective(objective.start + ties @ z)
        return value, ties.T @ gradient

    low, high = (objective.bounds - objective.start[:, None]).T
    box = [(float(low[column > 0].max()), float(high[column > 0].min())) for column in ties.T]
    return function, box, ties


def _ties(objective: Objective) -> DoubleArray:
    """Matrix from few parameters to all: one for each vector, and one for each single parameter."""
    columns = [*objective.vectors, *objective.single[:, None]]
    ties = np.zeros((len(objective.start), len(columns)))
    for j, rows in enumerate(columns):
        ties[rows, j] = 1.0
    return ties


def _minimised(
    function: Function, start: DoubleArray, bounds: Sequence[Sequence[float]], calls: int, path: list[float]
) -> tuple[DoubleArray, list[float]]:
    """Best point of a limited number of evaluations, and the path of smallest values."""
    best, reached = start, path[-1]

    def followed(x: DoubleArray) -> tuple[float, DoubleArray]:
        nonlocal best, reached
        value, gradient = function(x)
        if value < reached:
            best, reached = x.copy(), value
        path.append(reached)
        return value, gradient

    with suppress(Enough):
        options = {"maxfun": calls, "maxiter": calls}
        minimize(followed, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return best, path


def shifted(kernel: Kernel, factors: Sequence[float]) -> list[Kernel]:
    """Kernels whose vectors of parameters, or else widths, are multiplied by factors.

    >>> from mercer.kernels import RBF
    >>> [str(k) for k in shifted(RBF(gamma=1.0), [0.25, 4.0])]
    ['rbf(gamma=0.25)', 'rbf(gamma=4)']
    """
    names, theta = kernel.theta_names, kernel.theta
    widths = np.array([name.rpartition("__")[2].partition("[")[0] in ("gamma", "weights") for name in names])
    vectors = vectors_of(kernel)
    if not widths.any() and vectors:
        widths[np.concatenate(vectors)] = True
    return [kernel.with_theta(theta + np.log(factor) * widths) for factor in factors]


def relearn(objective: Objective, *, tied: bool, max_iter: int) -> Learned:
    """Minimise an objective from the parameters of its kernel.

    Parameters
    ----------
    objective : Objective
        Objective at the kernel to improve.
    tied : bool
        Whether each vector of parameters is only multiplied by a number.
    max_iter : int
        Largest number of evaluations.

    Returns
    -------
    Learned
        Improved kernel.
    """
    if not tied:
        x, path = _minimised(objective, objective.start, objective.bounds.tolist(), max_iter, [np.inf])
        return _learned(objective, x, path)
    function, box, ties = _tied(objective)
    z, path = _minimised(function, np.zeros(ties.shape[1]), box, max_iter, [np.inf])
    return _learned(objective, objective.start + ties @ z, path)
