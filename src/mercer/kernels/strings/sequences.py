"""Packed strings as the core reads them."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mercer._typing import IndexArray
from mercer._validation import Rebuilt, check_array, check_rows
from mercer.data.hashing.texts import used_texts
from mercer.data.packed import gather
from mercer.data.strings.alphabet import distinct, look_up
from mercer.data.strings.checks import check_strings
from mercer.data.strings.symbols import Granularity

__all__ = ["Sequences", "aligned"]

MOST = 254  # symbols that fit into a byte, besides the two codes for symbols outside the alphabet


@dataclass(frozen=True, eq=False)
class Sequences(Rebuilt):
    """Concatenated codes of strings, with a mask of the symbols in the alphabet.

    Attributes
    ----------
    codes : ndarray of uint8, uint32 or uint64
        Symbols, as in `mercer.data.Strings`.
    offsets : ndarray of int64 of shape (n_strings + 1,)
        String i is ``codes[offsets[i]:offsets[i + 1]]``.
    inside : ndarray of bool or None
        Which symbols belong to the alphabet; None if all do. Others match nothing, not even themselves.
    granularity : {"character", "byte", "token"}
        Kind of symbols, as in `mercer.data.Strings`.
    texts : dict of int to str
        Text of each token, as in `mercer.data.Strings`.
    """

    codes: npt.NDArray[Any]
    offsets: IndexArray
    inside: npt.NDArray[np.bool_] | None = None
    granularity: Granularity = "character"
    texts: dict[int, str] = field(default_factory=dict)

    def _validated(self) -> dict[str, Any]:
        strings = {name: getattr(self, name) for name in ("codes", "offsets", "granularity", "texts")}
        own, inside = check_strings("Sequences", **strings), self.inside
        if inside is not None:
            inside = check_array("Sequences", "inside", inside, np.bool_, own["codes"].shape)
        return {name: own[name] for name in strings} | {"inside": inside}

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, rows: Any) -> "Sequences":
        if isinstance(rows, slice):
            chosen = range(len(self))[rows]
            rows = chosen if chosen.step == 1 else np.asarray(chosen, dtype=np.int64)
        else:
            rows = check_rows("Sequences", rows, len(self))
        flats = (self.codes,) if self.inside is None else (self.codes, self.inside)
        offsets, codes, *inside = gather(self.offsets, rows, *flats)
        return replace(self, codes=codes, offsets=offsets, inside=inside[0] if inside else None)

    def compact(self) -> "Sequences":
        """The same strings without texts of tokens that do not occur in them."""
        return replace(self, texts=used_texts(self.texts, self.codes)) if self.texts else self

    @property
    def lengths(self) -> IndexArray:
        """Number of symbols of every string."""
        return np.diff(self.offsets)

    @cached_property
    def symbols(self) -> npt.NDArray[Any]:
        """Distinct codes, ascending, including those outside the alphabet."""
        return np.unique(self.codes) if self.codes.dtype == np.uint64 else distinct(self.codes)


def aligned(A: Sequences, B: Sequences) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Codes of two sets of strings that are equal exactly where their symbols match.

    Both are ranks among the symbols of both sides, as uint8 if possible (for the fast loops), else uint32. Symbols
    outside the alphabet become the two largest numbers, one on each side, so that they match nothing.

    >>> A = Sequences(np.array([65, 78, 67], dtype=np.uint8), np.array([0, 3]), np.array([True, False, True]))
    >>> left, right = aligned(A, A)
    >>> (left == right).tolist()
    [True, False, True]
    """
    symbols = np.union1d(A.symbols, B.symbols)
    kind = np.uint8 if len(symbols) <= MOST else np.uint32
    largest = np.iinfo(kind).max
    return _ranked(A, symbols, kind(largest)), _ranked(B, symbols, kind(largest - 1))


def _ranked(sequences: Sequences, symbols: npt.NDArray[Any], outside: Any) -> npt.NDArray[Any]:
    kind, codes = type(outside), sequences.codes
    if codes.dtype == np.uint64:
        ranks = np.searchsorted(symbols, codes).astype(kind)
    else:
        table = np.zeros(int(symbols[-1]) + 1 if len(symbols) else 1, dtype=kind)
        table[symbols] = np.arange(len(symbols))
        ranks = look_up(table, codes)
    if sequences.inside is not None:
        ranks[~sequences.inside] = outside
    return ranks
