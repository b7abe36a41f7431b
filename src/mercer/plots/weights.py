"""How much each kernel of a sum counts, and how well each fits the targets."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mercer._typing import DoubleArray
from mercer._validation import describe
from mercer.kernels import Kernel, Scaled, Sum
from mercer.kernels.text import kernel as parse
from mercer.plots.figure import panels
from mercer.plots.models import last_step
from mercer.plots.style import COLOURS, POSITIVE, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["KernelWeightsDisplay"]


class KernelWeightsDisplay:
    """Bars of kernel weights; beside them, on the same rows, the alignment of each kernel with the targets.

    With weights from several folds the bars are means, whiskers reach one standard deviation to each side, and dots are
    the folds.

    Parameters
    ----------
    names : sequence
        Kernels, or what they are called.
    weights : array of shape (kernels,) or (folds, kernels)
        NaN: no part of the sum, shown by a dash.
    alignment : array of shape (kernels,) or (folds, kernels), optional
        Of each kernel alone.

    Attributes
    ----------
    bars_, alignment_bars_
        Containers of bars; None without alignment.
    dots_ : list
        Folds, in each panel that has them.
    axes_ : list of Axes
        One, or two with alignment.
    ax_, figure_
        The first axes, and the figure.

    Examples
    --------
    >>> from mercer.kernels import RBF, Linear
    >>> from mercer.plots import KernelWeightsDisplay, blank
    >>> display = KernelWeightsDisplay.from_kernel(0.25 * RBF() + Linear(), ax=blank()[1])
    >>> display.names, [float(bar.get_width()) for bar in display.bars_]
    (['rbf', 'linear'], [0.25, 1.0])
    """

    def __init__(self, names: Sequence[Any], weights: Any, *, alignment: Any = None) -> None:
        self.names = [str(name) for name in names]
        self.weights = self._rows("weights", weights)
        self.alignment = None if alignment is None else self._rows("alignment", alignment)

    def _rows(self, what: str, values: Any) -> DoubleArray:
        rows = np.atleast_2d(np.asarray(values, dtype=np.float64))
        if rows.ndim != 2 or rows.shape[1] != len(self.names) or not rows.size:
            who = type(self).__name__
            raise ValueError(
                f"{who}: {what} must have one number for each of {len(self.names)} kernels, or a row of them for each "
                f"fold, got {describe(np.asarray(values))}."
            )
        return rows

    @classmethod
    def from_kernel(cls, kernel: Any, *, alignment: Any = None, ax: Any = None, **style: Any) -> Self:
        """Factors of the terms of a sum such as ``0.5*rbf + 2*linear``; a kernel that is no sum is its only term."""
        kernel = parse(kernel) if isinstance(kernel, str) else kernel
        if not isinstance(kernel, Kernel):
            raise TypeError(f"{cls.__name__}: expected a kernel or its text form, got {describe(kernel)}.")
        terms = kernel.terms if isinstance(kernel, Sum) else (kernel,)
        pairs = [(t.kernel, t.scale) if isinstance(t, Scaled) else (t, 1.0) for t in terms]
        return cls([k for k, _ in pairs], [w for _, w in pairs], alignment=alignment).plot(ax, **style)

    @classmethod
    def from_candidates(cls, candidates: Iterable[Any], *, ax: Any = None, **style: Any) -> Self:
        """Of objects with `name`, `weight` (None: no part of the sum) and `alignment`, as in ``candidates_``."""
        rows = [(c.name, np.nan if c.weight is None else c.weight, c.alignment) for c in candidates]
        names, weights, alignment = zip(*rows, strict=True)
        return cls(names, weights, alignment=alignment).plot(ax, **style)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **style: Any) -> Self:
        """Of a fitted model that has ``candidates_``, or whose kernel is a weighted sum."""
        if hasattr(estimator, "candidates_"):
            return cls.from_candidates(estimator.candidates_, ax=ax, **style)
        return cls.from_kernel(getattr(last_step(estimator)[0], "kernel_", None), ax=ax, **style)

    def plot(self, ax: Any = None, **style: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes, pair of Axes, or None
            A place for all, one for each panel, or a new figure.
        **style
            For ``ax.barh``: `height`, `alpha`, ...
        """
        n = 1 if self.alignment is None else 2
        height = 1.1 + 0.42 * len(self.names)
        self.axes_: list[Axes] = panels(self, ax, n, n, (5.4 if n == 1 else 4.2, height), sharey=True)
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        self.dots_: list[Any] = []
        self.bars_ = self._bars(self.axes_[0], self.weights, "weight", POSITIVE, style)
        self.alignment_bars_ = None
        if self.alignment is not None:
            self.alignment_bars_ = self._bars(self.axes_[1], self.alignment, "alignment", COLOURS[2], style)
            self.axes_[1].tick_params(axis="y", labelleft=False)
        places = range(len(self.names))
        self.ax_.set_yticks(places, [wrapped(name, 40) for name in self.names])
        self.ax_.set_ylim(len(self.names) - 0.4, -0.6)
        return self

    def _bars(self, ax: "Axes", rows: DoubleArray, what: str, colour: str, style: dict[str, Any]) -> Any:
        missing: Any = np.isnan(rows).all(axis=0)
        mean = np.where(missing, 0.0, np.nanmean(np.where(missing, 0.0, rows), axis=0))
        options: dict[str, Any] = {"color": colour, "height": 0.6}
        ends = mean.copy()
        if len(rows) > 1:
            spread = np.nanstd(np.where(missing, 0.0, rows), axis=0, ddof=1)
            options |= {"xerr": spread, "error_kw": {"ecolor": "0.25", "capsize": 3, "elinewidth": 1.0}}
            ends = np.maximum(mean + spread, np.nanmax(np.where(missing, 0.0, rows), axis=0))
            what = f"{what}\nmean ± std of {len(rows)} folds"
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


def _short(value: float) -> str:
    if 0 < abs(value) < 0.005:
        return "< 0.01"
    return f"{value:.2f}".replace("-", "\N{MINUS SIGN}")
