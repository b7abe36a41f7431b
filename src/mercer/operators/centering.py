"""Centring of Gram matrices in memory, of kernel values of new samples, and of kernel expansions."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._runtime.limits import require_memory
from mercer._typing import DoubleArray, FloatArray
from mercer._validation import as_doubles, check_dense, check_vectors, describe
from mercer.operators.base import GramOperator
from mercer.operators.precomputed import PrecomputedOperator

__all__ = ["Centering", "center_gram", "center_in_place", "mean_weights"]

_ROWS = 256  # rows per block: a block and its temporary stay in cache


@dataclass(frozen=True, eq=False)
class Centering:
    r"""Mean of the training data in feature space, φ̄ = Σ_j w_j φ(x_j) with Σw = 1, described by kernel values.

    For new samples, k̃(x, x_i) = ⟨φ(x) − φ̄, φ(x_i) − φ̄⟩ = k(x, x_i) − Σ_j w_j k(x, x_j) − c_i + m.

    Parameters
    ----------
    weight : ndarray of shape (n,)
        Weights w, which sum to 1.
    means : ndarray of shape (n,)
        Column means c_i = Σ_j w_j k(x_j, x_i) = ⟨φ̄, φ(x_i)⟩.
    mean : float
        Mean m = wᵀKw = ‖φ̄‖².

    See Also
    --------
    center_gram : The centred matrix itself.
    CenteredOperator : The centred operator.

    Examples
    --------
    An expansion in k̃ is an expansion in k with other coefficients and a constant:

    >>> import numpy as np
    >>> X, Z = np.array([[1.0], [3.0]]), np.array([[4.0]])
    >>> centering = Centering.of(X @ X.T)
    >>> centering.means, centering.mean
    (array([2., 6.]), 4.0)
    >>> centering.apply(Z @ X.T) @ [[1.0], [2.0]]
    array([[2.]])
    >>> coef, offset = centering.fold(np.array([[1.0], [2.0]]))
    >>> Z @ X.T @ coef + offset
    array([[2.]])
    """

    weight: DoubleArray
    means: DoubleArray
    mean: float

    @classmethod
    def of(cls, K: DoubleArray, weight: DoubleArray | None = None) -> "Centering":
        """Compute the means of a symmetric matrix.

        Parameters
        ----------
        K : ndarray of shape (n, n)
            Gram matrix of the training samples, which is not changed.
        weight : ndarray of shape (n,), default=None
            Non-negative weights of the samples; they are divided by their sum. None: all equal.

        Returns
        -------
        Centering
            Weights, column means and mean.
        """
        w = mean_weights(cls.__name__, weight, len(K))
        means = np.asarray(K @ w, dtype=np.float64)
        return cls(w, means, float(w @ means))

    def apply(self, K: FloatArray) -> DoubleArray:
        """Centre kernel values of new samples.

        Parameters
        ----------
        K : ndarray of shape (n_new, n)
            Kernel values k of new samples (rows) and training samples (columns).

        Returns
        -------
        ndarray of shape (n_new, n)
            Centred values k̃ in a new array.
        """
        return np.asarray(K - (K @ self.weight)[:, None] - (self.means - self.mean), dtype=np.float64)

    def fold(self, coef: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
        """Rewrite the expansion Σ_i a_i k̃(x, x_i) as an expansion in k and a constant.

        Parameters
        ----------
        coef : ndarray of shape (n, n_expansions)
            Coefficients a of the expansion in k̃, one column per expansion.

        Returns
        -------
        coef : ndarray of shape (n, n_expansions)
            Coefficients a − w Σ_i a_i of the expansion in k.
        offset : ndarray of shape (n_expansions,)
            Constants Σ_i (m − c_i) a_i.
        """
        total = coef.sum(axis=0)
        return coef - np.outer(self.weight, total), self.mean * total - self.means @ coef

    def norms(self, K: FloatArray, diagonal: FloatArray) -> DoubleArray:
        """Squared distances ‖φ(x) − φ̄‖² of new samples from the mean.

        Parameters
        ----------
        K : ndarray of shape (n_new, n)
            Kernel values of new samples (rows) and training samples (columns).
        diagonal : ndarray of shape (n_new,)
            Values k(x, x) of the new samples.

        Returns
        -------
        ndarray of shape (n_new,)
            Squared distances.
        """
        return np.asarray(diagonal - 2 * (K @ self.weight) + self.mean, dtype=np.float64)


def mean_weights(who: str, weight: Any, n: int) -> DoubleArray:
    """Return `weight` divided by its sum, or 1/n for each sample if it is None."""
    if weight is None:
        return np.full(n, 1 / n)
    weight = as_doubles(who, weight, name="weight")
    total = float(weight.sum()) if weight.shape == (n,) and (weight >= 0).all() else 0.0
    if not 0 < total < np.inf:
        raise ValueError(f"{who}: weight needs {n} non-negative numbers with a positive sum, got {describe(weight)}.")
    return np.asarray(weight / total)


def center_gram(K: Any, training: Any = None, *, weight: Any = None) -> DoubleArray:
    r"""Centre a Gram matrix in feature space: K̃ = HKH with H = I − 1_n.

    With `training`, rows of new samples are centred by the mean of the training samples:
    K̃ᵗ = Kᵗ − 1′K − Kᵗ1_n + 1′K1_n, where every entry of 1_n (n × n) and 1′ (L × n) is 1/n.

    Parameters
    ----------
    K : array-like of shape (n, n), or (L, n) with `training`
        Kernel values k(x_i, x_j) of the training samples, or k(z_i, x_j) of L new samples and the training samples.
    training : array-like of shape (n, n), default=None
        Gram matrix of the training samples before centring. None: K itself.
    weight : array-like of shape (n,), default=None
        Non-negative weights of the training samples; they are divided by their sum. None: all equal.

    Returns
    -------
    ndarray of shape (n, n) or (L, n)
        Centred matrix in float64, in a new array.

    Raises
    ------
    ValueError
        If the training matrix is not square and symmetric, or the columns of K are not the training samples.

    See Also
    --------
    GramOperator.centered : The same for operators, without a matrix in memory.
    Centering : The means alone, for kernel expansions.

    Examples
    --------
    >>> import numpy as np
    >>> x, z = np.array([[1.0], [3.0]]), np.array([[4.0]])
    >>> center_gram(x @ x.T)  # (x_i − 2)(x_j − 2)
    array([[ 1., -1.],
           [-1.,  1.]])
    >>> center_gram(z @ x.T, x @ x.T)  # (4 − 2)(x_j − 2)
    array([[-2.,  2.]])
    """
    who = "center_gram"
    K = _matrix(who, "K", K)
    square = K if training is None else _matrix(who, "training", training)
    n = len(square)
    if square.shape != (n, n) or not PrecomputedOperator(square, finite=True).symmetric:
        name, problem = "K" if training is None else "training", "symmetric" if square.shape == (n, n) else "square"
        raise ValueError(
            f"{who}: {name} of shape {square.shape} is not {problem}, expected the Gram matrix of the training "
            "samples; centre kernel values of new samples with center_gram(K, training)."
        )
    if K.shape[1] != n:
        raise ValueError(
            f"{who}: K has {K.shape[1]} columns, but training has {n} samples; the columns of K must be the training "
            "samples."
        )
    require_memory(8 * K.size, what=f"{who}: a matrix of shape {K.shape}", instead="Use operator.centered().")
    if training is not None:
        return Centering.of(square, weight).apply(K)
    made = np.array(K, dtype=np.float64, order="C")
    center_in_place(made, weight)
    return made


def _matrix(who: str, name: str, K: Any) -> DoubleArray:
    if isinstance(K, GramOperator):
        raise TypeError(
            f"{who}: {name} must be an array, got {describe(K)}; centre operators with operator.centered()."
        )
    check_dense(who, K)
    return np.asarray(check_vectors(who, K, name=name), dtype=np.float64)


def center_in_place(K: DoubleArray, weight: DoubleArray | None = None) -> Centering:
    """Replace a symmetric K by HKHᵀ with H = I − 1wᵀ in O(n²) time, without a temporary of size n².

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric matrix, which is overwritten. A bitwise symmetric matrix stays bitwise symmetric.
    weight : ndarray of shape (n,), default=None
        Non-negative weights of the samples; they are divided by their sum. None: all equal.

    Returns
    -------
    Centering
        Means of K before the change.

    Examples
    --------
    >>> import numpy as np
    >>> K = np.array([[2.0, 0.0], [0.0, 4.0]])
    >>> center_in_place(K).mean, K.tolist()
    (1.5, [[1.5, -1.5], [-1.5, 1.5]])
    """
    centering = Centering.of(K, weight)
    half = centering.means - centering.mean / 2
    for first in range(0, len(K), _ROWS):
        rows = slice(first, first + _ROWS)
        K[rows] -= half[rows, None] + half  # this sum commutes, so K stays bitwise symmetric
    return centering
