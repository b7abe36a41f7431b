"""Leave-one-out error of kernel ridge regression, and its derivatives in the Gram matrix and the penalty."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._runtime.factors import invert_cholesky, try_cholesky
from mercer._runtime.products import inner_products, mirrored, product
from mercer._typing import DoubleArray, FloatArray, IndexArray

__all__ = ["LeaveOneOut", "LeaveOneOutFit"]

_BLOCK = 256  # rows and columns of a block, two of which stay in cache


@dataclass(frozen=True, eq=False)
class LeaveOneOutFit:
    """Kernel ridge regression for one Gram matrix and one penalty, with its leave-one-out residuals.

    Parameters
    ----------
    error : float
        Weighted sum of squared leave-one-out residuals, Σ_i s_i ‖e_i‖².
    coef : ndarray of shape (n, n_targets)
        Dual coefficients c of the fit to all samples.
    residuals : ndarray of shape (n, n_targets)
        Leave-one-out residuals e, targets minus predictions of the fits without the sample or its group.
    inverse : ndarray of shape (n, n)
        C = (K + α diag(1/s))⁻¹.
    """

    error: float
    coef: DoubleArray
    residuals: DoubleArray
    inverse: DoubleArray


class LeaveOneOut:
    r"""Squared leave-one-out error of kernel ridge regression as a function of K and the penalty α.

    The regression minimises Σ_i s_i ‖y_i − f(x_i)‖² + α‖f‖² without intercept.

    Parameters
    ----------
    Y : ndarray of shape (n, n_targets)
        Targets.
    weight : ndarray of shape (n,), default=None
        Positive sample weights s. None: ones.
    groups : ndarray of int of shape (n,), default=None
        Samples with the same number are left out together. None: every sample by itself.

    Notes
    -----
    With C = (K + α diag(1/s))⁻¹ and c = CY, the residuals of the samples B that are left out together are
    e_B = (C_BB)⁻¹ c_B, which is e_i = c_i/C_ii for single samples. Let J = Σ_i s_i ‖e_i‖² and q_B = 2(C_BB)⁻¹ s_B e_B.
    Then

        dJ/dK = −½(Cq cᵀ + c (Cq)ᵀ) + C M C,    M = ½ Σ_B (q_B e_Bᵀ + e_B q_Bᵀ),    dJ/dα = Σ_i (dJ/dK)_ii / s_i.

    Cost: n³ operations for C by a Cholesky factor, and n³ for the derivative (2n³ with groups).

    References
    ----------
    * Allen, The relationship between variable selection and data augmentation and a method for prediction,
      Technometrics 16, 1974.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.array([[0.0], [1.0], [3.0]]), np.array([[1.0], [2.0], [3.0]])
    >>> loss = LeaveOneOut(y)
    >>> fit = loss.fit(x @ x.T, 1.0)
    >>> fit.residuals.ravel().round(4)
    array([1. , 1.1, 0. ])

    The second residual is that of the fit to the two other samples, with the slope 9/10:

    >>> round(float(y[1, 0] - 1.0 * 9 / 10), 4)
    1.1
    """

    def __init__(self, Y: DoubleArray, weight: DoubleArray | None = None, groups: IndexArray | None = None) -> None:
        self.Y, self.weight = Y, np.ones(len(Y)) if weight is None else weight
        self.together: list[IndexArray] = []  # groups of two samples or more
        if groups is not None:
            _, label, sizes = np.unique(groups, return_inverse=True, return_counts=True)
            order = np.argsort(label, kind="stable")
            parts = np.split(order, np.cumsum(sizes)[:-1])
            self.together = [part for part in parts if len(part) > 1]

    @classmethod
    def on(
        cls, rows: IndexArray, Y: DoubleArray, weight: DoubleArray | None, groups: IndexArray | None
    ) -> "LeaveOneOut":
        """The error on some of the samples."""
        return cls(Y[rows], None if weight is None else weight[rows], None if groups is None else groups[rows])

    def fit(self, K: FloatArray, alpha: float) -> LeaveOneOutFit | None:
        """Fit to a Gram matrix, which is not changed; None if K + α diag(1/s) is not positive definite.

        Parameters
        ----------
        K : ndarray of shape (n, n)
            Symmetric Gram matrix.
        alpha : float
            Penalty, positive.

        Returns
        -------
        LeaveOneOutFit or None
            Coefficients, residuals and inverse.
        """
        A = np.array(K.T, dtype=np.float64, order="F")
        A.flat[:: len(A) + 1] += alpha / self.weight
        if try_cholesky(A):
            return None
        C = mirrored(invert_cholesky(A))
        coef = product(C, self.Y)
        residuals = coef / C.diagonal()[:, None]
        for part in self.together:
            residuals[part] = np.linalg.solve(C[np.ix_(part, part)], coef[part])
        error = float(np.einsum("i,il,il->", self.weight, residuals, residuals))
        return LeaveOneOutFit(error, coef, residuals, C) if np.isfinite(error) else None

    def slopes(self, fit: LeaveOneOutFit) -> tuple[DoubleArray, float]:
        """Derivatives of the error.

        Parameters
        ----------
        fit : LeaveOneOutFit
            Result of `fit`.

        Returns
        -------
        G : ndarray of shape (n, n)
            Symmetric derivative dJ/dK.
        slope : float
            dJ/dα.
        """
        C, e = fit.inverse, fit.residuals
        q = 2 * self.weight[:, None] * e
        for part in self.together:
            q[part] = np.linalg.solve(C[np.ix_(part, part)], q[part])
        single = np.ones(len(C), dtype=bool)
        for part in self.together:
            single[part] = False
        q[single] /= C.diagonal()[single, None]
        diagonal = np.where(single, np.einsum("il,il->i", q, e), 0.0)  # of M, 2 s_i ‖e_i‖²/C_ii
        G = inner_products(np.sqrt(diagonal)[:, None] * C)
        for rows, block in self._blocks(q, e):
            G += product(C[:, rows], product(block, C[rows]))
        _add_outer(G, product(C, q), fit.coef)
        return G, float((G.diagonal() / self.weight).sum())

    def _blocks(self, q: DoubleArray, e: DoubleArray) -> Iterator[tuple[IndexArray, Any]]:
        """Blocks of M of the groups, joined so that each product has many columns."""
        waiting: list[IndexArray] = []
        for i, part in enumerate(self.together):
            waiting.append(part)
            if sum(map(len, waiting)) >= _BLOCK or i + 1 == len(self.together):
                rows, at = np.concatenate(waiting), 0
                block = np.zeros((len(rows), len(rows)))
                for some in waiting:
                    half = 0.5 * q[some] @ e[some].T
                    block[at : at + len(some), at : at + len(some)] = half + half.T
                    at += len(some)
                waiting = []
                yield rows, block


def _add_outer(G: DoubleArray, U: DoubleArray, V: DoubleArray) -> None:
    """Subtract ½(UVᵀ + VUᵀ) from G."""
    left, right = np.hstack([U, V]), -0.5 * np.hstack([V, U])
    for i in range(0, len(G), _BLOCK):
        G[i : i + _BLOCK] += left[i : i + _BLOCK] @ right.T
