"""The weighted degree kernel, with and without shifts."""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import numpy as np

import mercer._core as _core
from mercer._typing import DoubleArray
from mercer._validation import check_integer, check_real, describe, is_vector
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.strings.base import StringKernel
from mercer.kernels.strings.sequences import Sequences, aligned

__all__ = ["WeightedDegree"]


@final
@dataclass(frozen=True)
class WeightedDegree(StringKernel):
    r"""Weighted degree  k(s, t) = Σ_{d ≤ D} β_d Σ_{|i−j| ≤ S} δ_|i−j| √(π_i π_j) [s[i:i+d] = t[j:j+d]].

    Blocks of d symbols at the same place, or at most S places apart, with β_d = 2(D − d + 1)/(D(D + 1)), δ_0 = 1 and
    δ_r = 1/(2(r + 1)). For strings whose positions mean something, such as the surroundings of a splice site.

    Parameters
    ----------
    degree : int
        D, the longest block, at least 1.
    shift : int
        S ≥ 0.
    position_weights : sequence of float, optional
        π_i ≥ 0 for a block that begins at position i; as many as the longest string has symbols, or more. By default 1.
    case, alphabet, outside
        Which symbols count, as for all kernels of strings: symbols outside the alphabet match nothing.

    Notes
    -----
    O(L (2S + 1)) time per pair. Strings of unequal lengths are compared from their start; positions beyond the end of
    one of them match nothing. PSD.

    References
    ----------
    Rätsch, Sonnenburg & Schölkopf 2005, doi:10.1093/bioinformatics/bti1053.

    Examples
    --------
    A pair of strings with one symbol in common, at the same place and then one place apart:

    >>> kernel = WeightedDegree(degree=1, shift=1)
    >>> kernel(["A--", "-A"], ["A??"])
    array([[1.  ],
           [0.25]])
    """

    name: ClassVar[str] = "weighted_degree"
    formula: ClassVar[str] = "Σ_d β_d Σ_{|i−j|≤S} δ_|i−j| √(π_i π_j) [s[i:i+d] = t[j:j+d]]"
    degree: int = 5
    shift: int = 0
    position_weights: tuple[float, ...] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        who = "WeightedDegree"
        object.__setattr__(self, "degree", check_integer(who, "degree", self.degree, low=1, high=2**31 - 1))
        object.__setattr__(self, "shift", check_integer(who, "shift", self.shift, high=2**31 - 1))
        given: Any = self.position_weights
        if given is not None:
            if not is_vector(given) or len(given) == 0:
                raise TypeError(
                    f"{who}: parameter position_weights must be a non-empty sequence of numbers >= 0 or None, got "
                    f"{describe(given)}."
                )
            weights = tuple(check_real(who, f"position_weights[{i}]", w, low=0.0) for i, w in enumerate(given))
            object.__setattr__(self, "position_weights", weights)

    def _roots(self, *sides: Sequences) -> DoubleArray | None:
        """√π, checked to cover every string."""
        if self.position_weights is None:
            return None
        for side in sides:
            if len(side) and side.lengths.max() > len(self.position_weights):
                i = int(side.lengths.argmax())
                raise ValueError(
                    f"WeightedDegree: position_weights has {len(self.position_weights)} numbers, but record {i} has "
                    f"{side.lengths[i]} symbols; give a weight for each position."
                )
        return np.array([math.sqrt(weight) for weight in self.position_weights])

    def fill(self, A: Any, B: Any, out: Any, threads: int) -> None:
        roots, (left, right) = self._roots(A, B), aligned(A, B)
        _core.weighted_degree_block(
            left, A.offsets, right, B.offsets, self.degree, self.shift, roots, B is A, out, threads
        )

    def fill_pairs(self, A: Any, B: Any, out: Any, threads: int) -> None:
        roots, (left, right) = self._roots(A, B), aligned(A, B)
        _core.weighted_degree_pairs(left, A.offsets, right, B.offsets, self.degree, self.shift, roots, out, threads)

    @property
    def may_vanish(self) -> bool:
        return True

    def proof(self) -> Certificate:
        if self.shift == 0:
            return self._certify(
                Definiteness.PSD, "an inner product of the weighted indicators of blocks", "Rätsch et al. 2005"
            )
        return self._certify(
            Definiteness.PSD,
            "blocks meet through the Toeplitz matrix δ_|i−j|, whose symbol 1 + Σ cos(rx)/(r+1) is at least 1/2",
            "Rogosinski & Szegő 1928",
        )
