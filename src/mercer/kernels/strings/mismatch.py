"""Mismatch kernel: common k-mers of two strings, up to some mismatches."""

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

KEY_BITS = 64  # one of which is the leading bit


@lru_cache(maxsize=64)
def common_neighbours(p: int, m: int, size: int) -> tuple[float, ...]:
    """Number of k-mers of length p within m mismatches of both of two k-mers at distance 0, 1, …, min(p, 2m).

    At the d positions where the two k-mers differ, a third one agrees with the first in i, with the second in j, and
    with neither in r = d − i − j. At the other positions it differs from both in e.

    >>> common_neighbours(2, 1, 4)
    (7.0, 4.0, 2.0)
    """
    most = m if size > 2 else 0  # positions where a k-mer can differ from both

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
    """Mismatch kernel  k(s, t) = Σ_u c_u(s) c_u(t) over all k-mers u of length p over the alphabet.

    c_u counts the windows that differ from u in at most m positions. Equivalently k(s, t) = Σ_a Σ_b w(h(a, b)) over
    windows a of s and b of t, where h is the Hamming distance and w(d) is the number of k-mers within m mismatches of
    both of two windows at distance d.

    Parameters
    ----------
    p : int, default=3
        Length of the k-mers, 1 ≤ p ≤ 255.
    m : int, default=1
        Number of mismatches, 0 ≤ m < p.
    case : {"keep", "upper", "lower"}, default="keep"
        Case folding, applied before anything else.
    alphabet : {"dna", "rna", "protein"}, str or sequence of str, default=None
        Symbols of the k-mers u: a named alphabet, a string with the symbols, or a sequence of tokens. With None, the
        symbols of the training data.
    outside : {"break", "error"}, default="break"
        Treatment of symbols outside the alphabet. "break": windows with one of them are left out. "error": they raise
        ValueError. "keep" is not possible for this kernel.
    method : {"auto", "features", "pairs"}, default="auto"
        Computation of Gram matrices. "features": sparse product of explicit features. "pairs": dynamic programming for
        each pair of strings. "auto": the faster of both by an estimate on the training data. The values are the same.
    reverse_complement : bool, default=False
        Whether to add the other strand: k(s, t) + k(s, t'), where t' is the reverse complement of t. Requires
        ``alphabet="dna"`` or ``"rna"``.

    See Also
    --------
    Spectrum : Exact k-mers, m = 0.
    Gapped : K-mers with gaps at fixed positions, independent of the alphabet.

    Notes
    -----
    PSD: an inner product of counts. The feature map φ(s) = (c_u(s))_u has one feature for each k-mer near a
    window. All values are exact integers up to 2⁵³. Strings shorter than p have no windows: k is 0, and so is the
    normalised kernel.

    Complexity: pair by pair O(n n') for strings of n and n' symbols, independent of m and of the alphabet, 32 cells at
    a time. With explicit features, Σ_{i≤m} C(p, i)(A − 1)^i features per window for an alphabet of A symbols.

    References
    ----------
    * Leslie, Eskin, Cohen, Weston & Noble, *Mismatch string kernels for discriminative protein classification*,
      Bioinformatics 20, 2004, doi:10.1093/bioinformatics/btg431.
    * Kuksa, Huang & Pavlovic, *Scalable algorithms for string kernels with inexact matching*, NIPS 21, 2008.

    Examples
    --------
    >>> Mismatch(2, 1, alphabet="dna")(["AC", "AG", "GT"])  # only AT and GC are near both AC and GT
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
                "Mismatch: outside='keep' is not possible, because the k-mers are those over the alphabet; "
                "pass an alphabet with all symbols that count."
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
                raise ValueError("Mismatch: the strings have no symbols to take the alphabet from; pass alphabet=.")
            text = found.decode("latin-1") if isinstance(found, bytes) else found
            return replace(self, alphabet=text)._resolve(X, sample_weight)
        if self.p * self._bits >= KEY_BITS:
            return replace(self, method="pairs")
        return super().resolved(X, sample_weight)

    # ---- features

    @property
    def _bits(self) -> int:
        """Bits per symbol of a key."""
        return max(1, (self._size - 1).bit_length())

    def rows(self, A: Strands) -> KeyedRows:
        if self.p * self._bits >= KEY_BITS:
            raise ValueError(
                f"Mismatch: k-mers of {self.p} symbols of {self._bits} bits do not fit into the 63 bits of a key; "
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
            Definiteness.PSD, "an inner product of k-mer counts up to m mismatches", "Leslie et al. 2004"
        )
