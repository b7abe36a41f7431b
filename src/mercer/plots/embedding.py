"""Scatter plots of embeddings."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import is_classifier

from mercer._typing import Data, DoubleArray
from mercer._validation import as_dense, check_vectors, describe
from mercer.plots.figure import axes
from mercer.plots.labels import place_labels
from mercer.plots.models import chosen_components, last_step
from mercer.plots.style import legend_beside, percent, plain, point_size, scale_beside
from mercer.plots.targets import Kind, Targets, named, read_targets, scatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["EmbeddingDisplay"]

GOLDEN = (np.sqrt(5) - 1) / 2


class EmbeddingDisplay:
    """Scatter plot of samples on two coordinates of an embedding, or strip plot of one coordinate.

    Classes are shown by colour and marker, numbers by a colour scale. A single coordinate is drawn along the horizontal
    axis: with one row for each class and vertical jitter, or against the targets if these are numbers.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, 2) or (n_samples, 1)
        Coordinates of the samples.
    targets : Targets, default=None
        Targets of the samples, from `mercer.plots.read_targets`.
    names : sequence of str, default=("coordinate 1", "coordinate 2")
        Labels of the axes, one for each coordinate.
    labels : sequence of str, default=None
        Text next to each sample.

    Attributes
    ----------
    points_ : list of PathCollection
        One collection for each class, or one for all samples.
    texts_ : list of Annotation
        Labels that are shown.
    hidden_ : int
        Number of labels that are omitted because they would overlap.
    legend_ : Legend or None
        Legend of the classes.
    colorbar_ : Colorbar or None
        Colour bar of the numbers.
    ax_ : Axes
        Axes of the plot.
    figure_ : Figure
        Figure of the plot.

    See Also
    --------
    ComponentContourDisplay : Components as functions on the plane.
    mercer.decomposition.KernelPCA : Principal components in feature space.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.decomposition import KernelPCA
    >>> from mercer.kernels import Spectrum
    >>> from mercer.plots import EmbeddingDisplay, blank
    >>> reads, y = ["GATTACA", "TTATTA", "ATTAGC", "CCGC", "GGCC", "CGCGAT"], list("aaabbb")
    >>> model = KernelPCA(2, kernel=Spectrum(2)).fit(reads)
    >>> display = EmbeddingDisplay.from_estimator(model, reads, y, ax=blank()[1])
    >>> [len(points.get_offsets()) for points in display.points_], display.ax_.get_xlabel()
    ([3, 3], 'component 1 (55 %)')
    """

    def __init__(
        self,
        Z: DoubleArray,
        *,
        targets: Targets | None = None,
        names: Sequence[str] = ("coordinate 1", "coordinate 2"),
        labels: Sequence[Any] | None = None,
    ) -> None:
        self.Z = Z
        self.targets = targets
        self.names = tuple(names)
        self.labels = labels

    # ---- data

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Data = None,
        y: Any = None,
        *,
        components: int | Sequence[int] | None = None,
        target: Kind = "auto",
        labels: Sequence[Any] | None = None,
        ax: "Axes | None" = None,
        **style: Any,
    ) -> Self:
        """Draw samples in the coordinates of a fitted transformer.

        Parameters
        ----------
        estimator : transformer
            Fitted `KernelPCA`, `KernelDiscriminantAnalysis`, `Isomap` or another transformer, or a pipeline or search
            that ends in one.
        X : array, frame, Table, Graphs, Strings or Trees, default=None
            Samples. None means the training samples of models that store ``embedding_``.
        y : array-like of shape (n_samples,), default=None
            Classes or numbers.
        components : int or sequence of int, default=None
            Indices of one or two components, from 0. None means the first two, or the only one.
        target : {"auto", "classes", "numbers"}, default="auto"
            Meaning of y. "auto" means numbers if they are not all integers or have more than 40 distinct values.
        labels : sequence of str, default=None
            Text next to each sample.
        ax : Axes, default=None
            Axes to draw on. None creates a new figure.
        **style : dict
            Keyword arguments of `plot`.

        Returns
        -------
        EmbeddingDisplay
            The display.
        """
        who = cls.__name__
        last, _ = last_step(estimator)
        if X is None:
            if not hasattr(last, "embedding_"):
                raise ValueError(f"{who}: {type(last).__name__} does not store its training coordinates; pass X.")
            Z = last.embedding_
        elif hasattr(estimator, "transform"):
            Z = estimator.transform(X)
        else:
            raise TypeError(f"{who}: got {describe(last)}, expected a fitted transformer such as KernelPCA.")
        Z = np.asarray(Z.toarray() if hasattr(Z, "toarray") else Z, dtype=np.float64)
        chosen = chosen_components(who, components, Z.shape[1], 2)
        if len(chosen) not in (1, 2):
            raise ValueError(f"{who}: got {len(chosen)} components, expected one or two.")
        ratio = getattr(last, "explained_variance_ratio_", None)
        word = "direction" if is_classifier(last) else "component"
        names = [f"{word} {j + 1}" + ("" if ratio is None else f" ({percent(ratio[j])})") for j in chosen]
        targets = read_targets(who, y, len(Z), target)
        return cls(Z[:, chosen], targets=targets, names=names, labels=labels).plot(ax, **style)

    @classmethod
    def from_embedding(
        cls,
        Z: Any,
        y: Any = None,
        *,
        target: Kind = "auto",
        names: Sequence[str] = ("coordinate 1", "coordinate 2"),
        labels: Sequence[Any] | None = None,
        ax: "Axes | None" = None,
        **style: Any,
    ) -> Self:
        """Draw precomputed coordinates.

        Parameters
        ----------
        Z : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
            Coordinates of the samples.
        y : array-like of shape (n_samples,), default=None
            Classes or numbers.
        target : {"auto", "classes", "numbers"}, default="auto"
            Meaning of y. "auto" means numbers if they are not all integers or have more than 40 distinct values.
        names : sequence of str, default=("coordinate 1", "coordinate 2")
            Labels of the axes, one for each coordinate.
        labels : sequence of str, default=None
            Text next to each sample.
        ax : Axes, default=None
            Axes to draw on. None creates a new figure.
        **style : dict
            Keyword arguments of `plot`.

        Returns
        -------
        EmbeddingDisplay
            The display.
        """
        Z = as_dense(cls.__name__, Z, name="Z")
        Z = np.asarray(check_vectors(cls.__name__, Z[:, None] if Z.ndim == 1 else Z, name="Z"), dtype=np.float64)
        if Z.shape[1] > 2:
            raise ValueError(f"{cls.__name__}: got Z with {Z.shape[1]} columns, expected one or two; select two.")
        targets = read_targets(cls.__name__, y, len(Z), target)
        return cls(Z, targets=targets, names=names, labels=labels).plot(ax, **style)

    # ---- drawing

    def plot(self, ax: "Axes | None" = None, *, legend: bool = True, **style: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on. None creates a new figure.
        legend : bool, default=True
            Whether to add a legend of the classes, or a colour bar of the numbers.
        **style : dict
            Keyword arguments of ``ax.scatter``, such as ``s`` or ``alpha``.

        Returns
        -------
        EmbeddingDisplay
            The display itself.
        """
        ax = axes(self, ax)
        self.ax_, self.figure_ = ax, ax.figure
        self.legend_ = self.colorbar_ = None
        strip = self.Z.shape[1] == 1
        x, y = (self.Z[:, 0], self._heights()) if strip else (self.Z[:, 0], self.Z[:, 1])
        style = {"alpha": 0.75 if len(x) > 500 else 0.9, **style}
        self.points_ = scatter(ax, x, y, self.targets, **style)
        handles, names = named(self.targets)
        ax.set_xlabel(plain(self.names[0], 60))
        if strip:
            self._name_rows(ax)
        else:
            ax.set_ylabel(plain(self.names[1], 60))
            if legend and names:
                self.legend_ = legend_beside(ax, handles, names)
            elif legend and self.targets is not None:
                self.colorbar_ = scale_beside(ax, self.points_[0], "target")
        self.texts_: list[Any] = []
        self.hidden_ = 0
        if self.labels is not None:
            labels = [plain(label, 24) for label in self.labels]
            if len(labels) != len(x):
                raise ValueError(
                    f"{type(self).__name__}: got {len(labels)} labels, expected one for each of {len(x)} samples."
                )
            gap = float(np.sqrt(point_size(len(x)))) / 2 + 2.0
            self.texts_ = place_labels(ax, np.column_stack([x, y]), labels, gap)
            self.hidden_ = len(labels) - len(self.texts_)
        return self

    def _heights(self) -> DoubleArray:
        """Vertical coordinates of a strip plot: numeric targets, or rows of classes with jitter."""
        if self.targets is not None and self.targets.classes is None:
            return self.targets.values.astype(np.float64)
        row = np.zeros(len(self.Z)) if self.targets is None else self.targets.values
        return np.asarray(row + 0.6 * (np.arange(len(self.Z)) * GOLDEN % 1.0 - 0.5))

    def _name_rows(self, ax: "Axes") -> None:
        if self.targets is None:
            ax.set(yticks=[], ylim=(-1, 1))
        elif self.targets.classes is None:
            ax.set_ylabel("target")
        else:
            ax.set_yticks(range(self.targets.n_classes), [plain(name) for name in self.targets.classes])
            ax.set_ylim(self.targets.n_classes - 0.5, -0.5)
            ax.tick_params(axis="y", length=0)
