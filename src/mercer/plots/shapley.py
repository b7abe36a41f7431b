"""Plots of Shapley values: importances, scatter of all rows, waterfall of one row."""

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer._validation import check_choice, check_integer, describe
from mercer.plots.figure import axes
from mercer.plots.style import NEGATIVE, POSITIVE, SEQUENTIAL, letters, plain, scale_beside, short, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mercer.explain import ShapleyValues

__all__ = ["ShapleyDisplay"]

Kind = Literal["beeswarm", "bar", "waterfall"]
BINS = 60  # of a strip: points in the same bin are moved apart


class ShapleyDisplay:
    """Plot of Shapley values.

    ``kind="beeswarm"`` has a dot for each row and player, coloured by the value of the column from its lowest to its
    highest quantile; grey dots have no number. ``kind="bar"`` shows the means of the absolute values.
    ``kind="waterfall"`` leads from the base value to the score of one row. The players with the largest means, or the
    largest values of the row, come first; the others are added up in one line.

    Parameters
    ----------
    found : ShapleyValues
        Values of one output.
    max_players : int, default=12
        Number of players that are shown.

    Attributes
    ----------
    bars_ : BarContainer or None
        Bars of ``"bar"`` and ``"waterfall"``, from the top.
    dots_ : list of PathCollection
        Dots of ``"beeswarm"``, for each line from the top.
    texts_ : list of Annotation
        Numbers at the bars.
    names_ : list of str
        Names of the lines, from the top.
    ax_ : Axes
        Axes of the plot.
    figure_ : Figure
        Figure of the plot.

    See Also
    --------
    mercer.explain.shapley_values : Computes the values.
    ContributionsDisplay : Contributions of explicit features to one prediction.

    Examples
    --------
    >>> from mercer.explain import KernelExpansion, shapley_values
    >>> from mercer.plots import ShapleyDisplay, blank
    >>> f = KernelExpansion("linear", [[1.0, 3.0, 0.1]], [1.0])
    >>> found = shapley_values(f, [[1.0, 1.0, 1.0], [2.0, -1.0, 0.0]], [[0.0, 0.0, 0.0]])
    >>> display = ShapleyDisplay.from_values(found, kind="bar", max_players=2, ax=blank()[1])
    >>> display.names_
    ['x1', 'x0', '1 more']
    >>> [round(float(bar.get_width()), 2) for bar in display.bars_]
    [3.0, 1.5, 0.05]
    """

    def __init__(self, found: "ShapleyValues", *, max_players: int = 12) -> None:
        who = type(self).__name__
        if not hasattr(found, "values") or not hasattr(found, "base"):
            raise TypeError(f"{who}: got {describe(found)}, expected the ShapleyValues that shapley_values returns.")
        self.found = found.of_output()
        self.max_players = check_integer(who, "max_players", max_players, low=1)

    @classmethod
    def from_values(
        cls,
        found: "ShapleyValues",
        *,
        kind: Kind = "beeswarm",
        row: int = 0,
        output: Any = None,
        max_players: int = 12,
        ax: "Axes | None" = None,
        **style: Any,
    ) -> Self:
        """Draw the result of `mercer.explain.shapley_values`.

        Parameters
        ----------
        found : ShapleyValues
            Shapley values.
        kind : {"beeswarm", "bar", "waterfall"}, default="beeswarm"
            Kind of the plot.
        row : int, default=0
            Row of the waterfall.
        output : object, default=None
            Class or index of the output. None means the only output.
        max_players : int, default=12
            Number of players that are shown.
        ax : Axes, default=None
            Axes to draw on. None creates a new figure.
        **style : dict
            Keyword arguments of ``ax.barh`` or ``ax.scatter``.

        Returns
        -------
        ShapleyDisplay
            The display.
        """
        chosen = found.of_output(output) if hasattr(found, "of_output") else found
        return cls(chosen, max_players=max_players).plot(ax, kind=kind, row=row, **style)

    def plot(self, ax: "Axes | None" = None, *, kind: Kind = "beeswarm", row: int = 0, **style: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on. None creates a new figure, whose height depends on the number of players.
        kind : {"beeswarm", "bar", "waterfall"}, default="beeswarm"
            Kind of the plot.
        row : int, default=0
            Row of the waterfall.
        **style : dict
            Keyword arguments of ``ax.barh`` or ``ax.scatter``.

        Returns
        -------
        ShapleyDisplay
            The display itself.
        """
        who = type(self).__name__
        kind = check_choice(who, "kind", kind, Kind)  # type: ignore[assignment]
        row = check_integer(who, "row", row, low=0, high=len(self.found) - 1)
        size = np.abs(self.found.values[row]) if kind == "waterfall" else self.found.importance
        order = np.argsort(-size, kind="stable")
        top, others = order[: self.max_players], order[self.max_players :]
        self.names_ = [plain(self.found.names[j]) for j in top] + ([f"{len(others)} more"] if len(others) else [])
        ax = axes(self, ax, 6.4, 1.2 + 0.34 * len(self.names_))
        self.bars_: Any = None
        self.dots_: list[Any] = []
        self.texts_: list[Any] = []
        if kind == "waterfall":
            self._waterfall(ax, row, top, others, style)
        elif kind == "bar":
            self._bar(ax, top, others, style)
        else:
            self._beeswarm(ax, top, others, style)
        ax.set_yticks(np.arange(len(self.names_)), self.names_)
        ax.set_ylim(len(self.names_) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _lines(self, rows: slice, top: IndexArray, others: IndexArray) -> DoubleArray:
        """Values of the lines from the top: the first players, and the sum of the others."""
        values = self.found.values[rows]
        rest = values[:, others].sum(axis=1, keepdims=True)
        return np.hstack([values[:, top], rest]) if len(others) else values[:, top]

    def _bar(self, ax: "Axes", top: IndexArray, others: IndexArray, style: dict[str, Any]) -> None:
        lengths = np.abs(self._lines(slice(None), top, others)).mean(axis=0)
        self.bars_ = ax.barh(np.arange(len(lengths)), lengths, **{"height": 0.7, "color": POSITIVE, **style})
        self._number(ax, np.zeros(len(lengths)), lengths, [short(length) for length in lengths])
        ax.set_xlabel("mean absolute Shapley value")

    def _waterfall(self, ax: "Axes", row: int, top: IndexArray, others: IndexArray, style: dict[str, Any]) -> None:
        steps = self._lines(slice(row, row + 1), top, others)[0][::-1]  # the largest one last, at the top
        ends = float(self.found.base) + np.cumsum(steps)
        starts = ends - steps
        steps, starts, ends = steps[::-1], starts[::-1], ends[::-1]
        style = {"height": 0.7, "color": [POSITIVE if v >= 0 else NEGATIVE for v in steps], **style}
        self.bars_ = ax.barh(np.arange(len(steps)), steps, left=starts, **style)
        for i in range(1, len(steps)):  # from the end of a bar to the start of the next one above it
            ax.plot([ends[i]] * 2, [i + 0.35, i - 1.35], color="0.6", linewidth=0.7, zorder=0)
        self._number(ax, starts, ends, [signed(step) for step in steps])
        given = self.found.data[row, top]
        for i, value in enumerate(given.tolist()):
            if not np.isnan(value):
                self.names_[i] = f"{self.names_[i]} = {value:.4g}".replace("-", "\N{MINUS SIGN}", 1)
        base, score = float(self.found.base), float(self.found.score[row])
        ax.axvline(base, color="0.3", linewidth=0.8, linestyle=":")
        ax.set(xlabel="score", title=f"score {score:.4g}, base value {base:.4g}".replace("-", "\N{MINUS SIGN}"))

    def _number(self, ax: "Axes", starts: DoubleArray, ends: DoubleArray, texts: list[str]) -> None:
        """Write numbers at the ends of bars, with room for them."""
        for i, (start, end, text) in enumerate(zip(starts, ends, texts, strict=True)):
            right = end >= start
            place: dict[str, Any] = {"ha": "left" if right else "right", "va": "center", "fontsize": "small"}
            offset = (4 if right else -4, 0)
            self.texts_.append(ax.annotate(text, (end, i), offset, textcoords="offset points", **place))
        low, high = float(min(starts.min(), ends.min())), float(max(starts.max(), ends.max()))
        room = 9 / max(letters(ax) - 18, 9) * ((high - low) or 1.0)
        ax.set_xlim(low - (room if (ends < starts).any() else 0), high + room)

    def _beeswarm(self, ax: "Axes", top: IndexArray, others: IndexArray, style: dict[str, Any]) -> None:
        values = self._lines(slice(None), top, others)
        low, high = float(values.min()), float(values.max())
        style = {"s": float(np.clip(4000 / len(values), 6.0, 28.0)), "linewidths": 0.0, "cmap": SEQUENTIAL, **style}
        grey = {name: value for name, value in style.items() if name != "cmap"}
        coloured = None
        for i, x in enumerate(values.T):
            y = i + _spread(x, low, high)
            shade = _ranks(self.found.data[:, top[i]]) if i < len(top) else np.full(len(x), np.nan)
            if np.isnan(shade).all():
                self.dots_.append(ax.scatter(x, y, color="0.6", **grey))
            else:
                coloured = ax.scatter(x, y, c=shade, vmin=0.0, vmax=1.0, plotnonfinite=True, **style)
                self.dots_.append(coloured)
        ax.axvline(0.0, color="0.3", linewidth=0.8, zorder=0)
        ax.set_xlabel("Shapley value")
        ax.locator_params(axis="x", nbins=5)  # labels of large numbers overlap otherwise
        if coloured is not None:
            scale_beside(ax, coloured, "value of the column", ticks=[0, 1]).ax.set_yticklabels(["low", "high"])


def _ranks(values: DoubleArray) -> DoubleArray:
    """Values as shares between the 5 % and the 95 % quantile, so that outliers do not take the whole scale."""
    if np.isnan(values).all():
        return values
    low, high = np.nanquantile(values, [0.05, 0.95])
    if high <= low:
        low, high = np.nanmin(values), np.nanmax(values)
    return np.clip((values - low) / ((high - low) or 1.0), 0, 1)  # type: ignore[no-any-return]


def _spread(x: DoubleArray, low: float, high: float) -> DoubleArray:
    """Vertical places of dots: alternately above and below the line, farther from it where there are many."""
    bins = np.floor((x - low) / ((high - low) or 1.0) * BINS).astype(np.int64)
    places = np.zeros(len(x))
    counts = np.bincount(bins)
    step = min(0.08, 0.8 / max(int(counts.max()), 1))
    for b in np.flatnonzero(counts > 1):
        members = np.flatnonzero(bins == b)
        number = np.arange(len(members))
        places[members] = step * ((number + 1) // 2) * np.where(number % 2, 1, -1)
    return places
