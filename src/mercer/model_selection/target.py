"""Factor of the target kernel, which alignment compares with Gram matrices."""

from typing import Any

import numpy as np

from mercer._typing import DoubleArray
from mercer._validation import as_labels, check_finite, describe
from mercer.data.frames import as_series

__all__ = ["target_factor"]


def target_factor(who: str, y: Any, task: str) -> DoubleArray:
    """Return U of shape (n, r) with zero column sums, such that UUᵀ is the centred kernel of the target.

    For numbers, U is the centred target. For classes, U has one column per class with 1/√(size of the class) at its
    samples, centred.

    >>> target_factor("alignment", ["a", "b", "b"], "auto").shape
    (3, 2)
    """
    series = as_series(y)
    values = as_labels(who, y if series is None else series.to_numpy())
    numeric = values.dtype.kind == "f" if task == "auto" else task == "regression"
    factor = _numbers(who, values) if numeric else _classes(who, values)
    factor -= factor.mean(axis=0)
    return factor


def _numbers(who: str, values: Any) -> DoubleArray:
    if values.dtype.kind not in "fiub" or values.ndim not in (1, 2):
        raise TypeError(
            f"{who}: y must be numbers of shape (n_samples,) or (n_samples, n_outputs), got {describe(values)}."
        )
    if not values.size:
        raise ValueError(f"{who}: y is empty ({describe(values)}), expected a number for each sample.")
    columns = values.astype(np.float64).reshape(len(values), -1)
    check_finite(who, "y", columns)
    if len(columns) < 2 or (columns == columns[0]).all():
        raise ValueError(f"{who}: y is constant ({len(columns)} samples), so that no kernel can be aligned with it.")
    return np.asarray(columns)


def _classes(who: str, values: Any) -> DoubleArray:
    if values.ndim != 1:
        raise ValueError(f"{who}: y must be one class for each sample, got {describe(values)}.")
    classes, label, sizes = np.unique(values, return_inverse=True, return_counts=True)
    if len(classes) < 2:
        raise ValueError(
            f"{who}: y has {len(classes)} class, expected at least two, so that kernels can be aligned with it."
        )
    factor = np.zeros((len(values), len(classes)))
    factor[np.arange(len(values)), label] = 1 / np.sqrt(sizes[label])
    return factor
