"""Kernels of rotated numbers: linear combinations in the directions in which a fitted function varies."""

import numpy as np

from mercer._typing import DoubleArray
from mercer.feature_learning.agop import rotation
from mercer.feature_learning.columns import column_weights, mean_terms, weighted_part
from mercer.feature_learning.learn import shifted
from mercer.kernels import Kernel, LinearMap, WeightedColumns

__all__ = ["rotated_starts", "weighted_columns"]

FACTORS = (0.25, 1.0, 4.0)  # of all weights, at the starting points
FLAT = 1e-3  # length of a direction, relative to the longest, below which the function does not vary along it
DIGITS = 4  # of the coefficients of the combinations, which is more than the data determine


def rotated_starts(
    kernel: Kernel, X: DoubleArray, coef: DoubleArray, numbers: int, weight: DoubleArray | None
) -> list[Kernel]:
    """Kernels in which linear combinations take the places of the numbers, from which weights are learned again.

    Parameters
    ----------
    kernel : Kernel
        Learned kernel with p = 2: a `WeightedColumns`, or a sum with one.
    X : ndarray of shape (n, n_columns)
        Samples of the function Σ_i c_i k(·, x_i), numbers first.
    coef : ndarray of shape (n, n_targets)
        Coefficients c_i.
    numbers : int
        Number of columns of numbers.
    weight : ndarray of shape (n,) or None
        Weights of the samples in the average of the gradients.

    Returns
    -------
    list of Kernel
        Kernels that differ by a factor of their weights. The combinations are the eigenvectors of the average gradient
        outer product, times the roots of the eigenvalues: equal weights of these are the metric in which the function
        varies equally in all directions. Together they contribute as much to the distance as the numbers did. Other
        parts of the kernel do not change. Empty if the function does not vary with the numbers.
    """
    part = weighted_part(kernel)
    assert isinstance(part, WeightedColumns)
    try:
        T = rotation(kernel, X, coef, columns=range(numbers), sample_weight=weight, n_jobs=1)
    except ValueError:  # the gradient is zero
        return []
    T = np.array([[float(f"{v:.{DIGITS}g}") for v in row] for row in T[:, np.linalg.norm(T, axis=0) > FLAT]])
    weights, r = part._column_weights(X.shape[1]), T.shape[1]
    before = float(weights[:numbers] @ mean_terms(X[:, :numbers], p=2.0))
    width = before / float(mean_terms(X[:, :numbers] @ T, p=2.0).sum())
    codes = tuple(range(r, r + X.shape[1] - numbers))
    inner = WeightedColumns((width,) * r + tuple(weights[numbers:]), codes, 2.0, part.g)
    return shifted(_replaced(kernel, part, LinearMap(inner, T)), FACTORS)


def weighted_columns(kernel: Kernel, X: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
    """The columns that a learned kernel weighs, which may be linear combinations of those of X, and their weights."""
    combined = _combinations(kernel)
    if combined is None:
        return X, column_weights(kernel, X.shape[1])
    image = combined.restrict(X)
    return image, column_weights(combined.kernel, image.shape[1])


def _combinations(kernel: Kernel) -> LinearMap | None:
    """The part of a kernel that combines columns."""
    if isinstance(kernel, LinearMap):
        return kernel
    return next((part for part in map(_combinations, kernel.parts().values()) if part is not None), None)


def _replaced(kernel: Kernel, part: Kernel, other: Kernel) -> Kernel:
    """A kernel with another part in place of one of its parts."""
    if kernel is part:
        return other
    return kernel.with_parts({name: _replaced(child, part, other) for name, child in kernel.parts().items()})
