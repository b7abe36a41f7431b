"""Decision boundaries in the plane, with margins and support vectors."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import is_classifier, is_outlier_detector
from sklearn.inspection import DecisionBoundaryDisplay as Grid

from mercer._typing import Data, DoubleArray
from mercer._validation import as_dense, check_integer
from mercer.data import as_matrix, n_samples, take
from mercer.plots.figure import axes, require
from mercer.plots.models import last_step
from mercer.plots.plane import box, like, names, points
from mercer.plots.style import COLOURS, SEQUENTIAL, legend_beside, mark, plain, scale_beside
from mercer.plots.targets import Kind, Targets, named, read_targets, scatter
from mercer.svm.classifier import SupportVectorClassifier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DecisionBoundaryDisplay"]


class DecisionBoundaryDisplay:
    """Decision boundary of a model in the plane, with samples, support vectors and margins.

    For two classes and novelty detectors, the two sides of f = 0 are shown, with dashed lines at the margins f = ±1 of
    support vector machines. For more classes, the predicted regions are shown. For regressors, the predictions are
    shown with a colour bar. Support vectors are marked by rings whose size grows with ``|α|``.

    Parameters
    ----------
    xx0 : ndarray of shape (n_rows, n_columns)
        First coordinates of a grid.
    xx1 : ndarray of shape (n_rows, n_columns)
        Second coordinates of the grid.
    response : ndarray of shape (n_rows, n_columns)
        Decision values, class indices or predictions on the grid.
    kind : {"sides", "regions", "numbers"}, default="sides"
        Meaning of `response`: decision values, class indices or predictions.
    classes : list of str, default=None
        Names of the classes.
    X : ndarray of shape (n_samples, 2), default=None
        Samples to draw.
    targets : Targets, default=None
        Targets of the samples, from `mercer.plots.read_targets`.
    support : ndarray of shape (n_SV, 2), default=None
        Coordinates of the support vectors.
    alpha : ndarray of shape (n_SV,), default=None
        ``|α|`` of the support vectors, the largest over several machines.
    margins : bool, default=False
        Whether to draw the margins f = ±1.
    xlabel : str, default=""
        Label of the first axis.
    ylabel : str, default=""
        Label of the second axis.

    Attributes
    ----------
    surface_ : ContourSet or QuadMesh
        Filled contours or cells.
    boundary_ : ContourSet, list of ContourSet or None
        Boundary between classes; a list for more than two classes.
    margins_ : ContourSet or None
        Lines at f = ±1.
    points_ : list of PathCollection
        Samples, one collection for each class.
    support_ : PathCollection or None
        Rings around the support vectors.
    legend_ : Legend or None
        Legend of the classes.
    colorbar_ : Colorbar or None
        Colour bar of the predictions.
    ax_ : Axes
        Axes of the plot.
    figure_ : Figure
        Figure of the plot.

    See Also
    --------
    sklearn.inspection.DecisionBoundaryDisplay : Boundary without samples and support vectors.
    ComponentContourDisplay : Components of a transformer in the plane.

    Notes
    -----
    The model is evaluated at ``resolution²`` points, by `sklearn.inspection.DecisionBoundaryDisplay`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.plots import DecisionBoundaryDisplay, blank
    >>> from mercer.svm import SVC
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]]), ["left", "left", "right", "right"]
    >>> model = SVC(kernel="linear").fit(X, y)
    >>> display = DecisionBoundaryDisplay.from_estimator(model, X, y, ax=blank()[1])
    >>> len(display.support_.get_offsets()), display.margins_.levels.tolist()
    (2, [-1.0, 1.0])
    """

    surface_: Any
    boundary_: Any
    margins_: Any

    def __init__(
        self,
        *,
        xx0: DoubleArray,
        xx1: DoubleArray,
        response: DoubleArray,
        kind: str = "sides",
        classes: list[str] | None = None,
        X: DoubleArray | None = None,
        targets: Targets | None = None,
        support: DoubleArray | None = None,
        alpha: DoubleArray | None = None,
        margins: bool = False,
        xlabel: str = "",
        ylabel: str = "",
    ) -> None:
        self.xx0 = xx0
        self.xx1 = xx1
        self.response = response
        self.kind = kind
        self.classes = classes
        self.X = X
        self.targets = targets
        self.support = support
        self.alpha = alpha
        self.margins = margins
        self.xlabel = xlabel
        self.ylabel = ylabel

    # ---- data

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Data,
        y: Any = None,
        *,
        resolution: int = 200,
        margin: float = 0.1,
        support: bool | None = None,
        ax: "Axes | None" = None,
        **style: Any,
    ) -> Self:
        """Draw the decision boundary of a fitted model around samples.

        Parameters
        ----------
        estimator : estimator
            Fitted classifier, regressor or novelty detector of mercer or scikit-learn, or a pipeline or search that
            ends in one.
        X : array or frame with two columns
            Samples to draw, which also determine the limits of the axes.
        y : array-like of shape (n_samples,), default=None
            Classes or numbers of the samples.
        resolution : int, default=200
            Number of grid points along each axis.
        margin : float, default=0.1
            Width of the border around the samples, relative to their range.
        support : bool, default=None
            Whether to draw support vectors. None draws them if their coordinates are known. In a pipeline they are
            known only if X are the training samples; otherwise True raises ValueError.
        ax : Axes, default=None
            Axes to draw on. None creates a new figure.
        **style : dict
            Keyword arguments of `plot`.

        Returns
        -------
        DecisionBoundaryDisplay
            The display.
        """
        who = cls.__name__
        require(who)  # scikit-learn's error does not name the extra
        last, _ = last_step(estimator)
        if getattr(last, "kernel_", last) is None:
            raise ValueError(
                f"{who}: {type(last).__name__} was fitted to a precomputed Gram matrix, which has no coordinates; fit "
                "it to samples."
            )
        XY = points(who, X)
        number = check_integer(who, "resolution", resolution, low=2)
        kind, method = _kind(estimator, last)
        frame = like(X, box(who, XY, margin))
        grid = _Undrawn.from_estimator(estimator, frame, grid_resolution=number, eps=0.0, response_method=method)
        response = np.asarray(grid.response, dtype=np.float64)
        if kind == "sides" and method == "predict":
            response = response - 0.5  # class indices 0 and 1
        classes = [str(label) for label in estimator.classes_] if is_classifier(estimator) else None
        place, alpha = (None, None) if support is False else _support(who, estimator, last, X, support is True)
        target: Kind = "numbers" if kind == "numbers" else "auto"
        xlabel, ylabel = names(X)
        display = cls(
            xx0=grid.xx0,
            xx1=grid.xx1,
            response=response,
            kind=kind,
            classes=classes,
            X=XY,
            targets=read_targets(who, y, len(XY), target, getattr(estimator, "classes_", None)),
            support=place,
            alpha=alpha,
            margins=kind == "sides" and isinstance(last, SupportVectorClassifier),
            xlabel=xlabel,
            ylabel=ylabel,
        )
        return display.plot(ax, **style)

    # ---- drawing

    def plot(self, ax: "Axes | None" = None, *, legend: bool = True, **style: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on. None creates a new figure.
        legend : bool, default=True
            Whether to add a legend of the classes, or a colour bar of the predictions.
        **style : dict
            Keyword arguments of ``ax.contourf``, or of ``ax.pcolormesh`` for more than two classes, such as ``alpha``.

        Returns
        -------
        DecisionBoundaryDisplay
            The display itself.
        """
        ax = axes(self, ax)
        self.ax_, self.figure_ = ax, ax.figure
        self.support_ = self.legend_ = self.colorbar_ = None
        self.points_ = []
        self._fill(style)
        handles: list[Any] = []
        labels: list[str] = []
        if self.X is not None:
            look = {"norm": self.surface_.norm} if self.kind == "numbers" and self.targets else {}
            self.points_ = scatter(ax, self.X[:, 0], self.X[:, 1], self.targets, **look)
            handles, labels = named(self.targets)
        if self.support is not None and self.alpha is not None and len(self.support):
            crowd = float(np.clip(100 / len(self.support), 0.25, 1.0))
            size = crowd * (35 + 130 * self.alpha / (self.alpha.max() or 1.0))
            ring: dict[str, Any] = {"facecolors": "none", "edgecolors": "0.15", "linewidths": 0.9 * np.sqrt(crowd)}
            self.support_ = ax.scatter(self.support[:, 0], self.support[:, 1], s=size, zorder=4, **ring)
            handles, labels = [*handles, self.support_], [*labels, "support vector,\nsize by |α|"]
        if self.margins_ is not None:
            from matplotlib.lines import Line2D

            line = Line2D([], [], color="0.25", linestyle="--", linewidth=1.0)
            handles, labels = [*handles, line], [*labels, "margin, f = ±1"]
        if legend and handles and self.kind != "numbers":
            self.legend_ = legend_beside(ax, handles, labels)
        if legend and self.kind == "numbers":
            self.colorbar_ = scale_beside(ax, self.surface_, "prediction")
        ax.set(xlabel=plain(self.xlabel), ylabel=plain(self.ylabel))
        return self

    def _fill(self, style: dict[str, Any]) -> None:
        ax, at = self.ax_, (self.xx0, self.xx1, self.response)
        self.boundary_ = self.margins_ = None
        line: dict[str, Any] = {"colors": "0.25", "linewidths": 1.5}
        if self.kind == "numbers":
            self.surface_ = ax.contourf(*at, **{"cmap": SEQUENTIAL, "levels": 15, **style})
        elif self.kind == "sides":
            colours = ["0.6", COLOURS[0]] if self.classes is None else list(COLOURS[:2])
            look = {"levels": [-np.inf, 0.0, np.inf], "colors": colours, "alpha": 0.15, **style}
            self.surface_ = ax.contourf(*at, **look)
            if self._crosses(0.0):
                self.boundary_ = ax.contour(*at, levels=[0.0], **line)
            if self.margins and (self._crosses(-1.0) or self._crosses(1.0)):
                look = {"colors": "0.25", "linewidths": 1.0, "linestyles": "--"}
                self.margins_ = ax.contour(*at, levels=[-1.0, 1.0], **look)
        else:
            self._fill_regions(style)

    def _fill_regions(self, style: dict[str, Any]) -> None:
        """Draw cells instead of contours, which would draw a strip of class 2 between classes 1 and 3."""
        from matplotlib.colors import ListedColormap

        n, ax = len(self.classes or ()), self.ax_
        colours = ListedColormap([mark(i)[0] for i in range(n)])
        look = {"cmap": colours, "vmin": -0.5, "vmax": n - 0.5, "alpha": 0.2, "shading": "nearest", **style}
        self.surface_ = ax.pcolormesh(self.xx0, self.xx1, self.response, rasterized=True, **look)
        line: dict[str, Any] = {"colors": "0.25", "linewidths": 0.8}
        sides = [(self.response == i).astype(float) for i in range(n)]
        self.boundary_ = [ax.contour(self.xx0, self.xx1, s, levels=[0.5], **line) for s in sides if np.ptp(s)]
        ax.set(xlim=(self.xx0.min(), self.xx0.max()), ylim=(self.xx1.min(), self.xx1.max()))

    def _crosses(self, level: float) -> bool:
        return bool(self.response.min() < level < self.response.max())


class _Undrawn(Grid):  # type: ignore[misc]
    """scikit-learn's grid and responses, without drawing."""

    def plot(self, **_: Any) -> Self:
        return self


def _kind(estimator: Any, last: Any) -> tuple[str, str]:
    """Kind of the display, and the method of the estimator that is evaluated."""
    if is_outlier_detector(last):
        return "sides", "decision_function"
    if not is_classifier(estimator):
        return "numbers", "predict"
    if len(estimator.classes_) > 2:
        return "regions", "predict"
    return "sides", "decision_function" if hasattr(estimator, "decision_function") else "predict"


def _support(who: str, estimator: Any, last: Any, X: Data, required: bool) -> tuple[Any, Any]:
    """Coordinates of the support vectors in the plane and their |α|, or None twice."""
    approximated = getattr(last, "approximation_", None) is not None  # then the vectors are landmarks
    vectors = None if approximated else getattr(last, "support_vectors_", None)
    if vectors is None or len(np.shape(getattr(last, "dual_coef_", ()))) != 2:
        if required:
            raise ValueError(f"{who}: {type(last).__name__} has no support vectors; pass support=None.")
        return None, None
    coef = as_dense(who, last.dual_coef_, name="dual_coef_")
    alpha = np.abs(coef).max(axis=0, initial=0.0)
    _, seen = last_step(estimator, X)
    if seen is X:
        return points(who, vectors) if len(alpha) else np.empty((0, 2)), alpha
    if n_samples(seen) > max(last.support_, default=-1) and _equal(take(seen, last.support_), vectors):
        return points(who, take(X, last.support_)), alpha
    if required:
        raise ValueError(
            f"{who}: the coordinates of the support vectors before the first step of the pipeline are not known; pass "
            "the training samples as X."
        )
    return None, None


def _equal(A: Data, B: Data) -> bool:
    """Whether two sets of samples are numerically equal."""
    try:
        A, B = (as_matrix(M, "_equal") for M in (A, B))
        A, B = (as_dense("_equal", M).astype(np.float64) for M in (A, B))
    except (TypeError, ValueError):
        return False
    return A.shape == B.shape and bool(np.allclose(A, B))
