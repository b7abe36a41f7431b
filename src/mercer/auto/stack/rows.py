"""Division of the rows of a table: rows to learn weights of columns, to rank kernels, and to weight machines."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.auto.sampling import sample_rows

__all__ = ["Rows"]

LEARNED = 700  # rows on which weights are learned
RANKED = 1500  # largest number of rows that rank the kernels
ALL = 1500  # rows up to which every kernel is kept, so that none has to be ranked
FEW = 50  # rows of the rarest class, besides those that teach, down to which kernels are ranked
RARE = 70  # rows of a class that teach weights, if two thirds of the class are as many


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with different roles, so that no choice is made by rows that it was fitted to.

    Parameters
    ----------
    taught : ndarray of int
        Rows that teach weights of columns.
    ranked : ndarray of int
        Rows that rank kernels; none if all kernels are used.
    judged : ndarray of bool of shape (n_samples,)
        Mask of the other rows, whose predictions calibrate and weigh members.
    share : ndarray of shape (n_taught,) or None
        Factors that give the taught rows the distribution of all rows; None if they have it.
    """

    taught: IndexArray
    ranked: IndexArray
    judged: Any
    share: DoubleArray | None = None

    @classmethod
    def divide(
        cls, n: int, labels: IndexArray | None, groups: IndexArray | None, random_state: int, most: int | None = None
    ) -> Self:
        """Divide rows at random.

        Parameters
        ----------
        n : int
            Number of rows.
        labels : ndarray of int of shape (n,) or None
            Positions of the classes; rare classes teach with more than their share. None for regression.
        groups : ndarray of int of shape (n,) or None
            Rows that have the same role.
        random_state : int
            Seed.
        most : int, default=None
            Largest number of rows that teach, up to 700. None: two thirds.
        """
        size, share = min(LEARNED, 2 * n // 3 if most is None else most), None
        if groups is not None:
            taught = _whole_groups(groups, size, random_state)
        elif labels is None:
            taught = sample_rows(np.zeros(n), size, stratify=False, random_state=random_state)
        else:
            taught = _of_every_class(labels, size, random_state)
        if labels is not None:
            share = _restored(labels, taught)
        rest = np.setdiff1d(np.arange(n), taught)
        order = np.random.default_rng(random_state).permutation(rest)
        # Few rows of a class are not divided once more: kernels are then ranked by the rows that taught them.
        enough = labels is None or np.bincount(labels[rest]).min() >= FEW
        ranked = order[: min(RANKED, len(rest) // 2)] if n > ALL and enough else rest[:0]
        judged = np.ones(n, dtype=bool)
        judged[taught] = judged[ranked] = False
        return cls(taught, ranked, judged if judged.any() else ~judged, share)

    def scarcest(self, labels: IndexArray | None) -> int:
        """Number of judged rows of the rarest class; of all judged rows in regression."""
        if labels is None:
            return int(self.judged.sum())
        return int(np.bincount(labels[self.judged], minlength=labels.max() + 1).min())


def _of_every_class(labels: IndexArray, size: int, random_state: int) -> IndexArray:
    """Random rows of every class, more of rare classes than their share."""
    order = np.random.default_rng(random_state).permutation(len(labels))
    counts = np.bincount(labels)
    least = np.minimum(-(-2 * counts // 3), RARE)
    wanted = np.maximum(least, np.floor(counts * (size / len(labels))).astype(int))
    wanted = np.maximum(least, np.floor(wanted * (size / wanted.sum())).astype(int))
    return np.sort(np.concatenate([order[labels[order] == c][:m] for c, m in enumerate(wanted)]))


def _restored(labels: IndexArray, taught: IndexArray) -> DoubleArray | None:
    """Weights that give classes their shares among all rows."""
    here, everywhere = np.bincount(labels[taught], minlength=labels.max() + 1), np.bincount(labels)
    ratio = everywhere / len(labels) / np.maximum(here, 1) * len(taught)
    return None if np.allclose(ratio[here > 0], 1, atol=0.1) else np.asarray(ratio[labels[taught]])


def _whole_groups(groups: IndexArray, size: int, random_state: int) -> IndexArray:
    """Rows of randomly chosen groups, about `size` of them."""
    labels, counts = np.unique(groups, return_counts=True)
    order = np.random.default_rng(random_state).permutation(len(labels))
    chosen = order[np.cumsum(counts[order]) <= size]
    chosen = chosen if len(chosen) else order[:1]
    return np.flatnonzero(np.isin(groups, labels[chosen]))
