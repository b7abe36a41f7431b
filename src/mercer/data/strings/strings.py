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
    """Strings in one flat array of codes.

    Parameters
    ----------
    strings : list, tuple, 1-D array, column of a frame, or Strings
        str, bytes, or lists of str (tokens); all of one kind. Empty ones are fine, missing ones raise ValueError.
    granularity : {"character", "byte", "token"}, optional
        What a symbol is; by default a character of str, a byte of bytes, a token of lists. str with granularity
        "byte" are encoded as UTF-8.
    names : sequence of str, optional
        A name for each string, such as the header of a record; `==` does not look at it.

    Attributes
    ----------
    codes : ndarray of shape (total length,)
        Unicode code points, as uint8 if all are below 256 and as uint32 otherwise; bytes, as uint8; stable hashes of
        tokens, as uint64. Read-only, as are the offsets.
    offsets : ndarray of int64, shape (n + 1,)
        String i is ``codes[offsets[i]:offsets[i + 1]]``.
    granularity : str
    names : tuple of str or None
    texts : dict of int to str
        The token behind each hash; empty for characters and bytes.

    Notes
    -----
    Packing takes O(total length) and one to eight bytes per symbol. A choice of rows copies the chosen symbols only;
    a slice of neighbours copies none. Tokens have no vocabulary: equal tokens have equal codes in every container.

    Examples
    --------
    >>> reads = Strings(["GATTACA", "CAT", ""])
    >>> reads
    Strings(3 of length 0 to 7, 4 symbols: ACGT)
    >>> reads[0], reads[1:].to_list()
    ('GATTACA', ['CAT', ''])
    >>> reads[[True, False, True]] == Strings(["GATTACA", ""])
    True
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
            raise ValueError(f"Strings: parameter names must give {n} names, got {len(names)}.")
        self._fill(**fields | {"names": None if names is None else tuple(map(str, names))})

    @classmethod
    def from_column(cls, column: Data, granularity: Granularity | None = None) -> Self:
        """Pack a column of pandas, polars or pyarrow, or a frame with a single column.

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
        tokenizer : regular expression or callable, optional
            The expression matches one token; the callable gives the tokens of a text. By default texts are split at
            white space, so that nothing is left out.

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
        """Read the sequences of a FASTA file, plain or gzip; `names` are the headers.

        With an alphabet ("dna", "rna", "protein" or a text with the symbols), a symbol that does not belong raises
        ValueError with file, line and record number. Case is kept; fold it with `upper`.
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
        """The strings in upper case, by Python's rules: of bytes ASCII letters only.

        >>> Strings(["acGT", "straße"]).upper().to_list()
        ['ACGT', 'STRASSE']
        """
        return self._fold("upper")

    def lower(self) -> "Strings":
        """The strings in lower case, by Python's rules: of bytes ASCII letters only."""
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
        # A letter may become two, and its form may depend on its neighbours.
        return Strings([getattr(string, how)() for string in self], self.granularity, names=self.names)

    def belongs(self, alphabet: Any) -> npt.NDArray[np.bool_]:
        """Whether each symbol belongs to an alphabet, one truth value per code.

        Parameters
        ----------
        alphabet : {"dna", "rna", "protein"}, str or bytes with the symbols, Alphabet, or collection of tokens
            Case matters.

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
        """These strings, if every symbol belongs to the alphabet; else ValueError names record and position."""
        belongs = self.belongs(alphabet)
        if not belongs.all():
            what = "one of the tokens given" if self.granularity == "token" else f"in the {as_alphabet(alphabet)}"
            raise self._symbol_error(
                int(np.argmin(belongs)), f"is not {what}; fold case with upper(), or clean the data"
            )
        return self

    def reverse_complement(self, alphabet: str | Alphabet = "dna", *, strict: bool = True) -> "Strings":
        """The other strand, read in its own direction; case and the IUPAC codes for ambiguous bases are kept.

        Other symbols raise ValueError, or stay as they are if not `strict`.

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
        # Backwards, the last string comes first; the second step brings the strings back into order.
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
