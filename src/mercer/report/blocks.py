"""Elements of a page: sections with headings, paragraphs, lists, tables, figures and listings.

Sections define the content and the template defines the appearance. All texts are plain; the template escapes them.
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


LETTERS = 42  # width of a telephone's screen
BARRED = 19  # width of a cell with a bar
MANY = 7  # columns above which headings are broken early


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Parameters
    ----------
    text : str
        Text that is shown.
    title : str, default=""
        Full text, if `text` was truncated.
    number : bool, default=False
        Whether the cell is right-aligned.
    code : bool, default=False
        Whether the text is set in a monospaced font.
    bar : float or None, default=None
        Length of a bar before the number, between −1 and 1.
    whole : bool, default=False
        Whether the bar is drawn on a track of length 1, as a part of the whole.
    """

    text: str
    title: str = ""
    number: bool = False
    code: bool = False
    bar: float | None = None
    whole: bool = False


def cell(
    value: Any,
    *,
    share: bool = False,
    code: bool = False,
    bar: float | None = None,
    digits: int = 4,
    longest: int = LONGEST,
) -> Cell:
    """Format a value as a cell: numbers are right-aligned, texts longer than `longest` are truncated.

    >>> cell(0.5, share=True).text, cell("x" * 99).text[-2:], len(cell("x" * 99).title)
    ('50.0\u202f%', 'x…', 99)
    """
    if isinstance(value, Cell):
        return value
    if share:  # bars of shares have the length of the share itself
        return Cell(percent(value), number=True, bar=bar, whole=bar is not None and bar == value)
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
    """A paragraph; remarks are set in a smaller font."""

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
    """Preformatted text: code or a proof."""

    kind: ClassVar[str] = "listing"
    label: str
    text: str
    wrap: bool = False  # whether long lines are wrapped


@dataclass(frozen=True)
class PageTable:
    """A table; the first cell of each row is its heading."""

    kind: ClassVar[str] = "table"
    id: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    marked: int | None = None  # index of the highlighted row

    @property
    def headings(self) -> list[Cell]:
        """Headings of the columns, truncated since they may come from the data."""
        return [cell(column) for column in self.columns]

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers, so that their headings are right-aligned as well."""
        return [
            bool(self.rows) and all(row[j].number or row[j].text == "–" for row in self.rows)
            for j in range(len(self.columns))
        ]

    @property
    def stacked(self) -> bool:
        """Whether rows become lists on a telephone, because the table is wider than its screen."""
        heads = [max(map(len, column.text.split()), default=0) for column in self.headings]
        widths = [
            max([heads[j], *(min(len(row[j].text), 30) if row[j].bar is None else BARRED for row in self.rows)])
            for j in range(len(self.columns))
        ]
        return sum(widths) + 3 * len(widths) > LETTERS

    @property
    def dense(self) -> bool:
        """Whether headings are broken early, because the table has many columns."""
        return len(self.columns) > MANY

    @classmethod
    def of(
        cls, id: str, caption: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], **options: Any
    ) -> "PageTable":
        """Create a table from values, which are converted to cells."""
        return cls(id, caption, columns, [[cell(value) for value in row] for row in rows], **options)


@dataclass(frozen=True)
class Figure:
    """An SVG element; `alt` describes its content in words."""

    kind: ClassVar[str] = "figure"
    id: str
    svg: str
    alt: str
    caption: str


@dataclass(frozen=True)
class Gallery:
    """Figures or tables side by side, if there is room."""

    kind: ClassVar[str] = "gallery"
    parts: Sequence[Figure | PageTable]


Block: TypeAlias = Heading | Paragraph | Items | Listing | PageTable | Figure | Gallery


@dataclass(frozen=True)
class Section:
    """A section of the page."""

    id: str
    title: str
    lead: str
    blocks: Sequence[Block] = field(default=())
