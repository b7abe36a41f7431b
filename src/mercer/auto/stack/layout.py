"""Columns of a prepared matrix: two forms of every number, and codes of categories."""

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from mercer._typing import DoubleArray
from mercer.data import Table
from mercer.explain.hybrids import ALL_SUBSETS

__all__ = ["Layout", "Scale", "embedded", "frequent"]

Scale = Literal["z", "rank"]
LEVELS = 20  # most frequent categories of a column that an embedding distinguishes


@dataclass(frozen=True)
class Layout:
    """Positions of the columns of a matrix.

    Parameters
    ----------
    z : tuple of int
        Numbers as z-scores.
    rank : tuple of int
        The same numbers as normal scores of their ranks.
    codes : tuple of int
        Codes of categories, and of marks of missing values.
    """

    z: tuple[int, ...]
    rank: tuple[int, ...]
    codes: tuple[int, ...]

    @classmethod
    def of(cls, table: Table, ranks: dict[str, str]) -> Self:
        """Layout of a prepared table; columns without variation are left out.

        Parameters
        ----------
        table : Table
            Prepared training samples: numbers and categories.
        ranks : dict of str to str
            Names of the columns of normal scores, by the name of the number.
        """
        at = {name: i for i, name in enumerate(table.names)}
        varying = {name for name, i in at.items() if np.ptp(table.columns[i].values) > 0}
        numbers = [name for name in ranks if name in varying]
        others = [name for name in table.names if name not in ranks and name not in ranks.values()]
        codes = [name for name in others if name in varying]
        return cls(
            tuple(at[name] for name in numbers),
            tuple(at[ranks[name]] for name in numbers),
            tuple(at[name] for name in codes),
        )

    def columns(self, scale: Scale) -> list[int]:
        """Columns that kernels of one form of the numbers read, numbers first."""
        return [*(self.z if scale == "z" else self.rank), *self.codes]

    @property
    def categorical(self) -> list[int]:
        """Positions of the codes among those columns."""
        return list(range(len(self.z), len(self.z) + len(self.codes)))

    @property
    def rotates(self) -> bool:
        """Whether numbers may be rotated: at least two, of so few columns that Shapley values stay exact."""
        return len(self.z) > 1 and len(self.z) + len(self.codes) <= ALL_SUBSETS


def embedded(X: DoubleArray, weights: DoubleArray, p: float, levels: list[DoubleArray]) -> DoubleArray:
    """Points whose Euclidean distances follow weighted distances, in which a tree splits samples.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_columns)
        Columns of a kernel, numbers first.
    weights : ndarray of shape (n_columns,)
        Weights of the columns.
    p : float
        Exponent of the differences.
    levels : list of ndarray
        Frequent codes of each categorical column, see `frequent`.

    Returns
    -------
    ndarray of shape (n_samples, n_dimensions)
        Numbers times w^(1/p), and indicators of frequent categories times √w.
    """
    d = X.shape[1] - len(levels)
    parts = [X[:, :d] * weights[:d] ** (1 / p)]
    parts += [np.equal.outer(X[:, d + j], codes) * np.sqrt(weights[d + j]) for j, codes in enumerate(levels)]
    return np.hstack(parts)


def frequent(codes: DoubleArray) -> DoubleArray:
    """The most frequent codes of a column, at most `LEVELS`."""
    values, counts = np.unique(codes, return_counts=True)
    return np.asarray(values[np.argsort(-counts, kind="stable")[:LEVELS]])
