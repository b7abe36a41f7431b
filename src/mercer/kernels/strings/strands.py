"""Strings with their reverse complements, split at symbols outside the alphabet."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from mercer._typing import IndexArray
from mercer._validation import Rebuilt
from mercer.kernels.keyed import KeyedRows
from mercer.kernels.strings.sequences import Sequences

__all__ = ["Strands", "merged"]


@dataclass(frozen=True, eq=False)
class Strands(Rebuilt):
    """Strings and their reverse complements.

    Attributes
    ----------
    forward : Sequences
        The strings.
    backward : Sequences or None
        Reverse complements, if both strands count.
    """

    forward: Sequences
    backward: Sequences | None = None

    def _validated(self) -> dict[str, Any]:
        for sequences in (self.forward, self.forward if self.backward is None else self.backward):
            if not isinstance(sequences, Sequences) or len(sequences) != len(self.forward):
                raise ValueError("Strands: expected Sequences of equal number for both strands.")
        return {}

    def __len__(self) -> int:
        return len(self.forward)

    def __getitem__(self, rows: Any) -> "Strands":
        return Strands(self.forward[rows], None if self.backward is None else self.backward[rows])

    def compact(self) -> "Strands":
        """The same strings without texts of tokens that do not occur in them."""
        return Strands(self.forward.compact(), None if self.backward is None else self.backward.compact())

    @cached_property
    def joined(self) -> Sequences:
        """All strings in one list, reverse complements last."""
        first, last = self.forward, self.backward
        if last is None:
            return first
        inside = None
        if first.inside is not None and last.inside is not None:  # the complement of N is N
            inside = np.concatenate([first.inside, last.inside])
        offsets = np.concatenate([first.offsets, last.offsets[1:] + (first.offsets[-1] - last.offsets[0])])
        return replace(first, codes=np.concatenate([first.codes, last.codes]), offsets=offsets, inside=inside)

    @cached_property
    def pieces(self) -> tuple[Sequences, IndexArray]:
        """Runs of symbols in the alphabet, of both strands, and the string that each belongs to."""
        all_strings = self.joined
        owner = np.arange(len(all_strings), dtype=np.int64)
        if all_strings.inside is None:
            return all_strings, owner % len(self) if len(self) else owner
        inside = all_strings.inside
        begins = inside & ~np.concatenate([[False], inside[:-1]])
        begins[all_strings.offsets[:-1][all_strings.lengths > 0]] = True
        begins &= inside
        of = np.repeat(owner, all_strings.lengths)
        lengths_before = np.cumsum(inside)  # new position of a kept symbol, plus one
        offsets = np.concatenate([lengths_before[begins] - 1, lengths_before[-1:]]).astype(np.int64)
        kept = replace(all_strings, codes=all_strings.codes[inside], offsets=offsets, inside=None)
        return kept, of[begins] % len(self)


def merged(rows: KeyedRows, owner: IndexArray, n: int) -> KeyedRows:
    """Rows of n strings from the rows of their pieces; values of equal keys are added.

    >>> pieces = KeyedRows(np.array([0, 2, 3]), np.array([3, 9, 9], dtype=np.uint64), np.array([1.0, 2.0, 5.0]))
    >>> whole = merged(pieces, np.array([1, 1]), 2)
    >>> whole.indptr.tolist(), whole.keys.tolist(), whole.values.tolist()
    ([0, 0, 2], [3, 9], [1.0, 7.0])
    """
    if len(owner) == n and (owner == np.arange(n)).all():
        return rows
    row = np.repeat(owner, np.diff(rows.indptr))
    order = np.lexsort((rows.keys, row))
    row, keys = row[order], rows.keys[order]
    fresh = np.ones(len(keys), dtype=bool)
    fresh[1:] = (row[1:] != row[:-1]) | (keys[1:] != keys[:-1])
    starts = np.flatnonzero(fresh)
    values = np.add.reduceat(rows.values[order], starts) if len(starts) else rows.values[:0]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row[starts], minlength=n))]).astype(np.int64)
    return KeyedRows._of(indptr, keys[starts], values)
