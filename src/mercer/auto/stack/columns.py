"""Views of prepared tables: one matrix of numbers and codes of categories, from which kernels are learned."""

from typing import Any, Literal, Self

import numpy as np
from scipy.special import ndtri
from sklearn.base import BaseEstimator

from mercer._typing import DoubleArray
from mercer.data import Table

__all__ = ["ColumnView"]

CLIP = 8.0  # largest absolute z-score: outliers of a test sample stay comparable
KNOTS = 1000  # largest number of quantiles of a column
LEVELS = 20  # most frequent categories of a column that the embedding distinguishes
TAIL = 0.002  # ranks are clipped to [TAIL, 1 − TAIL], normal scores to ±2.9


class ColumnView(BaseEstimator):  # type: ignore[misc]
    """A table of numbers and categories as one matrix, with codes in the columns of categories.

    Parameters
    ----------
    scale : {"z", "rank"}, default="z"
        Numbers as z-scores, clipped at ±8, or as normal scores of their ranks among the training samples.
    flags : tuple of str, default=()
        Columns of zeros and ones that mark missing values. They are treated as categories.

    Attributes
    ----------
    names_ : list of str
        Columns of the matrix: numbers first, then categories. Constant columns are left out.
    categorical_ : list of int
        Positions of the categories.
    means_, scales_ : ndarray of shape (n_numbers,)
        Means and standard deviations.
    knots_ : list of pairs of ndarray
        Quantiles of each number and their normal scores; empty for z-scores.
    levels_ : list of ndarray
        Codes of the most frequent categories of each categorical column.
    """

    def __init__(self, scale: Literal["z", "rank"] = "z", flags: tuple[str, ...] = ()) -> None:
        self.scale = scale
        self.flags = flags

    def fit(self, table: Table) -> Self:
        """Learn means, scales and quantiles."""
        numbers = [n for n, kind in zip(table.names, table.kinds, strict=True) if kind == "number"]
        varying = {name for name in table.names if np.ptp(_values(table, name)) > 0}
        self._numbers = [name for name in numbers if name not in self.flags and name in varying]
        categories = [name for name in table.names if name in varying and name not in self._numbers]
        self.names_ = [*self._numbers, *categories]
        self.categorical_ = list(range(len(self._numbers), len(self.names_)))
        self.knots_: list[tuple[DoubleArray, DoubleArray]] = []
        columns = [_values(table, name) for name in self._numbers]
        if self.scale == "rank":
            self.knots_ = [_knots(column) for column in columns]
        scored = [self._score(j, column) for j, column in enumerate(columns)]
        self.means_ = np.array([column.mean() for column in scored])
        self.scales_ = np.array([column.std() or 1.0 for column in scored])
        self.levels_ = [_frequent(_values(table, name)) for name in categories]
        return self

    def transform(self, table: Table) -> DoubleArray:
        """The matrix of shape (n_samples, n_columns)."""
        out = np.empty((len(table), len(self.names_)))
        for j, name in enumerate(self.names_):
            column = _values(table, name)
            if j < len(self._numbers):
                column = np.clip((self._score(j, column) - self.means_[j]) / self.scales_[j], -CLIP, CLIP)
            out[:, j] = column
        return out

    def embed(self, X: DoubleArray, weights: DoubleArray, p: float) -> DoubleArray:
        """Points whose Euclidean distances follow the weighted distances of the columns, for the splits of a tree.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_columns)
            Matrix returned by `transform`.
        weights : ndarray of shape (n_columns,)
            Weights of the columns.
        p : float
            Exponent of the differences.

        Returns
        -------
        ndarray of shape (n_samples, n_dimensions)
            Numbers times w^(1/p), and indicators of frequent categories times √w.
        """
        d = len(self._numbers)
        parts = [X[:, :d] * weights[:d] ** (1 / p)]
        for j, levels in zip(self.categorical_, self.levels_, strict=True):
            parts.append(np.equal.outer(X[:, j], levels) * np.sqrt(weights[j]))
        return np.hstack(parts)

    def _score(self, j: int, column: DoubleArray) -> DoubleArray:
        if self.scale == "z":
            return column
        values, scores = self.knots_[j]
        return np.interp(column, values, scores)


def _values(table: Table, name: str) -> Any:
    """Numbers, or codes of categories."""
    return table.columns[table.names.index(name)].values


def _knots(column: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
    """Distinct values and the normal scores of their mid-ranks, at most `KNOTS` of them."""
    values, counts = np.unique(column, return_counts=True)
    ranks = (np.cumsum(counts) - 0.5 * counts) / counts.sum()
    picked = np.unique(np.linspace(0, len(values) - 1, KNOTS).astype(int))
    return values[picked], ndtri(np.clip(ranks[picked], TAIL, 1 - TAIL))


def _frequent(codes: DoubleArray) -> DoubleArray:
    """The most frequent codes."""
    values, counts = np.unique(codes, return_counts=True)
    return np.asarray(values[np.argsort(-counts, kind="stable")[:LEVELS]])
