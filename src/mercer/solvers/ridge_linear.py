"""Linear ridge regression in primal or dual form."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mercer._runtime.limits import require_memory
from mercer._typing import DoubleArray
from mercer.kernels import Linear
from mercer.operators import gram
from mercer.operators.centering import center_in_place
from mercer.solvers.moments import Moments
from mercer.solvers.ridge import solve_ridge
from mercer.solvers.solution import Solution

__all__ = ["LinearRidge", "solve_linear_ridge"]


class LinearRidge(NamedTuple):
    """Coefficients w = Xᵀa of shape (d, targets), dual coefficients a (n, targets), intercepts and certificate."""

    coef: DoubleArray
    dual_coef: DoubleArray
    intercept: DoubleArray
    solution: Solution


def solve_linear_ridge(
    X: Any,
    Y: DoubleArray,
    alpha: DoubleArray,
    *,
    weight: DoubleArray | None = None,
    tol: float = 1e-10,
    fit_intercept: bool = True,
    primal: bool = True,
) -> LinearRidge:
    r"""Minimise Σ_i s_i (y_i − ⟨w, x_i⟩ − b)² + α‖w‖² for every column of Y.

    Primal: (XᵀSX + αI) w = XᵀSy, of size d. Dual: (XXᵀ + αS⁻¹) a = y and w = Xᵀa, of size n. With an intercept, rows
    and targets are centred first. A CSR matrix is not centred; its means are subtracted from the products instead.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        Samples.
    Y : ndarray of shape (n, targets)
        Targets.
    alpha : ndarray of shape (targets,)
        Regularisation strengths α ≥ 0.
    weight : ndarray of shape (n,), default=None
        Sample weights s ≥ 0. None: ones.
    tol : float, default=1e-10
        Largest relative residual.
    fit_intercept : bool, default=True
        Whether an intercept is fitted.
    primal : bool, default=True
        Whether the primal system is solved.

    Returns
    -------
    LinearRidge
        Coefficients, intercepts and certificate.

    Examples
    --------
    >>> X, Y = np.array([[1.0], [2.0], [3.0]]), np.array([[2.0], [4.0], [6.0]])
    >>> answer = solve_linear_ridge(X, Y, np.zeros(1))
    >>> answer.coef.round(12), answer.intercept.round(12)
    (array([[2.]]), array([0.]))
    """
    n, d = X.shape
    s = np.ones(n) if weight is None else weight
    x_mean, y_mean = np.zeros(d), np.zeros(Y.shape[1])
    if fit_intercept:
        x_mean, y_mean = np.asarray(s @ X).ravel() / s.sum(), s @ Y / s.sum()
        if not sp.issparse(X):
            X = X - x_mean
    Y = Y - y_mean
    offset = x_mean if sp.issparse(X) else np.zeros(d)  # mean that is not yet subtracted from X
    _require(d if primal else n)
    solve = _primal if primal else _dual
    w, a, solution = solve(X, Y, alpha, s, offset, tol)
    return LinearRidge(w, a, y_mean - x_mean @ w, solution)


def _primal(
    X: Any, Y: DoubleArray, alpha: DoubleArray, s: DoubleArray, offset: DoubleArray, tol: float
) -> tuple[DoubleArray, DoubleArray, Solution]:
    def apply(w: DoubleArray) -> DoubleArray:
        return np.asarray(X @ w - offset @ w)

    moments = Moments.of(X, Y, s)
    G = moments.outer - moments.n * np.outer(offset, offset)
    answer = solve_ridge(G, moments.cross, alpha, tol=tol)  # Y has weighted mean zero if the offset is not zero
    w = answer.coef
    a = np.empty_like(Y)
    free = alpha == 0
    a[:, ~free] = s[:, None] * (Y - apply(w))[:, ~free] / alpha[~free]
    if free.any():  # the a with Xᵀa = w of least norm in the metric of the weights
        a[:, free] = s[:, None] * apply(solve_ridge(G, w[:, free], 0.0).coef)
    return w, a, answer.solution


def _dual(
    X: Any, Y: DoubleArray, alpha: DoubleArray, s: DoubleArray, offset: DoubleArray, tol: float
) -> tuple[DoubleArray, DoubleArray, Solution]:
    K = gram(Linear(), X).array()
    if offset.any():
        center_in_place(K, s)
    answer = solve_ridge(K, Y, alpha, weight=s, tol=tol, overwrite=True)
    a = answer.coef
    return np.asarray(X.T @ a - np.outer(offset, a.sum(axis=0))), a, answer.solution


def _require(size: int) -> None:
    require_memory(
        8 * size**2,
        what=f"solve_linear_ridge: a dense {size} x {size} matrix of 64-bit numbers",
        instead="Solve the other form, primal or dual, if that is smaller.",
    )
