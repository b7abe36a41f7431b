"""Kernel discriminant analysis as textbooks write it: loops, explicit matrices of size n, no shortcuts."""

from typing import Any

import numpy as np
from scipy.linalg import eigh, svd

__all__ = ["Rule", "by_coefficients", "by_factor", "in_features", "matrices", "ringnorm", "twonorm"]

Array = Any


class Rule:
    """Directions (columns of `coef`) for rows of kernel values or features, and the rule of Mahalanobis distances."""

    def __init__(self, rows: Array, y: Array, coef: Array) -> None:
        self.coef, self.centre = coef, rows.mean(axis=0)
        self.means = np.array([self.project(rows[y == c]).mean(axis=0) for c in np.unique(y)])
        self.priors = np.bincount(y) / len(y)

    def project(self, rows: Array) -> Array:
        return (rows - self.centre) @ self.coef

    def decide(self, rows: Array) -> Array:
        """log π_j − ½‖z − m_j‖², one column per class."""
        z = self.project(rows)
        distances = ((z[:, None, :] - self.means[None, :, :]) ** 2).sum(axis=2)
        return np.log(self.priors) - distances / 2


def matrices(K: Array, y: Array) -> tuple[Array, Array]:
    """M = Σ l_j (M_j − M̄)(M_j − M̄)ᵀ and N = Σ K_j (I − 1_{l_j}) K_jᵀ of Mika et al., K not centred."""
    n = len(K)
    M, N = np.zeros((n, n)), np.zeros((n, n))
    overall = K.mean(axis=1)
    for c in np.unique(y):
        members = K[:, y == c]
        size = members.shape[1]
        difference = members.mean(axis=1) - overall
        M += size * np.outer(difference, difference)
        N += members @ (np.eye(size) - np.full((size, size), 1 / size)) @ members.T
    return M, N


def by_coefficients(K: Array, y: Array, reg: float) -> Rule:
    """Eigenvectors of M α = λ (N + μI) α, μ = reg·tr(N)/n, with αᵀ(N + μI)α = n."""
    n, n_classes = len(K), len(np.unique(y))
    M, N = matrices(K, y)
    _, vectors = eigh(M, N + reg * np.trace(N) / n * np.eye(n))
    return Rule(K, y, vectors[:, ::-1][:, : n_classes - 1] * np.sqrt(n))


def by_factor(K: Array, y: Array, reg: float) -> tuple[Rule, Array]:
    """Linear discriminant analysis in coordinates of the training samples; the rule, and the rows it was made from.

    Rows are those of a square root of K̃, so new samples cannot be projected: for training samples only.
    """
    H = np.eye(len(K)) - 1 / len(K)
    values, vectors = eigh(H @ K @ H)
    Z = vectors * np.sqrt(np.maximum(values, 0))
    return in_features(Z, y, reg, n=len(K)), Z


def in_features(Z: Array, y: Array, reg: float, *, n: int) -> Rule:
    """Linear discriminant analysis of explicit features with the penalty reg·tr(S_w)/n on ‖v‖²."""
    centred = np.vstack([Z[y == c] - Z[y == c].mean(axis=0) for c in np.unique(y)])
    within = centred.T @ centred
    between = np.vstack([np.sqrt((y == c).sum()) * (Z[y == c].mean(axis=0) - Z.mean(axis=0)) for c in np.unique(y)])
    L = np.linalg.cholesky(within + reg * np.trace(within) / n * np.eye(len(within)))
    left, _, _ = svd(np.linalg.solve(L, between.T), full_matrices=False)
    rank = min(len(between) - 1, Z.shape[1])
    return Rule(Z, y, np.linalg.solve(L.T, left[:, :rank]) * np.sqrt(n))


def twonorm(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Breiman (1996): N(a1, I) and N(−a1, I) in 20 dimensions, a = 2/√20; the error of Bayes is 2.3 %."""
    y = rng.integers(2, size=n)
    return rng.normal(size=(n, 20)) + np.where(y == 0, 1, -1)[:, None] * 2 / np.sqrt(20), y


def ringnorm(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Breiman (1996): N(0, 4I) and N(a1, I) in 20 dimensions, a = 1/√20; the error of Bayes is about 1.3 %."""
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, 20))
    return np.where((y == 0)[:, None], 2 * X, X + 1 / np.sqrt(20)), y
