"""Dual problems of the support vector machines, and decision functions from their solutions.

Each function of a formulation returns a `Dual` in signed coefficients β = yα. `expansion`, `nu_expansion` and
`nu_regression_expansion` compute coefficients and intercept of f(x) = Σ β_i k(x_i, x) + b from the solution.
"""

from dataclasses import dataclass

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.solvers.dual import Dual, DualSolution

__all__ = [
    "Expansion",
    "classification",
    "expansion",
    "hard_margin",
    "nu_classification",
    "nu_expansion",
    "nu_regression",
    "nu_regression_expansion",
    "one_class",
    "regression",
]


@dataclass(frozen=True, eq=False)
class Expansion:
    """Decision function f(x) = Σ_t coef_t k(x_t, x) + intercept of a problem; `norm2` is ‖w‖² = coefᵀK coef."""

    coef: DoubleArray
    intercept: float
    norm2: float


def classification(
    members: IndexArray, sign: DoubleArray, bound: DoubleArray, start: DoubleArray | None = None
) -> Dual:
    """C-SVC: min ½αᵀQα − Σα, 0 ≤ α_i ≤ C_i, yᵀα = 0."""
    upper = sign * bound
    return Dual(
        members, -sign, np.minimum(upper, 0.0), np.maximum(upper, 0.0), np.zeros(len(sign)) if start is None else start
    )


def regression(
    members: IndexArray, y: DoubleArray, bound: DoubleArray, epsilon: float, start: DoubleArray | None = None
) -> Dual:
    """ε-SVR with one signed coefficient per sample: min ½βᵀKβ − yᵀβ + ε‖β‖₁, |β_i| ≤ C_i, Σβ = 0."""
    zero = np.zeros(len(y)) if start is None else start
    return Dual(members, -y, -bound, bound, zero, kink=np.full(len(y), float(epsilon)))


def one_class(members: IndexArray, weight: DoubleArray, nu: float, linear: DoubleArray | None = None) -> Dual:
    """One-class SVM: min ½αᵀKα + qᵀα, 0 ≤ α_i ≤ w_i, Σα = νΣw; q = 0, or −½K_ii for SVDD (smallest ball)."""
    n = len(weight)
    return Dual(
        members, np.zeros(n) if linear is None else linear, np.zeros(n), weight, _filled(weight, nu * weight.sum())
    )


def nu_classification(members: IndexArray, n_positive: int, weight: DoubleArray, nu: float) -> Dual:
    """ν-SVC: min ½αᵀQα, 0 ≤ α_i ≤ w_i, Σ over each class = νΣw/2. Members of the positive class come first."""
    positive, negative = weight[:n_positive], weight[n_positive:]
    half = nu * weight.sum() / 2
    start = np.concatenate([_filled(positive, half), -_filled(negative, half)])
    sign = np.concatenate([np.ones(n_positive), -np.ones(len(negative))])
    return Dual(
        members,
        np.zeros(len(sign)),
        np.minimum(sign * weight, 0),
        np.maximum(sign * weight, 0),
        start,
        split=n_positive,
    )


def hard_margin(members: IndexArray, n_positive: int) -> Dual:
    """Hard margin: nearest points of the two convex hulls, min ½‖Σ_{+} β φ − Σ_{−} |β| φ‖² with both sums of |β| 1.

    Unlike the dual with C = ∞, it is bounded even if the classes are not separable. The bound 2 of |β| is never
    reached, so that a single support vector counts as free.
    """
    n_negative = len(members) - n_positive
    start = np.concatenate([np.full(n_positive, 1 / n_positive), np.full(n_negative, -1 / n_negative)])
    bound = 2 * np.sign(start)
    return Dual(members, np.zeros(len(bound)), np.minimum(bound, 0), np.maximum(bound, 0), start, split=n_positive)


def nu_regression(members: IndexArray, y: DoubleArray, bound: DoubleArray, nu: float) -> Dual:
    """ν-SVR: 2n variables, α and −α*, each group with the sum CνΣw/2; the tube width ε is part of the solution."""
    half = nu * bound.sum() / 2
    start = _filled(bound, half)
    zero = np.zeros(len(y))
    return Dual(
        np.concatenate([members, members]),
        np.concatenate([-y, -y]),
        np.concatenate([zero, -bound]),
        np.concatenate([bound, zero]),
        np.concatenate([start, -start]),
        split=len(y),
    )


def expansion(problem: Dual, answer: DualSolution) -> Expansion:
    """Return the decision function of a machine with one group; free support vectors lie on the margin."""
    return Expansion(answer.beta, answer.bias[0], _norm2(problem, answer))


def nu_expansion(problem: Dual, answer: DualSolution) -> Expansion:
    """Return the decision function of ν-SVC or the hard margin, scaled so that free support vectors have f = ±1."""
    above, below = -answer.bias[0], -answer.bias[1]
    half = (above - below) / 2
    return Expansion(answer.beta / half, -(above + below) / (2 * half), _norm2(problem, answer) / half**2)


def nu_regression_expansion(problem: Dual, answer: DualSolution) -> tuple[Expansion, float]:
    """Return the decision function of ν-SVR and its tube width ε."""
    n = len(answer.beta) // 2
    above, below = answer.bias
    coef = answer.beta[:n] + answer.beta[n:]
    return Expansion(coef, (above + below) / 2, _norm2(problem, answer)), (above - below) / 2


def _norm2(problem: Dual, answer: DualSolution) -> float:
    return max(0.0, float(answer.beta @ (answer.gradient - problem.linear)))


def _filled(bound: DoubleArray, total: float) -> DoubleArray:
    """Return 0 ≤ α ≤ bound with the given sum, whose first entries are at their bounds."""
    before = np.concatenate([[0.0], np.cumsum(bound)[:-1]])
    return np.clip(total - before, 0.0, bound)
