"""Kernels of tables with one weight per column, from which weights are learned."""

from collections.abc import Sequence

import numpy as np

from mercer._typing import DoubleArray
from mercer.kernels import Columns, Kernel, Linear, Overlap, WeightedColumns

__all__ = ["WIDTHS", "column_kernel", "column_weights"]

WIDTHS = (0.5, 2.0, 8.0)  # mean of the weighted sum S over pairs at the starting points
LINEAR = 0.01  # starting weight of the linear part
PAIRS = 2000  # random pairs that estimate mean differences
LARGEST = 50.0  # multiple of the weight of a column of spread 1 that a nearly constant column gets at most


def column_kernel(
    X: DoubleArray, categorical: Sequence[int] = (), *, p: float = 1.0, width: float = 2.0, linear: bool = True
) -> Kernel:
    """Kernel exp(−S^g) of all columns, plus small multiples of a linear and an overlap kernel.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples, on which the weights are scaled: every column has the same mean contribution to S.
    categorical : sequence of int, default=()
        Columns of codes of categories.
    p : float, default=1.0
        Exponent of differences.
    width : float, default=2.0
        Mean of S over pairs of samples.
    linear : bool, default=True
        Whether the linear parts are added.

    Returns
    -------
    Kernel
        Kernel with g = 0.8, whose weights, g and factors are free parameters.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0, 0], [1.0, 3.0, 1], [2.0, 1.0, 1]])
    >>> print(column_kernel(X, (2,), linear=False))
    weighted_columns(weights=(0.5, 0.5, 1), categorical=(2,), p=1, g=0.8)
    """
    n, d = X.shape
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, n, PAIRS), rng.integers(0, n, PAIRS)
    other = i != j
    difference = np.abs(X[i[other]] - X[j[other]])
    codes = list(categorical)
    numbers = [k for k in range(d) if k not in set(codes)]
    terms = difference**p
    terms[:, codes] = difference[:, codes] > 0
    mean = terms.mean(axis=0) if len(terms) else np.ones(d)
    weights = width / d / np.maximum(mean, 1 / LARGEST)
    kernel: Kernel = WeightedColumns(
        weights=tuple(float(f"{w:.3g}") for w in weights), categorical=tuple(codes), p=p, g=0.8
    )
    if not linear:
        return kernel
    if numbers:
        part = Linear() if len(numbers) == d else Columns(tuple(numbers), Linear())
        kernel = kernel + LINEAR / d * part
    if codes:
        same = Overlap() if len(codes) == d else Columns(tuple(codes), Overlap())
        kernel = kernel + LINEAR * len(codes) / d * same
    return kernel


def column_weights(kernel: Kernel, n_features: int) -> DoubleArray:
    """Weights of the columns of the first `WeightedColumns` in a kernel; NaN if it has none."""
    if isinstance(kernel, WeightedColumns):
        return np.array(kernel._column_weights(n_features))
    for part in kernel.parts().values():
        found = column_weights(part, n_features)
        if not np.isnan(found).any():
            return found
    return np.full(n_features, np.nan)
