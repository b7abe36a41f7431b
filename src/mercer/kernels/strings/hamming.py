"""Shared base of kernels Σ_a Σ_b w(h(a, b)) over windows a and b of two strings, h their Hamming distance."""

import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, TypeAlias

import mercer._core as _core
from mercer._typing import Data, FloatArray
from mercer._validation import check_choice
from mercer.data import Strings
from mercer.kernels.features import Options
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder
from mercer.kernels.sharing import once
from mercer.kernels.strings import cost
from mercer.kernels.strings.base import StringKernel
from mercer.kernels.strings.sequences import aligned
from mercer.kernels.strings.strands import Strands
from mercer.kernels.vocabulary import KeyedKernel

__all__ = ["ENTRY_BYTES", "HammingKernel", "Method", "finite_weights"]

Method: TypeAlias = Literal["auto", "features", "pairs"]
ENTRY_BYTES = 64  # peak memory per feature of a window


def finite_weights(who: str, weights: Iterable[int], what: str) -> tuple[float, ...]:
    """Weights as floats; raises ValueError if one is beyond their range."""
    try:
        return tuple(map(float, weights))
    except OverflowError:
        raise ValueError(f"{who}: {what} give weights beyond the range of float64; choose smaller ones.") from None


@dataclass(frozen=True)
class HammingKernel(StringKernel, KeyedKernel):
    """Base class of kernels that compare windows by their Hamming distance, with explicit features and pair by pair.

    A subclass defines `width`, `weights`, `entries`, `possible`, `rows` and `names`.

    Parameters
    ----------
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
    """

    method: Method = field(default="auto", kw_only=True)
    reverse_complement: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            method=check_choice(type(self).__name__, "method", self.method, Method),
            reverse_complement=self.check_strands(self.reverse_complement),
        )

    @property
    @abstractmethod
    def width(self) -> int:
        """Length of the windows."""

    @abstractmethod
    def weights(self) -> tuple[float, ...]:
        """Weights by Hamming distance.

        Returns
        -------
        tuple of float
            w(0), w(1), … up to the last that is not 0.
        """

    @property
    @abstractmethod
    def entries(self) -> int:
        """Number of explicit features per window."""

    @abstractmethod
    def possible(self, size: int) -> int:
        """Number of distinct features that can occur.

        Parameters
        ----------
        size : int
            Number of symbols.

        Returns
        -------
        int
            Upper bound of the number of columns.
        """

    @property
    def factor(self) -> float:
        """Factor of the inner products of `rows`: 0.5 with both strands, whose windows are counted twice."""
        return 0.5 if self.reverse_complement else 1.0

    def resolved(self, X: Data, sample_weight: FloatArray | None) -> Self:
        return replace(self, method=cost.cheaper(self, self.pack(X)))

    def pack(self, X: Data) -> Strands:
        strings = self.strings(X)
        return once((Strands, self.policy, self.reverse_complement), strings, lambda: self._strands(strings))

    def _strands(self, strings: Strings) -> Strands:
        forward = self.sequences(strings)
        if not self.reverse_complement:
            return Strands(forward, None)
        return Strands(forward, self.sequences(strings.reverse_complement(str(self.alphabet), strict=False)))

    # ---- pair by pair

    def fill(self, A: Strands, B: Strands, out: FloatArray, threads: int) -> None:
        _core.hamming_block(*self._sides(A, B), B is A, out, threads)  # type: ignore[call-overload]

    def fill_pairs(self, A: Strands, B: Strands, out: FloatArray, threads: int) -> None:
        _core.hamming_pairs(*self._sides(A, B), out, threads)  # type: ignore[call-overload]

    def _sides(self, A: Strands, B: Strands) -> list[Any]:
        """Arguments of the core: both lists of strings, and the width and weights of the windows."""
        right, strands = B.joined, 1 if B.backward is None else 2
        codes = aligned(A.forward, right)
        return [codes[0], A.forward.offsets, codes[1], right.offsets, self.width, list(self.weights()), strands]

    # ---- by features

    def emit(self, program: Builder, X: Data) -> None:
        if self.method != "features":
            program.foreign(self, X)
            return
        super().emit(program, X)
        if self.factor != 1.0:
            program.map(Op.affine, self.factor)

    def features(self, X: Data, options: Options) -> Any:
        F = super().features(X, options)
        return F if self.factor == 1.0 else F * math.sqrt(self.factor)
