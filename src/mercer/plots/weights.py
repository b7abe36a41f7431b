"""Bar charts of kernel weights and alignments."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import describe
from mercer.kernels import Kernel, Scaled, Sum
from mercer.kernels.text import kernel as parse
from mercer.plots.figure import panels
from mercer.plots.models import last_step
from mercer.plots.resamples import resampled_weights
from mercer.plots.style import COLOURS, NEGATIVE, POSITIVE, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["KernelWeightsDisplay"]

_LONG = re.compile(r"\d+\.\d{5,}(e[+-]?\d+)?")


class KernelWeightsDisplay:
    """Bar chart of kernel weights, with a second panel for the alignment of each kernel with the targets.

    For weights from several folds or resamples, bars are means, whiskers are one standard deviation, and dots are the
    individual values.

    Parameters
    ----------
    names : sequence of str or Kernel
        Kernels, or their names.
    weights : array-like of shape (n_kernels,) or (n_folds, n_kernels)
        Weights. NaN marks a kernel that is not part of the sum, shown by a dash.
    alignment : array-like of shape (n_kernels,) or (n_folds, n_kernels), default=None
        Alignment of each kernel alone.
    fitted : array-like of shape (n_kernels,), default=None
        Weights of the model fitted to all samples, shown by a vertical line across each bar.
    repeats : str, default="folds"
        Name of the rows of `weights`, for the label of the axis.

    Attributes
    ----------
    bars_ : BarContainer
        Bars of the weights.
    alignment_bars_ : BarContainer or None
        Bars of the alignments.
    dots_ : list of PathCollection
        Individual values, in each panel that has several.
    fitted_ : LineCollection or None
        Lines at the weights of the model fitted to all samples.
    axes_ : list of Axes
        One axes, or two with alignment.
    ax_ : Axes
        First axes.
    figure_ : Figure
        Figure of the plot.

    See Also
    --------
    mercer.multiple_kernel.MKLClassifier : Classifier that learns kernel weights.
    mercer.auto.AutoClassifier : Classifier that compares kernels and their sums.

    Examples
    --------
    >>> from mercer.kernels import RBF, Linear
    >>> from mercer.plots import KernelWeightsDisplay, blank
    >>> display = KernelWeightsDisplay.from_kernel(0.25 * RBF() + Linear(), ax=blank()[1])
    >>> display.names, [float(bar.get_width()) for bar in display.bars_]
    (['rbf', 'linear'], [0.25, 1.0])
    """

    def __init__(
        self, names: Sequence[Any], weights: Any, *, alignment: Any = None, fitted: Any = None, repeats: str = "folds"
    ) -> None:
        self.names = [str(name) for name in names]
        self.weights = self._rows("weights", weights)
        self.alignment = None if alignment is None else self._rows("alignment", alignment)
        self.fitted = None if fitted is None else self._rows("fitted", fitted)[0]
        self.repeats = repeats

    def _rows(self, what: str, values: Any) -> DoubleArray:
        rows = np.atleast_2d(np.asarray(values, dtype=np.float64))
        if rows.ndim != 2 or rows.shape[1] != len(self.names) or not rows.size:
            who = type(self).__name__
            raise ValueError(
                f"{who}: got {what} = {describe(np.asarray(values))}, expected one number for each of "
                f"{len(self.names)} kernels, or one row of them for each fold."
            )
        return rows

    @classmethod
    def from_kernel(
        cls, kernel: Any, *, alignment: Any = None, sort: bool = False, ax: Any = None, **style: Any
    ) -> Self:
        """Draw the factors of the terms of a sum of kernels, such as ``0.5*rbf + 2*linear``.

        Parameters
        ----------
        kernel : Kernel or str
            Kernel, or its text form (see :ref:`kernel-names`). A kernel that is not a sum is a single term.
        alignment : array-like of shape (n_kernels,), default=None
            Alignment of each term.
        sort : bool, default=False
            Whether to sort the terms by weight, largest first.
        ax : Axes or pair of Axes, default=None
            Axes to divide into panels, or axes of each panel. None creates a new figure.
        **style : dict
            Keyword arguments of `plot`.

        Returns
        -------
        KernelWeightsDisplay
            The display.
        """
        kernel = parse(kernel) if isinstance(kernel, str) else kernel
        if not isinstance(kernel, Kernel):
            raise TypeError(f"{cls.__name__}: got {describe(kernel)}, expected a kernel or its text form.")
        terms = kernel.terms if isinstance(kernel, Sum) else (kernel,)
        pairs = [(t.kernel, t.scale) if isinstance(t, Scaled) else (t, 1.0) for t in terms]
        return cls([k for k, _ in pairs], [w for _, w in pairs], alignment=alignment).plot(ax, sort=sort, **style)

    @classmethod
    def from_candidates(cls, candidates: Iterable[Any], *, sort: bool = False, ax: Any = None, **style: Any) -> Self:
        """Draw the candidates of an automatic model.

        Parameters
        ----------
        candidates : iterable of Candidate
            Candidates with `name`, `weight` (None if not part of the weighted sum) and `alignment`.
        sort : bool, default=False
            Whether to sort the candidates by weight, largest first.
        ax : Axes or pair of Axes, default=None
            Axes to divide into panels, or axes of each panel. None creates a new figure.
        **style : dict
            Keyword arguments of `plot`.

        Returns
        -------
        KernelWeightsDisplay
            The display.
        """
        rows = [(c.name, np.nan if c.weight is None else c.weight, c.alignment) for c in candidates]
        names, weights, alignment = zip(*rows, strict=True)
        return cls(names, weights, alignment=alignment).plot(ax, sort=sort, **style)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Data = None,
        y: Any = None,
        *,
        n_resamples: int = 20,
        random_state: Any = 0,
        sort: bool = False,
        ax: Any = None,
        **style: Any,
    ) -> Self:
        """Draw the kernel weights of a fitted model.

        Parameters
        ----------
        estimator : estimator
            Fitted `MKLClassifier`, `MKLRegressor` or `AutoClassifier`, or another model whose kernel is a weighted sum;
            also a pipeline or search that ends in one.
        X : array, frame, Table, Graphs, Strings or Trees, default=None
            Training samples of an `MKLClassifier` or `MKLRegressor`. The model is refitted to bootstrap resamples of
            them, whose weights are the dots and whiskers. None means that the model is not refitted.
        y : array-like of shape (n_samples,), default=None
            Targets. Required if X is given.
        n_resamples : int, default=20
            Number of bootstrap resamples, at least 2. Only used if X is given.
        random_state : int, RandomState instance or None, default=0
            Seed of the resamples.
        sort : bool, default=False
            Whether to sort the kernels by weight, largest first.
        ax : Axes or pair of Axes, default=None
            Axes to divide into panels, or axes of each panel. None creates a new figure.
        **style : dict
            Keyword arguments of `plot`.

        Returns
        -------
        KernelWeightsDisplay
            The display.
        """
        if X is None and hasattr(estimator, "candidates_"):
            return cls.from_candidates(estimator.candidates_, sort=sort, ax=ax, **style)
        model, X = last_step(estimator, X)
        if X is not None:
            rows = resampled_weights(cls.__name__, model, X, y, n_resamples=n_resamples, random_state=random_state)
            names = [_rounded(name) for name in model.kernel_names_]
            return cls(names, rows, fitted=model.weights_, repeats="resamples").plot(ax, sort=sort, **style)
        if hasattr(model, "kernel_names_"):
            return cls([_rounded(name) for name in model.kernel_names_], model.weights_).plot(ax, sort=sort, **style)
        return cls.from_kernel(getattr(model, "kernel_", None), sort=sort, ax=ax, **style)

    def plot(self, ax: Any = None, *, sort: bool = False, **style: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes or pair of Axes, default=None
            Axes to divide into panels, or axes of each panel. None creates a new figure.
        sort : bool, default=False
            Whether to sort the kernels by weight, largest first, instead of keeping their order.
        **style : dict
            Keyword arguments of ``ax.barh``, such as ``height`` or ``alpha``.

        Returns
        -------
        KernelWeightsDisplay
            The display itself.
        """
        order = self._order(sort=sort)
        n = 1 if self.alignment is None else 2
        height = 1.1 + 0.42 * len(self.names)
        self.axes_: list[Axes] = panels(self, ax, n, n, (5.4 if n == 1 else 4.2, height), sharey=True)
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        self.dots_: list[Any] = []
        self.bars_ = self._bars(self.axes_[0], self.weights[:, order], "weight", POSITIVE, style)
        self.fitted_ = None if self.fitted is None else self._lines(self.axes_[0], self.fitted[order])
        self.alignment_bars_ = None
        if self.alignment is not None:
            self.alignment_bars_ = self._bars(self.axes_[1], self.alignment[:, order], "alignment", COLOURS[2], style)
            self.axes_[1].tick_params(axis="y", labelleft=False)
        places = range(len(self.names))
        self.ax_.set_yticks(places, [wrapped(self.names[i], 40) for i in order])
        self.ax_.set_ylim(len(self.names) - 0.4, -0.6)
        return self

    def _order(self, *, sort: bool) -> IndexArray:
        means = np.nan_to_num(self.weights).mean(axis=0)
        return np.argsort(-means, kind="stable") if sort else np.arange(len(means))

    def _lines(self, ax: "Axes", fitted: DoubleArray) -> Any:
        places = np.arange(len(fitted))
        lines = ax.vlines(fitted, places - 0.4, places + 0.4, color=NEGATIVE, linewidth=2.0, zorder=5)
        lines.set_label("all samples")
        place: dict[str, Any] = {
            "loc": "lower right",
            "bbox_to_anchor": (1.0, 1.0),
            "borderaxespad": 0.2,
        }  # above the axes, where it covers no bar
        ax.legend(handles=[lines], frameon=False, fontsize="small", **place)
        return lines

    def _bars(self, ax: "Axes", rows: DoubleArray, what: str, colour: str, style: dict[str, Any]) -> Any:
        missing: Any = np.isnan(rows).all(axis=0)
        mean = np.where(missing, 0.0, np.nanmean(np.where(missing, 0.0, rows), axis=0))
        options: dict[str, Any] = {"color": colour, "height": 0.6}
        ends = mean.copy()
        if len(rows) > 1:
            spread = np.nanstd(np.where(missing, 0.0, rows), axis=0, ddof=1)
            options |= {"xerr": spread, "error_kw": {"ecolor": "0.25", "capsize": 3, "elinewidth": 1.0}}
            ends = np.maximum(mean + spread, np.nanmax(np.where(missing, 0.0, rows), axis=0))
            what = f"{what}\nmean ± std of {len(rows)} {self.repeats}"
        bars = ax.barh(np.arange(len(mean)), mean, **{**options, **style})
        if len(rows) > 1:
            x, y = rows.ravel(), np.tile(np.arange(len(mean)), len(rows))
            self.dots_.append(ax.scatter(x, y, s=9, color="0.1", zorder=4, linewidths=0))
        for i, end in enumerate(ends):
            text = "\N{EN DASH}" if missing[i] else _short(mean[i])
            ax.annotate(text, (max(end, 0.0), i), (4, 0), textcoords="offset points", va="center", fontsize="small")
        low, high = min(0.0, float(mean.min())), max(float(ends.max()), 0.0) or 1.0
        ax.set_xlim(1.1 * low, high + 0.22 * (high - low))
        if low < 0:
            ax.axvline(0.0, color="0.3", linewidth=0.8)
        ax.set_xlabel(what)
        ax.tick_params(axis="y", length=0)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        return bars


def _rounded(name: str) -> str:
    """Round numbers with more than four decimals in the text form of a kernel to three digits."""
    return _LONG.sub(lambda found: f"{float(found[0]):.3g}", name)


def _short(value: float) -> str:
    if 0 < abs(value) < 0.005:
        return "< 0.01"
    return f"{value:.2f}".replace("-", "\N{MINUS SIGN}")
