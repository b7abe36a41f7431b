"""Gapped k-mer kernel: common k-mers of two strings with some positions left open."""

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
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder
from mercer.kernels.strings.base import StringOptions
from mercer.kernels.strings.hamming import ENTRY_BYTES, HammingKernel, finite_weights
from mercer.kernels.strings.strands import Strands, merged
from mercer.kernels.strings.windows import Template, Windows
from mercer.kernels.vocabulary import KeyedKernel

__all__ = ["Gapped"]

Positions = tuple[int, ...]
SET_BYTES, POSITION_BYTES = 300, 40  # peak memory per set of positions, and per position in it
LISTED = 1_000_000  # up to this number of sets, a sample is drawn from the list of all


@lru_cache(maxsize=16)
def kept_positions(g: int, m: int, n_samples: int | None, seed: int) -> tuple[Positions, ...]:
    """Sets of g − m kept positions: all of them, or a sample without replacement that depends only on the arguments.

    Only raw bits of PCG64 are used, whose stream NumPy guarantees.

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
    """Gapped k-mer kernel  k(s, t) = Σ_a Σ_b C(g − h(a, b), g − m) over windows a of s and b of t of length g.

    h is the Hamming distance. The binomial coefficient counts the choices of g − m positions on which a and b agree: k
    is the inner product of the counts of gapped k-mers, windows of length g with m open positions (k = g − m).

    Parameters
    ----------
    g : int, default=10
        Length of the windows, 1 ≤ g ≤ 10000.
    m : int, default=4
        Number of open positions, 0 ≤ m < g.
    case : {"keep", "upper", "lower"}, default="keep"
        Case folding, applied before anything else.
    alphabet : {"dna", "rna", "protein"}, str or sequence of str, default=None
        Symbols that count: a named alphabet, a string with the symbols, or a sequence of tokens. With None, all symbols
        count.
    outside : {"break", "keep", "error"}, default="break"
        Treatment of symbols outside the alphabet. "break": they match nothing, not even themselves, so that a window
        with one of them is left out. "keep": they count like all others. "error": they raise ValueError.
    method : {"auto", "features", "pairs"}, default="auto"
        Computation of Gram matrices. "features": sparse product of explicit features. "pairs": dynamic programming for
        each pair of strings. "auto": the faster of both by an estimate on the training data. The values are the same.
    reverse_complement : bool, default=False
        Whether to add the other strand: k(s, t) + k(s, t'), where t' is the reverse complement of t. Requires
        ``alphabet="dna"`` or ``"rna"``.
    n_samples : int, default=None
        Monte Carlo estimate: use only this number of the C(g, m) choices of open positions, drawn without replacement,
        and rescale. The estimate is unbiased, PSD and the same for all data; see `standard_error`. With None, all are
        used.
    random_state : int, default=0
        Seed of the draw, ≥ 0.

    See Also
    --------
    Spectrum : Exact k-mers, m = 0.
    Mismatch : K-mers with mismatches.
    Subsequence : Gaps of any width.

    Notes
    -----
    PSD: an inner product of counts. The feature map has one feature for each gapped k-mer that occurs. All
    values are exact integers up to 2⁵³. Strings shorter than g have no windows: k is 0, and so is the normalised
    kernel.

    Complexity: pair by pair O(n n') for strings of n and n' symbols, independent of m and of the alphabet, 32 cells at
    a time. With explicit features, C(g, m) features per window.

    References
    ----------
    * Ghandi, Lee, Mohammad-Noori & Beer, *Enhanced regulatory sequence prediction using gapped k-mer features*, PLoS
      Computational Biology 10, 2014, doi:10.1371/journal.pcbi.1003711.
    * Blakely, Collins, Singh, Norton, Lanchantin & Qi, *FastSK: fast sequence analysis with gapped string kernels*,
      Bioinformatics 36, 2020, doi:10.1093/bioinformatics/btaa817.

    Examples
    --------
    >>> Gapped(3, 1)(["GATTA", "GACTA"])
    array([[9., 3.],
           [3., 9.]])
    >>> Gapped(3, 0)(["GATTA", "ATTAC"])  # the same as Spectrum(3)
    array([[3., 2.],
           [2., 3.]])
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
                    "Gapped: n_samples samples explicit features, got method='pairs'; use method='features' or 'auto'."
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
        # The positions, as a binary number, separate the keys of different sets. Full k-mers need no salt.
        salts = [0 if self.m == 0 else sum(1 << k for k in kept) % (2**61 - 1) + 1 for kept in sets]
        templates = [Template(self.g, kept, salt=salt) for kept, salt in zip(sets, salts, strict=True)]
        return Windows(templates, self.closed)

    def counts(self, A: Strands, sets: tuple[Positions, ...]) -> KeyedRows:
        """Counts of the gapped k-mers of some sets of positions, on all strands.

        Parameters
        ----------
        A : Strands
            Packed strings.
        sets : tuple of tuple of int
            Kept positions of each gapped k-mer.

        Returns
        -------
        KeyedRows
            One row per string.
        """
        pieces, owner = A.pieces
        return merged(self._windows(sets).rows(pieces), owner, len(A))

    def _sets(self) -> tuple[Positions, ...]:
        return kept_positions(self.g, self.m, self.n_samples, self.random_state)

    def _require_sets(self) -> None:
        """Raise MemoryLimitError if there are more sets of positions than can be listed."""
        require_memory(
            self.entries * (SET_BYTES + POSITION_BYTES * (self.g - self.m)),
            what=f"Gapped: {_count(self.entries)} sets of {self.g - self.m} of {self.g} positions",
            instead="Use method='pairs', which needs no features, or a smaller n_samples for an estimate.",
        )

    def rows(self, A: Strands) -> KeyedRows:
        windows = int(np.maximum(A.joined.lengths - self.g + 1, 0).sum())
        if windows == 0:  # no features, whatever the number of sets
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
        """Standard error of every entry of the Monte Carlo estimate k(X, Y).

        It is computed from the kernels of the T sets drawn without replacement from C = C(g, m): C √((1 − T/C)/T) times
        their sample standard deviation. Three matrices of the shape of the result are held in memory.

        Parameters
        ----------
        X : data
            Strings of the rows.
        Y : data, default=None
            Strings of the columns. With None, X.

        Returns
        -------
        ndarray of shape (n_samples_X, n_samples_Y)
            Standard errors; 0 if all sets are used.

        Raises
        ------
        ValueError
            If ``n_samples=1``.

        Examples
        --------
        >>> strings = ["GATTACATTA", "GATCACACTA"]
        >>> estimate = Gapped(4, 2, n_samples=3)
        >>> estimate(strings), Gapped(4, 2)(strings)
        (array([[58., 34.],
               [34., 58.]]), array([[60., 35.],
               [35., 60.]]))
        >>> estimate.standard_error(strings).round(2)
        array([[2.83, 1.41],
               [1.41, 2.83]])
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
            raise ValueError("Gapped: standard_error needs n_samples >= 2, got 1.")
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
        return self._certify(Definiteness.PSD, "an inner product of the counts of gapped k-mers", "Ghandi et al. 2014")


@dataclass(frozen=True)
class _Single(KeyedKernel):
    """Part of a gapped kernel that belongs to one set of positions."""

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


def _count(n: int) -> str:
    """Format a number for a message; large numbers become a power of ten.

    >>> _count(155117520), _count(10**40)
    ('155117520', 'about 1e+40')
    """
    return str(n) if n < 10**15 else f"about 1e+{len(str(n)) - 1}"
