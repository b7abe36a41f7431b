"""Losses of support vector machines with their corners: smoothed values, feasible dual coefficients, certificates."""

from typing import final

import numpy as np

from mercer._typing import DoubleArray
from mercer.solvers.dual import Dual

__all__ = ["Losses"]


@final
class Losses:
    """Losses h_t(v) = max over lower ≤ β ≤ upper of −βv − kink_t|β|, for lower ≤ 0 ≤ upper.

    Parameters
    ----------
    problem : Dual
        Dual problem.

    Attributes
    ----------
    groups : int
        Number of groups with a sum of their own.
    group : ndarray of int of shape (m,)
        Group of every variable.
    sums : ndarray of shape (groups,)
        Sums of β.
    widths : ndarray of shape (groups,)
        Sums of upper − lower.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.solvers.svm import classification
    >>> hinge = Losses(classification(np.arange(2), np.array([1.0, -1.0]), np.ones(2)))
    >>> hinge.slack(np.array([-2.0, 0.5]), np.zeros(2))
    2.5
    """

    def __init__(self, problem: Dual) -> None:
        m = len(problem.members)
        self._problem = problem
        self._kink = np.zeros(m) if problem.kink is None else problem.kink
        self._width = problem.upper - problem.lower
        self.groups = 1 if problem.split is None else 2
        self.group = (np.arange(m) >= (m if problem.split is None else problem.split)).astype(np.int64)
        self.sums = np.bincount(self.group, problem.start, minlength=self.groups)
        self.widths = np.bincount(self.group, self._width, minlength=self.groups)

    def objective(self, beta: DoubleArray, w: DoubleArray) -> float:
        """Dual objective of β with w = Fᵀβ."""
        return float(w @ w) / 2 + float(self._problem.linear @ beta) + float(self._kink @ np.abs(beta))

    def nearest(self, v: DoubleArray, before: DoubleArray, sigma: float) -> tuple[DoubleArray, DoubleArray]:
        """β that attains max −βv − kink|β| − (β − before)²/(2σ(upper − lower)), and −dβ/dv."""
        lower, upper = self._problem.lower, self._problem.upper
        step = sigma * self._width
        beta = before - step * v
        if self._problem.kink is not None:
            beta = np.sign(beta) * np.maximum(np.abs(beta) - step * self._kink, 0.0)
        inside = (beta > lower) & (beta < upper) & ((beta != 0) | (self._kink == 0))
        return np.clip(beta, lower, upper), np.where(inside, step, 0.0)

    def slack(self, v: DoubleArray, beta: DoubleArray) -> float:
        """Σ h(v) + βv + kink|β| ≥ 0: the duality gap, if w = Fᵀβ."""
        lower, upper, kink = self._problem.lower, self._problem.upper, self._kink
        losses = np.maximum(0.0, np.maximum(-upper * (v + kink), -lower * (v - kink)))
        return max(0.0, float(np.sum(losses + beta * v + kink * np.abs(beta))))

    def best_bias(self, v: DoubleArray) -> DoubleArray:
        """Bias b of each group that minimises sum·b + Σ h(v + b); the middle, if there are several."""
        lower, upper, found = self._problem.lower, self._problem.upper, np.zeros(self.groups)
        for g, total in enumerate(self.sums):
            own = self.group == g
            corners = np.concatenate([(-self._kink - v)[own], (self._kink - v)[own]])
            jumps = np.concatenate([upper[own], -lower[own]])
            corners, jumps = corners[jumps > 0], jumps[jumps > 0]
            if not len(corners):
                continue
            order = np.argsort(corners)
            slope, slack = np.cumsum(jumps[order]) + (total - float(upper[own].sum())), 1e-12 * float(jumps.sum())
            first, last = (min(int(np.searchsorted(slope, at)), len(corners) - 1) for at in (-slack, slack))
            found[g] = (corners[order[first]] + corners[order[last]]) / 2
        return found

    def repaired(self, beta: DoubleArray) -> DoubleArray:
        """β with the sums of the groups; those at zero or at a bound change only if the others do not suffice."""
        lower, upper = self._problem.lower, self._problem.upper
        beta = np.clip(beta, lower, upper)
        free = (beta > lower) & (beta < upper) & (beta != 0)
        for g, total in enumerate(self.sums):
            own = self.group == g
            for among in (own & free, own):
                missing = total - float(beta[own].sum())
                if abs(missing) <= 1e-15 * float(np.abs(beta[own]).sum()):
                    break
                room = np.where(among, upper - beta if missing > 0 else beta - lower, 0.0)
                if (whole := float(room.sum())) > 0:
                    share = np.sign(missing) * min(1.0, abs(missing) / whole)
                    beta = np.clip(beta + share * room, lower, upper)
        return beta

    def violation(self, gradient: DoubleArray, beta: DoubleArray) -> float:
        """Largest violation of the optimality conditions: the gain of moving a unit of β inside of a group."""
        kink, worst = self._kink, 0.0
        falling = gradient + np.where(beta > 0, kink, -kink)
        rising = gradient + np.where(beta >= 0, kink, -kink)
        for g in range(self.groups):
            own = self.group == g
            down, up = falling[own & (beta > self._problem.lower)], rising[own & (beta < self._problem.upper)]
            if len(down) and len(up):
                worst = max(worst, float(down.max() - up.min()))
        return worst
