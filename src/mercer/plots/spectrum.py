"""Eigenvalues of a Gram matrix."""

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

SAMPLE = 2000
FAR = 1000  # times rounding: a line there would take the scale from the eigenvalues


class KernelSpectrumDisplay:
    """Eigenvalues of a Gram matrix in descending order, negative ones in a colour and with a marker of their own.

    Where they differ by more than two orders of magnitude the scale is logarithmic and shows |λ|. Eigenvalues that are
    zero up to rounding, 10 n ε max|λ|, are counted in the legend.

    Parameters
    ----------
    eigenvalues : array
        In any order.
    n : int, optional
        Rows of the matrix; as many as eigenvalues if not given.
    of : int, optional
        Samples that there are, if the matrix is of a random choice of them.
    eps : float
        Relative precision of the matrix.
    total : float, optional
        Σ|λ| of all eigenvalues, if these are not all; NaN if it is not known.
    name : str
        What the matrix is of, for the title.

    Attributes
    ----------
    positive_, negative_
        Points; None if there are none of the kind.
    rounding_
        Line below which eigenvalues are zero up to rounding, for the legend alone if it is far below the others; None
        if all are above.
    share_ax_, share_
        Axes and line of the cumulative share, if asked for.
    ax_, figure_
        Where it is drawn.

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
        """Eigenvalues of the Gram matrix of X by the kernel of a fitted model.

        Parameters
        ----------
        estimator : fitted estimator of mercer, or a pipeline or search that ends in one
        X : data, optional
            Samples, or a Gram matrix if the kernel is precomputed. None: the eigenvalues that the model has found.
        **options
            As in `from_matrix`.
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
        display = cls(values, n=n_samples(last.X_fit_), total=total, name=options.pop("name", name))
        return display.plot(options.pop("ax", None), **options)

    @classmethod
    def from_kernel(cls, kernel: Any, X: Data, **options: Any) -> Self:
        """Eigenvalues of the Gram matrix of a kernel, or of its text form, on samples; options as in `from_matrix`."""
        K = gram(kernel, X)
        return cls._drawn(K, **{"name": K._label(), **options})

    @classmethod
    def from_matrix(cls, K: Any, **options: Any) -> Self:
        """Eigenvalues of a Gram matrix, or an operator.

        Parameters
        ----------
        K : array of shape (n, n), or GramOperator
        **options
            `center`: whether of HKH, H = I − 11ᵀ/n, the Gram matrix of features with mean zero; True. `max_samples`:
            of more samples than these, 2000, a random subset of this size is taken, and the title reports it.
            `random_state`: int that decides the choice, 0. `name`: for the title. `ax`: axes; else a new figure.
            Others are for `plot`.

        Notes
        -----
        O(m³) for m = min(n, max_samples).
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
        """What is zero up to rounding: 10 n ε max|λ|."""
        return float(ROUNDING * self.n * self.eps * np.abs(self.eigenvalues).max(initial=0.0))

    @property
    def negative_mass(self) -> float:
        """Σ|λ₋| / Σ|λ|, where eigenvalues that are zero up to rounding do not count as negative."""
        size = np.abs(self.eigenvalues)
        return float(size[self.eigenvalues < -self.rounding].sum() / size.sum()) if size.any() else 0.0

    # ---- picture

    def plot(
        self, ax: "Axes | None" = None, *, log: bool | None = None, cumulative: bool = False, **style: Any
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes, optional
            Where; else a new figure.
        log : bool, optional
            Whether the scale is logarithmic; None: if eigenvalues beyond rounding differ by a factor of 100.
        cumulative : bool
            Whether to add the share of Σ|λ| that the first eigenvalues hold, on an axis of its own.
        **style
            For ``ax.plot`` of the points: `markersize`, `alpha`, ...
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
        label = "size of the eigenvalue, |λ|" if log and below.any() else "eigenvalue λ"
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
            handles, labels = [*handles, self.share_], [*labels, "cumulative share (right)"]
        if cumulative:  # below the axes, since two scales leave no corner free
            ax.legend(handles, labels, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2)
        elif below.any() or zero.any():
            ax.legend(handles, labels, frameon=False, loc="best")
        return self

    def _add_share(self, rank: Any) -> None:
        size = np.abs(self.eigenvalues)
        total = size.sum() if self.total is None else self.total
        if not total > 0:
            raise ValueError(f"{type(self).__name__}: the sum of all eigenvalues is not known; pass X.")
        self.share_ax_ = self.ax_.twinx()
        (self.share_,) = self.share_ax_.plot(rank, np.cumsum(size) / total, color=COLOURS[2], linewidth=1.5)
        self.share_ax_.set(ylim=(0, 1.03), ylabel="share of Σ|λ|")

    def _title(self, width: int) -> str:
        size = f"n = {self.n}" if self.of is None else f"a random choice of {self.n} of {self.of} samples"
        if len(self.eigenvalues) < self.n:
            size = f"the first {len(self.eigenvalues)}, {size}"
        return f"{wrapped(self.name, width)}\n{size}" if self.name else size
