"""`Strings`: characters, bytes or tokens of many strings packed in one flat array."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Literal, Self, final

import numpy as np
import numpy.typing as npt

from mercer._typing import Data
from mercer._validation import describe
from mercer.data.hashing.texts import hash_texts, merge_texts, used_texts
from mercer.data.packed import Packed, gather, joined_offsets, listed, record_error
from mercer.data.readers.fasta import parse_fasta
from mercer.data.readers.lines import Path
from mercer.data.strings.alphabet import Alphabet, as_alphabet, distinct, look_up
from mercer.data.strings.checks import check_strings
from mercer.data.strings.symbols import Granularity, SymbolArray, pack_strings, unpack_each, unpack_one

__all__ = ["Strings"]

_SHOWN = 32  # symbols in the repr


@final
class Strings(Packed):
    """Strings packed into one flat array of codes.

    Parameters
    ----------
    strings : list, tuple, 1-D array, column of a frame, or Strings
        Samples of type str, bytes, or list of str (tokens); all of one type. Empty samples are allowed, missing ones
        raise ValueError.
    granularity : {"character", "byte", "token"}, default=None
        Kind of symbols. With None, characters of str, bytes of bytes, tokens of lists. With "byte", str are encoded as
        UTF-8.
    names : sequence of str, default=None
        Name of each string, such as the header of a record. Names are ignored by ``==``.

    Attributes
    ----------
    codes : ndarray of shape (total length,)
        Code points of characters, uint8 if all are below 256, else uint32; bytes as uint8; stable hashes of tokens as
        uint64. Read-only.
    offsets : ndarray of int64 of shape (n_strings + 1,)
        String i is ``codes[offsets[i]:offsets[i + 1]]``. Read-only.
    granularity : str
        Kind of symbols.
    names : tuple of str or None
        Name of each string.
    texts : dict of int to str
        Token of each hash; empty for characters and bytes.

    See Also
    --------
    Trees : Packed trees.
    Graphs : Packed graphs.
    Alphabet : Set of symbols.
    mercer.kernels.Spectrum : A string kernel.

    Notes
    -----
    Packing takes O(total length) time and one to eight bytes per symbol. Choosing rows copies only the chosen symbols;
    a slice with step 1 copies nothing. There is no vocabulary of tokens: equal tokens have equal codes in all
    containers.

    Examples
    --------
    >>> reads = Strings(["GATTACA", "CAT", ""])
    >>> reads
    Strings(3 of length 0 to 7, 4 symbols: ACGT)
    >>> reads[0], reads[1:].to_list()
    ('GATTACA', ['CAT', ''])
    >>> reads[[True, False, True]]
    Strings(2 of length 0 to 7, 4 symbols: ACGT)
    >>> Strings([["to", "be"], ["not", "to", "be"]])[1]
    ('not', 'to', 'be')
    """

    codes: SymbolArray
    granularity: Granularity
    names: tuple[str, ...] | None
    texts: dict[int, str]

    def __init__(
        self, strings: Data, granularity: Granularity | None = None, *, names: Sequence[str] | None = None
    ) -> None:
        if isinstance(strings, Strings):
            names = strings.names if names is None else names
        if isinstance(strings, Strings) and granularity in (None, strings.granularity):
            fields = strings._with()
        else:
            kind, (codes, offsets, texts) = pack_strings(listed("Strings", strings), granularity)
            fields = {"codes": codes, "offsets": offsets, "granularity": kind, "texts": texts}
        n = len(fields["offsets"]) - 1
        if names is not None and len(names) != n:
            raise ValueError(f"Strings: parameter names must have {n} entries, got {len(names)}.")
        self._fill(**fields | {"names": None if names is None else tuple(map(str, names))})

    @classmethod
    def from_column(cls, column: Data, granularity: Granularity | None = None) -> Self:
        """Pack a column of pandas, polars or pyarrow, or a frame with a single column.

        Parameters
        ----------
        column : series or frame
            Column of str, bytes or lists of str.
        granularity : {"character", "byte", "token"}, default=None
            Kind of symbols; with None, inferred from the values.

        Returns
        -------
        Strings
            Packed strings.

        Examples
        --------
        >>> import pandas as pd
        >>> Strings.from_column(pd.Series(["ACGT", "GG"]))
        Strings(2 of length 2 to 4, 4 symbols: ACGT)
        """
        return cls(listed("Strings.from_column", column), granularity)

    @classmethod
    def from_text(
        cls, texts: Data, tokenizer: str | re.Pattern[str] | Callable[[str], Iterable[str]] | None = None
    ) -> Self:
        r"""Split texts into tokens.

        Parameters
        ----------
        texts : list, 1-D array or column of str, or Strings of characters
            Texts to split.
        tokenizer : str, re.Pattern or callable, default=None
            Regular expression that matches one token, or function that returns the tokens of a text. With None, texts
            are split at white space.

        Returns
        -------
        Strings
            Strings of tokens.

        Examples
        --------
        >>> Strings.from_text(["To be, or not"], r"\w+").lower()[0]
        ('to', 'be', 'or', 'not')
        """
        split = _splitter(tokenizer)
        values = listed("Strings.from_text", texts)
        for i, value in enumerate(values):
            if not isinstance(value, str):
                raise record_error("Strings.from_text", i, value, "a str")
        names = texts.names if isinstance(texts, Strings) else None
        return cls([list(split(value)) for value in values], "token", names=names)

    @classmethod
    def read_fasta(cls, path: Path, alphabet: str | Alphabet | None = None) -> Self:
        """Read the sequences of a FASTA file, plain or gzip.

        Parameters
        ----------
        path : str or path
            File to read.
        alphabet : {"dna", "rna", "protein"}, str or Alphabet, default=None
            Allowed symbols. With None, all symbols are allowed. Case is kept; fold it with `upper`.

        Returns
        -------
        Strings
            Sequences, with their headers as `names`.

        Raises
        ------
        ValueError
            If the file is invalid or a symbol is not allowed. The message names file, line and record.
        """
        letters = None if alphabet is None else as_alphabet(alphabet, "Strings.read_fasta")
        names, sequences = parse_fasta(path, letters)
        return cls(sequences, "character", names=names)

    # ---- samples

    def _fields(self) -> dict[str, Any]:
        texts = used_texts(self.texts, self.codes) if self.granularity == "token" else {}
        return {**self._with(), "texts": texts}

    @classmethod
    def _checked(cls, **fields: Any) -> dict[str, Any]:
        return check_strings("Strings", **fields)

    def _with(self, **changes: Any) -> dict[str, Any]:
        fields = ("codes", "offsets", "granularity", "names", "texts")
        return {name: getattr(self, name) for name in fields} | changes

    def _item(self, i: int) -> Any:
        codes = self.codes[self.offsets[i] : self.offsets[i + 1]]
        return unpack_one(codes, self.granularity, self.texts)

    def __iter__(self) -> Iterator[Any]:
        return unpack_each(self.codes, self.offsets, self.granularity, self.texts)

    def _take(self, rows: Any) -> "Strings":
        offsets, codes = gather(self.offsets, rows, self.codes)
        names = self.names and tuple(self.names[i] for i in (rows if isinstance(rows, range) else rows.tolist()))
        return self._new(codes=codes, offsets=offsets, names=names)

    def _new(self, **changes: Any) -> "Strings":
        return Strings.__new__(Strings)._fill(**self._with(**changes))

    def _join(self, others: Sequence["Strings"]) -> "Strings":
        parts = [self, *others]
        kinds = sorted({part.granularity for part in parts})
        if len(kinds) > 1:
            raise ValueError(f"Strings: cannot concatenate strings of granularity {' and '.join(map(repr, kinds))}.")
        named = all(part.names is not None for part in parts)
        return self._new(
            codes=np.concatenate([part.codes for part in parts]),
            offsets=joined_offsets(parts),
            names=tuple(name for part in parts for name in part.names or ()) if named else None,
            texts=merge_texts("Strings", (pair for part in parts for pair in part.texts.items())),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Strings):
            return NotImplemented
        same = self.granularity == other.granularity and np.array_equal(self.offsets, other.offsets)
        return bool(same and np.array_equal(self.codes, other.codes))

    __hash__ = None  # type: ignore[assignment]

    # ---- symbols

    @cached_property
    def alphabet(self) -> Any:
        """Distinct symbols in order: a str of characters, bytes, or a tuple of tokens; O(total length)."""
        if self.granularity == "token":
            return tuple(sorted(map(self.texts.__getitem__, np.unique(self.codes).tolist())))
        return unpack_one(distinct(self.codes), self.granularity, self.texts)

    def upper(self) -> "Strings":
        """Convert to upper case by Python's rules; in bytes only ASCII letters change.

        Returns
        -------
        Strings
            Strings in upper case.

        Examples
        --------
        >>> Strings(["acGT", "straße"]).upper().to_list()
        ['ACGT', 'STRASSE']
        """
        return self._fold("upper")

    def lower(self) -> "Strings":
        """Convert to lower case by Python's rules; in bytes only ASCII letters change.

        Returns
        -------
        Strings
            Strings in lower case.
        """
        return self._fold("lower")

    def _fold(self, how: Literal["upper", "lower"]) -> "Strings":
        if self.granularity == "token":
            given, where = np.unique(self.codes, return_inverse=True)
            folded = [getattr(self.texts[number], how)() for number in given.tolist()]
            hashes, texts = hash_texts("Strings", folded)
            return self._new(codes=hashes[where], texts=texts)
        if self.granularity == "byte" or self.codes.max(initial=0) < 128:
            table = np.frombuffer(getattr(bytes(range(256)), how)(), dtype=np.uint8)
            return self._new(codes=look_up(table, self.codes))
        # A letter may become two, or depend on adjacent letters.
        return Strings([getattr(string, how)() for string in self], self.granularity, names=self.names)

    def belongs(self, alphabet: Any) -> npt.NDArray[np.bool_]:
        """Mask of the symbols that belong to an alphabet.

        Parameters
        ----------
        alphabet : {"dna", "rna", "protein"}, str, bytes, Alphabet, or collection of tokens
            Named alphabet, symbols, or tokens. Case matters.

        Returns
        -------
        ndarray of bool of shape (total length,)
            One value per code.

        Examples
        --------
        >>> Strings(["ACNG"]).belongs("dna")
        array([ True,  True, False,  True])
        """
        if self.granularity != "token":
            return as_alphabet(alphabet, "Strings.belongs").mask(self.codes)
        if isinstance(alphabet, (str, bytes, Alphabet)):
            raise TypeError(f"Strings.belongs: expected a collection of tokens, got {describe(alphabet)}.")
        return np.isin(self.codes, hash_texts("Strings.belongs", list(alphabet))[0])

    def require(self, alphabet: Any) -> Self:
        """Raise unless every symbol belongs to an alphabet.

        Parameters
        ----------
        alphabet : {"dna", "rna", "protein"}, str, bytes, Alphabet, or collection of tokens
            Allowed symbols.

        Returns
        -------
        Strings
            These strings.

        Raises
        ------
        ValueError
            If a symbol does not belong to the alphabet. The message names record and position.
        """
        belongs = self.belongs(alphabet)
        if not belongs.all():
            what = "one of the tokens given" if self.granularity == "token" else f"in the {as_alphabet(alphabet)}"
            raise self._symbol_error(
                int(np.argmin(belongs)), f"is not {what}; fold case with upper(), or clean the data"
            )
        return self

    def reverse_complement(self, alphabet: str | Alphabet = "dna", *, strict: bool = True) -> "Strings":
        """Reverse complement of each sequence; case and IUPAC codes of ambiguous bases are kept.

        Parameters
        ----------
        alphabet : {"dna", "rna"} or Alphabet, default="dna"
            Alphabet with complements.
        strict : bool, default=True
            Whether symbols without a complement raise ValueError. With False they are kept.

        Returns
        -------
        Strings
            Sequences of the other strand, in its reading direction.

        Examples
        --------
        >>> Strings(["GATTACA", "RNc"]).reverse_complement().to_list()
        ['TGTAATC', 'gNY']
        """
        letters = as_alphabet(alphabet, "Strings.reverse_complement")
        if self.granularity == "token" or not letters.complement[0]:
            which = "tokens have" if self.granularity == "token" else f"the {letters} has"
            raise ValueError(f"Strings.reverse_complement: {which} no complement; use sequences of dna or rna.")
        codes, paired = letters.complemented(self.codes)
        if strict and not paired.all():
            raise self._symbol_error(int(np.argmin(paired)), f"has no complement in the {letters}")
        # Reversing the codes reverses the order of the strings; gather restores it.
        offsets = len(codes) - self.offsets[::-1]
        offsets, codes = gather(offsets, np.arange(len(self))[::-1], codes[::-1])
        return self._new(codes=codes, offsets=offsets)

    def _symbol_error(self, at: int, what: str) -> ValueError:
        record = int(np.searchsorted(self.offsets, at, side="right")) - 1
        symbol = unpack_one(self.codes[at : at + 1], self.granularity, self.texts)
        symbol = symbol[0] if self.granularity == "token" else symbol
        name = f" ({self.names[record]!r})" if self.names else ""
        return ValueError(
            f"Strings: record {record}{name} has {symbol!r} at position {at - self.offsets[record]}, which {what}."
        )

    def __repr__(self) -> str:
        lengths = self.lengths
        low, high = (int(lengths.min()), int(lengths.max())) if len(self) else (0, 0)
        size = f"{low}" if low == high else f"{low} to {high}"
        alphabet = self.alphabet
        if self.granularity == "token":
            return f"Strings({len(self)} of {size} tokens, {len(alphabet)} distinct)"
        if not alphabet:
            return f"Strings({len(self)} of length {size})"
        shown = alphabet[:_SHOWN]
        text = shown if self.granularity == "character" and shown.isprintable() and " " not in shown else repr(shown)
        more = "..." if len(alphabet) > _SHOWN else ""
        what = "symbol" if self.granularity == "character" else "byte"
        plural = "" if len(alphabet) == 1 else "s"
        return f"Strings({len(self)} of length {size}, {len(alphabet)} {what}{plural}: {text}{more})"


def _splitter(tokenizer: Any) -> Callable[[str], Iterable[str]]:
    if tokenizer is None:
        return str.split
    if isinstance(tokenizer, (str, re.Pattern)):
        pattern = re.compile(tokenizer)
        return lambda text: (match.group() for match in pattern.finditer(text))
    if not callable(tokenizer):
        raise TypeError(
            "Strings.from_text: parameter tokenizer must be a regular expression, a callable or None, got "
            f"{describe(tokenizer)}."
        )
    return tokenizer  # type: ignore[no-any-return]
