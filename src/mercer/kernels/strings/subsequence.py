"""Gap-weighted subsequence kernel."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import mercer._core as _core
from mercer._runtime.limits import require_time
from mercer._validation import check_flag, check_integer, check_real
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.strings.base import StringKernel
from mercer.kernels.strings.sequences import aligned

__all__ = ["Subsequence"]

CELL = 1e-9  # seconds per pair of positions and pass


@final
@dataclass(frozen=True)
class Subsequence(StringKernel):
    """Gap-weighted subsequence kernel  k(s, t) = Σ_u Σ_{i: s[i] = u} Σ_{j: t[j] = u} λ^(l(i) + l(j)).

    u runs over all strings of p symbols. i and j run over the index sequences at which s and t contain u, not
    necessarily contiguously; l(i) = i_p − i_1 + 1 is the span of i.

    Parameters
    ----------
    p : int, default=3
        Number of symbols of a subsequence, p ≥ 1.
    decay : float, default=0.5
        λ in (0, 1], the factor for each symbol of the span. With 1, occurrences are counted.
    case : {"keep", "upper", "lower"}, default="keep"
        Case folding, applied before anything else.
    alphabet : {"dna", "rna", "protein"}, str or sequence of str, default=None
        Symbols that count: a named alphabet, a string with the symbols, or a sequence of tokens. With None, all symbols
        count.
    outside : {"break", "keep", "error"}, default="break"
        Treatment of symbols outside the alphabet. "break": they match nothing, not even themselves, but widen gaps.
        "keep": they count like all others. "error": they raise ValueError.
    blended : bool, default=False
        Whether to sum over the lengths 1, …, p instead of length p alone.

    See Also
    --------
    Gapped : Gaps at fixed positions of a window.
    Spectrum : Contiguous subsequences.

    Notes
    -----
    PSD: an inner product of the features φ_u(s) = Σ_{i: s[i] = u} λ^l(i). Their number is exponential in p,
    so there is no `feature_map`. Strings of fewer than p symbols have k = 0.

    Complexity: O(p n n') time and O(p min(n, n')) memory per pair of strings of n and n' symbols. Contributions of
    symbols that are far apart may underflow to 0. Values beyond 1.8e308, which long strings reach with λ near 1 and
    large p, raise ValueError. Values with `blended` agree with Shogun.

    References
    ----------
    * Lodhi, Saunders, Shawe-Taylor, Cristianini & Watkins, *Text classification using string kernels*, Journal of
      Machine Learning Research 2, 419-444, 2002.

    Examples
    --------
    "cat" and "car" share only the subsequence "ca", of span 2 in both, so that k = λ⁴:

    >>> Subsequence(p=2, decay=0.5)(["cat"], ["car"])
    array([[0.0625]])
    """

    name: ClassVar[str] = "subsequence"
    formula: ClassVar[str] = "Σ_u Σ_{i,j} λ^(l(i)+l(j))"
    p: int = 3
    decay: float = 0.5
    blended: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            p=check_integer("Subsequence", "p", self.p, low=1, high=2**31 - 1),
            decay=check_real("Subsequence", "decay", self.decay, low=0.0, strict=True, high=1.0),
            blended=check_flag("Subsequence", "blended", self.blended),
        )

    def _require_time(self, A: Any, B: Any) -> None:
        """Raise CostLimitError if the recursion over the longest pair of strings would take too long."""
        a, b = (int(side.lengths.max(initial=0)) for side in (A, B))
        passes = min(self.p, a, b)
        require_time(
            CELL * passes * a * b,
            what=f"Subsequence: {passes} passes over strings of {a} and {b} symbols",
            instead="Lower p, or compare shorter parts of the strings.",
        )

    def fill(self, A: Any, B: Any, out: Any, threads: int) -> None:
        self._require_time(A, B)
        left, right = aligned(A, B)
        try:
            _core.subsequence_block(
                left, A.offsets, right, B.offsets, self.p, self.decay, self.blended, B is A, out, threads
            )
        except OverflowError as error:
            raise self._too_large(error) from None

    def fill_pairs(self, A: Any, B: Any, out: Any, threads: int) -> None:
        self._require_time(A, B)
        left, right = aligned(A, B)
        try:
            _core.subsequence_pairs(left, A.offsets, right, B.offsets, self.p, self.decay, self.blended, out, threads)
        except OverflowError as error:
            raise self._too_large(error) from None

    def _too_large(self, error: OverflowError) -> ValueError:
        return ValueError(
            f"Subsequence: the value of {error} is beyond the range of float64 (1.8e308); lower decay (now "
            f"{self.decay:g}) or p (now {self.p})."
        )

    @property
    def may_vanish(self) -> bool:
        return True

    def proof(self) -> Certificate:
        return self._certify(
            Definiteness.PSD, "an inner product of the gap-weighted counts of subsequences", "Lodhi et al. 2002"
        )
