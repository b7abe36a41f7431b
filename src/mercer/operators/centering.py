"""Centring of Gram matrices in memory: where they are overwritten, and what it means for new samples."""

from dataclasses import dataclass

import numpy as np

from mercer._typing import DoubleArray, FloatArray

__all__ = ["Centering", "center_gram"]

_ROWS = 256  # at a time: a block and its temporary stay in cache


@dataclass(frozen=True, eq=False)
class Centering:
    r"""The mean of the training data in feature space, φ̄ = Σ_j w_j φ(x_j) with Σw = 1, by its kernel values.

    For new samples k̃(x, x_i) = ⟨φ(x) − φ̄, φ(x_i) − φ̄⟩ = k(x, x_i) − Σ_j w_j k(x, x_j) − c_i + m.

    Attributes
    ----------
    weight : array, shape (n,)
        w, of sum 1.
    means : array, shape (n,)
        c_i = Σ_j w_j k(x_j, x_i) = ⟨φ̄, φ(x_i)⟩.
    mean : float
        m = wᵀKw = ‖φ̄‖².

    Examples
    --------
    Expansions in k̃ are expansions in k with other coefficients and a constant:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, Z, a = rng.normal(size=(6, 2)), rng.normal(size=(3, 2)), rng.normal(size=(6, 1))
    >>> K, Kz = X @ X.T, Z @ X.T
    >>> centering = center_gram(K)
    >>> coef, offset = centering.fold(a)
    >>> bool(np.allclose(centering.apply(Kz) @ a, Kz @ coef + offset))
    True
    """

    weight: DoubleArray
    means: DoubleArray
    mean: float

    def apply(self, K: FloatArray) -> DoubleArray:
        """k̃ of new samples (rows) and training samples (columns), from k; a new array."""
        return np.asarray(K - (K @ self.weight)[:, None] - (self.means - self.mean), dtype=np.float64)

    def fold(self, coef: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
        """(a − w Σ_i a_i, Σ_i (m − c_i) a_i): Σ_i a_i k̃(x, x_i) in terms of k, for columns a of `coef` (n, columns)."""
        total = coef.sum(axis=0)
        return coef - np.outer(self.weight, total), self.mean * total - self.means @ coef

    def norms(self, K: FloatArray, diagonal: FloatArray) -> DoubleArray:
        """‖φ(x) − φ̄‖² of new samples, from their rows of k and their k(x, x)."""
        return np.asarray(diagonal - 2 * (K @ self.weight) + self.mean, dtype=np.float64)


def center_gram(K: DoubleArray, weight: DoubleArray | None = None) -> Centering:
    """Replace a symmetric K by HKHᵀ with H = I − 1wᵀ, in place; O(n²), and no temporary of size n².

    Parameters
    ----------
    K : array, shape (n, n)
        Symmetric; symmetric to the bit stays so.
    weight : array, shape (n,), optional
        Nonnegative weights of the samples, of any positive sum; None: all equal.

    Examples
    --------
    >>> import numpy as np
    >>> K = np.array([[2.0, 0.0], [0.0, 4.0]])
    >>> center_gram(K).mean, K.tolist()
    (1.5, [[1.5, -1.5], [-1.5, 1.5]])
    """
    n = len(K)
    w = np.full(n, 1 / n) if weight is None else weight / weight.sum()
    means = K @ w
    mean = float(w @ means)
    half = means - mean / 2
    for first in range(0, n, _ROWS):
        rows = slice(first, first + _ROWS)
        K[rows] -= half[rows, None] + half  # a sum of two first, which commutes: symmetric to the bit
    return Centering(w, means, mean)
