"""Type inference of text columns: numbers, booleans, dates or text, with a note for each decision."""

from collections.abc import Sequence
from typing import Any

from mercer._validation import shortened
from mercer.datasets.input_files import listed, polars

__all__ = ["MISSING", "SENTENCES", "dates", "sentences", "typed"]

MISSING = ["", "na", "n/a", "nan", "null", "none", "?", "-"]  # in upper or lower case

SENTENCES = {
    "missing": "Read as missing values, because all other values of the column have one type: {}.",
    "nothing": "Only missing values: {}.",
    "comma": "The comma is the decimal separator in {}.",
    "thousands": "Commas may separate thousands or decimals, so these columns stay text: {}.",
    "zeros": "Numbers with leading zeros are treated as identifiers and stay text: {}.",
    "large": "Numbers too large for 64 bits stay text: {}.",
    "mixed": "Columns with values of different types stay text: {}.",
    "kept": "Empty fields and markers of missing values stay text, like the other values of the column: {}.",
    "blanks": "Blanks around values were removed: {}.",
}
# Columns of one polars call: a call for each would cost more than the work on a short column, and a call for all needs
# kilobytes for each of them.
_TOGETHER = 1000
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ]|$)"
_MOMENTS = tuple(f"%Y-%m-%d{gap}%H:%M{rest}" for gap in "T " for rest in ("", ":%S%.f", ":%S%.f%#z"))


def sentences(remarks: dict[str, list[str]]) -> list[str]:
    """One note for each kind of decision, with its columns."""
    return [SENTENCES[kind].format(listed(items)) for kind, items in remarks.items() if items]


def typed(frame: Any, separator: str = ",", lines: Sequence[int] | None = None) -> tuple[Any, list[str]]:
    """Infer the types of text columns.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns of text; nulls are kept.
    separator : str, default=","
        Separator of the fields. A comma can be the decimal separator only if it is not the field separator.
    lines : sequence of int, default=None
        Line of the file in which each sample begins, for the notes.

    Returns
    -------
    frame : polars.DataFrame
        Columns of Int64, Float64, Boolean, Date, Datetime or String.
    notes : list of str
        Decisions, one sentence each.

    Notes
    -----
    A column holds numbers if every value is a number or a marker of a missing value (`MISSING`), and at least one is a
    number. The same holds for the words true and false, and for dates in ISO 8601. Every other column is text, in which
    only nulls are missing. Integers with leading zeros and integers beyond 64 bits stay text, since conversion would
    change them.
    """
    pl = polars("mercer.datasets.read")
    remarks: dict[str, list[str]] = {kind: [] for kind in SENTENCES}
    columns: list[Any] = []
    for start in range(0, frame.width, _TOGETHER):
        part = frame[:, start : start + _TOGETHER]
        numbers = part.select(_number(pl.all()))
        gaps = numbers.select(pl.all().is_null())
        columns += [_column(pl, *parts, separator, remarks, lines) for parts in zip(part, numbers, gaps, strict=True)]
    return pl.DataFrame(columns), sentences(remarks)


def _column(
    pl: Any,
    raw: Any,
    numbers: Any,
    gaps: Any,
    separator: str,
    remarks: dict[str, list[str]],
    lines: Sequence[int] | None,
) -> Any:
    text = raw
    if numbers.null_count():
        text = raw.str.strip_chars()
        numbers = _number(text)
        gaps = text.is_null() | text.str.to_lowercase().is_in(MISSING).fill_null(False)
    if gaps.all():
        remarks["nothing"].append(repr(shortened(raw.name)))
        return pl.Series(raw.name, [None] * len(text), dtype=pl.Float64)
    values = _converted(pl, text, numbers, gaps, separator, remarks)
    if values is None:
        _remark_text(raw, text, numbers, gaps, remarks, lines)
        return text
    if gaps.any():
        remarks["missing"].append(f"{gaps.sum()} in {shortened(raw.name)!r} ({_words(text, gaps)})")
    return values.alias(raw.name)


def _number(text: Any) -> Any:
    """Numbers in a text column or expression; null for anything else, including the word nan."""
    return text.cast(polars("mercer.datasets.read").Float64, strict=False).fill_nan(None)


def _converted(pl: Any, text: Any, numbers: Any, gaps: Any, separator: str, remarks: dict[str, list[str]]) -> Any:
    """Numbers, booleans or dates, null where values are missing; None if the column stays text."""
    if numbers.null_count() == gaps.sum():
        return _exactly(pl, text, numbers, remarks)
    if text.str.contains(",", literal=True).any():
        values = _pointed(text, gaps, separator, remarks)
        if values is not None:
            return values
    if numbers.null_count() < len(text):
        return None
    truths = text.str.to_lowercase().is_in(["true", "false"]).fill_null(False)
    if (truths | gaps).all():
        return pl.select(pl.when(truths).then(text.str.to_lowercase() == "true")).to_series()
    return dates(text, gaps)


def _exactly(pl: Any, text: Any, numbers: Any, remarks: dict[str, list[str]]) -> Any:
    """Numbers, as integers if all are; None if conversion would lose information."""
    whole = text.cast(pl.Int64, strict=False)
    if whole.null_count() == numbers.null_count():
        if not text.str.contains("^[+-]?0[0-9]").any():
            return whole
        remarks["zeros"].append(repr(shortened(text.name)))
        return None
    if max(-numbers.min(), numbers.max()) >= 2.0**63:
        digits = text.filter(numbers.is_not_null()).str.contains("^[+-]?[0-9]+$")
        overflow = text.filter(numbers.is_infinite().fill_null(False)).str.contains("[0-9]")
        if digits.all() or overflow.any():
            remarks["large"].append(repr(shortened(text.name)))
            return None
    return numbers


def _pointed(text: Any, gaps: Any, separator: str, remarks: dict[str, list[str]]) -> Any:
    """Numbers with a decimal comma; None if there are other values."""
    if separator != ";" and text.filter(~gaps).str.contains(r"^[+-]?[0-9]{1,3}(,[0-9]{3})*(\.[0-9]+)?$").all():
        remarks["thousands"].append(repr(shortened(text.name)))
        return None
    if separator == "," or text.str.contains(".", literal=True).any():
        return None
    numbers = _number(text.str.replace(",", ".", literal=True))
    if numbers.null_count() > gaps.sum():
        return None
    remarks["comma"].append(repr(shortened(text.name)))
    return numbers


def dates(text: Any, gaps: Any) -> Any:
    """Dates, or dates with times, in ISO 8601; None if there are other values."""
    if not text.filter(~gaps).str.contains(_DATE).all():
        return None
    found = text.str.to_date("%Y-%m-%d", strict=False)
    for moment in _MOMENTS:
        if found.null_count() == gaps.sum():
            break
        found = text.str.to_datetime(moment, strict=False)
    return found if found.null_count() == gaps.sum() else None


def _remark_text(
    raw: Any, text: Any, numbers: Any, gaps: Any, remarks: dict[str, list[str]], lines: Sequence[int] | None
) -> None:
    """Record decisions about a column that stays text."""
    name = repr(shortened(raw.name))
    present = len(text) - int(gaps.sum())
    known = numbers.is_not_null() | text.str.contains(_DATE).fill_null(False)
    n_known = int(known.sum())
    if 10 * n_known >= present > n_known and name not in remarks["thousands"]:
        row = int((~known & ~gaps).arg_max())
        value = text[row] if len(text[row]) <= 30 else f"{text[row][:30]}…"
        where = f"row {row}" if lines is None else f"line {lines[row]}"
        remarks["mixed"].append(f"{name} ({n_known} of {present} are numbers or dates, {value!r} in {where} is not)")
    kept = gaps & text.is_not_null()
    if kept.any():
        remarks["kept"].append(f"{kept.sum()} in {name} ({_words(text, kept)})")
    if (text != raw).any():
        remarks["blanks"].append(name)


def _words(text: Any, gaps: Any) -> str:
    words = sorted({str(word) for word in text.filter(gaps & text.is_not_null()).unique()})
    return ", ".join(repr(word) if word else "empty" for word in words) or "absent"
