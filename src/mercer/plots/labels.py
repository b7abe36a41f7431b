"""Placement of labels next to points without overlap."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer._typing import DoubleArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

__all__ = ["place_labels"]

FONT, LINE = 8.0, 10.5  # font size and line height of labels, in points
SIDES = ((1, 0, "left", "center"), (-1, 0, "right", "center"), (0, 1, "center", "bottom"), (0, -1, "center", "top"))


def place_labels(ax: "Axes", points: DoubleArray, names: list[str], gap: float) -> "list[Annotation]":
    """Draw names next to points, on the first of four sides where they overlap neither points nor other names.

    Names that do not fit are omitted, and a note above the axes states their number. `gap` is the distance from the
    centre of a point, in points. The layout of the figure is computed once to find the size of the axes.
    """
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    ax.margins(0.15)
    note = ax.set_title(" ", fontsize=FONT, loc="right")
    figure: Any = ax.figure.figure  # the whole figure, if the axes are in a subfigure
    figure.draw_without_rendering()
    unit, font = 72 / ax.figure.dpi, FontProperties(size=FONT)
    at = ax.transData.transform(points) * unit
    low, high = ax.get_window_extent().get_points() * unit
    taken = np.empty((4, 2 * len(at)))
    taken[:, : len(at)] = np.hstack([at - gap + 1.5, at + gap - 1.5]).T
    texts: list[Annotation] = []
    for i, name in enumerate(names):
        wide = text_to_path.get_text_width_height_descent(name, font, ismath=False)[0]
        for dx, dy, ha, va in SIDES:
            corner = at[i] + [gap * dx - wide * (1 - dx) / 2, gap * dy - LINE * (1 - dy) / 2]
            place = np.concatenate([corner, np.add(corner, [wide, LINE])])
            inside = (place[:2] >= low).all() and (place[2:] <= high).all()
            if inside and not _meets(place, taken[:, : len(at) + len(texts)], i):
                taken[:, len(at) + len(texts)] = place
                look: dict[str, Any] = {"ha": ha, "va": va, "fontsize": FONT, "zorder": 5}
                offset = (dx * gap, dy * gap)
                texts.append(ax.annotate(name, tuple(points[i]), offset, textcoords="offset points", **look))
                break
    hidden = len(names) - len(texts)
    note.set_text(f"{hidden} of {len(names)} labels omitted" if hidden else "")
    return texts


def _meets(place: DoubleArray, taken: DoubleArray, own: int) -> bool:
    """Whether a box (left, bottom, right, top) overlaps boxes other than that of its own point."""
    left, bottom, right, top = taken
    met = (place[0] < right) & (place[1] < top) & (left < place[2]) & (bottom < place[3])
    met[own] = False
    return bool(met.any())
