"""Look of figures that are embedded in pages, and colour scales of few steps."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.plots.figure import blank, require
from mercer.plots.style import SEQUENTIAL

if TYPE_CHECKING:
    from matplotlib.colors import ListedColormap

__all__ = ["INK", "on_page", "shades", "stepped"]

INK, FAINT = "#333333", "#808080"  # of labels and lines that are not data, and of axes
_LOOK: dict[Any, Any] = {
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "font.size": 10.0,
    "legend.fontsize": 9.0,
    "legend.frameon": False,
    "xtick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.color": FAINT,
    "ytick.labelcolor": INK,
}


@contextmanager
def on_page(width: float, height: float) -> Iterator[tuple[Any, Any]]:
    """Figure and axes of a size in inches; what is drawn on them inside the block has the look of pages.

    >>> with on_page(3, 2) as (figure, ax):
    ...     ax.spines["top"].get_visible()
    False
    """
    require("on_page")
    import matplotlib as mpl

    with mpl.rc_context(_LOOK):
        yield blank(width, height)


def shades(n: int, start: float = 0.0) -> list[str]:
    """Colours of the sequential scale in n equal steps, from `start` to 1.

    >>> shades(2)
    ['#440154', '#fde725']
    """
    require("shades")
    import matplotlib as mpl
    from matplotlib.colors import to_hex

    return [to_hex(colour) for colour in mpl.colormaps[SEQUENTIAL](np.linspace(start, 1, n))]


def stepped(n: int) -> "ListedColormap":
    """Sequential colour scale of n colours."""
    require("stepped")
    from matplotlib.colors import ListedColormap

    return ListedColormap(shades(n))
