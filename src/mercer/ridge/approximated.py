"""Kernel ridge and logistic regression with an approximated kernel."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mercer._estimator import Approximation, Sums
from mercer._typing import DoubleArray
from mercer.approximation.residual import shrunken_gap
from mercer.ridge.iterative import iterate_ridge
from mercer.solvers.logistic import LogisticSolution
from mercer.solvers.logistic_features import solve_feature_logistic
from mercer.solvers.logistic_loss import LogisticLoss
from mercer.solvers.logistic_sums import solve_summed_logistic
from mercer.solvers.ridge_features import CenteredMoments, solve_feature_ridge
from mercer.solvers.solution import Solution

__all__ = [
    "RidgeExpansion",
    "approximate_expansion",
    "approximate_logistic",
    "centered_moments",
    "certified",
    "summed_expansion",
]

_MANY = 6000  # features from which conjugate gradients take less time than moments,
_PER_TARGET = 1000  # and features for each target from which they do so if kernel values are held,
_PER_FEATURE = 6  # unless there are fewer samples for each feature
_ACCURACY = 0.1  # times α: acceptable rounding error of the eigenvalues of second moments


class RidgeExpansion(NamedTuple):
    """Kernel expansion f(x) = Σ_i coef_i k(x_i, x) + intercept for each target, and its certificate."""

    coef: DoubleArray  # (n_columns of the basis, n_targets)
    intercept: DoubleArray  # (n_targets,)
    solution: Solution


def approximate_expansion(
    approximation: Approximation, Y: DoubleArray, alpha: DoubleArray, *, intercept: bool
) -> RidgeExpansion:
    """Expansion over the basis of an approximation.

    Moments take one pass and O(nr²). For many features, a few passes of O(nr) of conjugate gradients take less time.
    """
    if _iterates(approximation, alpha):
        answer = iterate_ridge(approximation, Y, float(alpha[0]), intercept=intercept)
    else:
        answer = solve_feature_ridge(centered_moments(approximation, Y, alpha, intercept=intercept), alpha)
    coef = approximation.coefficients(answer.weights)
    fitted = approximation.values(coef) + answer.intercept
    solution = certified(approximation, answer.solution, Y - fitted, alpha, answer.weights)
    return RidgeExpansion(coef, answer.intercept, solution)


def summed_expansion(
    approximation: Approximation, sums: Sums, alpha: DoubleArray, *, intercept: bool
) -> RidgeExpansion:
    """Expansion over the basis of an approximation, from sums over samples that are not at hand any more."""
    centered = CenteredMoments.of(sums.moments, sums.energy, intercept=intercept)
    answer = solve_feature_ridge(centered, alpha)
    parts = [replace(part, exact_gap=float("nan")) for part in answer.solution.machines or (answer.solution,)]
    return RidgeExpansion(approximation.coefficients(answer.weights), answer.intercept, Solution.together(parts))


def _iterates(approximation: Approximation, alpha: DoubleArray) -> bool:
    """Whether conjugate gradients take less time than moments."""
    if approximation.keeps_moments or alpha[0] == 0 or (alpha != alpha[0]).any():
        return False
    n, r = approximation.n, approximation.n_components
    if r <= min(_MANY, _PER_TARGET * len(alpha)) or approximation.rounding > _ACCURACY * alpha[0]:
        return False
    if r > _PER_TARGET * len(alpha) and n > _PER_FEATURE * r and approximation.hold_columns():
        return True
    return r > _MANY


def centered_moments(
    approximation: Approximation, Y: DoubleArray, alpha: DoubleArray, *, intercept: bool
) -> CenteredMoments:
    """Moments that are accurate enough for the smallest α."""
    weight, least = approximation.training.optional_weight, float(alpha.min())
    moments = approximation.moments(Y, weight, accuracy=_ACCURACY * least)
    energy = np.einsum("ij,ij->j", Y, Y if weight is None else weight[:, None] * Y)
    return CenteredMoments.of(moments, energy, intercept=intercept)


def certified(
    approximation: Approximation,
    solution: Solution,
    residual: DoubleArray,
    alpha: DoubleArray,
    weights: DoubleArray,
) -> Solution:
    """Certificate with bounds on the distance to the exact optimum, for each distinct α.

    The dual coefficients are c = s(y − f)/α, and Φᵀc equals the weights of the features up to rounding.
    """
    weight = approximation.training.optional_weight
    parts = []
    for value, part in zip(np.unique(alpha), solution.machines or (solution,), strict=True):
        if value == 0:
            parts.append(replace(part, exact_gap=float("nan")))
            continue
        columns = np.flatnonzero(alpha == value)
        coef = residual[:, columns] / value
        if weight is not None:
            coef *= weight[:, None]
        gap, confidence = approximation.exact_gap(coef, weights[:, columns])
        gap = shrunken_gap(part.objective, -2 * part.objective, gap)  # the optimum is −½ of its quadratic terms
        parts.append(replace(part, exact_gap=gap, confidence=confidence))
    return Solution.together(parts)


def approximate_logistic(
    approximation: Approximation, T: DoubleArray, alpha: float, *, weight: DoubleArray, **options: Any
) -> LogisticSolution:
    """Expansion over the basis of an approximation that minimises the logistic loss, as `solve_logistic` does for K.

    The objective is that of the primal problem. That of the dual problem decreases by ½α Σ cᵀ(K − K̂)c if K̂ is replaced
    by K, and the primal optimum decreases by no more.
    """
    if approximation.in_blocks:
        return _summed_logistic(approximation, T, alpha, weight, **options)
    answer = solve_feature_logistic(approximation.held(), T, alpha, weight=weight, **options)
    gap, confidence = approximation.exact_gap(answer.coef, answer.projected)
    solution = replace(answer.solution, exact_gap=float(alpha * gap), confidence=confidence)
    return LogisticSolution(approximation.coefficients(answer.weights), answer.intercept, solution)


def _summed_logistic(
    approximation: Approximation, T: DoubleArray, alpha: float, weight: DoubleArray, **options: Any
) -> LogisticSolution:
    """Minimum from sums over samples that are read in blocks, with features on disk if there is room."""
    answer = solve_summed_logistic(lambda task: approximation.summed(task, T, weight), alpha, **options)
    coef = approximation.coefficients(answer.weights)
    values = approximation.values(coef) + answer.intercept
    dual = -LogisticLoss(T, weight).gradient(values) / alpha
    gap, confidence = approximation.exact_gap(dual, answer.projected)
    solution = replace(answer.solution, exact_gap=float(alpha * gap), confidence=confidence)
    return LogisticSolution(coef, answer.intercept, solution)
