"""Creation and export of figures and axes. matplotlib is imported on first use."""

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

IMAGE_DPI = 144  # resolution of raster images in SVG: heat maps, cells
_TAG = re.compile(r"<[^>]*>")
_NAME = re.compile(r'(?<=\bid=")(?=[^"])|(?<=href="#)|(?<=url\(#)')


def require(who: str) -> None:
    """Raise ImportError with instructions if matplotlib is not installed."""
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError:
        raise ImportError(f"{who} needs matplotlib: pip install 'mercer[plot]'") from None


def blank(width: float = 6.4, height: float = 4.8) -> "tuple[Figure, Axes]":
    """Create a figure with one axes that is not managed by pyplot.

    Such figures need not be closed and are not shown automatically.

    Parameters
    ----------
    width : float, default=6.4
        Width in inches.
    height : float, default=4.8
        Height in inches.

    Returns
    -------
    figure : Figure
        The figure, with constrained layout.
    ax : Axes
        Its axes.

    See Also
    --------
    png : Exports a figure as PNG.
    svg : Exports a figure as SVG.

    Examples
    --------
    >>> from mercer.plots import blank
    >>> figure, ax = blank(3, 2)
    >>> figure.get_size_inches().tolist()
    [3.0, 2.0]
    """
    require("blank")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    size = [check_real("blank", name, v, low=0.0, strict=True) for name, v in (("width", width), ("height", height))]
    figure = Figure(figsize=(size[0], size[1]), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def png(figure: "Figure", dpi: float = 120) -> bytes:
    """Export a figure as PNG; equal figures give equal bytes.

    Parameters
    ----------
    figure : Figure
        Figure to export.
    dpi : float, default=120
        Resolution in dots per inch.

    Returns
    -------
    bytes
        Content of a PNG file.

    See Also
    --------
    svg : Exports a figure as SVG.
    blank : Creates a figure without pyplot.

    Examples
    --------
    >>> from mercer.plots import blank, png
    >>> png(blank(1, 1)[0])[1:4]
    b'PNG'
    """
    stream = BytesIO()
    figure.savefig(stream, format="png", dpi=dpi, metadata={"Software": None})
    return stream.getvalue()


def svg(figure: "Figure", prefix: str = "mercer", title: str | None = None) -> str:
    """Export a figure as an ``<svg>`` element to embed in a page; equal figures give equal text.

    Parameters
    ----------
    figure : Figure
        Figure to export. Its text stays text, which can be selected and read by screen readers.
    prefix : str, default="mercer"
        Prefix of all ids. Use a different prefix for each figure of a page.
    title : str, default=None
        Description of the figure for screen readers.

    Returns
    -------
    str
        The element.

    See Also
    --------
    png : Exports a figure as PNG.
    blank : Creates a figure without pyplot.

    Examples
    --------
    >>> from mercer.plots import blank, svg
    >>> text = svg(blank(1, 1)[0], prefix="a", title="nothing yet")
    >>> text.startswith("<svg"), 'id="a-axes_1"' in text, "<title>nothing yet</title>" in text
    (True, True, True)
    """
    if not re.fullmatch(r"[A-Za-z][\w-]*", prefix):
        raise ValueError(f"svg: prefix must be a letter followed by letters, digits, - or _, got {describe(prefix)}.")
    require("svg")
    import matplotlib as mpl

    stream = StringIO()
    unnamed: dict[str, Any] = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": prefix}):
        figure.savefig(stream, format="svg", dpi=IMAGE_DPI, metadata=unnamed)
    text = stream.getvalue()
    text = text[text.index("<svg") :].rstrip() + "\n"
    text = _TAG.sub(lambda tag: _NAME.sub(f"{prefix}-", tag[0]), text)
    # CSS rules apply to the whole page, so limit them to this figure.
    text = text.replace('<style type="text/css">*{', f'<style type="text/css">#{prefix} *{{')
    said = "" if title is None else f"\n <title>{escape(title)}</title>"
    return re.sub(r"<svg([^>]*)>", lambda tag: f'<svg id="{prefix}" role="img"{tag[1]}>{said}', text, count=1)


def axes(display: Any, ax: Any, width: float = 6.4, height: float = 4.8) -> "Axes":
    """Return the given axes, or those of a new pyplot figure, which notebooks show."""
    require(type(display).__name__)
    if ax is None:
        import matplotlib.pyplot as plt

        return plt.subplots(figsize=(width, height), layout="constrained")[1]
    return _checked(display, ax)


def panels(
    display: Any, ax: Any, n: int, columns: int, size: tuple[float, float], *, sharey: bool = False, **ratios: Any
) -> "list[Axes]":
    """Return axes for n panels: the given ones, or a grid inside the given axes or in a new figure.

    `size` is the size of one panel in inches. Unused axes of the grid are removed.
    """
    who = type(display).__name__
    require(who)
    if ax is not None and np.ndim(ax):
        given = [_checked(display, one) for one in np.ravel(ax)]
        if len(given) != n:
            raise ValueError(f"{who}: got {len(given)} axes, expected {n}, one for each panel; pass one axes or None.")
        return given
    rows = -(-n // columns)
    if ax is None:
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=(columns * size[0], rows * size[1]), layout="constrained")
        grid: Any = figure.add_gridspec(rows, columns, **ratios)
    else:
        place = _checked(display, ax).get_subplotspec()
        if place is None:
            raise ValueError(f"{who}: got axes without a grid, which {n} panels need; pass axes from plt.subplots.")
        ax.set_axis_off()
        grid = place.subgridspec(rows, columns, **ratios)
    made = np.ravel(grid.subplots(squeeze=False, sharey=sharey))
    for spare in made[n:]:
        spare.remove()
    return list(made[:n])


def balanced(n: int, most: int) -> int:
    """Number of columns, at most `most`, of a grid for n panels whose rows are about equally long.

    >>> balanced(5, 4), balanced(8, 4), balanced(3, 4)
    (3, 4, 3)
    """
    return -(-n // -(-n // most))


def _checked(display: Any, ax: Any) -> "Axes":
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise TypeError(f"{type(display).__name__}: ax must be matplotlib Axes, got {describe(ax)}.")
    return ax
