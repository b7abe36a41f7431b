"""Plots of the eigenvalues of Gram matrices."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mercer._runtime.spectra import eigvalsh
from mercer._typing import Data, DoubleArray
from mercer._validation import check_integer
from mercer._words import refuse_other_words
from mercer.data import n_samples
from mercer.kernels.validity import ROUNDING
from mercer.operators import GramOperator, gram
from mercer.operators.centering import center_in_place
from mercer.plots.figure import axes
from mercer.plots.models import gram_of, last_step, symmetric
from mercer.plots.style import COLOURS, NEGATIVE, POSITIVE, letters, percent, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["KernelSpectrumDisplay"]

SAMPLE = 2000  # largest number of samples, unless max_samples is given
FAR = 1000  # eigenvalues above this multiple of rounding: the rounding line is shown in the legend only


class KernelSpectrumDisplay:
    """Eigenvalues of a Gram matrix in descending order, with negative ones marked.

    If the eigenvalues differ by more than a factor of 100, the scale is logarithmic and shows ``|λ|``. The legend
    counts the eigenvalues that are zero up to rounding, ``10 n ε max|λ|``.

    Parameters
    ----------
    eigenvalues : array-like of shape (n_eigenvalues,)
        Eigenvalues, in any order.
    n : int, default=None
        Number of rows of the matrix. None means the number of eigenvalues.
    of : int, default=None
        Number of all samples, if the matrix is that of a random subset.
    eps : float, default=2.220446049250313e-16
        Relative precision of the matrix.
    total : float, default=None
        Sum of ``|λ|`` over all eigenvalues, if `eigenvalues` are not all; NaN if it is not known.
    name : str, default=""
        Name of the matrix, for the title.

    Attributes
    ----------
    eigenvalues : ndarray of shape (n_eigenvalues,)
        Eigenvalues in descending order.
    positive_ : Line2D or None
        Positive eigenvalues.
    negative_ : Line2D or None
        Negative eigenvalues.
    rounding_ : Line2D or None
        Line below which eigenvalues are zero up to rounding. It has no data, and is shown in the legend only, if it is
        far below the others.
    share_ax_ : Axes or None
        Axes of the cumulative fraction.
    share_ : Line2D or None
        Cumulative fraction of the sum of ``|λ|``.
    ax_ : Axes
        Axes of the plot.
    figure_ : Figure
        Figure of the plot.

    See Also
    --------
    KernelMatrixDisplay : Heat map of a Gram matrix.
    mercer.kernels.check_gram : Smallest eigenvalue, rank and effective dimension of a Gram matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.plots import KernelSpectrumDisplay, blank
    >>> display = KernelSpectrumDisplay.from_matrix([[0.0, 2.0], [2.0, 3.0]], center=False, ax=blank()[1])
    >>> display.eigenvalues.round(9).tolist(), display.negative_.get_ydata().round(9).tolist()
    ([4.0, -1.0], [-1.0])
    """

    def __init__(
        self,
        eigenvalues: DoubleArray,
        *,
        n: int | None = None,
        of: int | None = None,
        eps: float = float(np.finfo(np.float64).eps),
        total: float | None = None,
        name: str = "",
    ) -> None:
        self.eigenvalues = np.sort(np.asarray(eigenvalues, dtype=np.float64))[::-1]
        self.n = len(self.eigenvalues) if n is None else n
        self.of = of
        self.eps = eps
        self.total = total
        self.name = name

    # ---- data

    @classmethod
    def from_estimator(cls, estimator: Any, X: Data = None, **options: Any) -> Self:
        """Draw the eigenvalues of the Gram matrix of samples under the kernel of a fitted model.

        Parameters
        ----------
        estimator : estimator
            Fitted estimator of mercer, or a pipeline or search that ends in one.
        X : array, frame, Table, Graphs, Strings or Trees, default=None
            Samples, or the Gram matrix if the kernel is precomputed. None means ``eigenvalues_`` of the model.
        **options : dict
            Options of `from_matrix`.

        Returns
        -------
        KernelSpectrumDisplay
            The display.
        """
        if X is not None:
            K, kernel = gram_of(cls.__name__, estimator, X)
            return cls._drawn(K, **{"name": "precomputed kernel" if kernel is None else str(kernel), **options})
        last, _ = last_step(estimator)
        values = getattr(last, "eigenvalues_", None)
        if values is None or not hasattr(last, "X_fit_"):
            raise ValueError(f"{cls.__name__}: {type(last).__name__} has no eigenvalues_; pass X.")
        ratio = getattr(last, "explained_variance_ratio_", np.zeros(len(values)))
        total = float(values.sum() / ratio.sum()) if ratio.sum() > 0 else np.nan
        name = f"{type(last).__name__}, {getattr(last, 'kernel_', None) or 'precomputed kernel'}"
        fitted = getattr(last, "approximation_", None)
        n = n_samples(last.X_fit_) if fitted is None else fitted.n_samples
        display = cls(values, n=n, total=total, name=options.pop("name", name))
        return display.plot(options.pop("ax", None), **options)

    @classmethod
    def from_kernel(cls, kernel: Any, X: Data, **options: Any) -> Self:
        """Draw the eigenvalues of the Gram matrix of a kernel on samples.

        Parameters
        ----------
        kernel : Kernel or str
            Kernel, or its text form (see :ref:`kernel-names`).
        X : array, frame, Table, Graphs, Strings or Trees
            Samples.
        **options : dict
            Options of `from_matrix`.

        Returns
        -------
        KernelSpectrumDisplay
            The display.
        """
        K = gram(kernel, X)
        return cls._drawn(K, **{"name": K._label(), **options})

    @classmethod
    def from_matrix(cls, K: Any, **options: Any) -> Self:
        """Draw the eigenvalues of a Gram matrix.

        Parameters
        ----------
        K : array-like of shape (n_samples, n_samples) or GramOperator
            Gram matrix.
        **options : dict
            ``center``: whether to centre the matrix, HKH with H = I − 11ᵀ/n; True by default. ``max_samples``: size of
            the random subset that is used if there are more samples, 2000 by default; the title reports it.
            ``random_state``: seed of the subset, 0 by default. ``name``: name for the title. ``ax``: axes to draw on.
            Other options are passed to `plot`.

        Returns
        -------
        KernelSpectrumDisplay
            The display.

        Notes
        -----
        The cost is O(m³) with m = min(n_samples, max_samples).
        """
        name = K._label() if isinstance(K, GramOperator) else "Gram matrix"
        return cls._drawn(symmetric(cls.__name__, K), **{"name": name, **options})

    @classmethod
    def _drawn(
        cls,
        K: GramOperator,
        name: str,
        *,
        center: bool = True,
        max_samples: int = SAMPLE,
        random_state: int = 0,
        ax: "Axes | None" = None,
        **style: Any,
    ) -> Self:
        refuse_other_words(cls.__name__, style, ("center", "max_samples", "random_state"))
        n, most = K.shape[0], check_integer(cls.__name__, "max_samples", max_samples, low=1)
        rows = np.arange(n)
        if n > most:
            rows = np.sort(np.random.default_rng(random_state).choice(n, most, replace=False))
        matrix = K.block(rows, rows).astype(np.float64)
        if center:
            center_in_place(matrix)
        values = eigvalsh(matrix, overwrite=True, check_finite=False)
        name = ", ".join(filter(None, (name, "centred" if center else "")))
        display = cls(values, of=n if n > most else None, eps=float(np.finfo(K.dtype).eps), name=name)
        return display.plot(ax, **style)

    @property
    def rounding(self) -> float:
        """Bound ``10 n ε max|λ|`` below which eigenvalues are zero up to rounding."""
        return float(ROUNDING * self.n * self.eps * np.abs(self.eigenvalues).max(initial=0.0))

    @property
    def negative_mass(self) -> float:
        """Fraction of the sum of ``|λ|`` due to negative eigenvalues, without those that are zero up to rounding."""
        size = np.abs(self.eigenvalues)
        return float(size[self.eigenvalues < -self.rounding].sum() / size.sum()) if size.any() else 0.0

    # ---- drawing

    def plot(
        self, ax: "Axes | None" = None, *, log: bool | None = None, cumulative: bool = False, **style: Any
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on. None creates a new figure.
        log : bool, default=None
            Whether the scale is logarithmic. None means if nonzero eigenvalues differ by more than a factor of 100.
        cumulative : bool, default=False
            Whether to add the cumulative fraction of the sum of ``|λ|``, on a second axis.
        **style : dict
            Keyword arguments of ``ax.plot``, such as ``markersize`` or ``alpha``.

        Returns
        -------
        KernelSpectrumDisplay
            The display itself.
        """
        ax = axes(self, ax)
        from matplotlib.lines import Line2D
        from matplotlib.ticker import MaxNLocator

        values, rank = self.eigenvalues, np.arange(1, len(self.eigenvalues) + 1)
        above, below = values > self.rounding, values < -self.rounding
        kept = np.abs(values[above | below])
        log = bool(len(kept)) and bool(kept.max() > 100 * kept.min() if log is None else log)
        height = np.abs(values) if log else values
        style = {"markersize": 5 if len(values) <= 60 else 3, "linestyle": "none", **style}
        self.positive_ = self.negative_ = None
        self.rounding_: Any = None
        if above.any():
            look = {"marker": "o", "color": POSITIVE, "label": f"{above.sum()} positive", **style}
            (self.positive_,) = ax.plot(rank[above], height[above], **look)
        if below.any():
            what = f"{below.sum()} negative{', |λ|' if log else ''}: {percent(self.negative_mass)} of Σ|λ|"
            look = {"marker": "v", "color": NEGATIVE, "label": what, **style}
            (self.negative_,) = ax.plot(rank[below], height[below], **look)
        zero = ~(above | below)
        if zero.any():
            line: dict[str, Any] = {"color": "0.5", "linestyle": ":", "label": f"{zero.sum()} zero up to rounding"}
            if log and kept.min() > FAR * self.rounding:
                self.rounding_ = Line2D([], [], **line)
            else:
                self.rounding_ = ax.axhline(self.rounding if log else 0.0, linewidth=1.0, **line)
        elif not log:
            ax.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
        if log:
            ax.set_yscale("log")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        label = "absolute eigenvalue |λ|" if log and below.any() else "eigenvalue λ"
        ax.set(xlabel="rank", ylabel=label, xlim=(1 - 0.04 * len(values), 1.04 * len(values)))
        if len(values) < 12:
            ax.set_xlim(0.5, len(values) + 0.5)
        ax.set_title(self._title(letters(ax)), fontsize="medium")
        self.figure_, self.ax_ = ax.figure, ax
        self.share_ax_: Any = None
        self.share_: Any = None
        if cumulative:
            self._add_share(rank)
        handles: list[Any] = [h for h in (self.positive_, self.negative_, self.rounding_) if h is not None]
        labels = [str(handle.get_label()) for handle in handles]
        if self.share_ is not None:
            handles, labels = [*handles, self.share_], [*labels, "cumulative fraction (right)"]
        if cumulative:  # below the axes, since two curves leave no corner free
            ax.legend(handles, labels, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2)
        elif below.any() or zero.any():
            ax.legend(handles, labels, frameon=False, loc="best")
        return self

    def _add_share(self, rank: Any) -> None:
        size = np.abs(self.eigenvalues)
        total = size.sum() if self.total is None else self.total
        if not total > 0:
            raise ValueError(
                f"{type(self).__name__}: cumulative=True needs the sum of all eigenvalues, which is not known; pass X."
            )
        self.share_ax_ = self.ax_.twinx()
        (self.share_,) = self.share_ax_.plot(rank, np.cumsum(size) / total, color=COLOURS[2], linewidth=1.5)
        self.share_ax_.set(ylim=(0, 1.03), ylabel="fraction of Σ|λ|")

    def _title(self, width: int) -> str:
        size = f"n = {self.n}" if self.of is None else f"random subset of {self.n} of {self.of} samples"
        if len(self.eigenvalues) < self.n:
            size = f"first {len(self.eigenvalues)} eigenvalues, {size}"
        return f"{wrapped(self.name, width)}\n{size}" if self.name else size
