"""Kernels Σ_a Σ_b w(h(a, b)) over all windows a and b of two strings, h their Hamming distance: what they share."""

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
from mercer.kernels.program import Builder, Op
from mercer.kernels.sharing import once
from mercer.kernels.strings import cost
from mercer.kernels.strings.base import StringKernel
from mercer.kernels.strings.sequences import aligned
from mercer.kernels.strings.strands import Strands
from mercer.kernels.vocabulary import KeyedKernel

__all__ = ["ENTRY_BYTES", "HammingKernel", "Method", "finite_weights"]

Method: TypeAlias = Literal["auto", "features", "pairs"]
ENTRY_BYTES = 64  # what a feature of a window takes while features are made


def finite_weights(who: str, weights: Iterable[int], what: str) -> tuple[float, ...]:
    """Weights as floats; raises if one is beyond their range."""
    try:
        return tuple(map(float, weights))
    except OverflowError:
        raise ValueError(f"{who}: {what} give weights beyond the range of float64; choose smaller ones.") from None


@dataclass(frozen=True)
class HammingKernel(StringKernel, KeyedKernel):
    """A kernel of windows that are compared by their Hamming distance; it has both explicit features and a direct way.

    An author writes `width`, `weights`, `entries`, `possible`, `rows` and `names`.

    Parameters
    ----------
    method : {"auto", "features", "pairs"}
        How Gram matrices are computed: by a sparse product of explicit features, pair by pair in O(|s||t|), or as an
        estimate on the training data says. The values are the same.
    reverse_complement : bool
        Whether to add the other strand, k(s, t) + k(s, t') with t' the reverse complement of t; needs
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
        """w(0), w(1), ... up to the last that is not 0."""

    @property
    @abstractmethod
    def entries(self) -> int:
        """Explicit features that one window has."""

    @abstractmethod
    def possible(self, size: int) -> int:
        """How many different features there can be, with `size` symbols."""

    @property
    def factor(self) -> float:
        """What inner products of `rows` are to be multiplied with; a window of both strands counts twice."""
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
        """Both lists of strings as the core reads them, and the rule to compare them by."""
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
