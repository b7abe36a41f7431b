"""Colours, markers and text formatting of all displays."""

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
    "ON_DARK",
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

# Colours that stay apart for all kinds of colour vision, the first three by far. Blue and vermilion are those of Okabe
# and Ito; their green is not used, because readers without blue cones cannot distinguish it from blue.
COLOURS = ("#0072B2", "#D55E00", "#5B1647", "#56B4E9", "#D58FB0", "#B9AA80", "#000000")
ON_DARK = ("#3F9FDC", "#EE7F2B", "#FBE9C8", "#39F3FC", "#7C49F5", "#88624C", "#A0A0A0")  # the same on a dark page
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "<", ">", "*")
POSITIVE, NEGATIVE = COLOURS[0], COLOURS[1]
SEQUENTIAL, DIVERGING = "viridis", "RdBu_r"  # also without colour: lightness grows, or grows towards both ends
ELLIPSIS, HAIR_SPACE = "\N{HORIZONTAL ELLIPSIS}", "\N{HAIR SPACE}"


def mark(i: int) -> tuple[str, str]:
    """Colour and marker of class i; there are 70 distinct pairs.

    >>> mark(0), len({mark(i) for i in range(70)})
    (('#0072B2', 'o'), 70)
    """
    return COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]


def plain(text: Any, width: int = 32) -> str:
    r"""Escape text for matplotlib and shorten it to `width` characters by an ellipsis in the middle.

    A dollar sign would start a formula, and labels that start with an underscore would be omitted from legends.

    >>> plain("$5 to\n$10"), plain("the class of number 10", 12)
    ('\\$5 to \\$10', 'the clas… 10')
    """
    words = "".join(c if c.isprintable() else " " for c in str(text))
    if len(words) > width:
        end = (width - 1) // 3
        words = words[: width - 1 - end] + ELLIPSIS + words[len(words) - end :]
    return (HAIR_SPACE if words.startswith("_") else "") + words.replace("$", r"\$")


def wrapped(text: Any, width: int, lines: int = 2) -> str:
    r"""Escape text for matplotlib and wrap it to a few lines, keeping its line breaks.

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
    """Format a fraction in percent.

    >>> percent(0.428), percent(0.0123), percent(0.0001)
    ('43 %', '1.2 %', '< 0.1 %')
    """
    if 0 < share < 0.0005:
        return "< 0.1 %"
    return f"{100 * share:.0f} %" if share >= 0.095 else f"{100 * share:.1f} %"


def signed(value: float) -> str:
    """Format a number with its sign.

    >>> signed(0.25), signed(-1234.5)
    ('+0.25', '−1.23e+03')
    """
    return f"{value:+.3g}".replace("-", "\N{MINUS SIGN}", 1) if value < 0 else f"{value:+.3g}"


def short(value: float, digits: int = 3) -> str:
    """Format a number with some significant digits, and with an exponent only from a million.

    >>> short(0.24419), short(16628.0), short(3.2e9)
    ('0.244', '16600', '3.2e+09')
    """
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if 10.0**digits <= abs(value) < 1e6 else text


def point_size(n: int) -> float:
    """Area of a marker in points², smaller for many samples."""
    return float(np.clip(8000 / max(n, 1), 12.0, 40.0))


def is_signed(values: DoubleArray) -> bool:
    """Whether there are negative values beyond rounding, so that a colour scale is centred at zero."""
    return bool(values.min() < -1e-9 * np.abs(values).max())


def letters(ax: "Axes", fontsize: float = 10.0) -> int:
    """Approximate number of letters that fit in the width of the axes."""
    return max(12, int(ax.get_window_extent().width * 72 / ax.figure.dpi / (0.56 * fontsize)))


def scale_beside(ax: "Axes", shown: Any, label: str, **options: Any) -> "Colorbar":
    """Add a colour bar as high as the axes, also for axes with a fixed aspect ratio."""
    return ax.figure.colorbar(shown, cax=ax.inset_axes((1.03, 0.0, 0.045, 1.0)), label=label, **options)


def legend_beside(ax: "Axes", handles: list[Any], labels: list[str]) -> "Legend":
    """Add a legend to the right of the axes, where it covers no data."""
    place: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5), "frameon": False}
    return ax.legend(handles, labels, ncols=-(-len(handles) // 16), **place)
