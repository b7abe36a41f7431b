"""Inference of the kind of a column: number, category, text, sequence, molecule, tree or drop."""

import re
from importlib import import_module
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from mercer.auto.columns import RawColumn
from mercer.data.strings.alphabet import as_alphabet

__all__ = ["KINDS", "Choice", "ColumnKind", "infer_kind", "is_molecule_name", "sequence_alphabet"]

ColumnKind: TypeAlias = Literal["number", "category", "text", "sequence", "molecule", "tree", "drop"]
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
    """Kind of a column, and the reason if a note should state it."""

    kind: ColumnKind
    why: str = ""


def infer_kind(column: RawColumn) -> Choice:
    """Infer the kind of a column from its values and its name.

    Numbers are never categories, even if they take few values. Texts over a small alphabet are sequences. Texts that
    rdkit parses are molecules. Texts with blanks are texts if they are long or have many distinct values. Other texts
    are categories. Columns without information are dropped: empty columns, constant columns and identifiers.

    >>> import numpy as np
    >>> infer_kind(RawColumn("age", "number", np.array([31.0, 45.0])))
    Choice(kind='number', why='')
    >>> infer_kind(RawColumn("ticket", "text", ["A7", "B1", "C4"])).why
    'identifier, all values are different'
    """
    if column.type == "empty":
        return Choice("drop", "all values are missing")
    if column.is_constant:
        return Choice("drop", "all values are equal")
    match column.type:
        case "number" | "date":
            return _number_kind(column)
        case "boolean":
            return Choice("category")
        case "mixed":
            return Choice("category", "values of several types are compared as text")
    return _text_kind(column)


def _number_kind(column: RawColumn) -> Choice:
    values = column.values
    if column.type == "date" or not IDENTIFIER.search(column.name) or not np.isfinite(values).all():
        return Choice("number")
    whole = bool((values == np.floor(values)).all())
    return Choice("drop", "row identifier") if whole and len(np.unique(values)) == len(values) else Choice("number")


def _text_kind(column: RawColumn) -> Choice:
    texts = column.present
    levels, different = set(texts), len(set(texts)) == len(texts)
    if is_molecule_name(column.name):
        if _chemistry() is not None:
            return Choice("molecule", "read as SMILES, because of its name")
        return Choice("text", "SMILES are compared as text, since rdkit is not installed (pip install 'mercer[chem]')")
    if all(text.lstrip().startswith("(") and text.rstrip().endswith(")") for text in texts) and _are_trees(texts):
        return Choice("tree", "read as trees in bracket notation")
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
