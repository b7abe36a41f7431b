"""Shapley values of sums of products, by exact quadrature in the compiled core."""

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import ready, thread_count
from mercer._typing import DoubleArray

__all__ = ["add_products", "quadrature"]

SMALL = 2**20  # multiplications that take less time than the start of a team of threads


def quadrature(degree: int) -> tuple[DoubleArray, DoubleArray]:
    """Nodes and weights of Gauss–Legendre quadrature on [0, 1] that integrate polynomials of this degree exactly.

    >>> nodes, weights = quadrature(3)
    >>> round(float(weights @ nodes**3), 12)
    0.25
    """
    nodes, weights = np.polynomial.legendre.leggauss(degree // 2 + 1)
    return (1 + nodes) / 2, weights / 2


def add_products(
    explained: DoubleArray,
    background: DoubleArray,
    coef: DoubleArray,
    out: DoubleArray,
    *,
    pairs: bool = False,
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
    n_jobs : int, default=None
        Number of threads. The result does not depend on it.
    """
    ready()
    nodes, weights = quadrature(max(explained.shape[1] - (2 if pairs else 1), 0))
    work = len(background) * explained.size * len(nodes) * (explained.shape[1] if pairs else 1)
    threads = thread_count(1 if work < SMALL else n_jobs)
    _core.shapley_products(explained, background, coef, nodes, weights, pairs, out, threads)
