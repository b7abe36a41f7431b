"""Formatting of numbers, names and values."""

import math
from datetime import datetime, timedelta
from typing import Any

import numpy as np

__all__ = ["count", "cut", "day", "listed", "number", "percent", "plain", "plural"]

SPACE = "\u202f"  # narrow no-break space
EPOCH = datetime(1970, 1, 1)
LONGEST = 60  # largest number of characters of a value from the data
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: Any, digits: int = 4) -> str:
    """Format a number with some significant digits; a dash for None and NaN.

    >>> number(0.12345678), number(-1234567.8), number(2.5e-13), number(float("nan"))
    ('0.1235', '−1\u202f234\u202f568', '2.5·10⁻¹³', '–')
    """
    if value is None or (isinstance(value, (float, np.floating)) and math.isnan(value)):
        return "–"
    if isinstance(value, (float, np.floating)) and math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) < 1e9 and (float(value).is_integer() or abs(value) >= 10**digits):
        return f"{round(value):,}".replace(",", SPACE).replace("-", "−")
    mantissa, _, exponent = f"{float(value):.{digits}g}".replace("-", "−", 1 if value < 0 else 0).partition("e")
    if not exponent:
        return mantissa
    power = "10" + str(int(exponent)).translate(_RAISED)
    return power if mantissa == "1" else f"{mantissa}·{power}"


def percent(value: Any, digits: int = 1) -> str:
    """Format a fraction in percent; a dash for None and NaN.

    >>> percent(0.98314), percent(1), percent(float("nan"))
    ('98.3\u202f%', '100.0\u202f%', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    return f"{100 * value:.{digits}f}{SPACE}%".replace("-", "−")


def plural(noun: str) -> str:
    """Plural of a regular noun.

    >>> plural("sample"), plural("class"), plural("category")
    ('samples', 'classes', 'categories')
    """
    if noun.endswith("y"):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith("s") else "s")


def count(n: int, noun: str) -> str:
    """Format a number with a noun.

    >>> count(1, "sample"), count(1600, "class")
    ('1 sample', '1\u202f600 classes')
    """
    return f"{number(int(n))} {noun if n == 1 else plural(noun)}"


def listed(words: Any) -> str:
    """Join words to an enumeration.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    words = list(words)
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def plain(value: Any) -> str:
    r"""Convert a value to text of one line; unprintable characters are escaped.

    >>> plain("a\tb\x00"), plain(np.float64(0.5)), plain(None)
    ('a\\tb\\x00', '0.5', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, (float, np.floating)):
        return number(float(value), 6)
    text = value if isinstance(value, str) else str(value)
    return "".join(c if c.isprintable() or c == SPACE else c.encode("unicode_escape").decode("ascii") for c in text)


def cut(text: str, longest: int = LONGEST) -> str:
    """Truncate a text with an ellipsis.

    >>> cut("a long story", 8), cut("short")
    ('a long …', 'short')
    """
    return text if len(text) <= longest else text[: longest - 1] + "…"


def day(value: float) -> str:
    """Format a date given as days since 1970.

    >>> day(0.0), day(19723.75)
    ('1970-01-01', '2024-01-01 18:00')
    """
    moment = EPOCH + timedelta(days=float(value))
    return f"{moment:%Y-%m-%d %H:%M}".removesuffix(" 00:00")
