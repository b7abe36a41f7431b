"""Numbers stored as text: separators of thousands, decimal commas, currencies, percentages and units."""

import re
from collections.abc import Iterable

from mercer.auto.columns import RawColumn

__all__ = ["amount", "amount_form", "is_blank", "known"]

BLANK = {"", "na", "n/a", "#n/a", "nan", "null", "?", "-", "--", "."}  # texts that mark missing values
CURRENCIES = "$ € £ ¥ usd eur gbp jpy chf cny inr cad aud sek nok dkk pln brl"
UNITS = (
    "% ‰ percent pct pp bp bps k "
    "mm cm dm m km mi mile in inch inches ft feet yd mm2 cm2 m2 km2 mm² cm² m² km² ha acre sqft sqm "
    "ml cl dl l liter litre gal gallon cc cm3 m3 cm³ m³ "
    "mg g kg t ton tonne lb oz gram µg ug "
    "ms s sec second min minute h hr hour d day week month yr year yo µs us ns "
    "° °c °f celsius fahrenheit kelvin "
    "km/h kmh kph mph m/s rpm kt knot "
    "w kw mw kwh mwh hp ps bhp v kv mv a ma j kj kcal cal n nm pa hpa kpa bar psi "
    "hz khz mhz ghz b kb mb gb tb kib mib gib px dpi mp "
    "mg/dl mmol/l g/l mg/l mmhg bpm db kmpl mpg km/kg l/100km "
    "room bedroom star person people item piece pc unit time point seat door"
)
KNOWN = {*CURRENCIES.split(), *UNITS.split()}
CODE_NAME = re.compile(r"(?i)(^|[_\s.-])(zip|plz|post_?code|postal|phone|tel|fax|code|isbn|ean|sku|id)|(?i:zip_?code$)")
NUMBER = r"\d[\d.,]*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?"
PARTS = re.compile(rf"([-+−]?)\s?([$€£¥]|[a-z]{{3}} )?\s?([-+−]?)({NUMBER})\s?([^\d\s].*)?", re.IGNORECASE)
POINT = re.compile(r"(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)?(?:\.\d*)?(?:e[+-]?\d+)?", re.IGNORECASE)  # 1,234.5
COMMA = re.compile(r"(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?")  # 1.234,5
EXACT = 15  # digits of an integer that float64 represents for certain


def is_blank(text: str) -> bool:
    """Whether a text marks a missing value, such as "NA" or "?"."""
    return text.strip().lower() in BLANK


def known(texts: Iterable[str]) -> list[str]:
    """Distinct texts that do not mark missing values, without surrounding blanks."""
    return [text for text in dict.fromkeys(text.strip() for text in texts) if not is_blank(text)]


def amount_form(column: RawColumn, levels: list[str]) -> tuple[str, str] | None:
    """Decimal sign and unit of numbers stored as text; None unless all levels have them in common.

    A comma is a decimal sign only if at least one level cannot be read otherwise. Integers with leading zeros, and
    columns whose name indicates codes, such as postal codes, are not numbers.

    Parameters
    ----------
    column : RawColumn
        Column, whose name is used.
    levels : list of str
        Distinct values, see `known`.

    Returns
    -------
    pair of str or None
        "." or ",", and the unit, which can be empty.

    Examples
    --------
    >>> column = RawColumn("price", "text", [])
    >>> amount_form(column, ["$1,234.50", "$7"]), amount_form(column, ["1,5 kg", "12 kg"])
    (('.', '$'), (',', 'kg'))
    >>> amount_form(column, ["5 kg", "5 lb"]), amount_form(column, ["007", "042"])
    (None, None)
    """
    parts = [_parts(text) for text in levels]
    found = [part for part in parts if part is not None]
    if not found or len(found) < len(parts) or len({unit for _, _, unit in found}) > 1:
        return None
    digits, unit = [digit for _, digit, _ in found], found[0][2]
    if not unit and any(len(d) > 1 and d.isdigit() and (d[0] == "0" or len(d) > EXACT) for d in digits):
        return None
    if not unit and CODE_NAME.search(column.name) and all(digit.isdigit() for digit in digits):
        return None
    if all(POINT.fullmatch(digit) for digit in digits):
        return ".", unit
    return (",", unit) if all(COMMA.fullmatch(digit) for digit in digits) else None


def amount(text: str, form: tuple[str, ...]) -> float | None:
    """Value of a text of the given form; None if it has another form.

    >>> amount("1.234,5 kg", (",", "kg")), amount("3 lb", (",", "kg"))
    (1234.5, None)
    """
    sign, unit = form
    parts = _parts(text.strip())
    if parts is None or parts[2] != unit or not (POINT if sign == "." else COMMA).fullmatch(parts[1]):
        return None
    digits = parts[1].replace(",", "") if sign == "." else parts[1].replace(".", "").replace(",", ".")
    return parts[0] * float(digits)


def _parts(text: str) -> tuple[int, str, str] | None:
    """Sign, digits and unit of a text; None if it is not a number with a known unit."""
    match = PARTS.fullmatch(text)
    if match is None:
        return None
    before, currency, after, digits, unit = match.groups("")
    currency, unit = currency.strip().lower(), unit.strip().lower().removesuffix(".")
    if unit not in KNOWN and unit.removesuffix("s") in KNOWN:
        unit = unit.removesuffix("s")
    if (before and after) or not any(map(str.isdigit, digits)) or not {currency, unit} - {""} <= KNOWN:
        return None
    return -1 if (before or after) in ("-", "−") else 1, digits, currency + unit
