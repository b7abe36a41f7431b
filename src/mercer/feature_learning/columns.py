"""Kernels of tables with one weight per column, from which weights are learned."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import DoubleArray
from mercer._validation import check_dense, check_integer, check_real, check_size, check_vectors
from mercer.data.convert import unnamed
from mercer.kernels import (
    RBF,
    Columns,
    Exponential,
    Interactions,
    Kernel,
    Laplacian,
    Linear,
    LinearMap,
    Map,
    Matern,
    Overlap,
    RationalQuadratic,
    WeightedColumns,
)
from mercer.kernels.algebra import check_kernel_part

__all__ = ["WIDTHS", "column_kernel", "column_shares", "column_weights", "mean_terms", "unit_scales", "weighted_part"]

WIDTHS = (0.5, 2.0, 8.0)  # mean of the weighted sum S over pairs at the starting points
LINEAR = 0.01  # starting share of the linear part, of k(x, x) = 1 of the other
PAIRS = 2000  # random pairs that estimate mean differences
LARGEST = 50.0  # multiple of the weight of a column of the same spread that a nearly constant column gets at most
EUCLIDEAN = RBF | Exponential | Matern | RationalQuadratic


def column_kernel(
    X: Any, categorical: Sequence[int] = (), *, p: float = 1.0, width: float = 2.0, linear: bool = True
) -> Kernel:
    """Kernel exp(−S^g) of all columns, plus small multiples of a linear and an overlap kernel.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
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

    See Also
    --------
    LeaveOneOutWeights : Learns the free parameters.
    mercer.kernels.WeightedColumns : The kernel of all columns.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.feature_learning import column_kernel
    >>> X = np.array([[0.0, 1.0, 0], [1.0, 3.0, 1], [2.0, 1.0, 1]])
    >>> print(column_kernel(X, (2,), linear=False))
    weighted_columns(weights=[0.496, 0.508, 0.978], categorical=[2], g=0.8)
    """
    who = "column_kernel"
    X = check_vectors(who, X)
    check_dense(who, X)
    check_size(who, X)
    X = X.astype(np.float64, copy=False)  # squares of single precision overflow
    p, width = check_real(who, "p", p, low=0.0, strict=True), check_real(who, "width", width, low=0.0, strict=True)
    d = X.shape[1]
    codes = unnamed(who, X, d, categorical)
    numbers = [k for k in range(d) if k not in set(codes)]
    spread = np.ones(d)
    varying = [k for k in numbers if np.ptp(X[:, k]) > 0]  # the computed deviation of equal numbers is not always 0
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        spread[varying] = X[:, varying].std(axis=0) ** p
        terms = mean_terms(X, codes, p)
        weights = width / d / np.maximum(terms, spread / LARGEST)
    ok = np.isfinite(terms) & np.isfinite(weights)
    if not ok.all():
        raise ValueError(
            f"{who}: differences in column {int(np.argmin(ok))} to the power p={p:g} are out of the range of floating "
            "point numbers; rescale the column, or choose p nearer to 1."
        )
    kernel: Kernel = WeightedColumns(weights=tuple(map(_rounded, weights)), categorical=tuple(codes), p=p, g=0.8)
    if not linear:
        return kernel
    if numbers and (square := float(np.square(X[:, numbers]).sum(axis=1).mean())) > 0:
        part: Kernel = Linear() if len(numbers) == d else Columns(tuple(numbers), Linear())
        kernel = kernel + _rounded(LINEAR * len(numbers) / d / square) * part
    if codes:
        same = Overlap() if len(codes) == d else Columns(tuple(codes), Overlap())
        kernel = kernel + LINEAR * len(codes) / d * same
    return kernel


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def mean_terms(X: Any, categorical: Sequence[int] = (), p: float = 1.0) -> DoubleArray:
    """Mean of abs(x_j − z_j)^p over random pairs of samples, for each column; of [x_j ≠ z_j] for categories."""
    n, d = X.shape
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, n, PAIRS), rng.integers(0, n, PAIRS)
    other = i != j
    if not other.any():
        return np.ones(d)
    difference = abs(X[i[other]] - X[j[other]])
    if sp.issparse(X):  # without categories
        return np.asarray(difference.power(p).mean(axis=0), dtype=np.float64).ravel()
    codes = list(categorical)
    terms = difference**p
    terms[:, codes] = difference[:, codes] > 0
    return np.asarray(terms.mean(axis=0), dtype=np.float64)


def weighted_part(kernel: Kernel) -> Kernel | None:
    """First part of a kernel that weighs all columns: of tables, or a kernel of a distance with `gamma`."""
    if isinstance(kernel, WeightedColumns | Interactions | Laplacian | EUCLIDEAN):
        return kernel
    if isinstance(kernel, Columns | LinearMap | Map):  # reads other columns
        return None
    parts = (weighted_part(part) for part in kernel.parts().values())
    return next((part for part in parts if part is not None), None)


def column_weights(kernel: Kernel, n_features: int) -> DoubleArray:
    """Weights of the columns of the first part of a kernel that has any.

    Parameters
    ----------
    kernel : Kernel
        Kernel without data-dependent parameters.
    n_features : int
        Number of columns of the samples.

    Returns
    -------
    ndarray of shape (n_features,)
        `weights` of `WeightedColumns`, or `gamma` of a kernel of a distance. A single number is repeated. For
        `Interactions` the weights w with k(x, z) ≈ k(x, x) − Σ_j w_j t_j for samples that differ little, where t is
        abs(x_j − z_j)^p or [x_j ≠ z_j]. NaN if no part of the kernel has weights of columns.

    See Also
    --------
    column_kernel : Kernel with a weight for each column.

    Examples
    --------
    >>> from mercer.feature_learning import column_weights
    >>> from mercer.kernels import RBF, Linear
    >>> column_weights(RBF(gamma=(1.0, 0.1)) + Linear(), 2)
    array([1. , 0.1])
    """
    n_features = check_integer("column_weights", "n_features", n_features, low=1)
    part = weighted_part(check_kernel_part("column_weights", "kernel", kernel))
    if part is None:
        return np.full(n_features, np.nan)
    if isinstance(part, WeightedColumns):
        return np.array(part._column_weights(n_features), dtype=np.float64)
    if isinstance(part, Interactions):
        return part._nearby_weights(n_features)
    gamma = np.asarray(part.gamma, dtype=np.float64)  # type: ignore[attr-defined]
    return np.array(np.broadcast_to(gamma, (n_features,)))


def unit_scales(kernel: Kernel, n_features: int) -> DoubleArray:
    """Factors of the columns for which the weighted part of the kernel has weights 1; NaN if there is no such part."""
    part, weights = weighted_part(kernel), column_weights(kernel, n_features)
    if isinstance(part, Interactions):
        return np.full(n_features, np.nan)
    if isinstance(part, WeightedColumns):
        return np.asarray(weights ** (1 / part.p))
    return np.asarray(np.sqrt(weights) if isinstance(part, RBF | RationalQuadratic) else weights)


def column_shares(kernel: Kernel, X: Any) -> DoubleArray:
    """Share of each column in the mean of the weighted sum over pairs of samples; NaN if the kernel has no weights.

    The sum is S for `WeightedColumns`, that of `column_weights` for `Interactions`, otherwise the squared Euclidean or
    the L1 distance of the scaled columns.
    """
    part, d = weighted_part(kernel), X.shape[1]
    if isinstance(part, WeightedColumns | Interactions):
        terms = column_weights(part, d) * mean_terms(X, part.categorical, part.p)
    else:
        order = 1.0 if isinstance(part, Laplacian) else 2.0
        terms = unit_scales(kernel, d) ** order * mean_terms(X, p=order)
    total = terms.sum()
    return np.asarray(terms / total if total > 0 else np.full(d, 1 / d))
