"""Components as functions on the plane."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mercer._typing import Data, DoubleArray
from mercer._validation import check_integer, describe
from mercer.plots.figure import balanced, panels
from mercer.plots.models import chosen_components, last_step
from mercer.plots.plane import box, like, names, points
from mercer.plots.style import DIVERGING, percent, plain
from mercer.plots.targets import Targets, read_targets, scatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ComponentContourDisplay"]

MOST = 8  # number of components, unless they are given


class ComponentContourDisplay:
    """Contour plots of components in the plane, one panel for each component.

    A component of kernel PCA is a function of the sample. For samples with two coordinates it can be drawn as a contour
    plot. White is zero, and the title states the explained variance.

    Parameters
    ----------
    xx0 : ndarray of shape (n_rows, n_columns)
        First coordinates of a grid.
    xx1 : ndarray of shape (n_rows, n_columns)
        Second coordinates of the grid.
    values : ndarray of shape (n_components, n_rows, n_columns)
        Values of the components on the grid.
    titles : sequence of str
        Title of each panel.
    X : ndarray of shape (n_samples, 2), default=None
        Samples to draw.
    targets : Targets, default=None
        Targets of the samples, from `mercer.plots.read_targets`.
    xlabel : str, default=""
        Label of the first axis.
    ylabel : str, default=""
        Label of the second axis.

    Attributes
    ----------
    surfaces_ : list of ContourSet
        Filled contours of each panel.
    lines_ : list of ContourSet
        Contour lines of each panel with a component that is not constant.
    points_ : list of list of PathCollection
        Samples in each panel, one collection for each class.
    axes_ : list of Axes
        Axes of each panel.
    ax_ : Axes
        First axes.
    figure_ : Figure
        Figure of the plot.

    See Also
    --------
    EmbeddingDisplay : Scatter plot of samples on two components.
    DecisionBoundaryDisplay : Decision boundary of a model in the plane.

    Notes
    -----
    The estimator transforms ``resolution²`` points.

    References
    ----------
    * Schölkopf, Smola and Müller, Nonlinear component analysis as a kernel eigenvalue problem, Neural Computation 10,
      1998, doi:10.1162/089976698300017467.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.decomposition import KernelPCA
    >>> from mercer.plots import ComponentContourDisplay, blank
    >>> X = np.random.default_rng(0).normal(size=(30, 2))
    >>> model = KernelPCA(2, kernel="rbf", gamma=1.0).fit(X)
    >>> display = ComponentContourDisplay.from_estimator(model, X, resolution=20, ax=blank()[1])
    >>> display.values.shape, display.titles
    ((2, 20, 20), ['component 1: 24 %', 'component 2: 19 %'])
    """

    def __init__(
        self,
        *,
        xx0: DoubleArray,
        xx1: DoubleArray,
        values: DoubleArray,
        titles: Sequence[str],
        X: DoubleArray | None = None,
        targets: Targets | None = None,
        xlabel: str = "",
        ylabel: str = "",
    ) -> None:
        self.xx0 = xx0
        self.xx1 = xx1
        self.values = values
        self.titles = list(titles)
        self.X = X
        self.targets = targets
        self.xlabel = xlabel
        self.ylabel = ylabel

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Data,
        y: Any = None,
        *,
        components: int | Sequence[int] | None = None,
        resolution: int = 100,
        margin: float = 0.2,
        ax: Any = None,
        **style: Any,
    ) -> Self:
        """Draw components of a fitted transformer around samples.

        Parameters
        ----------
        estimator : transformer
            Fitted `KernelPCA`, `KernelDiscriminantAnalysis` or another transformer, or a pipeline that ends in one.
        X : array or frame with two columns
            Samples.
        y : array-like of shape (n_samples,), default=None
            Classes or numbers, shown by colours and markers of the samples.
        components : int or sequence of int, default=None
            Indices of the components, from 0. None means all, at most the first 8.
        resolution : int, default=100
            Number of grid points along each axis.
        margin : float, default=0.2
            Width of the border around the samples, relative to their range.
        ax : Axes or sequence of Axes, default=None
            Axes to divide into panels, or axes of each panel. None creates a new figure.
        **style : dict
            Keyword arguments of `plot`.

        Returns
        -------
        ComponentContourDisplay
            The display.
        """
        who = cls.__name__
        last, _ = last_step(estimator)
        if not hasattr(last, "transform"):
            raise TypeError(f"{who}: got {describe(last)}, expected a fitted transformer such as KernelPCA.")
        XY = points(who, X)
        resolution = check_integer(who, "resolution", resolution, low=2)
        low, high = box(who, XY, margin)
        xx0, xx1 = np.meshgrid(*np.linspace(low, high, resolution).T)
        scores = np.asarray(estimator.transform(like(X, np.column_stack([xx0.ravel(), xx1.ravel()]))))
        chosen = chosen_components(who, components, scores.shape[1], MOST)
        ratio = getattr(last, "explained_variance_ratio_", None)
        titles = [f"component {j + 1}" + ("" if ratio is None else f": {percent(ratio[j])}") for j in chosen]
        xlabel, ylabel = names(X)
        display = cls(
            xx0=xx0,
            xx1=xx1,
            values=np.ascontiguousarray(scores[:, chosen].T.reshape(-1, *xx0.shape), dtype=np.float64),
            titles=titles,
            X=XY,
            targets=read_targets(who, y, len(XY)),
            xlabel=xlabel,
            ylabel=ylabel,
        )
        return display.plot(ax, **style)

    def plot(self, ax: Any = None, *, columns: int | None = None, levels: int = 12, **style: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes or sequence of Axes, default=None
            Axes to divide into panels, or axes of each panel. None creates a new figure.
        columns : int, default=None
            Number of panels in a row. None chooses at most 4.
        levels : int, default=12
            Number of intervals between contour lines; filled contours have twice as many.
        **style : dict
            Keyword arguments of ``ax.contourf``, such as ``cmap`` or ``alpha``.

        Returns
        -------
        ComponentContourDisplay
            The display itself.
        """
        n = len(self.values)
        columns = check_integer(type(self).__name__, "columns", balanced(n, 4) if columns is None else columns, low=1)
        self.axes_: list[Axes] = panels(self, ax, n, columns, (3.2, 3.3) if n > 1 else (5.4, 5.0))
        self.surfaces_: list[Any] = []
        self.lines_: list[Any] = []
        self.points_: list[Any] = []
        for panel, values, title in zip(self.axes_, self.values, self.titles, strict=True):
            top = float(np.abs(values).max()) or 1.0
            fill = {"cmap": DIVERGING, "levels": np.linspace(-top, top, 2 * levels + 1), **style}
            line: dict[str, Any] = {"colors": "black", "linewidths": 0.5, "linestyles": "solid"}
            self.surfaces_.append(panel.contourf(self.xx0, self.xx1, values, **fill))
            if np.ptp(values) > 0:
                self.lines_.append(
                    panel.contour(self.xx0, self.xx1, values, levels=np.linspace(-top, top, levels + 1), **line)
                )
            if self.X is not None:
                look: dict[str, Any] = {"s": 12.0, "color": "black"}
                if self.targets:
                    look = {"s": 18.0, "edgecolors": "black", "linewidths": 0.6}
                self.points_.append(scatter(panel, self.X[:, 0], self.X[:, 1], self.targets, **look))
            panel.set(title=title, xlim=_ends(self.xx0), ylim=_ends(self.xx1))
            panel.tick_params(labelsize="small")
            if n > 4:
                panel.set(xticks=[], yticks=[])
            else:
                panel.set(xlabel=plain(self.xlabel, 24), ylabel=plain(self.ylabel, 24))
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        return self


def _ends(values: DoubleArray) -> tuple[float, float]:
    return float(values.min()), float(values.max())
