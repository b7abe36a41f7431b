"""Small problems of support vector machines that stand for large ones: a sample of the variables with wider bounds."""

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.solvers.dual import Dual
from mercer.solvers.logistic_sums import LossTask, Sums

__all__ = ["SampledPasses", "sampled"]

_LEAST = 10  # part of the sample that rare variables have at least: 1/10


class SampledPasses:
    """Features of a few samples in memory, as passes.

    Parameters
    ----------
    F : ndarray of shape (n, r)
        Features.
    """

    def __init__(self, F: DoubleArray) -> None:
        self._F = F

    @property
    def n(self) -> int:
        return len(self._F)

    @property
    def n_components(self) -> int:
        return int(self._F.shape[1])

    def summed(self, task: LossTask, T: DoubleArray, weight: DoubleArray) -> Sums:
        used = np.flatnonzero(weight)
        return task.of(self._F[used], T[used], weight[used])

    def coefficients(self, weights: DoubleArray) -> DoubleArray:
        return weights

    def values(self, coef: DoubleArray) -> DoubleArray:
        return np.asarray(self._F @ coef)

    def rows(self, rows: IndexArray) -> DoubleArray:
        return np.asarray(self._F[rows])


def sampled(problem: Dual, size: int) -> tuple[Dual, IndexArray]:
    """Problem of some of the variables, drawn with a fixed seed, whose solution is close to that of all.

    Variables of each group and of each sign, such as the classes of a C-SVC, are drawn in proportion, but never fewer
    than a tenth of the sample if there are as many. Their bounds are widened so that they have the sum of all.

    Parameters
    ----------
    problem : Dual
        Problem with finite bounds lower ≤ 0 ≤ upper.
    size : int
        Number of variables that are drawn, about.

    Returns
    -------
    small : Dual
        Problem whose members are 0, 1, ….
    chosen : ndarray of int
        The variables, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.solvers.svm import classification
    >>> y = np.where(np.arange(100) < 4, 1.0, -1.0)
    >>> small, chosen = sampled(classification(np.arange(100), y, np.ones(100)), 20)
    >>> chosen[:2].tolist(), len(chosen), float(small.upper.sum()), float(small.lower.sum())
    ([0, 1], 21, 4.0, -96.0)
    """
    m, rng = len(problem.members), np.random.default_rng(0)
    width = problem.upper - problem.lower
    group = np.arange(m) >= (m if problem.split is None else problem.split)
    kind = 4 * group + 2 * (problem.upper > 0) + (problem.lower < 0)
    kind[width <= 0] = -1
    parts, wider = [], np.ones(m)
    for own in (np.flatnonzero(kind == value) for value in np.unique(kind[kind >= 0])):
        number = min(len(own), max(1, size * len(own) // m, size // _LEAST))
        part = rng.choice(own, number, replace=False)
        wider[part] = width[own].sum() / width[part].sum()
        parts.append(part)
    chosen = np.sort(np.concatenate(parts))
    lower, upper = problem.lower[chosen] * wider[chosen], problem.upper[chosen] * wider[chosen]
    start = np.zeros(len(chosen))
    for second in (False, True):  # the sum of each group, in proportion to the bounds
        total = float(problem.start[group == second].sum())
        bound = np.where(group[chosen] == second, upper if total > 0 else lower, 0.0)
        if total and bound.any():
            start += bound * min(1.0, total / float(bound.sum()))
    split = None if problem.split is None else int(np.searchsorted(chosen, problem.split))
    kink = None if problem.kink is None else problem.kink[chosen]
    return Dual(np.arange(len(chosen)), problem.linear[chosen], lower, upper, start, kink, split), chosen
