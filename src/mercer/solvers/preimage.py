"""Pre-images from nearest training samples and their distances in feature space."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.kernels import (
    RBF,
    Constant,
    Exponential,
    Kernel,
    Linear,
    Matern,
    Polynomial,
    PowerOf,
    Product,
    RationalQuadratic,
    Scaled,
    Sum,
)
from mercer.operators import GramOperator
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.tiles import panels

__all__ = ["INVERTIBLE", "Neighbours", "input_distances", "invertible", "multilaterate", "nearest"]

INVERTIBLE = (
    "RBF, Exponential, Matern, RationalQuadratic and their sums, products and positive multiples; Linear and "
    "Polynomial of odd degree with gamma > 0 and their positive multiples"
)
_EPS = float(np.finfo(np.float64).eps)
_WIDEST = 465.0  # log2 of the largest radius, because kernels accept no number above 1e150


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Training samples nearest to Ψ = Σ_i c_i φ(x_i), nearest first.

    Attributes
    ----------
    indices : ndarray of int of shape (m, k)
        Training samples.
    products : ndarray of shape (m, k)
        Inner products ⟨Ψ, φ(x_i)⟩.
    diagonal : ndarray of shape (m, k)
        Values k(x_i, x_i).
    norms : ndarray of shape (m,)
        Squared norms ‖Ψ‖² = cᵀKc.
    """

    indices: IndexArray
    products: DoubleArray
    diagonal: DoubleArray
    norms: DoubleArray

    @property
    def distances(self) -> DoubleArray:
        """Squared distances ‖Ψ − φ(x_i)‖² = ‖Ψ‖² + k(x_i, x_i) − 2⟨Ψ, φ(x_i)⟩ ≥ 0 of shape (m, k)."""
        return np.maximum(self.norms[:, None] + self.diagonal - 2 * self.products, 0.0)


def nearest(K: GramOperator, coef: DoubleArray, n_neighbors: int = 1) -> Neighbours:
    """Return the columns i of K with the smallest ‖Ψ − φ(x_i)‖² for every row c of `coef` (m, n).

    Cost: O(mn²) operations. K is evaluated once by panels of rows, and K cᵀ is not held in memory.

    Examples
    --------
    >>> from mercer.operators import PrecomputedOperator
    >>> K = PrecomputedOperator([[1.0, 0.0], [0.0, 1.0]])
    >>> nearest(K, np.array([[0.2, 0.7]])).indices
    array([[1]])
    """
    K.require_symmetric("nearest")
    (m, n), k = coef.shape, min(n_neighbors, coef.shape[1])
    diagonal = K.diag().astype(np.float64)
    norms, score, indices = np.zeros(m), np.full((m, k), np.inf), np.zeros((m, k), dtype=np.int64)
    for rows in panels(n, max(1, MEMORY_BUDGET // (8 * (n + 4 * m)))):
        products = coef @ np.asarray(K.rows(rows), dtype=np.float64).T
        norms += np.einsum("ij,ij->i", coef[:, rows], products)
        found = np.hstack([score, diagonal[rows] - 2 * products])
        where = np.hstack([indices, np.broadcast_to(np.arange(rows.start, rows.stop), products.shape)])
        chosen = np.argpartition(found, k - 1, axis=1)[:, :k]
        score, indices = np.take_along_axis(found, chosen, axis=1), np.take_along_axis(where, chosen, axis=1)
    order = np.lexsort((indices, score))
    score, indices = np.take_along_axis(score, order, axis=1), np.take_along_axis(indices, order, axis=1)
    return Neighbours(indices, (diagonal[indices] - score) / 2, diagonal[indices], norms)


def invertible(kernel: Kernel) -> bool:
    """Whether the Euclidean distance of two points can be computed from kernel values (`INVERTIBLE`)."""
    return _falls(kernel) or _inverse(kernel) is not None


def input_distances(kernel: Kernel, near: Neighbours) -> DoubleArray:
    r"""Return ‖z − x_i‖² of a hypothetical z with φ(z) = Ψ, (m, k), for `invertible` kernels with scalar gamma.

    A kernel κ(‖z − x‖) is inverted at κ(0) − ‖Ψ − φ(x_i)‖²/2, clipped to (0, κ(0)], by bisection. A kernel g(⟨z, x⟩)
    with increasing g gives ‖z‖² + ‖x_i‖² − 2⟨z, x_i⟩ from g⁻¹ of ‖Ψ‖², k(x_i, x_i) and ⟨Ψ, φ(x_i)⟩.
    """
    inverse = _inverse(kernel)
    if inverse is None:
        return np.square(_radius(kernel, near.diagonal - near.distances / 2))
    squared = np.maximum(inverse(near.norms), 0.0)[:, None] + inverse(near.diagonal) - 2 * inverse(near.products)
    return np.maximum(squared, 0.0)


def multilaterate(X: Any, indices: IndexArray, squared: DoubleArray) -> DoubleArray:
    r"""Return points of shape (m, d) from squared distances to some rows of X, within the affine hull of those rows.

    The points are the least-squares solutions of 2⟨x_i − x̄, z − x̄⟩ = ‖x_i − x̄‖² − d_i² + const (Kwok and Tsang), by the
    singular value decomposition C = UΛVᵀ of the centred rows. Directions in which the rows extend less than √ε of the
    longest one are left out. Distances that kernel values near zero do not determine are reduced to the bound of the
    triangle inequality, d_i ≤ d_1 + ‖x_1 − x_i‖ with the first row as the nearest. Cost: O(m k² d).

    Examples
    --------
    >>> X = np.array([[4.0, 0.0], [0.0, 3.0], [0.0, 0.0]])
    >>> multilaterate(X, np.array([[0, 1, 2]]), np.array([[9.0, 16.0, 25.0]])).round(12)
    array([[4., 3.]])
    """
    (m, k), d = indices.shape, X.shape[1]
    out = np.empty((m, d))
    for part in panels(m, max(1, MEMORY_BUDGET // (32 * k * d))):
        chosen = X[indices[part].ravel()]
        points = (chosen.toarray() if hasattr(chosen, "toarray") else chosen).reshape(-1, k, d)
        mean = points.mean(axis=1, keepdims=True)
        C = points - mean
        U, size, Vt = np.linalg.svd(C, full_matrices=False)
        spread, given = np.square(C).sum(axis=2), _shortened(points, squared[part])
        y = (spread - given) / 2
        y = np.einsum("mkr,mk->mr", U, y - y.mean(axis=1, keepdims=True))
        along = _within(size, y, np.maximum((given - spread).mean(axis=1), 0.0))
        out[part] = mean[:, 0] + np.einsum("mr,mrd->md", along, Vt)
    return out


def _shortened(points: DoubleArray, squared: DoubleArray) -> DoubleArray:
    """Bound squared distances by the path through the first point, whose distance is the smallest."""
    between = np.linalg.norm(points - points[:, :1], axis=2)
    through: DoubleArray = np.square(np.sqrt(squared[:, :1]) + between)
    return np.minimum(squared, through)


def _within(size: DoubleArray, y: DoubleArray, bound: DoubleArray) -> DoubleArray:
    """Return argmin ‖diag(size) a − y‖² over ‖a‖² ≤ bound for each row, by bisection for the multiplier μ."""
    kept = (size > np.sqrt(_EPS) * size[:, :1]) & (size > 0)
    y, square = np.where(kept, y * size, 0.0), np.where(kept, size**2, 1.0)
    limit = bound * (1 + 1e-9) + _EPS * square[:, 0]
    low = np.zeros(len(y))
    high = np.linalg.norm(y, axis=1) / np.sqrt(np.maximum(limit, np.finfo(np.float64).tiny))  # ‖a‖ ≤ ‖y‖/μ
    inside = np.square(y / square).sum(axis=1) <= limit
    for _ in range(64):
        middle = (low + high) / 2
        short = np.square(y / (square + middle[:, None])).sum(axis=1) <= limit
        low, high = np.where(short, low, middle), np.where(short, middle, high)
    return np.asarray(y / (square + np.where(inside, 0.0, high)[:, None]))


def _falls(kernel: Kernel) -> bool:
    """Whether k(x, z) = κ(‖x − z‖) with a positive, decreasing κ."""
    match kernel:
        case RBF() | Exponential() | Matern() | RationalQuadratic():
            return isinstance(kernel.gamma, float)
        case Scaled(scale=s, kernel=part):
            return s > 0 and _falls(part)
        case PowerOf(kernel=part):
            return _falls(part)
        case Sum(terms=parts):
            constant = [isinstance(part, Constant) and part.value >= 0 for part in parts]
            return not all(constant) and all(c or _falls(p) for c, p in zip(constant, parts, strict=True))
        case Product(factors=parts):
            return all(map(_falls, parts))
        case _:
            return False


def _inverse(kernel: Kernel) -> Callable[[DoubleArray], DoubleArray] | None:
    """Return the function from kernel values to ⟨x, z⟩ for increasing functions of it; None for other kernels."""
    match kernel:
        case Linear(coef0=c):
            return lambda values: values - c
        case Polynomial(degree=d, gamma=float(g), coef0=c) if d % 2 and g > 0:
            return lambda values: np.asarray((np.sign(values) * np.abs(values) ** (1 / d) - c) / g)
        case Scaled(scale=s, kernel=part) if s > 0:
            inverse = _inverse(part)
            return None if inverse is None else lambda values: inverse(values / s)
        case _:
            return None


def _radius(kernel: Kernel, values: DoubleArray) -> DoubleArray:
    """Return r with κ(r) = value by bisection of log r; κ is evaluated on pairs of numbers at distance r."""
    zero = kernel.prepare(np.zeros((1, 1)))

    def kappa(r: DoubleArray) -> DoubleArray:
        return np.asarray(kernel.block(zero, kernel.prepare(r.reshape(-1, 1)), n_jobs=1)[0], dtype=np.float64)

    top = float(kappa(np.zeros(1))[0])
    wanted = np.clip(values.ravel(), _EPS * top, top)
    low, high = np.full(wanted.size, -_WIDEST), np.full(wanted.size, _WIDEST)
    for _ in range(62):  # to the last digit of log r
        middle = (low + high) / 2
        near = kappa(np.exp2(middle)) > wanted
        low, high = np.where(near, middle, low), np.where(near, high, middle)
    radius: DoubleArray = np.where(wanted >= top, 0.0, np.exp2(high))
    return radius.reshape(values.shape)
