"""Learned weights of columns, and the path of learning."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mercer._validation import check_integer, describe
from mercer.plots.figure import panels
from mercer.plots.style import NEGATIVE, POSITIVE
from mercer.plots.weights import KernelWeightsDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ColumnWeightsDisplay"]


class ColumnWeightsDisplay:
    """Bar chart of the shares of columns in a learned kernel, with a second panel for the path of learning.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    shares : array-like of shape (n_columns,)
        Share of each column, such as `shares_`.
    path : array-like of shape (n_steps,), default=None
        Value after each step of learning. None: no second panel.
    path_label : str, default="objective"
        Meaning of the values of `path`.
    chosen : int, default=None
        Step whose result was chosen, which is marked. None: no mark.

    Attributes
    ----------
    bars_ : BarContainer
        Bars of the shares.
    line_ : Line2D or None
        Line of the path.
    chosen_ : Line2D or None
        Mark of the chosen step.
    axes_ : list of Axes
        One axes, or two with a path.
    ax_ : Axes
        First axes.
    figure_ : Figure
        Figure of the plot.

    See Also
    --------
    mercer.feature_learning.LeaveOneOutWeights : Learns weights of columns.
    mercer.feature_learning.RecursiveFeatureMachine : Learns a metric of columns.
    KernelWeightsDisplay : Weights of the kernels in a sum.

    Examples
    --------
    >>> from mercer.plots import ColumnWeightsDisplay, blank
    >>> display = ColumnWeightsDisplay(["age", "height"], [0.2, 0.8]).plot(blank()[1])
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['height', 'age']
    """

    def __init__(
        self,
        names: Sequence[Any],
        shares: Any,
        *,
        path: Any = None,
        path_label: str = "objective",
        chosen: int | None = None,
    ) -> None:
        self.names = [str(name) for name in names]
        self.shares = np.asarray(shares, dtype=np.float64)
        self.path = None if path is None else np.asarray(path, dtype=np.float64)
        self.path_label = path_label
        self.chosen = chosen
        if self.shares.shape != (len(self.names),) or not self.names:
            raise ValueError(
                f"{type(self).__name__}: got shares = {describe(self.shares)}, expected one number for each of "
                f"{len(self.names)} columns."
            )

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **style: Any) -> Self:
        """Draw the learned weights of a fitted `LeaveOneOutWeights` or `RecursiveFeatureMachine`.

        Parameters
        ----------
        estimator : estimator
            Fitted learner, or a pipeline or search with one among its steps; the last one is drawn.
        ax : Axes or pair of Axes, default=None
            Axes to divide into panels, or axes of each panel. None creates a new figure.
        **style : dict
            Keyword arguments of `plot`.

        Returns
        -------
        ColumnWeightsDisplay
            The display.
        """
        model = _learner(estimator)
        shares = getattr(model, "shares_", None)
        if shares is None or not hasattr(model, "loo_score_"):
            raise TypeError(
                f"{cls.__name__}: got {describe(model)}, expected a fitted LeaveOneOutWeights or "
                "RecursiveFeatureMachine with weights of columns."
            )
        names = getattr(model, "feature_names_in_", [f"x{i}" for i in range(len(shares))])
        if hasattr(model, "objective_path_"):
            return cls(names, shares, path=model.objective_path_).plot(ax, **style)
        path = {"path": model.loo_scores_, "path_label": "leave-one-out R²", "chosen": model.best_iter_}
        return cls(names, shares, **path).plot(ax, **style)

    def plot(self, ax: Any = None, *, sort: bool = True, max_columns: int = 20, **style: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes or pair of Axes, default=None
            Axes to divide into panels, or axes of each panel. None creates a new figure.
        sort : bool, default=True
            Whether to sort the columns by share, largest first, instead of keeping their order.
        max_columns : int, default=20
            Number of columns with the largest shares that are drawn. One more bar is the sum of the others.
        **style : dict
            Keyword arguments of ``ax.barh``, such as ``height`` or ``alpha``.

        Returns
        -------
        ColumnWeightsDisplay
            The display itself.
        """
        most = check_integer(type(self).__name__, "max_columns", max_columns, low=1)
        order = np.argsort(-self.shares, kind="stable")
        kept = order[:most] if sort else np.sort(order[:most])
        names, shares = [self.names[i] for i in kept], list(self.shares[kept])
        if len(order) > most:
            names.append(f"{len(order) - most} others")
            shares.append(self.shares[order[most:]].sum())
        n = 1 if self.path is None else 2
        size = (4.8, max(2.4, 1.1 + 0.3 * len(names)))
        self.axes_: list[Axes] = panels(self, ax, n, n, size)
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        self.bars_ = KernelWeightsDisplay(names, shares).plot([self.ax_], **style).bars_
        self.ax_.set_xlabel("share of the distance")
        self.line_: Any = None
        self.chosen_: Any = None
        if self.path is not None:
            self._draw_path(self.axes_[1], self.path)
        return self

    def _draw_path(self, ax: "Axes", path: Any) -> None:
        from matplotlib.ticker import MaxNLocator

        (self.line_,) = ax.plot(np.arange(len(path)), path, color=POSITIVE, marker="o", markersize=3, linewidth=1.3)
        if self.chosen is not None:
            place = [self.chosen], [path[self.chosen]]
            (self.chosen_,) = ax.plot(*place, color=NEGATIVE, marker="o", markersize=7, linestyle="", label="chosen")
            ax.legend(frameon=False, loc="best")
        ax.set(xlabel="iteration" if self.chosen is not None else "evaluation", ylabel=self.path_label)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)


def _learner(model: Any) -> Any:
    """Last learner of column weights in pipelines and searches; the model itself if there is none."""
    check_is_fitted(model)
    if hasattr(model, "best_estimator_"):
        return _learner(model.best_estimator_)
    if isinstance(model, Pipeline):
        steps = [step for _, step in model.steps if hasattr(step, "loo_score_")]
        return steps[-1] if steps else model
    return model
