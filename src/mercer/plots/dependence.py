"""Plot of the partial dependence of a score on one column."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mercer._typing import DoubleArray
from mercer._validation import check_flag, check_integer, describe
from mercer.plots.figure import axes
from mercer.plots.style import COLOURS, MARKERS, legend_beside, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mercer.explain import PartialDependence

__all__ = ["PartialDependenceDisplay"]

DECILES = np.linspace(0.1, 0.9, 9)
RANGE = (0.1, 0.9)  # quantiles of the individual scores that lines of categories span
STYLES = ("-", "--", "-.", ":")


class PartialDependenceDisplay:
    """Plot of the average score as a function of one column, with the curves of single rows behind it.

    Numbers and dates are drawn as a curve, with marks of the deciles of the column below it: between far marks there
    are few samples. Categories are drawn as dots, in the order of their averages, with lines from the 10 % to the 90 %
    quantile of the scores of the rows. Several outputs are drawn as one curve each, without those of rows.

    Parameters
    ----------
    found : PartialDependence
        Curves.
    max_rows : int, default=100
        Largest number of individual curves that are drawn, of rows at equal distances. 0: the average alone.
    centred : bool, default=False
        Whether curves start at 0, so that they show the change from the first value of the column.

    Attributes
    ----------
    lines_ : list of Line2D
        Average curve of each output; dots of categories.
    individual_ : LineCollection or None
        Curves of rows, or ranges of the scores of categories.
    marks_ : Line2D or None
        Marks of the deciles.
    ax_ : Axes
        Axes of the plot.
    figure_ : Figure
        Figure of the plot.

    See Also
    --------
    mercer.explain.partial_dependence : Computes the curves.
    ShapleyDisplay : Shapley values of all columns.

    Examples
    --------
    >>> from mercer.explain import KernelExpansion, partial_dependence
    >>> from mercer.plots import PartialDependenceDisplay, blank
    >>> f = KernelExpansion("linear", [[1.0, 2.0]], [3.0])
    >>> found = partial_dependence(f, [[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], column=1)
    >>> display = PartialDependenceDisplay.from_dependence(found, ax=blank()[1])
    >>> display.lines_[0].get_ydata().tolist()
    [3.0, 9.0, 15.0]
    >>> display.ax_.get_xlabel()
    'x1'
    """

    def __init__(self, found: "PartialDependence", *, max_rows: int = 100, centred: bool = False) -> None:
        who = type(self).__name__
        if not hasattr(found, "average") or not hasattr(found, "individual"):
            raise TypeError(
                f"{who}: got {describe(found)}, expected the PartialDependence that partial_dependence returns."
            )
        self.found = found
        self.max_rows = check_integer(who, "max_rows", max_rows, low=0)
        self.centred = check_flag(who, "centred", centred)

    @classmethod
    def from_dependence(
        cls,
        found: "PartialDependence",
        *,
        output: Any = None,
        max_rows: int = 100,
        centred: bool = False,
        ax: "Axes | None" = None,
        **style: Any,
    ) -> Self:
        """Draw the result of `mercer.explain.partial_dependence`.

        Parameters
        ----------
        found : PartialDependence
            Curves.
        output : object, default=None
            Class or index of the output. None means all of them.
        max_rows : int, default=100
            Largest number of individual curves that are drawn.
        centred : bool, default=False
            Whether curves start at 0.
        ax : Axes, default=None
            Axes to draw on. None creates a new figure.
        **style : dict
            Keyword arguments of ``ax.plot`` for the averages.

        Returns
        -------
        PartialDependenceDisplay
            The display.
        """
        chosen = found if output is None or not hasattr(found, "of_output") else found.of_output(output)
        return cls(chosen, max_rows=max_rows, centred=centred).plot(ax, **style)

    def plot(self, ax: "Axes | None" = None, **style: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on. None creates a new figure.
        **style : dict
            Keyword arguments of ``ax.plot`` for the averages, such as ``linewidth``.

        Returns
        -------
        PartialDependenceDisplay
            The display itself.
        """
        found = self.found
        ordered = np.asarray(found.values).dtype.kind in "fiumM"
        averages = np.asarray(found.average).reshape(len(found.values), -1)
        single = found.individual if averages.shape[1] == 1 and self.max_rows else None
        if self.centred:
            single = None if single is None else single - single[:, :1]
            averages = averages - averages[:1]
        ax = axes(self, ax, 5.6, 4.0 if ordered else 1.4 + 0.34 * len(found.values))
        self.lines_: list[Any] = []
        self.individual_: Any = None
        self.marks_: Any = None
        what = "change of the score" if self.centred else "score"
        if ordered:
            self._curves(ax, averages, single, style)
            ax.set(xlabel=plain(found.name), ylabel=what)
        else:
            self._categories(ax, averages, single, style)
            ax.set(xlabel=what, ylabel=plain(found.name))
        if len(self.lines_) > 1:
            legend_beside(ax, self.lines_, [line.get_label() for line in self.lines_])
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _curves(self, ax: "Axes", averages: DoubleArray, single: Any, style: dict[str, Any]) -> None:
        """Draw curves over numbers or dates."""
        from matplotlib.collections import LineCollection
        from matplotlib.dates import date2num

        values = np.asarray(self.found.values)
        dates = values.dtype.kind == "M"
        x = date2num(values) if dates else values.astype(np.float64)  # type: ignore[no-untyped-call]
        if single is not None:
            step = -(-len(single) // self.max_rows)
            paths = [np.column_stack([x, curve]) for curve in single[::step]]
            faint: dict[str, Any] = {"colors": "0.55", "alpha": float(np.clip(20 / len(paths), 0.25, 0.6))}
            self.individual_ = ax.add_collection(LineCollection(paths, linewidths=0.7, zorder=1, **faint))
        for o, curve in enumerate(averages.T):
            look = {"color": COLOURS[o % len(COLOURS)], "linestyle": STYLES[o % len(STYLES)], "linewidth": 2.2}
            look |= {"marker": "o"} if len(x) == 1 else {}
            name = plain(self.found.outputs[o])
            self.lines_ += ax.plot(x, curve, label=name, **{**look, **style})
        if values.dtype.kind == "M":
            ax.xaxis_date()
        ax.autoscale_view()
        self._mark(ax)

    def _mark(self, ax: "Axes") -> None:
        """Mark the deciles of the column at the lower edge."""
        from matplotlib.dates import date2num

        data = np.asarray(self.found.data)
        known = ~np.isnat(data) if data.dtype.kind in "mM" else ~np.isnan(data.astype(np.float64))
        dates, shown = data.dtype.kind == "M", data[known]
        numbers = date2num(shown) if dates else shown.astype(np.float64)  # type: ignore[no-untyped-call]
        at = np.quantile(numbers, DECILES, method="nearest")
        below = ax.get_xaxis_transform()
        (self.marks_,) = ax.plot(at, np.full(len(at), 0.02), "|", color="0.2", markersize=8, transform=below)

    def _categories(self, ax: "Axes", averages: DoubleArray, single: Any, style: dict[str, Any]) -> None:
        """Draw dots for categories, the largest average at the top."""
        from matplotlib.collections import LineCollection

        order = np.argsort(-averages[:, -1], kind="stable")
        y = np.arange(len(order))
        if single is not None:
            low, high = np.quantile(single[:, order], RANGE, axis=0)
            spans = [[(a, i), (b, i)] for i, (a, b) in enumerate(zip(low, high, strict=True))]
            self.individual_ = ax.add_collection(LineCollection(spans, colors="0.7", linewidths=4, zorder=1))
        for o, values in enumerate(averages[order].T):
            look = {"color": COLOURS[o % len(COLOURS)], "marker": MARKERS[o % len(MARKERS)], "markersize": 8}
            name = plain(self.found.outputs[o])
            self.lines_ += ax.plot(values, y, label=name, **{**look, "linestyle": "", **style})
        ax.autoscale_view()
        ax.set_yticks(y, [plain(self.found.values[i]) for i in order])
        ax.set_ylim(len(y) - 0.4, -0.6)
        left = self.found.n_distinct - len(y)
        if left > 0:
            ax.set_title(f"the {len(y)} most frequent of {self.found.n_distinct} values")
