"""Local alignment kernel."""

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any, ClassVar, Literal, TypeAlias, final

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import ready, thread_count
from mercer._typing import Data, FloatArray, IndexArray
from mercer._validation import Rebuilt, check_array, check_choice, check_indices, check_real, describe, is_vector
from mercer.data import Strings
from mercer.data.strings.alphabet import as_alphabet
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.sharing import once
from mercer.kernels.strings.base import StringKernel
from mercer.kernels.strings.sequences import Sequences, aligned
from mercer.kernels.strings.substitution import BLOSUM62, RESIDUES, ranks

__all__ = ["LocalAlignment"]

PSD, NOT_PSD, UNKNOWN = Definiteness.PSD, Definiteness.NOT_PSD, Definiteness.UNKNOWN
Form: TypeAlias = Literal["log", "raw", "cosine"]

LARGEST = 200.0  # limit of beta times the scores: beyond it, sums over two adjacent symbols overflow a double
CLOSE = 1e-12  # the sign of an eigenvalue below this, of a matrix with unit diagonal, is uncertain


@dataclass(frozen=True, eq=False)
class Alignable(Rebuilt):
    """Strings, and ln K(s, s) of each for the cosine form."""

    sequences: Sequences
    norms: FloatArray | None = None

    def _validated(self) -> dict[str, Any]:
        if not isinstance(self.sequences, Sequences):
            raise ValueError(f"Alignable: expected Sequences, got {describe(self.sequences)}.")
        norms = self.norms
        return {"norms": None if norms is None else check_array("Alignable", "norms", norms, np.float64, (len(self),))}

    def __len__(self) -> int:
        return len(self.sequences)

    def __getitem__(self, rows: Any) -> "Alignable":
        return replace(self, sequences=self.sequences[rows], norms=None if self.norms is None else self.norms[rows])

    def compact(self) -> "Alignable":
        """The same strings without texts of tokens that do not occur in them."""
        return replace(self, sequences=self.sequences.compact())


@final
@dataclass(frozen=True)
class LocalAlignment(StringKernel):
    r"""Local alignment kernel  K(s, t) = Σ_π exp(β score(π)), and its logarithm  k = ln(K)/β.

    π runs over all local alignments: increasing sequences of pairs of positions, including the empty one. Its score is
    the sum of S(s_i, t_j) over its pairs, minus d + e(m − 1) for every gap of m symbols between two pairs, in s or in
    t. For β → ∞, ln(K)/β converges to the Smith-Waterman score.

    Parameters
    ----------
    beta : float, default=0.5
        β > 0. The larger β, the more the best alignments dominate.
    case : {"keep", "upper", "lower"}, default="keep"
        Case folding, applied before anything else.
    alphabet : {"dna", "rna", "protein"}, str or sequence of str, default=None
        Symbols that count: a named alphabet, a string with the symbols, or a sequence of tokens. With None, all symbols
        count.
    outside : {"break", "keep", "error"}, default="break"
        Treatment of symbols outside the alphabet. "break": they are never aligned, only skipped. "keep": they count
        like all others. "error": they raise ValueError. A symbol without a score raises ValueError unless it is
        skipped.
    gap_open : float, default=11.0
        d ≥ 0, the penalty of the first symbol of a gap.
    gap_extend : float, default=1.0
        e ≥ 0, the penalty of each further symbol of a gap.
    scores : {"blosum62"} or pair of float, default="blosum62"
        S: the BLOSUM62 matrix for amino acids (and B, Z, X, \*), or the scores of equal and of different symbols.
    form : {"log", "raw", "cosine"}, default="log"
        "log": ln(K)/β, which has the scale of the scores. "raw": K. "cosine": K(s, t)/√(K(s, s) K(t, t)).

    See Also
    --------
    check_gram : Test whether a Gram matrix is PSD.
    repair : Replace a Gram matrix by a PSD one.
    Mismatch : Faster comparison of proteins by k-mers.

    Notes
    -----
    Forms "raw" and "cosine" are PSD if and only if the matrix exp(βS) is PSD; `certificate` computes its
    eigenvalues. With BLOSUM62 this holds for β ≥ 0.2, and for smaller β with ``alphabet="protein"``, which excludes B,
    Z, X and \*. Form "log" is not PSD: "W", "AA", "WAA" and "AAW" have an indefinite Gram matrix. There is no explicit
    feature map.

    Complexity: O(n n') time and O(min(n, n')) memory per pair of strings of n and n' symbols. Sums are kept in scaled
    numbers, so that long strings neither overflow nor lose digits. Only form "raw" raises ValueError if K exceeds
    1.8e308. K(s, t) = 1 if one of the strings is empty.

    References
    ----------
    * Saigo, Vert, Ueda & Akutsu, *Protein homology detection using string alignment kernels*, Bioinformatics 20, 2004,
      doi:10.1093/bioinformatics/bth141.
    * Vert, Saigo & Akutsu, *Local alignment kernels for biological sequences*, in: Kernel Methods in Computational
      Biology, MIT Press, 2004.

    Examples
    --------
    "A" and "AA" have three alignments, of scores 0 (the empty one), 1 and 1, so that K = 1 + 2e:

    >>> LocalAlignment(beta=1.0, scores=(1, -1), form="raw")(["A"], ["AA"]).round(4)
    array([[6.4366]])
    >>> LocalAlignment()(["HEAGAWGHEE", "PAWHEAE"]).round(2)
    array([[62.21, 20.97],
           [20.97, 44.25]])
    """

    name: ClassVar[str] = "local_alignment"
    formula: ClassVar[str] = "(1/β) ln Σ_π exp(β score(π))"
    beta: float = 0.5
    gap_open: float = field(default=11.0, kw_only=True)
    gap_extend: float = field(default=1.0, kw_only=True)
    scores: str | tuple[float, float] = field(default="blosum62", kw_only=True)
    form: Form = field(default="log", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        who = "LocalAlignment"
        self._set(
            beta=check_real(who, "beta", self.beta, low=0.0, strict=True),
            gap_open=check_real(who, "gap_open", self.gap_open, low=0.0),
            gap_extend=check_real(who, "gap_extend", self.gap_extend, low=0.0),
            form=check_choice(who, "form", self.form, Form),
        )
        given: Any = self.scores
        if is_vector(given) and len(given) == 2:
            pair = tuple(check_real(who, f"scores[{i}]", score) for i, score in enumerate(given))
            self._set(scores=pair)
        elif not isinstance(given, str) or given != "blosum62":
            raise ValueError(
                f"{who}: parameter scores must be 'blosum62' or a pair of numbers, for equal and for different "
                f"symbols, got {describe(given)}."
            )
        largest = max(0.0, float(np.max(self._scores))) + 2 * max(self.gap_open, self.gap_extend)
        if self.beta * largest > LARGEST:
            raise ValueError(
                f"{who}: beta times the largest score plus twice the largest gap penalty must be at most {LARGEST:g}, "
                f"got {self.beta:g}*{largest:g}; lower beta."
            )

    @property
    def _scores(self) -> FloatArray:
        return BLOSUM62 if isinstance(self.scores, str) else np.array([self.scores])

    # ---- values

    def pack(self, X: Data) -> Any:
        strings = self.strings(X)
        sequences = self.sequences(strings)
        if isinstance(self.scores, str):
            sequences = once("residues", sequences, partial(self._residues, strings, sequences))
        pack = Alignable(sequences)
        if self.form != "cosine":
            return pack
        ready()
        norms = np.empty(len(pack))
        self._pairs(sequences, sequences, norms, thread_count(), logarithm=True)
        return replace(pack, norms=norms)

    def _residues(self, strings: Strings, sequences: Sequences) -> Sequences:
        """Rows of the matrix as codes; the code after the last row marks symbols that cannot be aligned."""
        if strings.granularity == "token":
            raise TypeError(
                "LocalAlignment: scores='blosum62' needs characters or bytes, got tokens; pass a pair of scores."
            )
        codes = ranks(sequences.codes)
        unknown = codes == len(RESIDUES)
        if sequences.inside is not None:
            unknown &= sequences.inside
            codes[~sequences.inside] = len(RESIDUES)
        if unknown.any():
            at = int(unknown.argmax())
            i = int(np.searchsorted(sequences.offsets, at, side="right")) - 1
            raise ValueError(
                f"LocalAlignment: record {i} has {chr(int(sequences.codes[at]))!r} at position "
                f"{at - sequences.offsets[i]}, which blosum62 has no score for; fold case with case='upper', or skip "
                "such symbols with alphabet='protein'."
            )
        return Sequences(codes, sequences.offsets)

    def _operands(self, A: Sequences, B: Sequences) -> dict[str, Any]:
        """Arguments of the core: strings of both sides, exponentiated scores and gap factors."""
        weights = np.exp(self.beta * self._scores)
        if isinstance(self.scores, str):
            weights = np.pad(weights, (0, 1))
            # Unpickled residues may be invalid, and the core does not check them.
            left, right = (check_indices("LocalAlignment", "residues", S.codes, len(weights)) for S in (A, B))
        else:
            left, right = aligned(A, B)
        gaps = {"open": np.exp(-self.beta * self.gap_open), "extend": np.exp(-self.beta * self.gap_extend)}
        strings = {"left": left, "left_offsets": A.offsets, "right": right, "right_offsets": B.offsets}
        return strings | {"weights": weights} | gaps

    def _block(self, A: Sequences, B: Sequences, out: Any, threads: int, *, logarithm: bool) -> None:
        operands = self._operands(A, B) | {"logarithm": logarithm, "symmetric": B is A}
        _core.local_alignment_block(**operands, out=out, threads=threads)

    def _pairs(self, A: Sequences, B: Sequences, out: Any, threads: int, *, logarithm: bool) -> None:
        _core.local_alignment_pairs(**self._operands(A, B), logarithm=logarithm, out=out, threads=threads)

    def fill(self, A: Any, B: Any, out: Any, threads: int) -> None:
        try:
            self._block(A.sequences, B.sequences, out, threads, logarithm=self.form != "raw")
        except OverflowError as error:
            raise self._too_large(error) from None
        if self.form == "log":
            out /= self.beta
        elif self.form == "cosine":
            for i, norm in enumerate(A.norms):
                out[i] -= (norm + B.norms) / 2
                np.exp(out[i], out=out[i])

    def fill_pairs(self, A: Any, B: Any, out: Any, threads: int) -> None:
        try:
            self._pairs(A.sequences, B.sequences, out, threads, logarithm=self.form != "raw")
        except OverflowError as error:
            raise self._too_large(error) from None
        if self.form == "log":
            out /= self.beta
        elif self.form == "cosine":
            out -= (A.norms + B.norms) / 2
            np.exp(out, out=out)

    def _too_large(self, error: OverflowError) -> ValueError:
        return ValueError(
            f"LocalAlignment: K of {error} is beyond the range of float64 (1.8e308); use form='log' or form='cosine', "
            f"or lower beta (now {self.beta:g})."
        )

    # ---- definiteness

    @property
    def may_vanish(self) -> bool:
        return self.form == "log"

    def _usable(self) -> tuple[IndexArray, FloatArray]:
        """Codes of the symbols that can be aligned, and their scores.

        With a pair of scores, two symbols stand for all.
        """
        letters = as_alphabet(self.alphabet).symbols if isinstance(self.alphabet, str) else self.alphabet
        limited = letters is not None and self.outside != "keep"
        if isinstance(self.scores, str):
            used = [i for i, symbol in enumerate(RESIDUES) if not limited or symbol in letters]  # type: ignore[operator]
            return np.array(used, dtype=np.int64), BLOSUM62[np.ix_(used, used)]
        used = list(range(min(2, len(set(letters))) if limited else 2))  # type: ignore[arg-type]
        equal, other = self.scores
        return np.array(used, dtype=np.int64), np.where(np.eye(len(used), dtype=bool), equal, other)

    def _logarithm_fails(self, symbols: IndexArray) -> bool:
        """Whether ln K of all strings of up to four symbols over two symbols has a negative eigenvalue."""
        words = [word for n in range(1, 5) for word in product(symbols[:2], repeat=n)]
        offsets = np.cumsum([0, *map(len, words)])
        sequences = Sequences(np.array([c for word in words for c in word], dtype=np.uint8), offsets)
        K = np.empty((len(words), len(words)))
        ready()
        self._block(sequences, sequences, K, 1, logarithm=True)
        roots = np.sqrt(np.diagonal(K))
        return bool(np.linalg.eigvalsh(K / np.outer(roots, roots))[0] < -1e-9)

    def proof(self) -> Certificate:
        paper = "Saigo et al. 2004"
        symbols, scores = self._usable()
        which = "blosum62" if isinstance(self.scores, str) else "these scores"
        if self.form == "log":
            if len(symbols) > 1 and self._logarithm_fails(symbols):
                rule = f"the strings of up to 4 symbols over two symbols have an indefinite Gram matrix for {which}"
                return self._certify(NOT_PSD, f"{rule}; see check_gram and repair", paper)
            return self._certify(
                UNKNOWN, "the logarithm of a PSD kernel need not be PSD; see check_gram and repair", paper
            )
        own = np.diagonal(scores)
        lowest = float(np.linalg.eigvalsh(np.exp(self.beta * (scores - (own[:, None] + own) / 2))).min(initial=1.0))
        if lowest > CLOSE or (lowest > -CLOSE and not isinstance(self.scores, str)):
            return self._certify(
                PSD, f"convolutions of PSD kernels: exp(βS) is PSD for {which}, by its eigenvalues", paper
            )
        if lowest < -CLOSE:
            rule = f"exp(βS) has a negative eigenvalue for {which}, and so has K on the empty string and single symbols"
            return self._certify(NOT_PSD, rule)
        return self._certify(UNKNOWN, f"an eigenvalue of exp(βS) for {which} is too close to 0 to determine its sign")
