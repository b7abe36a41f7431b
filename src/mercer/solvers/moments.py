"""Weighted sums over samples in feature space, which can be added over blocks of samples.

Ridge regression, principal components and discriminants of explicit features depend on these sums alone, so they can be
computed from blocks of a file or on a cluster. Support vector machines and logistic regression need the features of
every sample in each pass.
"""

from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
import scipy.sparse as sp

from mercer._runtime.products import inner_products
from mercer._typing import DoubleArray
from mercer.kernels import Linear
from mercer.operators import gram

__all__ = ["Moments"]


@final
@dataclass(frozen=True, eq=False)
class Moments:
    """Weighted sums over samples with features φ and targets y.

    Attributes
    ----------
    n : float
        Sum Σw of the weights, the number of samples if all weights are 1.
    features : ndarray of shape (r,)
        Sum Σwφ of the features.
    outer : ndarray of shape (r, r)
        Sum Σwφφᵀ of outer products.
    targets : ndarray of shape (t,)
        Sum Σwy of the targets.
    cross : ndarray of shape (r, t)
        Sum Σwφyᵀ of products of features and targets.

    Examples
    --------
    >>> F, y = np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 1.0]]), np.array([[1.0], [2.0], [3.0]])
    >>> whole, parts = Moments.of(F, y), Moments.of(F[:1], y[:1]) + Moments.of(F[1:], y[1:])
    >>> whole.outer
    array([[2., 2.],
           [2., 5.]])
    >>> bool(np.array_equal(whole.cross, parts.cross)), parts.n
    (True, 3.0)
    """

    n: float
    features: DoubleArray
    outer: DoubleArray
    targets: DoubleArray
    cross: DoubleArray

    @classmethod
    def of(cls, F: Any, Y: DoubleArray | None = None, weight: DoubleArray | None = None) -> Self:
        """Compute the sums over one block of samples in O(n r (r + t)).

        Parameters
        ----------
        F : ndarray or CSR matrix of shape (n, r)
            Features of the samples.
        Y : ndarray of shape (n, t), default=None
            Targets. None: no targets, t = 0.
        weight : ndarray of shape (n,), default=None
            Non-negative weights. None: ones.

        Returns
        -------
        Moments
            Sums.
        """
        n = F.shape[0]
        w = np.ones(n) if weight is None else weight
        Y = np.zeros((n, 0)) if Y is None else Y
        weighted = w[:, None] * Y
        return cls(
            float(w.sum()),
            np.asarray(w @ F).ravel(),
            _outer(F, None if weight is None else np.sqrt(w)),
            np.asarray(w @ Y),
            np.asarray(F.T @ weighted),
        )

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(
            self.n + other.n,
            self.features + other.features,
            self.outer + other.outer,
            self.targets + other.targets,
            self.cross + other.cross,
        )


def _outer(F: Any, scale: DoubleArray | None) -> DoubleArray:
    """Return Fᵀ diag(scale²) F, bitwise symmetric."""
    if sp.issparse(F):
        columns = F.T.tocsr() if scale is None else (F.T.tocsr() @ sp.diags(scale)).tocsr()
        return gram(Linear(), columns).array()
    scaled = F if scale is None else scale[:, None] * F
    return np.asarray(inner_products(scaled), dtype=np.float64)
