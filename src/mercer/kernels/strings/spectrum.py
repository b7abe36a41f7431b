"""Spectrum kernel: common k-mers of two strings."""

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal, TypeAlias, final

from mercer._validation import check_choice, check_integer, nonnegative_vector
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.keyed import KeyArray, KeyedRows
from mercer.kernels.operations import Op
from mercer.kernels.strings.base import StringOptions, check_positions
from mercer.kernels.strings.sequences import Sequences
from mercer.kernels.strings.windows import Template, Windows
from mercer.kernels.vocabulary import KeyedKernel

__all__ = ["Spectrum"]

Mode: TypeAlias = Literal["count", "presence", "min"]


@final
@dataclass(frozen=True)
class Spectrum(StringOptions, KeyedKernel):
    """Spectrum kernel  k(s, t) = Σ_u c_u(s) c_u(t) over all k-mers u of length p; c_u counts occurrences.

    Parameters
    ----------
    p : int, default=3
        Length of the k-mers, 1 ≤ p ≤ 10000.
    mode : {"count", "presence", "min"}, default="count"
        "count": Σ c_u(s) c_u(t). "presence": number of distinct k-mers in common, Σ [c_u(s) > 0][c_u(t) > 0]. "min":
        Σ min(c_u(s), c_u(t)).
    case : {"keep", "upper", "lower"}, default="keep"
        Case folding, applied before anything else.
    alphabet : {"dna", "rna", "protein"}, str or sequence of str, default=None
        Symbols that count: a named alphabet, a string with the symbols, or a sequence of tokens. With None, all symbols
        count.
    outside : {"break", "keep", "error"}, default="break"
        Treatment of symbols outside the alphabet. "break": they match nothing, not even themselves, so that a window
        with one of them is left out. "keep": they count like all others. "error": they raise ValueError.
    blended : bool or sequence of float, default=False
        True adds the k-mers of all lengths 1, …, p. A sequence of p numbers ≥ 0 weighs the kernels of these lengths.
    reverse_complement : bool, default=False
        Whether a k-mer and its reverse complement are one feature. Requires ``alphabet="dna"`` or ``"rna"``.
    position_weights : sequence of float, default=None
        Weight ≥ 0 of an occurrence that starts at a position, instead of 1; at least as many as the longest string has
        symbols. Only for ``mode="count"``.

    See Also
    --------
    Mismatch : K-mers with mismatches.
    Gapped : K-mers with gaps at fixed positions.
    WeightedDegree : K-mers at the same position.
    BagOfWords : Words of a text.

    Notes
    -----
    PSD: an inner product of counts, of 0/1 vectors, or of counts in unary. The feature map φ(s) =
    (c_u(s))_u has one feature for each k-mer that occurs. Strings shorter than p have no features: k is 0, and so is
    the normalised kernel.

    Complexity: O(n log n) per string of n symbols, then a sparse product.

    References
    ----------
    * Leslie, Eskin & Noble, *The spectrum kernel: a string kernel for SVM protein classification*, Pacific Symposium on
      Biocomputing, 2002, doi:10.1142/9789812799623_0053.

    Examples
    --------
    >>> Spectrum(2)(["GATTA", "TAT"])
    array([[4., 2.],
           [2., 2.]])
    >>> Spectrum(2, blended=True)(["GATTA", "TAT"])  # plus 9 = 1 + 4 + 4 for single symbols on the diagonal
    array([[13.,  8.],
           [ 8.,  7.]])
    """

    name: ClassVar[str] = "spectrum"
    formula: ClassVar[str] = "Σ_{|u|=p} c_u(s)c_u(t)"
    p: int = 3
    mode: Mode = "count"
    _: KW_ONLY
    blended: bool | tuple[float, ...] = False
    reverse_complement: bool = False
    position_weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            p=check_integer("Spectrum", "p", self.p, low=1, high=10_000),
            mode=check_choice("Spectrum", "mode", self.mode, Mode),
            reverse_complement=self.check_strands(self.reverse_complement),
        )
        if not isinstance(self.blended, bool):
            weights = nonnegative_vector("Spectrum", "blended", self.blended)
            if len(weights) != self.p or self.mode == "min":
                what = (
                    "mode 'min' has blended=True or False"
                    if self.mode == "min"
                    else f"one for each length 1 to {self.p}"
                )
                raise ValueError(f"Spectrum: parameter blended has {len(weights)} weights; {what}.")
            self._set(blended=weights)
        if self.position_weights is not None:
            self._set(position_weights=nonnegative_vector("Spectrum", "position_weights", self.position_weights))
            if self.mode != "count":
                raise ValueError(f"Spectrum: position_weights are for mode 'count', got mode {self.mode!r}.")

    @property
    def op(self) -> Op:
        return Op.min_sum if self.mode == "min" else Op.dot

    @property
    def _windows(self) -> Windows:
        lengths = range(1, self.p + 1) if self.blended else [self.p]
        weights = self.blended if isinstance(self.blended, tuple) else [1.0] * len(lengths)
        templates = [Template.word(q, math.sqrt(w)) for q, w in zip(lengths, weights, strict=True) if w > 0]
        return Windows(
            templates,
            self.closed,
            both_strands=self.reverse_complement,
            position_weights=self.position_weights,
            presence=self.mode == "presence",
        )

    def rows(self, A: Sequences) -> KeyedRows:
        check_positions("Spectrum", self.position_weights, A)
        return self._windows.rows(A)

    def names(self, A: Sequences, keys: KeyArray) -> list[str]:
        return self._windows.names(A, keys)

    def proof(self) -> Certificate:
        what = {
            "count": "an inner product of k-mer counts",
            "presence": "an inner product of 0/1 vectors, one entry per k-mer",
            "min": "an inner product of k-mer counts in unary: min(a, b) = Σ_j [j ≤ a][j ≤ b]",
        }
        return self._certify(Definiteness.PSD, what[self.mode], "Leslie, Eskin & Noble 2002")
