"""Alphabets of sequences, with complements of symbols."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from mercer._validation import Rebuilt, describe
from mercer.data.strings.symbols import UNICODE

__all__ = ["ALPHABETS", "Alphabet", "as_alphabet", "distinct", "look_up"]

_BLOCK = 1 << 20  # codes per block: NumPy widens an index to 8 bytes per code


@final
@dataclass(frozen=True)
class Alphabet(Rebuilt):
    """Set of symbols, optionally with their complements.

    Parameters
    ----------
    symbols : str or bytes
        Symbols of the alphabet. Case matters: fold it with `Strings.upper` first if it should not.
    complement : tuple of two str, default=("", "")
        Symbols and their complements, in the same order. Symbols outside the alphabet are allowed, such as the codes of
        ambiguous bases.
    name : str, default=""
        Name used in messages.

    See Also
    --------
    Strings.belongs : Mask of the symbols in an alphabet.
    Strings.reverse_complement : Reverse complements of DNA or RNA.

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
                "Alphabet: parameters symbols and name must be str (symbols also bytes), got "
                f"{describe(self.symbols)} and {describe(self.name)}."
            )
        match self.complement:
            case (str() as given, str() as partners):
                fits = len(given) == len(partners) and (given + partners).isascii()
            case _:
                fits = False
        if not fits:
            raise ValueError(
                "Alphabet: parameter complement must be two ASCII str of equal length, symbols and their complements, "
                f"got {describe(self.complement)}."
            )

    def __str__(self) -> str:
        shown = self.symbols if isinstance(self.symbols, str) else repr(self.symbols)
        return f"{self.name} alphabet {shown}" if self.name else f"alphabet {shown}"

    @property
    def points(self) -> npt.NDArray[np.int64]:
        """Distinct code points (or bytes) of the symbols, ascending."""
        return np.unique(_points(self.symbols))

    def mask(self, codes: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Mask of the codes that belong to the alphabet.

        Parameters
        ----------
        codes : ndarray of uint8 or uint32
            Code points or bytes.

        Returns
        -------
        ndarray of bool
            Mask of the shape of `codes`.
        """
        table = np.zeros(_size(codes), dtype=bool)
        points = _points(self.symbols)
        table[points[points < len(table)]] = True
        return look_up(table, codes)

    def complemented(self, codes: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
        """Replace codes by their complements.

        Parameters
        ----------
        codes : ndarray of uint8 or uint32
            Code points or bytes.

        Returns
        -------
        codes : ndarray
            Complement of each code; codes without a complement are unchanged.
        paired : ndarray of bool
            Whether each code has a complement.
        """
        table, paired = np.arange(_size(codes), dtype=codes.dtype), np.zeros(_size(codes), dtype=bool)
        table[_points(self.complement[0])] = _points(self.complement[1])
        paired[_points(self.complement[0])] = True
        return look_up(table, codes), look_up(paired, codes)


def look_up(table: npt.NDArray[Any], codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """``table[codes]`` without an index of 8 bytes per code."""
    out = np.empty(codes.shape, dtype=table.dtype)
    for start in range(0, len(codes), _BLOCK):
        np.take(table, codes[start : start + _BLOCK], out=out[start : start + _BLOCK], mode="clip")
    return out


def distinct(codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Distinct codes, ascending; O(n) without a sort."""
    seen = np.zeros(_size(codes), dtype=bool)
    for start in range(0, len(codes), _BLOCK):
        seen[codes[start : start + _BLOCK]] = True
    return np.flatnonzero(seen).astype(codes.dtype)


def _size(codes: npt.NDArray[Any]) -> int:
    return 256 if codes.dtype == np.uint8 else UNICODE


def _points(symbols: str | bytes) -> npt.NDArray[np.int64]:
    return np.array(list(symbols if isinstance(symbols, bytes) else map(ord, symbols)), dtype=np.int64)


def _strands(base: str) -> tuple[str, str]:
    """Bases and the IUPAC codes of ambiguous bases with their complements, in both cases."""
    symbols, partners = f"ACG{base}RYSWKMBDHVN", f"{base}GCAYRSWMKVHDBN"
    return symbols + symbols.lower(), partners + partners.lower()


ALPHABETS = {
    "dna": Alphabet("ACGT", _strands("T"), "dna"),
    "rna": Alphabet("ACGU", _strands("U"), "rna"),
    "protein": Alphabet("ACDEFGHIKLMNPQRSTVWY", name="protein"),
}


def as_alphabet(alphabet: Any, who: str = "Alphabet") -> Alphabet:
    """Alphabet from a name ("dna", "rna", "protein"), from a str or bytes with its symbols, or unchanged.

    >>> print(as_alphabet("rna"))
    rna alphabet ACGU
    >>> print(as_alphabet("01"))
    alphabet 01
    """
    if isinstance(alphabet, Alphabet):
        return alphabet
    if not isinstance(alphabet, (str, bytes)) or not alphabet:
        names = ", ".join(map(repr, ALPHABETS))
        raise TypeError(f"{who}: alphabet must be one of {names} or a str with its symbols, got {describe(alphabet)}.")
    named = ALPHABETS.get(alphabet) if isinstance(alphabet, str) else None
    return named or Alphabet(alphabet)
