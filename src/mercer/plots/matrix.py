"""The Gram matrix as a picture."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import check_integer
from mercer.operators import GramOperator, gram
from mercer.operators.tiles import panels
from mercer.plots.figure import axes
from mercer.plots.models import gram_of, symmetric
from mercer.plots.style import DIVERGING, SEQUENTIAL, is_signed, letters, percent, plain, scale_beside, wrapped
from mercer.plots.targets import Kind, Targets, read_targets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["KernelMatrixDisplay"]

PANEL = 2**22  # kernel values at once, 32 MB
CELLS = 800


class KernelMatrixDisplay:
    """A Gram matrix as a heat map, samples ordered by class.

    Classes are parted by lines and named at the sides; samples with numbers as targets are ordered by them. Where there
    are negative values the colours diverge from zero. Where a few cells, at most one in 200, would take two thirds of
    the scale, it ends before them, which its label says. Of many samples, a cell shows the mean of a block of kernel
    values, which the title says.

    Parameters
    ----------
    values : array of shape (cells, cells)
        What is shown: k(x, z), or means over blocks of so many samples.
    n : int, optional
        Number of samples; as many as cells if not given.
    block : int
        Samples on each side of a cell; the last cells may hold fewer.
    classes : list of str, optional
        Names of the classes, in the order of the samples.
    sizes : array of int, optional
        Samples of each class.
    name : str
        What the matrix is of, for the title.
    axis : str
        What the samples are ordered by.

    Attributes
    ----------
    image_, colorbar_
        The heat map and its scale.
    lines_ : list
        Between the classes, across and down.
    unlabelled_ : list of str
        Classes with too little room for their names.
    ax_, figure_
        Where it is drawn.

    Notes
    -----
    O(n²) kernel values, once, in panels of 32 MB; then at most 800 × 800 numbers are kept.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.plots import KernelMatrixDisplay, blank
    >>> X, y = np.array([[0.0], [5.0], [0.1], [5.1]]), ["low", "high", "low", "high"]
    >>> display = KernelMatrixDisplay.from_kernel("rbf(gamma=1.0)", X, y, ax=blank()[1])
    >>> display.classes, display.values[:2, :2].round(2).tolist()  # the two high ones first
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
        """The Gram matrix of X by the kernel of a fitted model; with a precomputed kernel X is that matrix.

        Parameters
        ----------
        estimator : fitted estimator of mercer, or a pipeline or search that ends in one
        X : data
            What `estimator` was fitted on, or more of the kind.
        y, **options
            As in `from_matrix`.
        """
        K, kernel = gram_of(cls.__name__, estimator, X)
        return cls._drawn(K, y, **{"name": "precomputed kernel" if kernel is None else str(kernel), **options})

    @classmethod
    def from_kernel(cls, kernel: Any, X: Data, y: Any = None, **options: Any) -> Self:
        """The Gram matrix of a kernel, or of its text form, on samples; y and options as in `from_matrix`."""
        K = gram(kernel, X)
        return cls._drawn(K, y, **{"name": K._label(), **options})

    @classmethod
    def from_matrix(cls, K: Any, y: Any = None, **options: Any) -> Self:
        """A Gram matrix, or an operator.

        Parameters
        ----------
        K : array of shape (n, n), or GramOperator
        y : array-like of shape (n,), optional
            Classes or numbers, by which the samples are ordered; equal ones stay in their order.
        **options
            `target`: "classes" or "numbers", where y does not tell. `cells`: most rows of the picture, 800. `name`: for
            the title. `ax`: axes; else a new figure. Others are for `plot`.
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

    # ---- picture

    def plot(self, ax: "Axes | None" = None, *, colorbar: bool = True, **style: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes, optional
            Where; else a new figure.
        colorbar : bool
            Whether to add the scale.
        **style
            For ``ax.imshow``: `cmap`, `vmin`, `vmax`, `norm`, ...
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
            self.ax_.set_xlabel(f"{self.axis}; {len(self.unlabelled_)} of {len(self.classes)} too small to be named")
        names = [plain(self.classes[i], 22) for i in shown]
        at = middles[shown]
        self.ax_.set_yticks(at, names)
        wide = 6.0 * np.array([len(name) for name in names]) * self.n / max(self._points(), 1.0)
        tight = len(shown) < len(self.classes) or bool((wide > self.sizes[shown]).any())
        self.ax_.set_xticks([] if tight else at, [] if tight else names)  # the rows are named, and the order is theirs
        self.ax_.tick_params(length=0)

    def _points(self) -> float:
        """Shorter side of the axes, in points."""
        box = self.ax_.get_window_extent()
        return float(min(box.width, box.height)) * 72 / float(self.figure_.dpi)


def _averaged(K: GramOperator, order: IndexArray, block: int) -> DoubleArray:
    """Means over blocks of K[order][:, order]; a panel of rows exists at a time."""
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
    """Ends of the scale: those of the values, or nearer ones if a few values would take most of it."""
    size = np.abs(values)
    top, most = float(size.max()), float(np.quantile(size, 0.995))
    top = most if 0 < most < top / 3 else top
    return (-top, top) if is_signed(values) else (float(values.min()), max(top, float(values.min())))


def _groups(targets: Targets | None) -> tuple[list[str] | None, IndexArray | None, str]:
    """Names and sizes of the classes that have samples, and what the order is."""
    if targets is None:
        return None, None, "samples"
    if targets.classes is None:
        low, high = targets.values.min(), targets.values.max()
        return None, None, f"samples, by target from {low:.4g} to {high:.4g}"
    sizes = np.bincount(targets.values.astype(np.int64), minlength=targets.n_classes)
    names = [name for name, size in zip(targets.classes, sizes, strict=True) if size]
    return names, sizes[sizes > 0], "samples, by class"


def _roomy(middles: DoubleArray, sizes: IndexArray, room: float) -> list[int]:
    """Classes whose names fit, the largest first; in their order."""
    shown: list[int] = []
    for i in np.argsort(-sizes, kind="stable"):
        if all(abs(middles[i] - middles[j]) >= room for j in shown):
            shown.append(int(i))
    return sorted(shown)
