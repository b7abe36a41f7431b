"""Metrics of columns: roots, transformed samples, and kernels of them as kernels of the samples."""

from typing import Any

import numpy as np

from mercer._runtime.spectra import eigh
from mercer._typing import DoubleArray
from mercer.kernels import RBF, Exponential, Kernel, Laplacian, LinearMap, WeightedColumns

__all__ = ["on_input", "root_of", "times"]

NOTHING = 1e-12  # smaller eigenvalues, relative to the largest, are rounding errors, which a root would enlarge


def root_of(metric: DoubleArray) -> DoubleArray:
    """Symmetric square root of a metric."""
    if metric.ndim == 1:
        return np.sqrt(metric)
    values, vectors = eigh(np.array(metric, order="F"))
    values[values < NOTHING * values[-1]] = 0.0
    return np.asarray((vectors * np.sqrt(values)) @ vectors.T)


def times(X: Any, T: DoubleArray) -> DoubleArray:
    """Samples in the coordinates of a transformation, of which a vector is the diagonal."""
    return np.asarray(X * T if T.ndim == 1 else X @ T)


def on_input(kernel: Kernel, scale: DoubleArray) -> Kernel:
    """Kernel of x and z that equals a kernel of their transformed columns; of scaled ones with weights, if it can."""
    if scale.ndim == 2:
        return LinearMap(kernel, scale)
    match kernel:
        case RBF(gamma=float(gamma)):
            return WeightedColumns(weights=tuple(gamma * scale**2), p=2.0)
        case Exponential(gamma=float(gamma)):
            return WeightedColumns(weights=tuple((gamma * scale) ** 2), p=2.0, g=0.5)
        case Laplacian(gamma=float(gamma)):
            return WeightedColumns(weights=tuple(gamma * scale))
        case WeightedColumns(weights=float(weight), p=p, g=g):
            return WeightedColumns(weights=tuple(weight * scale**p), p=p, g=g)
    return LinearMap(kernel, np.diag(scale))
