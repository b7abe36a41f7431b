"""The spectrum kernel: words that two strings have in common."""

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal, TypeAlias, final

from mercer._validation import check_choice, check_integer, nonnegative_vector
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.keyed import KeyArray, KeyedRows
from mercer.kernels.program import Op
from mercer.kernels.strings.base import StringOptions, check_positions
from mercer.kernels.strings.sequences import Sequences
from mercer.kernels.strings.windows import Template, Windows
from mercer.kernels.vocabulary import KeyedKernel

__all__ = ["Spectrum"]

Mode: TypeAlias = Literal["count", "presence", "min"]


@final
@dataclass(frozen=True)
class Spectrum(StringOptions, KeyedKernel):
    r"""Spectrum kernel  k(s, t) = Σ_u c_u(s) c_u(t) over all words u of length p; c_u counts occurrences.

    Parameters
    ----------
    p : int
        Length of the words.
    mode : {"count", "presence", "min"}
        Σ c_u(s) c_u(t); the number of different words in common, Σ [c_u(s) > 0][c_u(t) > 0]; or Σ min(c_u(s), c_u(t)).
    blended : bool or sequence of p numbers ≥ 0
        True adds words of all lengths 1, …, p; numbers weigh the kernels of each length.
    reverse_complement : bool
        Whether a word and its reverse complement are one word; needs ``alphabet="dna"`` or ``"rna"``.
    position_weights : sequence of float, optional
        What an occurrence that begins at a position counts, instead of 1; one number for every position of the longest
        string. For ``mode="count"``.
    case, alphabet, outside
        Which symbols count, see `StringOptions`.

    Notes
    -----
    O(|s| log |s|) per string, then a sparse product. PSD: an inner product of counts, of 0/1 vectors, or of counts in
    unary. Strings shorter than p have no features: k is 0, and so is its normalised form.

    References
    ----------
    Leslie, Eskin & Noble 2002, The spectrum kernel, doi:10.1142/9789812799623_0053.

    Examples
    --------
    >>> Spectrum(2)(["GATTA", "TAT"])
    array([[4., 2.],
           [2., 2.]])
    >>> bool((Spectrum(2, blended=True)(["GATTA"]) == Spectrum(1)(["GATTA"]) + Spectrum(2)(["GATTA"])).all())
    True
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
            "count": "an inner product of the counts of words",
            "presence": "an inner product of 0/1 vectors, one entry per word",
            "min": "an inner product of the counts of words in unary: min(a, b) = Σ_j [j ≤ a][j ≤ b]",
        }
        return self._certify(Definiteness.PSD, what[self.mode], "Leslie, Eskin & Noble 2002")
