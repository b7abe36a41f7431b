"""Dates and times: texts in unambiguous forms, and cyclic numbers of the day, the week and the year."""

import datetime as dt
import re
from typing import Literal, TypeAlias

import numpy as np

from mercer._typing import DoubleArray

__all__ = ["CYCLES", "Cycle", "DateForm", "cycles_of", "cyclic", "date_form", "day_number", "turns"]

DateForm: TypeAlias = Literal["iso", "named", "day first", "month first", "time", "ambiguous", ""]
Cycle: TypeAlias = Literal["day", "week", "year"]

CYCLES: dict[Cycle, tuple[float, int]] = {"day": (1.0, 24), "week": (7.0, 7), "year": (365.25, 12)}  # days and bins
PERIODS = 2  # smallest number of periods that dates with a cycle extend over
BINS, REPEATS = 3, 3  # smallest number of bins with dates, and of dates in each on average
MONTHS = [
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
]
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
EPOCH = dt.date(1970, 1, 1).toordinal()

CLOCK = (
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2}(?:[.,]\d{1,9})?))?)?\s?(?P<half>[ap]\.?m\.?)?"
    r"\s?(?P<zone>z|utc|gmt|[+-]\d{2}(?::?\d{2})?)?"
)
AT = rf"(?:(?:t|,?\s+(?:at\s)?){CLOCK})?"
WEEKDAY = r"(?:(?P<weekday>[a-z]{3,9})\.?,?\s+)?"
FORMS = {
    "iso": [rf"(?P<y>\d{{4}})([-/.])(?P<m>\d{{1,2}})\2(?P<d>\d{{1,2}}){AT}", r"(?P<y>\d{4})-(?P<m>\d{2})"],
    "named": [
        rf"{WEEKDAY}(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?[\s/-]\s?(?P<m>[a-z]{{3,9}})\.?,?[\s/-]\s?(?P<y>\d{{4}}){AT}",
        rf"{WEEKDAY}(?P<m>[a-z]{{3,9}})\.?[\s/-](?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,\s?|[\s/-])(?P<y>\d{{4}}){AT}",
        r"(?P<m>[a-z]{3,9})\.?[\s/-](?P<y>\d{4})",
    ],
    "day first": [rf"(?P<d>\d{{1,2}})([-/.])(?P<m>\d{{1,2}})\2(?P<y>\d{{4}}){AT}"],
    "month first": [rf"(?P<m>\d{{1,2}})([-/.])(?P<d>\d{{1,2}})\2(?P<y>\d{{4}}){AT}"],
    "time": [CLOCK],
}
PATTERNS = {form: [re.compile(text, re.IGNORECASE) for text in texts] for form, texts in FORMS.items()}
SHORT_YEAR = re.compile(r"\d{1,2}([-/])\d{1,2}\1\d{2}")
SEASON = re.compile(r"\d\d(\d\d)-(\d\d)")  # 2003-04 may be two years


def date_form(levels: list[str]) -> DateForm:
    """Form of dates or times, if all texts have the same; "ambiguous" if day and month cannot be distinguished.

    Dates with a year of two digits are ambiguous. Dates such as 31/01/2020 are not if at least one text excludes the
    other order of day and month.

    >>> date_form(["2020-01-31", "2020-02-01 13:30"]), date_form(["1 May 2020"]), date_form(["9:30", "17:05"])
    ('iso', 'named', 'time')
    >>> date_form(["01/02/2020", "31/12/2020"]), date_form(["01/02/2020"]), date_form(["01/02/03"])
    ('day first', 'ambiguous', 'ambiguous')
    >>> date_form(["2020-01-31", "later"])
    ''
    """
    if not levels:
        return ""
    fits = [form for form in PATTERNS if all(day_number(text, form) is not None for text in levels)]
    if fits == ["day first", "month first"] or (fits == ["iso"] and all(map(_is_season, levels))):
        return "ambiguous"
    if not fits:
        return "ambiguous" if all(map(SHORT_YEAR.fullmatch, levels)) else ""
    return fits[0]  # type: ignore[return-value]


def day_number(text: str, form: str) -> float | None:
    """Days since 1970 in UTC, or the fraction of a day for times; None if a text does not have the form.

    >>> day_number("1970-01-02T06:00+06:00", "iso"), day_number("6:00 pm", "time"), day_number("30 Feb 2020", "named")
    (1.0, 0.75, None)
    """
    for pattern in PATTERNS[form]:
        match = pattern.fullmatch(text.strip())
        if match is not None:
            fields = match.groupdict()
            day = 0.0 if form == "time" else _date(fields)
            clock = _clock(fields, needed=form == "time")
            if day is not None and clock is not None:
                return day + clock
    return None


def _date(fields: dict[str, str | None]) -> float | None:
    month, weekday = str(fields["m"]).lower(), fields.get("weekday")
    number = int(month) if month.isdigit() else _named(month, MONTHS)
    if number is None or (weekday is not None and _named(weekday.lower(), DAYS) is None):
        return None
    try:
        return float(dt.date(int(str(fields["y"])), number, int(fields.get("d") or 1)).toordinal() - EPOCH)
    except ValueError:
        return None


def _named(text: str, names: list[str]) -> int | None:
    """Position of a name, from 1, given in full or by its first letters."""
    found = [i for i, name in enumerate(names, 1) if name == text or text in (name[:3], name[:4])]
    return found[0] if found else None


def _clock(fields: dict[str, str | None], *, needed: bool) -> float | None:
    """Fraction of a day, in UTC; None if the fields are not a time."""
    if fields.get("hour") is None:
        return None if needed else 0.0
    hour, minute = int(str(fields["hour"])), int(fields["minute"] or 0)
    second = float((fields["second"] or "0").replace(",", "."))
    half = (fields["half"] or "").lower()[:1]
    if fields["minute"] is None and not half:
        return None
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (half == "p")
    if hour > 23 or minute > 59 or second >= 60:
        return None
    zone = (fields["zone"] or "z").lower().replace(":", "")
    shift = 0 if zone[0] not in "+-" else int(zone[0] + "1") * (60 * int(zone[1:3]) + int(zone[3:] or 0))
    return (hour * 3600 + minute * 60 + second - 60 * shift) / 86_400


def _is_season(text: str) -> bool:
    match = SEASON.fullmatch(text)
    return match is not None and int(match[2]) == (int(match[1]) + 1) % 100


def turns(days: DoubleArray, cycle: str) -> DoubleArray:
    """Position in a cycle, from 0 to 1: midnight, Monday or 1 January are 0; NaN for missing dates.

    >>> turns(np.array([0.25, 4.0]), "day").tolist(), turns(np.array([4.0]), "week").tolist()
    ([0.25, 0.0], [0.0])
    """
    whole = np.floor(days)
    if cycle == "day":
        return days - whole
    if cycle == "week":
        return np.asarray((whole + 3) % 7 / 7)  # day 0 was a Thursday
    missing = np.isnan(whole)
    dates = np.where(missing, 0, whole).astype(np.int64).astype("datetime64[D]")
    years = dates.astype("datetime64[Y]")
    start, end = years.astype("datetime64[D]"), (years + 1).astype("datetime64[D]")
    return np.where(missing, np.nan, (dates - start) / (end - start))


def cyclic(days: DoubleArray, cycle: str) -> tuple[DoubleArray, DoubleArray]:
    """Sine and cosine of the position in a cycle."""
    angle = 2 * np.pi * turns(days, cycle)
    return np.sin(angle), np.cos(angle)


def cycles_of(days: DoubleArray, clock: str) -> list[Cycle]:
    """Cycles in which dates vary and repeat enough to be informative.

    Dates must extend over two periods, and fill at least three of 24 hours, 7 days of the week or 12 months, with
    three dates each on average. Times of the day have the cycle of the day, and durations none.
    """
    present = days[~np.isnan(days)]
    if clock == "time":
        return ["day"] if len(np.unique(present)) >= BINS else []
    if clock != "date" or not len(present):
        return []
    dates = np.floor(present).astype(np.int64).astype("datetime64[D]")
    monthly = bool((dates == dates.astype("datetime64[M]").astype("datetime64[D]")).all())
    found: list[Cycle] = []
    for cycle, (period, bins) in CYCLES.items():
        filled = len(np.unique(np.floor(turns(present, cycle) * bins + 1e-9)))
        enough = np.ptp(present) >= PERIODS * period and filled >= BINS and len(present) >= REPEATS * filled
        if enough and not (cycle == "week" and monthly):
            found.append(cycle)
    return found
