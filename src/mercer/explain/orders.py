"""Weighted sums of elementary symmetric polynomials as sums of few products."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mercer._typing import DoubleArray

__all__ = ["OrderRule", "order_rule"]

MOST = 24  # nodes
RADII = np.geomspace(0.1, 30.0, 32)
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class OrderRule:
    """Nodes t_m, weights w_m and error of Σ_m w_m Π_j (1 + t_m v_j b_j) ≈ Σ_q a_q e_q(v b)/e_q(v), 0 ≤ b ≤ 1."""

    nodes: DoubleArray
    weights: DoubleArray
    error: float


@lru_cache(maxsize=64)
def order_rule(weights: tuple[float, ...], orders: tuple[float, ...]) -> OrderRule:
    """Rule for weights v > 0 of the columns, whose sum is 1, and weights a of the orders.

    Π_j (1 + t u_j) is a polynomial in t whose coefficients are e_q(u). It is interpolated at Chebyshev points of
    [−r, r], and its first coefficients are read off. With as many points as coefficients this is exact up to
    rounding; with fewer, the coefficients of large powers, at most e_q(v), cause a small error. r balances both.

    Parameters
    ----------
    weights : tuple of float
        Weights v of the columns.
    orders : tuple of float
        Weights a_0, …, a_Q; orders larger than the number of columns are left out.

    Returns
    -------
    OrderRule
        Rule with the smallest bound on its error, rounding included.
    """
    e = np.append(1.0, np.zeros(len(weights)))
    for v in weights:
        e[1:] += v * e[:-1]
    wanted = np.zeros(len(e))
    known = min(len(orders), len(e))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        a = np.asarray(orders[:known])
        wanted[:known] = np.where(a > 0, a / e[:known], 0.0)
        rules = [_rule(e, wanted, min(len(e), MOST), r) for r in RADII]
    return min(rules, key=lambda rule: np.inf if np.isnan(rule.error) else rule.error)


def _rule(e: DoubleArray, wanted: DoubleArray, n: int, radius: float) -> OrderRule:
    angles = (np.arange(n) + 0.5) * np.pi / n
    nodes = radius * np.cos(angles)
    powers, values = np.arange(len(e)), np.zeros(n)  # of each Chebyshev polynomial: what is wanted of it
    before, polynomial = np.zeros(n), np.eye(1, n)[0]
    scaled = wanted[:n] / radius ** np.arange(n)
    for k in range(n):
        values[k] = polynomial @ scaled
        following = (2.0 if k else 1.0) * np.append(0.0, polynomial[:-1]) - before
        before, polynomial = polynomial, following
    cosines = np.cos(np.multiply.outer(angles, np.arange(n))) * (2 / n)
    cosines[:, 0] /= 2
    weights = cosines @ values
    terms = e * np.abs(weights @ nodes[:, None] ** powers - wanted)
    rounding = np.abs(weights) @ (np.abs(nodes)[:, None] ** powers @ e)
    return OrderRule(nodes, weights, float(terms.sum() + 4 * EPS * rounding))
