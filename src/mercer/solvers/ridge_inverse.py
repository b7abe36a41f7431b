"""Leave-one-out errors of ridge regression from Cholesky factors, one for each penalty."""

from collections.abc import Sequence

import numpy as np

from mercer._runtime.factors import invert_triangle, solve_cholesky, try_cholesky
from mercer._runtime.products import product
from mercer._runtime.spectra import eigh
from mercer._typing import DoubleArray, IndexArray

__all__ = ["InverseErrors", "solve_block"]

_PANEL = 256  # columns per block
_EPS = float(np.finfo(np.float64).eps)


class InverseErrors:
    """Leave-one-out errors e_B = (C_BB)⁻¹ c_B with C = (M + αI)⁻¹ and c = Cy, without an eigendecomposition.

    Parameters
    ----------
    M : ndarray of shape (n, n)
        Symmetric matrix, which is read for every α and not changed.
    target : ndarray of shape (n, n_targets)
        Targets y, orthogonal to q.
    q : ndarray of shape (n,), default=None
        Unit vector of the intercept, an eigenvector of M with eigenvalue `lift`, which is left out of C.
    lift : float, default=0.0
        That eigenvalue.

    Notes
    -----
    C = L⁻ᵀL⁻¹ with the Cholesky factor L of M + αI, so that its diagonal has the squared norms of the columns of L⁻¹:
    2n³/3 operations for each α. Coefficients and errors are kept, which are small compared with M for few targets.
    """

    def __init__(self, M: DoubleArray, target: DoubleArray, q: DoubleArray | None = None, lift: float = 0.0) -> None:
        self._M, self._target, self._q, self._lift = M, target, q, lift
        self._dual: dict[float, DoubleArray] = {}
        self._errors: dict[tuple[float, bytes], DoubleArray] = {}

    def dual(self, alpha: float) -> DoubleArray | None:
        """The coefficients c of shape (n, n_targets); None if M + αI is not positive definite."""
        if alpha not in self._dual:
            L = self._factor(alpha)
            if L is None:
                return None
            self._dual[alpha] = solve_cholesky(L, self._target)
        return self._dual[alpha]

    def errors(self, alpha: float, blocks: Sequence[IndexArray] | None = None) -> DoubleArray | None:
        """The errors of samples, or blocks of samples, under the fit to all others, of shape (n, n_targets).

        None if M + αI is not positive definite.
        """
        key = alpha, b"" if blocks is None else np.concatenate([*blocks, [len(block) for block in blocks]]).tobytes()
        if key not in self._errors:
            L = self._factor(alpha)
            if L is None:
                return None
            self._dual[alpha] = c = solve_cholesky(L, self._target)
            invert_triangle(L)
            self._errors[key] = self._singly(L, c, alpha) if blocks is None else self._jointly(L, c, alpha, blocks)
        return self._errors[key]

    def _factor(self, alpha: float) -> DoubleArray | None:
        """Cholesky factor of M + αI with zeros above the diagonal; None if there is none."""
        n = len(self._M)
        L = np.empty((n, n), order="F")
        for first in range(0, n, _PANEL):
            part = slice(first, min(first + _PANEL, n))
            L[:first, part] = 0.0
            L[first:, part] = self._M[part, first:].T  # symmetric
            L[part, part] = np.tril(L[part, part])
        L.reshape(-1, order="F")[:: n + 1] += alpha
        return None if try_cholesky(L) else L

    def _singly(self, inverse: DoubleArray, c: DoubleArray, alpha: float) -> DoubleArray:
        slack = np.concatenate(
            [np.square(inverse[:, i : i + _PANEL]).sum(axis=0) for i in range(0, len(inverse), _PANEL)]
        )
        if self._q is not None:
            slack -= np.square(self._q) / (alpha + self._lift)
        return np.asarray(c / slack[:, None])

    def _jointly(self, inverse: DoubleArray, c: DoubleArray, alpha: float, blocks: Sequence[IndexArray]) -> DoubleArray:
        errors = np.empty_like(c)
        for block in blocks:
            first = int(block.min())  # the rows above are 0
            columns = inverse[first:, block]
            slack = product(columns.T, columns)
            if self._q is not None:
                slack -= np.outer(self._q[block], self._q[block]) / (alpha + self._lift)
            errors[block] = solve_block(slack, c[block])
        return errors


def solve_block(A: DoubleArray, B: DoubleArray) -> DoubleArray:
    """Return A⁻¹B for a symmetric A; eigenvalues of an A that is not positive definite are kept away from 0."""
    L = np.array(A, order="F")
    if not try_cholesky(L):
        return solve_cholesky(L, B)
    values, vectors = eigh(A)
    floor = len(A) * _EPS * max(1.0, float(np.abs(values).max()))
    values = np.where(np.abs(values) < floor, np.copysign(floor, values), values)
    return np.asarray(product(vectors, product(vectors.T, B) / values[:, None]))
