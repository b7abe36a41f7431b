"""Shared base of string kernels: conversion to strings and treatment of symbols."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from mercer._typing import Data
from mercer._validation import check_choice, check_flag, describe
from mercer.data import Strings
from mercer.data.strings.alphabet import as_alphabet
from mercer.kernels.base import Kernel, Reads
from mercer.kernels.packed import PackedKernel
from mercer.kernels.sharing import as_container, once
from mercer.kernels.strings.sequences import Sequences

__all__ = [
    "Case",
    "Outside",
    "StringKernel",
    "StringOptions",
    "as_strings",
    "check_positions",
]

Case: TypeAlias = Literal["keep", "upper", "lower"]
Outside: TypeAlias = Literal["break", "keep", "error"]


def as_strings(X: Data, who: str) -> Strings:
    """Strings from a list, array or column of str, bytes or token lists; tables and matrices need a single column.

    >>> as_strings(["GATTACA", "CAT"], "Spectrum")
    Strings(2 of length 3 to 7, 4 symbols: ACGT)
    """
    return as_container(X, Strings, who, "string")


def check_positions(who: str, weights: tuple[float, ...] | None, sequences: Sequences) -> None:
    """Raise ValueError unless there is a weight for every position of the longest string."""
    longest = int(sequences.lengths.max(initial=0))
    if weights is not None and longest > len(weights):
        raise ValueError(
            f"{who}: position_weights has {len(weights)} numbers, but string {int(sequences.lengths.argmax())} has "
            f"{longest} symbols; pass one number for every position."
        )


@dataclass(frozen=True)
class StringOptions(Kernel):
    """Base class of string kernels; samples are str, bytes, token lists, or `mercer.data.Strings`.

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
    """

    reads: ClassVar[Reads] = "items"
    case: Case = field(default="keep", kw_only=True)
    alphabet: str | tuple[str, ...] | None = field(default=None, kw_only=True)
    outside: Outside = field(default="break", kw_only=True)

    def __post_init__(self) -> None:
        who = type(self).__name__
        self._set(
            case=check_choice(who, "case", self.case, Case),
            outside=check_choice(who, "outside", self.outside, Outside),
        )
        given: Any = self.alphabet
        if isinstance(given, str):
            as_alphabet(given, who)
        elif given is not None:
            tokens = tuple(given) if isinstance(given, (list, tuple)) else ()
            if not tokens or not all(isinstance(token, str) for token in tokens):
                raise TypeError(
                    f"{who}: parameter alphabet must be 'dna', 'rna', 'protein', a str with the symbols, a sequence "
                    f"of tokens or None, got {describe(given)}."
                )
            self._set(alphabet=tokens)

    def _set(self, **values: Any) -> None:
        """Replace parameters by their validated values during construction."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def closed(self) -> str | None:
        """The alphabet, if no symbol outside of it can count in a character string; else None."""
        return self.alphabet if isinstance(self.alphabet, str) and self.outside != "keep" else None

    def check_strands(self, wanted: bool) -> bool:
        """Validate the parameter `reverse_complement`.

        Parameters
        ----------
        wanted : bool
            Whether both strands count.

        Returns
        -------
        bool
            The same value.

        Raises
        ------
        ValueError
            If both strands are wanted and the alphabet is neither "dna" nor "rna".
        """
        who = type(self).__name__
        wanted = check_flag(who, "reverse_complement", wanted)
        if wanted and self.closed not in ("dna", "rna"):
            raise ValueError(
                f"{who}: reverse_complement=True needs alphabet='dna' or 'rna' and outside='break' or 'error', got "
                f"alphabet={self.alphabet!r} and outside={self.outside!r}."
            )
        return wanted

    def strings(self, X: Data) -> Strings:
        """Convert data to strings and fold the case.

        Parameters
        ----------
        X : data
            List of str, bytes or token lists, single column, or `mercer.data.Strings`.

        Returns
        -------
        Strings
            Packed strings.
        """
        return self._folded(as_strings(X, type(self).__name__))

    def _folded(self, strings: Strings) -> Strings:
        return strings if self.case == "keep" else once(self.case, strings, getattr(strings, self.case))

    @property
    def policy(self) -> tuple[Any, Outside] | None:
        """The alphabet and the treatment of other symbols; None if all symbols count."""
        return None if self.alphabet is None or self.outside == "keep" else (self.alphabet, self.outside)

    def sequences(self, strings: Strings) -> Sequences:
        """Codes of the strings, with a mask of the symbols in the alphabet.

        Parameters
        ----------
        strings : Strings
            Packed strings.

        Returns
        -------
        Sequences
            Codes, offsets and mask.
        """
        return once((Sequences, self.policy), strings, lambda: self._sequences(strings))

    def _sequences(self, strings: Strings) -> Sequences:
        inside = None
        if self.policy is not None:
            inside = strings.belongs(self.alphabet)
            if inside.all():
                inside = None
            elif self.outside == "error":
                strings.require(self.alphabet)
        return Sequences(strings.codes, strings.offsets, inside, strings.granularity, strings.texts)

    def pack(self, X: Data) -> Any:
        return self.sequences(self.strings(X))


@dataclass(frozen=True)
class StringKernel(StringOptions, PackedKernel):
    """Base class of string kernels that the core computes pair by pair; see `StringOptions` for the options."""
