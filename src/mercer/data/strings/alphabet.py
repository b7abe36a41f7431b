"""Alphabets of sequences: their symbols, and the complement of each symbol."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from mercer._validation import Rebuilt, describe
from mercer.data.strings.symbols import UNICODE

__all__ = ["ALPHABETS", "Alphabet", "as_alphabet", "distinct", "look_up"]

_BLOCK = 1 << 20  # codes looked up at a time: NumPy widens an index to 8 bytes per code


@final
@dataclass(frozen=True)
class Alphabet(Rebuilt):
    """A set of symbols, with the complement of each where there is one.

    Parameters
    ----------
    symbols : str or bytes
        The symbols that belong. Case matters: fold with `Strings.upper` first if it should not.
    complement : tuple of two str, optional
        Symbols and their partners in the same order. May speak of more symbols than belong, such as the codes for
        ambiguous bases.
    name : str, optional
        For messages.

    Examples
    --------
    >>> import numpy as np
    >>> Alphabet("ACGT").mask(np.frombuffer(b"GATNaCA", dtype=np.uint8))
    array([ True,  True,  True, False, False,  True,  True])
    """

    symbols: str | bytes
    complement: tuple[str, str] = ("", "")
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.symbols, (str, bytes)) or not isinstance(self.name, str):
            raise TypeError(
                "Alphabet: parameters symbols and name must be texts, or symbols bytes, got "
                f"{describe(self.symbols)} and {describe(self.name)}."
            )
        match self.complement:
            case (str() as given, str() as partners):
                fits = len(given) == len(partners) and (given + partners).isascii()
            case _:
                fits = False
        if not fits:
            raise ValueError(
                "Alphabet: parameter complement must be two texts of equal length in ASCII, a symbol and its partner "
                f"in the same place, got {describe(self.complement)}."
            )

    def __str__(self) -> str:
        shown = self.symbols if isinstance(self.symbols, str) else repr(self.symbols)
        return f"{self.name} alphabet {shown}" if self.name else f"alphabet {shown}"

    @property
    def points(self) -> npt.NDArray[np.int64]:
        """Code points (or bytes) of the symbols, ascending, each once."""
        return np.unique(_points(self.symbols))

    def mask(self, codes: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Whether each code (a code point or a byte) belongs, shape of `codes`; O(size)."""
        table = np.zeros(_size(codes), dtype=bool)
        points = _points(self.symbols)
        table[points[points < len(table)]] = True
        return look_up(table, codes)

    def complemented(self, codes: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
        """Partner of each code, and whether it has one; codes without stay themselves."""
        table, paired = np.arange(_size(codes), dtype=codes.dtype), np.zeros(_size(codes), dtype=bool)
        table[_points(self.complement[0])] = _points(self.complement[1])
        paired[_points(self.complement[0])] = True
        return look_up(table, codes), look_up(paired, codes)


def look_up(table: npt.NDArray[Any], codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """``table[codes]`` without an index of 8 bytes for every code."""
    out = np.empty(codes.shape, dtype=table.dtype)
    for start in range(0, len(codes), _BLOCK):
        np.take(table, codes[start : start + _BLOCK], out=out[start : start + _BLOCK], mode="clip")
    return out


def distinct(codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Sorted codes that occur, each once; O(size), without a sort."""
    seen = np.zeros(_size(codes), dtype=bool)
    for start in range(0, len(codes), _BLOCK):
        seen[codes[start : start + _BLOCK]] = True
    return np.flatnonzero(seen).astype(codes.dtype)


def _size(codes: npt.NDArray[Any]) -> int:
    return 256 if codes.dtype == np.uint8 else UNICODE


def _points(symbols: str | bytes) -> npt.NDArray[np.int64]:
    return np.array(list(symbols if isinstance(symbols, bytes) else map(ord, symbols)), dtype=np.int64)


def _strands(base: str) -> tuple[str, str]:
    """Pairs of bases and of the IUPAC codes for ambiguous ones, in both cases."""
    symbols, partners = f"ACG{base}RYSWKMBDHVN", f"{base}GCAYRSWMKVHDBN"
    return symbols + symbols.lower(), partners + partners.lower()


ALPHABETS = {
    "dna": Alphabet("ACGT", _strands("T"), "dna"),
    "rna": Alphabet("ACGU", _strands("U"), "rna"),
    "protein": Alphabet("ACDEFGHIKLMNPQRSTVWY", name="protein"),
}


def as_alphabet(alphabet: Any, who: str = "Alphabet") -> Alphabet:
    """Alphabet of a name ("dna", "rna", "protein"), of a text or bytes with its symbols, or as it is.

    >>> print(as_alphabet("rna"))
    rna alphabet ACGU
    >>> print(as_alphabet("01"))
    alphabet 01
    """
    if isinstance(alphabet, Alphabet):
        return alphabet
    if not isinstance(alphabet, (str, bytes)) or not alphabet:
        names = ", ".join(map(repr, ALPHABETS))
        raise TypeError(f"{who}: alphabet must be one of {names} or a text with its symbols, got {describe(alphabet)}.")
    named = ALPHABETS.get(alphabet) if isinstance(alphabet, str) else None
    return named or Alphabet(alphabet)
