"""Bar chart of the contributions of features to a prediction."""

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
    """Bar chart of contributions to one decision value.

    Bars to the right increase the decision value, bars to the left decrease it. The features with the largest
    contributions come first, then the sum of all others, then the intercept. Together they add up to the decision
    value, which the title states.

    Parameters
    ----------
    names : list of str
        Names of the bars, from the top.
    contributions : array-like of shape (n_bars,)
        Lengths of the bars.
    n_features : int, default=None
        Number of bars, from the top, that are features; the other bars are paler. None means all.
    title : str, default=""
        Title of the plot.

    Attributes
    ----------
    bars_ : BarContainer
        Bars, from the top.
    texts_ : list of Annotation
        Numbers at the ends of the bars.
    ax_ : Axes
        Axes of the plot.
    figure_ : Figure
        Figure of the plot.

    See Also
    --------
    mercer.explain.top_features : Computes the contributions.
    KernelWeightsDisplay : Weights of kernels in a sum.

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
    >>> round(float(sum(bar.get_width() for bar in display.bars_)), 3), round(found.decision, 3)
    (0.614, 0.614)
    """

    def __init__(self, names: list[str], contributions: Any, *, n_features: int | None = None, title: str = "") -> None:
        self.names = names
        self.contributions = np.asarray(contributions, dtype=np.float64)
        self.n_features = len(names) if n_features is None else n_features
        self.title = title

    @classmethod
    def from_explanation(cls, explanation: "Explanation", *, ax: "Axes | None" = None, **style: Any) -> Self:
        """Draw the result of `mercer.explain.top_features`.

        Parameters
        ----------
        explanation : Explanation
            Explanation of a prediction.
        ax : Axes, default=None
            Axes to draw on. None creates a new figure.
        **style : dict
            Keyword arguments of `plot`.

        Returns
        -------
        ContributionsDisplay
            The display.
        """
        if not hasattr(explanation, "contributions"):
            raise TypeError(
                f"{cls.__name__}: got {describe(explanation)}, expected the Explanation that top_features returns."
            )
        names, values = list(explanation.names), explanation.contributions.tolist()
        if explanation.n_rest:
            names, values = [*names, f"{explanation.n_rest} more"], [*values, explanation.rest]
        title = f"decision for {explanation.output!r}: {signed(explanation.decision)}"
        display = cls([*names, "intercept"], [*values, explanation.intercept], n_features=len(explanation), title=title)
        return display.plot(ax, **style)

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
        ContributionsDisplay
            The display itself.
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
        room = 9 / max(letters(ax) - 18, 9) * ((high - low) or 1.0)  # space for the numbers at both ends
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
