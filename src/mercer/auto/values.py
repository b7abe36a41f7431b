"""Conversion of column values to numbers, texts, categories, molecules or trees."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer._typing import DoubleArray
from mercer._validation import describe
from mercer.auto.columns import RawColumn, plain_text
from mercer.data import Graphs, Trees

__all__ = ["floats", "levels", "molecules", "texts", "trees"]


def floats(who: str, column: RawColumn) -> DoubleArray:
    """Convert a column to finite numbers, with NaN for missing values; texts are parsed, booleans become 1 and 0."""
    values = column.values
    if not isinstance(values, np.ndarray):
        values = np.array(
            [np.nan if value is None else _float(who, column, i, value) for i, value in enumerate(values)]
        )
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise ValueError(
            f"{who}: column {column.name!r} holds infinity in row {infinite[0]}, expected finite numbers; replace it "
            "or mark it as missing."
        )
    return np.asarray(values, dtype=np.float64)


def _float(who: str, column: RawColumn, row: int, value: Any) -> float:
    try:
        return float(value)
    except ValueError:
        raise TypeError(
            f"{who}: column {column.name!r} has the kind 'number', got {describe(value)} in row {row}; give it the "
            "kind 'category' or 'text'."
        ) from None


def texts(who: str, column: RawColumn, *, strip: bool) -> list[str]:
    """Convert a column to texts, with empty texts for missing values; `strip` removes surrounding blanks."""
    if isinstance(column.values, np.ndarray):
        raise TypeError(
            f"{who}: column {column.name!r} should hold texts, got {column.what}; give it another kind, such as "
            "'number' or 'category'."
        )
    values = ["" if value is None else str(value) for value in column.values]
    return [value.strip() for value in values] if strip else values


def levels(column: RawColumn, *, as_text: bool) -> list[Any]:
    """Values of a categorical column, with None for missing values."""
    values = column.values.tolist() if isinstance(column.values, np.ndarray) else column.values
    return [None if value is None or value != value else plain_text(value) if as_text else value for value in values]


def molecules(who: str, column: RawColumn) -> list[Any]:
    """Parse SMILES as graphs; missing or invalid SMILES raise ValueError with the row."""
    return list(_read(who, column, Graphs.from_smiles, "SMILES"))


def trees(who: str, column: RawColumn) -> list[str]:
    """Check texts of trees in bracket notation; missing or invalid trees raise ValueError with the row."""
    _read(who, column, Trees, "tree")
    return texts(who, column, strip=True)


def _read(who: str, column: RawColumn, container: Callable[[list[str]], Any], what: str) -> Any:
    values = texts(who, column, strip=True)
    for row, text in enumerate(values):
        if not text:
            raise ValueError(f"{who}: column {column.name!r} has no {what} in row {row}; drop rows without one.")
    try:
        return container(values)
    except ValueError as error:
        text = str(error).partition(": ")[2].replace("record ", "row ")
        raise ValueError(f"{who}: column {column.name!r}: {text}") from None
