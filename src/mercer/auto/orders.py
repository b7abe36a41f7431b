"""Orders of categories: scales of words, grades, ranges of numbers and ordinals."""

import math
import re
from collections.abc import Iterable
from itertools import pairwise

from mercer.auto.amounts import amount, amount_form
from mercer.auto.columns import RawColumn

__all__ = ["FEWEST", "MOST", "normal_form", "order_of"]

FEWEST, MOST = 3, 60  # numbers of levels between which an order is looked for; two levels need no order
SCALES = [
    "lowest|very low|low|medium,mid,middle,moderate,average,normal|high|very high|highest",
    "tiny|extra small|very small|small|medium,mid,middle,mid size|large,big|very large|extra large|huge",
    "xxxs,3xs|xxs,2xs|xs|s|m|l|xl|xxl,2xl|xxxl,3xl|xxxxl,4xl",
    "never|almost never|rarely,seldom|sometimes,occasionally|often,frequently,usually|almost always|always",
    "never|yearly|monthly|weekly|daily|hourly",
    "strongly disagree|disagree|somewhat disagree|neutral,neither agree nor disagree,undecided|somewhat agree|agree"
    "|strongly agree",
    "very dissatisfied|dissatisfied|somewhat dissatisfied|neutral,neither satisfied nor dissatisfied"
    "|somewhat satisfied|satisfied|very satisfied",
    "very unlikely|unlikely|neutral|likely|very likely",
    "very bad,terrible|bad|average,ok,okay,neutral|good|very good|excellent,outstanding",
    "very poor|poor|fair,average,satisfactory|good|very good|excellent,outstanding",
    "none|minimal|mild,minor,slight|moderate|severe,serious,major|very severe,critical|fatal",
    "very slow|slow|medium,moderate,normal,average|fast|very fast",
    "very weak|weak|medium,moderate,normal,average|strong|very strong",
    "very short|short|medium,average,normal|long,tall|very long,very tall",
    "very cold|cold|cool|mild|warm|hot|very hot",
    "very young|young|middle aged,adult|old,senior,elderly|very old",
    "beginner,novice|intermediate|advanced|expert",
    "primary|secondary|tertiary",
    "bronze|silver|gold|platinum",
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth",
    "freshman|sophomore|junior|senior",
]
POSITIONS = [{word: i for i, words in enumerate(scale.split("|")) for word in words.split(",")} for scale in SCALES]
SIZES = POSITIONS[2]  # letters, which stand for many things
GRADES = {f"{letter}{sign}": 3 * i + j for i, letter in enumerate("fedcba") for j, sign in enumerate(("-", "", "+"))}
RATINGS = {text: -i for i, text in enumerate(["aaa", "aa", "a", "bbb", "bb", "b", "ccc", "cc", "c", "d"])}
GRADE_NAME = re.compile(r"(?i)grade|rating|mark")
ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
NUMBERED = re.compile(r"(level|grade|stage|tier|year|week|month|day|phase|step|quarter|round|rank|q)\s?(\d{1,3})")
END = r"([^\d\s]{0,3}\s?[\d.,]+\s?[^\d\s<>=+\-–—]*)"
RANGES = [
    (re.compile(rf"{END}\s?(?:-|–|—|\.\.|to|until)\s?{END}"), "{} {}"),
    (re.compile(rf"[\[(]\s?{END}\s?[,;]\s{END}\s?[\])]"), "{} {}"),
    (re.compile(rf"{END}\s?<=?\s?[a-z]+\s?<=?\s?{END}"), "{} {}"),
    (re.compile(rf"(?:<=?|≤|under|below|up to|less than|at most)\s?{END}"), "- {}"),
    (re.compile(rf"{END}\s?(?:and|or) (?:under|below|less|younger|fewer)"), "- {}"),
    (re.compile(rf"(?:>=?|≥|over|above|more than|at least)\s?{END}"), "{} -"),
    (re.compile(rf"{END}\s?\+"), "{} -"),
    (re.compile(rf"{END}\s?\+\s?([^\d\s]+)"), "{}{} -"),
    (re.compile(rf"{END}\s?(?:and|or) (?:over|above|more|older)"), "{} -"),
]


def normal_form(text: str) -> str:
    """Text in small letters, with single blanks in the place of blanks, hyphens and underscores between letters.

    >>> normal_form(" Very_High "), normal_form("10-19")
    ('very high', '10-19')
    """
    return re.sub(r"(?<=[^\W\d_])[\s_-]+(?=[^\W\d_])", " ", " ".join(text.split()).lower())


def order_of(column: RawColumn, levels: list[str]) -> list[str] | None:
    """Levels in ascending order, if all of them belong to one known scale or pattern; otherwise None.

    Levels that differ in case, blanks and hyphens only are one level. Synonyms, such as "medium" and "moderate",
    have no order, so that a column with both has none.

    Parameters
    ----------
    column : RawColumn
        Column, whose name distinguishes grades from other letters.
    levels : list of str
        Distinct values that are not missing.

    Returns
    -------
    list of str or None
        Levels, the smallest first.

    Examples
    --------
    >>> column = RawColumn("x", "text", [])
    >>> order_of(column, ["high", "low", "medium"]), order_of(column, ["5+", "<2", "2-4"])
    (['low', 'medium', 'high'], ['<2', '2-4', '5+'])
    >>> print(order_of(column, ["high", "low", "blue"]), order_of(column, ["C", "B", "A"]))
    None None
    """
    named: dict[str, str] = {}
    for level in levels:
        named.setdefault(normal_form(level), level)
    if not FEWEST <= len(named) <= MOST:
        return None
    keys = _words(column.name, named) or _numbered(named) or _ranges(named)
    if keys is None or len(set(keys.values())) < len(keys):
        return None
    return [named[text] for text in sorted(keys, key=keys.__getitem__)]


def _words(name: str, levels: Iterable[str]) -> dict[str, float] | None:
    """Positions on the first scale that has all levels."""
    texts = set(levels)
    for scale in POSITIONS:
        if texts <= scale.keys():
            letters = scale is SIZES and not ({"s", "m", "l"} <= texts or any("x" in text for text in texts))
            return None if letters else {text: float(scale[text]) for text in texts}
    if texts <= GRADES.keys() and (GRADE_NAME.search(name) or any(text[-1] in "+-" for text in texts)):
        return {text: float(GRADES[text]) for text in texts}
    if texts <= RATINGS.keys() and (GRADE_NAME.search(name) or {"aaa", "aa"} & texts):
        return {text: float(RATINGS[text]) for text in texts}
    return None


def _numbered(levels: Iterable[str]) -> dict[str, float] | None:
    """Numbers of levels such as "2nd" or "stage 3"."""
    texts = list(levels)
    ordinals = [ORDINAL.fullmatch(text) for text in texts]
    if all(ordinals):
        return {text: float(match[1]) for text, match in zip(texts, ordinals, strict=True) if match}
    found = [NUMBERED.fullmatch(text) for text in texts]
    if all(found) and len({match[1] for match in found if match}) == 1:
        return {text: float(match[2]) for text, match in zip(texts, found, strict=True) if match}
    return None


def _ranges(levels: Iterable[str]) -> dict[str, float] | None:
    """Lower ends of ranges of numbers; None unless they have one unit at most and do not overlap."""
    texts = list(levels)
    split = {text: _ends(text) for text in texts}
    if not any(split.values()):
        return None
    ends = {text: pair or (text, text) for text, pair in split.items()}
    units: set[str] = set()
    found: dict[str, tuple[float, float]] = {}
    for text, pair in ends.items():
        low, high = (_end(end, units) for end in pair)
        if low is None or high is None or len(units) > 1:
            return None
        found[text] = (-math.inf if pair[0] == "-" else low, math.inf if pair[1] == "-" else high)
    ordered = sorted(found.values())
    apart = all(a[1] <= b[0] and a != b for a, b in pairwise(ordered))
    valid = apart and all(low <= high for low, high in ordered)
    return {text: low if low > -math.inf else high - 1e300 for text, (low, high) in found.items()} if valid else None


def _ends(text: str) -> tuple[str, str] | None:
    for pattern, form in RANGES:
        match = pattern.fullmatch(text)
        if match is not None:
            low, _, high = form.format(*(group.replace(" ", "") for group in match.groups())).partition(" ")
            return low, high
    return None


def _end(text: str, units: set[str]) -> float | None:
    """Value of one end of a range, whose unit is added to `units`."""
    if text == "-":
        return math.nan
    form = amount_form(RawColumn("", "text", []), [text])
    if form is None or form[0] == ",":
        return None
    if form[1]:
        units.add(form[1])
    return amount(text, form)
