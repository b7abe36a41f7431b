"""What pushed a prediction, as bars."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mercer._validation import describe
from mercer.plots.figure import axes
from mercer.plots.style import NEGATIVE, POSITIVE, letters, plain, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mercer.explain import Explanation

__all__ = ["ContributionsDisplay"]


class ContributionsDisplay:
    """Contributions to one decision value: bars to the right push it up, bars to the left down.

    The largest features come first, then what all others add up to, then the intercept; together they are the decision
    value in the title.

    Parameters
    ----------
    names : list of str
        Of the bars, from the top.
    contributions : array
        Their lengths.
    n_features : int, optional
        How many of the first bars are features; the others are paler. All, if not given.
    title : str
        Above the bars.

    Attributes
    ----------
    bars_
        Container of bars, from the top.
    texts_ : list
        The numbers at their ends.
    ax_, figure_
        Where it is drawn.

    Examples
    --------
    >>> from mercer.explain import top_features
    >>> from mercer.kernels import Spectrum
    >>> from mercer.plots import ContributionsDisplay, blank
    >>> from mercer.svm import SVC
    >>> model = SVC(kernel=Spectrum(2)).fit(["GATTACA", "TTATTA", "CCGC", "GGCC"], [1, 1, 0, 0])
    >>> found = top_features(model, "ATTAC", n=2)
    >>> display = ContributionsDisplay.from_explanation(found, ax=blank()[1])
    >>> display.names
    ['TA', 'TT', '2 more', 'intercept']
    >>> bool(abs(sum(bar.get_width() for bar in display.bars_) - found.decision) < 1e-9)
    True
    """

    def __init__(self, names: list[str], contributions: Any, *, n_features: int | None = None, title: str = "") -> None:
        self.names = names
        self.contributions = np.asarray(contributions, dtype=np.float64)
        self.n_features = len(names) if n_features is None else n_features
        self.title = title

    @classmethod
    def from_explanation(cls, explanation: "Explanation", *, ax: "Axes | None" = None, **style: Any) -> Self:
        """What `mercer.explain.top_features` returned."""
        if not hasattr(explanation, "contributions"):
            raise TypeError(f"{cls.__name__}: expected what top_features returns, got {describe(explanation)}.")
        names, values = list(explanation.names), explanation.contributions.tolist()
        if explanation.n_rest:
            names, values = [*names, f"{explanation.n_rest} more"], [*values, explanation.rest]
        title = f"decision for {explanation.output!r}: {signed(explanation.decision)}"
        display = cls([*names, "intercept"], [*values, explanation.intercept], n_features=len(explanation), title=title)
        return display.plot(ax, **style)

    def plot(self, ax: "Axes | None" = None, **style: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes, optional
            Where; else a new figure as high as the bars need.
        **style
            For ``ax.barh``: `height`, ...
        """
        ax = axes(self, ax, 6.4, 1.0 + 0.3 * len(self.names))
        values, places = self.contributions, np.arange(len(self.names))
        style = {"height": 0.7, "color": [POSITIVE if v >= 0 else NEGATIVE for v in values], **style}
        self.bars_ = ax.barh(places, values, **style)
        for bar in self.bars_[self.n_features :]:
            bar.set_alpha(0.45)
        self.texts_ = [
            ax.annotate(
                signed(value),
                (value, i),
                (4 if value >= 0 else -4, 0),
                textcoords="offset points",
                ha="left" if value >= 0 else "right",
                va="center",
                fontsize="small",
            )
            for i, value in enumerate(values)
        ]
        low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
        room = 9 / max(letters(ax) - 18, 9) * ((high - low) or 1.0)  # for the numbers, at either end
        ax.set_xlim(low - (room if low < 0 else 0), high + room)
        ax.axvline(0.0, color="0.3", linewidth=0.8)
        ax.set_yticks(places, [plain(name) for name in self.names])
        ax.set_ylim(len(places) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)
        ax.set(xlabel="contribution", title=plain(self.title, 60))
        self.ax_, self.figure_ = ax, ax.figure
        return self
