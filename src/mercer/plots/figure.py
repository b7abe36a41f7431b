"""Figures and axes: found or made, and turned into bytes. matplotlib is imported when the first is asked for."""

import re
from html import escape
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer._validation import check_real, describe

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["axes", "balanced", "blank", "panels", "png", "require", "svg"]

IMAGE_DPI = 144  # of what SVG holds as images: heat maps, cells
_TAG = re.compile(r"<[^>]*>")
_NAME = re.compile(r'(?<=\bid=")(?=[^"])|(?<=href="#)|(?<=url\(#)')


def require(who: str) -> None:
    """An error that says what to do, where matplotlib is missing."""
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError:
        raise ImportError(f"{who} needs matplotlib: pip install 'mercer[plot]'") from None


def blank(width: float = 6.4, height: float = 4.8) -> "tuple[Figure, Axes]":
    """A figure with one axes that pyplot does not know of: nothing to close, nothing pops up.

    Parameters
    ----------
    width, height : float
        In inches.

    Examples
    --------
    >>> figure, ax = blank(3, 2)
    >>> ax.figure is figure, figure.get_size_inches().tolist()
    (True, [3.0, 2.0])
    """
    require("blank")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    size = [check_real("blank", name, v, low=0.0, strict=True) for name, v in (("width", width), ("height", height))]
    figure = Figure(figsize=(size[0], size[1]), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def png(figure: "Figure", dpi: float = 120) -> bytes:
    """The figure as a PNG file; figures that are drawn alike give the same bytes.

    >>> png(blank(1, 1)[0])[1:4]
    b'PNG'
    """
    stream = BytesIO()
    figure.savefig(stream, format="png", dpi=dpi, metadata={"Software": None})
    return stream.getvalue()


def svg(figure: "Figure", prefix: str = "mercer", title: str | None = None) -> str:
    """The figure as an element ``<svg>`` to be put into a page; figures that are drawn alike give the same text.

    Parameters
    ----------
    figure : Figure
        Its text stays text, which can be selected and read aloud.
    prefix : str
        Begins every id, so that several figures on one page do not take each other's parts: give each its own.
    title : str, optional
        What the picture shows, for those who do not see it.

    Examples
    --------
    >>> text = svg(blank(1, 1)[0], prefix="a", title="nothing yet")
    >>> text.startswith("<svg"), 'id="a-axes_1"' in text, "<title>nothing yet</title>" in text
    (True, True, True)
    """
    if not re.fullmatch(r"[A-Za-z][\w-]*", prefix):
        raise ValueError(
            f"svg: parameter prefix must be a letter, then letters, digits, - or _, got {describe(prefix)}."
        )
    require("svg")
    import matplotlib as mpl

    stream = StringIO()
    unnamed: dict[str, Any] = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": prefix}):
        figure.savefig(stream, format="svg", dpi=IMAGE_DPI, metadata=unnamed)
    text = stream.getvalue()
    text = text[text.index("<svg") :].rstrip() + "\n"
    text = _TAG.sub(lambda tag: _NAME.sub(f"{prefix}-", tag[0]), text)
    # Rules in a page hold for all of it: keep them within this picture.
    text = text.replace('<style type="text/css">*{', f'<style type="text/css">#{prefix} *{{')
    said = "" if title is None else f"\n <title>{escape(title)}</title>"
    return re.sub(r"<svg([^>]*)>", lambda tag: f'<svg id="{prefix}" role="img"{tag[1]}>{said}', text, count=1)


def axes(display: Any, ax: Any, width: float = 6.4, height: float = 4.8) -> "Axes":
    """The axes given, or those of a new figure of pyplot, which a notebook then shows."""
    require(type(display).__name__)
    if ax is None:
        import matplotlib.pyplot as plt

        return plt.subplots(figsize=(width, height), layout="constrained")[1]
    return _checked(display, ax)


def panels(
    display: Any, ax: Any, n: int, columns: int, size: tuple[float, float], *, sharey: bool = False, **ratios: Any
) -> "list[Axes]":
    """Axes for n panels: those given, or a grid in the place of the one given or in a new figure.

    `size` is that of one panel in inches. The axes of a grid that are left over are removed.
    """
    who = type(display).__name__
    require(who)
    if ax is not None and np.ndim(ax):
        given = [_checked(display, one) for one in np.ravel(ax)]
        if len(given) != n:
            raise ValueError(f"{who}: {n} panels need {n} axes, got {len(given)}; pass one axes or None for a grid.")
        return given
    rows = -(-n // columns)
    if ax is None:
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=(columns * size[0], rows * size[1]), layout="constrained")
        grid: Any = figure.add_gridspec(rows, columns, **ratios)
    else:
        place = _checked(display, ax).get_subplotspec()
        if place is None:
            raise ValueError(f"{who}: {n} panels need axes of a grid, as from subplots, got free ones; pass those.")
        ax.set_axis_off()
        grid = place.subgridspec(rows, columns, **ratios)
    made = np.ravel(grid.subplots(squeeze=False, sharey=sharey))
    for spare in made[n:]:
        spare.remove()
    return list(made[:n])


def balanced(n: int, most: int) -> int:
    """Columns of a grid for n panels, at most so many, with rows as equal as can be.

    >>> balanced(5, 4), balanced(8, 4), balanced(3, 4)
    (3, 4, 3)
    """
    return -(-n // -(-n // most))


def _checked(display: Any, ax: Any) -> "Axes":
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise TypeError(f"{type(display).__name__}: ax must be axes of matplotlib, got {describe(ax)}.")
    return ax
