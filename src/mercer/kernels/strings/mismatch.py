"""The mismatch kernel: words that two strings nearly have in common."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Any, ClassVar, Self, final

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import thread_count
from mercer._runtime.limits import require_memory
from mercer._typing import Data, FloatArray
from mercer._validation import check_integer
from mercer.data.hashing.texts import hash_texts
from mercer.data.strings.alphabet import as_alphabet
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.keyed import KeyArray, KeyedRows
from mercer.kernels.strings.hamming import ENTRY_BYTES, HammingKernel, finite_weights
from mercer.kernels.strings.strands import Strands, merged

__all__ = ["Mismatch"]

KEY_BITS = 64  # one of which leads


@lru_cache(maxsize=64)
def common_neighbours(p: int, m: int, size: int) -> tuple[float, ...]:
    """How many words of length p lie within m mismatches of both of two words at distance 0, 1, ..., min(p, 2m).

    A word agrees with one of the two in i, with the other in j of the d places where they differ, and leaves both in
    the remaining r = d − i − j; elsewhere it leaves both in e places.

    >>> common_neighbours(2, 1, 4)
    (7.0, 4.0, 2.0)
    """
    most = m if size > 2 else 0  # places where a word can leave both

    pascal = [[math.comb(n, k) for k in range(n + 1)] for n in range(p + 1)]

    def count(d: int) -> int:
        elsewhere = list(accumulate(math.comb(p - d, e) * (size - 1) ** e for e in range(m + 1)))
        total = 0
        for r in range(min(d, most) + 1):
            row, places = pascal[d - r], range(max(0, d - m), min(d - r, m - r) + 1)
            total += pascal[d][r] * (size - 2) ** r * sum(row[i] * elsewhere[m - max(d - i, r + i)] for i in places)
        return total

    what = f"p = {p} and m = {m} with {size} symbols"
    return finite_weights("Mismatch", (count(d) for d in range(min(p, 2 * m) + 1)), what)


@final
@dataclass(frozen=True)
class Mismatch(HammingKernel):
    r"""Mismatch kernel  k(s, t) = Σ_u c_u(s) c_u(t) over all words u of length p over the alphabet.

    c_u counts the windows that differ from u in at most m places. Equally k(s, t) = Σ_a Σ_b w(h(a, b)) over windows a
    of s and b of t, with the number w(d) of words near both of two windows at Hamming distance d.

    Parameters
    ----------
    p : int
        Length of the words.
    m : int
        Number of mismatches, less than p.
    method : {"auto", "features", "pairs"}
        How Gram matrices are computed: by a sparse product of explicit features, pair by pair, or as an estimate on the
        training data says. The values are the same.
    reverse_complement : bool
        Whether to add the other strand, k(s, t) + k(s, t') with t' the reverse complement of t; needs
        ``alphabet="dna"`` or ``"rna"``.
    alphabet : {"dna", "rna", "protein"}, str with the symbols, or sequence of tokens, optional
        The symbols of the words; by default those of the training data.
    case, outside
        See `StringOptions`; ``outside="keep"`` is not possible.

    Notes
    -----
    Pair by pair O(|s||t|), whatever m and the alphabet are, 32 cells at a time. By features
    Σ_{i≤m} C(p, i)(A − 1)^i entries per window, with A symbols. All values are exact integers up to 2⁵³. PSD. Strings
    shorter than p have no windows: k is 0, and so is its normalised form.

    References
    ----------
    Leslie, Eskin, Cohen, Weston & Noble 2004, Mismatch string kernels for discriminative protein classification,
    doi:10.1093/bioinformatics/btg431. Kuksa, Huang & Pavlovic 2008, Scalable algorithms for string kernels with inexact
    matching.

    Examples
    --------
    >>> Mismatch(2, 1, alphabet="dna")(["AC", "AG", "GT"])  # near AC and GT are only AT and GC
    array([[7., 4., 2.],
           [4., 7., 2.],
           [2., 2., 7.]])
    """

    name: ClassVar[str] = "mismatch"
    formula: ClassVar[str] = "Σ_a Σ_b w(h(a,b))"
    p: int = 3
    m: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        p = check_integer("Mismatch", "p", self.p, low=1, high=255)
        self._set(p=p, m=check_integer("Mismatch", "m", self.m, low=0, high=p - 1))
        if self.outside == "keep":
            raise ValueError(
                "Mismatch: outside='keep' has no meaning, because the words are those over the alphabet; "
                "give an alphabet with all symbols that count."
            )
        if self.alphabet is not None:
            self.weights()

    @property
    def is_resolved(self) -> bool:
        return super().is_resolved and self.alphabet is not None

    @property
    def _size(self) -> int:
        if isinstance(self.alphabet, tuple):
            return len(set(self.alphabet))
        return len(as_alphabet(self.alphabet, "Mismatch").points)

    @property
    def width(self) -> int:
        return self.p

    def weights(self) -> tuple[float, ...]:
        return common_neighbours(self.p, self.m, self._size)

    @property
    def entries(self) -> int:
        return sum(math.comb(self.p, i) * (self._size - 1) ** i for i in range(self.m + 1))

    def possible(self, size: int) -> int:
        return int(self._size**self.p)

    def resolved(self, X: Data, sample_weight: FloatArray | None) -> Self:
        if self.alphabet is None:
            found = self.strings(X).alphabet
            if len(found) == 0:
                raise ValueError("Mismatch: the strings have no symbols, so they tell no alphabet; give one.")
            text = found.decode("latin-1") if isinstance(found, bytes) else found
            return replace(self, alphabet=text)._resolve(X, sample_weight)
        if self.p * self._bits >= KEY_BITS:
            return replace(self, method="pairs")
        return super().resolved(X, sample_weight)

    # ---- features

    @property
    def _bits(self) -> int:
        """Bits of a symbol in a key."""
        return max(1, (self._size - 1).bit_length())

    def rows(self, A: Strands) -> KeyedRows:
        if self.p * self._bits >= KEY_BITS:
            raise ValueError(
                f"Mismatch: words of {self.p} symbols of {self._bits} bits do not fit into the 63 bits of a key; "
                "use method='pairs', which needs no features."
            )
        pieces, owner = A.pieces
        windows = int(np.maximum(pieces.lengths - self.p + 1, 0).sum())
        require_memory(
            ENTRY_BYTES * windows * self.entries,
            what=f"Mismatch: up to {self.entries} features for each of {windows} windows",
            instead="Use method='pairs', which needs no features.",
        )
        symbols = self._symbols()[0]
        kind = np.uint8 if len(symbols) <= 256 else np.uint32
        ranks: Any = np.searchsorted(symbols, pieces.codes).astype(kind)
        rule = (self.p, self.m, len(symbols), self._bits)
        found = _core.keyed_neighbourhoods(ranks, pieces.offsets, None, *rule, thread_count())
        return merged(KeyedRows._of(*found), owner, len(A))

    def _symbols(self) -> tuple[Any, list[str]]:
        """Codes of the alphabet, ascending, and the text of each."""
        if isinstance(self.alphabet, tuple):
            texts = hash_texts("Mismatch", self.alphabet)[1]
            codes = np.array(sorted(texts), dtype=np.uint64)
            return codes, [texts[code] for code in codes.tolist()]
        points = as_alphabet(self.alphabet, "Mismatch").points
        return points, [chr(point) for point in points.tolist()]

    def names(self, A: Strands, keys: KeyArray) -> list[str]:
        texts = self._symbols()[1]
        shifts = np.arange(self.p)[::-1] * self._bits
        ranks = keys[:, None] >> shifts.astype(np.uint64) & np.uint64(2**self._bits - 1)
        between = " " if A.forward.granularity == "token" else ""
        return [between.join(texts[rank] for rank in row) for row in ranks.tolist()]

    def proof(self) -> Certificate:
        return self._certify(
            Definiteness.PSD, "an inner product of the counts of words up to m mismatches", "Leslie et al. 2004"
        )
