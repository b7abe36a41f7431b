"""What kind a column is: number, category, text, sequence, molecule, tree, or not worth keeping."""

import re
from importlib import import_module
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from mercer.auto.columns import RawColumn
from mercer.data.strings.alphabet import as_alphabet

__all__ = ["KINDS", "Choice", "ColumnKind", "infer_kind", "is_molecule_name", "sequence_alphabet"]

ColumnKind: TypeAlias = Literal["number", "category", "text", "sequence", "molecule", "tree", "drop"]
KINDS = get_args(ColumnKind)

FEW_LEVELS = 50  # texts with blanks and at most so many levels are categories
LONG = 40  # mean number of characters from which texts with blanks are texts, however few levels there are
SAMPLE = 50  # values that are tried as SMILES or trees
LENGTH = {"dna": 8, "rna": 8, "protein": 20}  # median lengths from which strings are sequences
AMBIGUOUS = {"dna": set("NRYSWKMBDHV-"), "rna": set("NRYSWKMBDHV-"), "protein": set("BXZ*-")}  # rare, but allowed
SMALL, SHORT = 6, 8  # symbols of an alphabet without a name, and median length
SMILES_SIGNS = re.compile(r"[=#()\[\]]|[a-z]\d|[A-Z]\d")
IDENTIFIER = re.compile(r"(^|[_\s.-])(?i:id|idx|index|uuid|row|rownum|unnamed: 0)$|[a-z]I[dD]$")


class Choice(NamedTuple):
    """A kind, and why it was chosen where that is worth telling."""

    kind: ColumnKind
    why: str = ""


def infer_kind(column: RawColumn) -> Choice:
    """The kind of a column, from its values and its name.

    Numbers stay numbers, however few values they have. Texts over a small alphabet are sequences; those that rdkit
    reads are molecules; texts with blanks are texts if they are long or have many levels; others are categories.
    Columns that say nothing are dropped: empty and constant ones, and identifiers.

    >>> import numpy as np
    >>> infer_kind(RawColumn("age", "number", np.array([31.0, 45.0])))
    Choice(kind='number', why='')
    >>> infer_kind(RawColumn("ticket", "text", ["A7", "B1", "C4"])).why
    'every value is different, as in an identifier'
    """
    if column.type == "empty":
        return Choice("drop", "all values are missing")
    if len(set(column.present)) == 1 and not column.missing:
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
    return (
        Choice("drop", "it numbers the rows") if whole and len(np.unique(values)) == len(values) else Choice("number")
    )


def _text_kind(column: RawColumn) -> Choice:
    texts = column.present
    levels, different = set(texts), len(set(texts)) == len(texts)
    if is_molecule_name(column.name):
        if _chemistry() is not None:
            return Choice("molecule", "read as SMILES, by its name")
        missing = "rdkit is not installed (pip install 'mercer[chem]'), so that SMILES are compared as text"
        return Choice("text", missing)
    if all(text.lstrip().startswith("(") and text.rstrip().endswith(")") for text in texts) and _are_trees(texts):
        return Choice("tree", "read as trees in brackets")
    if len(levels) > FEW_LEVELS or different:
        if _are_molecules(texts):
            return Choice("molecule", "read as SMILES, as rdkit reads all of a sample")
        alphabet = sequence_alphabet(texts)
        if alphabet is not None:
            named = alphabet if alphabet in LENGTH else f"symbols {alphabet}"
            return Choice("sequence", f"read as sequences ({named})")
    blanks = sum(" " in text.strip() for text in texts) / len(texts)
    length = sum(map(len, texts)) / len(texts)
    if blanks > 0.2 and (length >= LONG or len(levels) > FEW_LEVELS or different):
        return Choice("text")
    if different and len(texts) > 2:
        return Choice("drop", "every value is different, as in an identifier")
    return Choice("category")


def is_molecule_name(name: str) -> bool:
    """Whether a column is called as columns of molecules are."""
    return "smiles" in name.lower() or name.lower() == "smi"


def sequence_alphabet(texts: list[str]) -> str | None:
    """Alphabet of sequences: "dna", "rna", "protein" or the few symbols that occur; None for other texts.

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
        # Words are made of the letters of proteins too, but sequences do not mix cases.
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
    """Whether rdkit reads a sample, most of which has signs that words and codes have not."""
    sample = list(dict.fromkeys(texts))[:SAMPLE]
    signs = sum(bool(SMILES_SIGNS.search(text)) for text in sample)
    if any(re.search(r"\s", text.strip()) for text in sample) or signs < 0.5 * len(sample):
        return False
    chem = _chemistry()
    if chem is None:
        return False
    with import_module("rdkit.rdBase").BlockLogs():
        return all(chem.MolFromSmiles(text) is not None for text in sample)
