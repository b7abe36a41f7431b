"""What a page is made of: sections, and in them headings, paragraphs, lists, tables, pictures and listings.

The builders of sections say what is shown; the template says how. Every text is plain, the template escapes it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np

from mercer.report.text import LONGEST, cut, number, percent, plain

__all__ = [
    "Block",
    "Cell",
    "Figure",
    "Gallery",
    "Heading",
    "Items",
    "Listing",
    "PageTable",
    "Paragraph",
    "Section",
    "cell",
]


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Attributes
    ----------
    text : str
        What is shown.
    title : str
        The whole of it, if `text` was cut.
    number : bool
        Whether it is set flush right.
    code : bool
        Whether it is set in the type of code.
    bar : float or None
        Length of a bar behind the number, from −1 to 1.
    """

    text: str
    title: str = ""
    number: bool = False
    code: bool = False
    bar: float | None = None


def cell(
    value: Any,
    *,
    share: bool = False,
    code: bool = False,
    bar: float | None = None,
    digits: int = 4,
    longest: int = LONGEST,
) -> Cell:
    """A value as a cell: numbers flush right, what is longer than `longest` cut with the whole as title.

    >>> cell(0.5, share=True).text, cell("x" * 99).text[-2:], len(cell("x" * 99).title)
    ('50.0\u202f%', 'x…', 99)
    """
    if isinstance(value, Cell):
        return value
    if share:
        return Cell(percent(value), number=True, bar=bar)
    if value is None:
        return Cell("–", number=True)
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, (bool, np.bool_)):
        return Cell(number(value, digits), number=True, bar=bar)
    text = plain(value)
    short = cut(text, longest)
    return Cell(short, title=text if short != text else "", code=code, bar=bar)


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True)
class Paragraph:
    """One or more sentences; a remark is set smaller."""

    kind: ClassVar[str] = "paragraph"
    text: str
    remark: bool = False


@dataclass(frozen=True)
class Items:
    """A list of sentences."""

    kind: ClassVar[str] = "items"
    texts: Sequence[str]


@dataclass(frozen=True)
class Listing:
    """Text whose lines and blanks count: code, a proof."""

    kind: ClassVar[str] = "listing"
    label: str
    text: str
    wrap: bool = False  # whether long lines are broken


@dataclass(frozen=True)
class PageTable:
    """Rows under named columns; the first cell of a row is its heading."""

    kind: ClassVar[str] = "table"
    id: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    marked: int | None = None  # the row that stands out

    @property
    def headings(self) -> list[Cell]:
        """The names of the columns, which may come from the data."""
        return [cell(column) for column in self.columns]

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers, so that their headings stand above them."""
        return [
            bool(self.rows) and all(row[j].number or row[j].text == "–" for row in self.rows)
            for j in range(len(self.columns))
        ]

    @classmethod
    def of(
        cls, id: str, caption: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], **options: Any
    ) -> "PageTable":
        """A table of values, made to cells."""
        return cls(id, caption, columns, [[cell(value) for value in row] for row in rows], **options)


@dataclass(frozen=True)
class Figure:
    """A picture that is part of the page; `alt` says what is seen in it."""

    kind: ClassVar[str] = "figure"
    id: str
    src: str
    alt: str
    caption: str
    width: int
    height: int


@dataclass(frozen=True)
class Gallery:
    """Pictures or tables side by side, where there is room."""

    kind: ClassVar[str] = "gallery"
    parts: Sequence[Figure | PageTable]


Block: TypeAlias = Heading | Paragraph | Items | Listing | PageTable | Figure | Gallery


@dataclass(frozen=True)
class Section:
    """A chapter of the page."""

    id: str
    title: str
    lead: str
    blocks: Sequence[Block] = field(default=())
