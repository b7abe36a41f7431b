"""Kernels of tables: what kernels with numerical and categorical columns have in common."""

from typing import Any

import numpy as np

from mercer._typing import Data, FloatArray
from mercer._validation import check_integer, check_real, describe, is_vector, nonnegative_vector
from mercer.data import Table
from mercer.kernels.sharing import once
from mercer.kernels.vector import VectorKernel

__all__ = ["MixedColumns"]


class MixedColumns(VectorKernel):
    """Base of kernels with weights ≥ 0 of the columns, some of which are categorical."""

    weights: float | tuple[float, ...]
    categorical: tuple[int, ...]

    def _check_columns(self) -> None:
        """Check and store the weights and the indices of categorical columns."""
        who = type(self).__name__
        if is_vector(self.weights):
            weights: Any = nonnegative_vector(who, "weights", self.weights)
        else:
            weights = check_real(who, "weights", self.weights, low=0.0)
        object.__setattr__(self, "weights", weights)
        high = len(weights) - 1 if isinstance(weights, tuple) else None
        object.__setattr__(self, "categorical", _indices(who, self.categorical, high))

    def _numbers(self, X: Data) -> Data:
        """Codes in the place of the categories of a table; columns of both kinds must be where `categorical` says."""
        if not isinstance(X, Table) or all(kind == "number" for kind in X.kinds):
            return X
        for j, (name, kind) in enumerate(zip(X.names, X.kinds, strict=True)):
            if kind != "number" and (kind != "category" or j not in self.categorical):
                raise TypeError(
                    f"{type(self).__name__}: column {name!r} has kind {kind!r}, expected a number; list the position "
                    f"{j} in categorical if it is a category, or leave the column out."
                )
        return once("codes", X, X.codes)

    def _column_weights(self, n_features: int) -> FloatArray:
        """Weight of each column, after a check of the number of columns. A single weight is repeated."""
        who = type(self).__name__
        if isinstance(self.weights, tuple) and len(self.weights) != n_features:
            raise ValueError(
                f"{who}: weights has {len(self.weights)} entries but X has {n_features} features; "
                "give one weight per column, or one number for all columns."
            )
        if self.categorical and self.categorical[-1] >= n_features:
            raise ValueError(
                f"{who}: categorical contains column {self.categorical[-1]} but X has {n_features} "
                "features; give indices of columns of X."
            )
        return np.broadcast_to(np.asarray(self.weights, dtype=np.float64), (n_features,))

    def _active(self, n_features: int) -> tuple[list[int], list[int]]:
        """Numerical and categorical columns with positive weight."""
        active = np.flatnonzero(self._column_weights(n_features)).tolist()
        codes = set(self.categorical)
        return [j for j in active if j not in codes], [j for j in active if j in codes]


def _indices(who: str, given: Any, high: int | None) -> tuple[int, ...]:
    """Check the indices of categorical columns and return them as a tuple."""
    if not is_vector(given):
        raise TypeError(
            f"{who}: categorical must be a sequence of column indices, got {describe(given)}; "
            "write categorical=(2,) for one column."
        )
    found = tuple(check_integer(who, f"categorical[{i}]", j, high=high) for i, j in enumerate(given))
    if len(set(found)) < len(found):
        raise ValueError(f"{who}: categorical must name each column once, got {found}.")
    return tuple(sorted(found))
