"""Colours, markers and words: what all displays look like."""

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer._typing import DoubleArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colorbar import Colorbar
    from matplotlib.legend import Legend

__all__ = [
    "COLOURS",
    "DIVERGING",
    "MARKERS",
    "NEGATIVE",
    "POSITIVE",
    "SEQUENTIAL",
    "is_signed",
    "legend_beside",
    "letters",
    "mark",
    "percent",
    "plain",
    "point_size",
    "scale_beside",
    "signed",
    "wrapped",
]

# Okabe and Ito's palette, told apart with every kind of colour vision, but for its yellow, which is lost on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "<", ">", "*")
POSITIVE, NEGATIVE = COLOURS[0], COLOURS[1]
SEQUENTIAL, DIVERGING = "viridis", "RdBu_r"
ELLIPSIS, HAIR_SPACE = "\N{HORIZONTAL ELLIPSIS}", "\N{HAIR SPACE}"


def mark(i: int) -> tuple[str, str]:
    """Colour and marker of class i; 70 pairs are different.

    >>> mark(0), len({mark(i) for i in range(70)})
    (('#0072B2', 'o'), 70)
    """
    return COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]


def plain(text: Any, width: int = 32) -> str:
    r"""Words from outside as matplotlib shows them unchanged, at most `width` characters: the middle gives way.

    Dollars would start a formula, and a label that starts with an underscore would be left out of legends.

    >>> plain("$5 to\n$10"), plain("the class of number 10", 12)
    ('\\$5 to \\$10', 'the clas… 10')
    """
    words = "".join(c if c.isprintable() else " " for c in str(text))
    if len(words) > width:
        end = (width - 1) // 3
        words = words[: width - 1 - end] + ELLIPSIS + words[len(words) - end :]
    return (HAIR_SPACE if words.startswith("_") else "") + words.replace("$", r"\$")


def wrapped(text: Any, width: int, lines: int = 2) -> str:
    r"""Words from outside on a few lines, with the breaks that they have.

    >>> wrapped("component 1\n43 % of the variance", 12, lines=3).splitlines()
    ['component 1', '43 % of the', 'variance']
    """
    cut: list[str] = []
    for line in str(text).splitlines():
        cut += textwrap.wrap(line, width, break_on_hyphens=False) or [""]
    if len(cut) > lines:
        cut = [*cut[: lines - 1], cut[lines - 1][: width - 1] + ELLIPSIS]
    return "\n".join(plain(line, width) for line in cut)


def percent(share: float) -> str:
    """A share in words.

    >>> percent(0.428), percent(0.0123), percent(0.0001)
    ('43 %', '1.2 %', '< 0.1 %')
    """
    if 0 < share < 0.0005:
        return "< 0.1 %"
    return f"{100 * share:.0f} %" if share >= 0.095 else f"{100 * share:.1f} %"


def signed(value: float) -> str:
    """A number with its sign, whichever it is.

    >>> signed(0.25), signed(-1234.5)
    ('+0.25', '−1.23e+03')
    """
    return f"{value:+.3g}".replace("-", "\N{MINUS SIGN}", 1) if value < 0 else f"{value:+.3g}"


def point_size(n: int) -> float:
    """Area of a marker in points², smaller where there are many."""
    return float(np.clip(8000 / max(n, 1), 12.0, 40.0))


def is_signed(values: DoubleArray) -> bool:
    """Whether there are negative values beyond rounding, so that zero is the middle of a scale."""
    return bool(values.min() < -1e-9 * np.abs(values).max())


def letters(ax: "Axes", fontsize: float = 10.0) -> int:
    """How many letters are about as wide as the axes."""
    return max(12, int(ax.get_window_extent().width * 72 / ax.figure.dpi / (0.56 * fontsize)))


def scale_beside(ax: "Axes", shown: Any, label: str, **options: Any) -> "Colorbar":
    """A colour bar as high as the axes, also where these keep an aspect of their own."""
    return ax.figure.colorbar(shown, cax=ax.inset_axes((1.03, 0.0, 0.045, 1.0)), label=label, **options)


def legend_beside(ax: "Axes", handles: list[Any], labels: list[str]) -> "Legend":
    """A legend to the right of the axes, where it covers nothing."""
    place: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5), "frameon": False}
    return ax.legend(handles, labels, ncols=-(-len(handles) // 16), **place)
