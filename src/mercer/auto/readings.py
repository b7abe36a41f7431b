"""Readings of columns as numbers: dates, times, ordered levels, and numbers stored as text.

A reading is a tuple of its name and its form, found in `fit` and applied to new data:

* ("date", form) and ("time", form): days, with the form of texts, see `mercer.auto.dates`;
* ("duration",): days;
* ("amount", decimal sign, unit): numbers stored as text, see `mercer.auto.amounts`;
* ("ordered", level, level, …): positions of levels, the smallest first, see `mercer.auto.orders`.

The empty tuple stands for plain numbers.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from mercer._estimator import warn
from mercer._typing import DoubleArray
from mercer._validation import describe
from mercer.auto.amounts import amount, amount_form, is_blank, known
from mercer.auto.columns import RawColumn, RawType
from mercer.auto.dates import date_form, day_number
from mercer.auto.orders import normal_form, order_of
from mercer.auto.values import floats

__all__ = ["Reading", "accepted", "find_reading", "numbers_of", "requested_reading"]

Reading: TypeAlias = tuple[Any, ...]
LOOKED_AT = 50  # number of distinct texts that are tried before all of them
MOSTLY = 0.8  # share of readable texts from which a note names those that are not


def find_reading(column: RawColumn) -> tuple[Reading, str]:
    """Find the reading that all texts of a column agree on.

    Parameters
    ----------
    column : RawColumn
        Column of texts, or of numbers and texts.

    Returns
    -------
    reading : tuple
        Name and form; empty if the texts are not numbers, dates or ordered levels.
    note : str
        Reason why texts that look like dates or numbers are not read as such; otherwise empty.

    Examples
    --------
    >>> find_reading(RawColumn("day", "text", ["2020-01-31", None, "2020-02-01"]))
    (('date', 'iso'), '')
    >>> find_reading(RawColumn("day", "text", ["01/02/2020"]))
    ((), "dates such as '01/02/2020' are ambiguous and not read as dates, write them as 2020-01-31")
    """
    if column.order:
        return ("ordered", *column.order), ""
    levels = known(column.present)
    if not levels:
        return (), ""
    some = levels[:LOOKED_AT]
    if column.type == "text":
        form = date_form(levels) if date_form(some) else ""
        if form == "ambiguous":
            return (), f"dates such as {levels[0]!r} are ambiguous and not read as dates, write them as 2020-01-31"
        if form:
            return ("time" if form == "time" else "date", form), ""
        order = order_of(column, levels)
        if order is not None:
            return ("ordered", *order), ""
    amounts = amount_form(column, levels) if amount_form(column, some) else None
    return (("amount", *amounts), "") if amounts is not None else ((), _nearly(column, some))


def _nearly(column: RawColumn, levels: list[str]) -> str:
    """Note on texts of which most, but not all, are dates or numbers."""
    tests: dict[str, Callable[[str], Any]] = {
        "dates": lambda text: day_number(text, "iso") is not None,
        "numbers": lambda text: amount_form(column, [text]),
    }
    for what, test in tests.items():
        others = [text for text in levels if not test(text)]
        if others and len(levels) > 2 and len(others) <= (1 - MOSTLY) * len(levels):
            return f"not read as {what}, because of values such as {others[0]!r}"
    return ""


def requested_reading(who: str, column: RawColumn, kind: Any) -> Reading:
    """Reading of a column whose kind was given: "number", "date", "ordered", or a list of levels.

    Raises
    ------
    ValueError
        If the values are not dates in one unambiguous form, or if the order of levels is not known.
    """
    name, what = column.name, kind if isinstance(kind, str) else "ordered"
    if what != kind:
        return ("ordered", *kind)
    if column.type == "date":
        return (column.clock, "iso") if column.clock in ("date", "time") else (column.clock,) if column.clock else ()
    levels = known(column.present) if column.type in ("text", "mixed") else []
    if what == "date":
        form = date_form(levels)
        if form in ("ambiguous", ""):
            raise ValueError(
                f"{who}: column {name!r} has the kind 'date', got {column.what} that are not dates in one unambiguous "
                f"form; write dates as 2020-01-31, or give it another kind."
            )
        return "time" if form == "time" else "date", form
    if what == "ordered" and column.type not in ("number", "boolean"):
        order = column.order or order_of(column, levels)
        if not order:
            raise ValueError(
                f"{who}: column {name!r} has the kind 'ordered', but the order of its values is not known; list them, "
                f"the smallest first, such as kinds={{{name!r}: ['low', 'high']}}."
            )
        return ("ordered", *order)
    amounts = amount_form(column, levels) if levels else None
    return ("amount", *amounts) if amounts is not None else ()


def accepted(reading: Reading, before: RawType) -> set[str]:
    """Types of values that a reading converts, given the type in `fit`."""
    match reading[:1]:
        case ("date",) | ("time",):
            return {before, "date", "text"}
        case ("amount",):
            return {before, "number", "text", "mixed"}
    return {before}


def numbers_of(who: str, column: RawColumn, reading: Reading, *, strict: bool = False) -> DoubleArray:
    """Convert a column to finite numbers, with NaN for missing values.

    Parameters
    ----------
    who : str
        Caller, named in messages.
    column : RawColumn
        Values.
    reading : tuple
        Name and form of the values.
    strict : bool, default=False
        Whether levels that are not in the order raise ValueError; otherwise they are missing, with a warning.

    Returns
    -------
    ndarray of shape (n_rows,)
        Numbers, days or positions.

    Raises
    ------
    TypeError
        If a value does not have the form.
    """
    if not reading or column.type == "empty":
        return floats(who, column)
    what, *form = reading
    if what == "ordered":
        return _positions(who, column, form, strict=strict)
    if isinstance(column.values, np.ndarray):
        fits = column.type == "number" if what == "amount" else column.type == "date" and column.clock in (what, "")
        if not fits:
            raise TypeError(
                f"{who}: column {column.name!r} holds {column.clock or column.type}s, expected {_expected(reading)}; "
                "convert it to the type it had in fit."
            )
        return floats(who, column)
    found: dict[str | None, float | None] = {None: np.nan}
    for row, text in enumerate(column.values):
        if text not in found:
            value = amount(text, tuple(form)) if what == "amount" else day_number(text, form[0]) if form else None
            found[text] = np.nan if is_blank(text) else value
        if found[text] is None:
            raise TypeError(
                f"{who}: column {column.name!r} holds {describe(text)} in row {row}, expected {_expected(reading)}; "
                "correct it, mark it as missing, or give the column the kind 'category' or 'text'."
            )
    return np.array([found[text] for text in column.values], dtype=np.float64)


def _expected(reading: Reading) -> str:
    match reading:
        case ("amount", sign, unit):
            return f"numbers with the decimal sign {sign!r}" + (f" and the unit {unit!r}" if unit else "")
        case ("duration",):
            return "durations"
        case (what, form):
            return f"{what}s" + (f" of the form {form!r}" if form != what else "")
    return "ordered levels"


def _positions(who: str, column: RawColumn, order: list[Any], *, strict: bool) -> DoubleArray:
    """Positions of levels in an order; levels that differ in case and blanks only are one level."""
    at: dict[Any, int] = {}
    for i, level in enumerate(order):
        if isinstance(level, str):
            at.setdefault(normal_form(level), i)
    at |= {level: i for i, level in enumerate(order)}
    values = column.values.tolist() if isinstance(column.values, np.ndarray) else column.values
    positions, unknown = np.full(len(values), np.nan), []
    for row, value in enumerate(values):
        key = normal_form(value) if isinstance(value, str) and value not in at else value
        if key in at:
            positions[row] = at[key]
        elif value is not None and value == value and not (isinstance(value, str) and is_blank(value)):
            unknown.append(row)
    if unknown and strict:
        raise ValueError(
            f"{who}: column {column.name!r} holds {describe(values[unknown[0]])} in row {unknown[0]}, which is not in "
            f"the given order {order}; add it."
        )
    if unknown:
        warn(
            f"{who}: column {column.name!r} has {len(unknown)} values, such as {describe(values[unknown[0]])}, that "
            "are not in the order learned in fit; they are treated as missing.",
            UserWarning,
        )
    return positions
