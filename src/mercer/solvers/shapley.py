"""Shapley values of sums of products, by exact quadrature in the compiled core."""

import math

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import ready, thread_count
from mercer._typing import DoubleArray

__all__ = ["add_products", "quadrature"]

SMALL = 2**20  # multiplications that take less time than the start of a team of threads
NEGLIGIBLE = 1e-6  # times the tolerance: products of factors that are left out


def quadrature(n_nodes: int) -> tuple[DoubleArray, DoubleArray]:
    """Nodes and weights of Gauss–Legendre quadrature on [0, 1], which is exact up to degree 2 n_nodes − 1.

    >>> nodes, weights = quadrature(2)
    >>> round(float(weights @ nodes**3), 12)
    0.25
    """
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    return (1 + nodes) / 2, weights / 2


def _limit(n_nodes: int, tol: float) -> float:
    """Largest s for which the error of q nodes is at most `tol` for integrands with derivatives p^(2q) ≤ s^(2q).

    The error is (q!)⁴/((2q + 1)((2q)!)³) times derivative 2q at some place.
    """
    q = n_nodes
    factor = 4 * math.lgamma(q + 1) - math.log(2 * q + 1) - 3 * math.lgamma(2 * q + 1)
    return math.exp((math.log(tol) - factor) / (2 * q))


def add_products(
    explained: DoubleArray,
    background: DoubleArray,
    coef: DoubleArray,
    out: DoubleArray,
    *,
    pairs: bool = False,
    tol: float = 0.0,
    n_jobs: int | None = None,
) -> None:
    """Add Shapley values of the games v(S) = Σ_r Σ_i c_i Π_{l∈S} a_il Π_{l∉S} b_ril, one for each row a, to `out`.

    With d players, a Shapley value is the integral of a polynomial of degree d − 1, and a Shapley interaction index of
    a pair that of a polynomial of degree d − 2, so that quadrature is exact.

    Parameters
    ----------
    explained : ndarray of shape (n_rows, n_players, n_points)
        Factors a of the rows that are explained.
    background : ndarray of shape (n_background, n_players, n_points)
        Factors b of the background rows.
    coef : ndarray of shape (n_points, n_outputs)
        Coefficients c.
    out : ndarray of shape (n_rows, n_players, n_outputs) or (n_rows, n_pairs, n_outputs)
        Sums, to which the results are added.
    pairs : bool, default=False
        Whether to compute the interaction indices of the pairs (0, 1), (0, 2), …, (1, 2), … instead of the values.
    tol : float, default=0.0
        Bound on the error of the integral for one point and one background row. It saves nodes where the factors of
        both rows are similar, and all work where they are tiny. Factors must lie in [0, 1] if it is not 0.
    n_jobs : int, default=None
        Number of threads. The result does not depend on it.
    """
    ready()
    players = explained.shape[1]
    most = max((players - (1 if pairs else 0) + 1) // 2, 1)
    sizes = np.arange(1, most + 1) if tol else np.array([most])
    limits = np.array([_limit(q, tol) if q < most else np.inf for q in sizes.tolist()])
    rules = [quadrature(q) for q in sizes.tolist()]
    nodes, weights = (np.concatenate(part) for part in zip(*rules, strict=True))
    work = len(background) * explained.size * most * (players if pairs else 1)
    threads = thread_count(1 if work < SMALL else n_jobs)
    _core.shapley_products(
        explained, background, coef, nodes, weights, sizes, limits, NEGLIGIBLE * tol, pairs, out, threads
    )
