"""Slow twins of landmark selection: one draw at a time, on the dense matrix."""

import numpy as np

__all__ = ["kmeans_plus_plus", "nystroem_matrix", "randomly_pivoted_cholesky"]


def randomly_pivoted_cholesky(K, m, rng):
    """Pivots and residual traces of randomly pivoted Cholesky (Chen, Epperly, Tropp and Webber)."""
    residual, pivots, curve = K.astype(float).copy(), [], [float(np.trace(K))]
    for _ in range(m):
        d = np.maximum(np.diag(residual), 0)
        s = rng.choice(len(K), p=d / d.sum())
        residual = residual - np.outer(residual[:, s], residual[s]) / residual[s, s]
        pivots.append(int(s))
        curve.append(float(np.trace(residual)))
    return pivots, curve


def kmeans_plus_plus(K, m, rng):
    """Indices drawn in proportion to the squared distance to the nearest one before."""
    squares = np.diag(K)[:, None] + np.diag(K) - 2 * K
    chosen = [int(rng.integers(len(K)))]
    while len(chosen) < m:
        d = np.maximum(squares[:, chosen].min(axis=1), 0)
        chosen.append(int(rng.choice(len(K), p=d / d.sum())))
    return chosen


def nystroem_matrix(K, landmarks):
    """K_nZ K_ZZ⁺ K_Zn."""
    return K[:, landmarks] @ np.linalg.pinv(K[np.ix_(landmarks, landmarks)], hermitian=True) @ K[landmarks]
