"""The gapped kernel: words in which some positions are left open."""

import math
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, ClassVar, Self, final

import numpy as np

from mercer._runtime.limits import require_memory
from mercer._typing import Data, FloatArray
from mercer._validation import check_integer
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.keyed import KeyArray, KeyedRows
from mercer.kernels.program import Builder, Op
from mercer.kernels.strings.base import StringOptions
from mercer.kernels.strings.hamming import ENTRY_BYTES, HammingKernel, finite_weights
from mercer.kernels.strings.strands import Strands, merged
from mercer.kernels.strings.windows import Template, Windows
from mercer.kernels.vocabulary import KeyedKernel

__all__ = ["Gapped"]

Positions = tuple[int, ...]
SET_BYTES, POSITION_BYTES = 300, 40  # what a set of positions takes on its way to the core, and each of its members
LISTED = 1_000_000  # sets of positions up to which a sample is drawn from the list of all


@lru_cache(maxsize=16)
def kept_positions(g: int, m: int, n_samples: int | None, seed: int) -> tuple[Positions, ...]:
    """Sets of g − m kept positions: all of them, or a sample without replacement that depends on nothing else.

    Only raw bits of PCG64 are used, whose stream NumPy promises to keep.

    >>> kept_positions(3, 1, None, 0)
    ((0, 1), (0, 2), (1, 2))
    """
    total = math.comb(g, m)
    if n_samples is None or n_samples == total:
        return tuple(combinations(range(g), g - m))
    bits = np.random.PCG64(seed)
    if total <= LISTED:
        chosen = set(np.argsort(bits.random_raw(total), kind="stable")[:n_samples].tolist())
        return tuple(kept for i, kept in enumerate(combinations(range(g), g - m)) if i in chosen)
    drawn: set[Positions] = set()
    while len(drawn) < n_samples:
        drawn.add(tuple(np.sort(np.argsort(bits.random_raw(g), kind="stable")[: g - m]).tolist()))
    return tuple(sorted(drawn))


@final
@dataclass(frozen=True)
class Gapped(HammingKernel):
    r"""Gapped kernel  k(s, t) = Σ_a Σ_b C(g − h(a, b), g − m) over windows a of s and b of t of length g.

    h is the Hamming distance. The binomial counts the choices of g − m positions on which a and b agree: k is the inner
    product of counts of words of length g with m positions left open ("gapped k-mers", k = g − m).

    Parameters
    ----------
    g : int
        Length of the windows.
    m : int
        Number of open positions, less than g.
    method : {"auto", "features", "pairs"}
        How Gram matrices are computed: by a sparse product of explicit features, pair by pair, or as an estimate on the
        training data says. The values are the same.
    n_samples : int, optional
        Monte-Carlo: keep only this many of the C(g, m) choices of open positions, drawn without replacement, and scale
        up. An unbiased estimate of k, itself PSD, the same for all data; `standard_error` tells how far off it may be.
    random_state : int
        Of the draw.
    reverse_complement : bool
        Whether to add the other strand, k(s, t) + k(s, t') with t' the reverse complement of t; needs
        ``alphabet="dna"`` or ``"rna"``.
    case, alphabet, outside
        Which symbols count, see `StringOptions`; by default all do.

    Notes
    -----
    Pair by pair O(|s||t|), whatever m and the alphabet are, 32 cells at a time. By features O(C(g, m)) entries per
    window. All values are exact integers up to 2⁵³. PSD. Strings shorter than g have no windows: k is 0, and so is its
    normalised form.

    References
    ----------
    Ghandi, Lee, Mohammad-Noori & Beer 2014, Enhanced regulatory sequence prediction using gapped k-mer features,
    doi:10.1371/journal.pcbi.1003711. Blakely et al. 2020, FastSK, doi:10.1093/bioinformatics/btaa817.

    Examples
    --------
    >>> Gapped(3, 1)(["GATTA", "GACTA"])
    array([[9., 3.],
           [3., 9.]])
    >>> from mercer.kernels import Spectrum
    >>> bool((Gapped(3, 0)(["GATTA", "ATTAC"]) == Spectrum(3)(["GATTA", "ATTAC"])).all())
    True
    """

    name: ClassVar[str] = "gapped"
    formula: ClassVar[str] = "Σ_a Σ_b C(g−h(a,b), g−m)"
    g: int = 10
    m: int = 4
    _: KW_ONLY
    n_samples: int | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        g = check_integer("Gapped", "g", self.g, low=1, high=10_000)
        self._set(g=g, m=check_integer("Gapped", "m", self.m, low=0, high=g - 1))
        self._set(random_state=check_integer("Gapped", "random_state", self.random_state))
        if self.n_samples is not None:
            if self.method == "pairs":
                raise ValueError(
                    "Gapped: n_samples draws explicit features, so it goes with method='features', got 'pairs'."
                )
            most = math.comb(g, self.m)
            self._set(n_samples=check_integer("Gapped", "n_samples", self.n_samples, low=1, high=most))
        self.weights()

    @property
    def width(self) -> int:
        return self.g

    def weights(self) -> tuple[float, ...]:
        weights = (math.comb(self.g - d, self.g - self.m) for d in range(self.m + 1))
        return finite_weights("Gapped", weights, f"g = {self.g} and m = {self.m}")

    @property
    def entries(self) -> int:
        return self.n_samples or math.comb(self.g, self.m)

    def possible(self, size: int) -> int:
        return int(self.entries * size ** (self.g - self.m))

    @property
    def factor(self) -> float:
        return super().factor * math.comb(self.g, self.m) / self.entries

    def resolved(self, X: Data, sample_weight: FloatArray | None) -> Self:
        if self.n_samples is not None:
            return self.with_params(method="features")  # type: ignore[return-value]
        return super().resolved(X, sample_weight)

    # ---- features

    def _windows(self, sets: tuple[Positions, ...]) -> Windows:
        # The positions as a binary number keep words of different sets apart; whole words need nothing.
        salts = [0 if self.m == 0 else sum(1 << k for k in kept) % (2**61 - 1) + 1 for kept in sets]
        templates = [Template(self.g, kept, salt=salt) for kept, salt in zip(sets, salts, strict=True)]
        return Windows(templates, self.closed)

    def counts(self, A: Strands, sets: tuple[Positions, ...]) -> KeyedRows:
        """Occurrences of words that are read at some sets of positions, on all strands."""
        pieces, owner = A.pieces
        return merged(self._windows(sets).rows(pieces), owner, len(A))

    def _sets(self) -> tuple[Positions, ...]:
        return kept_positions(self.g, self.m, self.n_samples, self.random_state)

    def _require_sets(self) -> None:
        """Refuse more sets of positions than can be listed, or drawn one by one."""
        require_memory(
            self.entries * (SET_BYTES + POSITION_BYTES * (self.g - self.m)),
            what=f"Gapped: {self.entries} sets of {self.g - self.m} of {self.g} positions",
            instead="Use method='pairs', which needs no features, or a smaller n_samples for an estimate.",
        )

    def rows(self, A: Strands) -> KeyedRows:
        windows = int(np.maximum(A.joined.lengths - self.g + 1, 0).sum())
        if windows == 0:  # nothing to read, whatever the number of sets
            return KeyedRows(np.zeros(len(A) + 1, dtype=np.int64), np.empty(0, dtype=np.uint64), np.empty(0))
        self._require_sets()
        require_memory(
            ENTRY_BYTES * windows * self.entries,
            what=f"Gapped: {self.entries} features for each of {windows} windows",
            instead="Use method='pairs', which needs no features, or n_samples for an estimate.",
        )
        return self.counts(A, self._sets())

    def names(self, A: Strands, keys: KeyArray) -> list[str]:
        return self._windows(self._sets()).names(A.pieces[0], keys)

    def standard_error(self, X: Data, Y: Data = None) -> FloatArray:
        """Standard error of every entry of the Monte-Carlo estimate k(X, Y), shape (n_X, n_Y); 0 if nothing is drawn.

        From the spread of the kernels of the single sets that were drawn, with the correction for drawing T of
        C = C(g, m) without replacement: C √((1 − T/C)/T) times their sample standard deviation. Holds three matrices
        of this shape.

        >>> words = ["GATTACA", "GATCACA"]
        >>> Gapped(4, 2, n_samples=6).standard_error(words)  # all sets are drawn
        array([[0., 0.],
               [0., 0.]])
        """
        self._require_sets()
        draws, total = self.entries, math.comb(self.g, self.m)
        left = self.strings(X)
        right = None if Y is None else self.strings(Y)
        shape = (len(left), len(left if right is None else right))
        sums = np.zeros(shape)
        if draws == total:
            return sums
        if draws == 1:
            raise ValueError("Gapped: a standard error needs n_samples of at least 2, got 1.")
        squares, block = np.zeros(shape), np.empty(shape)
        for kept in self._sets():
            _Single(self, kept)(left, right, out=block)
            sums += block
            np.square(block, out=block)
            squares += block
        np.square(sums, out=sums)
        sums /= draws
        squares -= sums
        np.maximum(squares, 0.0, out=squares)
        squares *= total * (total - draws) / (draws * (draws - 1))
        return np.sqrt(squares, out=squares)

    def proof(self) -> Certificate:
        return self._certify(
            Definiteness.PSD, "an inner product of the counts of words with open positions", "Ghandi et al. 2014"
        )


@dataclass(frozen=True)
class _Single(KeyedKernel):
    """The part of a gapped kernel that one set of positions contributes."""

    reads: ClassVar[Any] = StringOptions.reads
    whole: Gapped
    kept: Positions

    def pack(self, X: Data) -> Strands:
        return self.whole.pack(X)

    def rows(self, A: Strands) -> KeyedRows:
        return self.whole.counts(A, (self.kept,))

    def names(self, A: Strands, keys: KeyArray) -> list[str]:
        return self.whole._windows((self.kept,)).names(A.pieces[0], keys)

    def emit(self, program: Builder, X: Data) -> None:
        super().emit(program, X)
        if self.whole.reverse_complement:
            program.map(Op.affine, 0.5)
