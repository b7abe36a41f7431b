"""Samples where a map puts them."""

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
    """A scatter of two coordinates of a map, or a strip of one.

    Classes have a colour and a marker each, numbers a colour scale. One coordinate alone is drawn along the horizontal
    axis, in a row for each class, moved up and down a little so that points do not hide each other; against the targets
    if these are numbers.

    Parameters
    ----------
    Z : array of shape (n, 2) or (n, 1)
        Coordinates.
    targets : Targets, optional
        Targets of the samples, made by `mercer.plots.read_targets`.
    names : sequence of str, optional
        Labels of the axes, one for each coordinate.
    labels : sequence of str, optional
        A text beside each sample.

    Attributes
    ----------
    points_ : list
        A collection for each class, or one.
    texts_ : list
        Labels that are shown.
    hidden_ : int
        Labels for which there is no room.
    legend_, colorbar_
        Names of the classes; the scale of the numbers.
    ax_, figure_
        Where it is drawn.

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
        """Coordinates of samples by a fitted transformer.

        Parameters
        ----------
        estimator : fitted transformer
            `KernelPCA`, `KernelDiscriminantAnalysis`, `Isomap`, ..., also a pipeline or search that ends in one.
        X : data, optional
            Samples; None: those of the fit, for models that keep their ``embedding_``.
        y : array-like, optional
            Classes or numbers.
        components : int or one or two of them, optional
            Which coordinates, from 0; None: the first two, or the only one.
        target : {"auto", "classes", "numbers"}
            What y means; "auto": numbers if they are not all integers, or too many to be labels.
        labels : sequence of str, optional
            A text beside each sample.
        ax : Axes, optional
            Where; else a new figure.
        **style
            For `plot`.
        """
        who = cls.__name__
        last, _ = last_step(estimator)
        if X is None:
            if not hasattr(last, "embedding_"):
                raise ValueError(f"{who}: {type(last).__name__} does not keep its coordinates; pass X.")
            Z = last.embedding_
        elif hasattr(estimator, "transform"):
            Z = estimator.transform(X)
        else:
            raise TypeError(f"{who}: expected a fitted transformer such as KernelPCA, got {describe(last)}.")
        Z = np.asarray(Z.toarray() if hasattr(Z, "toarray") else Z, dtype=np.float64)
        chosen = chosen_components(who, components, Z.shape[1], 2)
        if len(chosen) not in (1, 2):
            raise ValueError(f"{who}: draws one or two components, got {len(chosen)}.")
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
        """Coordinates that are there already, of shape (n,), (n, 1) or (n, 2); the rest as in `from_estimator`."""
        Z = as_dense(cls.__name__, Z, name="Z")
        Z = np.asarray(check_vectors(cls.__name__, Z[:, None] if Z.ndim == 1 else Z, name="Z"), dtype=np.float64)
        if Z.shape[1] > 2:
            raise ValueError(f"{cls.__name__}: Z must have one or two columns, got {Z.shape[1]}; choose two of them.")
        targets = read_targets(cls.__name__, y, len(Z), target)
        return cls(Z, targets=targets, names=names, labels=labels).plot(ax, **style)

    # ---- picture

    def plot(self, ax: "Axes | None" = None, *, legend: bool = True, **style: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes, optional
            Where; else a new figure.
        legend : bool
            Whether to name the classes, or add the scale of the numbers.
        **style
            For ``ax.scatter``: `s`, `alpha`, ...
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
                    f"{type(self).__name__}: needs one label for each of {len(x)} samples, got {len(labels)}."
                )
            gap = float(np.sqrt(point_size(len(x)))) / 2 + 2.0
            self.texts_ = place_labels(ax, np.column_stack([x, y]), labels, gap)
            self.hidden_ = len(labels) - len(self.texts_)
        return self

    def _heights(self) -> DoubleArray:
        """Of a strip: targets that are numbers, or rows of classes with points beside each other."""
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
