"""Slow twins of HSIC and MMD, written from their definitions as sums over samples."""

from itertools import permutations

import numpy as np

__all__ = ["hsic_biased", "hsic_of_song", "hsic_unbiased", "mmd_biased", "mmd_unbiased"]


def hsic_biased(K, L):
    """tr(KHLH)/n² with centring matrices."""
    n = len(K)
    H = np.eye(n) - np.ones((n, n)) / n
    return float(np.trace(K @ H @ L @ H)) / n**2


def hsic_of_song(K, L):
    """The unbiased estimate as Song et al. (2012) print it."""
    n, one = len(K), np.ones(len(K))
    K, L = K - np.diag(np.diag(K)), L - np.diag(np.diag(L))
    total = (
        np.trace(K @ L) + (one @ K @ one) * (one @ L @ one) / ((n - 1) * (n - 2)) - 2 / (n - 2) * (one @ K @ L @ one)
    )
    return float(total / (n * (n - 3)))


def hsic_unbiased(K, L):
    """The U-statistic: the mean over ordered quadruples of different samples."""
    values = [K[i, j] * (L[i, j] + L[q, r] - 2 * L[i, q]) for i, j, q, r in permutations(range(len(K)), 4)]
    return float(np.mean(values))


def mmd_biased(k, X, Y):
    """Means over all pairs."""
    return float(np.mean([k(a, b) for a in X for b in X]) + np.mean([k(a, b) for a in Y for b in Y])) - 2 * float(
        np.mean([k(a, b) for a in X for b in Y])
    )


def mmd_unbiased(k, X, Y):
    """Means over pairs of different samples, and over pairs across."""

    def within(Z):
        return float(np.mean([k(Z[i], Z[j]) for i, j in permutations(range(len(Z)), 2)]))

    return within(X) + within(Y) - 2 * float(np.mean([k(a, b) for a in X for b in Y]))
