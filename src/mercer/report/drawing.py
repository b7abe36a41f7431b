"""Figures of the page: drawn by matplotlib, embedded as SVG whose colours follow the page, bright or dark."""

import re
from contextlib import AbstractContextManager
from functools import cache
from html import escape
from typing import Any

from mercer.plots import COLOURS, svg
from mercer.plots.style import ON_DARK
from mercer.plots.theme import INK, on_page, shades, stepped
from mercer.report.blocks import Figure

__all__ = ["INK", "drawn", "figure", "scale", "variables"]

PIXELS = 96  # pixels per inch of the page
WIDE, HIGH = 4.6, 3.5  # size in inches of figures that stand side by side
SHADES = 12  # colours of the scale for numbers
DIMMEST = 0.3  # start of the scale on a dark page
_TAG = re.compile(r"<[^>]*>")  # labels from the data are outside of tags
_COLOUR = re.compile(r"(?<=[:] )#[0-9a-f]{6}\b")
_FONT = re.compile(r"font-family: [^;\"]*")
_SIZE = re.compile(r'(<svg [^>]*?)width="[^"]*" height="[^"]*"')


def drawn(width: float = WIDE, height: float = HIGH) -> AbstractContextManager[tuple[Any, Any]]:
    """Figure and axes in the look of the page, inside a block that draws on them."""
    return on_page(width, height)


def figure(id: str, canvas: Any, alt: str, caption: str) -> Figure:
    """Embed a figure; `alt` describes its content in words."""
    width, height = (round(PIXELS * float(side)) for side in canvas.get_size_inches())
    text = _TAG.sub(
        lambda tag: _FONT.sub("font-family: inherit", _COLOUR.sub(_followed, tag[0])),
        svg(canvas, prefix=f"{id}-drawing"),
    )
    named = f'aria-label="{escape(alt)}" width="{width}" height="{height}"'
    return Figure(id, _SIZE.sub(lambda found: found[1] + named, text, count=1), alt, caption)


def scale() -> Any:
    """Colour scale for numbers; its colours become those of the dark page as well."""
    return stepped(SHADES)


@cache
def variables() -> tuple[dict[str, str], dict[str, str]]:
    """CSS variables with the colours of figures, on a bright and on a dark page."""
    bright, dark = ({f"--c{i}": colour.lower() for i, colour in enumerate(palette)} for palette in (COLOURS, ON_DARK))
    for colours, start in ((bright, 0.0), (dark, DIMMEST)):
        colours |= {f"--s{i}": colour for i, colour in enumerate(shades(SHADES, start))}
    return bright, dark


def _followed(found: re.Match[str]) -> str:
    """CSS for a colour: a mixture of ink and paper for greys, a variable for the palette and the scale."""
    colour = found[0]
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    if red == green == blue:
        share = round(100 * (1 - red / 255))
        return f"color-mix(in srgb, var(--ink) {share}%, var(--paper))"
    named = {value: name for name, value in variables()[0].items()}
    return f"var({named[colour]})" if colour in named else colour
