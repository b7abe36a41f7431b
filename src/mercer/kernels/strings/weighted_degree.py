"""Weighted degree kernel, with and without shifts."""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import numpy as np

import mercer._core as _core
from mercer._runtime.limits import require_memory
from mercer._typing import Data, DoubleArray
from mercer._validation import check_integer, nonnegative_vector
from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.features import Options
from mercer.kernels.keyed import KeyArray, KeyedRows
from mercer.kernels.program import Builder
from mercer.kernels.strings.base import StringKernel, check_positions
from mercer.kernels.strings.hamming import ENTRY_BYTES
from mercer.kernels.strings.sequences import Sequences, aligned
from mercer.kernels.strings.windows import Template, Windows
from mercer.kernels.vocabulary import KeyedKernel

__all__ = ["WeightedDegree"]

WEIGHT_BYTES = 32  # peak memory of the core's tables per k-mer length
POSITION_BYTES = 40  # peak memory per position of a k-mer


@final
@dataclass(frozen=True)
class WeightedDegree(StringKernel, KeyedKernel):
    """Weighted degree kernel: common k-mers of lengths 1, …, D at the same position, or up to S positions apart.

    With D = `degree` and S = `shift`::

        k(s, t) = Σ_{d ≤ D} β_d Σ_{|i−j| ≤ S} δ_|i−j| √(π_i π_j) [s[i:i+d] = t[j:j+d]]

    with β_d = 2(D − d + 1)/(D(D + 1)), δ_0 = 1 and δ_r = 1/(2(r + 1)). For strings whose positions have a meaning, such
    as windows around splice sites.

    Parameters
    ----------
    degree : int, default=5
        D ≥ 1, the length of the longest k-mers.
    shift : int, default=0
        S ≥ 0, the largest distance of matching positions.
    case : {"keep", "upper", "lower"}, default="keep"
        Case folding, applied before anything else.
    alphabet : {"dna", "rna", "protein"}, str or sequence of str, default=None
        Symbols that count: a named alphabet, a string with the symbols, or a sequence of tokens. With None, all symbols
        count.
    outside : {"break", "keep", "error"}, default="break"
        Treatment of symbols outside the alphabet. "break": they match nothing, not even themselves, so that a window
        with one of them is left out. "keep": they count like all others. "error": they raise ValueError.
    position_weights : sequence of float, default=None
        π_i ≥ 0 for k-mers that start at position i; at least as many as the longest string has symbols. With None, all
        are 1.

    See Also
    --------
    Spectrum : K-mers at any position.

    Notes
    -----
    PSD: without shifts an inner product of indicators. With shifts, k-mers are combined by the Toeplitz matrix
    ``δ_|i−j|``, which is PSD by an inequality of Rogosinski and Szegő. Without shifts the feature map has one feature
    √(β_d π_i) for each k-mer and position; with shifts there is no `feature_map`.

    Complexity: O(L(2S + 1)) per pair of strings of length L. Strings of different lengths are aligned at their start.
    Positions beyond the end of the shorter string match nothing.

    References
    ----------
    * Rätsch & Sonnenburg, *Accurate splice site detection for Caenorhabditis elegans*, in: Kernel Methods in
      Computational Biology, MIT Press, 2004.
    * Rätsch, Sonnenburg & Schölkopf, *RASE: recognition of alternatively spliced exons in C. elegans*, Bioinformatics
      21, 2005, doi:10.1093/bioinformatics/bti1053.

    Examples
    --------
    One symbol in common, at the same position and one position apart:

    >>> kernel = WeightedDegree(degree=1, shift=1)
    >>> kernel(["A--", "-A"], ["A??"])
    array([[1.  ],
           [0.25]])
    """

    name: ClassVar[str] = "weighted_degree"
    formula: ClassVar[str] = "Σ_d β_d Σ_i [s[i:i+d]=t[i:i+d]]"
    degree: int = 5
    shift: int = 0
    position_weights: tuple[float, ...] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            degree=check_integer("WeightedDegree", "degree", self.degree, low=1, high=2**31 - 1),
            shift=check_integer("WeightedDegree", "shift", self.shift, high=2**31 - 1),
        )
        if self.position_weights is not None:
            self._set(position_weights=nonnegative_vector("WeightedDegree", "position_weights", self.position_weights))

    # ---- pair by pair

    def emit(self, program: Builder, X: Data) -> None:
        program.foreign(self, X)

    def _roots(self, *sides: Sequences) -> DoubleArray | None:
        """√π, checked to cover every string."""
        for side in sides:
            check_positions("WeightedDegree", self.position_weights, side)
        return None if self.position_weights is None else np.sqrt(self.position_weights)

    def _require_weights(self) -> None:
        require_memory(
            WEIGHT_BYTES * self.degree,
            what=f"WeightedDegree: a table of weights for k-mers of 1 to {self.degree} symbols",
            instead="Lower degree to the length of the longest string.",
        )

    def fill(self, A: Sequences, B: Sequences, out: DoubleArray, threads: int) -> None:
        self._require_weights()
        roots, (left, right) = self._roots(A, B), aligned(A, B)
        _core.weighted_degree_block(
            left, A.offsets, right, B.offsets, self.degree, self.shift, roots, B is A, out, threads
        )

    def fill_pairs(self, A: Sequences, B: Sequences, out: DoubleArray, threads: int) -> None:
        self._require_weights()
        roots, (left, right) = self._roots(A, B), aligned(A, B)
        _core.weighted_degree_pairs(left, A.offsets, right, B.offsets, self.degree, self.shift, roots, out, threads)

    # ---- by features

    def features(self, X: Data, options: Options) -> Any:
        """Explicit features: k-mers at their positions, weighted by √(β_d π_i).

        Parameters
        ----------
        X : data
            Strings.
        options : dict
            Options of `feature_map`.

        Returns
        -------
        csr_matrix of shape (n_samples, n_features)
            Features whose inner products are the kernel.

        Raises
        ------
        NoFeatureMapError
            If ``shift > 0``.
        """
        return super().features(X, options) if self.shift == 0 else Kernel.features(self, X, options)

    def _windows(self, A: Sequences) -> Windows:
        """K-mers up to the longest that these strings can have."""
        D, longest = self.degree, int(A.lengths.max(initial=0))
        top = max(1, min(D, longest))
        entries = int(np.minimum(A.lengths, top) @ A.lengths)
        require_memory(
            ENTRY_BYTES * entries + POSITION_BYTES * top**2,
            what=f"WeightedDegree: up to {entries} features, k-mers of 1 to {top} symbols at every position,",
            instead="Lower degree, or use Gram matrices, which need no explicit features.",
        )
        blocks = [Template.word(d, math.sqrt(2 * (D - d + 1) / (D * (D + 1)))) for d in range(1, top + 1)]
        roots = self._roots()
        return Windows(blocks, self.closed, position_weights=None if roots is None else tuple(roots), positional=True)

    def rows(self, A: Sequences) -> KeyedRows:
        self._roots(A)
        return self._windows(A).rows(A)

    def names(self, A: Sequences, keys: KeyArray) -> list[str]:
        return self._windows(A).names(A, keys)

    @property
    def may_vanish(self) -> bool:
        return True

    def proof(self) -> Certificate:
        if self.shift == 0:
            return self._certify(
                Definiteness.PSD, "an inner product of weighted indicators of k-mers at positions", "Rätsch et al. 2005"
            )
        return self._certify(
            Definiteness.PSD,
            "k-mers are combined by the Toeplitz matrix δ_|i−j|, whose symbol 1 + Σ cos(rx)/(r+1) is at least 1/2",
            "Rogosinski & Szegő 1928",
        )
