"""Slow twins of the local alignment kernel: over all alignments of tiny strings, and in logarithms for long ones."""

import math
from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

import numpy as np

__all__ = ["logarithm", "value"]

Score = Callable[[Any, Any], float]


def value(s: Any, t: Any, score: Score, beta: float, gap_open: float, gap_extend: float) -> float:
    """K(s, t), alignment by alignment."""

    def penalty(places: tuple[int, ...]) -> float:
        gaps = [b - a - 1 for a, b in pairwise(places)]
        return sum(gap_open + gap_extend * (gap - 1) for gap in gaps if gap)

    total = 1.0
    for n in range(1, min(len(s), len(t)) + 1):
        for i in combinations(range(len(s)), n):
            for j in combinations(range(len(t)), n):
                pairs = sum(score(s[a], t[b]) for a, b in zip(i, j, strict=True))
                total += math.exp(beta * (pairs - penalty(i) - penalty(j)))
    return total


def logarithm(scores: Any, beta: float, gap_open: float, gap_extend: float) -> float:
    """ln K(s, t) of the matrix S(s_i, t_j), by the five-state recurrence of the paper, diagonal by diagonal.

    Nothing leaves the logarithms.
    """
    (n, m), scores = scores.shape, beta * scores
    d, e = -beta * gap_open, -beta * gap_extend
    none = np.full(n + 1, -np.inf)  # entry i of a diagonal is cell (i, diagonal − i); row and column 0 are empty
    old: list[Any] = [none] * 5
    older: list[Any] = [none] * 5
    for diagonal in range(2, n + m + 1):
        i = np.arange(max(1, diagonal - m), min(n, diagonal - 1) + 1)
        new = [none.copy() for _ in range(5)]
        M, X, Y, X2, Y2 = new
        oM, oX, oY, oX2, oY2 = old
        ooM, ooX, ooY = older[:3]
        above, left, corner = i - 1, i, i - 1
        start = np.logaddexp(np.logaddexp(0.0, ooM[corner]), np.logaddexp(ooX[corner], ooY[corner]))
        M[i] = scores[i - 1, diagonal - i - 1] + start
        X[i] = np.logaddexp(d + oM[above], e + oX[above])
        Y[i] = np.logaddexp(d + np.logaddexp(oM[left], oX[left]), e + oY[left])
        X2[i] = np.logaddexp(oM[above], oX2[above])
        Y2[i] = np.logaddexp(np.logaddexp(oM[left], oX2[left]), oY2[left])
        old, older = new, old
    M, _, _, X2, Y2 = old
    return float(np.logaddexp(np.logaddexp(0.0, M[n]), np.logaddexp(X2[n], Y2[n])))
