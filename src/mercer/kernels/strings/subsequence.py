"""The gap-weighted subsequence kernel."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import mercer._core as _core
from mercer._runtime.limits import require_time
from mercer._validation import check_flag, check_integer, check_real
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.strings.base import StringKernel
from mercer.kernels.strings.sequences import aligned

__all__ = ["Subsequence"]

CELL = 1e-9  # seconds for a pair of positions in one pass


@final
@dataclass(frozen=True)
class Subsequence(StringKernel):
    r"""Gap-weighted subsequences  k(s, t) = Σ_u Σ_{i: s[i] = u} Σ_{j: t[j] = u} λ^(l(i) + l(j)).

    u runs over all strings of p symbols, i and j over the index sequences at which s and t spell u, not necessarily in
    one piece; l(i) = i_p − i_1 + 1 is the span of one.

    Parameters
    ----------
    p : int
        Number of symbols of a subsequence, at least 1.
    decay : float
        λ in (0, 1]: what each symbol of the span costs. With 1, subsequences are counted.
    blended : bool
        Sum over the lengths 1, …, p instead of length p alone.
    case, alphabet, outside
        Which symbols count, as for all kernels of strings: symbols outside the alphabet match nothing, but widen gaps.

    Notes
    -----
    O(p |s| |t|) time per pair and O(p min(|s|, |t|)) memory. PSD. Strings of fewer than p symbols have k = 0. The
    contribution of far-apart symbols underflows to 0 harmlessly; values beyond 1.8e308, which long strings reach with λ
    near 1 and large p, raise ValueError.

    References
    ----------
    Lodhi, Saunders, Shawe-Taylor, Cristianini & Watkins 2002, JMLR 2:419-444. Values of `blended` are those of Shogun.

    Examples
    --------
    "cat" and "car" share the subsequence "ca" only, of span 2 in both:

    >>> Subsequence(p=2, decay=0.5)(["cat"], ["car"]) == 0.5**4
    array([[ True]])
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
        """Refuse pairs of strings so long that p passes over both would not end."""
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
            f"Subsequence: the value of {error} is beyond the range of numbers (1.8e308); lower decay (now "
            f"{self.decay:g}) or p (now {self.p})."
        )

    @property
    def may_vanish(self) -> bool:
        return True

    def proof(self) -> Certificate:
        return self._certify(
            Definiteness.PSD, "an inner product of the decayed counts of all subsequences u", "Lodhi et al. 2002"
        )
