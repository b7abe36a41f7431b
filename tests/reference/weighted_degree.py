"""Slow twin of the weighted degree kernel: every block of every pair of positions."""

import math
from collections.abc import Sequence
from typing import Any

__all__ = ["value"]


def value(s: Any, t: Any, degree: int, shift: int = 0, weights: Sequence[float] | None = None) -> float:
    """k(s, t) from the definition."""
    total = 0.0
    for d in range(1, degree + 1):
        beta = 2 * (degree - d + 1) / (degree * (degree + 1))
        for i in range(len(s) - d + 1):
            for j in range(max(0, i - shift), min(i + shift, len(t) - d) + 1):
                apart = abs(i - j)
                if s[i : i + d] == t[j : j + d]:
                    weight = 1.0 if weights is None else math.sqrt(weights[i] * weights[j])
                    total += beta * weight * (1.0 if apart == 0 else 1 / (2 * (apart + 1)))
    return total
