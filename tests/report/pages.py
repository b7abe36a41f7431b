"""A page taken apart with the parser of the standard library."""

from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser

from tests.report.cases import page

VOID = {"meta", "link", "img", "br", "hr", "input"}


@dataclass
class Table:
    id: str
    caption: str = ""
    header: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)

    def row(self, first: str) -> list[str]:
        """The one row that begins with a text."""
        (found,) = [row for row in self.rows if row[0] == first]
        return found

    def column(self, name: str) -> list[str]:
        return [row[self.header.index(name)] for row in self.rows]


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.tables: dict[str, Table] = {}
        self.unbalanced: list[str] = []
        self._table: Table | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in VOID:
            return
        self.open.append(tag)
        self.texts.setdefault(tag, []).append("")
        if tag == "table":
            self._table = self.tables[dict(attrs)["id"]] = Table(dict(attrs)["id"])
        elif tag == "tr" and "tbody" in self.open:
            self._table.rows.append([])
        elif tag in ("td", "th") and "tbody" in self.open:
            self._table.rows[-1].append("")
        elif tag == "th":
            self._table.header.append("")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data):
        if not self.open:
            return
        for tag in set(self.open):
            self.texts[tag][-1] += data
        if "caption" in self.open:
            self._table.caption += data
        elif "tbody" in self.open and ("td" in self.open or "th" in self.open):
            self._table.rows[-1][-1] += data
        elif "thead" in self.open and "th" in self.open:
            self._table.header[-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]

    @property
    def text(self) -> str:
        return self.texts["body"][0]


@cache
def parsed(name: str) -> Page:
    return Page(page(name))
