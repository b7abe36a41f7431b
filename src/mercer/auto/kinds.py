"""Inference of the kind of a column: number, date, ordered, category, text, sequence, molecule, tree or drop."""

import re
from importlib import import_module
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from mercer._typing import DoubleArray
from mercer.auto.columns import RawColumn
from mercer.auto.readings import Reading, find_reading, numbers_of, requested_reading
from mercer.data.strings.alphabet import as_alphabet

__all__ = ["KINDS", "Choice", "ColumnKind", "infer_kind", "is_molecule_name", "request_kind", "sequence_alphabet"]

ColumnKind: TypeAlias = Literal["number", "category", "date", "ordered", "text", "sequence", "molecule", "tree", "drop"]
KINDS = get_args(ColumnKind)

FEW_LEVELS = 50  # largest number of distinct values for which short texts with blanks are categories
LONG = 40  # texts with blanks of at least this mean length are texts, whatever the number of distinct values
SAMPLE = 50  # number of values that are parsed as SMILES or trees
LENGTH = {"dna": 8, "rna": 8, "protein": 20}  # smallest median length of sequences
AMBIGUOUS = {"dna": set("NRYSWKMBDHV-"), "rna": set("NRYSWKMBDHV-"), "protein": set("BXZ*-")}  # rare symbols
SMALL, SHORT = 6, 8  # largest number of symbols and smallest median length of sequences over another alphabet
SMILES_SIGNS = re.compile(r"[=#()\[\]]|[a-z]\d|[A-Z]\d")
IDENTIFIER = re.compile(r"(^|[_\s.-])(?i:id|idx|index|uuid|row|rownum|unnamed: 0)$|[a-z]I[dD]$")


class Choice(NamedTuple):
    """Kind of a column, the reason if a note should state it, and how its values are converted to numbers."""

    kind: ColumnKind
    why: str = ""
    reading: Reading = ()


def infer_kind(column: RawColumn) -> Choice:
    """Infer the kind of a column from its values and its name.

    Numbers are never categories, even if they take few values. Texts are dates, ordered levels or numbers if all of
    them are. Texts over a small alphabet are sequences. Texts that rdkit parses are molecules. Texts with blanks are
    texts if they are long or have many distinct values. Other texts are categories. Columns without information are
    dropped: empty columns, constant columns and identifiers.

    >>> import numpy as np
    >>> infer_kind(RawColumn("age", "number", np.array([31.0, 45.0]))).kind
    'number'
    >>> infer_kind(RawColumn("size", "text", ["small", "large", "medium"])).reading
    ('ordered', 'small', 'medium', 'large')
    >>> infer_kind(RawColumn("ticket", "text", ["A7", "B1", "C4"])).why
    'identifier, all values are different'
    """
    if column.type == "empty":
        return Choice("drop", "all values are missing")
    if column.is_constant:
        return Choice("drop", "all values are equal")
    match column.type:
        case "number":
            return _number_kind(column.name, column.values)
        case "date":
            return Choice("date", reading=requested_reading("infer_kind", column, "date"))
        case "boolean":
            return Choice("category")
        case "mixed":
            reading, _ = find_reading(column)
            if not reading:
                return Choice("category", "values of several types are compared as text")
            return Choice("number", "", reading)
    return _text_kind(column)


def request_kind(who: str, column: RawColumn, kind: Any) -> Choice:
    """Kind that was given for a column: the name of a kind, or a list of levels in ascending order."""
    if kind == "drop":
        return Choice("drop", "requested")
    if not isinstance(kind, str):
        return Choice("ordered", "", requested_reading(who, column, kind))
    if kind in ("number", "date", "ordered"):
        return Choice(kind, "", requested_reading(who, column, kind))  # type: ignore[arg-type]
    return Choice(kind)  # type: ignore[arg-type]


def _number_kind(name: str, values: DoubleArray, reading: Reading = ()) -> Choice:
    if not IDENTIFIER.search(name) or not np.isfinite(values).all():
        return Choice("number", "", reading)
    identifies = bool((values == np.floor(values)).all()) and len(np.unique(values)) == len(values)
    return Choice("drop", "row identifier") if identifies else Choice("number", "", reading)


def _text_kind(column: RawColumn) -> Choice:
    texts = column.present
    if is_molecule_name(column.name):
        if _chemistry() is not None:
            return Choice("molecule", "read as SMILES, because of its name")
        return Choice("text", "SMILES are compared as text, since rdkit is not installed (pip install 'mercer[chem]')")
    if all(text.lstrip().startswith("(") and text.rstrip().endswith(")") for text in texts) and _are_trees(texts):
        return Choice("tree", "read as trees in bracket notation")
    reading, unread = find_reading(column)
    if reading[:1] == ("amount",) and not _are_digits(texts):
        return _number_kind(column.name, numbers_of("infer_kind", column, reading), reading)
    if reading[:1] in (("ordered",), ("date",), ("time",)):
        return Choice("ordered" if reading[0] == "ordered" else "date", "", reading)
    choice = _plain_text_kind(texts)
    return Choice(choice.kind, "; ".join(filter(None, (choice.why, unread))))


def _plain_text_kind(texts: list[str]) -> Choice:
    """Kind of texts that are not dates, ordered levels or numbers."""
    levels, different = set(texts), len(set(texts)) == len(texts)
    if len(levels) > FEW_LEVELS or different:
        if _are_molecules(texts):
            return Choice("molecule", "read as SMILES, since rdkit parses its values")
        alphabet = sequence_alphabet(texts)
        if alphabet is not None:
            named = alphabet if alphabet in LENGTH else f"symbols {alphabet}"
            return Choice("sequence", f"read as sequences ({named})")
    blanks = sum(" " in text.strip() for text in texts) / len(texts)
    length = sum(map(len, texts)) / len(texts)
    if blanks > 0.2 and (length >= LONG or len(levels) > FEW_LEVELS or different):
        return Choice("text")
    if different and len(texts) > 2:
        return Choice("drop", "identifier, all values are different")
    return Choice("category")


def _are_digits(texts: list[str]) -> bool:
    """Whether texts are long strings over a few digits, which are sequences."""
    return all(text.strip().isdigit() for text in texts) and sequence_alphabet(texts) is not None


def is_molecule_name(name: str) -> bool:
    """Whether the name of a column indicates SMILES."""
    return "smiles" in name.lower() or name.lower() == "smi"


def sequence_alphabet(texts: list[str]) -> str | None:
    """Alphabet of sequences: "dna", "rna", "protein" or the symbols that occur; None if texts are not sequences.

    >>> sequence_alphabet(["GATTACAGATTACA", "CATGATTACA"]), sequence_alphabet(["Oslo", "Rome"])
    ('dna', None)
    """
    stripped = [text.strip() for text in texts]
    symbols = set("".join(stripped))
    if not symbols or any(symbol.isspace() for symbol in symbols):
        return None
    lengths = sorted(map(len, stripped))
    median, folded = lengths[len(lengths) // 2], {symbol.upper() for symbol in symbols}
    for name, rare in AMBIGUOUS.items():
        letters = set(str(as_alphabet(name, "sequence_alphabet").symbols))
        sample = "".join(stripped[:SAMPLE]).upper()
        usual = sum(symbol in letters for symbol in sample) >= 0.9 * len(sample)
        # Ordinary words also consist of amino-acid letters, but sequences do not mix upper and lower case.
        mixed = name == "protein" and len(symbols) > len(folded)
        if folded <= letters | rare and usual and median >= LENGTH[name] and not mixed:
            return name
    return "".join(sorted(symbols)) if len(symbols) <= SMALL and median >= SHORT else None


def _are_trees(texts: list[str]) -> bool:
    from mercer.data import Trees

    try:
        Trees(texts[:SAMPLE])
    except (TypeError, ValueError):
        return False
    return True


def _chemistry() -> Any:
    try:
        return import_module("rdkit.Chem")
    except ImportError:
        return None


def _are_molecules(texts: list[str]) -> bool:
    """Whether rdkit parses a sample of values, half of which have characters typical of SMILES."""
    sample = list(dict.fromkeys(texts))[:SAMPLE]
    signs = sum(bool(SMILES_SIGNS.search(text)) for text in sample)
    if any(re.search(r"\s", text.strip()) for text in sample) or signs < 0.5 * len(sample):
        return False
    chem = _chemistry()
    if chem is None:
        return False
    with import_module("rdkit.rdBase").BlockLogs():
        return all(chem.MolFromSmiles(text) is not None for text in sample)
