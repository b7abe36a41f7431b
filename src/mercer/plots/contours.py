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

MOST = 8  # components, unless they are named


class ComponentContourDisplay:
    """Principal components as maps of the plane: colours for their values, lines where they are constant.

    A component of kernel PCA is a function of the sample. Over samples with two coordinates it can be drawn, one panel
    for each; white is zero, and the title has its share of the variance.

    Parameters
    ----------
    xx0, xx1 : arrays of shape (rows, columns)
        Coordinates of a grid.
    values : array of shape (components, rows, columns)
        The components there.
    titles : list of str
        One for each.
    X : array of shape (n, 2), optional
        Samples to be drawn on top.
    targets : Targets, optional
        Targets of the samples, made by `mercer.plots.read_targets`.
    xlabel, ylabel : str
        Names of the coordinates.

    Attributes
    ----------
    surfaces_, lines_ : list
        Filled contours and lines of each panel.
    points_ : list of list
        The samples in each panel, a collection for each class.
    axes_ : list of Axes
        One for each component.
    ax_, figure_
        The first axes, and the figure.

    Notes
    -----
    ``resolution²`` samples are transformed.

    References
    ----------
    Schölkopf, Smola, Müller, Nonlinear component analysis as a kernel eigenvalue problem, 1998,
    doi:10.1162/089976698300017467.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.decomposition import KernelPCA
    >>> from mercer.plots import ComponentContourDisplay, blank
    >>> X = np.random.default_rng(0).normal(size=(30, 2))
    >>> model = KernelPCA(2, kernel="rbf", gamma=1.0).fit(X)
    >>> display = ComponentContourDisplay.from_estimator(model, X, resolution=20, ax=blank()[1])
    >>> corner = [[display.xx0[0, 0], display.xx1[0, 0]]]
    >>> bool(np.allclose(display.values[:, 0, 0], model.transform(corner)))
    True
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
        """Components of a fitted transformer around samples.

        Parameters
        ----------
        estimator : fitted transformer
            `KernelPCA`, `KernelDiscriminantAnalysis`, a pipeline, ...
        X : array or frame with two columns
            The samples.
        y : array-like, optional
            Classes or numbers; they choose colours and markers of the samples.
        components : int or sequence of int, optional
            Which, from 0; None: all, at most the first 8.
        resolution : int
            Points of the grid along each axis.
        margin : float
            What is seen beyond the samples, as a share of their range.
        ax : Axes, sequence of Axes, or None
            A place for all panels, one for each, or a new figure.
        **style
            For `plot`.
        """
        who = cls.__name__
        last, _ = last_step(estimator)
        if not hasattr(last, "transform"):
            raise TypeError(f"{who}: expected a fitted transformer such as KernelPCA, got {describe(last)}.")
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
        """Draw.

        Parameters
        ----------
        ax : Axes, sequence of Axes, or None
            A place for all panels, one for each, or a new figure.
        columns : int, optional
            Panels beside each other; at most 4 if not given.
        levels : int
            Lines; there are two colours between any two.
        **style
            For ``ax.contourf``: `cmap`, `alpha`, ...
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
