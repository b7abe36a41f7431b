"""Bar chart of importances of columns."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mercer._validation import check_integer, describe
from mercer.plots.figure import axes
from mercer.plots.style import COLOURS, letters, plain, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mercer.explain import Importances

__all__ = ["ImportancesDisplay"]

HATCHES = ("", "///", "...", "\\\\\\", "xxx")  # of outputs that have the same colour for some readers


class ImportancesDisplay:
    """Bar chart of importances, largest first; parts of a bar are the outputs of the model.

    Parameters
    ----------
    found : Importances
        Importances of columns.
    max_players : int, default=12
        Number of players that are shown; one more bar is the sum of the others.

    Attributes
    ----------
    bars_ : list of BarContainer
        Bars of each output, from the top.
    texts_ : list of Annotation
        Numbers at the ends of the bars.
    names_ : list of str
        Names of the bars, from the top.
    ax_ : Axes
        Axes of the plot.
    figure_ : Figure
        Figure of the plot.

    See Also
    --------
    mercer.explain.importances : Computes importances.
    ShapleyDisplay : Shapley values of all rows.

    Examples
    --------
    >>> from mercer.explain import KernelExpansion, importances
    >>> from mercer.plots import ImportancesDisplay, blank
    >>> f = KernelExpansion("linear", [[1.0, 3.0, 0.5]], [1.0])
    >>> found = importances(f, [[1.0, 1.0, 1.0], [2.0, -1.0, 0.0]], [[0.0, 0.0, 0.0]])
    >>> display = ImportancesDisplay.from_importances(found, max_players=2, ax=blank()[1])
    >>> display.names_
    ['x1', 'x0', '1 more']
    >>> [float(bar.get_width()) for bar in display.bars_[0]]
    [3.0, 1.5, 0.25]
    """

    def __init__(self, found: "Importances", *, max_players: int = 12) -> None:
        who = type(self).__name__
        if not hasattr(found, "totals"):
            raise TypeError(f"{who}: got {describe(found)}, expected the Importances that importances returns.")
        self.found = found
        self.max_players = check_integer(who, "max_players", max_players, low=1)

    @classmethod
    def from_importances(
        cls, found: "Importances", *, max_players: int = 12, ax: "Axes | None" = None, **style: Any
    ) -> Self:
        """Draw the result of `mercer.explain.importances`.

        Parameters
        ----------
        found : Importances
            Importances of columns.
        max_players : int, default=12
            Number of players that are shown.
        ax : Axes, default=None
            Axes to draw on. None creates a new figure.
        **style : dict
            Keyword arguments of ``ax.barh``.

        Returns
        -------
        ImportancesDisplay
            The display.
        """
        return cls(found, max_players=max_players).plot(ax, **style)

    def plot(self, ax: "Axes | None" = None, **style: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on. None creates a new figure, whose height depends on the number of bars.
        **style : dict
            Keyword arguments of ``ax.barh``, such as ``height``.

        Returns
        -------
        ImportancesDisplay
            The display itself.
        """
        found, n = self.found, min(self.max_players, len(self.found))
        values = found.values.reshape(len(found), -1)
        rest = len(found) - n
        lengths = np.vstack([values[:n], values[n:].sum(axis=0)]) if rest else values
        self.names_ = [plain(name) for name in found.names[:n]] + ([f"{rest} more"] if rest else [])
        ax = axes(self, ax, 6.4, 1.2 + 0.34 * len(self.names_))
        places, starts = np.arange(len(lengths)), np.zeros(len(lengths))
        self.bars_ = []
        for o, widths in enumerate(lengths.T):
            look = {"height": 0.7, "color": COLOURS[o % len(COLOURS)], "edgecolor": "white", "linewidth": 0.0}
            look |= {"hatch": HATCHES[o % len(HATCHES)], "label": plain(found.outputs[o])}
            self.bars_.append(ax.barh(places, widths, left=starts, **{**look, **style}))
            starts = starts + widths
        place: dict[str, Any] = {"textcoords": "offset points", "va": "center", "fontsize": "small"}
        self.texts_ = [ax.annotate(short(end), (end, i), (4, 0), **place) for i, end in enumerate(starts)]
        longest = float(starts.max(initial=0.0)) or 1.0
        ax.set_xlim(0.0, longest * (1 + 9 / max(letters(ax) - 18, 9)))
        ax.set_yticks(places, self.names_)
        ax.set_ylim(len(places) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel("mean absolute Shapley value")
        if len(self.bars_) > 1:
            ax.legend(frameon=False, loc="lower right")
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self
