"""Slow twins of Shapley values: sums over all subsets of players, and the compiled loop in NumPy."""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

__all__ = ["interactions", "products", "values", "worth"]


def worth(f: Callable[[Array], Array], x: Array, background: Array, groups: Sequence[Sequence[int]]) -> list[Any]:
    """Mean of f over hybrid rows for every set of players, which the bits of the index name."""
    found = []
    for coalition in range(2 ** len(groups)):
        hybrid = background.copy()
        for p, columns in enumerate(groups):
            if coalition >> p & 1:
                hybrid[:, columns] = x[list(columns)]
        found.append(f(hybrid).mean(axis=0))
    return found


def values(v: Sequence[Any], d: int) -> Array:
    """Shapley values, by the formula of Shapley 1953."""
    found = []
    for j in range(d):
        rest = [S for S in range(2**d) if not S >> j & 1]
        found.append(sum((v[S | 1 << j] - v[S]) / (d * comb(d - 1, S.bit_count())) for S in rest))
    return np.array(found)


def interactions(v: Sequence[Any], d: int) -> dict[tuple[int, int], Any]:
    """Shapley interaction indices of all pairs, by the formula of Grabisch and Roubens 1999."""
    found = {}
    for j, k in combinations(range(d), 2):
        a, b = 1 << j, 1 << k
        rest = [S for S in range(2**d) if not S & (a | b)]
        found[j, k] = sum(
            (v[S | a | b] - v[S | a] - v[S | b] + v[S]) / ((d - 1) * comb(d - 2, S.bit_count())) for S in rest
        )
    return found


def products(a: Array, b: Array, coef: Array, *, pairs: bool = False) -> Array:
    """Integrals of products of all other factors, for every row of a and summed over the rows of b."""
    d = a.shape[1]
    nodes, weights = np.polynomial.legendre.leggauss(d // 2 + 1)
    units = list(combinations(range(d), 2 if pairs else 1))
    found = np.zeros((len(a), len(units), coef.shape[1]))
    for x, row in zip(a, found, strict=True):
        for y in b:
            for t, w in zip((1 + nodes) / 2, weights / 2, strict=True):
                factors = t * x + (1 - t) * y
                for u, members in enumerate(units):
                    others = [l for l in range(d) if l not in members]
                    change = np.prod([x[l] - y[l] for l in members], axis=0)
                    row[u] += w * (change * np.prod(factors[others], axis=0)) @ coef
    return found
