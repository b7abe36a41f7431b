"""Learning curves of perceptrons."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer._validation import describe
from mercer.plots.figure import axes
from mercer.plots.models import last_step
from mercer.plots.style import legend_beside, mark, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MistakesDisplay"]

FAR = 20  # a bound above this multiple of the mistakes is shown in the legend only


class MistakesDisplay:
    """Learning curve of a perceptron: cumulative mistakes, or mistakes in each pass over the data.

    There is one line for each binary perceptron. The dashed line is Novikoff's bound R²/γ² for the separator found,
    which no order of these samples exceeds.

    Parameters
    ----------
    mistakes : ndarray of int of shape (n_machines, n_passes)
        Mistakes in each pass, or call of `partial_fit`.
    names : sequence of str
        Names of the perceptrons.
    bounds : ndarray of shape (n_machines,), default=None
        Novikoff bounds; NaN if there is none.

    Attributes
    ----------
    lines_ : list of Line2D
        Learning curve of each perceptron.
    bounds_ : list of Line2D
        Bounds. A line without data stands for a bound that is shown in the legend only.
    legend_ : Legend or None
        Legend; None if there is only one line.
    ax_ : Axes
        Axes of the plot.
    figure_ : Figure
        Figure of the plot.

    See Also
    --------
    mercer.perceptron.Perceptron : Linear perceptron.
    mercer.perceptron.KernelPerceptron : Kernel perceptron.

    References
    ----------
    * Novikoff, On convergence proofs on perceptrons, Symposium on the Mathematical Theory of Automata, 1962.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.perceptron import Perceptron
    >>> from mercer.plots import MistakesDisplay, blank
    >>> model = Perceptron().fit([[2, 1], [1, 3], [-1, 1], [-2, -1]], [1, 1, 0, 0])
    >>> display = MistakesDisplay.from_estimator(model, ax=blank()[1])
    >>> display.lines_[0].get_ydata().tolist(), model.mistakes_.tolist()
    ([0, 2, 2], [[2, 0]])
    """

    def __init__(self, mistakes: IndexArray, *, names: Sequence[str], bounds: DoubleArray | None = None) -> None:
        self.mistakes = mistakes
        self.names = list(names)
        self.bounds = bounds

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: "Axes | None" = None, **style: Any) -> Self:
        """Draw the learning curve of a fitted perceptron.

        Parameters
        ----------
        estimator : estimator
            Fitted `Perceptron` or `KernelPerceptron`, or a pipeline that ends in one.
        ax : Axes, default=None
            Axes to draw on. None creates a new figure.
        **style : dict
            Keyword arguments of `plot`.

        Returns
        -------
        MistakesDisplay
            The display.
        """
        last, _ = last_step(estimator)
        if not hasattr(last, "mistakes_"):
            raise TypeError(f"{cls.__name__}: got {describe(last)}, expected a fitted perceptron of mercer.")
        classes = last.classes_.tolist()
        names = ["mistakes"] if len(classes) == 2 else [str(label) for label in classes]
        return cls(last.mistakes_, names=names, bounds=getattr(last, "novikoff_bound_", None)).plot(ax, **style)

    def plot(
        self, ax: "Axes | None" = None, *, cumulative: bool = True, bound: bool | None = None, **style: Any
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on. None creates a new figure.
        cumulative : bool, default=True
            Whether to draw cumulative mistakes, from 0 before the first pass, instead of the mistakes in each pass.
        bound : bool, default=None
            Whether to draw the bound R²/γ² with cumulative mistakes. None draws it for a single perceptron, and shows a
            bound far above the mistakes in the legend only. True draws such a bound on a scale that is logarithmic
            above 10.
        **style : dict
            Keyword arguments of ``ax.plot``, such as ``linewidth`` or ``alpha``.

        Returns
        -------
        MistakesDisplay
            The display itself.
        """
        ax = axes(self, ax)
        self.ax_, self.figure_ = ax, ax.figure
        counts = self.mistakes
        curves = np.hstack([np.zeros((len(counts), 1), dtype=counts.dtype), counts.cumsum(axis=1)])
        first, heights = (0, curves) if cumulative else (1, counts)
        passes = np.arange(first, first + heights.shape[1])
        style = {"markersize": 4 if len(passes) <= 40 else 0, "linewidth": 1.3, **style}
        self.lines_ = []
        for i, height in enumerate(heights):
            colour, marker = mark(i)
            self.lines_ += ax.plot(passes, height, **{"color": colour, "marker": marker, **style})
        wanted = cumulative and (len(counts) == 1 if bound is None else bound)
        self.bounds_ = self._bounds(bool(bound)) if wanted else []
        ax.set(xlabel="passes" if cumulative else "pass", ylabel="cumulative mistakes" if cumulative else "mistakes")
        from matplotlib.ticker import MaxNLocator

        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        if ax.get_yscale() == "linear":
            ax.yaxis.set_major_locator(MaxNLocator(integer=True))
            ax.set_ylim(bottom=0)
        handles = [*self.lines_, *self.bounds_]
        labels = [plain(name) for name in self.names] + [str(line.get_label()) for line in self.bounds_]
        self.legend_ = None
        if len(self.lines_) > 1:
            self.legend_ = legend_beside(ax, handles, labels)
        elif self.bounds_:
            self.legend_ = ax.legend(handles, labels, frameon=False, loc="best")
        return self

    def _bounds(self, always: bool) -> list[Any]:
        """Draw the bounds; lines without data, for the legend only, if a bound is far above the mistakes."""
        from matplotlib.lines import Line2D

        lines: list[Any] = []
        bounds = np.full(len(self.mistakes), np.nan) if self.bounds is None else self.bounds
        most = FAR * max(1, int(self.mistakes.sum(axis=1).max()))
        for i, bound in enumerate(bounds):
            if np.isfinite(bound):
                far = bound > most and not always
                label = f"bound R²/γ² = {bound:{'.0f' if bound < 1e6 else '.2g'}}{', far above' if far else ''}"
                look: dict[str, Any] = {"color": mark(i)[0], "linestyle": "--", "linewidth": 1.0, "label": label}
                lines.append(Line2D([], [], **look) if far else self.ax_.axhline(bound, **look))
        if always and np.nan_to_num(bounds).max() > most:
            self.ax_.set_yscale("symlog", linthresh=10)
            self.ax_.set_ylim(0, 3 * float(np.nanmax(bounds)))
        return lines
