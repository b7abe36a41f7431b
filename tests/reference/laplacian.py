"""Slow twins of manifold regularisation: the formulas of Belkin, Niyogi and Sindhwani (2006) in dense NumPy."""

from typing import Any

import numpy as np
from scipy.optimize import minimize

__all__ = ["dual_optimum", "graph_laplacian", "laplacian_rls", "laplacian_svm_matrix"]


def graph_laplacian(K: Any, k: int, *, heat: bool = False, normalize: bool = False, power: int = 1) -> Any:
    """L^power of the graph of k nearest neighbours in feature space, sample by sample, for distances without ties."""
    n = len(K)
    D2 = np.array([[K[i, i] + K[j, j] - 2 * K[i, j] for j in range(n)] for i in range(n)])
    W = np.zeros((n, n))
    for i in range(n):
        for j in sorted((j for j in range(n) if j != i), key=lambda j: D2[i, j])[:k]:
            W[i, j] += 0.5
            W[j, i] += 0.5
    if heat:
        W *= np.exp(-D2 / (2 * np.average(D2, weights=W)))
    degree = W.sum(axis=1)
    L = np.diag(degree) - W
    return np.linalg.matrix_power(L / np.sqrt(np.outer(degree, degree)) if normalize else L, power)


def laplacian_rls(K: Any, L: Any, y: Any, gamma_a: float, gamma_i: float) -> Any:
    """Coefficients of LapRLS; NaN in y means unlabelled. Equation (8) of the paper."""
    n, known = len(K), ~np.isnan(y)
    count = known.sum()
    J = np.diag(known.astype(float))
    A = J @ K + gamma_a * count * np.eye(n) + gamma_i * count / n**2 * L @ K
    return np.linalg.solve(A, np.where(known, y, 0.0))


def laplacian_svm_matrix(K: Any, L: Any, labeled: Any, gamma_a: float, gamma_i: float) -> tuple[Any, Any]:
    """JK(2γ_A I + 2γ_I/n² LK)⁻¹Jᵀ, and the second factor, which takes y∘β to coefficients. Equations (10) and (11)."""
    n = len(K)
    J = np.eye(n)[labeled]
    back = np.linalg.solve(2 * gamma_a * np.eye(n) + 2 * gamma_i / n**2 * L @ K, J.T)
    return J @ K @ back, back


def dual_optimum(Q: Any, y: Any, bound: Any) -> Any:
    """β that maximises Σβ − ½(yβ)ᵀQ(yβ) for 0 ≤ β ≤ bound and yᵀβ = 0, by sequential least squares."""

    def value(beta: Any) -> float:
        return float(0.5 * (y * beta) @ Q @ (y * beta) - beta.sum())

    found = minimize(
        value,
        np.zeros(len(y)),
        jac=lambda beta: y * (Q @ (y * beta)) - 1,
        bounds=[(0.0, b) for b in np.broadcast_to(bound, y.shape)],
        constraints={"type": "eq", "fun": lambda beta: y @ beta, "jac": lambda beta: y},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 2000},
    )
    return found.x
