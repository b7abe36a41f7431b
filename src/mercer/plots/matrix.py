"""Heat maps of Gram matrices."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import check_integer
from mercer.operators import GramOperator, gram
from mercer.operators.tiles import panels
from mercer.plots.figure import axes
from mercer.plots.models import gram_of, symmetric
from mercer.plots.style import DIVERGING, SEQUENTIAL, is_signed, letters, percent, plain, scale_beside, short, wrapped
from mercer.plots.targets import Kind, Targets, read_targets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["KernelMatrixDisplay"]

PANEL = 2**22  # number of kernel values computed at a time, 32 MB
CELLS = 800  # largest number of rows of the heat map


class KernelMatrixDisplay:
    """Heat map of a Gram matrix, with samples ordered by class.

    Classes are separated by lines and named at the sides. Samples with numeric targets are ordered by target. If there
    are negative values, the colours diverge from zero. If at most 0.5 % of the cells would take more than two thirds of
    the colour scale, the scale ends below them, and its label states their fraction. For many samples, each cell shows
    the mean of a block of kernel values, and the title states the size of the blocks.

    Parameters
    ----------
    values : ndarray of shape (n_cells, n_cells)
        Kernel values k(x, z), or means over blocks of them.
    n : int, default=None
        Number of samples. None means the number of cells.
    block : int, default=1
        Number of samples along each side of a cell. The last cells may hold fewer.
    classes : list of str, default=None
        Names of the classes, in the order of the samples.
    sizes : ndarray of int, default=None
        Number of samples of each class.
    name : str, default=""
        Name of the matrix, for the title.
    axis : str, default="samples"
        Label of the horizontal axis.

    Attributes
    ----------
    image_ : AxesImage
        Heat map.
    colorbar_ : Colorbar or None
        Colour bar.
    lines_ : list of Line2D
        Lines between the classes.
    unlabelled_ : list of str
        Classes that are too small for their names to be shown.
    ax_ : Axes
        Axes of the plot.
    figure_ : Figure
        Figure of the plot.

    See Also
    --------
    KernelSpectrumDisplay : Eigenvalues of a Gram matrix.
    mercer.operators.gram : Gram matrix as an operator.

    Notes
    -----
    Each of the n² kernel values is computed once, in panels of 32 MB. At most 800 × 800 numbers are stored.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.plots import KernelMatrixDisplay, blank
    >>> X, y = np.array([[0.0], [5.0], [0.1], [5.1]]), ["low", "high", "low", "high"]
    >>> display = KernelMatrixDisplay.from_kernel("rbf(gamma=1.0)", X, y, ax=blank()[1])
    >>> display.classes, display.values[:2, :2].round(2).tolist()  # class "high" comes first
    (['high', 'low'], [[1.0, 0.99], [0.99, 1.0]])
    """

    def __init__(
        self,
        values: DoubleArray,
        *,
        n: int | None = None,
        block: int = 1,
        classes: list[str] | None = None,
        sizes: IndexArray | None = None,
        name: str = "",
        axis: str = "samples",
    ) -> None:
        self.values = values
        self.n = len(values) if n is None else n
        self.block = block
        self.classes = classes
        self.sizes = sizes
        self.name = name
        self.axis = axis

    # ---- data

    @classmethod
    def from_estimator(cls, estimator: Any, X: Data, y: Any = None, **options: Any) -> Self:
        """Draw the Gram matrix of samples under the kernel of a fitted model.

        Parameters
        ----------
        estimator : estimator
            Fitted estimator of mercer, or a pipeline or search that ends in one.
        X : array, frame, Table, Graphs, Strings or Trees
            Samples in the form that `estimator` takes. The Gram matrix itself if its kernel is precomputed.
        y : array-like of shape (n_samples,), default=None
            Classes or numbers by which the samples are ordered.
        **options : dict
            Options of `from_matrix`.

        Returns
        -------
        KernelMatrixDisplay
            The display.
        """
        K, kernel = gram_of(cls.__name__, estimator, X)
        return cls._drawn(K, y, **{"name": "precomputed kernel" if kernel is None else str(kernel), **options})

    @classmethod
    def from_kernel(cls, kernel: Any, X: Data, y: Any = None, **options: Any) -> Self:
        """Draw the Gram matrix of a kernel on samples.

        Parameters
        ----------
        kernel : Kernel or str
            Kernel, or its text form (see :ref:`kernel-names`).
        X : array, frame, Table, Graphs, Strings or Trees
            Samples.
        y : array-like of shape (n_samples,), default=None
            Classes or numbers by which the samples are ordered.
        **options : dict
            Options of `from_matrix`.

        Returns
        -------
        KernelMatrixDisplay
            The display.
        """
        K = gram(kernel, X)
        return cls._drawn(K, y, **{"name": K._label(), **options})

    @classmethod
    def from_matrix(cls, K: Any, y: Any = None, **options: Any) -> Self:
        """Draw a Gram matrix.

        Parameters
        ----------
        K : array-like of shape (n_samples, n_samples) or GramOperator
            Gram matrix.
        y : array-like of shape (n_samples,), default=None
            Classes or numbers by which the samples are ordered. The order is stable.
        **options : dict
            ``target``: meaning of y, "auto" (default), "classes" or "numbers". ``cells``: largest number of rows of the
            heat map, 800 by default. ``name``: name for the title. ``ax``: axes to draw on. Other options are passed to
            `plot`.

        Returns
        -------
        KernelMatrixDisplay
            The display.
        """
        name = K._label() if isinstance(K, GramOperator) else "Gram matrix"
        return cls._drawn(symmetric(cls.__name__, K), y, **{"name": name, **options})

    @classmethod
    def _drawn(
        cls,
        K: GramOperator,
        y: Any,
        name: str,
        *,
        target: Kind = "auto",
        cells: int = CELLS,
        ax: "Axes | None" = None,
        **style: Any,
    ) -> Self:
        n, who = K.shape[0], cls.__name__
        targets = read_targets(who, y, n, target)
        block = -(-n // check_integer(who, "cells", cells, low=1))
        values = _averaged(K, np.arange(n) if targets is None else targets.order, block)
        classes, sizes, axis = _groups(targets)
        display = cls(values, n=n, block=block, classes=classes, sizes=sizes, name=name, axis=axis)
        return display.plot(ax, **style)

    # ---- drawing

    def plot(self, ax: "Axes | None" = None, *, colorbar: bool = True, **style: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on. None creates a new figure.
        colorbar : bool, default=True
            Whether to add a colour bar.
        **style : dict
            Keyword arguments of ``ax.imshow``, such as ``cmap``, ``vmin``, ``vmax`` or ``norm``.

        Returns
        -------
        KernelMatrixDisplay
            The display itself.
        """
        ax = axes(self, ax, 6.4, 5.4)
        end = self.block * len(self.values)
        scale: dict[str, Any] = {"cmap": DIVERGING if is_signed(self.values) else SEQUENTIAL}
        if "norm" not in style:
            scale["vmin"], scale["vmax"] = _limits(self.values)
        self.image_ = ax.imshow(self.values, **{**scale, "extent": (0, end, end, 0), "aspect": "equal", **style})
        ax.set(xlim=(0, self.n), ylim=(self.n, 0), xlabel=self.axis)
        ax.set_title(self._title(letters(ax)), fontsize="medium")
        self.figure_, self.ax_ = ax.figure, ax
        self.colorbar_ = self._scale() if colorbar else None
        self._name_classes()
        return self

    def _scale(self) -> Any:
        low, high = self.image_.get_clim()
        below, above = float((self.values < low).mean()), float((self.values > high).mean())
        extend = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}
        label = f"k(x, z), {percent(below + above)} of the cells beyond the scale" if below + above else "k(x, z)"
        arrows = extend[below > 0, above > 0]
        return scale_beside(self.ax_, self.image_, label, extend=arrows)

    def _title(self, width: int) -> str:
        size = f"n = {self.n}" if self.block == 1 else f"n = {self.n}, cells are means of {self.block} × {self.block}"
        return f"{wrapped(self.name, width)}\n{size}" if self.name else size

    def _name_classes(self) -> None:
        self.lines_, self.unlabelled_ = [], []
        if self.classes is None or self.sizes is None:
            from matplotlib.ticker import MaxNLocator

            for axis in (self.ax_.xaxis, self.ax_.yaxis):
                axis.set_major_locator(MaxNLocator("auto", integer=True))
            return
        ends = np.cumsum(self.sizes)
        colour = "0.2" if is_signed(self.values) else "white"
        for end in ends[:-1]:
            self.lines_ += [draw(end, color=colour, linewidth=0.8) for draw in (self.ax_.axhline, self.ax_.axvline)]
        middles = ends - self.sizes / 2
        shown = _roomy(middles, self.sizes, self.n * 11.0 / max(self._points(), 1.0))
        self.unlabelled_ = [name for i, name in enumerate(self.classes) if i not in shown]
        if self.unlabelled_:
            self.ax_.set_xlabel(f"{self.axis}; {len(self.unlabelled_)} of {len(self.classes)} names omitted")
        names = [plain(self.classes[i], 22) for i in shown]
        at = middles[shown]
        self.ax_.set_yticks(at, names)
        wide = 6.0 * np.array([len(name) for name in names]) * self.n / max(self._points(), 1.0)
        tight = len(shown) < len(self.classes) or bool((wide > self.sizes[shown]).any())
        self.ax_.set_xticks([] if tight else at, [] if tight else names)  # columns have the order of the rows
        self.ax_.tick_params(length=0)

    def _points(self) -> float:
        """Length of the shorter side of the axes, in points."""
        box = self.ax_.get_window_extent()
        return float(min(box.width, box.height)) * 72 / float(self.figure_.dpi)


def _averaged(K: GramOperator, order: IndexArray, block: int) -> DoubleArray:
    """Means over blocks of K[order][:, order], computed one panel of rows at a time."""
    starts = np.arange(0, len(order), block)
    counts = np.diff(starts, append=len(order))
    if block == 1:
        return np.asarray(K.block(order, order), dtype=np.float64)
    values = np.empty((len(starts), len(starts)))
    for cells in panels(len(starts), max(1, PANEL // (block * len(order)))):
        rows = order[block * cells.start : block * cells.stop]
        panel = np.asarray(K.rows(rows), dtype=np.float64)
        sums = np.add.reduceat(panel, np.arange(0, len(rows), block), axis=0)
        values[cells] = np.add.reduceat(sums[:, order], starts, axis=1)
    values /= np.outer(counts, counts)
    return values


def _limits(values: DoubleArray) -> tuple[float, float]:
    """Limits of the colour scale: those of the values, or smaller ones if a few outliers would dominate it."""
    size = np.abs(values)
    top, most = float(size.max()), float(np.quantile(size, 0.995))
    top = most if 0 < most < top / 3 else top
    return (-top, top) if is_signed(values) else (float(values.min()), max(top, float(values.min())))


def _groups(targets: Targets | None) -> tuple[list[str] | None, IndexArray | None, str]:
    """Names and sizes of the classes with samples, and the label of the axis."""
    if targets is None:
        return None, None, "samples"
    if targets.classes is None:
        low, high = targets.values.min(), targets.values.max()
        return None, None, f"samples, by target from {short(low, 4)} to {short(high, 4)}"
    sizes = np.bincount(targets.values.astype(np.int64), minlength=targets.n_classes)
    names = [name for name, size in zip(targets.classes, sizes, strict=True) if size]
    return names, sizes[sizes > 0], "samples, by class"


def _roomy(middles: DoubleArray, sizes: IndexArray, room: float) -> list[int]:
    """Classes whose names fit, chosen by size, in their order."""
    shown: list[int] = []
    for i in np.argsort(-sizes, kind="stable"):
        if all(abs(middles[i] - middles[j]) >= room for j in shown):
            shown.append(int(i))
    return sorted(shown)
