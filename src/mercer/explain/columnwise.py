"""Kernels that are functions of sums or products over columns: their terms for single columns."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from mercer._typing import DoubleArray
from mercer.kernels import library as mk
from mercer.kernels.base import Kernel

__all__ = ["ADDITIVE", "DISTANCES", "MULTIPLICATIVE", "OUTER", "Cell", "interaction_cell"]

Cell: TypeAlias = Callable[
    [int, DoubleArray, DoubleArray], DoubleArray
]  # column j of the kernel, x as column, z as row


def _vector(value: Any, width: int) -> DoubleArray:
    """A parameter with one entry for each column."""
    return np.broadcast_to(np.asarray(value, dtype=np.float64), (width,))


def _ratio(numerator: DoubleArray, denominator: DoubleArray) -> DoubleArray:
    """Quotients with 0/0 = 0."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)


def _squares(weights: DoubleArray) -> Cell:
    return lambda j, x, z: weights[j] * (x - z) ** 2


def _rbf(kernel: mk.RBF, width: int) -> Cell:
    return _squares(_vector(kernel.gamma, width))


def _exponential(kernel: mk.Exponential, width: int) -> Cell:
    return _squares(_vector(kernel.gamma, width) ** 2)


def _matern(kernel: mk.Matern, width: int) -> Cell:
    return _squares(2 * kernel.nu * _vector(kernel.gamma, width) ** 2)


def _rational(kernel: mk.RationalQuadratic, width: int) -> Cell:
    return _squares(_vector(kernel.gamma, width) / kernel.alpha)


def _laplacian(kernel: mk.Laplacian, width: int) -> Cell:
    gamma = _vector(kernel.gamma, width)
    return lambda j, x, z: gamma[j] * np.abs(x - z)


def _periodic(kernel: mk.Periodic, width: int) -> Cell:
    period = _vector(kernel.period, width)
    return lambda j, x, z: kernel.gamma * np.sin(np.pi * (np.fmod(x - z, period[j]) / period[j])) ** 2


def _chi2(kernel: mk.Chi2, width: int) -> Cell:  # noqa: ARG001
    return lambda j, x, z: kernel.gamma * _ratio((x - z) ** 2, x + z)  # noqa: ARG005


def _weighted(kernel: mk.WeightedColumns, width: int) -> Cell:
    weights, categorical, p = kernel._column_weights(width), set(kernel.categorical), kernel.p

    def cell(j: int, x: DoubleArray, z: DoubleArray) -> DoubleArray:
        if j in categorical:
            return weights[j] * (x != z)  # type: ignore[no-any-return]
        difference = np.abs(x - z)
        return weights[j] * (difference if p == 1 else difference**p)  # type: ignore[no-any-return]

    return cell


def interaction_cell(kernel: mk.Interactions, width: int) -> Cell:
    """Terms of `Interactions`, divided by the weights of the columns."""
    rates, p = kernel._rates(width), kernel.p

    def cell(j: int, x: DoubleArray, z: DoubleArray) -> DoubleArray:
        if j not in rates:
            return (x == z) * 1.0  # type: ignore[no-any-return]
        return np.exp(-rates[j] * np.abs(x - z) ** p)

    return cell


# Kernels ψ(S) of a sum S ≥ 0 over the columns: the terms of S.
DISTANCES: dict[type[Kernel], Callable[[Any, int], Cell]] = {
    mk.RBF: _rbf,
    mk.Laplacian: _laplacian,
    mk.Periodic: _periodic,
    mk.Chi2: _chi2,
    mk.WeightedColumns: _weighted,
    mk.Exponential: _exponential,
    mk.Matern: _matern,
    mk.RationalQuadratic: _rational,
}


def _matern_of(kernel: mk.Matern, S: DoubleArray) -> DoubleArray:
    root = np.sqrt(S)
    scale = {0.5: 1.0, 1.5: 1 + root, 2.5: 1 + root + S / 3}[kernel.nu]
    return scale * np.exp(-root)  # type: ignore[no-any-return]


# The functions ψ where they are not exp(−S), all with ψ(0) = 1.
OUTER: dict[type[Kernel], Callable[[Any, DoubleArray], DoubleArray]] = {
    mk.WeightedColumns: lambda kernel, S: np.exp(-(S**kernel.g)),
    mk.Exponential: lambda kernel, S: np.exp(-np.sqrt(S)),  # noqa: ARG005
    mk.Matern: _matern_of,
    mk.RationalQuadratic: lambda kernel, S: (1 + S) ** -kernel.alpha,
}


def _plain(function: Callable[[DoubleArray, DoubleArray], DoubleArray]) -> Callable[[Any, int], Cell]:
    """Terms that are the same function for every column."""
    return lambda kernel, width: lambda j, x, z: function(x, z)  # noqa: ARG005


# Kernels that are sums over the columns.
ADDITIVE: dict[type[Kernel], Callable[[Any, int], Cell]] = {
    mk.Linear: _plain(np.multiply),
    mk.Polynomial: _plain(np.multiply),  # the inner product, of which it is a power
    mk.Overlap: lambda kernel, width: lambda j, x, z: (x == z) / width,  # noqa: ARG005
    mk.Intersection: _plain(np.minimum),
    mk.AdditiveChi2: _plain(lambda x, z: _ratio(2 * x * z, x + z)),
    mk.NegativeChi2: _plain(lambda x, z: -_ratio((x - z) ** 2, x + z)),
}

# Kernels that are products over the columns.
MULTIPLICATIVE: dict[type[Kernel], Callable[[Any, int], Cell]] = {
    mk.Delta: _plain(lambda x, z: (x == z).astype(np.float64)),
    mk.Brownian: _plain(np.minimum),
}
